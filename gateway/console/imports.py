"""A file as rows: CSV or JSON objects, held as they come in a table of the transaction's own, then all of them or none.

What is held is text yet, so that a row that is refused can be named by its number, and many of them at once.
"""

from __future__ import annotations

import asyncio
import codecs
import csv
import json
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.rows import table_of
from gateway.console.shapes import Shape
from gateway.console.transfers import open_session, read_json
from gateway.database import DatabaseError
from gateway.database.query_session import QuerySession
from gateway.database.statement import quote_literal, quote_name
from gateway.http.messages import Response

LONGEST_LINE: Final = 1_000_000  # bytes of a CSV file's first line
LONGEST_OBJECT: Final = 64_000_000  # bytes of one object of a JSON file
MOST_COLUMNS: Final = 1600  # as Postgres has them
MOST_ARGUMENTS: Final = 50  # pairs of a call, which takes a hundred arguments
MOST_FAULTS: Final = 100  # rows that are named
ROW_FAULTS: Final = ("22", "23", "P0")  # classes of SQLSTATE about a row: its values, a constraint, a trigger
_DONE: Final = object()


async def import_rows(call: ConsoleCall) -> Response:
    """`POST rows/import?schema&table&format&map&dry`: a CSV file whose first line names the columns, or JSON objects.

    `map` says which of the file's columns goes to which of the table's, as JSON; without it the names are the same.
    `dry` writes nothing. All rows come in, or none: then the answer says which rows are refused, and why."""
    query = call.query
    form = query.get("format", "csv")
    if form not in ("csv", "json"):
        raise bad_request("format is csv or json")
    dry = query.get("dry") == "true"
    shape = await table_of(call, query.get("schema", ""), query.get("table", ""))
    mapping = read_mapping(shape, read_json(query.get("map", "null"), "map is"))
    call.note(table=f"{shape.schema}.{shape.name}", dry=dry)
    session = await open_session(call, query.get("as", "service"), reads=False)
    try:
        held = await (_hold_csv if form == "csv" else _hold_json)(session, shape, mapping, call.body())
        count = 0
        if held is not None:
            count = await call.unless_left(_stopped_with(session, _insert(session, shape, held)))
        if dry:
            return answer_json({"inserted": 0, "rows": count, "dry": True})
        await session.run("commit")
    except DatabaseError as error:
        more = {"sqlstate": error.sqlstate}
        raise ConsoleError(
            400, "import", error.message, hint=error.hint, details=error.context or error.detail, more=more
        ) from error
    finally:
        session.close()
    call.note(inserted=count)
    return answer_json({"inserted": count, "rows": count, "dry": False})


def read_mapping(shape: Shape, given: object) -> dict[str, str] | None:
    """Column of the file → column of the table; what has none is left out. Raises ConsoleError 400."""
    if given is None:
        return None
    if not isinstance(given, dict) or not all(value is None or isinstance(value, str) for value in given.values()):
        raise bad_request("map has columns of the table, or null, by columns of the file")
    mapping = {str(name): shape.column(value).name for name, value in given.items() if value is not None}
    if not mapping or len(set(mapping.values())) < len(mapping):
        raise bad_request("map names no column of the table, or one of them twice")
    return mapping


@dataclass(frozen=True, slots=True)
class _Held:
    """The file's rows in a table of the transaction's own: what of it goes where."""

    columns: tuple[str, ...]
    """Names of the table's columns."""
    values: tuple[str, ...]
    """An SQL expression for each."""
    source: str

    def insert(self, shape: Shape, places: str = "") -> str:
        columns = ", ".join(quote_name(name) for name in self.columns)
        which = f" where {places}" if places else ""
        chosen = ", ".join(self.values)
        rows = f"select {chosen} from {self.source}{which} order by console_import.place"
        return f"insert into {shape.sql} ({columns}) {rows}"


_HOLD: Final = (
    "create temp table console_import (place bigint generated always as identity primary key, {}) on commit drop"
)
# A column's type without its length: a cast to varchar(3) would cut what is too long, where an assignment refuses it.
_CASTS: Final = """
with recursive base as (
  select a.attname, t.oid, t.typtype, t.typbasetype from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
  union all
  select base.attname, t.oid, t.typtype, t.typbasetype from base join pg_type t on t.oid = base.typbasetype
  where base.typtype = 'd'
) select attname, format_type(oid, -1) from base where typtype <> 'd'"""


async def _hold_csv(
    session: QuerySession, shape: Shape, mapping: dict[str, str] | None, body: AsyncIterator[bytes]
) -> _Held:
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
    if not named or len(first) > LONGEST_LINE or len(named) > MOST_COLUMNS:
        raise bad_request("the first line names no columns")
    if mapping is None:
        mapping = {name: shape.column(name).name for name in named}
    taken = {name: at for at, name in reversed(list(enumerate(named))) if name in mapping}
    if len(taken) < len(mapping):
        raise bad_request(f"the file has no column {next(name for name in mapping if name not in taken)!r}")

    async def pieces() -> AsyncIterator[bytes]:
        yield held.removeprefix(b"\xef\xbb\xbf")
        async for piece in body:
            yield piece

    columns = [f"c{at}" for at in range(len(named))]
    await session.run(_HOLD.format(", ".join(f"{column} text" for column in columns)))
    await session.copy_in(
        f"copy console_import ({', '.join(columns)}) from stdin with (format csv, header true, encoding 'UTF8')",
        pieces(),
    )
    rows = (await session.run(_CASTS, (shape.sql,), limit=2 * MOST_COLUMNS)).rows
    casts = {(row[0] or b"").decode(): (row[1] or b"").decode() for row in rows}
    values = tuple(f"c{at}::{casts[mapping[name]]}" for name, at in taken.items())
    return _Held(tuple(mapping[name] for name in taken), values, "console_import")


