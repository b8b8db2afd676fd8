"""Rows: whatever names and values there are, pages that follow each other, changes that are all or nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.console.shapes import Shape, ShapeColumn, Values, after, ordering, where
from tests.console.conftest import Desk

TABLES = """
create table public.notes (
  id bigint primary key, title text, body jsonb, at timestamptz, amount numeric, tags text[], flag boolean
);
insert into public.notes
select n, case when n % 7 = 0 then null else 'title ' || n end, json_build_object('n', n), now(), n / 3.0,
  array['a', n::text], n % 2 = 0
from generate_series(1, 250) n;
insert into public.notes (id, title) values (9007199254740993, repeat('x', 1500000));
create table public.no_key (a int, b text);
insert into public.no_key select n, 'b' || n from generate_series(1, 120) n;
create table public.children (id int primary key, note bigint references public.notes on delete cascade);
create table public.grandchildren (id int primary key, child int references public.children on delete cascade);
create table public.pinned (id int primary key, note bigint references public.notes);
insert into public.children values (1, 1), (2, 1);
insert into public.grandchildren values (1, 1), (2, 2), (3, 2);
insert into public.pinned values (1, 1);
create view public.seen as select id, title from public.notes;
create table public.mine (id int primary key, owner uuid, what text);
alter table public.mine enable row level security;
grant select, update, insert on public.mine to anon, authenticated;
create policy own on public.mine using (owner = (current_setting('request.jwt.claims')::json ->> 'sub')::uuid);
insert into public.mine values (1, '11111111-1111-4111-8111-111111111111', 'hers'), (2, null, 'nobody''s');
insert into auth.users (id, aud, role, email) values
  ('11111111-1111-4111-8111-111111111111', 'authenticated', 'authenticated', 'ada@example.com');
