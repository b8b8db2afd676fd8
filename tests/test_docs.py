"""The README tells the truth: its tables are those of the code, its files exist, its commands are real."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import README, generated

ROOT = README.parent
TEXT = README.read_text()


def test_generated_parts_are_up_to_date() -> None:
    assert generated(TEXT) == TEXT, "run `python -m tests.docs`"


def test_linked_files_exist() -> None:
    links = re.findall(r"\]\(((?!https?:)[^)#]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {*re.findall(r"`make ([a-z]+)`", TEXT), "run", "test"} <= targets


def help_of(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command, "--help"], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    "command",
    sorted({
        *re.findall(r"(?:`|\$ )(gateway (?:db|users|gen|keys|mail|leads) [a-z-]+)", TEXT),
        *re.findall(r"(?:`|\$ )(gateway (?:dev|serve|worker|status|logs|doctor))", TEXT),
        *re.findall(r"(?:`|\$ )(functions [a-z]+)", TEXT),
    }),
)  # fmt: skip
def test_a_documented_command_exists(command: str) -> None:
    done = help_of(*command.split())
    assert done.returncode == 0, done.stderr


def test_every_function_folder_is_in_compose() -> None:
    compose = (ROOT / "compose.yaml").read_text()
    functions = [path.parent.name for path in (ROOT / "functions").glob("*/function.toml")]
    assert functions
    for name in functions:
        assert f"\n  {name}:\n" in compose and f"args: {{FUNCTION: {name}}}" in compose
        assert f"FUNCTIONS_{name.upper().replace('-', '_')}_URL: http://{name}:8080" in compose


def test_variables_given_to_the_gateway_in_compose_are_settings() -> None:
    from dataclasses import fields

    from gateway.settings import Settings

    known = {name for row in fields(Settings) for name in row.metadata.get("names", ())}
    for anchor in ("&gateway-environment", "&road-gateway"):
        block = (ROOT / "compose.yaml").read_text().partition(anchor)[2].partition("depends_on")[0]
        given = re.findall(r"^    ([A-Z_]+):", block, re.MULTILINE)
        assert given and set(given) <= known


@pytest.mark.parametrize("path", ["README.md", "compose.yaml", "Makefile", "gateway/Dockerfile", ".ci/run"])
def test_documents_name_no_machine_path(path: str) -> None:
    assert not re.search(r"/(?:root|home/[a-z]+|Users)/", Path(ROOT, path).read_text())
