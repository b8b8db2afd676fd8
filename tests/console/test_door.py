"""The console's door: what it refuses, of every route there is, and that nothing it refuses has been done."""

from __future__ import annotations

import os
import time

import pytest

from gateway.console.accounts import KINDS
from gateway.console.app import Console
from gateway.console.call import ConsoleRoute
from gateway.console.routes import ROUTES
from gateway.console.sessions import ALL, CODE_LIFETIME, READ, RECORDS, make_code
from tests.console.conftest import HOST, KEY, Desk, Desks

Body = dict[str, str] | None
PASSWORD = "an apple a week 7"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# Every route and method that the table has: one that is added is here by being added.
CASES = [
    pytest.param(route, method, id=f"{method} {route.path}")
    for route in ROUTES
    for method in (METHODS if route.method == "*" else (route.method,))
]
FOREIGN_HOSTS = (
    "evil.example", "evil.example:54321", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0:54321",
    "10.0.0.5", "localhost@evil.example", "", "[::1", "localhost:port",
)  # fmt: skip
FOREIGN_ORIGINS = ("https://evil.example", "http://localhost:3000", "http://127.0.0.1:9", "null", "https://127.0.0.1.x")


def path_of(route: ConsoleRoute) -> str:
    """A path that has the route."""
    path = route.path.replace("{rest:path}", "rest/v1/things")
    while "{" in path:
        before, _, after = path.partition("{")
        path = f"{before}x{after.partition('}')[2]}"
    return f"/api{path}"


@pytest.fixture(scope="module")
def unopened(desks: Desks) -> Desk:
    return desks()


@pytest.fixture(scope="module")
def reader(desks: Desks) -> Desk:
    made = desks(console_read_only=True)
    made.sign_in()
    return made


@pytest.mark.parametrize(("route", "method"), CASES)
def test_no_route_answers_without_a_session(unopened: Desk, route: ConsoleRoute, method: str) -> None:
    if route.open:
        return
    answer = unopened.ask(method, path_of(route), None if method == "GET" else {})
    assert (answer.status_code, answer.json()["code"]) == (401, "no_session")


@pytest.mark.parametrize(("route", "method"), CASES)
def test_no_route_answers_a_foreign_host(desk: Desk, route: ConsoleRoute, method: str) -> None:
    for host in FOREIGN_HOSTS:
        answer = desk.ask(method, path_of(route), None if method == "GET" else {}, headers={"host": host})
        assert (answer.status_code, answer.json()["code"]) == (421, "host"), host
    elsewhere = desk.ask(method, path_of(route), None if method == "GET" else {}, peer="192.0.2.7")
    assert elsewhere.status_code == 421
    forwarded = desk.ask(method, path_of(route), headers={"x-forwarded-for": "192.0.2.7"})
    assert forwarded.status_code == 421


@pytest.mark.parametrize(("route", "method"), CASES)
def test_no_route_answers_a_page_of_another_origin(desk: Desk, route: ConsoleRoute, method: str) -> None:
    body: Body = None if method == "GET" else {}
    for origin in FOREIGN_ORIGINS:
        for drop in ((), ("sec-fetch-site",)):
            answer = desk.ask(method, path_of(route), body, headers={"origin": origin}, drop=drop)
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page"), origin
    for site in ("cross-site", "same-site"):
        answer = desk.ask(method, path_of(route), body, headers={"sec-fetch-site": site}, drop=("origin",))
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page"), site
    if method != "GET":
        answer = desk.ask(method, path_of(route), body, drop=("origin", "sec-fetch-site"))
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_page")


@pytest.mark.parametrize(("route", "method"), CASES)
def test_no_change_is_made_without_the_token(desk: Desk, route: ConsoleRoute, method: str) -> None:
    if route.open or (method == "GET" and not route.by_token):
        return
    body: Body = None if method == "GET" else {}
    for token in ("", "x" * 64, desk.token[:-1]):
        answer = desk.ask(method, path_of(route), body, headers={"x-console-token": token})
        assert (answer.status_code, answer.json()["code"]) == (403, "console_token")


