"""What PgBouncer does, and what the gateway makes of it: names, full pools, pauses, restarts, changes of the schema.

Each test holds for versions that keep names (1.21 and newer) and for those that do not.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from gateway.database import NO_SCOPE, Database, DatabaseError, Scope, SyncConnection, with_login
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.statement import Statement
from tests.fixtures.pooler import Pooler, version
from tests.fixtures.schema import migrate
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ha.load import LIMIT, MORE, Load
from tests.ops.procs import background, until

KEEPS_NAMES = version() >= (1, 21)
NAMES = Statement("select coalesce(string_agg(name, ' '), '') from pg_prepared_statements")
SCENE = """
create table public.notes (id int generated always as identity primary key, body text not null unique, kind int);
grant select, insert on public.notes to anon;
"""

Serve = Callable[..., LiveGateway]


@pytest.fixture
def pooler(database_url: str, connection: SyncConnection) -> Iterator[Pooler]:
    connection.script(SCENE)
    (sockets,) = parse_qs(urlsplit(database_url).query)["host"]
    pooler = Pooler(Path(sockets))
    yield pooler
    pooler.remove()


@pytest.fixture
def serve(database_url: str, pooler: Pooler, tmp_path: Path) -> Iterator[Serve]:
    """Starts gateways behind the pooler."""
    started: list[LiveGateway] = []

    def start(extra: Mapping[str, str]) -> LiveGateway:
        settings = {"GATEWAY_RATE_LIMIT_TABLES": "0", **extra}
        started.append(start_gateway(pooler.url(database_url), tmp_path / str(len(started)), extra=settings))
        return started[-1]

    yield start
    for gateway in started:
        gateway.stop()


@pytest.fixture
def gateway(serve: Serve, database_url: str) -> LiveGateway:
    return serve({"DATABASE_DIRECT_URL": database_url})


def client(gateway: LiveGateway) -> httpx.Client:
    headers = {"apikey": gateway.publishable_key}
    return httpx.Client(base_url=f"{gateway.url}/rest/v1", headers=headers, timeout=LIMIT, trust_env=False)


def names(url: str) -> str:
    """Of the statements at the server, after some were sent."""

    async def main() -> str:
        database = Database(url, size=1)
        try:
            for _ in range(3):
                assert (await database.run(NO_SCOPE, Statement("select $1::int + 1", ("1",)))).value == b"2"
            return ((await database.run(NO_SCOPE, NAMES)).value or b"").decode()
        finally:
            await database.close()

    return asyncio.run(main())


def test_statements_have_names_where_the_pooler_keeps_them(pooler: Pooler, database_url: str) -> None:
    found = names(pooler.url(database_url)).split()
    assert all(name.startswith("PGBOUNCER_") for name in found)
    assert bool(found) is KEEPS_NAMES


def test_statements_have_no_names_where_the_pooler_was_told_to_keep_none(pooler: Pooler, database_url: str) -> None:
    if KEEPS_NAMES:
        pooler.set(max_prepared_statements="0")
        pooler.stop()
        pooler.start()
    assert names(pooler.url(database_url)) == ""


def test_neighbours_get_their_own_however_few_statements_are_kept(
    pooler: Pooler, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pools whose statements have the same names, shapes beyond what either side keeps, failures in between."""
    monkeypatch.setattr("gateway.database.prepared_statements.COUNT", 6)
    if KEEPS_NAMES:
        pooler.set(max_prepared_statements="4")

    async def one(database: Database, number: int) -> str:
        scope, word = Scope("anon", ("role", "request.test"), ("anon", str(number))), str(number)
        match number % 7:
            case 3:
                text, params = "select 1 / $1::int", ("0",)
            case 4:
                text, params = f"select missing_{number % 3} from nowhere where $1 = ''", (word,)
            case 5:
                scope, text, params = Scope("", ("role",), ("nobody",)), "select $1", (word,)
            case shape:
                text, params = f"select current_setting('request.test') || ' {shape}{number % 5} ' || $1", (word,)
        try:
            value = (await database.run(scope, Statement(text, params))).value
        except DatabaseError as error:
            return error.sqlstate
        assert value == f"{word} {number % 7}{number % 5} {word}".encode()
        return "its own"

    async def main() -> Counter[str]:
        url = pooler.url(database_url)
        pools = [Database(url, size=2), Database(url, size=2)]
        outcomes: Counter[str] = Counter()
        try:
            for _ in range(5):
                asked = [one(pools[number % 2], number) for number in range(280)]
                outcomes.update(await asyncio.gather(*asked))
        finally:
            for database in pools:
                await database.close()
        return outcomes

    assert asyncio.run(main()) == {"its own": 800, "22012": 200, "42P01": 200, "22023": 200}
    with SyncConnection(pooler.url(database_url)) as other:
        assert other.rows("select current_user, current_setting('request.test', true)") == [("supabase_admin", "")]


