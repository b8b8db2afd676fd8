"""Result → Response: status, headers and body, and what the request's own SQL made of them (contract 9 to 16)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import orjson

from gateway.catalog.model import Table, Volatility
from gateway.database import Result
from gateway.errors import ApiError
from gateway.http.messages import HeaderList, Response
from gateway.rest import errors
from gateway.rest.parse.media import OPENAPI
from gateway.rest.parse.ranges import content_range, status_of
from gateway.rest.parse.request import ApiRequest
from gateway.rest.planner.prepare import Prepared
from gateway.rest.types import Action, Resource

# What an answer that was planned depends on, beside its address. SQL may replace it by response.headers.
_VARY: Final = (b"vary", b"Accept, Prefer, Range")


def check_result(asked: ApiRequest, prepared: Prepared, result: Result) -> None:
    """Raise what must undo the transaction: not the one object asked for, no match of a PUT, too many rows."""
    rows = int(result.rows[0][1] or 0)
    if prepared.action is Action.UPSERT:
        if rows != 1:
            raise ApiError(errors.PUT_KEY)
        return
    if prepared.response_format.media.singular and rows != 1:
        raise ApiError(errors.SINGULAR, rows=rows)
    preferences = asked.preferences
    if prepared.action in (Action.UPDATE, Action.DELETE, Action.CALL) and preferences.strict:
        most = preferences.max_affected
        if most is not None and rows > most:
            raise ApiError(errors.MAX_AFFECTED, rows=rows)


def render(
    asked: ApiRequest, prepared: Prepared, results: Sequence[Result], max_rows: int | None, verbose: bool = True
) -> Response:
    """The response to a request that succeeded. Raises ApiError for what the request's SQL left unusable."""
    if prepared.explaining:
        return _render_plan(asked, prepared, results[-1])
    main = results[-2] if prepared.explain is not None else results[-1]
    row = main.rows[0]
    action = prepared.action
    reads = action is Action.READ or action is Action.CALL
    location = inserted = None
    if reads:
        total, count, content, own_headers, own_status = row[:5]
    else:
        total, count, location, content, own_headers, own_status, inserted = row[:7]
    rows = int(count or 0)
    body = content or b""
    if prepared.binary and row[-1] == b"t" and body.startswith(b"\\x"):
        body = bytes.fromhex(body[2:].decode())
    if prepared.unwrap:
        body = body[1:-1] if rows else b"null"
    if reads:
        response = _render_read(asked, prepared, rows, _total(prepared, results, total, max_rows), body, verbose)
    elif action is Action.CREATE:
        response = _render_create(asked, prepared, rows, location, int(inserted or 0), body)
    elif action is Action.UPSERT:
        response = _render_upsert(asked, prepared, int(inserted or 0), body)
    else:
        response = _render_change(asked, prepared, rows, body)
    response.headers.append(_VARY)
    if prepared.warning is not None and response.status < 300:
        response.headers.append((b"warning", prepared.warning))
    if own_status or own_headers:
        override(response, own_status, own_headers)
    return response


def _total(prepared: Prepared, results: Sequence[Result], total: bytes | None, max_rows: int | None) -> int | None:
    """The total of a counted read."""
    exact = int(total or 0) if prepared.counted else None
    if prepared.explain is None:
        return exact
    plan = orjson.loads(results[-1].value or b"[]")
    planned = int(plan[0]["Plan"]["Plan Rows"])
    if exact is None:
        return planned
    return max(exact, planned) if max_rows is None or exact > max_rows else exact


def _render_read(
    asked: ApiRequest, prepared: Prepared, rows: int, total: int | None, body: bytes, verbose: bool
) -> Response:
    offset = asked.range.offset
    status = status_of(offset, rows, total)
    headers: HeaderList = [(b"content-range", content_range(offset, offset + rows - 1, total))]
    if prepared.action is Action.READ:
        query = asked.parsed_query.canonical
        location = prepared.location
        headers.append((b"content-location", location + b"?" + query if query else location))
    routine = prepared.routine
    if routine is not None and routine.returns.is_void:
        return Response(204, _with_applied(headers, prepared))
    headers.append((b"content-type", prepared.content_type))
    if asked.negotiated:
        headers.append((b"content-profile", asked.schema.encode()))
    if status == 416:
        details = f"An offset of {offset} was requested, but there are only {total} rows."
        body = errors.body(errors.RANGE.code, errors.RANGE.message, details, None, verbose)
    if asked.head:
        return Response(status, _with_applied(headers, prepared))
    return Response(status, _with_applied(headers, prepared), body)


def _with_applied(headers: HeaderList, prepared: Prepared) -> HeaderList:
    if prepared.applied is not None:
        headers.append((b"preference-applied", prepared.applied))
    return headers


def _counted(asked: ApiRequest) -> bool:
    return asked.preferences.count in ("exact", "estimated")


