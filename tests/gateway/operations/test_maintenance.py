"""The mark that refuses writes, its reason, and who is ended for it, against one database with that table alone.

What gateways and commands do meanwhile is in tests/ops/test_maintenance.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from gateway import migrations
from gateway.database import RENEW_SESSIONS, DatabaseError, SyncConnection
from gateway.operations import maintenance
from gateway.operations.maintenance import Maintenance, MaintenanceError
from gateway.operations.restore import MAINTENANCE_TABLE
from tests.fixtures.db import Server


@pytest.fixture
def migrated(bare: SyncConnection) -> SyncConnection:
    """A connection to a database that has a place for the reason."""
    bare.script("create schema gateway")
    bare.script((migrations.FOLDER / MAINTENANCE_TABLE).read_text())
    return bare


@pytest.fixture
def others(server: Server, bare_url: str) -> Iterator[Any]:
    """Opens further sessions of the database."""
    opened: list[SyncConnection] = []

    def another(name: str = "somebody", url: str = bare_url) -> SyncConnection:
        opened.append(SyncConnection(url, name))
        return opened[-1]

    yield another
    for connection in opened:
        connection.close()


def _is_alive(connection: SyncConnection) -> bool:
    try:
        return connection.rows("select 1") == [("1",)]
    except DatabaseError:
        return False


def _mark(connection: SyncConnection) -> list[tuple[str | None, ...]]:
    return connection.rows("select kind, reason, stays from gateway.maintenance")


# --- how it is said ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Maintenance(False, "operator", "why", "today"), "off"),
        (Maintenance(True), "on: no reason given"),
        (Maintenance(True, "operator", "a larger disk", "today"), "on since today: a larger disk"),
        (
            Maintenance(True, "restore", "why", "today", is_left=True),
            "on since today: why, left by a restore that was killed",
        ),
    ],
)
def test_a_state_is_one_line(state: Maintenance, words: str) -> None:
    assert str(state) == words
    assert (Maintenance(True).is_left, Maintenance(True).stays) == (False, False)


# --- on and off -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_table", [True, False], ids=["migrated", "never migrated"])
def test_writes_of_new_sessions_are_refused_until_the_end(bare: SyncConnection, others: Any, has_table: bool) -> None:
    bare.script("create table written (n int)")
    if has_table:
        bare.script("create schema gateway")
        bare.script((migrations.FOLDER / MAINTENANCE_TABLE).read_text())
    assert maintenance.state(bare) == Maintenance(False)
    maintenance.begin(bare, "operator", "a larger disk")
    bare.script("insert into written values (1)")  # whoever began it writes
    with pytest.raises(DatabaseError, match="read-only"):
        others().script("insert into written values (2)")
    now = maintenance.state(bare)
    assert (now.is_on, now.kind, now.reason) == (True, *(("operator", "a larger disk") if has_table else ("", "")))
    assert len(now.since) == (20 if has_table else 0) and not now.stays and not now.is_left
    maintenance.end(bare)
    others().script("insert into written values (3)")
    assert maintenance.state(bare) == Maintenance(False)


def test_a_reason_without_the_mark_is_of_no_maintenance(migrated: SyncConnection) -> None:
    migrated.script("insert into gateway.maintenance (kind, reason, stays) values ('restore', 'why', true)")
    now = maintenance.state(migrated)
    assert (now.is_on, now.is_left, now.kind, now.stays) == (False, False, "restore", True)


def test_the_mark_without_a_reason_is_one_all_the_same(migrated: SyncConnection) -> None:
    maintenance._switch(migrated, True)
    assert maintenance.state(migrated) == Maintenance(True)


def test_a_mark_on_another_database_a_role_or_with_another_value_is_none(
    migrated: SyncConnection, server: Server
) -> None:
    (name,) = migrated.rows("select current_database()")[0]
    migrated.script(f"alter role current_user in database {name} set default_transaction_read_only = on")
    migrated.script(f"alter database {name} set default_transaction_read_only = off")
    with server.admin() as admin:
        admin.script(f"create database {name}_other")
        try:
            admin.script(f"alter database {name}_other set default_transaction_read_only = on")
            assert not maintenance.state(migrated).is_on
        finally:
            admin.script(f"drop database {name}_other")
            migrated.script(f"alter role current_user in database {name} reset all")


@pytest.mark.parametrize(
    ("before", "stays"),
    [
        (None, False),
        (("operator", False), True),
        (("operator", True), True),
        (("restore", False), False),
        (("restore", True), True),
    ],
)
def test_what_an_operator_began_stays_after_a_restore(
    migrated: SyncConnection, others: Any, before: tuple[str, bool] | None, stays: bool
) -> None:
    maintenance.hold(migrated)
    if before is not None:
        maintenance.begin(migrated, before[0], "before")
        migrated.rows("update gateway.maintenance set stays = $1::boolean, since = since - interval '1 day'",
                      str(before[1]).lower())  # fmt: skip
    since = maintenance.state(migrated).since
    maintenance.begin(migrated, "restore", "why")
    now = maintenance.state(migrated)
    assert (now.is_on, now.kind, now.reason, now.stays, now.is_left) == (True, "restore", "why", stays, False)
    assert (now.since == since) == stays
    maintenance.release(migrated)
    assert maintenance.state(migrated).is_left
    # What is left is nobody's any more, whatever it said.
    maintenance.begin(migrated, "restore", "again")
    assert not maintenance.state(migrated).stays


def test_a_restore_holds_the_lock_and_ends_what_it_began(migrated: SyncConnection, others: Any) -> None:
    with maintenance.restoring(migrated, "a restore"):
        assert _mark(migrated) == [("restore", "a restore", "f")]
        with pytest.raises(MaintenanceError, match="another restore"):
            maintenance.hold(others())
    assert maintenance.state(migrated) == Maintenance(False)
    maintenance.hold(other := others())
    maintenance.release(other)
    maintenance.begin(migrated, "operator", "mine")
    with pytest.raises(ZeroDivisionError), maintenance.restoring(migrated, "a restore"):
        raise ZeroDivisionError
    assert maintenance.state(migrated).is_on and _mark(migrated) == [("operator", "a restore", "t")]


def test_one_that_cannot_begin_leaves_writes_as_they_were(
    migrated: SyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise MaintenanceError("a session cannot be ended")

    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "replace_sessions", fails)
        with pytest.raises(MaintenanceError, match="cannot be ended"):
            maintenance.begin(migrated, "operator", "why")
    assert maintenance.state(migrated) == Maintenance(False) and _mark(migrated) == []
    maintenance.begin(migrated, "operator", "why")
    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "replace_sessions", fails)
        with pytest.raises(MaintenanceError, match="cannot be ended"):
            maintenance.begin(migrated, "operator", "why else")
    assert maintenance.state(migrated).is_on


@pytest.mark.parametrize(("value", "is_everywhere"), [("off", False), ("0", False), ("FALSE", True)])
def test_who_would_write_all_the_same_is_named(migrated: SyncConnection, value: str, is_everywhere: bool) -> None:
    (name,) = migrated.rows("select current_database()")[0]
    writer, reader = f"writer_{name}", f"reader_{name}"
    migrated.script(f"create role {writer}; create role {reader}; alter role {reader} set work_mem = '1MB'")
    migrated.script(f"alter role {reader} set default_transaction_read_only = on")
    where = "" if is_everywhere else f"in database {name}"
    migrated.script(f"alter role {writer} {where} set default_transaction_read_only = '{value}'")
    try:
        with pytest.raises(
            MaintenanceError, match=f"^the role {writer} has a default_transaction_read_only of its own"
        ):
            maintenance.begin(migrated, "operator", "")
    finally:
        migrated.script(f"drop owned by {writer}, {reader}; drop role {writer}; drop role {reader}")
    assert not maintenance.state(migrated).is_on
    maintenance.begin(migrated, "operator", "")


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_every_other_session_of_the_database_is_told_and_ended(
    migrated: SyncConnection, others: Any, server: Server
) -> None:
    told, idle, busy = others(), others(), others()
    elsewhere = others(url=server.url)
    told.script("listen another_channel")
    busy.script("begin; select 1")
    began = time.monotonic()
    maintenance.replace_sessions(migrated, "another_channel")
    took = time.monotonic() - began
    assert not any(map(_is_alive, (told, idle, busy)))
    assert _is_alive(elsewhere) and _is_alive(migrated)
    assert took > maintenance.GRACE  # a session amid a transaction has its time


def test_a_session_that_goes_itself_is_waited_for_and_not_longer(
    migrated: SyncConnection, others: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = others()
    monkeypatch.setattr(maintenance, "IDLE_GRACE", 60.0)
    monkeypatch.setattr("gateway.operations.maintenance.time.sleep", lambda seconds: idle.close())
    began = time.monotonic()
    maintenance.replace_sessions(migrated)
    assert time.monotonic() - began < 30


def test_the_notice_is_the_one_that_gateways_wait_for(migrated: SyncConnection) -> None:
    asked: list[tuple[str, ...]] = []

    class Listening:
        def rows(self, sql: str, *params: str) -> list[tuple[str | None, ...]]:
            asked.append(params)
            return migrated.rows(sql, *params)

    connection: Any = Listening()
    maintenance.replace_sessions(connection)
    assert asked[2] == ("pgrst", RENEW_SESSIONS)


class Clockwork:
    """A server whose sessions stay as long as a test wants, and a clock that each look moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, sessions: dict[str, str], *, ends: bool) -> None:
        self.now = 1000.0
        self.ended: dict[str, float] = {}
        self.slept: set[float] = set()
        self._sessions, self._ends = sessions, ends
        monkeypatch.setattr("gateway.operations.maintenance.time.monotonic", lambda: self.now)
        monkeypatch.setattr("gateway.operations.maintenance.time.sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept.add(seconds)
        self.now += 0.25

    def rows(self, sql: str, *params: str) -> list[tuple[str | None, ...]]:
        if "terminate" in sql:
            assert params[0] not in self.ended, "a session is asked once"
            self.ended[params[0]] = self.now - 1000
            return []
        if params:
            listed = params[0].strip("{}").split(",")
            return [
                (pid, f"role{pid}", activity)
                for pid, activity in self._sessions.items()
                if pid in listed and not (self._ends and pid in self.ended)
            ]
        return []


def test_an_idle_session_is_ended_after_its_grace_and_a_busy_one_after_a_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clockwork(monkeypatch, {"7": "idle", "8": "active", "9": "idle in transaction", "10": "idle"}, ends=True)
    connection: Any = clock
    maintenance._end_sessions(connection, {"7", "8", "9"}, 3.0, 0.5)
    assert clock.ended == {"7": 0.5, "8": 3.0, "9": 3.0}
    assert clock.slept == {0.05}
    assert (maintenance.GRACE, maintenance.IDLE_GRACE) == (3.0, 0.5)


def test_what_a_kill_left_has_no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clockwork(monkeypatch, {"7": "idle", "8": "active"}, ends=True)
    connection: Any = clock
    maintenance._end_sessions(connection, {"7", "8"})
    assert clock.ended == {"7": 0.0, "8": 0.0}


def test_a_session_that_does_not_end_in_its_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clockwork(monkeypatch, {"7": "active", "8": "active"}, ends=False)
    connection: Any = clock
    with pytest.raises(MaintenanceError, match=r"^session 7 of role7 does not end$"):
        maintenance._end_sessions(connection, {"7", "8"}, 3.0, 0.5)
    assert clock.now - 1000 == 3.0 + 30.0 + 0.25


def test_a_session_that_nobody_here_may_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(Clockwork):
        def rows(self, sql: str, *params: str) -> list[tuple[str | None, ...]]:
            if "terminate" in sql:
                raise DatabaseError("42501", "permission denied to terminate process")
            return super().rows(sql, *params)

    connection: Any = Refusing(monkeypatch, {"7": "idle"}, ends=True)
    with pytest.raises(MaintenanceError, match=r"^session 7 of role7 may still write and cannot be ended: permission"):
        maintenance._end_sessions(connection, {"7"})


def test_a_session_that_just_starts_is_waited_for_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clockwork(monkeypatch, {"7": "idle", "8": "idle"}, ends=True)

    class Starting:
        def rows(self, sql: str, *params: str) -> list[tuple[str | None, ...]]:
            if sql == maintenance.STARTING:
                return [("8",)]
            return [("7", "a", "idle")] if sql == maintenance.SESSIONS else clock.rows(sql, *params)

    connection: Any = Starting()
    maintenance.replace_sessions(connection)
    assert sorted(clock.ended) == ["7", "8"]


def test_a_session_that_starts_shows_by_its_lock_on_the_database(
    migrated: SyncConnection, others: Any, server: Server
) -> None:
    """As whoever changes the database has one, until the transaction is over."""
    mine, theirs = migrated.rows("select current_database()")[0][0], "postgres"
    starting, elsewhere = others(), others(url=server.url)
    starting.script(f"begin; comment on database {mine} is 'x'")
    elsewhere.script(f"begin; comment on database {theirs} is 'x'")
    with pytest.raises(DatabaseError, match="lock timeout"):
        migrated.script(f"set lock_timeout = 1; comment on database {mine} is 'y'")
    assert migrated.rows(maintenance.STARTING) == starting.rows("select pg_backend_pid()")
    starting.script("rollback")
    migrated.script(f"begin; comment on database {mine} is 'y'")
    assert migrated.rows(maintenance.STARTING) == []
    migrated.script("rollback")
    elsewhere.script("rollback")


# --- what a kill left -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "stays", "ended"), [
    ("restore", False, True), ("restore", True, False), ("operator", False, False), ("operator", True, False),
])  # fmt: skip
def test_a_killed_restores_mark_is_ended_and_an_operators_is_not(
    migrated: SyncConnection, kind: str, stays: bool, ended: bool
) -> None:
    maintenance.begin(migrated, kind, "why")
    migrated.rows("update gateway.maintenance set stays = $1::boolean", str(stays).lower())
    assert maintenance.settle(migrated) is True
    assert maintenance.state(migrated).is_on is not ended
    assert _mark(migrated) == ([] if ended else [("operator", "why", "t" if stays else "f")])


