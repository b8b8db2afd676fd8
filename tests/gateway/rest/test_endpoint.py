"""The line from request to response, over a database that is only pretended."""

from __future__ import annotations

import random
import string
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import orjson
import pytest

from gateway.catalog.model import SchemaCache
from gateway.database import ConnectionLost, DatabaseError, DatabaseUnavailable, PoolTimeout, Result, Scope
from gateway.database.statement import Statement
from gateway.http.messages import Response
from gateway.identity.authenticator import AnonymousRefused, Identity
from gateway.identity.tokens import Fault, TokenError
from gateway.rest import endpoint
from gateway.rest.endpoint import RestService
from gateway.rest.parse.request import parse_request
from gateway.rest.planner.prepare import prepare
from gateway.settings import Settings
from tests.gateway.rest.planning import Wire, request_of

ANON = Identity("anon", '{"role":"anon"}')


def _result(*row: bytes | None) -> Result:
    return Result(tuple("c" for _ in row), [row], "SELECT 1")


def _page(
    body: bytes = b"[]", rows: int = 0, total: bytes | None = None, headers: bytes = b"", status: bytes = b""
) -> Result:
    """What a read finds."""
    return _result(total, str(rows).encode(), body, headers, status)


def _written(rows: int, inserted: bytes | None = None, location: bytes | None = None, body: bytes = b"") -> Result:
    """What a write tells."""
    return _result(None, str(rows).encode(), location, body, b"", b"", inserted)


class FakeTransaction:
    def __init__(self, db: FakeDatabase) -> None:
        self._db = db
        self.undone = False

    async def run_all(self, *statements: Statement) -> list[Result]:
        return self._db.answer(statements)

    async def run(self, *statements: Statement) -> Result:
        self._db.statements += statements
        return _page()

    def rollback(self) -> None:
        self.undone = True


class FakeDatabase:
    """Answers every statement with the next of its answers, the last one for ever."""

    def __init__(self, *answers: Result | Exception) -> None:
        self._answers = list(answers) or [_page()]
        self.statements: list[Statement] = []
        self.scopes: list[Scope] = []
        self.begins: list[str] = []
        self.ends: list[str] = []
        self.calls = 0

    def answer(self, statements: Sequence[Statement]) -> list[Result]:
        self.calls += 1
        self.statements += statements
        answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return [answer for _ in statements]

    async def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> list[Result]:
        self.scopes.append(scope)
        return self.answer(statements)

    @asynccontextmanager
    async def transaction(self, scope: Scope, begin: str, source: str = "") -> AsyncIterator[FakeTransaction]:
        self.scopes.append(scope)
        self.begins.append(begin)
        transaction = FakeTransaction(self)
        try:
            yield transaction
        except BaseException:
            self.ends.append("undone")
            raise
        self.ends.append("undone" if transaction.undone else "committed")


class Service:
    """A service over a pretended database."""

    def __init__(self, cache: SchemaCache | None, settings: Settings, *answers: Result | Exception) -> None:
        self.db = FakeDatabase(*answers)
        self.cache = cache
        self.rest = RestService(settings, self.db, lambda: self.cache)  # type: ignore[arg-type]
        self.wire = Wire(self.rest._caches.make("requests", 1_000_000))

    async def __call__(
        self, method: str, target: str, body: bytes = b"", identity: Identity = ANON, **headers: str
    ) -> Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.rest.handle(self.wire.hand_on(request_of(method, target, body, names)), identity)


def _run(coroutine: Any) -> Any:
    import asyncio

    return asyncio.run(coroutine)


def _error(response: Response) -> Mapping[str, Any]:
    parsed: Mapping[str, Any] = orjson.loads(response.body)
    return parsed


