"""docs/contract/tables.md: what modules cite is there, and its list of settings is the gateway's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from gateway.settings import Settings

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "contract" / "tables.md").read_text()
FAMILIES = {"app.settings.*"}  # names inside the names of variables


def options(mark: str) -> set[str]:
    part = DOCUMENT.partition(f"<!-- {mark} -->")[2].partition(f"<!-- /{mark} -->")[0]
    return set(re.findall(r"`([a-z0-9.*-]+)`", part))


def test_sections_that_modules_cite_are_there() -> None:
    headings = {int(number) for number in re.findall(r"^## (\d+)\. ", DOCUMENT, re.MULTILINE)}
    assert headings == set(range(1, len(headings) + 1))
    cited = set()
    for path in (ROOT / "gateway").rglob("*.py"):
        for numbers in re.findall(r"contract(?:'s)? sections? (\d+(?:(?:, | and | to )\d+)*)", path.read_text()):
            cited |= {int(number) for number in re.findall(r"\d+", numbers)}
    assert cited and cited <= headings


def test_every_setting_of_the_original_is_served_or_named() -> None:
    names = {name for row in fields(Settings) for name in row.metadata["names"]}
    variables = {option: f"PGRST_{option.upper().replace('-', '_')}" for option in options("served") - FAMILIES}
    assert [option for option, variable in variables.items() if variable not in names] == []
    left_out = {f"PGRST_{option.upper().replace('-', '_')}": "x" for option in options("not served")}
    assert set(Settings.load(left_out).unserved) == left_out.keys(), "each is told of at the start"
