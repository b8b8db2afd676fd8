"""Rows as files: out and in by COPY, streamed, so that no table is ever in memory; in by all or none."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.rows import identity_as, table_of
from gateway.console.shapes import Shape, Values, ordering, where
from gateway.database import DatabaseError
from gateway.database.query_session import QuerySession
from gateway.database.statement import quote_literal, quote_name
from gateway.http.messages import Response

TIMEOUT: Final = "3600s"
LONGEST_LINE: Final = 1_000_000  # bytes of a CSV file's first line
LONGEST_OBJECT: Final = 64_000_000  # bytes of one object of a JSON file
_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPES: Final[Mapping[bytes, bytes]] = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_DONE: Final = object()


class _Literals(Values):
    """Values written into the text, for COPY takes none beside it."""

    def add(self, value: str | None) -> str:
        return "null" if value is None else quote_literal(value)


async def export(call: ConsoleCall) -> Response | None:
    """`GET rows/export?schema&table&format&as&filters&order`, the last two as JSON."""
    query = call.query
    form = query.get("format", "csv")
    if form not in ("csv", "json"):
        raise bad_request("format is csv or json")
    shape = await table_of(call, query.get("schema", ""), query.get("table", ""))
    conditions = where(shape, _json(query.get("filters", "[]")), _Literals())
    order = ordering(shape, _json(query.get("order", "[]")))
    columns = ", ".join(quote_name(column.name) for column in shape.columns)
    chosen = f" where {' and '.join(conditions)}" if conditions else ""
    sorting = f" order by {', '.join(each.sql for each in order)}" if order else ""
    rows = f"select {columns} from {shape.sql}{chosen}{sorting}"
    session = await _open(call, query.get("as", "service"), reads=True)
    try:
        if form == "csv":
            text = f"copy ({rows}) to stdout with (format csv, header true, encoding 'UTF8')"
            await call.stream(session.copy_out(text), "text/csv; charset=utf-8", f"{shape.name}.csv")
        else:
            text = f"copy (select row_to_json(page) from ({rows}) as page) to stdout with (encoding 'UTF8')"
            await call.stream(_as_json(session.copy_out(text)), "application/json", f"{shape.name}.json")
    finally:
        session.close()
    return None


async def _as_json(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Rows of COPY's text form, which escapes what JSON has not, as one array."""
    before = b"["
    async for line in lines:
        row = _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), line.removesuffix(b"\n"))
        yield before + row
        before = b",\n"
    yield b"[]\n" if before == b"[" else b"]\n"


async def import_rows(call: ConsoleCall) -> Response:
    """`POST rows/import?schema&table&format`: a CSV file whose first line names the columns, or JSON objects."""
    query = call.query
    form = query.get("format", "csv")
    if form not in ("csv", "json"):
        raise bad_request("format is csv or json")
    shape = await table_of(call, query.get("schema", ""), query.get("table", ""))
    session = await _open(call, query.get("as", "service"), reads=False)
    try:
        count = await (_from_csv if form == "csv" else _from_json)(session, shape, call.body())
        await session.run("commit")
    except DatabaseError as error:
        more = {"sqlstate": error.sqlstate}
        raise ConsoleError(
            400, "import", error.message, hint=error.hint, details=error.context or error.detail, more=more
        ) from error
    finally:
        session.close()
    call.note(table=f"{shape.schema}.{shape.name}", inserted=count)
    return answer_json({"inserted": count})


async def _from_csv(session: QuerySession, shape: Shape, body: AsyncIterator[bytes]) -> int:
    held = b""
    async for piece in body:
        held += piece
        if b"\n" in held or len(held) > LONGEST_LINE:
            break
    first, _, _ = held.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    try:
        named = next(csv.reader([first.decode("utf-8").rstrip("\r")]), [])
    except (ValueError, csv.Error):
        raise bad_request("the first line cannot be read as names of columns") from None
    if not named or len(first) > LONGEST_LINE:
        raise bad_request("the first line names no columns")
    columns = ", ".join(quote_name(shape.column(name).name) for name in named)

    async def pieces() -> AsyncIterator[bytes]:
        yield held.removeprefix(b"\xef\xbb\xbf")
        async for piece in body:
            yield piece

    text = f"copy {shape.sql} ({columns}) from stdin with (format csv, header true, encoding 'UTF8')"
    return await session.copy_in(text, pieces())


