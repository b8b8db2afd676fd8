"""What the tables API promises, by every verb, role, header and path on which it could fail, over a real database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

import orjson
import pytest

from gateway.catalog.load import load
from gateway.database import Database, SyncConnection
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

ROLES: Final = ("anon", "authenticated", "service_role")
Asked = tuple[str, str, str, bytes, dict[str, str]]  # role, method, target, body, headers

BARE: Final = Settings(rest_prefix="", db_extra_search_path=("public",))


def ask(
    url: str, connection: SyncConnection, schema: str, settings: Settings, requests: Iterable[Asked]
) -> list[Response]:
    """The answers to requests, one after the other, on one connection."""
    connection.script(schema)

    async def work() -> list[Response]:
        database = Database(url, size=1, core=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)
            answers = []
            for role, method, target, body, headers in requests:
                request = request_of(method, target, body, headers)
                request.request_id = headers.get("x-request-id", "")
                answers.append(await service.handle(request, Identity(role, orjson.dumps({"role": role}).decode())))
            return answers
        finally:
            await database.close()

    return asyncio.run(work())


def told(answer: Response) -> tuple[int, Any]:
    """Status and code, or what came."""
    content = orjson.loads(answer.body) if answer.body else None
    return answer.status, content.get("code") if isinstance(content, dict) and "code" in content else content


# --- reads write nothing ---------------------------------------------------------------------------------------------

WRITERS: Final = """
create table public.kept (id int primary key generated always as identity, word text default 'x');
create table public.rows (id int primary key);
insert into public.rows values (1), (2);
create function public.write() returns int language sql volatile security definer as
  $$ insert into public.kept default values returning id $$;
create function public.write_set() returns setof public.rows language plpgsql volatile security definer as
  $$ begin insert into public.kept default values; return query select * from public.rows; end $$;
create function public.write_void() returns void language plpgsql volatile security definer as
  $$ begin insert into public.kept default values; end $$;
create function public.write_zone() returns int language sql volatile security definer set timezone to 'UTC' as
  $$ insert into public.kept default values returning id $$;
create function public.write_serial() returns int language sql volatile security definer
  set default_transaction_isolation to 'serializable' as $$ insert into public.kept default values returning id $$;
create function public.stable_write() returns int language sql stable as 'select public.write()';
create function public.stamp(public.rows) returns int language sql volatile security definer as
  $$ insert into public.kept default values returning id $$;
create function public.links(public.rows) returns setof public.rows language plpgsql volatile security definer rows 5 as
  $$ begin insert into public.kept default values; return query select * from public.rows; end $$;
create view public.writing as select public.write() as id;
create function public.check_request() returns void language plpgsql as
  $$ begin if current_setting('request.path') = '/rows' and current_setting('request.cookies') like '%first%' then
    perform public.write(); end if; end $$;
grant select on all tables in schema public to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""
WRITING: Final = [
    *(f"/rpc/{name}" for name in ("write", "write_set", "write_void", "write_zone", "write_serial", "stable_write")),
    "/rpc/write_set?id=eq.1&order=id&limit=1",
    "/rows?select=id,stamp",
    "/rows?stamp=eq.1",
    "/rows?order=stamp",
    "/rows?select=id,links(id)",
    "/writing",
]
HEADERS: Final[list[dict[str, str]]] = [
    {},
    {"prefer": "count=exact"},
    {"prefer": "count=planned"},
    {"prefer": "count=estimated"},
    {"prefer": "tx=rollback"},
    {"prefer": "tx=commit, handling=strict"},
    {"prefer": "return=representation, resolution=merge-duplicates"},
    {"prefer": "timezone=Asia/Tokyo"},
    {"accept": "text/csv"},
    {"accept": "application/vnd.pgrst.object+json"},
    {"accept": "application/vnd.pgrst.plan+json; options=analyze"},
    {"range": "0-0"},
    {"x-request-id": "mine"},
    {"cookie": "first=1"},
]


@pytest.mark.parametrize(
    "settings",
    [
        BARE,
        Settings(
            rest_prefix="", db_pre_request="public.check_request", db_tx_end="commit-allow-override",
            db_plan_enabled=True,
        ),
    ],
    ids=["plain", "with a function before each"],
)  # fmt: skip
def test_promise_06_no_read_writes_whatever_it_runs_and_however_it_is_asked(
    database_url: str, connection: SyncConnection, settings: Settings
) -> None:
    warm: list[Asked] = [(role, "POST", "/rpc/write", b"{}", {"x-request-id": "mine"}) for role in ROLES]
    read: list[Asked] = [
        (ROLES[number % 3], method, target, b"", headers)
        for number, (target, headers) in enumerate((target, headers) for target in WRITING for headers in HEADERS)
        for method in ("GET", "HEAD", "GET")
    ]
    answers = ask(database_url, connection, WRITERS, settings, [*warm, *read])
    assert [answer.status for answer in answers[:3]] == [200] * 3
    for asked, answer in zip(read, answers[3:], strict=True):
        _, method, _, _, headers = asked
        if method == "HEAD":  # what would be shown need not be computed
            assert answer.status in (200, 206, 405, 406), asked
            continue
        explained = "plan" in headers.get("accept", "") and not settings.db_plan_enabled
        assert told(answer) == ((406, "PGRST107") if explained else (405, "25006")), asked
    assert connection.rows("select id from public.kept order by id") == [("1",), ("2",), ("3",)]


