"""Files as rows: columns go where they are told to, all rows or none, and each that is refused is named."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.console.conftest import Desk

TABLES = """
create domain public.short as varchar(3);
create table public.taken (
  id bigint primary key, what varchar(5), at date, doc jsonb, tags text[], code public.short, n numeric default 7
);
create table public.texts (id bigint generated always as identity, what text, word varchar(20), figure numeric);
create table public.ruled (id int, owner text);
alter table public.ruled enable row level security;
grant all on public.ruled to anon;
create policy mine on public.ruled for insert to anon with check (owner = 'anon');
"""


@pytest.fixture(scope="module")
def ready(desk: Desk) -> Desk:
    with desk.connect() as connection:
        connection.script(TABLES)
    return desk


def bring(desk: Desk, content: bytes, form: str = "csv", **query: str) -> httpx.Response:
    asked = urlencode({"schema": "public", "table": "taken", "format": form, **query})
    kind = {"content-type": "text/csv" if form == "csv" else "application/json"}
    return desk.ask("POST", f"/api/rows/import?{asked}", content=content, headers=kind)


def counted(desk: Desk, table: str = "taken") -> int:
    with desk.connect() as connection:
        return int(connection.rows(f"select count(*) from public.{table}")[0][0] or 0)


def test_columns_of_a_file_go_where_they_are_told(ready: Desk) -> None:
    where = json.dumps({"Number": "id", "Said, what": "what", "left out": None, "list": "tags"})
    made = bring(ready, b'left out,"Said, what",Number,list\nx,"",1,"{a,""b,c""}"\ny,,2,\n', map=where)
    assert made.json() == {"inserted": 2, "rows": 2, "dry": False}, made.text
    objects = [{"Number": 3, "Said, what": "w", "left out": {"x": 1}, "list": ["d", "e"]}]
    assert bring(ready, json.dumps(objects).encode(), "json", map=where).json()["inserted"] == 1
    with ready.connect() as connection:
        rows = connection.rows("select id, what, tags, n from taken order by id")
    # An empty text is none that is not there, and what is not named has its default.
    assert rows == [("1", "", '{a,"b,c"}', "7"), ("2", None, None, "7"), ("3", "w", "{d,e}", "7")]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"map": "x"}, "map is JSON"),
        ({"map": '{"id": "nothing"}'}, "no column"),
        ({"map": '{"id": null}'}, "names no column"),
        ({"map": '{"id": "id", "what": "id"}'}, "twice"),
        ({"map": '{"other": "id"}'}, "the file has no column"),
        ({"map": '["id"]'}, "map has columns"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_refused(ready: Desk, query: dict[str, str], word: str) -> None:
    refused = bring(ready, b"id,what\n90,x\n", **query)
    assert refused.status_code == 400 and word in refused.json()["message"]


def test_every_row_that_is_refused_is_named_and_none_comes_in(ready: Desk) -> None:
    before = counted(ready)
    lines = [f"{n},ok,2026-01-01" for n in range(1000, 3100)]
    lines[4] = "1004,ok,someday"  # no date
    lines[1500] = "2500,too long,2026-01-01"  # an explicit cast would have cut it
    lines[2000] = "1000,ok,"  # twice
    refused = bring(ready, ("id,what,at\n" + "\n".join(lines)).encode())
    told = refused.json()
    assert (refused.status_code, told["code"], told["rows"], told["checked"]) == (400, "import_rows", 2100, 2100)
    assert [(one["row"], one["sqlstate"]) for one in told["errors"]] == [
        (5, "22007"), (1501, "22001"), (2001, "23505"),
    ]  # fmt: skip
    assert told["message"] == "3 rows are refused of 2100; none came in."
    assert counted(ready) == before


def test_a_domain_s_length_and_a_missing_value_refuse_their_row(ready: Desk) -> None:
    told = bring(ready, b"id,code\n,abc\n50,abcd\n51,abc\n").json()
    assert [(one["row"], one["sqlstate"], one["column"]) for one in told["errors"]] == [
        (1, "23502", "id"), (2, "22001", None),
    ]  # fmt: skip


def test_it_ends_at_a_hundred_refusals(ready: Desk) -> None:
    told = bring(ready, b"id\n" + b"x\n" * 5000).json()
    assert (len(told["errors"]), told["checked"], told["rows"]) == (100, 100, 5000)


def test_a_broken_line_of_the_file_is_named(ready: Desk) -> None:
    refused = bring(ready, b"id,what\n60,a\n61,a,b,c\n")
    assert refused.json()["code"] == "import" and "line 3" in refused.json()["details"]


def test_a_rehearsal_writes_nothing_and_says_what_would(ready: Desk) -> None:
    before = counted(ready)
    assert bring(ready, b"id\n70\n71\n", dry="true").json() == {"inserted": 0, "rows": 2, "dry": True}
    assert len(bring(ready, b"id\n70\nx\n", dry="true").json()["errors"]) == 1
    assert counted(ready) == before


def test_rows_that_a_policy_refuses_are_named(ready: Desk) -> None:
    asked: dict[str, Any] = {"table": "ruled", "as": "anon"}
    told = bring(ready, b"id,owner\n1,anon\n2,ada\n", **asked).json()
    assert [(one["row"], one["sqlstate"]) for one in told["errors"]] == [(2, "42501")]
    assert bring(ready, b"id,owner\n1,anon\n", **asked).json()["inserted"] == 1


def exported(desk: Desk, **query: str) -> str:
    asked = urlencode({"schema": "public", "table": "texts", "format": "csv", **query})
    return desk.ask("GET", f"/api/rows/export?{asked}").text


def test_texts_go_out_as_they_are_unless_it_is_asked(ready: Desk) -> None:
    with ready.connect() as connection:
        connection.script(
            "truncate texts; insert into texts (what, word, figure) values ('=1+1', '@a', -5), ('a', null, 1)"
        )
    assert exported(ready).splitlines()[1].endswith(",=1+1,@a,-5")
    assert [line.partition(",")[2] for line in exported(ready, safe="true").splitlines()[1:]] == [
        "'=1+1,'@a,-5",
        "a,,1",
    ]


# Without what COPY's own CSV cannot hold.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.one_of(st.none(), TEXTS), min_size=1, max_size=6))
def test_any_text_comes_back_as_it_was(ready: Desk, texts: list[str | None]) -> None:
    with ready.connect() as connection:
        connection.script("truncate texts")
        for text in texts:
            connection.rows("insert into texts (what) values ($1) returning id", text)
        wanted = connection.rows("select what from texts order by id")
        for form in ("csv", "json"):
            asked = urlencode({"schema": "public", "table": "texts", "format": form, "order": '[{"column": "id"}]'})
            out = ready.ask("GET", f"/api/rows/export?{asked}").content
            connection.script("truncate texts")
            back = bring(ready, out, form, table="texts", map='{"what": "what"}')
            assert back.json()["inserted"] == len(texts), back.text
            assert connection.rows("select what from texts order by id") == wanted


HOSTILE = ["a'b", 'a"b', "$body$", "begun", "step", "place", "c0; drop table public.texts", "%s", "\\", "item"]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_name_of_a_file_or_table_does_anything_else(ready: Desk, form: str) -> None:
    def named(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    table = "t'$$\"x"
    with ready.connect() as connection:
        connection.script(
            f"drop table if exists public.{named(table)};"
            f"create table public.{named(table)} ({', '.join(f'{named(name)} integer' for name in HOSTILE)})"
        )
        rows = [[str(at) for at in range(len(HOSTILE))], ["x"] * len(HOSTILE)]
        for count in (2, 1):  # first with a row that is refused, so that they are tried one by one
            given = [dict(zip(HOSTILE, row, strict=True)) for row in rows[:count]]
            content = json.dumps(given)
            if form == "csv":
                quoted = [
                    [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line] for line in (HOSTILE, *rows[:count])
                ]
                content = "\n".join(",".join(line) for line in quoted)
            answer = bring(ready, content.encode(), form, table=table)
            if count == 2:
                assert [one["row"] for one in answer.json()["errors"]] == [2], answer.text
            else:
                assert answer.json()["inserted"] == 1, answer.text
        assert connection.rows(f"select * from public.{named(table)}") == [tuple(rows[0])]
        assert connection.rows("select to_regclass('public.texts')") == [("texts",)]
        connection.script(f"drop table public.{named(table)}")
