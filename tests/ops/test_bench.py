"""The parts of `make bench` that measure services run to their end: requests are answered, limits go through."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.fixtures.server import ROOT

SHORT = {"BENCH_PAIRS": "1", "BENCH_SECONDS": "0.2"}


def test_services_are_measured_beside_their_limits() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "services"],
        cwd=ROOT,
        env={**os.environ, **SHORT},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    kinds = ("PATCH of one row", "DELETE of one row", "upsert of one row", "call of a function by GET")
    assert set(kinds) <= set(done.stdout.splitlines()), done.stdout
    beside = re.findall(r"^  (.+?) +\d+ \+ +\d+ µs   limit +\d+ \+ +\d+ µs   x[\d.]+$", done.stdout, re.MULTILINE)
    assert beside == [
        "refresh", "sign-in, a hash of cost 10", "sign-in, a hash of cost 4", "a function behind its relay",
        "a rendered page of Insights", "a page as it was built", "a script of the site",
    ]  # fmt: skip