# --- the cap ---------------------------------------------------------------------------------------------------------

CAP: Final = 4
MANY: Final = """
create table public.parents (id int primary key);
create table public.rows (id int primary key, parent int references public.parents);
create table public.leaves (id int primary key, row int references public.rows);
create view public.shown as select * from public.rows;
create function public.many() returns setof public.rows language sql stable as 'select * from public.rows order by id';
create function public.made() returns setof public.rows language sql volatile as 'select * from public.rows';
create function public.listed() returns table (id int) language sql stable as 'select id from public.rows order by id';
create function public.numbers() returns setof int language sql volatile as 'select id from public.rows order by id';
insert into public.parents select generate_series(1, 9);
insert into public.rows select n, 1 from generate_series(1, 9) as n;
insert into public.leaves select n, 1 from generate_series(1, 9) as n;
grant select on all tables in schema public to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""
RANGES: Final[list[tuple[str, dict[str, str]]]] = [
    ("", {}),
    ("limit=100", {}),
    (f"limit={CAP + 1}", {}),
    ("offset=1", {}),
    ("", {"range": "0-99"}),
    ("", {"range": "2-", "range-unit": "items"}),
]


@pytest.mark.parametrize("role", ROLES)
def test_promise_09_the_cap_holds_by_every_way_to_read(
    database_url: str, connection: SyncConnection, role: str
) -> None:
    asked: list[Asked] = []
    for method, target in [
        *(("GET", path) for path in ("/rows", "/shown", "/parents", "/rpc/many", "/rpc/listed")),
        *(("POST", f"/rpc/{name}") for name in ("many", "made", "listed", "numbers")),
        *(("HEAD", path) for path in ("/rows", "/rpc/many")),
        ("GET", "/rows?id=gt.0&order=id.desc"),
        ("POST", "/rpc/many?id=gt.0&order=id.desc"),
        ("GET", "/rows?select=id,parents(id)&parents=not.is.null"),
    ]:
        for query, header in RANGES:
            if header and method != "GET":
                continue
            for prefer in ("", "count=exact", "count=planned", "count=estimated"):
                for accept in ("application/json", "text/csv", "application/vnd.pgrst.array+json;nulls=stripped"):
                    full = target + (("&" if "?" in target else "?") + query if query else "")
                    headers = header | {"accept": accept} | ({"prefer": prefer} if prefer else {})
                    asked.append((role, method, full, b"{}" if method == "POST" else b"", headers))
    settings = Settings(rest_prefix="", db_extra_search_path=("public",), db_max_rows=CAP)
    for one, answer in zip(asked, ask(database_url, connection, MANY, settings, asked), strict=True):
        assert answer.status in (200, 206), one
        span, _, total = dict(answer.headers)[b"content-range"].decode().partition("/")
        low, _, high = span.partition("-")
        count = int(high) - int(low) + 1
        assert 0 < count <= CAP, one
        # A function's count is of what it gave; an estimate is no count.
        if one[4].get("prefer") == "count=exact" and "rpc" not in one[2]:
            assert (answer.status, total) == (206, "9"), one
        elif "prefer" not in one[4]:
            assert (answer.status, total) == (200, "*"), one
        if one[1] != "HEAD":
            csv = one[4]["accept"] == "text/csv"
            rows = answer.body.count(b"\n") if csv else len(orjson.loads(answer.body))
            assert rows == count, one


def test_promise_09_the_cap_holds_at_every_depth(database_url: str, connection: SyncConnection) -> None:
    deep = "select=id,rows(id,leaves(id))"
    queries = [
        deep,
        f"{deep}&rows.limit=100",
        f"{deep}&rows.leaves.limit={CAP + 1}&rows.order=id",
        f"{deep}&rows.offset=1&rows.leaves.offset=2",
        "select=id,rows!inner(id,leaves!inner(id))&rows.id=gt.0",
        "select=id,all:rows(id,leaves(id))&all.limit=9",
        "select=id,rows(id,...leaves(leaf:id))",
        "select=id,...rows(row:id,leaves(id))",
    ]
    settings = Settings(rest_prefix="", db_extra_search_path=("public",), db_max_rows=CAP)
    asked: list[Asked] = [("anon", "GET", f"/parents?{query}", b"", {}) for query in queries * 2]
    for one, answer in zip(asked, ask(database_url, connection, MANY, settings, asked), strict=True):
        assert answer.status == 200, (one, answer.body)
        lengths = lists_in(orjson.loads(answer.body))
        assert max(lengths) == CAP, one


def lists_in(value: Any) -> list[int]:
    """The lengths of all lists in what came."""
    if isinstance(value, list):
        return [len(value), *(length for item in value for length in lists_in(item))]
    return [length for item in value.values() for length in lists_in(item)] if isinstance(value, dict) else []


# --- writes that are too large ---------------------------------------------------------------------------------------

OPEN: Final = """
create table public.parents (id int primary key);
create table public.rows (id int primary key, n int, parent int references public.parents);
create view public.shown as select * from public.rows;
insert into public.parents values (1);
insert into public.rows select n, 0, 1 from generate_series(1, 5) as n;
create function public.change(most int) returns setof public.rows language sql volatile as
  $$ update public.rows set n = n + 1 where id <= most returning * $$;
