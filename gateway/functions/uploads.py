"""The bytes of long bodies that are on their way to one function, which are bounded.

A function may read a body whole, and has a limit of memory for all its calls together: a few long ones at once would
end its process, with every other call in it. What is beyond the bound waits where it is, in the client; the call that
came first goes on in any case, so that not all can wait for each other.
"""

from __future__ import annotations

import asyncio
from typing import Final

from gateway.errors import ApiError
from gateway.functions.errors import BUSY

FREE: Final = 262_144  # bytes of a body that are not counted
WAIT: Final = 10.0  # seconds for room
SHARE: Final = 8  # a function's memory is so many times what may be on its way


class Uploads:
    """What is on its way to one function."""

    def __init__(self) -> None:
        self.held = 0
        self._sizes: dict[object, int] = {}  # by call, in the order in which they came
        self._changed = asyncio.Event()

    async def grow(self, call: object, size: int, limit: int) -> None:
        """Count so many bytes more of a call's body, once there is room for them. Raises ApiError BUSY."""
        self._sizes.setdefault(call, 0)
        try:
            async with asyncio.timeout(WAIT):
                while self.held + size > limit and next(iter(self._sizes)) is not call:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            self.release(call)
            raise ApiError(BUSY, headers=((b"retry-after", b"2"),)) from None
        self._sizes[call] += size
        self.held += size

    def release(self, call: object) -> None:
        """The call is over."""
        self.held -= self._sizes.pop(call, 0)
        self._changed.set()
