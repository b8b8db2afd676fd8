"""What the auth service does by itself: follow the key file, note uses of API keys, clear away what has ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from gateway.auth.context import Context
from gateway.auth.store import clean_up
from gateway.database import NO_SCOPE, DatabaseError, DatabaseUnavailable, PoolTimeout

log = logging.getLogger("gateway.auth")

KEYS_EVERY: Final = 0.25  # seconds between looks at the key file
USES_EVERY: Final = 60.0  # seconds between writes of key uses
CLEAR_EVERY: Final = 3600.0  # seconds between clean-ups


async def tend(context: Context, on_keys_changed: Callable[[], None]) -> None:
    """Clean up until cancelled; none of them may end the others."""
    waited = {"uses": 0.0, "clear": CLEAR_EVERY - 60}
    while True:
        await asyncio.sleep(KEYS_EVERY)
        poll_keys(context, on_keys_changed)
        for name, period, chore in (("uses", USES_EVERY, write_uses), ("clear", CLEAR_EVERY, clear)):
            waited[name] += KEYS_EVERY
            if waited[name] >= period:
                waited[name] = 0.0
                try:
                    await chore(context)
                except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                    log.warning("auth chore %s failed, it will be tried again: %s", name, error)


def poll_keys(context: Context, on_keys_changed: Callable[[], None]) -> None:
    """Take over what `gateway keys` changed."""
    try:
        if context.keys.poll(context.settings):
            on_keys_changed()
            log.info("keys have changed")
    except (OSError, ValueError) as error:
        log.error("the key file cannot be read, the keys stay as they were: %s", error)


async def write_uses(context: Context) -> None:
    """Write when each API key was last used."""
    uses, context.keys.uses = context.keys.uses, {}
    statements = [clean_up.key_used(key_id, used) for key_id, used in sorted(uses.items())]
    if statements:
        await context.run(*statements)


async def clear(context: Context) -> None:
    """Clear away what has ended, a batch at a time."""
    for statement in clean_up.STATEMENTS:
        while True:
            result = await context.db.run(NO_SCOPE, statement)
            count = int(result.tag.rpartition(" ")[2] or 0)
            if count < 100:
                break
