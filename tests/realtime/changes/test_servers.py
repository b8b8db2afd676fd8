"""Other servers: Debian's Postgres, one that cannot decode its log, one that bounds nothing, one that is killed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, embedded
from gateway.database.embedded import EmbeddedPostgres
from gateway.realtime.changes import state
from gateway.realtime.changes.interface import Subscribed
from gateway.realtime.changes.leadership import Keeping
from gateway.realtime.changes.logical import MISSED
from tests.contract.debian import DebianPostgres, installed_versions
from tests.fixtures.db import Server
from tests.fixtures.schema import migrate
from tests.realtime.changes.conftest import scene_on
from tests.realtime.changes.scene import LIMIT, Listening, Scene
from tests.realtime.changes.test_reader import reader_among

TABLES = """
create table if not exists public.notes (id int primary key, owner text, body text);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
grant select on public.notes to authenticated, service_role;
create table if not exists public.todos (id int primary key, title text);
grant select on public.todos to anon;
alter publication supabase_realtime add table public.notes, public.todos;
"""
NOTES = {"event": "*", "schema": "public", "table": "notes"}
TODOS = {"event": "INSERT", "schema": "public", "table": "todos"}


@pytest.fixture(scope="module")
def old(debian: Server) -> Scene:
    """A scene on Debian's Postgres."""
    scene = scene_on(debian, "postgres")
    with SyncConnection(scene.owner) as connection:
        connection.script(TABLES)
        connection.script(
            "create collation public.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
            "create table public.folded (id int primary key, name text collate loose); grant select on folded to anon;"
            "alter publication supabase_realtime add table folded"
        )
    return scene