REFUSED = [
    ("GET", "/posts?id=nope.1", {}, 400, "PGRST100"),
    ("GET", "/posts?limit=-1", {}, 416, "PGRST103"),
    ("GET", "/posts?select=zzz(*)", {}, 400, "PGRST200"),
    ("GET", "/posts?select=authors(*)", {}, 300, "PGRST201"),
    ("GET", "/zzz", {}, 404, "PGRST205"),
    ("GET", "/rpc/zzz", {}, 404, "PGRST202"),
    ("GET", "/a/b", {}, 404, "PGRST125"),
    ("GET", "/posts", {"accept": "image/png"}, 406, "PGRST107"),
    ("GET", "/posts", {"accept_profile": "zzz"}, 406, "PGRST106"),
    ("GET", "/posts", {"prefer": "handling=strict,foo"}, 400, "PGRST122"),
    ("PATCH", "/rpc/add", {}, 405, "PGRST101"),
    ("TRACE", "/posts", {}, 405, "PGRST117"),
    ("POST", "/", {}, 405, "PGRST117"),
    ("PUT", "/posts?limit=1", {}, 400, "PGRST114"),
    ("POST", "/posts", {"content_type": "text/plain"}, 400, "PGRST102"),
    ("GET", "/posts?select=" + "a(" * 1000, {}, 400, "PGRST100"),
    ("GET", "/posts?or=" + "(and" * 1000, {}, 400, "PGRST100"),
    ("GET", "/posts?" + "a" * 70_000, {}, 414, "url_too_long"),
]


@pytest.mark.parametrize(
    ("method", "target", "headers", "status", "code"), REFUSED, ids=[f"{r[4]} {r[0]} {r[1][:20]}" for r in REFUSED]
)
def test_promise_07_a_wrong_request_is_refused_without_the_database(
    cache: SchemaCache, settings: Settings, method: str, target: str, headers: dict[str, str], status: int, code: str
) -> None:
    service = Service(cache, settings)
    response = _run(service(method, target, b"x", ANON, **headers))
    assert (response.status, _error(response)["code"]) == (status, code)
    assert service.db.calls == 0


OPERATORS = (
    "eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch", "in", "is", "isdistinct", "fts", "plfts",
    "phfts", "wfts", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "not",
)  # fmt: skip
PREFERENCES = ("return", "count", "resolution", "missing", "handling", "tx", "timezone", "max-affected")


@pytest.mark.parametrize(
    ("known", "method", "target", "headers", "status", "code"),
    [
        (OPERATORS, "GET", "/posts?title={}.x", {}, 400, "PGRST100"),
        (OPERATORS, "DELETE", "/posts?title=not.{}.x", {}, 400, "PGRST100"),
        (OPERATORS, "GET", "/posts?or=(title.{}.x,id.eq.1)", {}, 400, "PGRST100"),
        (PREFERENCES, "GET", "/posts", {"prefer": "handling=strict, {}"}, 400, "PGRST122"),
        (PREFERENCES, "POST", "/posts", {"prefer": "{}=1, handling=strict"}, 400, "PGRST122"),
        ((), "GET", "/posts", {"accept": "application/vnd.{}+json"}, 406, "PGRST107"),
        ((), "POST", "/posts", {"content_type": "application/x-{}"}, 400, "PGRST102"),
        ((), "GET", "/posts", {"accept_profile": "{}-mode"}, 406, "PGRST106"),
        ((), "GET", "/posts/{}", {}, 404, "PGRST125"),
        (("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"), "{}", "/posts", {}, 405, "PGRST117"),
    ],
    ids=["operator", "negated", "in a tree", "preference", "its value", "accept", "body", "profile", "route", "method"],
)
def test_promise_03_what_is_not_known_is_refused_by_name(
    cache: SchemaCache,
    settings: Settings,
    known: tuple[str, ...],
    method: str,
    target: str,
    headers: dict[str, str],
    status: int,
    code: str,
) -> None:
    service = Service(cache, settings)
    chance = random.Random(code + target)
    for _ in range(100):
        word = "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9)))
        if word in known:
            continue
        filled = {name: value.replace("{}", word) for name, value in headers.items()}
        response = _run(service(method.replace("{}", word.upper()), target.replace("{}", word), b"{}", ANON, **filled))
        assert (response.status, _error(response)["code"]) == (status, code), word
    assert service.db.calls == 0


