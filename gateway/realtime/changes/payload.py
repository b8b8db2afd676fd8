"""A change as clients get it: the JSON text of `data`, for what a role may read of the row."""

from __future__ import annotations

from collections.abc import Callable, Set
from datetime import UTC, datetime
from typing import Final

import orjson

from gateway.realtime.changes.log import Change
from gateway.realtime.changes.pgoutput import Row
from gateway.realtime.changes.tables import PublishedTable
from gateway.realtime.changes.values import NoArray, to_json

MOST_BYTES: Final = 1_048_576
SMALL: Final = 64  # bytes of a value that a change which is too large still has
TOO_LARGE: Final = "Error 413: Payload Too Large"
UNAUTHORIZED: Final = "Error 401: Unauthorized"
NO_KEY: Final = "Error 400: Bad Request, no primary key"

Asked = Callable[[str, str], bytes | None]
"""JSON of a value that Postgres was asked for, by the type and the text."""


def timestamp(at: int) -> str:
    """Unix µs as clients get a commit's time.

    >>> timestamp(1_763_511_760_877_999)
    '2025-11-19T00:22:40.877Z'
    """
    moment = datetime.fromtimestamp(at // 1_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at % 1_000_000 // 1000:03d}Z"


def data_of(
    change: Change, table: PublishedTable, columns: Set[str], secured: bool, asked: Asked, cursor: bool = False
) -> bytes:
    """The text of `data`. `columns` are those that may be shown; `secured` says that the table has row level security;
    `cursor` tells the position too, for who comes back with it."""
    record = _record(change, table, columns, asked) if change.new is not None else None
    old = _old(change, table, columns, secured, asked) if change.kind != "INSERT" else None
    said = _text(change, table, columns, record, old, cursor, b"null")
    if len(said) <= MOST_BYTES:
        return said
    small = [
        None if values is None else {name: value for name, value in values.items() if len(value) <= SMALL}
        for values in (record, old)
    ]
    return _text(change, table, columns, small[0], small[1], cursor, orjson.dumps([TOO_LARGE]))


def refusal_of(change: Change, error: str) -> bytes:
    """The text of `data` where nothing of the row may be told."""
    said: dict[str, object] = {
        "schema": change.relation.schema,
        "table": change.relation.table,
        "type": change.kind,
        "commit_timestamp": None,
        "columns": [],
        "record": {},
        "errors": [error],
    }
    if change.kind == "UPDATE":
        said["old_record"] = {}
    return orjson.dumps(said)


def _text(
    change: Change,
    table: PublishedTable,
    columns: Set[str],
    record: dict[str, bytes] | None,
    old: dict[str, bytes] | None,
    cursor: bool,
    errors: bytes,
) -> bytes:
    said: dict[str, object] = {
        "schema": change.relation.schema,
        "table": change.relation.table,
        "type": change.kind,
        "commit_timestamp": timestamp(change.at),
        "columns": [{"name": c.name, "type": c.type_name} for c in table.columns if c.name in columns],
        "errors": orjson.Fragment(errors),
    }
    if record is not None:
        said["record"] = {name: orjson.Fragment(value) for name, value in record.items()}
    if old is not None:
        said["old_record"] = {name: orjson.Fragment(value) for name, value in old.items()}
    if cursor:
        said["cursor"] = str(change.position)
    return orjson.dumps(said)


def _record(change: Change, table: PublishedTable, columns: Set[str], asked: Asked) -> dict[str, bytes]:
    """The new row; a long value that stayed the same is taken from the old one where that is whole, else left out."""
    assert change.new is not None
    old = change.old if change.whole else None
    row = tuple(
        [
            old[place] if old is not None and not (value is None or isinstance(value, str)) else value
            for place, value in enumerate(change.new)
        ]
    )
    return _values(row, table, columns, asked)


def _old(change: Change, table: PublishedTable, columns: Set[str], secured: bool, asked: Asked) -> dict[str, bytes]:
    """The old row's identity; it is the new row's where an UPDATE left it as it was. Of a table with row level security
    a DELETE tells the primary key alone: the row is gone, and nobody can say any more who might have read it."""
    relation = table.relation
    identity = {column.name for column in relation.columns if column.key}
    if change.kind == "DELETE" and secured:
        columns = columns & set(table.key)
    row = change.old
    if row is None:
        if relation.identity not in ("d", "i") or change.new is None:
            return {}
        row = change.new
    return _values(row, table, columns if change.whole else columns & identity, asked)


def _values(row: Row, table: PublishedTable, columns: Set[str], asked: Asked) -> dict[str, bytes]:
    found = {}
    for column, value in zip(table.columns, row, strict=False):
        if column.name not in columns or not (value is None or isinstance(value, str)):
            continue
        told = asked(column.type_sql, value) if value is not None else None
        if told is None:
            try:
                told = to_json(value, column.kind)
            except NoArray:
                told = orjson.dumps(value)
        found[column.name] = told
    return found
