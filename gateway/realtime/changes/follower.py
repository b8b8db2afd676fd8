"""What a worker hears of the reader: every change once and in order, or that some were missed.

Frames come over the bus, which may lose some; their numbers tell. What was missed is asked of the reader, which keeps
the last of it. A worker asks too when it begins to follow, and on behalf of a client that returns.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import orjson

from gateway.realtime.bus import Bus
from gateway.realtime.changes.log import (
    START,
    Change,
    Frame,
    Position,
    cut,
    decode_frame,
    encode_frame,
    parse_position,
)
from gateway.realtime.changes.reader import LogReader
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.realtime.changes")

LOG: Final = "changes:log"
ASKED: Final = "changes:ask"
SILENCE: Final = 3.0  # seconds without a frame after which the reader counts as gone
ANSWER: Final = 2.0  # seconds after which a question is asked again
AHEAD: Final = 5_000  # frames that wait while what came before them is asked for


@dataclass(slots=True)
class PastChanges:
    """What a reader has of the past: None where some of it is kept no longer."""

    epoch: str
    number: int
    reached: Position
    changes: list[Change] | None


@dataclass(slots=True)
class _Question:
    future: asyncio.Future[PastChanges]
    pieces: dict[int, tuple[Change, ...]] = field(default_factory=dict)


class Follower:
    """One worker's view of the log."""

    def __init__(self, bus: Bus, on_changes: Callable[[tuple[Change, ...]], None], on_gap: Callable[[], None]) -> None:
        """`on_gap` is told when changes were missed that nobody has any more."""
        self.name = secrets.token_hex(8)
        self.bus = bus
        self.position: Position | None = None  # up to which everything was handed on
        self.following = asyncio.Event()
        self.reader: LogReader | None = None  # where this worker is the one that reads
        self.wanted: dict[str, float] = {}  # workers that follow, and when they last said so
        self.gaps = 0
        self._on_changes = on_changes
        self._on_gap = on_gap
        self._epoch = ""
        self._number = 0
        self._heard = 0.0
        self._ahead: list[Frame] = []
        self._questions: dict[str, _Question] = {}
        self._catching_up: asyncio.Task[None] | None = None
        self._attached = False
        bus.lost.append(self._on_lost)

    def _on_lost(self, name: str) -> None:
        """A process is gone: if it was the reader's, others need not wait until they miss it."""
        if self._epoch.startswith(f"{name}/"):
            self.lost()

    @property
    def hears(self) -> bool:
        """Whether a reader gave a sign of life lately."""
        return time.monotonic() - self._heard < SILENCE

    async def attach(self) -> None:
        """Begin to hear others."""
        if not self._attached:
            self._attached = True
            await self.bus.subscribe(LOG, self._on_log)
            await self.bus.subscribe(ASKED, self._on_asked)
            await self.bus.subscribe(self._own, self._on_answer)

    def detach(self) -> None:
        """Hear nobody any more; what was seen is forgotten."""
        if self._attached:
            self._attached = False
            self.bus.unsubscribe(LOG, self._on_log)
            self.bus.unsubscribe(ASKED, self._on_asked)
            self.bus.unsubscribe(self._own, self._on_answer)
        if self._catching_up is not None:
            self._catching_up.cancel()
        self.position, self._epoch, self._heard = None, "", 0.0
        self._ahead.clear()
        self.following.clear()

    def knock(self) -> None:
        """Ask whether somebody reads, and say that this worker follows."""
        self.bus.publish(ASKED, orjson.dumps({"from": self.name}))

    @property
    def _own(self) -> str:
        return f"changes:for:{self.name}"

    # --- frames ----------------------------------------------------------------------------------------------------

    def say(self, frame: Frame) -> None:
        """This worker's own reader says something: to all others, and here."""
        self.bus.publish(LOG, encode_frame(frame))
        self.take(frame)

    def part(self) -> None:
        """This worker's reader ends: others need not wait until they miss it."""
        self.bus.publish(LOG, b"")
        self.lost()

    def lost(self) -> None:
        """Nobody reads, as far as is known."""
        self._heard = 0.0
        self.following.clear()

    def _on_log(self, raw: bytes) -> None:
        if not raw:
            self.lost()
            return
        try:
            frame = decode_frame(raw)
        except (ValueError, TypeError, KeyError):
            log.warning("a frame of changes cannot be read: another version of the gateway reads them")
            return
        self.take(frame)

    def take(self, frame: Frame) -> None:
        """A frame came."""
        self._heard = time.monotonic()
        if self._catching_up is not None and not self._catching_up.done():
            if len(self._ahead) < AHEAD:
                self._ahead.append(frame)
            return
        if frame.epoch == self._epoch and frame.number == self._number + 1 and self.following.is_set():
            self._apply(frame)
        elif frame.epoch != self._epoch or frame.number > self._number:
            self._catch_up(frame)

    def _apply(self, frame: Frame) -> None:
        self._number = frame.number
        self._hand_on(frame.changes, frame.reached)

    def _hand_on(self, changes: tuple[Change, ...], reached: Position) -> None:
        position = self.position
        assert position is not None
        if changes and changes[0].position <= position:
            changes = tuple([change for change in changes if change.position > position])
        self.position = max(position, reached, *(change.position for change in changes[-1:]))
        if changes:
            self._on_changes(changes)

    # --- what was missed -------------------------------------------------------------------------------------------

    def _catch_up(self, frame: Frame) -> None:
        self.following.clear()
        self._ahead = [frame]
        self._catching_up = asyncio.create_task(lasting(self._ask_for_missed))

    async def _ask_for_missed(self) -> None:
        while True:
            answer = await self.fetch(START if self.position is None else self.position)
            if answer is not None:
                break
            if not self.hears:
                self._epoch = ""
                self._ahead.clear()
                return
        if self.position is None:
            self.position = answer.reached
        elif answer.changes is None:
            self.gaps += 1
            self.position = max(self.position, answer.reached)
            self._on_gap()
        else:
            self._hand_on(tuple(answer.changes), answer.reached)
        self._epoch, self._number = answer.epoch, answer.number
        ahead, self._ahead = self._ahead, []
        for place, frame in enumerate(ahead):
            if frame.epoch == self._epoch and frame.number <= self._number:
                continue
            if frame.epoch != self._epoch or frame.number != self._number + 1:
                self._ahead = ahead[place:]
                self._catching_up = asyncio.create_task(lasting(self._ask_for_missed))
                return
            self._apply(frame)
        self.following.set()

    async def fetch(self, after: Position | int) -> PastChanges | None:
        """What follows a position, or a time in Unix µs; None where no reader answered."""
        if self.reader is not None:
            return answer_of(self.reader, after)
        request = secrets.token_hex(8)
        question = self._questions[request] = _Question(asyncio.get_running_loop().create_future())
        said = {"at": after} if not isinstance(after, Position) else {"after": str(after)}
        try:
            self.bus.publish(ASKED, orjson.dumps({"from": self.name, "request": request, **said}))
            async with asyncio.timeout(ANSWER):
                return await question.future
        except TimeoutError:
            return None
        finally:
            del self._questions[request]

    def _on_asked(self, raw: bytes) -> None:
        with suppress(ValueError, KeyError, TypeError):
            said = orjson.loads(raw)
            who, request = str(said["from"]), said.get("request")
            self.wanted[who] = time.monotonic()
            if self.reader is None:
                return
            if request is None:
                self.reader.beat()
                return
            after = parse_position(said["after"]) if "after" in said else int(said["at"])
            for piece in _pieces(str(request), answer_of(self.reader, after)):
                self.bus.publish(f"changes:for:{who}", piece)

    def _on_answer(self, raw: bytes) -> None:
        with suppress(ValueError, KeyError, TypeError):
            head, _, body = raw.partition(b"\n")
            request, place, count, complete = orjson.loads(head)
            question = self._questions.get(request)
            if question is None or question.future.done():
                return
            frame = decode_frame(body)
            question.pieces[place] = frame.changes
            if len(question.pieces) == count:
                changes = [change for at in range(count) for change in question.pieces[at]] if complete else None
                question.future.set_result(PastChanges(frame.epoch, frame.number, frame.reached, changes))


def answer_of(reader: LogReader, after: Position | int) -> PastChanges:
    """What a reader has of the past; nothing where it is asked for everything, which is to begin with now."""
    if after == START:
        changes: list[Change] | None = []
    elif isinstance(after, Position):
        changes = reader.ring.after(after)
    else:
        changes = reader.ring.since(after)
    # What was read and not said yet comes in the next frame.
    said = None if changes is None else [change for change in changes if change.position <= reader.reached]
    return PastChanges(reader.epoch, reader.number, reader.reached, said)


def _pieces(request: str, answer: PastChanges) -> list[bytes]:
    pieces = list(cut(answer.changes or ())) or [()]
    return [
        orjson.dumps((request, place, len(pieces), answer.changes is not None))
        + b"\n"
        + encode_frame(Frame(answer.epoch, answer.number, 0, answer.reached, piece))
        for place, piece in enumerate(pieces)
    ]
