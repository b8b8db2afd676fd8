"""Parts of `make bench` run to their end: requests are answered, limits go through."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.bench import scale
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


def test_growth_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small = {"CLIENTS": (2, 4), "TABLES": 3, "ROWS": (2_000,), "ROUNDS": 1, "SECONDS": 0.1}
    for name, value in small.items():
        monkeypatch.setattr(scale, name, value)
    scale.main()
    said = capsys.readouterr().out.splitlines()
    ways = [line for line in said if line.startswith("  ") and re.search(r"x\d+\.\d\d$", line)]
    assert len(ways) == 2 + 2 + 6 + 2 + 2 + 2 + 2, said
