"""Who is told of each answer: metrics always, access log and traces where the settings want them."""

from __future__ import annotations

import time

from gateway.http.messages import Request
from gateway.middleware.access_log import AccessLog
from gateway.middleware.metrics import Tally
from gateway.middleware.tracing import Telemetry
from gateway.settings import Settings


class Observers:
    """Those of one worker."""

    def __init__(self, settings: Settings) -> None:
        self.tally = Tally()
        self.access_log = AccessLog(settings.data_dir / "access.jsonl") if settings.access_log else None
        self.telemetry = Telemetry(settings) if settings.otlp_endpoint else None

    def start(self) -> None:
        """Begin to send traces."""
        if self.telemetry is not None:
            self.telemetry.start()

    async def stop(self) -> None:
        """Write and send what has come together."""
        if self.access_log is not None:
            self.access_log.flush()
        if self.telemetry is not None:
            await self.telemetry.stop()

    def note(self, label: str, request: Request, prefix: str, status: int, size: int, began: float) -> None:
        """An answer is complete; `began` is when its request came, by `time.perf_counter`."""
        seconds = time.perf_counter() - began
        self.tally.note(label, request.method, status, seconds)
        if self.access_log is not None:
            path = prefix + request.path
            self.access_log.add(
                request.request_id, request.method, path, status, seconds, size, request.client, request.statement
            )
        if self.telemetry is not None:
            self.telemetry.note(
                label, request.method, prefix + request.path, status, seconds, request.request_id, request.client,
                request.header(b"traceparent"),
            )  # fmt: skip