analyze;
"""
AS_ANON: dict[str, Any] = {"as": "anon"}
ADA = "user:11111111-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def filled(desk: Desk) -> Desk:
    with desk.connect() as connection:
        connection.script(TABLES)
        connection.script("notify pgrst")
    return desk


def rows(desk: Desk, table: str, *, status: int = 200, **more: Any) -> dict[str, Any]:
    answer = desk.ask("POST", "/api/rows", {"schema": "public", "table": table, **more})
    assert answer.status_code == status, answer.text
    content: dict[str, Any] = answer.json()
    return content


@pytest.mark.parametrize(
    "order",
    [
        [],
        [{"column": "id", "desc": True}],
        [{"column": "title", "desc": False}],
        [{"column": "title", "desc": True}],
        [{"column": "title", "desc": False, "nulls_first": True}],
        [{"column": "flag", "desc": True, "nulls_first": False}, {"column": "at"}],
    ],
    ids=["key", "key down", "nulls last", "nulls first", "nulls first, up", "two columns"],
)
def test_pages_follow_each_other_without_a_gap(filled: Desk, order: list[dict[str, Any]]) -> None:
    seen: list[str] = []
    cursor = None
    for _ in range(20):
        found = rows(filled, "notes", order=order, limit=40, after=cursor)
        seen += [row[0] for row in found["rows"]]
        cursor = found["next"]
        if cursor is None:
            break
    clause = ", ".join(
        f"{one['column']} {'desc' if one.get('desc') else 'asc'}"
        f" nulls {'first' if one.get('nulls_first', one.get('desc', False)) else 'last'}"
        for one in order
    )
    with filled.connect() as connection:
        wanted = [
            row[0] for row in connection.rows(f"select id from notes order by {clause + ',' if clause else ''} id")
        ]
    assert seen == wanted


@pytest.mark.parametrize("table", ["no_key", "seen"])
def test_rows_without_a_key_are_paged_too(filled: Desk, table: str) -> None:
    seen: list[Any] = []
    cursor = None
    for _ in range(20):
        found = rows(filled, table, limit=50, after=cursor)
        assert found["keys"] is None
        seen += [row[0] for row in found["rows"]]
        if (cursor := found["next"]) is None:
            break
    with filled.connect() as connection:
        wanted = connection.rows(f"select count(*) from {table}")[0][0]
    assert len(seen) == len(set(seen)) == int(wanted or 0)


def test_a_cell_of_megabytes_is_cut_and_read_whole_alone(filled: Desk) -> None:
    answer = filled.ask("POST", "/api/rows", {
        "schema": "public", "table": "notes", "filters": [{"column": "id", "op": "eq", "value": "9007199254740993"}],
    })  # fmt: skip
    found = answer.json()
    assert len(answer.content) < 10_000 and found["rows"][0][0] == "9007199254740993"  # no number lost a digit
    assert found["cut"] == [[0, 1, 1_500_000]] and len(found["rows"][0][1]) == 200
    asked = {"schema": "public", "table": "notes", "key": {"id": "9007199254740993"}, "column": "title"}
    assert len(filled.ask("POST", "/api/rows/cell", asked).json()["value"]) == 1_500_000


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ([("id", "in", "(1,2,3)")], 3),
        ([("title", "is", "null")], 35),
        ([("title", "not.is", "null")], 216),
        ([("id", "lte", "10"), ("flag", "is", "true")], 5),
        ([("title", "ilike", "TITLE 1%")], 96),
        ([("tags", "cs", "{12}")], 1),
        ([("body", "cs", '{"n": 5}')], 1),
        ([("title", "fts", "title")], 215),
        ([("id", "neq", "1")], 250),
    ],
)
def test_operators_choose_what_the_contract_s_choose(
    filled: Desk, filters: list[tuple[str, str, str]], count: int
) -> None:
    listed = [{"column": column, "op": op, "value": value} for column, op, value in filters]
    found = rows(filled, "notes", filters=listed, limit=1000, count="exact")
    assert len(found["rows"]) == found["count"] == count and found["count_is"] == "exact"


def test_rows_are_seen_as_somebody(filled: Desk) -> None:
    assert len(rows(filled, "mine")["rows"]) == 2
    assert rows(filled, "mine", **AS_ANON)["rows"] == []
    assert [row[2] for row in rows(filled, "mine", **dict[str, Any]({"as": ADA}))["rows"]] == ["hers"]
    refused = rows(filled, "notes", status=403, **AS_ANON)
    assert refused["sqlstate"] == "42501"
    missing = "user:99999999-9999-4999-8999-999999999999"
    assert rows(filled, "mine", status=404, **dict[str, Any]({"as": missing}))["code"] == "no_user"


def test_changes_are_all_or_nothing(filled: Desk) -> None:
    def change(*changes: dict[str, Any], **more: Any) -> Any:
        return filled.ask(
            "POST", "/api/rows/changes", {"schema": "public", "table": "notes", "changes": changes, **more}
        )

    done = change(
        {"kind": "insert", "set": {"id": "1000", "title": "new", "tags": '{"a,b",c}', "amount": "0.1"}},
        {"kind": "update", "key": {"id": "1000"}, "old": {"title": "new"}, "set": {"title": "newer", "id": "1001"}},
    )
    assert done.json()["changed"] == 2 and done.json()["rows"][1]["tags"] == '{"a,b",c}'
    clash = change(
        {"kind": "update", "key": {"id": "1001"}, "old": {}, "set": {"flag": "true"}},
        {"kind": "update", "key": {"id": "1001"}, "old": {"title": "what it was"}, "set": {"title": "mine"}},
    )
    assert clash.status_code == 409 and clash.json()["now"]["title"] == "newer"
    with filled.connect() as connection:
        assert connection.rows("select title, flag from notes where id = 1001") == [("newer", None)]
    noted = json.loads(filled.ask("GET", "/api/audit?limit=2").json()["rows"][1]["detail"])
    assert noted["old"][1] == {"title": "new", "id": "1000"} and noted["new"][1]["title"] == "newer"
    assert change({"kind": "delete", "key": {"id": "1001"}}).json()["changed"] == 1
    assert change({"kind": "delete", "key": {"id": "1001"}}).status_code == 409
    refused = change({"kind": "insert", "set": {"id": "2000"}}, **{"as": "anon"})
    assert refused.status_code == 403


def test_no_hash_or_token_is_kept_in_the_audit(filled: Desk) -> None:
    user = "11111111-1111-4111-8111-111111111111"
    change = {
        "kind": "update",
        "key": {"id": user},
        "set": {"encrypted_password": "a-hash", "recovery_token": "a-token"},
    }
    body = {"schema": "auth", "table": "users", "changes": [change]}
    answer = filled.ask("POST", "/api/rows/changes", body)
    assert answer.status_code == 200, answer.text
    noted = filled.ask("GET", "/api/audit?limit=1").text
    assert "ada@example.com" in noted and "a-hash" not in noted and "a-token" not in noted


def test_a_row_without_a_key_is_not_guessed(filled: Desk) -> None:
    body = {"schema": "public", "table": "no_key", "changes": [{"kind": "delete", "key": {"a": "1"}}]}
    answer = filled.ask("POST", "/api/rows/changes", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "no_key")


def test_a_preview_says_what_goes_along(filled: Desk) -> None:
    body = {"schema": "public", "table": "notes", "keys": [{"id": "1"}, {"id": "2"}]}
    found = filled.ask("POST", "/api/rows/delete-preview", body).json()["tables"]
    assert found == [
        {"schema": "public", "table": "children", "count": 2, "rule": "cascade"},
        {"schema": "public", "table": "grandchildren", "count": 3, "rule": "cascade"},
        {"schema": "public", "table": "pinned", "count": 1, "rule": "restrict"},
    ]


@pytest.mark.parametrize("command", ["select", "insert", "update", "delete"])
def test_why_says_grant_policy_and_rows(filled: Desk, command: str) -> None:
    filled.wait(filled.gateway.cache._reload(config=False))
    asked = {"schema": "public", "table": "mine", "as": "anon", "command": command}
    found = filled.ask("POST", "/api/rows/why", asked)
    assert found.status_code == 200, found.text
    kinds = {one["kind"] for one in found.json()["findings"]}
    assert kinds >= {"grant", "row"}
    if command == "delete":  # which nobody granted
        grants = [one for one in found.json()["findings"] if one["kind"] == "grant"]
        assert any(not one["ok"] for one in grants)


def test_the_request_is_given_without_its_key(filled: Desk) -> None:
    texts = rows(filled, "notes", filters=[{"column": "id", "op": "gt", "value": "3"}])["request"]
    assert "id=gt.3" in texts["curl"] and "$SUPABASE_SECRET_KEY" in texts["curl"]
    assert '.filter("id", "gt", "3")' in texts["js"] and ".execute()" in texts["python"]
    assert filled.keys.secret_key not in json.dumps(texts)


# --- names and values ---------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
NASTY = st.one_of(NAMES, st.sampled_from(["'; drop table x --", '"; select 1', "$1", "\\", "';", "%s", "{0}", "a]b"]))
OPS = ("eq", "neq", "gt", "like", "ilike", "match", "in", "isdistinct")


@settings(max_examples=200)
@given(
    names=st.lists(NASTY, min_size=1, max_size=4, unique=True), value=NASTY, op=st.sampled_from(OPS), desc=st.booleans()
)
def test_no_value_is_in_the_sql_and_every_name_is_quoted(names: list[str], value: str, op: str, desc: bool) -> None:
    columns = tuple(ShapeColumn(name, "text", at == 0, int(at == 0), False) for at, name in enumerate(names))
    shape = Shape("public", "t", "r", columns, 0)
    values = Values()
    text = " and ".join(where(shape, [{"column": name, "op": op, "value": value} for name in names], values))
    order = ordering(shape, [{"column": name, "desc": desc} for name in names])
    text += after(order, [value] * len(order), values) + ", ".join(each.sql for each in order)
    bare = re.sub(r'"(?:[^"]|"")*"', "name", text)
    assert re.fullmatch(r"[a-z_:~*<>=$0-9 (),]*", bare), bare


@settings(max_examples=25)
@given(column=NASTY, value=NASTY)
def test_promise_08_no_name_or_value_of_the_console_does_anything_else(filled: Desk, column: str, value: str) -> None:
    """The same in Postgres itself: a table with that column has that value, and nothing else has happened."""
    name = '"' + column.encode()[:60].decode("utf-8", "ignore").replace('"', '""') + '"'
    with filled.connect() as connection:
        connection.script(f"drop table if exists nasty; create table nasty ({name} text primary key, other text)")
        told = connection.rows("select attname from pg_attribute where attrelid = 'nasty'::regclass and attnum = 1")[0][
            0
        ]
    insert = {
        "schema": "public",
        "table": "nasty",
        "changes": [{"kind": "insert", "set": {told: value, "other": value}}],
    }
    if told == "other":
        return
    assert filled.ask("POST", "/api/rows/changes", insert).status_code == 200
    for op in ("eq", "in"):
        given_value = json.loads(json.dumps([value])) if op == "in" else value
        found = rows(
            filled, "nasty", filters=[{"column": told, "op": op, "value": given_value}], order=[{"column": told}]
        )
        assert len(found["rows"]) == 1 and found["keys"] == [[value]]
    asked = {"schema": "public", "table": "nasty", "key": {told: value}, "column": "other"}
    assert filled.ask("POST", "/api/rows/cell", asked).json() == {"value": value}


# --- two million rows ---------------------------------------------------------------------------------------------


def test_a_table_of_two_million_rows_is_paged_by_its_key_and_counted_by_nobody(filled: Desk) -> None:
    """Whatever page: the plan reads the key's index up to a limit, and no statement counts."""
    from gateway.console.rows import page_query
    from gateway.console.shapes import shape_of, write_cursor
    from gateway.database.statement import Statement

    with filled.connect() as connection:
        connection.script("create table big (id bigint primary key, name text)")
        connection.script("insert into big select n, 'name ' || n from generate_series(1, 2000000) n; analyze big")

    async def plan(order: list[dict[str, Any]], cursor: str | None) -> dict[str, Any]:
        database = await filled.door.login.database()
        shape = await shape_of(database, "public", "big")
        made, kind, _ = page_query(shape, [], ordering(shape, order), cursor, 100)
        assert kind == "key" and "count(" not in made.text
        from gateway.database import NO_SCOPE

        said = await database.run(NO_SCOPE, Statement(f"explain (analyze, format json) {made.text}", made.params))
        found: dict[str, Any] = json.loads(said.value or b"[]")[0]["Plan"]
        return found

    def nodes(found: dict[str, Any]) -> list[dict[str, Any]]:
        return [found, *(each for child in found.get("Plans", ()) for each in nodes(child))]

    for order in ([], [{"column": "id", "desc": True}]):
        for cursor in (None, write_cursor("key", ["1234567"])):
            found = nodes(filled.wait(plan(order, cursor)))
            assert {node["Node Type"] for node in found} & {"Index Scan", "Index Only Scan"}
            assert max(node["Actual Rows"] for node in found) <= 101, order
    answer = rows(filled, "big", count="estimate")
    assert answer["count_is"] == "estimate" and 1_900_000 < answer["count"] < 2_100_000
    with filled.connect() as connection:
        connection.script("drop table big")


