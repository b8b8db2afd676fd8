"""The site built on the official client: one import is another."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.server import ROOT

WEB = ROOT / "web"
PARTS = (
    *("src", "public", "scripts", "index.html", "console.html", "package.json", "tsconfig.json"),
    *("vite.config.ts", "vite.console.config.ts"),
)


@pytest.fixture(scope="session")
def official_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once for all processes of the run, beside the sources so that the real build stays as it is."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "official"
    folder.mkdir(exist_ok=True)
    web = folder / "web"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not web.exists():
            _build(web)
    return web / "dist"


def _build(web: Path) -> None:
    web.mkdir()
    for part in PARTS:
        (shutil.copytree if (WEB / part).is_dir() else shutil.copy)(WEB / part, web / part)
    (web / "node_modules").symlink_to(WEB / "node_modules")
    for neighbour in ("functions", "supabase-compat"):
        (web.parent / neighbour).symlink_to(ROOT / neighbour)
    environment = {**os.environ, "VITE_CLIENT": "official"}
    done = subprocess.run(["npm", "run", "build"], cwd=web, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
