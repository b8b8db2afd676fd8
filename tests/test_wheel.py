"""The project as a wheel: built and used without a network, whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from gateway.migrations import platform
from tests.fixtures.db import Server
from tests.fixtures.server import ROOT, environment

# Import packages and what each is called in the repository.
PARTS = {"gateway": "gateway", "functions_runner": "functions/runner/functions_runner"}
# Of the repository alone: how images are built, what is pinned, what is read on paper.
ASIDE = (".lock", ".md", "Dockerfile")


def test_promise_60_the_wheel_holds_all_that_runs(server: Server, tmp_path: Path) -> None:
    source, wheels, installed = tmp_path / "source", tmp_path / "wheels", tmp_path / "installed"
    source.mkdir()
    for part in (*PARTS.values(), "pyproject.toml", "README.md", "LICENSE"):
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, source / part)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--wheel-dir", wheels, source], check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        archive.extractall(installed)
    for package, folder in PARTS.items():
        command = ["git", "ls-files", "."]
        listed = subprocess.run(command, cwd=ROOT / folder, check=True, capture_output=True, text=True).stdout
        wanted = {f"{package}/{name}" for name in listed.split() if not name.endswith(ASIDE)}
        assert wanted and wanted - held == set()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in held)
    top = {name.partition("/")[0] for name in held}
    assert {name for name in top if not name.endswith(".dist-info")} == set(PARTS)

    name = f"wheel_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    try:
        variables = {**environment(server.database(name), tmp_path / "data"), "PYTHONPATH": str(installed)}

        def run(*command: str) -> str:
            """What a command of the wheel says, far from the repository."""
            done = subprocess.run(
                [sys.executable, "-m", *command], cwd=tmp_path, env=variables, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        assert f"{len(platform().migrations)} applied" in run("gateway", "db", "migrate")
        run("functions_runner", "new", "hello")
        assert "hello" in run("functions_runner", "list")
        assert "Hello Ada!" in run("functions_runner", "call", "hello", "--alone")
    finally:
        with server.admin() as admin:
            admin.script(f'drop database "{name}" with (force)')