def test_a_full_pool_is_answered_as_one_and_nothing_was_written(
    pooler: Pooler, serve: Serve, database_url: str
) -> None:
    gateway = serve({"DATABASE_DIRECT_URL": database_url, "PGRST_DB_POOL_ACQUISITION_TIMEOUT": "1"})
    with client(gateway) as asked:
        assert asked.get("/notes").status_code == 200
        pooler.set(default_pool_size="1", query_wait_timeout="1")
        pooler.command("reconnect")
        url = pooler.url(database_url)
        with (
            SyncConnection(with_login(url, "authenticator", None)) as holds,
            SyncConnection(with_login(url, "supabase_auth_admin", None)) as holds_auth,
        ):
            holds.script("begin")
            holds_auth.script("begin")
            for _ in range(2):  # those that find a connection to the pooler, and those that open one
                for refused in (asked.get("/notes"), asked.post("/notes", json={"body": "refused"})):
                    assert (refused.status_code, refused.json()["code"]) == (504, "PGRST003"), refused.text
            signed = httpx.post(
                f"{gateway.url}/auth/v1/token?grant_type=password",
                headers={"apikey": gateway.publishable_key},
                json={"email": "a@example.com", "password": "some words"},
                timeout=LIMIT,
            )
            assert signed.status_code in (503, 504), signed.text
            holds.script("commit")
        until(lambda: asked.post("/notes", json={"body": "taken"}).status_code == 201, "the pool has room")
        assert [row["body"] for row in asked.get("/notes").json()] == ["taken"]


def test_requests_wait_for_a_pooler_that_pauses(pooler: Pooler, gateway: LiveGateway) -> None:
    with client(gateway) as asked:
        assert asked.get("/notes").status_code == 200
        pooler.command("pause")
        waiting, answers = background(lambda: asked.post("/notes", json={"body": "patient"}))
        waiting.join(0.5)
        assert waiting.is_alive()
        pooler.command("resume")
        waiting.join(LIMIT)
        assert [answer.status_code for answer in answers] == [201]


def test_a_pooler_that_is_told_anew_or_renews_its_connections_is_not_noticed(
    pooler: Pooler, gateway: LiveGateway, connection: SyncConnection
) -> None:
    with Load(gateway.url, gateway.publishable_key) as load:
        load.until_more()
        for command in ("reload", "reconnect"):
            pooler.command(command)
            load.until_more()
        pooler.command("pause")
        pooler.command("resume")
        load.until_more()
        pooler.set(server_lifetime="1", server_idle_timeout="1")
        load.until_more(2 * MORE, 2 * MORE)
        pooler.set(server_reset_query_always="1")  # DISCARD ALL after each transaction
        load.until_more()
    assert set(load.answers) == {"201"}
    check_stored(connection, load)


def test_a_pooler_that_starts_anew_costs_answers_and_no_write(
    pooler: Pooler, gateway: LiveGateway, connection: SyncConnection
) -> None:
    with Load(gateway.url, gateway.publishable_key, refused=(503,)) as load:
        for how in (signal.SIGINT, signal.SIGQUIT):  # once its transactions are over, and at once
            load.until_more()
            pooler.stop(how)
            pooler.start()
        load.until_more()
    assert set(load.answers) <= {"201", "503"}
    check_stored(connection, load)