@pytest.mark.parametrize(("route", "method"), CASES)
def test_read_only_mode_changes_nothing(reader: Desk, route: ConsoleRoute, method: str) -> None:
    if route.open or route.when_read_only or method == "GET" or not route.is_change:
        return
    answer = reader.ask(method, path_of(route), {})
    assert (answer.status_code, answer.json()["code"]) == (403, "read_only")


@pytest.fixture(scope="module")
def accounts(desks: Desks) -> dict[str, Desk]:
    """A desk for each kind of account."""
    made: dict[str, Desk] = {}
    for kind in KINDS:
        made[kind] = desks()
        made[kind].add_account(f"{kind}.{os.getpid()}", kind, PASSWORD)
        assert made[kind].enter(account=f"{kind}.{os.getpid()}", password=PASSWORD).json()["kind"] == kind
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("route", "method"), CASES)
def test_an_account_reaches_what_its_kind_is_for(
    accounts: dict[str, Desk], route: ConsoleRoute, method: str, kind: str
) -> None:
    """Of every route: a kind is refused by the route's row, before its handler. Only refusals are asked for here."""
    change = route.is_change and method != "GET"
    refusal = None
    if route.open or kind == ALL:
        return
    if kind == RECORDS and not route.for_records:
        refusal = "records_only"
    elif kind == READ and change and not route.when_read_only:
        refusal = "read_only"
    if refusal is None:
        return
    answer = accounts[kind].ask(method, path_of(route), None if method == "GET" else {})
    assert (answer.status_code, answer.json()["code"]) == (403, refusal)


@pytest.mark.parametrize(
    "route", [pytest.param(each, id=f"{each.method} {each.path}") for each in ROUTES if each.path.startswith("/rows")]
)
@pytest.mark.parametrize("schema", ["auth", "gateway", "vault", "pg_catalog", "Public", ""])
def test_an_account_for_records_has_the_apis_schemas_alone(
    accounts: dict[str, Desk], route: ConsoleRoute, schema: str
) -> None:
    named = {"schema": schema, "table": "users", "as": "service", "changes": [{}], "keys": [{}]}
    path = f"{path_of(route)}?schema={schema}&table=users&format=json"
    answer = accounts[RECORDS].ask(route.method, path, None if route.method == "GET" else named)
    assert (answer.status_code, answer.json()["code"]) == (403, "records_only")


def test_routes_for_records_are_these() -> None:
    """One that is added is refused to those accounts until somebody says otherwise, here as well."""
    assert {f"{route.method} {route.path}" for route in ROUTES if route.for_records} == {
        "GET /session", "DELETE /session", "GET /catalog", "POST /rows", "POST /rows/cell", "POST /rows/changes",
        "POST /rows/delete-preview", "GET /rows/export", "POST /rows/import",
    }  # fmt: skip


@pytest.mark.parametrize(("route", "method"), CASES)
def test_a_change_takes_json_alone(desk: Desk, route: ConsoleRoute, method: str) -> None:
    """What a form of another page could send is not read, whatever else it carries."""
    if method == "GET" or route.streams:
        return
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = desk.ask(method, path_of(route), content=b'{"a": 1}', headers={"content-type": kind})
        assert answer.status_code == 415, kind


def test_no_get_changes_anything() -> None:
    assert not [route for route in ROUTES if route.method == "GET" and route.is_change]
    assert [route.path for route in ROUTES if route.open] == ["/session"]
    assert {route.path for route in ROUTES if route.when_read_only} <= {
        "/session",
        "/sql",
        "/sql/plan",
        "/proxy/{rest:path}",
    }


