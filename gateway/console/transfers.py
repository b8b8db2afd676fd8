"""Rows as a file: streamed out of COPY, so that no table is ever in memory."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from typing import Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute
from gateway.console.errors import bad_request
from gateway.console.rows import identity_as, table_of
from gateway.console.shapes import ShapeColumn, Values, ordering, where
from gateway.database.query_session import QuerySession
from gateway.database.statement import quote_literal, quote_name
from gateway.http.messages import Response

TIMEOUT: Final = "3600s"
_FIGURES: Final = ("smallint", "integer", "bigint", "numeric", "real", "double precision", "money", "oid")
_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPES: Final[Mapping[bytes, bytes]] = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class _Literals(Values):
    """Values written into the text, for COPY takes none beside it."""

    def add(self, value: str | None) -> str:
        return "null" if value is None else quote_literal(value)


async def export(call: ConsoleCall) -> Response | None:
    """`GET rows/export?schema&table&format&as&filters&order&safe`, filters and order as JSON.

    Texts go out as they are, so that they come back as they were; `safe` puts a `'` before those of a CSV file that a
    spreadsheet would take for formulas."""
    query = call.query
    form = query.get("format", "csv")
    if form not in ("csv", "json"):
        raise bad_request("format is csv or json")
    shape = await table_of(call, query.get("schema", ""), query.get("table", ""))
    conditions = where(shape, read_json(query.get("filters", "[]")), _Literals())
    order = ordering(shape, read_json(query.get("order", "[]")))
    safe = form == "csv" and query.get("safe") == "true"
    columns = ", ".join(_unformulated(column) if safe else quote_name(column.name) for column in shape.columns)
    chosen = f" where {' and '.join(conditions)}" if conditions else ""
    sorting = f" order by {', '.join(each.sql for each in order)}" if order else ""
    rows = f"select {columns} from {shape.sql}{chosen}{sorting}"
    session = await open_session(call, query.get("as", "service"), reads=True)
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


def _unformulated(column: ShapeColumn) -> str:
    """A column whose texts no spreadsheet takes for a formula; figures stay figures."""
    name = quote_name(column.name)
    if column.type.startswith(_FIGURES):
        return name
    return f"case when {name}::text ~ '^[=+@\\t\\r-]' then '''' || {name}::text else {name}::text end as {name}"


async def _as_json(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Rows of COPY's text form, which escapes what JSON has not, as one array."""
    before = b"["
    async for line in lines:
        row = _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), line.removesuffix(b"\n"))
        yield before + row
        before = b",\n"
    yield b"[]\n" if before == b"[" else b"]\n"


def read_json(text: str, what: str = "filters and order are") -> object:
    try:
        return orjson.loads(text)
    except ValueError:
        raise bad_request(f"{what} JSON") from None


async def open_session(call: ConsoleCall, said: str, *, reads: bool) -> QuerySession:
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


ROUTES: Final = (ConsoleRoute("GET", "/rows/export", export, for_records=True),)
