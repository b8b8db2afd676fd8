"""What one request leaves in memory never changes what another one does: a plan's key tells all that the plan is."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, event, given
from hypothesis import settings as hypothesis_settings

from gateway.catalog.load import load
from gateway.catalog.model import SchemaCache
from gateway.database import Database, SyncConnection
from gateway.errors import ApiError
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService, key_of
from gateway.rest.parse.plan_key import PlanKey
from gateway.rest.planner.prepare import Prepared, Text, prepare
from gateway.settings import Settings
from tests.gateway.rest.planning import ROLE, asked_of, at_once, request_of
from tests.gateway.rest.requests import Asked as Drawn
from tests.gateway.rest.requests import pairs

SCHEMA = """
create table public.orders (id int primary key, note text, deleted_at timestamptz);
insert into public.orders select n, 'order ' || n from generate_series(1, 10) n;
grant select on public.orders to anon;
grant all on public.orders to service_role;
create function public.pick(a int default 0, b int default 0) returns json language sql stable
  as $$ select json_build_array(a, b) $$;
grant execute on function public.pick(int, int) to anon, service_role;
"""
SETTINGS = Settings(rest_prefix="", db_extra_search_path=("public",))
ANON = Identity("anon", '{"role":"anon"}')
OWNER = Identity("service_role", '{"role":"service_role"}')
Asked = tuple[str, str, Identity]


def ask(url: str, requests: Sequence[Asked]) -> list[Response]:
    """The answers of one service to requests, one after the other."""

    async def work() -> list[Response]:
        database = Database(url, size=1)
        await database.open()
        try:
            cache = await load(database, SETTINGS)
            service = RestService(SETTINGS, database, lambda: cache)
            return [await service.handle(request_of(method, target), who) for method, target, who in requests]
        finally:
            await database.close()

    return asyncio.run(work())


# What a stranger sends first, what somebody asks for then, and what that one must get.
POISON = {
    "a filter swallowed by is": (
        ("DELETE", "/orders?deleted_at=is.null%01id%01eq."),
        ("DELETE", "/orders?deleted_at=is.null&id=eq.3"),
        "9",
    ),
    "a filter swallowed by a select": (
        ("GET", "/orders?select=id%01id%01eq."),
        ("GET", "/orders?select=id&id=eq.3"),
        [{"id": 3}],
    ),
    "a filter swallowed by an order": (
        ("GET", "/orders?order=id%01id%01eq."),
        ("GET", "/orders?order=id&id=eq.3&select=id"),
        [{"id": 3}],
    ),
    "a mark among the values of a tree": (
        ("GET", "/orders?select=id&or=(note.ilike.%00)"),
        ("GET", "/orders?select=id&or=(note.ilike.*3)"),
        [{"id": 3}],
    ),
    "two marks in a tree": (
        ("GET", "/orders?select=id&or=(note.eq.%00,note.eq.order 4)"),
        ("GET", "/orders?select=id&or=(note.eq.order 3,note.eq.order 3)"),
        [{"id": 3}],
    ),
    "an argument swallowed by another": (
        ("GET", "/rpc/pick?a=is.null%01b%01%02"),
        ("GET", "/rpc/pick?a=1&b=2"),
        [1, 2],
    ),
    "arguments in the other order": (
        ("GET", "/rpc/pick?b=1&a=2"),
        ("GET", "/rpc/pick?a=1&b=2"),
        [1, 2],
    ),
    "columns swallowed by an embed": (
        ("GET", "/orders?select=id&id=eq.3%01select%01note"),
        ("GET", "/orders?select=id&id=eq.3&select=note"),
        [{"id": 3}],
    ),
}


@pytest.mark.parametrize("before", [ANON, OWNER], ids=["a stranger", "somebody with rights"])
@pytest.mark.parametrize(("first", "then", "wanted"), POISON.values(), ids=POISON)
def test_what_was_asked_before_changes_no_answer(
    database_url: str,
    connection: SyncConnection,
    first: tuple[str, str],
    then: tuple[str, str],
    wanted: object,
    before: Identity,
) -> None:
    connection.script(SCHEMA)
    one, two = ask(database_url, [(*first, before), (*then, OWNER)])
    assert one.status < 500
    assert two.status in (200, 204)
    if then[0] == "DELETE":
        left = connection.rows("select count(*)::text from public.orders")
        assert left == [(wanted,)]
    else:
        assert orjson.loads(two.body) == wanted


@pytest.mark.parametrize(("first", "then", "wanted"), POISON.values(), ids=POISON)
def test_what_is_refused_at_first_is_refused_afterwards(
    database_url: str, connection: SyncConnection, first: tuple[str, str], then: tuple[str, str], wanted: object
) -> None:
    connection.script(SCHEMA)
    fresh, _, after = ask(database_url, [(*first, ANON), (*then, OWNER), (*first, ANON)])
    assert (after.status, after.body) == (fresh.status, fresh.body)


# --- equal keys, equal plans ------------------------------------------------------------------------------------------

_PROPERTY = hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=400
)


def _key(drawn: Drawn, service: RestService, cache: SchemaCache, settings: Settings) -> PlanKey | None:
    request = drawn.request()
    try:
        asked = asked_of(request, settings, cache)
        return key_of(asked, at_once(service._payload(request, asked, Identity(ROLE, "{}"), cache)))
    except ApiError:
        return None


def _text(text: Text | None) -> object:
    """SQL, what is bound for good, and where what of a request is bound, and how."""
    if text is None:
        return None
    slots = []
    for place, index, convert in text._slots:
        cells = [cell.cell_contents for cell in convert.__closure__ or ()] if convert is not None else []
        slots.append((place, index, getattr(convert, "__qualname__", None), cells))
    return text.text, text._constants, slots


def _described(prepared: Prepared | ApiError) -> object:
    if isinstance(prepared, ApiError):
        return prepared.code, prepared.message, prepared.details, prepared.hint
    values: dict[str, Any] = {field.name: getattr(prepared, field.name) for field in fields(prepared)}
    return values | {"main": _text(prepared.main), "explain": _text(prepared.explain)}


def _made(key: PlanKey, cache: SchemaCache, settings: Settings) -> Prepared | ApiError:
    try:
        return prepare(key, cache, settings)
    except ApiError as error:
        return error


def test_equal_keys_have_equal_plans(cache: SchemaCache, settings: Settings) -> None:
    service = RestService(settings, None, lambda: cache)  # type: ignore[arg-type]  # no statement is run
    seen: Counter[str] = Counter()

    @given(pairs())
    @_PROPERTY
    def check(drawn: tuple[Drawn, Drawn]) -> None:
        one, two = (_key(each, service, cache, settings) for each in drawn)
        kind = "a refusal" if one is None or two is None else "equal keys" if one == two else "different keys"
        event(kind)
        seen[kind if drawn[0] != drawn[1] else "the same request"] += 1
        if one is None or two is None:
            return
        plans = [_described(_made(key, cache, settings)) for key in (one, two)]
        if one == two:
            assert hash(one) == hash(two)
            assert plans[0] == plans[1]

    check()
    assert seen["equal keys"] >= 20, seen
    assert seen["different keys"] >= 50, seen


FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("GET", "/posts"), ("HEAD", "/posts")),
        (("GET", "/posts"), ("GET", "/labels")),
        (("GET", "/posts"), ("DELETE", "/posts")),
        (("GET", "/posts?limit=1"), ("GET", "/posts?limit=2")),
        (("GET", "/posts"), ("GET", "/posts?offset=1")),
        (("GET", "/posts"), ("GET", "/posts", b"", {"range": "0-1"})),
        (("GET", "/posts"), ("GET", "/posts", b"", {"accept": "text/csv"})),
        (("GET", "/posts"), ("GET", "/posts", b"", {"prefer": "count=exact"})),
        (("POST", "/posts", b'{"id":1}'), ("POST", "/posts", b'{"title":1}')),
        (("POST", "/posts", b'{"id":1}'), ("POST", "/posts", b'[{"id":1}]')),
        (("POST", "/rpc/add", b'{"a":1}'), ("POST", "/rpc/add", b"a=1", FORM)),
        (("POST", "/rpc/add", b"a=1", FORM), ("POST", "/rpc/add", b"b=1", FORM)),
        (("GET", "/rpc/add?a=1"), ("POST", "/rpc/add", b'{"a":1}')),
        (("GET", "/rpc/add?a=1"), ("GET", "/rpc/add?b=1")),
    ],
)
def test_all_that_a_plan_depends_on_is_in_its_key(
    cache: SchemaCache, settings: Settings, one: tuple[Any, ...], two: tuple[Any, ...]
) -> None:
    service = RestService(settings, None, lambda: cache)  # type: ignore[arg-type]  # no statement is run
    keys = []
    for each in (one, two):
        request = request_of(*each)
        asked = asked_of(request, settings, cache)
        keys.append(key_of(asked, at_once(service._payload(request, asked, Identity(ROLE, "{}"), cache))))
    assert keys[0] != keys[1]


def test_no_part_of_a_key_is_for_nothing(cache: SchemaCache, settings: Settings) -> None:
    """What differs in one field only is told apart."""
    request = request_of("GET", "/posts?id=eq.1&select=id")
    key = key_of(asked_of(request, settings, cache), None)
    others = key_of(
        asked_of(request_of("HEAD", "/labels?name=eq.1", b"", {"accept": "text/csv"}), settings, cache), None
    )
    other = others._replace(
        action=next(action for action in type(key.action) if action is not key.action), schema="x", root_spec=True,
        direct_call=True, limit=1, skips=True, columns=("id",), is_object=True, form=("a",),
    )  # fmt: skip
    for field in PlanKey._fields:
        assert key._replace(**{field: getattr(other, field)}) != key, field