def test_the_catalogue_has_what_belongs_to_a_table(filled: Desk) -> None:
    answer = filled.ask("GET", "/api/catalog")
    found = answer.json()
    notes = next(table for table in found["tables"] if (table["schema"], table["name"]) == ("public", "notes"))
    assert notes["primary_key"] == ["id"] and notes["columns"][2]["type"] == "jsonb" and notes["kind"] == "table"
    assert {one["table"] for one in notes["referenced_by"]} == {"children", "pinned"}
    mine = next(table for table in found["tables"] if table["name"] == "mine")
    assert mine["rls"] is True and mine["policies"][0]["name"] == "own"
    assert {"name": "public", "exposed": True, "platform": False} in found["schemas"]
    tag = answer.headers["etag"]
    assert filled.ask("GET", "/api/catalog", headers={"if-none-match": tag}).status_code == 304
    with filled.connect() as connection:
        connection.script("alter table mine add column more int")
    assert filled.ask("GET", "/api/catalog", headers={"if-none-match": tag}).status_code == 200


@pytest.mark.parametrize(
    ("column", "op", "value", "count"),
    [
        ("title", "like(any)", "{title 1,title 2}", 2),
        ("title", "ilike(all)", "{title 1*,*9}", 9),
        ("id", "eq(any)", "{1,2,999}", 2),
        ("title", "not.match(any)", "{^title,^x}", 0),
        ("title", "fts(simple)", "title", 215),
        ("title", "wfts(english)", "titles", 215),
        ("tags", "ov", "{12,13}", 2),
        ("tags", "cd", "{a,12}", 1),
        ("title", "isdistinct", "title 1", 250),
    ],
)
def test_operators_take_what_the_contract_lets_them(filled: Desk, column: str, op: str, value: str, count: int) -> None:
    found = rows(filled, "notes", filters=[{"column": column, "op": op, "value": value}], limit=1000)
    assert len(found["rows"]) == count