async def _hold_json(
    session: QuerySession, shape: Shape, mapping: dict[str, str] | None, body: AsyncIterator[bytes]
) -> _Held | None:
    """What the first object does not name has its default in all of them."""
    objects = objects_of(body)
    begun = await anext(objects, None)
    if begun is None:
        return None
    first, first_text = begun
    if not first:
        raise bad_request("the first object names no column")
    if mapping is None:
        mapping = {name: shape.column(name).name for name in first}
    known, unseen = {*first, *mapping}, set(mapping) - set(first)

    async def pieces() -> AsyncIterator[bytes]:
        yield _line(first_text)
        async for one, text in objects:
            for name in one:
                if name not in known:
                    raise bad_request(f"an object names {name!r}, which the first one does not")
            unseen.difference_update(one)
            yield _line(text)
        if unseen:
            raise bad_request(f"no object has {min(unseen)!r}")

    await session.run(_HOLD.format("item json"))
    await session.copy_in("copy console_import (item) from stdin with (encoding 'UTF8')", pieces())
    source, values, pairs = "console_import", [], list(mapping.items())
    for number, begin in enumerate(range(0, len(pairs), MOST_ARGUMENTS)):
        some = pairs[begin : begin + MOST_ARGUMENTS]
        named = ", ".join(
            f"{quote_literal(column)}, console_import.item -> {quote_literal(name)}" for name, column in some
        )
        record = f"json_populate_record(null::{shape.sql}, json_build_object({named}))"
        source += f" cross join lateral {record} as made{number}"
        values += [f"made{number}.{quote_name(column)}" for _, column in some]
    return _Held(tuple(mapping.values()), tuple(values), source)


async def _stopped_with(session: QuerySession, work: Coroutine[Any, Any, int]) -> int:
    """What comes of work on a connection; where it is given up, the server stops too."""
    try:
        return await work
    except asyncio.CancelledError:
        await session.cancel()
        raise


async def _insert(session: QuerySession, shape: Shape, held: _Held) -> int:
    """All of them; their number. Raises ConsoleError 400 with the rows that are refused."""
    await session.run("savepoint whole")
    try:
        found = await session.run(held.insert(shape))
    except DatabaseError as error:
        if error.sqlstate[:2] not in ROW_FAULTS and not (error.sqlstate == "42501" and "row-level" in error.message):
            raise
        await session.run("rollback to savepoint whole")
        faults, rows, checked = await _faults(session, shape, held)
        if not faults:
            raise
        many = f"{len(faults)} {'row is' if len(faults) == 1 else 'rows are'} refused"
        told = f"{many} of the first {checked}" if checked < rows else f"{many} of {rows}"
        raise ConsoleError(
            400, "import_rows", f"{told}; none came in.",
            more={"errors": faults, "rows": rows, "checked": checked, "sqlstate": error.sqlstate},
        ) from error  # fmt: skip
    return int(found.tag.rpartition(" ")[2] or 0)


async def _faults(session: QuerySession, shape: Shape, held: _Held) -> tuple[list[dict[str, Any]], int, int]:
    """Which rows are refused one by one, how many there are, and how many were tried: it ends at a hundred faults.

    Rows go in by the thousand; where that is refused each of them is tried alone."""
    await session.run(
        "create temp table console_faults (place bigint, sqlstate text, message text, detail text, named text)"
        " on commit drop"
    )
    # Names of columns stand beside these, whatever they are: each variable is named with its block.
    part = held.insert(
        shape, "console_import.place > console_tries.begun and console_import.place <= console_tries.begun + 1000"
    )
    alone = held.insert(shape, "console_import.place = console_tries.begun + console_rows.step")
    body = f"""
<<console_tries>>
declare begun bigint := 0; most bigint; faults int := 0; text_ text; detail_ text; state_ text; named_ text;
begin
  select coalesce(max(place), 0) into most from console_import;
  while begun < most and faults < {MOST_FAULTS} loop
    begin
      {part};
    exception when others then
      <<console_rows>>
      for step in 1 .. 1000 loop
        begin
          {alone};
        exception when others then
          get stacked diagnostics text_ = message_text, detail_ = pg_exception_detail, state_ = returned_sqlstate,
            named_ = column_name;
          insert into console_faults values (begun + step, state_, text_, detail_, named_);
          faults := faults + 1;
        end;
        exit when faults >= {MOST_FAULTS} or begun + step >= most;
      end loop;
    end;
    begun := begun + 1000;
  end loop;
end"""
    await session.run(f"do {quote_literal(body)}")
    listed = (await session.run("select place, sqlstate, message, detail, named from console_faults order by 1")).rows
    faults: list[dict[str, Any]] = []
    for row in listed:
        place, state, message, detail, column = ((value or b"").decode() for value in row)
        told = {"row": int(place), "sqlstate": state, "message": message}
        faults.append({**told, "details": detail or None, "column": column or None})
    rows = int((await session.run("select count(*) from console_import")).rows[0][0] or 0)
    return faults, rows, int(faults[-1]["row"]) if len(faults) >= MOST_FAULTS else rows


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


ROUTES: Final = (ConsoleRoute("POST", "/rows/import", import_rows, streams=True, for_records=True),)
