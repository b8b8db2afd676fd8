"""What Postgres' own output plugin says of its log, decoded: protocol version 1 of `pgoutput`, without streaming.

In: the payloads of XLogData messages, in their order. Out: frozen dataclasses; columns of rows are texts as Postgres
writes them. Pure, and linear in the length of what is given.
See https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Final

MICROSECONDS_TO_2000: Final = 946_684_800_000_000  # from the epoch of Unix to that of Postgres


class Malformed(ValueError):
    """Bytes that no Postgres sends."""


class _Unchanged:
    """Stands for a long value that an UPDATE left as it was: the log does not carry it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = _Unchanged()
Column = str | None | _Unchanged
Row = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column as the log has it; `key` says whether it is part of the replica identity."""

    name: str
    type_oid: int
    modifier: int
    key: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A table, told before its first change and whenever it is another. `identity` is d, n, f or i."""

    oid: int
    schema: str
    table: str
    identity: str
    columns: tuple[RelationColumn, ...]


@dataclass(frozen=True, slots=True)
class Begin:
    """A transaction's changes follow; `commit` is where in the log it was committed, `at` when, in Unix µs."""

    commit: int
    at: int
    xid: int


@dataclass(frozen=True, slots=True)
class Commit:
    """They have ended. `end` is where the log goes on."""

    commit: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Insert:
    """A new row."""

    relation: int
    new: Row


@dataclass(frozen=True, slots=True)
class Update:
    """A changed row. `old` is the whole old row (`whole`), its old identity, or None where that stayed the same."""

    relation: int
    old: Row | None
    whole: bool
    new: Row


@dataclass(frozen=True, slots=True)
class Delete:
    """A row that is gone; `old` is all of it, or its identity with None in every other place."""

    relation: int
    old: Row
    whole: bool


@dataclass(frozen=True, slots=True)
class Truncate:
    """Tables that were emptied."""

    relations: tuple[int, ...]
    cascade: bool
    restart_identity: bool


@dataclass(frozen=True, slots=True)
class Type:
    """A type that is not built in, told before a relation that uses it."""

    oid: int
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class LogOrigin:
    """The transaction came from another server."""

    commit: int
    name: str


@dataclass(frozen=True, slots=True)
class LogMessage:
    """What `pg_logical_emit_message` said."""

    transactional: bool
    at: int
    prefix: str
    content: bytes


Decoded = Relation | Begin | Commit | Insert | Update | Delete | Truncate | Type | LogOrigin | LogMessage

_BEGIN: Final = Struct("!Qqi")
_COMMIT: Final = Struct("!BQQq")
_LONG: Final = Struct("!i")
_COUNT: Final = Struct("!h")
_COLUMN: Final = Struct("!Ii")
_MESSAGE: Final = Struct("!BQ")
_WIDE: Final = Struct("!Q")


