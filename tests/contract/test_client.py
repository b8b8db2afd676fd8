"""The same calls with both clients, ours and the official one, against a live gateway: same requests, same results.

Runs the live scenarios of supabase-compat, which clean up after themselves. Needs Node and that package's tools
(`npm ci` there).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import parity
from tests.fixtures.server import ROOT, LiveGateway
from tests.gateway.auth.provider import Provider

PACKAGE = ROOT / "supabase-compat"
LEAST = 19  # scenarios; a run of fewer has lost some


# How to run a file; those that are installed are used.
RUNTIMES = {"node": ["node"], "deno": ["deno", "run", "--allow-all", "--quiet"], "bun": ["bun"]}


@pytest.fixture
def where(open_site: LiveGateway, provider: Provider) -> dict[str, str]:
    """Variables that say where the gateway and the provider are."""
    return {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "SUPABASE_URL": open_site.url,
        "SUPABASE_PUBLISHABLE_KEY": open_site.publishable_key,
        "SUPABASE_SECRET_KEY": open_site.secret_key,
        "PROVIDER_URL": provider.url,
    }


@pytest.mark.parametrize("runtime", [name for name in RUNTIMES if shutil.which(name)])
def test_both_clients_work_alike_in_every_runtime(runtime: str, where: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "scenarios.mjs"
    banner = "import { Buffer } from 'node:buffer'; globalThis.WebSocket ??= EventTarget; globalThis.Buffer ??= Buffer;"
    bundle = ["npx", "--no-install", "esbuild", "test/anywhere.ts", "--bundle", "--format=esm", "--platform=node"]
    subprocess.run([*bundle, f"--banner:js={banner}", f"--outfile={script}"], cwd=PACKAGE, check=True)
    done = subprocess.run([*RUNTIMES[runtime], str(script)], env=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads(done.stdout.splitlines()[-1])) >= LEAST


def test_both_clients_ask_and_get_the_same(where: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    command = [
        "npx",
        "--no-install",
        "vitest",
        "run",
        "test/scenarios.live.ts",
        "--reporter=json",
        f"--outputFile={out}",
    ]
    done = subprocess.run(command, cwd=PACKAGE, env=where, capture_output=True, text=True)
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