def test_a_shape_is_planned_once(cache: SchemaCache, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = []

    def counting(*args: Any) -> Any:
        planned.append(args)
        return prepare(*args)

    monkeypatch.setattr(endpoint, "prepare", counting)
    service = Service(cache, settings)
    for number in range(5):
        _run(
            service("GET", f"/posts?id=eq.{number}&or=(title.ilike.*{number}*,id.in.(1,{number}))&offset={number + 1}")
        )
    assert len(planned) == 1
    assert [statement.params for statement in service.db.statements][-1] == (b"4", b"%4%", b'{"1","4"}', b"5")
    assert len({statement.text for statement in service.db.statements}) == 1


def test_the_same_read_again_is_not_taken_apart_but_asks_the_database(
    cache: SchemaCache, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = []

    def counting(*args: Any) -> Any:
        parsed.append(args)
        return parse_request(*args)

    monkeypatch.setattr(endpoint, "parse_request", counting)
    service = Service(cache, settings, _page(b"[1]", 1), _page(b"[1,2]", 2))
    bodies = [_run(service("GET", "/posts?id=gt.1", accept="application/json")).body for _ in range(3)]
    assert bodies == [b"[1]", b"[1,2]", b"[1,2]"]
    assert len(parsed) == 1
    _run(service("GET", "/posts?id=gt.1", accept="text/csv"))
    _run(service("GET", "/posts?id=gt.1", accept="application/json", prefer="count=exact"))
    _run(service("HEAD", "/posts?id=gt.1", accept="application/json"))
    _run(service("GET", "/posts?id=gt.2", accept="application/json"))
    _run(service("GET", "/posts?id=gt.1", accept="application/json", identity=Identity("member", '{"role":"member"}')))
    assert len(parsed) == 6
    service.cache = replace(cache)
    _run(service("GET", "/posts?id=gt.1", accept="application/json"))
    assert len(parsed) == 7


def test_a_write_is_never_remembered(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _written(1))
    for title in ("a", "b"):
        _run(service("POST", "/posts", orjson.dumps({"title": title})))
    assert [statement.params[0] for statement in service.db.statements] == [b'{"title":"a"}', b'{"title":"b"}']


def test_a_text_that_postgres_cannot_hold_is_refused(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings)
    assert _error(_run(service("GET", "/posts?title=eq.a%00b")))["code"] == "22021"
    assert service.db.calls == 0


def test_a_new_cache_or_new_settings_forget_the_plans(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings)
    _run(service("GET", "/posts"))
    service.cache = replace(cache, tables={})
    assert _run(service("GET", "/posts")).status == 404
    service.cache = cache
    service.rest.settings = replace(settings, db_schemas=("other",))
    assert _run(service("GET", "/posts")).status == 404


def test_the_memory_of_plans_is_bounded(
    cache: SchemaCache, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "PLANS", 200_000)
    service = Service(cache, settings)
    for number in range(500):
        _run(service("GET", f"/posts?select=c{number}"))
    assert 20 < len(service.rest._plans) < 400
    assert 100_000 < service.rest._plans.bytes <= 200_000
    service.rest._plans.clear()
    _run(service("GET", f"/posts?select={'x' * 40_000}"))
    assert len(service.rest._plans) == 0


def test_a_read_is_tried_again_when_its_connection_broke(cache: SchemaCache, settings: Settings) -> None:
    for failure in (ConnectionLost("gone"), DatabaseError("57P01", "terminating connection")):
        service = Service(cache, settings, failure, _page())
        assert _run(service("GET", "/posts")).status == 200
        assert service.db.calls == 2


def test_a_write_is_not(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, ConnectionLost("gone", 3), _page())
    response = _run(service("DELETE", "/posts?id=eq.1"))
    assert (response.status, _error(response)["code"], service.db.calls) == (503, "PGRST001", 1)
    assert dict(response.headers)[b"retry-after"] == b"3"


@pytest.mark.parametrize(("method", "target"), [("GET", "/posts"), ("DELETE", "/posts?id=eq.1")])
def test_a_serialization_failure_is_told_at_once(
    method: str, target: str, cache: SchemaCache, settings: Settings
) -> None:
    service = Service(cache, settings, DatabaseError("40001", "could not serialize access"), _page())
    response = _run(service(method, target))
    assert (response.status, _error(response)["code"], service.db.calls) == (500, "40001", 1)


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (DatabaseUnavailable("no server", 8), 503, "PGRST000"),
        (PoolTimeout(), 504, "PGRST003"),
        (DatabaseError("22P02", "invalid input"), 400, "22P02"),
        (RuntimeError("a secret"), 500, "PGRSTX00"),
    ],
)
def test_failures_are_answered(
    cache: SchemaCache, settings: Settings, failure: Exception, status: int, code: str
) -> None:
    response = _run(Service(cache, settings, failure)("GET", "/posts"))
    assert (response.status, _error(response)["code"]) == (status, code)