def test_a_code_lets_one_browser_in_once(desks: Desks) -> None:
    desk = desks()
    code = make_code(KEY)
    first = desk.ask("POST", "/api/session", {"code": code}, cookies={})
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/_console" in cookie
    again = desk.ask("POST", "/api/session", {"code": code}, cookies={})
    assert (again.status_code, again.json()["code"]) == (401, "used_code")
    for wrong in (make_code("another key"), make_code(KEY, time.time() - CODE_LIFETIME - 1), "", "x.y.z", "x" * 5000):
        answer = desk.ask("POST", "/api/session", {"code": wrong}, cookies={}, peer="127.0.0.9")
        assert answer.json()["code"] in ("bad_code", "too_many"), wrong


def test_signing_out_ends_the_session_in_every_worker(desks: Desks) -> None:
    desk = desks()
    told = desk.sign_in()
    assert told["read_only"] is False and told["publishable_key"] == desk.keys.publishable_key
    assert desk.keys.secret_key not in str(told)
    assert desk.ask("GET", "/api/session").json()["token"] == desk.token
    cookies = dict(desk.cookies)
    assert desk.ask("DELETE", "/api/session").status_code == 200
    other = desks()  # has another folder, so another name for its cookie: the value alone tells
    other.keys = desk.keys
    assert desk.ask("GET", "/api/session", cookies=cookies).status_code == 401


def test_a_cookie_of_other_keys_opens_nothing(desks: Desks) -> None:
    """Who can write to the table of sessions still makes none."""
    desk, other = desks(), desks()
    other.sign_in()
    moved = {desk.door.sessions.cookie_name: next(iter(other.cookies.values()))}
    assert desk.ask("GET", "/api/session", cookies=moved).status_code == 401


def test_the_secret_key_lets_in_and_no_other_key(desks: Desks) -> None:
    desk = desks()
    assert desk.ask("POST", "/api/session", {"key": desk.keys.secret_key}, cookies={}).status_code == 200
    for wrong in (desk.keys.publishable_key, desk.keys.anon_jwt, "", "sb_secret_wrong"):
        assert desk.ask("POST", "/api/session", {"key": wrong}, cookies={}).status_code == 401


def test_wrong_tries_are_slowed(desks: Desks) -> None:
    desk = desks()
    answers = [desk.ask("POST", "/api/session", {"key": f"wrong {at}"}, cookies={}).status_code for at in range(12)]
    assert answers[0] == 401 and answers[-1] == 429


def test_every_change_is_noted_and_no_note_can_be_changed(desk: Desk) -> None:
    desk.ask("PATCH", "/api/proxy/rest/v1/nothing_there", {}, headers={"x-console-as": "anon"})
    row = desk.ask("GET", "/api/audit").json()["rows"][0]
    assert row["action"] == "PATCH /proxy/{rest:path}" and row["target"] == "/proxy/rest/v1/nothing_there"
    assert row["account"] == "one-time code" and int(row["status"]) >= 400 and '"as": "anon"' in row["detail"]
    for sql in (
        "update gateway.console_audit set account = 'x'", "delete from gateway.console_audit",
        "truncate gateway.console_audit", "drop table gateway.console_audit",
        "alter table gateway.console_audit disable row level security",
        "select gateway.console_noted(1, 200, null) from gateway.console_audit where account <> account",
    ):  # fmt: skip
        desk.wait(refused(desk, sql))
    assert desk.ask("GET", "/api/audit").json()["rows"][0] == row


async def refused(desk: Desk, sql: str) -> None:
    from gateway.database import NO_SCOPE, DatabaseError
    from gateway.database.statement import Statement

    database = await desk.door.login.database()
    try:
        result = await database.run(NO_SCOPE, Statement(sql))
    except DatabaseError as error:
        assert error.sqlstate == "42501", sql
    else:
        assert result.rows == [], sql


def test_the_page_allows_its_own_scripts_alone_and_no_frame(desk: Desk) -> None:
    for path in ("/", "/tables/public", "/assets/nothing.js"):
        answer = desk.ask("GET", path, cookies={})
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self';" in policy and "frame-ancestors 'none'" in policy and "unsafe-eval" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert desk.ask("GET", path, headers={"host": "evil.example"}).status_code == 421
    assert desk.ask("GET", "/assets/..%2f..%2fapp.py").status_code == 404