grant select, insert, update, delete on all tables in schema public to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""
UNFILTERED: Final = (
    "", "?select=id", "?order=id&limit=2", "?offset=0", "?select=id,parents(id)&parents.id=eq.1",
    "?select=id,parents!inner(id)&parents.id=eq.1", "?columns=n", "?select=id,parents(id)&parents.or=(id.eq.1)",
)  # fmt: skip
BODIES: Final[list[tuple[str, bytes, dict[str, str]]]] = [
    ("DELETE", b"", {}),
    ("PATCH", b'{"n":7}', {}),
    ("PATCH", b'[{"n":7}]', {}),
    ("PATCH", b"n=7", {"content-type": "application/x-www-form-urlencoded"}),
    ("PATCH", b"n\n7\n", {"content-type": "text/csv"}),
]


def test_promise_10_no_role_body_or_preference_makes_up_for_a_filter(
    database_url: str, connection: SyncConnection
) -> None:
    wishes: list[dict[str, str]] = [
        {}, {"prefer": "return=representation, count=exact"}, {"prefer": "return=headers-only, missing=default"},
        {"prefer": "handling=strict, max-affected=9"}, {"accept": "text/csv"}, {"range": "0-0"},
    ]  # fmt: skip
    asked: list[Asked] = [
        (ROLES[number % 3], method, f"/{('rows', 'shown')[number % 2]}{query}", body, content | wish)
        for number, (method, body, content, query, wish) in enumerate(
            (method, body, content, query, wish)
            for method, body, content in BODIES
            for query in UNFILTERED
            for wish in wishes
        )
        for _ in "12"
    ]
    for one, answer in zip(asked, ask(database_url, connection, OPEN, Settings(), asked), strict=True):
        assert told(answer) == (400, "21000"), one
    assert connection.rows("select count(*), sum(n) from public.rows") == [("5", "0")]


@pytest.mark.parametrize("shape", ["", "representation", "headers-only", "minimal"])
def test_promise_10_max_affected_is_a_bound_for_every_write(
    database_url: str, connection: SyncConnection, shape: str
) -> None:
    asked: list[Asked] = []
    fits: list[bool] = []
    for most in (0, 1, 4, 5, 6):
        prefer = f"handling=strict, max-affected={most}" + (f", return={shape}" if shape else "")
        for size in (0, 1, 4, 5):
            where = "id=gt.0" if size == 5 else f"id=lte.{size}"
            for number, (method, target, body) in enumerate([
                ("PATCH", f"/rows?{where}", b'{"n":7}'),
                ("PATCH", f"/shown?{where}&select=id", b'{"n":7}'),
                ("DELETE", f"/rows?{where}", b""),
                ("POST", "/rpc/change", b'{"most":%d}' % size),
            ]):  # fmt: skip
                for end in ("", ", count=exact"):
                    undone = "tx=rollback" if size <= most else "tx=commit"
                    headers = {"prefer": f"{prefer}{end}, {undone}"}
                    asked.append((ROLES[number % 3], method, target, body, headers))
                    fits.append(size <= most)
    settings = Settings(rest_prefix="", db_extra_search_path=("public",), db_tx_end="commit-allow-override")
    for one, fit, answer in zip(asked, fits, ask(database_url, connection, OPEN, settings, asked), strict=True):
        assert (answer.status < 300) if fit else told(answer) == (400, "PGRST124"), (one, answer)
    assert connection.rows("select count(*), sum(n) from public.rows") == [("5", "0")]
