"""The cache follows the schema: by notification, by looking, after losses; requests keep the old one meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from gateway.catalog import reload
from gateway.catalog.load import load
from gateway.catalog.model import Name, SchemaCache
from gateway.catalog.reload import SchemaCacheHolder
from gateway.database import Database, DatabaseUnavailable, Result, Scope, SyncConnection
from gateway.database.statement import Statement
from gateway.settings import Settings

DEADLINE = 20.0  # seconds until a test gives up; nothing is measured
UNWATCHED = "drop event trigger if exists pgrst_ddl_watch; drop event trigger if exists pgrst_drop_watch"

Work = Callable[[SchemaCacheHolder, Database], Awaitable[None]]


def follow(url: str, work: Work, settings: Settings | None = None, **options: object) -> list[SchemaCache]:
    """Run `work` beside a started holder; every cache that it announced."""
    announced: list[SchemaCache] = []

    async def main() -> None:
        database = Database(url, size=4)
        await database.open()
        holder = SchemaCacheHolder(settings or Settings(), database, url, on_schema=announced.append, **options)  # type: ignore[arg-type]
        await holder.start()
        try:
            async with asyncio.timeout(DEADLINE):
                await work(holder, database)
        finally:
            await holder.stop()
            await database.close()

    asyncio.run(main())
    return announced


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def has(holder: SchemaCacheHolder, table: str) -> bool:
    return holder.current is not None and Name("public", table) in holder.current.tables


@pytest.fixture
def script(connection: SyncConnection) -> Callable[[str], Awaitable[None]]:
    async def run(sql: str) -> None:
        await asyncio.to_thread(connection.script, sql)

    return run


Script = Callable[[str], Awaitable[None]]


def test_the_first_cache_is_there_after_start(database_url: str) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        assert has(holder, "blog_posts")

    assert len(follow(database_url, work)) == 1


@pytest.mark.parametrize("payload", ["reload schema", ""])
def test_a_notification_reloads_the_schema(database_url: str, script: Script, payload: str) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script(f"{UNWATCHED}; create table fresh (id int primary key); notify pgrst, '{payload}'")
        await until(lambda: has(holder, "fresh"))

    follow(database_url, work, poll=3600)


def test_a_listener_that_is_back_before_the_pool_is_waits_for_it(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reload, "ECHO_LIMIT", 0.3)
    told: list[str] = []

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await until(lambda: holder._hears)
        run = database.run

        async def down(scope: Scope, statement: Statement) -> Result:
            told.append(statement.text)
            if len(told) < 3:
                raise DatabaseUnavailable("the database system is starting up")
            return await run(scope, statement)

        await asyncio.sleep(0.4)  # the first look is over
        monkeypatch.setattr(database, "run", down)
        holder._on_listening()
        await until(lambda: holder._hears and len(told) == 3)
        await asyncio.sleep(0.4)

    follow(database_url, work, poll=3600)
    assert "do not arrive" not in caplog.text


@pytest.mark.parametrize(
    "change", ["create table fresh (id int primary key)", "alter table blog_posts rename to fresh"]
)
def test_what_a_dump_loads_is_followed_although_its_session_fires_no_triggers(
    database_url: str, script: Script, change: str
) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        assert not has(holder, "fresh")
        await script(f"begin; set local session_replication_role = replica; {change}; commit")
        await until(lambda: has(holder, "fresh"))
        await script("begin; set local session_replication_role = replica; drop table fresh cascade; commit")
        await until(lambda: not has(holder, "fresh"))

    follow(database_url, work, poll=3600)


def test_other_payloads_are_ignored(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("notify pgrst, 'dance'")
        await script("notify pgrst, 'reload schema'")
        await until(lambda: holder.current is not first[0])

    first: list[SchemaCache | None] = []

    async def remember(holder: SchemaCacheHolder, database: Database) -> None:
        first.append(holder.current)
        await work(holder, database)

    assert len(follow(database_url, remember, poll=3600)) == 2


def test_ddl_is_followed_through_the_event_triggers(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("create table fresh (id int primary key)")
        await until(lambda: has(holder, "fresh"))
        await script("drop table fresh")
        await until(lambda: not has(holder, "fresh"))

    follow(database_url, work, poll=3600)


@pytest.mark.parametrize(
    "change",
    [
        "alter table blog_posts add column extra text",
        "comment on table blog_posts is 'changed'",
        "create function fresh() returns int language sql as 'select 1'",
        "alter table blog_posts rename column title to headline",
        "create view fresh as select 1 as one",
        "create type fresh as enum ('a')",
        "alter role authenticated set work_mem = '8MB'",
    ],
)
def test_changes_are_found_by_looking_where_no_trigger_tells(database_url: str, script: Script, change: str) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        first = holder.current
        await script(change)
        await until(lambda: holder.current is not first)

    with SyncConnection(database_url) as connection:
        connection.script(UNWATCHED)
    try:
        follow(database_url, work, poll=0.05)
    finally:
        with SyncConnection(database_url) as connection:
            connection.script("alter role authenticated reset work_mem")


def test_changes_of_data_are_no_changes_of_the_schema(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("create temporary table passing (id int); truncate blog_posts cascade; analyze blog_posts")
        await script("refresh materialized view standing")
        await asyncio.sleep(0.5)

    with SyncConnection(database_url) as connection:
        connection.script(f"{UNWATCHED}; create materialized view standing as select 1 as one")
    assert len(follow(database_url, work, poll=0.05)) == 1


def test_a_new_member_of_a_role_is_found_where_triggers_tell(database_url: str, script: Script) -> None:
    """For whom a policy is decides whether a read runs its code."""

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        first = holder.current
        await script("grant reload_editor to reload_member")
        await until(lambda: holder.current is not first)

    with SyncConnection(database_url) as connection:
        connection.script("create role reload_editor; create role reload_member")
    try:
        follow(database_url, work, poll=0.05)
    finally:
        with SyncConnection(database_url) as connection:
            connection.script("drop role reload_editor, reload_member")


def test_nobody_looks_where_triggers_tell(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("alter role authenticated set work_mem = '8MB'")  # event triggers do not see roles
        await asyncio.sleep(0.5)

    try:
        assert len(follow(database_url, work, poll=0.05)) == 1
    finally:
        with SyncConnection(database_url) as connection:
            connection.script("alter role authenticated reset work_mem")


def test_without_the_channel_changes_are_found_by_looking(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("create table fresh (id int primary key)")
        await until(lambda: has(holder, "fresh"))

    follow(database_url, work, Settings(db_channel_enabled=False), poll=0.05)


def test_where_notifications_do_not_arrive_changes_are_found_by_looking(
    database_url: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deaf:
        """As behind a pooler that swallows notifications."""

        def __init__(
            self, url: str, channel: str, on_notify: object, on_connect: Callable[[], None], prepared: object
        ) -> None:
            self._on_connect = on_connect

        async def run(self) -> None:
            self._on_connect()
            await asyncio.Event().wait()

    monkeypatch.setattr(reload, "Listener", Deaf)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("create table fresh (id int primary key)")
        await until(lambda: has(holder, "fresh"))

    follow(database_url, work, poll=0.05)


def test_a_channel_that_triggers_do_not_use_is_not_relied_on(database_url: str, script: Script) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script("create table fresh (id int primary key)")
        await until(lambda: has(holder, "fresh"))

    follow(database_url, work, Settings(db_channel="elsewhere"), poll=0.05)


def test_promise_11_a_burst_makes_at_most_two_reloads(
    database_url: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    over: list[bool] = []
    made: list[SchemaCache] = []

    async def quick(database: Database, settings: Settings) -> SchemaCache:
        if over or not made:
            made.append(await load(database, settings))
        return made[-1]

    # The burst lasts longer than many loads, and no pause in it as long as the quiet that ends one.
    monkeypatch.setattr(reload, "load", quick)
    monkeypatch.setattr(reload, "DEBOUNCE", 2.0)
    monkeypatch.setattr(reload, "BURST_LIMIT", DEADLINE)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        for _ in range(300):
            await script("notify pgrst, 'reload schema'")
        over.append(True)
        await script("create table last_of_all (id int)")
        await until(lambda: has(holder, "last_of_all"))

    assert len(follow(database_url, work, poll=3600)) <= 3, "the first load, one at once, one after the burst"


def test_promise_11_a_burst_is_waited_out_however_quick_a_load_is(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[SchemaCache] = []

    async def quick(database: Database, settings: Settings) -> SchemaCache:
        loads.append(loads[-1] if loads else await load(database, settings))
        return loads[-1]

    monkeypatch.setattr(reload, "load", quick)
    monkeypatch.setattr(reload, "DEBOUNCE", 1.0)
    monkeypatch.setattr(reload, "BURST_LIMIT", DEADLINE)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        over = time.monotonic() + 2.5  # longer than the quiet that ends a burst
        while time.monotonic() < over:
            holder.reload_soon("schema")
            await asyncio.sleep(0.01)
        await until(lambda: len(loads) >= 3)

    assert len(follow(database_url, work, poll=3600)) == 3, "the first load, one at once, one after the burst"


def test_promise_11_a_burst_without_end_is_answered_all_the_same(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload, "DEBOUNCE", 1.0)
    monkeypatch.setattr(reload, "BURST_LIMIT", 1.5)
    loads: list[Settings] = []

    async def noted(database: Database, settings: Settings) -> SchemaCache:
        loads.append(settings)
        return await load(database, settings)

    monkeypatch.setattr(reload, "load", noted)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        while len(loads) < 4:  # the first, one at once, then one each time that the burst has lasted long enough
            holder.reload_soon("schema")
            await asyncio.sleep(0.01)

    follow(database_url, work, poll=3600)


def test_promise_11_the_old_cache_serves_while_a_new_one_loads(
    database_url: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    loading = asyncio.Event()

    loads: list[Settings] = []

    async def slow(database: Database, settings: Settings) -> SchemaCache:
        loads.append(settings)
        if len(loads) > 1:
            loading.set()
            await gate.wait()
        return await load(database, settings)

    async def other_settings(database: Database, settings: Settings) -> dict[str, str]:
        return {"db_max_rows": "7"} if loads else {}

    monkeypatch.setattr(reload, "load", slow)
    monkeypatch.setattr(reload, "load_database_settings", other_settings)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        first, settings, version = holder.current, holder.settings, holder.version
        holder.reload_soon()
        await loading.wait()
        assert (holder.current, holder.settings, holder.version) == (first, settings, version)
        gate.set()
        await until(lambda: holder.current is not first)
        assert holder.settings.db_max_rows == 7

    follow(database_url, work)


@pytest.mark.parametrize("failure", [DatabaseUnavailable("gone fishing"), KeyError("gone fishing")])
def test_promise_11_the_old_cache_serves_while_a_new_one_cannot_be_loaded(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    """Also where the failure is of a kind that nobody has thought of."""
    loads: list[Settings] = []

    async def flaky(database: Database, settings: Settings) -> SchemaCache:
        loads.append(settings)
        if len(loads) in (2, 3):
            raise failure
        return await load(database, settings)

    monkeypatch.setattr(reload, "load", flaky)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        first = holder.current
        holder.reload_soon()
        await until(lambda: len(loads) > 2)  # by then the first failure was dealt with
        assert holder.current is first
        await until(lambda: holder.current is not first)

    follow(database_url, work)
    assert "the old one stays in use" in caplog.text and "gone fishing" in caplog.text


def test_a_load_that_waits_for_a_lock_is_told_of(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reload, "LONG", 0.1)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        first = holder.current
        caplog.clear()
        with SyncConnection(database_url) as other:
            other.script("begin; lock table public.blog_posts in access exclusive mode")
            holder.reload_soon()
            await until(lambda: "maybe it waits for a lock; the old one stays in use" in caplog.text)
            assert holder.current is first
            other.script("rollback")
        await until(lambda: holder.current is not first)

    follow(database_url, work)


@pytest.mark.parametrize("failure", [DatabaseUnavailable("not yet"), KeyError("not yet")])
def test_a_first_load_that_fails_is_tried_again(
    database_url: str, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    failures: list[int] = []

    async def flaky(database: Database, settings: Settings) -> SchemaCache:
        if not failures:
            failures.append(1)
            raise failure
        return await load(database, settings)

    monkeypatch.setattr(reload, "load", flaky)

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await until(lambda: holder.current is not None)

    follow(database_url, work)


def test_a_lost_listener_makes_up_for_what_it_missed(
    database_url: str, connection: SyncConnection, script: Script
) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script(
            f"{UNWATCHED}; create table fresh (id int primary key);"
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway listener'"
            " and datname = current_database()"
        )
        await until(lambda: has(holder, "fresh"))

    follow(database_url, work, poll=3600)


def test_settings_of_the_login_role_are_followed(database_url: str, script: Script) -> None:
    seen: list[Settings] = []

    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        assert holder.settings.db_max_rows == 1000
        await script(
            "do $$ begin execute format('alter role %I in database %I set pgrst.db_max_rows = ''7''',"
            " current_user, current_database()); end $$; notify pgrst, 'reload config'"
        )
        await until(lambda: holder.settings.db_max_rows == 7)

    follow(database_url, work, on_config=seen.append, poll=3600)
    assert [settings.db_max_rows for settings in seen] == [7]


def test_settings_that_must_not_pass_leave_all_as_it_was(
    database_url: str, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        await script(
            "do $$ begin execute format('alter role %I in database %I set pgrst.db_schemas = ''pg_catalog''',"
            " current_user, current_database()); execute format('alter role %I in database %I set"
            " pgrst.db_max_rows = ''7''', current_user, current_database()); end $$; notify pgrst, 'reload config'"
        )
        await until(lambda: "Failed reloading config: db-schemas does not allow schema: 'pg_catalog'" in caplog.text)
        assert (holder.settings.db_schemas, holder.settings.db_max_rows) == (("public",), 1000)

    follow(database_url, work, poll=3600)


def test_schemas_named_in_the_database_are_loaded(database_url: str, connection: SyncConnection) -> None:
    async def work(holder: SchemaCacheHolder, database: Database) -> None:
        assert holder.settings.db_schemas == ("elsewhere",)
        assert holder.current is not None and list(holder.current.tables) == [Name("elsewhere", "things")]

    connection.script(
        "create schema elsewhere; create table elsewhere.things (id int primary key);"
        "do $$ begin execute format('alter role %I in database %I set pgrst.db_schemas = ''elsewhere''',"
        " current_user, current_database()); end $$"
    )
    follow(database_url, work)