async def _from_json(session: QuerySession, shape: Shape, body: AsyncIterator[bytes]) -> int:
    """Objects go to a table of the transaction's own as they come, and from there by their names into columns. What the
    first object does not name has its default in all of them."""
    objects = objects_of(body)
    begun = await anext(objects, None)
    if begun is None:
        return 0
    first, first_text = begun
    names = [shape.column(name).name for name in first]
    if not names:
        raise bad_request("the first object names no column")

    async def pieces() -> AsyncIterator[bytes]:
        yield _line(first_text)
        async for one, text in objects:
            for name in one:
                if name not in first:
                    raise bad_request(f"an object names {name!r}, which the first one does not")
            yield _line(text)

    await session.run(
        "create temp table console_import (place bigint generated always as identity, item json) on commit drop"
    )
    await session.copy_in("copy console_import (item) from stdin with (encoding 'UTF8')", pieces())
    columns = ", ".join(quote_name(name) for name in names)
    taken = ", ".join(f"(json_populate_record(null::{shape.sql}, item)).{quote_name(name)}" for name in names)
    found = await session.run(f"insert into {shape.sql} ({columns}) select {taken} from console_import order by place")
    return int(found.tag.rpartition(" ")[2] or 0)


def _line(text: str) -> bytes:
    """An object as it was written, in COPY's text form."""
    raw = text.encode("utf-8", "replace").replace(b"\\", b"\\\\")
    return raw.replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t") + b"\n"


async def objects_of(body: AsyncIterator[bytes]) -> AsyncIterator[tuple[dict[str, Any], str]]:
    """The objects of an array, or of lines, as they come, each with its text: numbers keep their digits.

    Raises ConsoleError 400."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    reader = json.JSONDecoder()
    held, tried = "", 0

    def take(last: bool) -> Any:
        nonlocal held, tried
        held = held.lstrip(" \t\r\n,[]")
        if not held or (not last and len(held) < tried):
            return _DONE
        try:
            found, end = reader.raw_decode(held)
        except ValueError:
            if last:
                raise bad_request("the file is no array of JSON objects") from None
            tried = 2 * len(held)  # read again when there is twice as much, so that time grows with the file
            return _DONE
        text, held, tried = held[:end], held[end:], 0
        if not isinstance(found, dict):
            raise bad_request("the file is no array of JSON objects")
        return found, text

    try:
        async for piece in body:
            held += decoder.decode(piece)
            while (found := take(False)) is not _DONE:
                yield found
            if len(held) > LONGEST_OBJECT:
                raise bad_request("an object is too long")
        held += decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise bad_request("the file is no UTF-8") from None
    while (found := take(True)) is not _DONE:
        yield found


def _json(text: str) -> object:
    try:
        return orjson.loads(text)
    except ValueError:
        raise bad_request("filters and order are JSON") from None


async def _open(call: ConsoleCall, said: str, *, reads: bool) -> QuerySession:
    who, role = await identity_as(call, said)
    await call.database()  # which has looked at what the login may become
    session = await QuerySession.open(call.door.login.url, "gateway console transfer")
    try:
        await session.run(f"begin {'read only' if reads else 'read write'}")
        await session.run(
            "select set_config('statement_timeout', $1, true), set_config('request.jwt.claims', $2, true)",
            (TIMEOUT, orjson.dumps(who.claims)),
        )
        if role:
            await session.run(f"set local role {quote_name(role)}")
    except BaseException:
        session.close()
        raise
    return session


ROUTES: Final = (
    ConsoleRoute("GET", "/rows/export", export, for_records=True),
    ConsoleRoute("POST", "/rows/import", import_rows, streams=True, for_records=True),
)
