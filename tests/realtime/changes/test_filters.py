"""Filters of a binding: their grammar, and that texts and Postgres decide alike."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import Database
from gateway.realtime.changes import matching
from gateway.realtime.changes.bindings import BindingFault, described, parse_binding
from gateway.realtime.changes.filters import FilterFault, parse_filters, split, unquoted
from gateway.realtime.changes.pgoutput import UNCHANGED
from gateway.realtime.changes.subscribing import BindingRefused, Condition, check
from tests.gateway.test_growth import assert_linear
from tests.realtime.changes.scene import Listening, Scene

TABLES = """
create type public.mood as enum ('glad', 'sad');
create table public.things (id int primary key, small int2, amount numeric, ratio float8, name text, code char(4),
  letters varchar, flag boolean, at timestamptz, key uuid, feeling mood, words text[],
  document jsonb);
grant select on public.things to anon;
alter publication supabase_realtime add table public.things;
"""


@pytest.fixture(scope="module")
def things(scene: Scene) -> Scene:
    scene.sql(TABLES)
    return scene


def of(filter: Any = None, **more: Any) -> dict[str, Any]:
    return {"event": "INSERT", "schema": "public", "table": "things", "filter": filter, **more}


# A filter, the columns of a row, and whether it matches.
MATCHES = [
    ("id=eq.01", {}, True),
    ("id=neq.1", {}, False),
    ("small=lt.10", {"small": "9"}, True),
    ("small=lt.10", {"small": "null"}, False),
    ("small=not.lt.10", {"small": "null"}, False),
    ("small=gte.-5", {"small": "-5"}, True),
    ("small=lte.-5", {"small": "-10"}, True),
    ("small=gt.9", {"small": "10"}, True),
    ("amount=eq.1.50", {"amount": "1.5"}, True),
    ("amount=in.(1.0,2.50)", {"amount": "2.5"}, True),
    ("ratio=gt.1e3", {"ratio": "1000.5"}, True),
    ("name=eq.a", {"name": "'a'"}, True),
    ('name=eq."a,b"', {"name": "'a,b'"}, True),
    ("name=eq.a b", {"name": "'A B'"}, False),
    ('name=in.(a,"b,c",d)', {"name": "'b,c'"}, True),
    ("name=not.in.(a,b)", {"name": "'c'"}, True),
    ("name=like.a%", {"name": "'abc'"}, True),
    ("name=like.a*", {"name": "'abc'"}, False),
    ("name=ilike.A_c", {"name": "'abc'"}, True),
    ("name=not.like.a%", {"name": "'abc'"}, False),
    ("name=match.^a+$", {"name": "'aaa'"}, True),
    ("name=imatch.^A+$", {"name": "'aaa'"}, True),
    ("name=lt.b", {"name": "'a'"}, True),
    ("name=is.null", {"name": "null"}, True),
    ("name=not.is.null", {"name": "null"}, False),
    ("name=isdistinct.a", {"name": "null"}, True),
    ("name=isdistinct.a", {"name": "'a'"}, False),
    ("code=eq.ab", {"code": "'ab'"}, True),
    ("letters=eq.ab", {"letters": "'ab'"}, True),
    ("flag=eq.true", {"flag": "true"}, True),
    ("flag=is.true", {"flag": "true"}, True),
    ("flag=is.false", {"flag": "null"}, False),
    ("flag=is.unknown", {"flag": "null"}, True),
    ("at=eq.2025-01-01T01:00:00+01:00", {"at": "'2025-01-01 00:00+00'"}, True),
    ("at=gt.2024-12-31", {"at": "'2025-01-01 00:00+00'"}, True),
    ("key=eq.6F9619FF8B86D011B42D00C04FC964FF", {"key": "'6f9619ff-8b86-d011-b42d-00c04fc964ff'"}, True),
    ("feeling=eq.sad", {"feeling": "'sad'"}, True),
    ("feeling=gt.glad", {"feeling": "'sad'"}, True),
    ('words=eq."{a,b}"', {"words": "'{a,b}'"}, True),
    ('document=eq.{"a": 1}', {"document": "'{\"a\":1}'"}, True),
    ("id=gt.0,name=eq.a,small=is.null", {"name": "'a'"}, True),
    ("id=gt.0,amount=eq.2,name=like.b%", {"name": "'b'", "amount": "2.0"}, True),
    ("id=gt.0,amount=eq.2,name=like.b%", {"name": "'c'", "amount": "2.0"}, False),
]


def test_every_operator_decides_by_the_column_s_type(things: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        members = [await worker.listen(Listening(), of(text)) for text, _, _ in MATCHES]
        all_of_it = await worker.listen(Listening(), of())
        numbers = {}
        for place, (text, columns, _) in enumerate(MATCHES):
            # Rows that are to be 1 have a transaction of their own, and so have all others.
            number = 1 if text.startswith("id=") and "gt" not in text else 1000 + place
            numbers[place] = number
            names, values = ", ".join(["id", *columns]), ", ".join([str(number), *columns.values()])
            scene.sql(f"delete from things; insert into things ({names}) values ({values})")
        await all_of_it.changes(len(MATCHES))
        heard = [each["record"]["id"] for each in all_of_it.got]
        for place, ((text, _, matches), member) in enumerate(zip(MATCHES, members, strict=True)):
            mine = [at for at, each in enumerate(heard) if each == numbers[place]]
            got = [each["record"]["id"] for each in member.got]
            assert (numbers[place] in got) is matches, (text, mine, got)

    things.play(work)


REFUSALS = [
    ("nope=eq.1", "ERROR P0001 (raise_exception) invalid column for filter nope"),
    ("id=eq.abc", 'ERROR 22P02 (invalid_text_representation) invalid input syntax for type integer: "abc"'),
    ("id=in.(1,x)", "ERROR 22P02 (invalid_text_representation)"),
    ("name=match.[", "ERROR 2201B (invalid_regular_expression)"),
    ("id=like.1%", "ERROR 42883 (undefined_function)"),
    ("id=is.true", "ERROR 42804 (datatype_mismatch)"),
    ("feeling=eq.angry", "ERROR 22P02 (invalid_text_representation)"),
    ("id=foo.hey", 'Error parsing `filter` params: ["foo", "hey"]'),
    ("undefined", 'Error parsing `filter` params: ["undefined"]'),
    ("id=eq.1,", "filter must not contain empty segments (check for extra commas)"),
    ("id=in.1,2", "`in` filter value must be wrapped by parentheses"),
    (f"id=in.({','.join(['1'] * 101)})", "too many values for `in` filter. Maximum 100"),
]


def test_what_cannot_be_is_refused_in_the_contract_s_words(things: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        for text, reason in REFUSALS:
            assert reason in await worker.refusal(Listening(), of(text)), text
        nope = {"event": "INSERT", "schema": "public", "table": "nope"}
        assert await worker.refusal(Listening(), of(), nope) == (
            "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given"
            " connect parameters: [event: INSERT, schema: public, table: nope, filters: [], select: nil]"
        )
        assert "invalid column for select nope" in await worker.refusal(Listening(), of(select=["nope"]))
        assert 'role "nobody" does not exist' in await worker.refusal(Listening("nobody"), of())
        assert not worker.changes.registry.by_member

    things.play(work)


def test_texts_and_postgres_decide_alike(things: Scene) -> None:
    """Every condition that texts decide is held against Postgres' own answer, for values of all kinds."""
    values = {
        "small": ["0", "-1", "10", "9", "32767"],
        "name": ["", "a", "A", "a,b", "é", "10", "9", '"', "\\"],
        "letters": ["", "a", "b"],
        "flag": ["t", "f"],
        "key": ["6f9619ff-8b86-d011-b42d-00c04fc964ff", "00000000-0000-0000-0000-000000000000"],
        "feeling": ["glad", "sad"],
    }
    operators = ["eq", "neq", "lt", "lte", "gt", "gte", "isdistinct", "in"]

    async def work(scene: Scene) -> None:
        database = Database(scene.login)
        compared = 0
        try:
            for column, known in values.items():
                for operator in operators:
                    for value in known:
                        quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
                        for negation in ("", "not."):
                            said = f"({quoted})" if operator == "in" else quoted
                            wanted = parse_binding(of(f"{column}={negation}{operator}.{said}"))
                            checked = await check(database, "anon", "{}", [wanted])
                            ((condition,),) = checked.conditions
                            by_text = [matching.decided(condition, each) for each in known]
                            if None in by_text:
                                continue
                            (by_postgres,) = await matching.ask(database, "anon", [(condition, known)])
                            assert by_text == by_postgres, (column, operator, value, negation)
                            compared += 1
        finally:
            await database.close()
        assert compared > 150

    things.play(work)