@pytest.mark.parametrize("op", ["in(any)", "neq(all)", "eq(some)", "fts(no_such_words)", "like(any", "any"])
def test_an_operator_that_the_contract_has_not_is_refused(filled: Desk, op: str) -> None:
    rows(filled, "notes", status=400, filters=[{"column": "title", "op": op, "value": "{a}"}])


def test_a_value_is_given_its_default_again(filled: Desk) -> None:
    with filled.connect() as connection:
        connection.script(
            "create table defaulted (code text not null unique, a text default 'd', b int default 5);"
            "insert into defaulted values ('x', 'a', 1)"
        )
        found = rows(filled, "defaulted")
        assert (found["key"], found["keys"]) == (["code"], [["x"]])  # rows are told apart by what is unique, too
        change: dict[str, Any] = {
            "kind": "update",
            "key": {"code": "x"},
            "old": {"a": "a"},
            "set": {"b": None},
            "default": ["a"],
        }
        body = {"schema": "public", "table": "defaulted", "changes": [change]}
        made = filled.ask("POST", "/api/rows/changes", body)
        assert made.json()["rows"] == [{"code": "x", "a": "d", "b": None}], made.text
        change["old"] = {}
        for wrong in (["none"], ["b"], "a", [1]):
            assert (
                filled.ask("POST", "/api/rows/changes", {**body, "changes": [{**change, "default": wrong}]}).status_code
                == 400
            )