class _Reader:
    """Takes fields off the front of a message."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 1  # behind the kind

    def take(self, layout: Struct) -> tuple[int, ...]:
        end = self.at + layout.size
        if end > len(self.data):
            raise Malformed("a message ends too early")
        found = layout.unpack_from(self.data, self.at)
        self.at = end
        return found

    def number(self, layout: Struct) -> int:
        return self.take(layout)[0]

    def letter(self) -> str:
        return chr(self.bytes(1)[0])

    def bytes(self, length: int) -> bytes:
        end = self.at + length
        if length < 0 or end > len(self.data):
            raise Malformed("a message ends too early")
        found = self.data[self.at : end]
        self.at = end
        return found

    def text(self, length: int) -> str:
        return _text(self.bytes(length))

    def name(self) -> str:
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise Malformed("a name has no end")
        found = self.data[self.at : end]
        self.at = end + 1
        return _text(found)

    def row(self) -> Row:
        count = self.number(_COUNT)
        if count < 0:
            raise Malformed("a row has a negative number of columns")
        columns: list[Column] = []
        for _ in range(count):
            kind = self.letter()
            if kind == "t":
                columns.append(self.text(self.number(_LONG)))
            elif kind == "n":
                columns.append(None)
            elif kind == "u":
                columns.append(UNCHANGED)
            else:
                raise Malformed(f"a column is of the kind {kind!r}")  # b: binary is not asked for
        return tuple(columns)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Malformed("a text is not UTF-8") from error


def decode(data: bytes) -> Decoded:
    """One message. Raises Malformed.

    >>> decode(b"I" + (7).to_bytes(4, "big") + b"N" + b"\\0\\2" + b"t\\0\\0\\0\\1x" + b"n")
    Insert(relation=7, new=('x', None))
    """
    if not data:
        raise Malformed("a message is empty")
    reader = _Reader(data)
    kind = chr(data[0])
    read = _KINDS.get(kind)
    if read is None:
        raise Malformed(f"a message is of the kind {kind!r}")
    decoded = read(reader)
    if reader.at != len(data):
        raise Malformed("a message is longer than what it says")
    return decoded


def _begin(reader: _Reader) -> Begin:
    commit, at, xid = reader.take(_BEGIN)
    return Begin(commit, at + MICROSECONDS_TO_2000, xid)


def _commit(reader: _Reader) -> Commit:
    _, commit, end, at = reader.take(_COMMIT)
    return Commit(commit, end, at + MICROSECONDS_TO_2000)


def _relation(reader: _Reader) -> Relation:
    oid = _unsigned(reader.number(_LONG))
    schema, table, identity = reader.name(), reader.name(), reader.letter()
    count = reader.number(_COUNT)
    if count < 0:
        raise Malformed("a table has a negative number of columns")
    columns = []
    for _ in range(count):
        key = reader.bytes(1) == b"\1"
        name = reader.name()
        type_oid, modifier = reader.take(_COLUMN)
        columns.append(RelationColumn(name, type_oid, modifier, key))
    return Relation(oid, schema or "pg_catalog", table, identity, tuple(columns))


def _insert(reader: _Reader) -> Insert:
    relation = _unsigned(reader.number(_LONG))
    _expect(reader, "N")
    return Insert(relation, reader.row())


def _update(reader: _Reader) -> Update:
    relation = _unsigned(reader.number(_LONG))
    kind = reader.letter()
    old: Row | None = None
    if kind in ("K", "O"):
        old = reader.row()
        _expect(reader, "N")
    elif kind != "N":
        raise Malformed(f"an update has a row of the kind {kind!r}")
    return Update(relation, old, kind == "O", reader.row())


def _delete(reader: _Reader) -> Delete:
    relation = _unsigned(reader.number(_LONG))
    kind = reader.letter()
    if kind not in ("K", "O"):
        raise Malformed(f"a delete has a row of the kind {kind!r}")
    return Delete(relation, reader.row(), kind == "O")


def _truncate(reader: _Reader) -> Truncate:
    count = reader.number(_LONG)
    if count < 0:
        raise Malformed("a negative number of tables is emptied")
    flags = reader.bytes(1)[0]
    if count * _LONG.size > len(reader.data):
        raise Malformed("a message ends too early")
    relations = tuple(_unsigned(reader.number(_LONG)) for _ in range(count))
    return Truncate(relations, bool(flags & 1), bool(flags & 2))


def _type(reader: _Reader) -> Type:
    return Type(_unsigned(reader.number(_LONG)), reader.name() or "pg_catalog", reader.name())


def _origin(reader: _Reader) -> LogOrigin:
    return LogOrigin(reader.number(_WIDE), reader.name())


def _message(reader: _Reader) -> LogMessage:
    flags, at = reader.take(_MESSAGE)
    prefix = reader.name()
    return LogMessage(bool(flags & 1), at, prefix, reader.bytes(reader.number(_LONG)))


def _expect(reader: _Reader, kind: str) -> None:
    found = reader.letter()
    if found != kind:
        raise Malformed(f"a row of the kind {kind!r} is missing")


def _unsigned(number: int) -> int:
    return number & 0xFFFFFFFF


_KINDS: Final[dict[str, Callable[[_Reader], Decoded]]] = {
    "B": _begin,
    "C": _commit,
    "R": _relation,
    "I": _insert,
    "U": _update,
    "D": _delete,
    "T": _truncate,
    "Y": _type,
    "O": _origin,
    "M": _message,
}
