"""A function behind `/functions/v1/…`, beside the same function asked directly."""

from __future__ import annotations

from tests.bench.crowd import crowd
from tests.bench.functions import BODY, SAMPLES, start
from tests.bench.load import Call
from tests.bench.servers import Measured
from tests.bench.services.sides import asked, compared
from tests.bench.tables import Served

NAME = "counts"


def main(at: Measured, served: Served) -> None:
    """Print the figures."""
    assert at.server.pid is not None
    gateway, keys = served
    alone, direct = start("functions_runner.runner", NAME, "--dir", str(SAMPLES))
    try:
        headers = [{**visitor.headers, "content-type": "application/json"} for visitor in crowd(keys, "anon")]
        through, beside = (
            [Call.of(url, "POST", sent, BODY) for sent in headers]
            for url in (f"{gateway.url}/functions/v1/{NAME}", direct)
        )
        compared(
            "a function behind its relay",
            asked(gateway.url, through, gateway.process.pid, at.server.pid),
            asked(direct, beside, alone.pid, at.server.pid),
        )
    finally:
        alone.terminate()
        alone.wait()
