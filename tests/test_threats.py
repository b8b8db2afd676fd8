"""The table of threats names tests that exist, and every row names one."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threats.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| Whoever"))]


@cache
def names(path: Path) -> frozenset[str]:
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_a_row_names_tests_that_exist(row: str) -> None:
    shown = re.findall(r"`(tests/[^`]+)`", row)
    assert shown, "a threat without a test"
    for test in shown:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file(), path
        assert not name or name in names(ROOT / path), test


def test_the_page_has_the_rows_of_a_table() -> None:
    assert len(ROWS) > 10
    assert all(row.count(" | ") == 3 for row in ROWS)
