"""The monitor's loop, run beside the workers by their supervisor."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Final

from gateway.database import Database
from gateway.database.poolers import Urls
from gateway.operations.monitor import alarms, channels
from gateway.operations.monitor.checks import Looker
from gateway.realtime.changes.idle_slots import IdleSlots
from gateway.settings import Settings

log = logging.getLogger("gateway.operations.monitor")

LOOK: Final = 15.0  # seconds


async def watch(
    settings: Settings, urls: Urls, admin: str | None, beat: Callable[[], Coroutine[None, None, None]]
) -> None:
    """Look and tell until SIGTERM or SIGINT; `beat` tells the supervisor for ever that this process is alive."""
    beating = asyncio.create_task(beat())
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    database = Database(
        urls.auth,
        become=urls.auth_as,
        prepared=settings.db_prepared_statements,
        size=1,
        core=1,
        acquire_timeout=5.0,
        application_name="gateway monitor",
    )
    looker = Looker(settings, database, f"{settings.local_url}{settings.auth_prefix}/health", admin)
    book = alarms.Alarms(settings.data_dir / alarms.FILE)
    slots = IdleSlots(database, urls.replication, settings.realtime_changes_idle)
    try:
        while not stopping.is_set():
            await _look(settings, looker, book)
            await slots.look()
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), LOOK)
    finally:
        beating.cancel()
        await database.close()


async def _look(settings: Settings, looker: Looker, book: alarms.Alarms) -> None:
    news = book.note(await looker.look(), time.time())
    if news and await channels.tell(settings, news):
        book.told(news, time.time())
    try:
        book.write(time.time())
    except OSError as error:
        log.error("the alarms cannot be kept: %s", error.strerror)
