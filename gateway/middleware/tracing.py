"""OpenTelemetry, where a collector is named: a span a request, sent as OTLP over HTTP in JSON once a second.

A `traceparent` header of W3C Trace Context makes the span a child of the caller's, or keeps it from being recorded.
Query strings are left out, as in the access log. A collector that is away costs spans, never an answer.
Follows https://opentelemetry.io/docs/specs/otlp/ and the semantic conventions for HTTP servers.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson

from gateway.settings import Settings
from gateway.system.lasting import lasting

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("gateway.middleware.tracing")

PAUSE: Final = 1.0  # seconds
MOST: Final = 5_000  # spans that wait; what comes beyond is dropped
PATIENCE: Final = 5.0  # seconds for the collector's answer
SERVER: Final = 2  # kind of span
FAILED: Final = 2  # status of a span
PARENT: Final = re.compile(rb"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")

Value = str | int


def attributes(values: dict[str, Value]) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them.

    >>> attributes({"a": "x", "b": 1})
    [{'key': 'a', 'value': {'stringValue': 'x'}}, {'key': 'b', 'value': {'intValue': '1'}}]
    """
    return [
        {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}}
        for key, value in values.items()
    ]


class Telemetry:
    """Keeps the spans of one worker and sends them."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.otlp_endpoint.rstrip("/") + "/v1/traces"
        self._headers = {**settings.otlp_headers, "content-type": "application/json"}
        service: dict[str, Value] = {"service.name": settings.otel_service_name, "process.pid": os.getpid()}
        self._resource = {"attributes": attributes(service)}
        self._waiting: list[dict[str, Any]] = []
        self._task: asyncio.Task[None] | None = None
        self._client: httpx.AsyncClient | None = None

    def note(
        self,
        route: str,
        method: str,
        path: str,
        status: int,
        seconds: float,
        request_id: str,
        client: str | None,
        parent: bytes | None,
    ) -> None:
        """Keep the span of a request that has just been answered. `parent` is its `traceparent` header."""
        found = PARENT.fullmatch(parent) if parent is not None else None
        if (found is not None and not int(found[3], 16) & 1) or len(self._waiting) >= MOST:
            return
        end = time.time_ns()
        values: dict[str, Value] = {
            "http.request.method": method,
            "http.route": route,
            "url.path": path,
            "http.response.status_code": status,
            "gateway.request_id": request_id,
        }
        if client is not None:
            values["client.address"] = client
        span: dict[str, Any] = {
            "traceId": found[1].decode() if found is not None else os.urandom(16).hex(),
            "spanId": os.urandom(8).hex(),
            "name": f"{method} {route}",
            "kind": SERVER,
            "startTimeUnixNano": str(end - int(seconds * 1e9)),
            "endTimeUnixNano": str(end),
            "attributes": attributes(values),
        }
        if found is not None:
            span["parentSpanId"] = found[2].decode()
        if status >= 500:
            span["status"] = {"code": FAILED}
        self._waiting.append(span)

    def start(self) -> None:
        """Begin to send."""
        import httpx

        self._client = httpx.AsyncClient(timeout=PATIENCE)
        self._task = asyncio.get_running_loop().create_task(lasting(self._run))

    async def stop(self) -> None:
        """Send what waits, once, and end."""
        if self._task is None or self._client is None:
            return
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._send(self._client)
        await self._client.aclose()

    async def _run(self) -> None:
        assert self._client is not None
        while True:
            await asyncio.sleep(PAUSE)
            await self._send(self._client)

    async def _send(self, client: httpx.AsyncClient) -> None:
        import httpx

        if not self._waiting:
            return
        spans, self._waiting = self._waiting, []
        scope = {"scope": {"name": "gateway"}, "spans": spans}
        body = orjson.dumps({"resourceSpans": [{"resource": self._resource, "scopeSpans": [scope]}]})
        try:
            response = await client.post(self._url, content=body, headers=self._headers)
            response.raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.warning("%d spans were not taken by the collector: %s", len(spans), error or type(error).__name__)
