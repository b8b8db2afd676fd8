"""What a subscriber is told of a change: its shape, its values, its order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.realtime.changes.scene import Listening, Scene, Worker

TABLES = """
create schema annex;
create type public.mood as enum ('glad', 'sad');
create type public.pair as (a int, b text);
create domain public.price as numeric check (value >= 0);
create table public.todos (id bigint primary key, owner text, title text, done boolean default false);
create table public.whole (id int primary key, note text, long text);
create table public.indexed (id int primary key, code text not null unique, note text);
create table public.keyless (note text);
create table public.parts (region text, number int, note text, primary key (region, number));
create table annex.notes (id int primary key, note text);
create table public.other (id int primary key);
create table public.typed (id int primary key, small int2, big int8, amount numeric, ratio float8, flag boolean,
  document jsonb, plain json, at timestamptz, local timestamp, day date, clock time, span interval, key uuid,
  feeling public.mood, raw bytea, numbers int[], words text[], moments timestamptz[], grid int[][], made public.pair,
  pairs public.pair[], cost public.price, period int4range, address inet, code char(5), letters varchar(5));
alter table public.whole replica identity full;
alter table public.indexed replica identity using index indexed_code_key;
alter table public.keyless replica identity full;
grant usage on schema annex to anon;
grant select on all tables in schema public to anon;
grant select on annex.notes to anon;
alter publication supabase_realtime
  add table public.todos, public.whole, public.indexed, public.keyless, public.parts, annex.notes, public.typed;
