"""A dump is divided where Postgres divides it, whatever stands in its strings, bodies and rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.operations.transfer.dump_text import DumpFault, statements


def read(text: str) -> list[tuple[int, str, list[str]]]:
    return [(each.line, each.text, list(each.lines)) for each in statements(text.splitlines(keepends=True))]


PIECES = st.sampled_from(
    ["select 1", " ", "\n", "'a;b'", "'it''s'", "E'x\\';'", '"na;me"', '"q""q"', "-- c; d\n", "/* a; /* b; */ c; */",
     "$$ x; $$", "$body$ ; $$ ; $body$", "e'\\\\'", "U&'a;'", "1::text", "(,)", "case when a then b end"]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, min_size=1, max_size=8), min_size=1, max_size=6))
def test_statements_end_where_nothing_is_open(bodies: list[list[str]]) -> None:
    written = ["x " + " ".join(body) for body in bodies]
    text = "".join(f"{body};\n" for body in written)
    found = read(text)
    assert [text for _, text, _ in found] == [f"{body};" for body in written]
    assert [line for line, _, _ in found] == [
        1 + sum(body.count("\n") + 1 for body in written[:number]) for number in range(len(written))
    ]


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")), max_size=6
    )
)
def test_rows_are_passed_on_as_they_are(values: list[str]) -> None:
    rows = [f"{value}|\n" for value in values]  # none is the end mark
    text = f"COPY public.t (a) FROM stdin;\n{''.join(rows)}\\.\nselect 1;\n"
    lines = text.split("\n")
    found = [(each.text, list(each.lines)) for each in statements(f"{line}\n" for line in lines[:-1])]
    assert found == [("COPY public.t (a) FROM stdin;\n", [*rows, "\\.\n"]), ("select 1;", [])]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00\r")), min_size=1, max_size=6))
def test_rows_of_an_insert_end_where_their_statement_does(values: list[str]) -> None:
    quoted = [value.replace("'", "''") for value in values]
    text = "INSERT INTO t VALUES\n" + ",\n".join(f"\t('{value}')" for value in quoted) + ";\nselect ';';\n"
    pieces = [f"{line}\n" for line in text.split("\n")[:-1]]
    first, second = [(each.text, list(each.lines)) for each in statements(pieces)]
    assert first[0] + "".join(first[1]) == text.removesuffix("select ';';\n")
    assert second[0] == "select ';';"


def test_rows_that_nobody_asks_for_are_passed_over() -> None:
    text = "COPY t FROM stdin;\na;\n\\.\nINSERT INTO u VALUES\n(';');\nselect 1;\n"
    assert [each.text for each in statements(text.splitlines(keepends=True))] == [
        "COPY t FROM stdin;\n", "INSERT INTO u VALUES\n", "select 1;",
    ]  # fmt: skip


def test_what_is_for_psql_alone_is_no_statement() -> None:
    text = "\\restrict abc\n\\connect other\nselect 1;\n\\! id\n\\unrestrict abc\n"
    assert read(text) == [(3, "select 1;", [])]


def test_bodies_of_begin_atomic_are_one_statement() -> None:
    body = "create function f() returns int language sql\nbegin atomic\n select case when 1 = 1 then 2 end;\n"
    body += " select 3;\nend;"
    assert read(f"{body}\nselect 1;\n") == [(1, body, []), (6, "select 1;", [])]


def test_two_statements_of_a_line_are_two() -> None:
    assert [text for _, text, _ in read("select 1; select 2;\n")] == ["select 1;", " select 2;"]


@pytest.mark.parametrize(
    "text",
    [
        "select 1",
        "create function f() as $$ begin;\n",
        "COPY t FROM stdin;\n1\n",
        "INSERT INTO t VALUES\n('a\n",
        "select 'a;\n",
    ],
)
def test_a_dump_that_was_cut_off_says_so(text: str) -> None:
    with pytest.raises(DumpFault, match=r"^line 1: .*cut off$"):
        for each in statements(text.splitlines(keepends=True)):
            list(each.lines)


def test_nothing_but_comments_is_no_statement() -> None:
    assert read("-- a\n/* b; */;\n\n--\n;\n") == []