def test_a_reason_that_a_kill_left_without_the_mark_is_let_be(migrated: SyncConnection) -> None:
    migrated.script("insert into gateway.maintenance (kind, reason) values ('restore', 'why')")
    assert maintenance.settle(migrated) is True
    assert _mark(migrated) == [("restore", "why", "f")]


def test_a_restore_at_work_is_let_be_and_its_sessions_when_it_is_gone_are_not(
    migrated: SyncConnection, others: Any
) -> None:
    holder, left, other = others("gateway restore"), others("gateway restore"), others()
    maintenance.hold(holder)
    assert maintenance.settle(migrated) is False
    assert _is_alive(left)
    maintenance.release(holder)
    assert maintenance.settle(migrated) is True
    assert not _is_alive(left) and _is_alive(other)
    # The lock is let go of again.
    maintenance.hold(other)


def test_a_restore_is_at_work_where_its_own_lock_is_held_in_this_database(
    migrated: SyncConnection, others: Any, server: Server
) -> None:
    maintenance.begin(migrated, "restore", "why")
    number = int(maintenance.LOCK)
    high, low = number >> 32, number & 0xFFFFFFFF
    odd = others()
    for key in (f"{number + 1}", f"{number + (1 << 32)}", f"{high}, {low - (1 << 32) if low >> 31 else low}"):
        odd.script(f"select pg_advisory_lock({key})")
    elsewhere = others(url=server.url)
    maintenance.hold(elsewhere)
    assert maintenance.state(migrated).is_left
    maintenance.hold(holder := others())
    assert not maintenance.state(migrated).is_left
    maintenance.release(holder)
    maintenance.release(elsewhere)
