"""The console's application: the door that every request passes, then its page or a handler.

    on the way in                                              refused with
    1  the Host header is this machine's or a configured name  421 host
       the page's own files                                    answered: they hold nothing
    2  what a browser says of its page is the console's own    403 foreign_page
    3  a session by the cookie                                 401 no_session
    4  a route                                                 404, 405
    5  of a change, and of the proxy: the token                403 console_token
    6  of an account for records: a route that is for those    403 records_only
    7  of a change: not in read-only mode, and JSON            403 read_only, 415
    8  of a change: a note in the audit                        503
       the handler
    9  what came of a change is noted

All of it follows from a route's row (gateway/console/call.py), so a new route has it too.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_error
from gateway.console.door import ConsoleDoor
from gateway.console.errors import ConsoleError, not_found
from gateway.console.hosts import asked_by_script, foreign_page
from gateway.console.page import page_file
from gateway.console.routes import ROUTES
from gateway.console.sessions import RECORDS, ConsoleSession
from gateway.database import DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.errors import ApiError
from gateway.http.messages import (
    ClientDisconnected,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    raw_path,
    refuse_socket,
    respond,
)
from gateway.http.routing import Routes

log = logging.getLogger("gateway.console")

API: Final = "/api"
TOKEN: Final = b"x-console-token"
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class Console:
    """ASGI application, mounted at `/_console`."""

    def __init__(self, door: ConsoleDoor) -> None:
        self._door = door
        rows: dict[str, dict[str, ConsoleRoute]] = {}
        for route in ROUTES:
            rows.setdefault(route.path, {})[route.method] = route
        self._routes: Routes[Mapping[str, ConsoleRoute]] = Routes(rows)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._socket(scope, receive, send)
            return
        began: list[int] = []

        async def watched(message: Any) -> None:
            if message["type"] == "http.response.start":
                began.append(message["status"])
            await send(message)

        try:
            response = await self._answer(scope, receive, watched, began)
        except ClientDisconnected:
            return
        except Exception as error:
            if began:
                raise  # in mid-answer: the connection is closed, so that nobody takes it for whole
            response = answer_error(as_error(error))
        if response is not None:
            await respond(scope, send, response)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, began: list[int]) -> Response | None:
        headers = list(scope["headers"])
        host = self._door.host(scope, headers)
        path = str(scope["path"])
        if path != API and not path.startswith(API + "/"):
            return await page_file(scope["method"], path)
        method = str(scope["method"])
        if (why := foreign_page(headers, host, changes=method not in ("GET", "HEAD"))) is not None:
            raise ConsoleError(403, "foreign_page", why)
        raw = raw_path(scope)
        query = scope["query_string"].decode("latin-1")
        client = scope.get("client")
        request = Request(method, raw, query, headers, client=client[0] if client else None)
        row, found = self._find(path[len(API) :], method)
        if row is not None and row.open:
            session = None
        else:
            session = await self._door.sessions.find(headers)
            if session is None:
                raise ConsoleError(
                    401, "no_session", "Sign in: a one-time code (`gateway console`), the secret key, or an account."
                )
        if row is None:
            self._no_route(path[len(API) :], method)
            raise not_found(f"there is nothing at {path}")
        change = row.is_change and method not in ("GET", "HEAD")
        self._admit(row, session, request, change)
        call = ConsoleCall(self._door, scope, receive, send, found, session, request)
        if not change:
            return await row.answer(call)
        return await self._noted(row, call, began)

    async def _noted(self, row: ConsoleRoute, call: ConsoleCall, began: list[int]) -> Response | None:
        """Make a change between two notes of the audit."""
        account = call.session.account if call.session is not None else "nobody"
        target = call.request.path.removeprefix(API) + (f"?{call.request.query}" if call.request.query else "")
        action = f"{call.method} {row.path}"
        note = await self._door.audit.begin(call.session, account, call.request.client or "", action, target)
        status = 500
        try:
            response = await row.answer(call)
            status = response.status if response is not None else (began[0] if began else 200)
            return response
        except Exception as error:
            if not isinstance(error, ClientDisconnected):
                known = as_error(error)
                status = known.status
                call.note(error=known.message)
            raise
        finally:
            await self._door.audit.end(note, status, call.noted)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The one websocket there is: let in as a change is, by host, page and session, and never as an account for
        records."""
        from gateway.console import tail

        door, headers = self._door, list(scope["headers"])
        session = None
        with suppress(ConsoleError):
            host = door.host(scope, headers)
            is_here = scope["type"] == "websocket" and scope["path"] == API + tail.PATH
            if is_here and foreign_page(headers, host, changes=True) is None:
                session = await door.sessions.find(headers)
        if session is None or session.kind == RECORDS:
            await refuse_socket(send)
            return

        async def holds() -> bool:
            return await door.sessions.find(headers) is not None

        await tail.relay(door.gateway.settings, door.gateway.keys, holds, receive, send)

    def _find(self, path: str, method: str) -> tuple[ConsoleRoute | None, Mapping[str, str]]:
        rows, found = self._routes.find(path.split("/")[1:]) or ({}, {})
        wanted = "GET" if method == "HEAD" else method
        return rows.get(wanted) or (rows.get("*") if method in _METHODS else None), found

    def _no_route(self, path: str, method: str) -> None:
        """Raises ConsoleError 405 where the path has other methods."""
        rows, _ = self._routes.find(path.split("/")[1:]) or ({}, {})
        if rows:
            raise ConsoleError(405, "method", f"{method} is not answered here", details=", ".join(sorted(rows)))

    def _admit(self, row: ConsoleRoute, session: ConsoleSession | None, request: Request, change: bool) -> None:
        """Steps 5 to 7. Raises ConsoleError."""
        writes = request.method not in ("GET", "HEAD")
        if session is not None and (writes or (row.by_token and not asked_by_script(request.headers))):
            given = request.header(TOKEN) or b""
            if not hmac.compare_digest(given, session.token.encode()):
                raise ConsoleError(403, "console_token", "A change carries the session's token in x-console-token.")
        if session is not None and session.kind == RECORDS and not row.for_records:
            raise ConsoleError(403, "records_only", "This account may see and change rows of the API's tables alone.")
        if change and not row.when_read_only and session is not None and self._door.is_read_only(session):
            raise ConsoleError(403, "read_only", "The console is in read-only mode.")
        if writes and not row.streams:
            kind = (request.header(b"content-type") or b"").partition(b";")[0].strip().lower()
            empty = request.header(b"content-length") in (None, b"0") and request.header(b"transfer-encoding") is None
            if kind != b"application/json" and not (empty and not kind):
                raise ConsoleError(415, "json_only", "Send the body as application/json.")


def as_error(error: Exception) -> ConsoleError:
    """What went wrong as an answer: the database's own words, for who is here may read them."""
    if isinstance(error, ConsoleError):
        return error
    if isinstance(error, ApiError):
        return ConsoleError(error.status, error.code, error.message)
    if isinstance(error, DatabaseError) and error.sqlstate == "57P01":  # `sql/cancel` ends a text's connection
        return ConsoleError(504, "sql", "Cancelled; nothing of it was kept.", more={"sqlstate": "57014"})
    if isinstance(error, DatabaseError):
        more = {"sqlstate": error.sqlstate}
        status = {"42501": 403, "57014": 504, "25006": 403}.get(error.sqlstate, 400)
        return ConsoleError(status, "database", error.message, hint=error.hint, details=error.detail, more=more)
    if isinstance(error, PoolTimeout | TimeoutError):
        return ConsoleError(503, "busy", "Every connection of the console is busy; try again.")
    if isinstance(error, DatabaseUnavailable):
        return ConsoleError(503, "database_unavailable", f"The database cannot be reached: {error.reason}")
    log.error("unexpected failure in the console", exc_info=error)
    return ConsoleError(500, "internal", "Something failed; the log says what.")
