"""What a handler returns → a Starlette response.

    str → text/plain            dict, list → JSON             bytes → application/octet-stream
    None → 204                  Response → as it is           (body, status[, headers]) → body, then status and headers
    async iterator of str or bytes → streamed as it comes; text/plain unless the headers say otherwise

Anything else raises TypeError, and a status that ends no exchange ValueError, which the runner answers as the
function's own fault.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import Response, StreamingResponse


def adapt(reply: Any) -> Response:
    """Response for a handler's return value. Raises TypeError, ValueError (a body JSON cannot hold, a bad status)."""
    response = _response(reply)
    if not 200 <= response.status_code <= 599:
        # Of less than 200 the client would wait for what comes after.
        raise ValueError(f"a handler cannot answer with status {response.status_code}: 200 to 599")
    return response


def _response(reply: Any) -> Response:
    if isinstance(reply, Response):
        return reply
    if isinstance(reply, tuple):
        return _with_status(reply)
    return _body(reply, 200, {})


def _with_status(reply: tuple[Any, ...]) -> Response:
    match reply:
        case (body, int() as status):
            headers: Mapping[str, str] = {}
        case (body, int() as status, Mapping() as headers):
            pass
        case _:
            raise TypeError("a tuple reply is (body, status) or (body, status, headers)")
    if isinstance(body, Response):
        body.status_code = status
        body.headers.update(headers)
        return body
    return _body(body, status, headers)


def _body(body: Any, status: int, headers: Mapping[str, str]) -> Response:
    fields = dict(headers)
    given = next((value for name, value in fields.items() if name.lower() == "content-type"), None)
    if body is None:
        # Never a content type without a body: clients would try to parse it.
        return Response(status_code=204 if status == 200 else status, headers=fields)
    if isinstance(body, str):
        return Response(body, status, fields, given or "text/plain; charset=utf-8")
    if isinstance(body, bytes | bytearray | memoryview):
        return Response(bytes(body), status, fields, given or "application/octet-stream")
    if isinstance(body, dict | list):
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return Response(text, status, fields, given or "application/json")
    if isinstance(body, AsyncIterator):
        return StreamingResponse(body, status, fields, given or "text/plain; charset=utf-8")
    raise TypeError(f"a handler cannot return {type(body).__name__}")