"""


@pytest.fixture(scope="module", autouse=True)
def tables(scene: Scene) -> None:
    scene.sql(TABLES)


def of(table: str, event: str = "*", **more: Any) -> dict[str, Any]:
    schema, _, name = table.rpartition(".")
    return {"event": event, "schema": schema or "public", "table": name, **more}


async def told(scene: Scene, worker: Worker, table: str, sql: str, count: int) -> list[dict[str, Any]]:
    member = await worker.listen(Listening(), of(table))
    scene.sql(sql)
    return await member.changes(count)


def test_a_change_has_the_contract_s_shape(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        sql = "insert into todos values (1, 'a', 'x'); update todos set title = 'y'; delete from todos"
        insert, update, delete = await told(scene, await scene.worker(), "todos", sql, 3)
        assert insert["record"] == {"id": 1, "owner": "a", "title": "x", "done": False}
        assert insert["columns"] == [
            {"name": "id", "type": "int8"},
            {"name": "owner", "type": "text"},
            {"name": "title", "type": "text"},
            {"name": "done", "type": "bool"},
        ]
        keys = {"schema", "table", "type", "commit_timestamp", "columns", "errors"}
        assert set(insert) == {*keys, "record"}
        assert set(update) == {*keys, "record", "old_record"}
        assert set(delete) == {*keys, "old_record"}
        assert [each["type"] for each in (insert, update, delete)] == ["INSERT", "UPDATE", "DELETE"]
        assert (insert["schema"], insert["table"], insert["errors"]) == ("public", "todos", None)
        assert update["record"]["title"] == "y" and update["old_record"] == {"id": 1}
        assert delete["old_record"] == {"id": 1}
        assert insert["commit_timestamp"][10] == "T" and insert["commit_timestamp"][-5] == "."
        assert insert["commit_timestamp"].endswith("Z")

    scene.play(work)


def test_values_are_those_of_to_jsonb_in_full_digits(scene: Scene) -> None:
    row = """1, 2, 9007199254740993, 12345678901234567890.10, 0.1, true, '{"a": [1, {"b": null}]}', '{"x":1}',
      '2025-11-03 09:32:55+00', '2025-11-03 09:32:55.25', '2025-11-03', '09:32', '1 day 02:00',
      '6F9619FF-8B86-D011-B42D-00C04FC964FF', 'glad', '\\x0102', '{1,null,3}', '{"a b",null,"c\\"d","{}"}',
      '{2025-11-03 09:32:55+00}', '{{1,2},{3,4}}', '(1,"b c")', '{"(1,x)","(2,)"}', 9.50, '[1,5)', '10.0.0.1/8',
      'ab', 'cd'"""

    async def work(scene: Scene) -> None:
        (change,) = await told(scene, await scene.worker(), "typed", f"insert into typed values ({row})", 1)
        expected = json.loads(
            scene.rows("select to_jsonb(typed) from typed")[0][0] or "", parse_float=str, parse_int=int
        )
        expected["raw"] = "0102"
        assert change["record"] == expected
        assert change["record"]["big"] == 9007199254740993
        assert change["record"]["amount"] == "12345678901234567890.10"
        names = {each["name"]: each["type"] for each in change["columns"]}
        assert (names["big"], names["numbers"], names["at"], names["cost"]) == ("int8", "_int4", "timestamptz", "price")

    scene.play(work)


def test_null_infinite_and_odd_values_stay_json(scene: Scene) -> None:
    sql = """insert into typed (id, amount, ratio, at, words) values
      (2, 'NaN', '-Infinity', 'infinity', '{}'), (3, null, null, '0044-03-15 00:00:00+00 BC', '[0:1]={a,b}')"""

    async def work(scene: Scene) -> None:
        first, second = await told(scene, await scene.worker(), "typed", sql, 2)
        for change in (first, second):
            found = scene.rows(f"select to_jsonb(typed) from typed where id = {change['record']['id']}")
            assert change["record"] == json.loads(found[0][0] or "")

    scene.play(work)


def test_old_records_follow_the_replica_identity(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), of("whole"), of("indexed"), of("parts"))
        scene.sql(
            "insert into whole values (1, 'a'); update whole set note = 'b'; delete from whole;"
            "insert into indexed values (1, 'k', 'a'); update indexed set note = 'b'; update indexed set code = 'l';"
            "delete from indexed;"
            "insert into parts values ('n', 1, 'a'); update parts set number = 2; delete from parts"
        )
        olds = [each.get("old_record") for each in await member.changes(10)]
        assert olds == [
            None, {"id": 1, "note": "a", "long": None}, {"id": 1, "note": "b", "long": None},
            None, {"code": "k"}, {"code": "k"}, {"code": "l"},
            None, {"region": "n", "number": 1}, {"region": "n", "number": 2},
        ]  # fmt: skip

    scene.play(work)


def test_a_long_value_that_stayed_the_same_is_left_out_or_taken_from_the_whole_old_row(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), of("whole"), of("todos"))
        scene.sql(
            "alter table whole alter long set storage external; alter table todos alter title set storage external;"
            "insert into whole values (7, 'a', repeat('x', 9000)); update whole set note = 'b' where id = 7;"
            "insert into todos values (7, 'a', repeat('x', 9000)); update todos set owner = 'b' where id = 7"
        )
        changes = await member.changes(4)
        assert len(changes[1]["record"]["long"]) == 9000
        assert "title" not in changes[3]["record"] and changes[3]["record"]["owner"] == "b"

    scene.play(work)


def test_a_table_without_a_key_tells_so(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        sql = "insert into keyless values ('secret'); delete from keyless"
        insert, delete = await told(scene, await scene.worker(), "keyless", sql, 2)
        assert insert["errors"] == ["Error 400: Bad Request, no primary key"]
        assert (insert["record"], insert["columns"], insert["commit_timestamp"]) == ({}, [], None)
        assert delete["old_record"] == {"note": "secret"}

    scene.play(work)


def test_a_change_over_a_megabyte_keeps_its_small_values(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        sql = "insert into todos values (8, repeat('x', 64), repeat('y', 1100000))"
        (change,) = await told(scene, await scene.worker(), "todos", sql, 1)
        assert change["errors"] == ["Error 413: Payload Too Large"]
        assert change["record"] == {"id": 8, "done": False}

    scene.play(work)


def test_wildcards_events_and_ids(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        bindings = [of("todos", "insert"), {"schema": "annex"}, {"event": "DELETE", "schema": "*"}, {"table": "todos"}]
        ids = worker.changes.ids(bindings)
        member = await worker.listen(Listening(), *bindings)
        scene.sql(
            "insert into todos (id) values (9); delete from todos where id = 9; insert into annex.notes values (1)"
        )
        scene.sql("insert into other values (1)")
        scene.sql("delete from annex.notes")
        await member.changes(4)
        assert [set(each) for each in member.ids] == [
            {ids[0], ids[3]}, {ids[2], ids[3]}, {ids[1]}, {ids[1], ids[2]},
        ]  # fmt: skip
        assert all(0 < each < 2**27 for each in ids)

    scene.play(work)


def test_selected_columns_and_the_key_are_sent(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), of("todos", select=["title"]), of("todos", select=[]))
        scene.sql("insert into todos values (10, 'a', 'x')")
        records = [each["record"] for each in await member.changes(2)]
        assert {"id": 10, "title": "x"} in records and {"id": 10, "owner": "a", "title": "x", "done": False} in records

    scene.play(work)


def test_what_rolls_back_is_not_told_and_a_transaction_stays_in_order(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), of("parts", "INSERT"))
        scene.sql("begin; insert into parts select 'r', n from generate_series(1, 300) n; rollback")
        scene.sql("begin; insert into parts select 'c', n from generate_series(1, 300) n; commit")
        numbers = [each["record"]["number"] for each in await member.changes(300)]
        assert numbers == list(range(1, 301)) and len(member.got) == 300

    scene.play(work)


def test_a_table_that_changes_while_it_is_listened_to(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), of("annex.notes"))
        scene.sql("insert into annex.notes values (5, 'a')")
        await member.changes(1)
        scene.sql("alter table annex.notes add extra int default 4; insert into annex.notes values (6, 'b')")
        await member.changes(2)
        scene.sql("alter table annex.notes rename extra to more; insert into annex.notes values (7, 'c', 8)")
        await member.changes(3)
        scene.sql("alter table annex.notes drop constraint notes_pkey, add primary key (more, id)")
        scene.sql("insert into annex.notes values (8, 'd', 9)")
        records = [each["record"] for each in await member.changes(4)]
        assert records[1:] == [
            {"id": 6, "note": "b", "extra": 4}, {"id": 7, "note": "c", "more": 8}, {"id": 8, "note": "d", "more": 9},
        ]  # fmt: skip

    scene.play(work)


def test_changes_before_the_subscription_are_not_told(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        await worker.listen(Listening(), of("todos"))
        scene.sql("insert into todos (id) values (20)")
        late = await worker.listen(Listening(), of("todos"))
        scene.sql("insert into todos (id) values (21)")
        await late.changes(1)
        assert late.rows == [("INSERT", 21)]

    scene.play(work)
