"""A worker's pools of connections: one for each service that has a login of its own, and one at a replica."""

from __future__ import annotations

import logging
import os
import signal
from functools import partial

from gateway import POSTGREST
from gateway.database import Database, SplitDatabase
from gateway.database.poolers import Urls
from gateway.settings import Settings

log = logging.getLogger("gateway")


def give_up() -> None:
    """End the supervisor and with it every worker, for whoever starts it again finds a database by himself."""
    log.error("Automatic recovery disabled, exiting.")
    os.kill(os.getppid(), signal.SIGTERM)


class Databases:
    """`rest`, `auth`, `storage` and `realtime` are the primary's, `replica` is None where there is none."""

    def __init__(self, settings: Settings, urls: Urls) -> None:
        pool = partial(Database, unprivileged=True, prepared=settings.db_prepared_statements)
        reads = partial(
            pool,
            size=settings.db_pool,
            acquire_timeout=settings.db_pool_acquisition_timeout,
            share=settings.db_pool_share,
            idle_timeout=settings.db_pool_max_idletime,
            lifetime=settings.db_pool_max_lifetime,
            application_name=f"PostgREST {POSTGREST}",
        )
        on_lost = None if settings.db_pool_automatic_recovery else give_up
        self.rest = (
            SplitDatabase(urls.rest, writes=settings.db_writers, on_lost=on_lost, **reads.keywords)
            if settings.db_writers
            else reads(urls.rest, on_lost=on_lost)
        )
        self.auth = pool(urls.auth, become=urls.auth_as, size=8, core=2, application_name="gateway auth")
        self.storage = pool(
            urls.storage,
            become=urls.storage_as,
            size=settings.storage_db_pool,
            core=2,
            acquire_timeout=settings.db_pool_acquisition_timeout,
            application_name="gateway storage",
        )
        self.realtime = pool(
            urls.realtime,
            become=urls.realtime_as,
            size=settings.realtime_db_pool,
            core=2,
            acquire_timeout=settings.db_pool_acquisition_timeout,
            application_name="gateway realtime",
        )
        self.replica = reads(urls.read) if urls.read else None

    @property
    def by_name(self) -> dict[str, Database]:
        """All of them, by the names that metrics have for them."""
        replica = {"replica": self.replica} if self.replica is not None else {}
        return {"tables": self.rest, "auth": self.auth, "storage": self.storage, "realtime": self.realtime, **replica}

    def renew(self, schema: str, runs_given_sql: bool) -> None:
        """Another schema cache holds."""
        for database in self.by_name.values():
            database.renew(schema, runs_given_sql)

    def renew_sessions(self) -> None:
        """Maintenance begins or ends; a replica has sessions of its own."""
        self.rest.renew_sessions()
        self.auth.renew_sessions()
        self.storage.renew_sessions()
        self.realtime.renew_sessions()

    async def close(self) -> None:
        """Let go of the primary; who uses the replica lets go of that."""
        await self.realtime.close()
        await self.storage.close()
        await self.auth.close()
        await self.rest.close()
