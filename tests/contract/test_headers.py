"""Headers that no case can write out: timings."""

from __future__ import annotations

import re

from tests.contract.case import Case
from tests.fixtures.contract import MAIN, Services

DURATION = r"dur=\d+\.\d"
STAGES = ("jwt", "parse", "plan", "transaction", "response")


def test_server_timing_names_every_stage(services: Services) -> None:
    response = services(MAIN, "hosted").send(Case("", "GET /owners?limit=1"))
    assert re.fullmatch(", ".join(f"{stage};{DURATION}" for stage in STAGES), response.headers["server-timing"])
