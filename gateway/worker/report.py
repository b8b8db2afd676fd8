"""What a worker says of itself, once a second, on the board that the admin port reads."""

from __future__ import annotations

import asyncio
from typing import Final

from gateway.server import logs
from gateway.worker.parts import Parts

PAUSE: Final = 1.0  # seconds
CHANNELS: Final = 100  # that are told of, those with most members


async def report(gateway: Parts, slot: int) -> None:
    """Write the numbers of one worker, without an end."""
    while True:
        gateway.board.write(slot, numbers(gateway))
        await asyncio.sleep(PAUSE)


def numbers(gateway: Parts) -> dict[str, object]:
    """Its numbers now."""
    observers, rest, authenticator = gateway.stack.observers, gateway.rest, gateway.authenticator
    log_lines = observers.access_log.dropped if observers.access_log is not None else 0
    return {
        "requests": observers.tally.rows(),
        "functions": gateway.functions.tally.rows(),
        "caches": gateway.caches.stats(),
        "lookups": sorted(rest.lookups),
        "shortages": rest.shortages.seen | gateway.auth.shortages.seen,
        "pools": {name: database.stats for name, database in gateway.databases.by_name.items()},
        "realtime": gateway.realtime.counters,
        "storage": gateway.storage.core.counters.numbers(),
        "channels": gateway.realtime.rooms.largest(CHANNELS),
        "counters": {
            "schema_reloads": gateway.schema_loads,
            "plans_built": rest.plans_built,
            "plans_reused": rest.plans_reused,
            "tokens_verified": authenticator.tokens_verified,
            "tokens_reused": authenticator.tokens_reused,
            "refused_bodies": gateway.stack.bodies.refused,
            "limited_requests": observers.tally.limited(),
            "log_lines_dropped": logs.dropped() + log_lines,
            "failed_sign_ins": observers.tally.count(f"{gateway.settings.auth_prefix}/token", range(400, 500)),
        },
    }
