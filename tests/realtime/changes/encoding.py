"""Messages of `pgoutput` as a server writes them, the other way about than the decoder reads them."""

from __future__ import annotations

from struct import pack

from gateway.realtime.changes.pgoutput import (
    MICROSECONDS_TO_2000,
    UNCHANGED,
    Begin,
    Commit,
    Decoded,
    Delete,
    Insert,
    LogMessage,
    LogOrigin,
    Relation,
    Row,
    Truncate,
    Type,
    Update,
)


def encode(message: Decoded) -> bytes:
    """The bytes of a message."""
    match message:
        case Begin(commit, at, xid):
            return b"B" + pack("!Qqi", commit, at - MICROSECONDS_TO_2000, xid)
        case Commit(commit, end, at):
            return b"C" + pack("!BQQq", 0, commit, end, at - MICROSECONDS_TO_2000)
        case Relation(oid, schema, table, identity, columns):
            said = b"R" + pack("!I", oid) + _name(schema) + _name(table) + identity.encode() + pack("!h", len(columns))
            for column in columns:
                said += bytes([column.key]) + _name(column.name) + pack("!Ii", column.type_oid, column.modifier)
            return said
        case Insert(relation, new):
            return b"I" + pack("!I", relation) + b"N" + _row(new)
        case Update(relation, old, whole, new):
            before = b"" if old is None else (b"O" if whole else b"K") + _row(old)
            return b"U" + pack("!I", relation) + before + b"N" + _row(new)
        case Delete(relation, old, whole):
            return b"D" + pack("!I", relation) + (b"O" if whole else b"K") + _row(old)
        case Truncate(relations, cascade, restart):
            return b"T" + pack(f"!IB{len(relations)}I", len(relations), cascade | restart << 1, *relations)
        case Type(oid, schema, name):
            return b"Y" + pack("!I", oid) + _name(schema) + _name(name)
        case LogOrigin(commit, name):
            return b"O" + pack("!Q", commit) + _name(name)
        case LogMessage(transactional, at, prefix, content):
            return b"M" + pack("!BQ", transactional, at) + _name(prefix) + pack("!I", len(content)) + content


def _name(text: str) -> bytes:
    return text.encode() + b"\0"


def _row(row: Row) -> bytes:
    said = pack("!h", len(row))
    for column in row:
        if column is None:
            said += b"n"
        elif column is UNCHANGED:
            said += b"u"
        else:
            raw = str(column).encode()
            said += b"t" + pack("!I", len(raw)) + raw
    return said