def test_an_unreachable_database_says_why(cache: SchemaCache, settings: Settings) -> None:
    response = _run(Service(cache, settings, DatabaseUnavailable("no server", 8))("GET", "/posts"))
    assert _error(response) == {
        "code": "PGRST000",
        "details": "no server",
        "hint": None,
        "message": "Database connection error.",
    }
    assert b"secret" not in response.body


def test_without_a_schema_cache_clients_are_told_to_come_back(settings: Settings) -> None:
    response = _run(Service(None, settings)("GET", "/posts"))
    assert (response.status, _error(response)["code"]) == (503, "PGRST002")
    assert b"retry-after" in dict(response.headers)


def test_settings_come_in_the_order_of_the_contract(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, replace(settings, app_settings={"x": "y"}, db_extra_search_path=("public", 'ex"t')))
    _run(service("GET", "/posts?id=eq.1", cookie="a=b", x_one="1", prefer="timezone=Europe/Berlin"))
    (scope,) = service.db.scopes
    assert scope.role == "anon"
    values = [value.decode() if isinstance(value, bytes) else value for value in scope.values]
    assert dict(zip(scope.names, values, strict=True)) == {
        "search_path": '"public", "public", "ex""t"',
        "statement_timeout": "3s",
        "role": "anon",
        "request.jwt.claims": '{"role":"anon"}',
        "request.method": "GET",
        "request.path": "/posts",
        "request.headers": '{"x-one":"1","prefer":"timezone=Europe/Berlin"}',
        "request.cookies": '{"a":"b"}',
        "timezone": "Europe/Berlin",
        "app.settings.x": "y",
        "transaction_read_only": "on",
    }
    assert scope.names[:4] == ("search_path", "statement_timeout", "role", "request.jwt.claims")


def test_a_write_may_write(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _written(1))
    _run(service("POST", "/posts", b'{"title":"x"}'))
    assert "transaction_read_only" not in service.db.scopes[0].names


def test_one_role_never_sees_anothers_claims(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings)
    for role in ("anon", "member", "anon"):
        _run(service("GET", "/posts", identity=Identity(role, f'{{"role":"{role}"}}')))
    seen = [(scope.role, dict(zip(scope.names, scope.values, strict=True))) for scope in service.db.scopes]
    assert [(role, values["role"], values["request.jwt.claims"]) for role, values in seen] == [
        ("anon", b"anon", b'{"role":"anon"}'),
        ("member", b"member", b'{"role":"member"}'),
        ("anon", b"anon", b'{"role":"anon"}'),
    ]
    assert "statement_timeout" not in seen[1][1]


def test_a_function_runs_before_each_request(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, replace(settings, db_pre_request='api.check"it'))
    _run(service("GET", "/posts"))
    assert service.db.statements[0] == Statement('select "api"."check""it"()')


OBJECT = "application/vnd.pgrst.object+json"


def test_a_write_of_one_object_is_undone_when_it_was_not_one(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _written(2))
    response = _run(service("PATCH", "/posts?id=gt.1", b'{"title":"x"}', accept=OBJECT))
    assert (response.status, _error(response)["details"]) == (406, "The result contains 2 rows")
    assert service.db.ends == ["undone"]


def test_too_many_rows_are_undone(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _written(6))
    response = _run(service("DELETE", "/posts?id=gt.1", prefer="handling=strict, max-affected=5"))
    assert (response.status, _error(response)["code"], service.db.ends) == (400, "PGRST124", ["undone"])


def test_a_plain_write_is_one_round_trip(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _written(1))
    response = _run(service("DELETE", "/posts?id=eq.1", prefer="max-affected=0"))
    assert (response.status, service.db.begins, service.db.calls) == (204, [], 1)


