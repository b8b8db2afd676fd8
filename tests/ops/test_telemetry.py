"""Spans of requests at a collector that speaks OTLP over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from tests.fixtures.server import GatewayStarter
from tests.ops.procs import LIMIT, until

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(ThreadingHTTPServer):
    """Takes what it is sent; `is_away` answers as one that is overloaded."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taker)
        self.is_away = False
        self.refused = 0
        self.sent: list[tuple[str, str | None, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spans(self) -> dict[str, dict[str, Any]]:
        """Every span by its request's id, its attributes as one object."""
        found = {}
        for _, _, body in self.sent:
            for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]:
                values = {pair["key"]: next(iter(pair["value"].values())) for pair in span["attributes"]}
                found[values["gateway.request_id"]] = {**span, "attributes": values}
        return found


class Taker(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.server.is_away:
            self.server.refused += 1
            self.send_response(503)
        else:
            self.server.sent.append((self.path, self.headers["x-key"], json.loads(body)))
            self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_request_is_a_span_with_its_route_status_and_id(collector: Collector, gateways: GatewayStarter) -> None:
    gateway = gateways(
        extra={
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.url}/",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=of-the-collector",
            "OTEL_SERVICE_NAME": "shop",
        }
    )

    def ask(id: str, path: str, **headers: str) -> int:
        sent = {"apikey": gateway.publishable_key, "x-request-id": id, **headers}
        return httpx.get(gateway.url + path, headers=sent, timeout=LIMIT).status_code

    collector.is_away = True
    assert ask("unheard", "/rest/v1/blog_posts?limit=1") == 200
    until(lambda: collector.refused > 0, "the collector was asked")
    collector.is_away = False
    assert ask("read", "/rest/v1/blog_posts?select=id&title=eq.private&limit=1") == 200
    assert ask("child", "/auth/v1/health", traceparent=f"00-{TRACE}-{SPAN}-01") == 200
    assert ask("unrecorded", "/auth/v1/health", traceparent=f"00-{TRACE}-{SPAN}-00") == 200
    assert ask("missing", "/functions/v1/no-such-function", traceparent="nonsense") == 404
    until(lambda: {"read", "child", "missing"} <= collector.spans().keys(), "the spans")
    assert gateway.stop() == 0

    spans = collector.spans()
    assert "unrecorded" not in spans and "unheard" not in spans
    read = spans["read"]
    assert (read["name"], read["kind"]) == ("GET /rest/v1", 2)
    assert read["attributes"] | {"client.address": ""} == {
        "http.request.method": "GET",
        "http.route": "/rest/v1",
        "url.path": "/rest/v1/blog_posts",
        "http.response.status_code": "200",
        "gateway.request_id": "read",
        "client.address": "",
    }
    assert 0 < int(read["endTimeUnixNano"]) - int(read["startTimeUnixNano"]) < LIMIT * 1e9
    assert (spans["child"]["traceId"], spans["child"]["parentSpanId"]) == (TRACE, SPAN)
    assert len(read["traceId"]) == 32 and "parentSpanId" not in spans["missing"]
    path, key, body = collector.sent[0]
    assert (path, key) == ("/v1/traces", "of-the-collector")
    assert {"key": "service.name", "value": {"stringValue": "shop"}} in body["resourceSpans"][0]["resource"][
        "attributes"
    ]
    assert "private" not in json.dumps(collector.sent)
    assert any("not taken by the collector" in line for line in gateway.output)
