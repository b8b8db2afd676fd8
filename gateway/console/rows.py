"""Rows of any table: a page of them by key, one cell whole.

Cells are cut in the database, so a value of megabytes is neither sent nor held. The next page begins at the last row's
key; rows without a key are paged by where they lie, views by number. Nothing is counted unless it is asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.identities import AskedAs, asked_as
from gateway.console.request_texts import request_texts
from gateway.console.shapes import (
    CUT,
    LONGEST_CURSOR,
    Ordering,
    Shape,
    Values,
    after,
    by_key,
    ordering,
    read_cursor,
    shape_of,
    where,
    write_cursor,
)
from gateway.database import READ_ONLY, Database, DatabaseError, Result, Scope
from gateway.database.statement import Statement, quote_name
from gateway.http.messages import Response

MOST: Final = 1000  # rows of a page
PATIENCE: Final = 15  # seconds that a page's rows may take, where it is not said
LONGEST_PATIENCE: Final = 600
TIMEOUT: Final = f"{PATIENCE}s"
COUNT_TIMEOUT: Final = "5s"
CANCELED: Final = "57014"
LONGEST_CELL: Final = 50_000_000  # bytes of one value that is sent


async def table_of(call: ConsoleCall, schema: str, table: str) -> Shape:
    """The table that a request names. Raises ConsoleError 403, 404."""
    call.admit_schema(schema)
    return await shape_of(await call.database(), schema, table)


async def identity_as(call: ConsoleCall, said: str) -> tuple[AskedAs, str]:
    """Who is asked as, and the role to take on. The service is the console's own login, which may what its roles may;
    for an account for records it is the API's, and it asks as none of the users. Raises ConsoleError."""
    if call.records_alone and said not in ("service", "anon"):
        raise ConsoleError(403, "records_only", "This account asks as service or anon.")
    who = await asked_as(call.gateway, said)
    return who, who.role if said != "service" or call.records_alone else ""


async def scope_as(call: ConsoleCall, said: str, *, reads: bool, timeout: str = TIMEOUT, own: bool = False) -> Scope:
    """A transaction as somebody; as the console's `own` login for counts that no API's role could make."""
    who, role = await identity_as(call, said)
    role = "" if own else role
    names, values = ["request.jwt.claims", "statement_timeout"], [orjson.dumps(who.claims).decode(), timeout]
    if role:
        names.append("role")
        values.append(role)
    if reads:
        names.append(READ_ONLY)
        values.append("on")
    return Scope(role, tuple(names), tuple(values))


async def page(call: ConsoleCall) -> Response:
    """`POST rows`."""
    began = time.perf_counter()
    content = await call.json()
    database = await call.database()
    shape = await table_of(call, text_of(content, "schema"), text_of(content, "table"))
    limit = content.get("limit", 100)
    if not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise bad_request(f"limit is a number from 1 to {MOST}")
    said = text_of(content, "as", "service")
    order = ordering(shape, content.get("order") or [])
    patience = content.get("patience", PATIENCE)
    if not isinstance(patience, int) or isinstance(patience, bool) or not 1 <= patience <= LONGEST_PATIENCE:
        raise bad_request(f"patience is a number of seconds from 1 to {LONGEST_PATIENCE}")
    scope = await scope_as(call, said, reads=True, timeout=f"{patience}s")
    statement, kind, skipped = page_query(shape, content.get("filters") or [], order, content.get("after"), limit)
    quick = (
        Statement("set local max_parallel_workers_per_gather = 0"),
        Statement("set local synchronize_seqscans = off"),  # a page of rows without a key begins where it did before
    )
    try:
        result = (await database.run_all(scope, *quick, statement))[-1]
    except DatabaseError as error:
        if error.sqlstate != CANCELED:
            raise
        raise ConsoleError(
            504, "too_slow", f"The rows were not found within {patience} s.",
            hint="An index on the columns that are filtered and sorted by would find them at once.",
        ) from error  # fmt: skip
    found = await asyncio.to_thread(_read, shape, order, result, limit, kind, skipped)
    count, count_is = await counted(call, database, shape, content, scope)
    texts = request_texts(call.settings, shape, content, said, limit)
    spent = round((time.perf_counter() - began) * 1000, 1)
    return answer_json({**found, "count": count, "count_is": count_is, "ms": spent, "request": texts})


def page_query(
    shape: Shape, filters: object, order: Sequence[Ordering], cursor: object, limit: int
) -> tuple[Statement, str, int]:
    """The statement of a page, how the next one is found, and how many rows it passes over. One row more is read than
    is shown. Raises ConsoleError 400."""
    values = Values()
    conditions = where(shape, filters, values)
    kind = "key" if shape.key else "place" if shape.kind in "rm" and not order else "skip"
    skipped = 0
    if cursor is not None:
        given, place = read_cursor(cursor, order)
        if given == "skip":
            kind, skipped = "skip", place
        elif given != kind:
            raise bad_request("the cursor is of another order")
        elif kind == "key":
            conditions.append(after(order, place, values))
        else:
            conditions.append(f"ctid > {values.add(place)}::tid")
    chosen = f" where {' and '.join(conditions)}" if conditions else ""
    sorting = f" order by {', '.join(each.sql for each in order)}" if order else ""
    skip = f" offset {skipped}" if skipped else ""
    columns = [quote_name(column.name) for column in shape.columns]
    place = ', ctid as "console ctid"' if kind == "place" else ""
    inner = f"select {', '.join(columns) or 'null'}{place} from {shape.sql}"
    texts = ", ".join(f"page.{name}::text as t{at}" for at, name in enumerate(columns)) or "null"
    shown = []
    for at in range(len(columns)):
        shown += [f"left(t{at}, {CUT})", f"case when octet_length(t{at}) > {CUT} then octet_length(t{at}) end"]
    places = {column.name: at for at, column in enumerate(shape.columns)}
    for each in order:
        at = places[each.column.name]
        shown += [f"case when octet_length(t{at}) <= {LONGEST_CURSOR} then t{at} end"]
    if kind == "place":
        shown.append('page."console ctid"::text')
    # Each text is made once, and then cut and measured: `offset 0` keeps it from being made anew at each use.
    text = (
        f"select {', '.join(shown) or 'null'} from ({inner}{chosen}{sorting} limit {limit + 1}{skip}) as page"
        f" cross join lateral (select {texts} offset 0) as texts"
    )
    return Statement(text, tuple(values.bound)), kind, skipped


