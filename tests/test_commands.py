"""Commands that installed packages add to `gateway`, by entry points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.server import environment

MODULE = """
import typer

def greet(name: str) -> None:
    print(f"Hello {name}!")

tools = typer.Typer()

@tools.command("list")
def list_command() -> None:
    print("one")

@tools.command("other")
def other() -> None:
    print("two")
"""
POINTS = """
[gateway.commands]
greet = extra:greet
tools = extra:tools
db = extra:greet
broken = nowhere:at_all
"""


@pytest.fixture
def gateway(tmp_path: Path) -> object:
    """Runs a command beside an installed package that adds some."""
    (tmp_path / "extra.py").write_text(MODULE)
    info = tmp_path / "extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    variables = {**environment("", tmp_path / "data"), "PYTHONPATH": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gateway", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)

    return run


def test_an_installed_package_adds_commands_and_groups(gateway: object) -> None:
    assert callable(gateway)
    assert gateway("greet", "Ada").stdout == "Hello Ada!\n"
    assert gateway("tools", "list").stdout == "one\n"


def test_no_package_takes_the_place_of_a_command(gateway: object) -> None:
    assert callable(gateway)
    assert "Schema and data" in gateway("db", "--help").stdout


def test_a_command_that_cannot_be_loaded_hides_no_other(gateway: object) -> None:
    assert callable(gateway)
    listed = gateway("--help")
    assert listed.returncode == 0 and "greet" in listed.stdout and "doctor" in listed.stdout
    assert "nowhere" in gateway("broken").stderr and gateway("broken").returncode == 1