def test_the_console_cannot_become_a_superuser(desk: Desk) -> None:
    """Neither by what its login is a member of, nor by SQL."""

    async def reached() -> bytes | None:
        from gateway.console.login import _REACHES
        from gateway.database import NO_SCOPE

        return (await (await desk.door.login.database()).run(NO_SCOPE, _REACHES)).value

    assert desk.wait(reached()) is None
    with desk.connect() as connection:
        owner = connection.rows("select session_user")[0][0]
    for sql in (
        f'set session authorization "{owner}"', f'set role "{owner}"', "alter role current_user superuser",
        "create role mighty superuser", f'grant "{owner}" to gateway_console',
    ):  # fmt: skip
        desk.wait(refused(desk, sql))


def test_a_configured_name_is_answered_to_whoever_asks(desks: Desks) -> None:
    desk = desks(console_hosts=("console.example",))
    named = {"host": "console.example", "origin": "http://console.example"}
    answer = desk.ask("POST", "/api/session", {"code": make_code(KEY)}, headers=named, cookies={}, peer="192.0.2.7")
    assert answer.status_code == 200
    assert desk.ask("GET", "/", headers={"host": "other.example"}).status_code == 421


def test_the_proxy_adds_the_key_and_never_shows_it(desk: Desk) -> None:
    answer = desk.ask("GET", "/api/proxy/auth/v1/admin/users")
    assert answer.status_code == 200 and answer.json()["users"] == []
    assert desk.keys.secret_key not in answer.text and "sandbox" in answer.headers["content-security-policy"]
    assert desk.ask("GET", "/api/proxy/auth/v1/admin/users", headers={"x-console-as": "anon"}).status_code in (401, 403)
    given = {"authorization": "Bearer nonsense", "apikey": "nonsense"}
    assert desk.ask("GET", "/api/proxy/auth/v1/admin/users", headers=given).status_code == 200


def test_read_only_mode_lists_objects(reader: Desk) -> None:
    listed = reader.ask("POST", "/api/proxy/storage/v1/object/list/none", {"prefix": ""})
    assert (listed.status_code, listed.json()) == (200, [])


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_read_only_mode_passes_no_change_on(reader: Desk, method: str) -> None:
    for path in ("rest/v1/rpc/x", "rest/v1/object/list/x", "auth/v1/admin/users", "storage/v1/object/list/a/b",
                 "storage/v1/object/x/object/list/y", "storage/v1/object/move", "functions/v1/object/list/x",
                 "realtime/v1/api/broadcast"):  # fmt: skip
        refused = reader.ask(method, f"/api/proxy/{path}", {})
        assert (refused.status_code, refused.json()["code"]) == (403, "read_only"), path


@pytest.mark.parametrize(
    "path", ["functions/v1/_admin/functions", "rest/v1/../../_console", "rest/v1/%2e%2e/auth/v1/user", "pg/meta", ""]
)
def test_the_proxy_has_the_contracts_endpoints_alone(desk: Desk, path: str) -> None:
    async def raw() -> int:
        """httpx would resolve the dots."""
        statuses: list[int] = []
        scope = {
            "type": "http", "method": "GET", "path": f"/api/proxy/{path}", "raw_path": f"/api/proxy/{path}".encode(),
            "query_string": b"", "client": ("127.0.0.1", 1), "http_version": "1.1", "scheme": "http",
            "headers": [
                (b"host", HOST.removeprefix("http://").encode()), (b"x-console-token", desk.token.encode()),
                *((b"cookie", f"{name}={value}".encode()) for name, value in desk.cookies.items()),
            ],
        }  # fmt: skip

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b""}

        async def send(message: object) -> None:
            assert isinstance(message, dict)
            statuses.extend([message["status"]] if "status" in message else [])

        await Console(desk.door)(scope, receive, send)
        return statuses[0]

    assert desk.wait(raw()) == 404
