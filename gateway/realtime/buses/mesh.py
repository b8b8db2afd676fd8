"""The workers of one gateway, each connected to each other by a unix socket in the data folder.

A worker listens at a socket of its own, calls everybody whose socket it finds there, and calls back whoever calls it.
Each speaks on the connection that it opened and hears on those that others did. It tells what it subscribes to, and is
sent nothing else. Workers of a program that was handed over meet those of the one before, so that nothing is lost
between them while the old ones end.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gateway.realtime.bus import Callback

log = logging.getLogger("gateway.realtime")

FOLDER: Final = "realtime"
ID: Final = "gateway.id"
LONGEST_PATH: Final = 100  # bytes of a socket's path; the system takes 107
MOST_WAITING: Final = 32_000_000  # bytes that may wait for a worker that does not read; then messages are dropped
# Seconds that a subscription waits for the others' word: one that hangs is not to outlast the ten of a client's join.
ACKNOWLEDGED: Final = 5.0
CALLS: Final = 100  # after which somebody cannot be reached
CALL_AGAIN: Final = 0.05  # seconds until who has no time to answer a call is called again
HELLO, SUBSCRIBE, UNSUBSCRIBE, ACK, MESSAGE = b"h", b"s", b"u", b"a", b"m"


class _Line(asyncio.Protocol):
    """Frames of a connection: four bytes of length, a letter, and what it is about."""

    def __init__(self, take: Callable[[_Line, bytes, bytes], None], lost: Callable[[_Line], None]) -> None:
        self._take = take
        self._lost = lost
        self._data = bytearray()
        self.name = ""
        self.topics: set[bytes] = set()
        self.owed: list[bytes] = []  # numbers of subscriptions that have no answer yet
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost(self)

    def data_received(self, data: bytes) -> None:
        pending = self._data
        pending += data
        at = 0
        while len(pending) - at >= 4:
            end = at + 4 + int.from_bytes(pending[at : at + 4], "big")
            if len(pending) < end:
                break
            self._take(self, bytes(pending[at + 4 : at + 5]), bytes(pending[at + 5 : end]))
            at = end
        del pending[:at]

    def send(self, frame: bytes) -> bool:
        if self.transport is None or self.transport.is_closing():
            return False
        if self.transport.get_write_buffer_size() > MOST_WAITING:
            return False
        self.transport.write(frame)
        return True


class MeshBus:
    """A worker's place in it."""

    def __init__(self, data_dir: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.lost: list[Callable[[str], None]] = []
        self._folder = data_dir / FOLDER
        self._descriptor = -1
        self._server: asyncio.Server | None = None
        self._to: dict[str, _Line] = {}  # connections that this worker opened, by whom they lead to
        self._calling: set[str] = set()
        self._from: set[_Line] = set()
        self._topics: dict[bytes, set[bytes]] = {}  # what others subscribed to: topic → names
        self._callbacks: dict[str, list[Callback]] = {}
        self._acks: dict[bytes, tuple[set[str], asyncio.Future[None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.sent = self.heard = self.dropped = 0

    @property
    def counters(self) -> dict[str, int]:
        return {"sent": self.sent, "heard": self.heard, "dropped": self.dropped, "workers": len(self._to)}

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen, and call whoever is there."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # It gets its name once it listens: who finds a name at which nobody answers takes it for a dead worker's, and
        # two that start at the same time would never hear each other.
        aside, place = self._folder / f"{self.name}.new", self._folder / f"{self.name}.sock"
        before = os.umask(0o177)
        try:
            listening.bind(self._path(aside.name))
        finally:
            os.umask(before)
        listening.listen(64)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._accept, sock=listening)
        aside.rename(place)
        others = [path.stem for path in self._folder.glob("*.sock") if path != place]
        await asyncio.gather(*(self._call(name) for name in others))

    async def stop(self) -> None:
        """Take leave."""
        if self._server is not None:
            self._server.close()
        with suppress(OSError):
            os.unlink(self._folder / f"{self.name}.sock")
        for line in (*self._to.values(), *self._from):
            if line.transport is not None:
                line.transport.close()
        for task in tuple(self._tasks):
            task.cancel()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def gateway(self) -> str:
        """A word that the workers of this gateway have in common, and those of no other."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / ID
        with suppress(FileExistsError):
            aside = self._folder / f".{self.name}.id"
            aside.write_text(secrets.token_hex(8))
            try:
                os.link(aside, path)  # whole or not at all, and the first one stays
            finally:
                aside.unlink()
        return path.read_text()

    def _path(self, name: str) -> str:
        path = str(self._folder / name)
        return path if len(path.encode()) <= LONGEST_PATH else f"/proc/self/fd/{self._descriptor}/{name}"

    async def _call(self, name: str) -> None:
        if name in self._to or name in self._calling:
            return
        self._calling.add(name)
        try:
            line = await self._reach(f"{name}.sock")
        finally:
            self._calling.discard(name)
        if line is None:
            return
        line.name = name
        self._to[name] = line
        line.send(_frame(HELLO, self.name.encode()))
        for topic in self._callbacks:
            line.send(_frame(SUBSCRIBE, b"\0" * 8 + topic.encode()))
        for other in self._from:
            if other.name == name:
                for number in other.owed:
                    line.send(_frame(ACK, number + self.name.encode()))
                other.owed.clear()

    async def _reach(self, file: str) -> _Line | None:
        """A connection to the worker that listens there; None where none does."""
        loop = asyncio.get_running_loop()
        for _ in range(CALLS):
            try:
                _, line = await loop.create_unix_connection(lambda: _Line(self._take, self._gone), self._path(file))
            except FileNotFoundError:
                return None
            except ConnectionRefusedError:
                with suppress(OSError):  # left by a worker that was killed
                    os.unlink(self._folder / file)
                return None
            except OSError as error:  # as where more call than it has answered yet
                log.debug("%s is called again: %s", file, error)
                await asyncio.sleep(CALL_AGAIN)
            else:
                return line
        log.error("the worker at %s cannot be reached: what is said here is not heard there", file)
        return None

    def _accept(self) -> _Line:
        line = _Line(self._take, self._gone)
        self._from.add(line)
        return line

    def _gone(self, line: _Line) -> None:
        self._from.discard(line)
        for topic in line.topics:
            names = self._topics.get(topic)
            if names is not None:
                names.discard(line.name.encode())
                if not names:
                    del self._topics[topic]
        if self._to.get(line.name) is line:
            del self._to[line.name]
        for waiting, future in list(self._acks.values()):
            waiting.discard(line.name)
            if not waiting and not future.done():
                future.set_result(None)
        if line in self._to.values() or not line.name:
            return
        for callback in self.lost:
            callback(line.name)

    # --- messages ------------------------------------------------------------------------------------------------

    def publish(self, topic: str, payload: bytes) -> None:
        """Send to the workers that have subscribed."""
        word = topic.encode()
        names = self._topics.get(word)
        if not names:
            return
        frame = _frame(MESSAGE, len(word).to_bytes(4, "big") + word + payload)
        for name in names:
            line = self._to.get(name.decode())
            if line is not None and line.send(frame):
                self.sent += 1
            else:
                self.dropped += 1

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Tell all others, and wait until they know."""
        callbacks = self._callbacks.setdefault(topic, [])
        callbacks.append(callback)
        if len(callbacks) > 1 or not self._to:
            return
        number = secrets.token_bytes(8)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._acks[number] = set(self._to), future
        frame = _frame(SUBSCRIBE, number + topic.encode())
        for line in list(self._to.values()):
            line.send(frame)
        try:
            await asyncio.wait_for(future, ACKNOWLEDGED)
        except TimeoutError:
            log.warning("a worker does not answer: what it says may be missed")
        finally:
            del self._acks[number]

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Tell all others."""
        callbacks = self._callbacks.get(topic, [])
        if callback in callbacks:
            callbacks.remove(callback)
        if not callbacks and self._callbacks.pop(topic, None) is not None:
            frame = _frame(UNSUBSCRIBE, topic.encode())
            for line in self._to.values():
                line.send(frame)

    def _take(self, line: _Line, kind: bytes, content: bytes) -> None:
        if kind == MESSAGE:
            size = int.from_bytes(content[:4], "big")
            topic, payload = content[4 : 4 + size].decode(), content[4 + size :]
            self.heard += 1
            for callback in tuple(self._callbacks.get(topic, ())):
                callback(payload)
        elif kind == HELLO:
            line.name = content.decode()
            task = asyncio.create_task(self._call(line.name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif kind == SUBSCRIBE:
            number, topic_word = content[:8], content[8:]
            self._topics.setdefault(topic_word, set()).add(line.name.encode())
            line.topics.add(topic_word)
            back = self._to.get(line.name)
            if number != b"\0" * 8:
                if back is not None:
                    back.send(_frame(ACK, number + self.name.encode()))
                else:  # it is being called back, and until then nothing could be sent to it
                    line.owed.append(number)
        elif kind == UNSUBSCRIBE:
            line.topics.discard(content)
            names = self._topics.get(content, set())
            names.discard(line.name.encode())
            if not names:
                self._topics.pop(content, None)
        elif kind == ACK and content[:8] in self._acks:
            waiting, future = self._acks[content[:8]]
            waiting.discard(content[8:].decode())
            if not waiting and not future.done():
                future.set_result(None)


def _frame(kind: bytes, content: bytes) -> bytes:
    return (1 + len(content)).to_bytes(4, "big") + kind + content
