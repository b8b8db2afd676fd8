"""The same calls with both clients, ours and the official one, against a live gateway: same requests, same results.

Runs the live scenarios of supabase-compat, which clean up after themselves. Needs Node and that package's tools
(`npm ci` there).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests import parity
from tests.fixtures.server import ROOT, LiveGateway
from tests.gateway.auth.provider import Provider

PACKAGE = ROOT / "supabase-compat"
LEAST = 19  # scenarios; a run of fewer has lost some


def test_both_clients_ask_and_get_the_same(open_site: LiveGateway, provider: Provider, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    environment = {
        "PATH": os.environ["PATH"],
        "SUPABASE_URL": open_site.url,
        "SUPABASE_PUBLISHABLE_KEY": open_site.publishable_key,
        "SUPABASE_SECRET_KEY": open_site.secret_key,
        "PROVIDER_URL": provider.url,
    }
    command = [
        "npx",
        "--no-install",
        "vitest",
        "run",
        "test/scenarios.live.ts",
        "--reporter=json",
        f"--outputFile={out}",
    ]
    done = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True)
    assert out.exists(), done.stdout + done.stderr
    (file,) = json.loads(out.read_text())["testResults"]
    statuses = [result["status"] for result in file["assertionResults"]]
    failures = [message for result in file["assertionResults"] for message in result["failureMessages"]]
    assert not failures and file["status"] == "passed", file["message"] + "\n".join(failures)
    for result in file["assertionResults"]:
        for method in result["meta"].get("calls", []):
            parity.note_javascript(method, result["title"])
    assert statuses == ["passed"] * len(statuses)
    assert len(statuses) >= LEAST
