"""A deploy while broadcasts run: new workers take over, and no client misses a message without being told."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.ops.procs import alive, until, workers
from tests.realtime.conftest import Line, Realtime

RESTART = 1012


@pytest.fixture(scope="module")
def extra_settings() -> dict[str, str]:
    return {"GATEWAY_RATE_LIMIT_REALTIME": "0"}


class Listener(threading.Thread):
    """A client that comes back; `lives` has what each of its connections heard, and how it ended."""

    def __init__(self, realtime: Realtime, topic: str) -> None:
        super().__init__(daemon=True)
        self.lives: list[tuple[list[int], int | None]] = []
        self.current: list[int] = []
        self.joined = 0
        self.over = threading.Event()
        self._realtime = realtime
        self._topic = topic

    def run(self) -> None:
        while not self.over.is_set():
            try:
                line = self._realtime.line()
            except (OSError, InvalidStatus, ConnectionClosed, EOFError):
                continue  # at a worker that is on its way out
            heard = self.current = []
            self.lives.append((heard, self._listen(line, heard)))

    def _listen(self, line: Line, heard: list[int]) -> int | None:
        """The code of its end; None where it was there to the last."""
        try:
            line.say(self._topic, "phx_join", {}, ref="1", join_ref="1")
            while True:
                try:
                    message = line.hear(0.1)
                except TimeoutError:
                    if self.over.is_set():
                        return None
                    continue
                if message.event == "phx_reply" and message.payload["status"] == "ok":
                    self.joined += 1
                elif message.event == "broadcast":
                    heard.append(message.payload["payload"]["n"])
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR2], ids=["new workers", "a new program"])
def test_a_broadcast_comes_once_or_the_client_was_told(
    realtime: Realtime, room: Callable[[], str], number: signal.Signals, request: pytest.FixtureRequest
) -> None:
    topic = room()
    listeners = [Listener(realtime, topic) for _ in range(6)]
    for listener in listeners:
        listener.start()
        request.addfinalizer(listener.over.set)  # also where it fails: the tests behind it are not to share it
    until(lambda: all(listener.joined for listener in listeners), "all have joined")
    before = workers(realtime.gateway)
    sent = 0

    def say() -> None:
        nonlocal sent
        sent += 1
        message = {"topic": topic.removeprefix("realtime:"), "event": "n", "payload": {"n": sent}}
        assert realtime.post("/api/broadcast", json={"messages": [message]}, timeout=30).status_code == 202

    for _ in range(20):
        say()
    os.kill(realtime.gateway.process.pid, number)

    def all_are_over() -> bool:
        say()
        return not any(alive(pid) for pid in before) and all(listener.joined > 1 for listener in listeners)

    until(all_are_over, "everybody is with the new workers", 60)
    for _ in range(20):
        say()
    until(lambda: all(sent in listener.current for listener in listeners), "the last one has come")
    for listener in listeners:
        listener.over.set()
    for listener in listeners:
        listener.join(30)
        told = [end for _, end in listener.lives]
        assert told == [RESTART] * (len(told) - 1) + [None]
        for heard, _ in listener.lives:
            assert sorted(heard) == list(range(min(heard), max(heard) + 1)) if heard else True
        assert listener.lives[0][0][0] == 1 and sent in listener.lives[-1][0]