@pytest.mark.parametrize(
    ("tx_end", "prefer", "end"),
    [
        ("commit", "tx=rollback", None),
        ("commit-allow-override", "tx=rollback", "undone"),
        ("rollback", "", "undone"),
        ("rollback-allow-override", "tx=commit", None),
    ],
)
def test_a_transaction_ends_as_it_may(
    cache: SchemaCache, settings: Settings, tx_end: str, prefer: str, end: str | None
) -> None:
    service = Service(cache, replace(settings, db_tx_end=tx_end), _written(1))
    _run(service("DELETE", "/posts?id=eq.1", prefer=prefer))
    assert service.db.ends == ([end] if end else [])
    assert (Statement("set constraints all immediate") in service.db.statements) == (end is not None)


def test_an_isolation_level_is_begun_with(cache: SchemaCache, settings: Settings) -> None:
    roles = {"anon": replace(cache.roles["anon"], isolation="serializable")}
    service = Service(replace(cache, roles=roles), settings)
    _run(service("GET", "/posts"))
    assert service.db.begins == ["begin isolation level serializable"]


def test_one_object_is_cut_out_of_the_array(cache: SchemaCache, settings: Settings) -> None:
    response = _run(Service(cache, settings, _page(b'[{"id":1}]', 1))("GET", "/posts?id=eq.1", accept=OBJECT))
    assert response.body == b'{"id":1}'
    assert dict(response.headers)[b"content-type"] == b"application/vnd.pgrst.object+json; charset=utf-8"


def test_a_page_is_described_by_its_headers(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings, _page(b"[1,2]", 2, b"37"))
    response = _run(service("GET", "/posts?select=id&offset=4&limit=2", prefer="count=exact"))
    headers = dict(response.headers)
    assert response.status == 206
    assert headers[b"content-range"] == b"4-5/37"
    assert headers[b"content-location"] == b"/posts?limit=2&offset=4&select=id"
    assert headers[b"preference-applied"] == b"count=exact"
    assert b"content-profile" not in headers


def test_an_offset_beyond_the_total_is_refused_with_the_total(cache: SchemaCache, settings: Settings) -> None:
    response = _run(Service(cache, settings, _page(b"[]", 0, b"15"))("GET", "/posts?offset=100", prefer="count=exact"))
    assert (response.status, dict(response.headers)[b"content-range"]) == (416, b"*/15")
    assert _error(response)["details"] == "An offset of 100 was requested, but there are only 15 rows."
    assert b"proxy-status" not in dict(response.headers)


def test_a_planned_count_is_asked_for_beside_the_page(cache: SchemaCache, settings: Settings) -> None:
    plan = Result(("p",), [(b'[{"Plan":{"Plan Rows":99}}]',)], "EXPLAIN")
    service = Service(cache, settings)
    service.db.answer = lambda statements: [_page(b"[1]", 1), plan]  # type: ignore[method-assign]
    response = _run(service("GET", "/posts?limit=1", prefer="count=planned"))
    assert dict(response.headers)[b"content-range"] == b"0-0/99"


def test_the_request_may_set_status_and_headers(cache: SchemaCache, settings: Settings) -> None:
    own = b'[{"Cache-Control":"no-store"},{"Content-Type":"text/x"},{"X-A":"1"},{"X-A":"2\\r\\nX-B: 3"}]'
    response = _run(Service(cache, settings, _page(headers=own, status=b"202"))("GET", "/posts"))
    assert response.status == 202
    assert [value for name, value in response.headers if name == b"content-type"] == [b"text/x"]
    assert [value for name, value in response.headers if name == b"x-a"] == [b"1", b"2  X-B: 3"]


@pytest.mark.parametrize("own", [b"{}", b"nope", b'[{"a":1}]', b'[{"a":"b","c":"d"}]', b"[1]"])
def test_malformed_headers_of_the_request_are_a_fault(cache: SchemaCache, settings: Settings, own: bytes) -> None:
    response = _run(Service(cache, settings, _page(headers=own))("GET", "/posts"))
    assert (response.status, _error(response)["code"]) == (500, "PGRST111")


@pytest.mark.parametrize("own", [b"nope", b"", b"99", b"1000"])
def test_a_malformed_status_is_a_fault(cache: SchemaCache, settings: Settings, own: bytes) -> None:
    response = _run(Service(cache, settings, _page(status=own))("GET", "/posts"))
    assert response.status == (500 if own else 200)


