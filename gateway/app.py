"""The whole gateway on one page: its services, the middleware before them, the path of a request, start and stop.

`/rest/v1`, `/auth/v1`, `/functions/v1`, `/storage/v1` and `/realtime/v1` go to their services, everything else to the
site. What every request passes is drawn in gateway/middleware/stack.py; small requests to tables skip ASGI, as
gateway/server/fast_path says, and so do the websockets of realtime (gateway/realtime/door.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Final

from gateway.auth.service import AuthService
from gateway.catalog.model import Name
from gateway.catalog.reload import SchemaCacheHolder
from gateway.database.poolers import Urls
from gateway.functions.environment import injected
from gateway.functions.service import FunctionsService
from gateway.functions.stored_calls import StoredCalls
from gateway.http.messages import App, Bodies, Receive, Scope, Send, raw_path
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.lru_cache import Caches
from gateway.middleware.limits import Buckets, Limits
from gateway.middleware.metrics import Board
from gateway.middleware.observers import Observers
from gateway.middleware.request_id import RequestIds
from gateway.middleware.stack import Stack
from gateway.realtime.compose import realtime_core
from gateway.realtime.door import Door
from gateway.realtime.rest import BroadcastApi
from gateway.rest.endpoint import RestService
from gateway.rest.openapi import Documents
from gateway.rest.replica import Recent, Replica
from gateway.server.fast_path import FastPath
from gateway.server.lifespan import run_lifespan
from gateway.settings import Settings
from gateway.site.service import Site
from gateway.storage.compose import storage_service
from gateway.storage.core import CodeFree
from gateway.system.lasting import lasting
from gateway.worker import changes, services
from gateway.worker.databases import Databases
from gateway.worker.report import report
from gateway.worker.sight import keep_sight

OBJECTS: Final = Name("storage", "objects")


class Gateway:
    """One worker: its services share settings, keys and pools of connections."""

    def __init__(
        self,
        settings: Settings,
        keys: KeyRing,
        urls: Urls,
        *,
        mounts: Mapping[str, App] | None = None,
        board: Board | None = None,
        buckets: Buckets | None = None,
        recent: Recent | None = None,
        slot: int = 0,
    ) -> None:
        """`mounts` are further ASGI applications by path prefix, such as the development mail trap's page; `slot` is
        this worker's place on the board. Raises ValueError for settings that a service cannot do with."""
        self.settings = settings
        self.keys = keys
        self.board = board or Board(1)
        self.schema_loads = 0
        self._reporting: list[asyncio.Task[None]] = []
        self._slot = slot
        self.caches = Caches(settings.caches)
        self.authenticator = Authenticator(settings, keys, caches=self.caches)
        self.limits = Limits(settings, buckets)
        self.databases = Databases(settings, urls)
        self.cache = SchemaCacheHolder(
            settings,
            self.databases.rest,
            urls.listen,
            on_config=partial(changes.take_settings, self),
            on_schema=partial(changes.take_schema, self),
            on_renewal=self.databases.renew_sessions,
        )
        self.rest = RestService(
            settings, self.databases.rest, lambda: self.cache.current, Documents(self.caches), self.caches
        )
        self.rest.source = self.limits.source
        self.replica = self.rest.replica = (
            Replica(self.databases.rest, self.databases.replica, settings, recent) if self.databases.replica else None
        )
        self.auth = AuthService(settings, self.databases.auth, keys)
        self.functions = FunctionsService(
            settings, lambda: injected(self.settings, self.keys), self.authenticator.claims
        )
        self.functions.stored_calls = StoredCalls(self.databases.auth)
        self.storage = storage_service(
            settings,
            self.databases.storage,
            keys,
            self.authenticator,
            self.caches,
            urls.listen,
            self._objects_code_free,
        )
        self.realtime = realtime_core(settings, keys, self.databases.realtime, urls.listen, urls.replication)
        self.site = Site(settings, keys, self.functions.call)

        self.stack = Stack(
            RequestIds(settings.trace_header or ""),
            self.authenticator,
            self.limits,
            Bodies(max(settings.body_memory, 4 * settings.max_body_bytes)),
            Observers(settings),
            # Who comes by a socket of the file system is this machine's, as a proxy on loopback is.
            peer="127.0.0.1" if settings.unix_socket else None,
            wrote=self.replica.wrote if self.replica is not None else None,
        )
        tables = services.tables(self.rest, lambda: self.settings)
        known = [
            tables,
            services.auth(self.auth, settings),
            services.metadata(self.auth, settings),
            services.functions(self.functions, settings),
            services.storage(self.storage, settings),
            *(services.absent(prefix) for prefix in services.ABSENT),
            services.realtime(BroadcastApi(self.realtime), settings),
        ]
        self._services = services.in_order(known, mounts or {}, services.site(self.site, settings))
        self.door = Door(self.realtime, known[-1], self.stack)
        self.fast_path = FastPath(
            services.path_in(tables, self._services),
            lambda request, client: self.stack.answer(tables, self.stack.begin(request, client)),
            self.caches,
        )

    def _objects_code_free(self) -> CodeFree:
        cache = self.cache.current
        if cache is None:
            return CodeFree()
        return CodeFree(OBJECTS in cache.code_free, cache.objects_written_code_free)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await run_lifespan(self.start, self.stop, receive, send)
            return
        path = raw_path(scope)
        service = services.route(path, self._services)
        await self.stack.serve(service, scope, receive, send, path[len(service.prefix) :] or "/")

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open the tables' pool, load the schema cache, get functions ready. Raises DatabaseUnavailable."""
        await asyncio.gather(self.site.start(), self._connect())
        if self.settings.reuse_port:
            await self.cache.loaded()  # or it would take requests from a process that can answer them
        if self.replica is not None:
            await self.replica.start()
        await self.functions.start()
        self._reporting.append(asyncio.create_task(lasting(partial(report, self, self._slot))))
        if self._slot == 0:
            self._reporting.append(asyncio.create_task(lasting(partial(keep_sight, self))))
        self.stack.observers.start()
        self.auth.start(partial(changes.take_keys, self))

    async def _connect(self) -> None:
        await self.databases.rest.open()
        await self.cache.start()

    async def stop(self) -> None:
        """End functions, then let go of the database."""
        for task in self._reporting:
            task.cancel()
        await self.functions.stop()
        await self.stack.observers.stop()
        await self.cache.stop()
        if self.replica is not None:
            await self.replica.stop()
        await self.rest.bodies.close()
        await self.storage.stop()
        await self.realtime.stop()
        await self.auth.settle()
        self.auth.close()
        await self.databases.close()