def _read(
    shape: Shape, order: Sequence[Ordering], result: Result, limit: int, kind: str, skipped: int
) -> dict[str, Any]:
    """What a page's rows say."""
    width = len(shape.columns)
    rows: list[list[str | None]] = []
    cut: list[tuple[int, int, int]] = []
    for number, raw in enumerate(result.rows[:limit]):
        row: list[str | None] = []
        for at in range(width):
            value, length = raw[2 * at], raw[2 * at + 1]
            row.append(None if value is None else value.decode())
            # Its bytes are more than what is shown; that its characters are, too, the shown text says.
            if length is not None and value is not None and int(length) > len(value):
                cut.append((number, at, int(length)))
        rows.append(row)
    places = [list(raw[2 * width : 2 * width + len(order)]) for raw in result.rows[:limit]]
    named = {each.column.name: at for at, each in enumerate(order)}
    keys = None
    if shape.key:
        keys = [[_text(place[named[column.name]]) for column in shape.key] for place in places]
    following = None
    if len(result.rows) > limit and rows:
        last, measured = places[-1], result.rows[limit - 1]
        at_of = {column.name: at for at, column in enumerate(shape.columns)}
        too_long = any(
            value is None and measured[2 * at_of[each.column.name]] is not None
            for each, value in zip(order, last, strict=True)
        )
        if kind == "place":
            following = write_cursor("place", _text(result.rows[limit - 1][-1]))
        elif kind == "key" and not too_long:
            following = write_cursor("key", [_text(value) for value in last])
        else:
            following = write_cursor("skip", skipped + limit)
    columns = [{"name": column.name, "type": column.type} for column in shape.columns]
    key = [column.name for column in shape.key] or None
    return {"columns": columns, "rows": rows, "cut": cut, "key": key, "keys": keys, "next": following}


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


async def counted(
    call: ConsoleCall, database: Database, shape: Shape, content: dict[str, Any], scope: Scope
) -> tuple[int | None, str]:
    """The number of rows as it was asked for: `none`, `estimate`, or `exact`, which is an estimate where it takes too
    long."""
    wanted = content.get("count", "none")
    if wanted not in ("none", "estimate", "exact"):
        raise bad_request("count is none, estimate or exact")
    if wanted == "none":
        return None, "none"
    values = Values()
    conditions = where(shape, content.get("filters") or [], values)
    chosen = f" where {' and '.join(conditions)}" if conditions else ""
    source = shape.sql + chosen
    if wanted == "exact":
        limited = Statement("select set_config('statement_timeout', $1, true)", (COUNT_TIMEOUT,))
        question = Statement(f"select count(*) from {source}", tuple(values.bound))
        try:
            return int((await database.run_all(scope, limited, question))[-1].value or 0), "exact"
        except DatabaseError as error:
            if error.sqlstate != CANCELED:
                raise
    if not conditions and scope.role == "" and shape.kind in "rm" and shape.estimate > 0:
        return shape.estimate, "estimate"
    plan = await database.run(scope, Statement(f"explain (format json) select from {source}", tuple(values.bound)))
    return int(orjson.loads(plan.value or b"[]")[0]["Plan"]["Plan Rows"]), "estimate"


async def cell(call: ConsoleCall) -> Response:
    """One value, whole."""
    content = await call.json()
    database = await call.database()
    shape = await table_of(call, text_of(content, "schema"), text_of(content, "table"))
    column = quote_name(shape.column(content.get("column")).name)
    values = Values()
    chosen = by_key(shape, content.get("key"), values)
    scope = await scope_as(call, text_of(content, "as", "service"), reads=True)
    text = (
        f"select octet_length(t), case when octet_length(t) <= {LONGEST_CELL} then t end from {shape.sql} as page"
        f" cross join lateral (select page.{column}::text as t offset 0) as texts where {chosen}"
    )
    result = await database.run(scope, Statement(text, tuple(values.bound)))
    if not result.rows:
        raise ConsoleError(404, "no_row", "The row is not there any more.")
    length, value = result.rows[0]
    if value is None and length is not None:
        raise ConsoleError(413, "too_large", f"The value has {int(length)} bytes; read it by SQL in parts.")
    return answer_json({"value": _text(value)})


ROUTES: Final = (
    ConsoleRoute("POST", "/rows", page, reads=True, for_records=True),
    ConsoleRoute("POST", "/rows/cell", cell, reads=True, for_records=True),
)