WRITES = [
    ("POST", "", _written(1), 201, b"*/*"),
    ("POST", "count=exact", _written(2), 201, b"*/2"),
    ("POST", "resolution=merge-duplicates", _written(2, b"0"), 200, b"*/*"),
    ("POST", "resolution=merge-duplicates", _written(2, b"1"), 201, b"*/*"),
    ("PATCH", "", _written(2), 204, b"0-1/*"),
    ("PATCH", "", _written(0), 204, b"*/*"),
    ("PATCH", "return=representation", _written(0, body=b"[]"), 200, b"*/*"),
    ("DELETE", "", _written(2), 204, b"*/*"),
    ("DELETE", "count=exact", _written(2), 204, b"*/2"),
    ("PUT", "", _written(1, b"1"), 204, None),
    ("PUT", "return=representation", _written(1, b"1", body=b"[]"), 201, None),
    ("PUT", "return=representation", _written(1, b"0", body=b"[]"), 200, None),
]


@pytest.mark.parametrize(("method", "prefer", "answer", "status", "content_range"), WRITES)
def test_a_write_is_answered(
    cache: SchemaCache, settings: Settings, method: str, prefer: str, answer: Result, status: int, content_range: bytes
) -> None:
    response = _run(Service(cache, settings, answer)(method, "/comments?id=eq.1" if method != "POST" else "/comments",
                                                  b'{"id":1}', prefer=prefer))  # fmt: skip
    headers = dict(response.headers)
    assert response.status == status
    assert headers.get(b"content-range") == content_range
    assert (b"content-type" in headers) == ("representation" in prefer)


def test_an_inserted_row_can_be_found(cache: SchemaCache, settings: Settings) -> None:
    page = _written(1, location=b'[["id","a b"],["post_id",null]]')
    response = _run(Service(cache, settings, page)("POST", "/comments", b'{"id":1}', prefer="return=headers-only"))
    assert dict(response.headers)[b"location"] == b"/comments?id=eq.a%20b&post_id=is.null"


def test_a_head_has_no_body(cache: SchemaCache, settings: Settings) -> None:
    for target in ("/posts", "/zzz"):
        assert _run(Service(cache, settings)("HEAD", target)).body == b""


def test_options_tell_what_is_supported(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, settings)
    headers = dict(_run(service("OPTIONS", "/posts")).headers)
    assert headers[b"allow"] == b"OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"
    assert dict(_run(service("OPTIONS", "/rpc/add?a=1")).headers)[b"allow"] == b"OPTIONS,GET,HEAD,POST"
    assert _run(service("OPTIONS", "/zzz")).status == 404
    assert service.db.calls == 0


@pytest.mark.parametrize(
    ("error", "status", "code", "challenge"),
    [
        (TokenError(Fault.EXPIRED), 401, "PGRST303", b'Bearer error="invalid_token", error_description="JWT expired"'),
        (
            TokenError(Fault.PARTS, parts=2),
            401,
            "PGRST301",
            b'Bearer error="invalid_token", error_description="Expected 3 parts in JWT; got 2"',
        ),
        (TokenError(Fault.NO_KEYS), 500, "PGRST300", None),
        (AnonymousRefused(), 401, "PGRST302", b"Bearer"),
    ],
)
def test_a_refused_token_is_challenged(
    cache: SchemaCache, settings: Settings, error: Any, status: int, code: str, challenge: bytes | None
) -> None:
    response = Service(cache, settings).rest.refuse(request_of("GET", "/posts"), error)
    assert (response.status, _error(response)["code"]) == (status, code)
    assert dict(response.headers).get(b"www-authenticate") == challenge


def test_stages_are_timed_when_asked_for(cache: SchemaCache, settings: Settings) -> None:
    service = Service(cache, replace(settings, server_timing_enabled=True))
    timing = dict(_run(service("GET", "/posts")).headers)[b"server-timing"].decode()
    assert [stage.partition(";")[0] for stage in timing.split(", ")] == [
        "jwt", "parse", "plan", "transaction", "response",
    ]  # fmt: skip