def _with_body(asked: ApiRequest, prepared: Prepared, status: int, headers: HeaderList, body: bytes) -> Response:
    headers.append((b"content-type", prepared.content_type))
    if asked.negotiated:
        headers.append((b"content-profile", asked.schema.encode()))
    return Response(status, headers, body)


def _render_create(
    asked: ApiRequest, prepared: Prepared, rows: int, location: bytes | None, inserted: int, body: bytes
) -> Response:
    headers: HeaderList = []
    if location is not None:
        assert prepared.table is not None
        headers.append((b"location", _row_location(prepared.table, location)))
    headers.append((b"content-range", content_range(1, 0, rows if _counted(asked) else None)))
    _with_applied(headers, prepared)
    status = 200 if prepared.merging and inserted <= 0 else 201
    if asked.preferences.full:
        return _with_body(asked, prepared, status, headers, body)
    return Response(status, headers)


def _row_location(table: Table, pairs: bytes) -> bytes:
    """Where an inserted row can be read again."""
    parts = [
        f"{quote(name, safe='')}={'is.null' if value is None else 'eq.' + quote(value, safe='')}"
        for name, value in orjson.loads(pairs)
    ]
    return f"/{quote(table.name.name, safe='')}?{'&'.join(parts)}".encode()


def _render_upsert(asked: ApiRequest, prepared: Prepared, inserted: int, body: bytes) -> Response:
    headers = _with_applied([], prepared)
    if not asked.preferences.full:
        return Response(204, headers)
    return _with_body(asked, prepared, 201 if inserted > 0 else 200, headers, body)


def _render_change(asked: ApiRequest, prepared: Prepared, rows: int, body: bytes) -> Response:
    total = rows if _counted(asked) else None
    low, high = (0, rows - 1) if prepared.action is Action.UPDATE else (1, 0)
    headers = _with_applied([(b"content-range", content_range(low, high, total))], prepared)
    if not asked.preferences.full:
        return Response(204, headers)
    return _with_body(asked, prepared, 200, headers, body)


def _render_plan(asked: ApiRequest, prepared: Prepared, result: Result) -> Response:
    """EXPLAIN's lines; the text format has one a row."""
    body = b"".join([(row[0] or b"") + b"\n" for row in result.rows])
    return _with_body(asked, prepared, 200, [_VARY], body)


# --- what the request's own SQL decides -----------------------------------------------------------------------------


def override(response: Response, status: bytes | None, headers: bytes | None) -> None:
    """Apply response.status and response.headers. Raises ApiError GUC_STATUS, GUC_HEADERS."""
    if status:
        text = status.decode("utf-8", "replace")
        digits = text[: len(text) - len(text.lstrip("0123456789"))]
        if not digits or not 100 <= int(digits[:4]) <= 999:
            raise ApiError(errors.GUC_STATUS)
        response.status = int(digits)
    if headers:
        own = _guc_headers(headers)
        names = {name for name, _ in own}
        response.headers = [header for header in response.headers if header[0] not in names] + own


def _guc_headers(raw: bytes) -> HeaderList:
    try:
        parsed = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise ApiError(errors.GUC_HEADERS) from None
    headers: HeaderList = []
    if not isinstance(parsed, list):
        raise ApiError(errors.GUC_HEADERS)
    for item in parsed:
        if not (isinstance(item, dict) and len(item) == 1):
            raise ApiError(errors.GUC_HEADERS)
        ((name, value),) = item.items()
        if not isinstance(value, str):
            raise ApiError(errors.GUC_HEADERS)
        # A line break would end the header.
        headers.append((_line(name).lower(), _line(value)))
    return headers


def _line(text: str) -> bytes:
    return text.replace("\r", " ").replace("\n", " ").encode("utf-8")


# --- what needs no database -----------------------------------------------------------------------------------------


def render_info(asked: ApiRequest, table: Table | None, volatility: Volatility | None) -> Response:
    """OPTIONS: what the resource supports, whoever asks."""
    if asked.resource is Resource.SCHEMA:
        allowed = "OPTIONS,GET,HEAD"
    elif table is not None:
        allowed = _allowed(table)
    else:
        allowed = "OPTIONS,POST" if volatility is Volatility.VOLATILE else "OPTIONS,GET,HEAD,POST"
    return Response(200, [(b"allow", allowed.encode()), _VARY])


def render_document(asked: ApiRequest, document: bytes) -> Response:
    """The OpenAPI document of the root path."""
    headers: HeaderList = [(b"content-type", OPENAPI.content_type), _VARY]
    if asked.negotiated:
        headers.append((b"content-profile", asked.schema.encode()))
    return Response(200, headers, document)


def _allowed(table: Table) -> str:
    verbs = ["OPTIONS,GET,HEAD"]
    if table.insertable:
        verbs.append("POST")
    if table.insertable and table.updatable and table.primary_key:
        verbs.append("PUT")
    if table.updatable:
        verbs.append("PATCH")
    if table.deletable:
        verbs.append("DELETE")
    return ",".join(verbs)
