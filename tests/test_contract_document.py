"""docs/contract: the sections that modules cite are there, and the settings of tables.md are the gateway's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from gateway.settings import Settings

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "contract" / "tables.md").read_text()
FAMILIES = {"app.settings.*"}  # names inside the names of variables


def options(mark: str) -> set[str]:
    part = DOCUMENT.partition(f"<!-- {mark} -->")[2].partition(f"<!-- /{mark} -->")[0]
    return set(re.findall(r"`([a-z0-9.*-]+)`", part))


# The rooms that cite a document of their own; all others mean the tables'.
ROOMS = {
    "gateway/auth": "auth",
    "gateway/functions": "functions",
    "gateway/storage": "storage",
    "gateway/realtime": "realtime",
}
CITED = re.compile(
    r"contract(?:'s)?,? sections? (\d+(?:(?:, | and | to )\d+)*)|[Ss]ections? (\d+) of the (\w+) contract"
)


def sections(name: str) -> set[int]:
    document = ROOT / "docs" / "contract" / f"{name}.md"
    assert document.exists(), f"modules cite sections of a contract that is not there: {document.relative_to(ROOT)}"
    return {int(number) for number in re.findall(r"^## (\d+)\. ", document.read_text(), re.MULTILINE)}


def cited() -> dict[str, set[int]]:
    """Numbers of the sections that modules and tests cite, by document."""
    found: dict[str, set[int]] = {}
    for path in (path for folder in ("gateway", "functions", "tests") for path in (ROOT / folder).rglob("*.py")):
        text, place = path.read_text(), path.relative_to(ROOT).as_posix().removeprefix("tests/")
        room = next((name for room, name in ROOMS.items() if place.startswith(f"{room}/")), "tables")
        for numbers, number, named in CITED.findall(text):
            found.setdefault(named or room, set()).update(map(int, re.findall(r"\d+", numbers or number)))
    cases = (ROOT / "tests" / "contract" / "cases").glob("*.py")
    first_lines = "".join(path.read_text().partition("\n")[0] for path in cases)
    short = re.findall(r"\(sections? (\d+(?:(?:, | and )\d+)*)\)", first_lines)
    found.setdefault("tables", set()).update(int(number) for text in short for number in re.findall(r"\d+", text))
    return found


@pytest.mark.parametrize("name", [path.stem for path in (ROOT / "docs" / "contract").glob("*.md")])
def test_sections_are_numbered_without_a_gap(name: str) -> None:
    assert sections(name) == set(range(1, len(sections(name)) + 1)) != set()


def test_sections_that_modules_cite_are_there() -> None:
    found = cited()
    assert found["tables"] and found["functions"]
    assert {name: numbers - sections(name) for name, numbers in found.items()} == {name: set() for name in found}


def test_every_setting_of_the_original_is_served_or_named() -> None:
    names = {name for row in fields(Settings) for name in row.metadata["names"]}
    variables = {option: f"PGRST_{option.upper().replace('-', '_')}" for option in options("served") - FAMILIES}
    assert [option for option, variable in variables.items() if variable not in names] == []
    left_out = {f"PGRST_{option.upper().replace('-', '_')}": "x" for option in options("not served")}
    assert set(Settings.load(left_out).unserved) == left_out.keys(), "each is told of at the start"