def test_connections_that_the_database_ended_are_replaced(
    pooler: Pooler, gateway: LiveGateway, connection: SyncConnection
) -> None:
    with Load(gateway.url, gateway.publishable_key, refused=(503,)) as load:
        for _ in range(3):
            load.until_more()
            connection.rows(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        load.until_more()
    check_stored(connection, load)


def check_stored(connection: SyncConnection, load: Load) -> None:
    """Every acknowledged write is there, once."""
    stored = Counter(str(row[0]) for row in connection.rows("select body from public.notes"))
    assert load.acknowledged
    assert [body for body in load.acknowledged if stored[body] != 1] == []


def test_a_column_that_changes_its_type_is_filtered_by_its_new_one(
    gateway: LiveGateway, serve: Serve, database_url: str, connection: SyncConnection
) -> None:
    """In every gateway, though the pooler keeps one statement for one text."""
    both = [gateway, serve({"DATABASE_DIRECT_URL": database_url})]
    connection.script("insert into public.notes (body, kind) values ('one', 7)")
    for kind, change in ((7, "type text using 'k' || kind"), ("k7", "type int using substr(kind, 2)::int"), (7, "")):
        for each in both:
            with client(each) as asked:
                for _ in range(3):
                    until(lambda: found(asked, kind) == [{"kind": kind}], f"the column is known to hold {kind}")  # noqa: B023
        if change:
            connection.script(f"alter table public.notes alter column kind {change}")


def found(asked: httpx.Client, kind: object) -> Any:
    return asked.get(f"/notes?select=kind&kind=eq.{kind}").json()


def test_a_plan_made_for_one_role_is_not_used_by_another(
    pooler: Pooler, gateway: LiveGateway, connection: SyncConnection
) -> None:
    """The result of a function is part of the plan of who may call it, and nobody asks again."""
    connection.script(
        "create function public.secret() returns int language sql immutable as 'select 42';"
        " revoke execute on function public.secret from public; grant execute on function public.secret to service_role"
    )
    pooler.set(default_pool_size="1")
    with client(gateway) as asked:
        until(lambda: asked.get("/rpc/secret").status_code == 401, "the function is known")
        for _ in range(10):
            assert asked.get("/rpc/secret", headers={"apikey": gateway.secret_key}).json() == 42
            assert asked.get("/rpc/secret").json()["code"] == "42501"


def test_without_a_way_around_the_pooler_the_schema_is_looked_at(
    serve: Serve, pooler: Pooler, database_url: str, connection: SyncConnection
) -> None:
    gateway = serve({})
    assert any("set DATABASE_DIRECT_URL" in line for line in gateway.output)
    with client(gateway) as asked:
        connection.script("create view public.fresh as select 1 as one; grant select on public.fresh to anon")
        until(lambda: asked.get("/fresh").status_code == 200, "the view is known")
    examined = gateway.command("doctor").stdout
    assert "problem   pooler" in examined and "set DATABASE_DIRECT_URL" in examined
    worker = gateway.command("worker")
    assert worker.returncode == 1 and "set DATABASE_DIRECT_URL" in worker.stderr
    with SyncConnection(pooler.url(database_url)) as through:
        assert through.rows("select pg_listening_channels()") == []


def test_logins_get_through_a_pooler_that_asks_for_their_passwords(tmp_path: Path) -> None:
    """As compose.yaml has it: PgBouncer is told the owner's password alone."""
    folder = Path(tempfile.mkdtemp(prefix="gw-pass-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as owner:
            migrate(owner)
            owner.script(SCENE + "alter role postgres password 'owners'")
            rules = owner.rows("show hba_file")[0][0]
            assert rules is not None
            Path(rules).write_text("local all all scram-sha-256\n")
            owner.rows("select pg_reload_conf()")
        url = postgres.url().replace("supabase_admin@", "supabase_admin:owners@", 1)
        users = tmp_path / "users"
        users.write_text('"supabase_admin" "owners"\n')
        for path in (*reversed(users.parents), users):
            path.chmod(path.stat().st_mode | 0o055)
        (sockets,) = parse_qs(urlsplit(url).query)["host"]
        pooler = Pooler(Path(sockets), auth_type="scram-sha-256", auth_file=str(users))
        try:
            gateway = start_gateway(pooler.url(url), tmp_path / "gateway", extra={"DATABASE_DIRECT_URL": url})
            try:
                with client(gateway) as asked:
                    assert asked.get("/notes").json() == []
            finally:
                gateway.stop()
        finally:
            pooler.remove()
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
