"""A load of whole requests over keep-alive connections: each connection sends, waits for the answer, sends again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Call:
    """One request as bytes on the wire, and the status it must have."""

    wire: bytes
    status: int = 200

    @classmethod
    def of(
        cls,
        url: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        status: int = 200,
    ) -> Call:
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        lines = [f"{method} {target} HTTP/1.1", f"host: {parts.netloc}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if body or method in ("POST", "PATCH", "PUT"):
            lines.append(f"content-length: {len(body)}")
        return cls("\r\n".join(lines).encode() + b"\r\n\r\n" + body, status)


@dataclass
class Outcome:
    """What a load did: requests answered, seconds it took, each request's seconds."""

    requests: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class _Connection(asyncio.Protocol):
    def __init__(self, calls: Sequence[Call], start: int, outcome: Outcome, deadline: float, step: int = 1) -> None:
        self.calls = calls
        self.number = start
        self.step = step
        self.outcome = outcome
        self.deadline = deadline
        self.buffer = b""
        self.sent = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._send()

    def _send(self) -> None:
        self.sent = time.perf_counter()
        self.transport.write(self.calls[self.number % len(self.calls)].wire)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head_end = self.buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = self.buffer[:head_end].lower()
        if b"transfer-encoding: chunked" in head:
            if not self.buffer.endswith(b"0\r\n\r\n"):
                return
        else:
            mark = head.find(b"content-length:")
            length = int(head[mark + 15 :].split(b"\r\n", 1)[0]) if mark >= 0 else 0
            if len(self.buffer) < head_end + 4 + length:
                return
        expected = self.calls[self.number % len(self.calls)].status
        status = int(head[9:12])
        if status != expected:
            self.done.set_exception(AssertionError(f"answer {status}, not {expected}: {self.buffer[:600]!r}"))
            self.transport.close()
            return
        now = time.perf_counter()
        self.outcome.requests += 1
        self.outcome.latencies.append(now - self.sent)
        self.buffer = b""
        self.number += self.step
        if now < self.deadline:
            self._send()
        else:
            self.done.set_result(None)
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed the connection"))


async def _run(host: str, port: int, calls: Sequence[Call], connections: int, seconds: float, once: bool) -> Outcome:
    outcome = Outcome()
    loop = asyncio.get_running_loop()
    began = time.perf_counter()
    step, apart = (connections, 1) if once else (1, 7)
    opened = [
        (
            await loop.create_connection(
                partial(_Connection, calls, n * apart, outcome, began + seconds, step), host, port
            )
        )[1]
        for n in range(connections)
    ]
    await asyncio.gather(*[connection.done for connection in opened])
    outcome.seconds = time.perf_counter() - began
    return outcome


def load(url: str, calls: Sequence[Call], connections: int = 16, seconds: float = 2.0, once: bool = False) -> Outcome:
    """Send the calls in turn over some connections for some seconds; with `once` no two connections send the same.

    Raises AssertionError on a wrong status.
    """
    import uvloop

    parts = urlsplit(url)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run(parts.hostname or "127.0.0.1", parts.port or 80, calls, connections, seconds, once))