def test_values_that_are_not_in_the_log_match_nothing() -> None:
    for text in ("a=eq.1", "a=not.eq.1", "a=is.null", "a=isdistinct.1"):
        condition = Condition(parse_filters(text)[0], "int4", True, True, ("1",))
        assert matching.decided(condition, UNCHANGED) is False


def test_a_delete_is_held_against_its_identity_alone(things: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        by_key = await worker.listen(Listening(), of("id=eq.5001", event="DELETE"))
        by_name = await worker.listen(Listening(), of("name=is.null", event="DELETE"))
        every = await worker.listen(Listening(), of(event="DELETE"))
        scene.sql("delete from things; insert into things (id) values (5001), (5002); delete from things")
        await every.until(lambda: ("DELETE", 5002) in every.rows)
        assert by_key.rows == [("DELETE", 5001)] and by_name.rows == []

    things.play(work)


# --- grammar ----------------------------------------------------------------------------------------------------------

BINDINGS = [
    ({"schema": "public"}, ("*", "public", "*")),
    ({"table": "t"}, ("*", "public", "t")),
    ({"event": "update", "schema": "*", "table": None}, ("UPDATE", "*", "*")),
    ({"event": "nonsense", "schema": "s", "table": "t", "filter": "  "}, ("*", "s", "t")),
]


@pytest.mark.parametrize(("sent", "understood"), BINDINGS)
def test_a_binding_is_understood(sent: dict[str, Any], understood: tuple[str, str, str]) -> None:
    wanted = parse_binding(sent)
    assert (wanted.event, wanted.schema, wanted.table) == understood


FAULTS = [
    ({}, "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: {}"),
    ("nonsense", "No subscription params provided."),
    ({"table": "t", "select": "id"}, "Error parsing `select` params: expected a list of column name strings"),
    ({"schema": "s", "select": ["id"]}, "Column selection is not supported for wildcard subscriptions."),
    ({"schema": "s", "filter": "a=eq.1"}, "Error parsing `filter` params:"),
    ({"table": "t", "filter": 7}, "Error parsing `filter` params: [7]"),
]


@pytest.mark.parametrize(("sent", "reason"), FAULTS)
def test_a_binding_that_is_none_is_refused(sent: Any, reason: str) -> None:
    with pytest.raises(BindingFault) as caught:
        parse_binding(sent)
    assert str(caught.value).startswith(reason)


@given(st.text(max_size=60) | st.text(alphabet='a=.,()"\\enotiq', max_size=40))
def test_any_text_is_filters_or_a_refusal(text: str) -> None:
    try:
        filters = parse_filters(text)
    except FilterFault:
        return
    assert all(each.values for each in filters) or not text.strip()
    wanted = parse_binding({"table": "t", "filter": text})
    assert described(wanted).startswith("[event: *")


@given(st.lists(st.text(alphabet='ab,()"\\. ', max_size=8), min_size=1, max_size=6))
def test_quoted_values_come_back_whatever_is_in_them(values: list[str]) -> None:
    quoted = ['"' + each.replace("\\", "\\\\").replace('"', '\\"') + '"' for each in values]
    assert [unquoted(each) for each in quoted] == values
    (found,) = parse_filters(f"a=in.({','.join(quoted)})")
    assert found.values == tuple(values)


@pytest.mark.parametrize("piece", ["a=eq.1,", 'a=eq."', "(", ')"', '."', '\\"', ',"\\"', '("', "a"])
def test_time_grows_with_the_length_of_a_filter_alone(piece: str) -> None:
    assert_linear(lambda raw: split(raw.decode()), lambda n: (piece * (n // len(piece))).encode(), 8_000)


def test_check_runs_nothing_for_a_role_that_is_missing(things: Scene) -> None:
    async def work(scene: Scene) -> None:
        database = Database(scene.login)
        try:
            with pytest.raises(BindingRefused):
                await asyncio.wait_for(check(database, "nobody", "{}", [parse_binding(of("id=eq.1"))]), 10)
        finally:
            await database.close()

    things.play(work)
