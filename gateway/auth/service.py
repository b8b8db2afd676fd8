"""`AuthService`: one request in, one response out, whatever happens in between.

Expected failures become the body that the client's API version wants, and a row of the audit log; unexpected ones
become a plain 500 whose cause is in the log alone.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.cleanup import tend
from gateway.auth.context import Context
from gateway.auth.http.routes import AuthRoute, find_route
from gateway.auth.outbound.mailer import Mailer
from gateway.auth.raised import RefusedByDatabase, failure_of
from gateway.auth.store import audit
from gateway.database import ConnectionLost, Database, DatabaseError, DatabaseUnavailable, PoolTimeout, ReadOnlyDatabase
from gateway.errors import ApiError
from gateway.http.messages import Request, Response
from gateway.identity.keyring import KeyRing
from gateway.middleware.metrics import Shortages
from gateway.settings import Settings
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.auth")

TIMEOUT: Final = 10.0  # seconds a request may take
LATER: Final = 500  # answered requests that may have something left to do; a further one does it before it is answered


class AuthService:
    """The auth API. Paths come without their prefix; API keys were checked at the edge."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        keys: KeyRing,
        mailer: Mailer | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.timeout = TIMEOUT
        self.shortages = Shortages()
        self._cleanup: asyncio.Task[None] | None = None
        self._later: set[asyncio.Task[None]] = set()
        self.context = Context(settings, db, keys, mailer or Mailer(settings), clock)

    def start(self, on_keys_changed: Callable[[], None] = lambda: None) -> None:
        """Begin the cleaning up; `on_keys_changed` is called when keys were rotated or revoked."""
        self._cleanup = asyncio.get_running_loop().create_task(lasting(partial(tend, self.context, on_keys_changed)))

    async def settle(self) -> None:
        """Wait until nothing is left to do for requests that were answered."""
        while self._later:
            await asyncio.gather(*self._later)

    def close(self) -> None:
        """End the cleaning up and the threads that hash passwords."""
        if self._cleanup is not None:
            self._cleanup.cancel()
        self.context.guards.close()

    async def handle(self, request: Request) -> Response:
        """Answer a request; expected failures are answers too."""
        route, params = find_route(request.method, request.path)
        if isinstance(route, Response):
            return route
        context = self.context
        call = AuthCall(request, context.clock(), context.origin(request), params, f"{route.method} {route.path}")
        dated = errors.is_dated(request.header(b"x-supabase-api-version"))
        try:
            async with asyncio.timeout(self.timeout) as limit:
                call.limit = limit
                response = await route.handle(context, call)
                if call.later is not None and len(self._later) >= LATER:
                    await self._finish(route, call, call.later)
                elif call.later is not None:
                    task = asyncio.get_running_loop().create_task(self._finish(route, call, call.later))
                    self._later.add(task)
                    task.add_done_callback(self._later.discard)
            response.headers.extend(call.headers)
            return response
        except ApiError as error:
            await self._record_failure(route, call, error)
            failure = error
        except TimeoutError as error:
            log.error("%s %s took longer than %s s", request.method, request.path, self.timeout, exc_info=error)
            failure = ApiError(errors.REQUEST_TIMEOUT)
        except PoolTimeout:
            log.error("no database connection became free for %s %s", request.method, request.path)
            failure = ApiError(errors.REQUEST_TIMEOUT)
        except ReadOnlyDatabase as error:
            failure = ApiError(errors.MAINTENANCE, headers=((b"retry-after", str(error.retry_after).encode()),))
        except (DatabaseUnavailable, ConnectionLost) as error:
            log.error("database unavailable: %s", error.reason)
            failure = ApiError(errors.UNAVAILABLE, headers=((b"retry-after", str(error.retry_after).encode()),))
        except DatabaseError as error:
            self.shortages.note(error.sqlstate)
            failure = failure_of(error, call.place, request.request_id)
        except Exception:
            log.exception("%s %s failed, request %s", request.method, request.path, request.request_id)
            failure = ApiError(errors.UNEXPECTED_FAILURE)
        words = failure.public() if isinstance(failure, RefusedByDatabase) and not dated else None
        if words is not None:
            response = errors.render_words(words.status, words.body, failure.code)
        else:
            response = errors.render_error(failure, dated, request.request_id)
        response.headers.extend(call.headers)
        return response

    async def _finish(self, route: AuthRoute, call: AuthCall, later: Callable[[], Awaitable[None]]) -> None:
        """Do what is left of a request that was answered; nobody can be told any more but the logs."""
        try:
            async with asyncio.timeout(self.timeout):
                await later()
        except ApiError as error:
            await self._record_failure(route, call, error)
        except Exception:
            log.exception(
                "%s %s, request %s, was answered but not finished",
                call.request.method, call.request.path, call.request.request_id,
            )  # fmt: skip

    async def _record_failure(self, route: AuthRoute, call: AuthCall, error: ApiError) -> None:
        """One audit row for a refused request; too many requests are not worth a row each."""
        if route.action is None or error.status == 429 or error.status >= 500:
            log.info("%s %s: %s", call.request.method, call.request.path, error.code)
            return
        action = "token_reused" if error.row is errors.REFRESH_TOKEN_USED else route.action
        row = audit.record(
            action, call.actor, call.origin, call.now, outcome="failure", error_code=error.code, traits=None
        )
        try:
            await self.context.run(row)
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as problem:
            log.error("could not write the audit row of %s (%s): %s", action, error.code, problem)
