"""How long a slow client is borne with: a connection that does not get on is closed, so that none can hold the server.

Looked at once a second from outside, which costs a request nothing. What a connection owes by its state:
  nothing asked yet, or half a head   the whole head within the time
  a body under way                    `LEAST` bytes in each such time, unless it is the gateway that does not read
  an answer under way                 `LEAST` bytes taken in each such time
  nothing, between two requests       the next one within the time that connections are kept
An answer still being made is waited for without an end.

Where there are more connections than a worker may have, those go first that have been idle the longest: nobody can
keep others out by opening many.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from weakref import WeakKeyDictionary

from gateway.server.protocol import Protocol

LEAST: Final = 10_000  # bytes

PAUSE: Final = 0.01  # seconds

_IDLE: Final = "idle"
_TIMEOUT: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 15\r\n"
    b"connection: close\r\n\r\nRequest timeout"
)


class ClientTimeouts:
    """Watches the connections of one worker."""

    def __init__(self, seconds: float, keep: float, most: int = 1_000_000) -> None:
        """`seconds` for what is owed; `keep` is how long an idle connection is kept, `most` how many there may be."""
        self.most = most
        self._made_room = 0.0
        self._seconds = seconds
        self._keep = keep
        # what a connection was doing, how far it was, since when
        self._seen: WeakKeyDictionary[Protocol, tuple[tuple[str, int], int, float]] = WeakKeyDictionary()

    def look(self, connections: Iterable[object], now: float) -> None:
        """Close what has not got on since it was looked at first."""
        watched = list(connections)
        for connection in watched:
            if isinstance(connection, Protocol):
                self._look(connection, now)
        if len(watched) > self.most:
            self.make_room(watched, now)

    def make_room(self, connections: Iterable[object], now: float) -> None:
        """Close what is too much and a sixteenth more: those without a request first, the longest idle before others;
        none whose answer is being made. At most once in a hundredth of a second, as many come at once."""
        if now - self._made_room < PAUSE:
            return
        self._made_room = now
        waiting = []
        surplus = self.most // 16 - self.most
        for connection in connections:
            surplus += not isinstance(connection, Protocol) or not connection.transport.is_closing()
            if isinstance(connection, Protocol) and not connection.transport.is_closing():
                doing, _ = _progress(connection)
                if doing[0] and connection.since != now:  # the one that has just come is not to go
                    before = self._seen.get(connection)
                    since = before[2] if before is not None and before[0] == doing else connection.since
                    waiting.append((doing[0] not in (_IDLE, "head"), since, id(connection), connection))
        waiting.sort()
        for is_owed, _, _, connection in waiting[: max(surplus, 0)]:
            if is_owed:
                connection.transport.abort()
            else:
                connection.transport.close()

    def _look(self, connection: Protocol, now: float) -> None:
        doing, done = _progress(connection)
        before = self._seen.get(connection)
        if before is None or before[0] != doing:
            self._seen[connection] = (doing, done, now)
        elif doing[0] == _IDLE:
            if now - before[2] >= self._keep:
                connection.transport.close()
        elif doing[0] and now - before[2] >= self._seconds:
            if doing[0] != "head" and done - before[1] >= LEAST:
                self._seen[connection] = (doing, done, now)
            elif doing[0] == "answer":
                connection.transport.abort()
            else:
                connection.transport.write(_TIMEOUT)
                connection.transport.close()


def _progress(connection: Protocol) -> tuple[tuple[str, int], int]:
    """What a connection does, told apart by request, and how many bytes it has moved; an empty word is nothing owed."""
    left = connection.transport.get_write_buffer_size() + connection.file_left
    if left > 0:
        return ("answer", connection.begun), -left
    cycle = connection.cycle
    if connection.in_head or cycle is None:
        return ("head", connection.begun), 0
    if not cycle.response_complete and cycle.more_body and not connection.flow.read_paused:
        return ("body", connection.begun), connection.received
    if cycle.response_complete:
        return (_IDLE, connection.begun), 0
    return ("", connection.begun), 0
