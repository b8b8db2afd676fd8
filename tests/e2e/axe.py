"""Runs axe on what a page shows now."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.fixtures.server import ROOT

SCRIPT: Final = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Rules that are broken, each with some of the elements that break it."""
    page.evaluate(SCRIPT.read_text())
    found = page.evaluate("async rules => await axe.run(document, { runOnly: { type: 'tag', values: rules } })", RULES)
    return [(rule["id"], [str(node["target"]) for node in rule["nodes"]][:3]) for rule in found["violations"]]