def test_debian_s_postgres_serves_changes(old: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker, other = await scene.worker(), await scene.worker()
        ann = await worker.listen(Listening("authenticated", sub="ann"), NOTES)
        bob = await other.listen(Listening("authenticated", sub="bob"), NOTES)
        scene.sql("insert into notes values (1, 'ann', 'x')")
        scene.sql("insert into notes values (2, 'bob', 'y')")
        await ann.changes(1)
        await bob.changes(1)
        scene.sql("delete from notes")
        await ann.changes(3)
        assert ann.rows == [("INSERT", 1), ("DELETE", 1), ("DELETE", 2)]
        assert bob.rows[0] == ("INSERT", 2)

    old.play(work)


def test_texts_of_a_collation_that_folds_are_compared_by_postgres(old: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        folded = {"event": "INSERT", "schema": "public", "table": "folded", "filter": "name=eq.ABC"}
        member = await worker.listen(Listening(), folded)
        scene.sql("insert into folded values (1, 'abd'), (2, 'abc')")
        await member.changes(1)
        assert member.rows == [("INSERT", 2)]

    old.play(work)


def test_a_server_that_bounds_no_slot_gets_none_that_lasts_and_a_loss_is_told(old: Scene) -> None:
    async def work(scene: Scene) -> None:
        question = "select temporary::text from pg_replication_slots where database = current_database()"
        scene.sql("alter system set max_slot_wal_keep_size = -1")
        scene.sql("select pg_reload_conf()")
        try:
            workers = [await scene.worker() for _ in range(2)]
            members = [await worker.listen(Listening(), TODOS) for worker in workers]
            assert scene.rows(question) == [("true",)]
            reading = await reader_among(workers)
            scene.rows("select pg_terminate_backend(active_pid) from pg_replication_slots where active")
            for member in members:
                await member.until(lambda: all(each.told for each in members))
                assert member.told == [("error", MISSED)]
            assert reading is not None
            scene.sql("insert into todos values (1)")
            for member in members:
                await member.changes(1)
        finally:
            scene.sql("alter system set max_slot_wal_keep_size = '64MB'")
            scene.sql("select pg_reload_conf()")

    old.play(work)


def test_a_login_that_may_not_replicate_is_told_what_to_set(old: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        reason = await worker.refusal(Listening(), TODOS)
        assert "Changes cannot be read: no login may read the log" in reason
        assert "`alter role supabase_replication_admin login replication` gives the right" in reason

    Scene(old.owner, old.login, old.login).play(work)


@pytest.mark.parametrize("version", installed_versions())
def test_a_server_that_does_not_decode_its_log_is_told_what_to_set(version: str) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        reason = await worker.refusal(Listening(), TODOS)
        remedy = "`alter system set wal_level = logical`, then restart Postgres"
        assert reason.endswith(f"Changes cannot be read: wal_level is replica: {remedy}")

    postgres = DebianPostgres(version)
    postgres.start()
    try:
        with SyncConnection(postgres.url) as connection:
            migrate(connection)
            connection.script(TABLES)
        scene_on(Server("debian", postgres.url), "postgres").play(work)
    finally:
        postgres.stop()


@pytest.fixture
def own() -> Iterator[EmbeddedPostgres]:
    """A server that a test may kill."""
    folder = Path(tempfile.mkdtemp(prefix="gw-kill-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
            connection.script(TABLES)
        yield postgres
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_promise_68_postgres_is_killed_and_every_change_comes_once_in_order(own: EmbeddedPostgres) -> None:
    """What was committed while it was killed is read when it is up again."""
    count = int(os.environ.get("CHAOS_CHANGES", "600"))  # `make chaos` has more of them
    kills = (count // 4, count * 2 // 3)

    due = threading.Event()

    def write(url: str) -> None:
        connection: SyncConnection | None = None
        number = 1
        while number <= count:
            try:
                connection = connection or SyncConnection(url)
                connection.script(f"insert into todos values ({number}) on conflict do nothing")
            except (DatabaseError, DatabaseUnavailable):
                connection = None
                continue
            if number in kills:
                due.set()
            number += 1

    def kill() -> None:
        """From the thread whose end would end the server."""
        pid = own.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        own.stop()
        own.start()

    async def work(scene: Scene) -> None:
        workers = [await scene.worker() for _ in range(2)]
        members = [await worker.listen(Listening(), TODOS) for worker in workers]
        writing = threading.Thread(target=write, args=(own.url(),))
        writing.start()
        try:
            async with asyncio.timeout(60):
                while writing.is_alive():
                    await asyncio.sleep(0.02)
                    if due.is_set():
                        due.clear()
                        kill()
            for member in members:
                await member.changes(count)
                assert [each["record"]["id"] for each in member.got] == list(range(1, count + 1))
                assert member.told == []
        finally:
            writing.join()

    scene_on(Server("embedded", own.url()), "postgres").play(work)


SLOT = "select wal_status from pg_replication_slots where slot_name like 'gateway%'"
HELD = """
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn)::int8 from pg_replication_slots
where slot_name like 'gateway%'"""
TURN = "insert into todos values ({}); select pg_switch_wal()"  # a segment of the log, of 16 MB, is full


async def told_of_a_loss(member: Listening) -> None:
    await member.until(lambda: ("error", MISSED) in member.told)


@pytest.fixture(params=["128MB"])
def bounded(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Scene:
    """A server of its own whose slots may hold back little."""
    monkeypatch.setitem(embedded.OPTIONS, "max_slot_wal_keep_size", request.param)
    own: EmbeddedPostgres = request.getfixturevalue("own")
    return scene_on(Server("embedded", own.url()), "postgres")


@pytest.mark.parametrize("bounded", ["16MB"], indirect=True)
def test_a_slot_that_is_lost_is_made_anew_and_who_listens_is_told(bounded: Scene) -> None:
    """More was written than may be held back, while the reader hung."""

    async def work(scene: Scene) -> None:
        workers = [await scene.worker() for _ in range(2)]
        members = [await worker.listen(Listening(), TODOS) for worker in workers]
        for number in range(6):  # without a turn of the loop, and so of the reader
            for each in TURN.format(number).split(";"):
                scene.sql(each)
        scene.sql("checkpoint")
        for member in members:
            await told_of_a_loss(member)
        assert scene.rows(SLOT) == [("reserved",)]
        scene.sql("insert into todos values (100)")
        for member in members:
            await member.heard("INSERT", 100)

    bounded.play(work)


def test_a_slot_that_holds_back_half_of_its_bound_lets_go_of_what_was_kept(bounded: Scene) -> None:
    """However long changes are to be kept: nothing is lost to who listens."""

    async def work(scene: Scene) -> None:
        worker = await scene.worker(Keeping(seconds=3600))
        member = await worker.listen(Listening(), TODOS)
        for number in range(12):
            for each in TURN.format(number).split(";"):
                scene.sql(each)
            await member.heard("INSERT", number)
            async with asyncio.timeout(LIMIT):
                while int(scene.rows(HELD)[0][0] or 0) > 68_000_000:
                    await asyncio.sleep(0.05)
            scene.sql("checkpoint")
        assert scene.rows(SLOT) == [("reserved",)]
        assert member.told == []

    bounded.play(work)


def test_a_server_without_a_free_slot_names_the_setting(own: EmbeddedPostgres) -> None:
    async def work(scene: Scene) -> None:
        scene.sql(
            "select pg_create_physical_replication_slot('other_' || n)"
            " from generate_series(1, current_setting('max_replication_slots')::int) n"
        )
        with SyncConnection(scene.owner) as connection:
            assert "every replication slot is in use" in [each.text for each in state.examine(connection)[1]]
        worker = await scene.worker()
        reason = await worker.refusal(Listening(), TODOS)
        assert reason.endswith("Changes cannot be read: every replication slot is in use: raise max_replication_slots")
        scene.sql("select pg_drop_replication_slot('other_1')")
        async with asyncio.timeout(LIMIT):
            while not isinstance(await worker.changes.subscribe(member := Listening(), [TODOS]), Subscribed):
                await asyncio.sleep(0.1)
        scene.sql("insert into todos values (1)")
        await member.heard("INSERT", 1)

    scene_on(Server("embedded", own.url()), "postgres").play(work)


def test_the_doctor_says_what_keeps_changes_from_being_told(own: EmbeddedPostgres, old: Scene) -> None:
    with SyncConnection(own.url()) as connection:
        text, troubles = state.examine(connection)
        assert text.startswith("changes of ") and text.endswith(" tables are published") and troubles == []
        connection.script("create table public.loose (note text); alter publication supabase_realtime add table loose")
        assert [each.text for each in state.examine(connection)[1]] == [
            "public.loose has no primary key: its new rows are not told"
        ]
        connection.script("drop publication supabase_realtime")
        assert [each.advice for each in state.examine(connection)[1]] == ["create publication supabase_realtime"]
    with SyncConnection(old.owner) as connection:
        connection.script("alter system set max_slot_wal_keep_size = -1")
        connection.script("select pg_reload_conf()")
        connection.rows("select pg_sleep(0.2)")
        assert any("nothing bounds" in each.text for each in state.examine(connection)[1])
        connection.script("alter system set max_slot_wal_keep_size = '64MB'")
        connection.script("select pg_reload_conf()")
