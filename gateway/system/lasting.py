"""Work that goes on for as long as a process does.

A task that ends by a fault ends in silence: what it looked after, such as changes of the schema, nightly copies or
hung connections, is looked after by nobody from then on. So such work is begun anew, and the log says why.
`tests/test_lasting.py` finds a loop that is not begun this way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

log = logging.getLogger("gateway")

PAUSE: Final = 5.0  # seconds until what has failed begins anew


async def lasting(work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Do the work until it ends by itself or is cancelled; a fault of it is logged, and it begins anew."""
    # Not what it is called with, which may be settings and thereby secrets.
    name = getattr(getattr(work, "func", work), "__qualname__", "background work")
    while True:
        try:
            await work()
        except Exception:
            log.exception("%s failed and begins anew in %.0f s", name, PAUSE)
            await asyncio.sleep(PAUSE)
        else:
            return