def test_the_catalogue_tells_what_forms_need(filled: Desk) -> None:
    with filled.connect() as connection:
        connection.script(
            "create function public.said(a int, b text default 'x') returns int language sql as 'select 1';"
            "create table public.told (id int); alter publication supabase_realtime add table public.told;"
            "grant select on public.told to anon; grant update (id) on public.told to authenticated"
        )
    told = filled.ask("GET", "/api/catalog").json()
    (said,) = [one for one in told["functions"] if one["name"] == "said"]
    assert (said["identity"], said["kind"]) == ("a integer, b text", "function")
    (published,) = [one for one in told["publications"] if one["name"] == "supabase_realtime"]
    assert ["public", "told"] in published["tables"]
    installed = {one["name"]: one["installed"] for one in told["extensions"]}
    assert installed["plpgsql"] is True and installed["pg_trgm"] in (True, False) and False in installed.values()
    assert "anon" in {role["name"] for role in told["roles"]}
    (row,) = [one for one in filled.ask("GET", "/api/grants?schema=public").json()["tables"] if one["table"] == "told"]
    assert {grant["role"]: grant["privileges"] for grant in row["grants"]}["anon"].count("select") == 1
    assert row["columns"] == [{"column": "id", "role": "authenticated", "privileges": ["update"]}]
