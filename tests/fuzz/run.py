"""One run of Schemathesis, as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
# Its own, then those of tests/fuzz/hooks.py. Left out is what holds of neither original: Postgres reads much that a
# document cannot tell (positive_data_acceptance, negative_data_rejection), a 405 of PostgREST names no methods
# (unsupported_method, allow_header_conformance), a key may be a bearer token too (missing_required_header).
CHECKS: Final = (
    "not_a_server_error", "status_code_conformance", "response_headers_conformance", "use_after_free",
    "ensure_resource_availability", "ignored_auth",
    "shows_nothing_inside", "content_has_its_type", "content_has_its_shape", "rows_are_whole",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit status, number of requests, accepted ones by operation (`GET /posts`), and all that was said."""

    status: int
    cases: int
    accepted: Mapping[str, int]
    said: str


def run(location: str, url: str, folder: Path, headers: Mapping[str, str], arguments: tuple[str, ...]) -> Outcome:
    """Ask everything below `url` that the document at `location`, an address or a file, describes."""
    report = folder / "report.json"
    command = [
        sys.executable, "-m", "schemathesis.cli", "--no-color", "--config-file", str(HERE / "schemathesis.toml"),
        "run", location, "--url", url, "--checks", ",".join(CHECKS),
        "--report", "json", "--report-json-path", str(report), *arguments,
    ]  # fmt: skip
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        command, cwd=folder, env={**kept, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )  # fmt: skip
    found: dict[str, Any] = json.loads(report.read_text()) if report.exists() else {}
    accepted = {
        operation: sum(phase["accepted"] for phase in phases.values())
        for operation, phases in found.get("valid_rates", {}).items()
    }
    cases = found["test_cases"]["generated"] if found else 0
    return Outcome(done.returncode, cases, accepted, done.stdout + done.stderr)
