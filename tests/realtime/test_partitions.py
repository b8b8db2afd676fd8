"""Partitions of realtime.messages: days to come are made, days that are over go, a database without any gets them."""

from __future__ import annotations

from gateway.database import SyncConnection

NAMES = (
    "select relname from pg_inherits join pg_class on pg_class.oid = inhrelid"
    " where inhparent = 'realtime.messages'::regclass order by 1"
)


def partitions(connection: SyncConnection) -> list[str | None]:
    return [name for (name,) in connection.rows(NAMES)]


def test_five_days_have_a_partition_and_old_ones_go(connection: SyncConnection) -> None:
    connection.script("select realtime_private.keep_partitions('2030-01-05')")
    made = [name for name in partitions(connection) if name is not None and name.startswith("messages_2030")]
    assert made == [f"messages_2030_01_{day:02}" for day in (4, 5, 6, 7, 8)]
    connection.script("select realtime_private.keep_partitions('2030-01-09')")
    left = [name for name in partitions(connection) if name is not None and name.startswith("messages_2030")]
    assert left == [f"messages_2030_01_{day:02}" for day in (6, 7, 8, 9, 10, 11, 12)]
    assert partitions(connection) == left  # those of today are long over by then


def test_a_partition_is_closed_as_its_table_is(connection: SyncConnection) -> None:
    open_ones = connection.rows(
        "select relname from pg_inherits join pg_class on pg_class.oid = inhrelid"
        " where inhparent = 'realtime.messages'::regclass and not relrowsecurity"
    )
    assert open_ones == []


def test_a_message_without_a_partition_fails_nobody(connection: SyncConnection) -> None:
    for name in partitions(connection):
        connection.script(f"drop table realtime.{name}")
    connection.script("select realtime.send('{}', 'e', 't')")  # a warning, and no error
    assert connection.rows("select count(*) from realtime.messages") == [("0",)]
    connection.script("select realtime_private.keep_partitions()")
    connection.script("select realtime.send('{}', 'e', 't')")
    assert connection.rows("select count(*) from realtime.messages") == [("1",)]
