"""Writes the generated parts of the documents: `python -m tests.docs`. A test compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gateway.settings import describe

ROOT: Final = Path(__file__).parents[1]
DECISIONS: Final = ROOT / "docs" / "decisions"


def settings_table() -> str:
    """Every setting with its default and what it does."""
    rows = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {help} |" for name, default, help in describe() if name
    ]
    return "\n".join(["| Variable | Default | What it does |", "| --- | --- | --- |", *rows])


def decisions_list() -> str:
    """Every decision by its title."""
    pages = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
    titles = [path.read_text().partition("\n")[0].removeprefix("# ") for path in pages]
    return "\n".join(f"- [{title}]({path.name})" for path, title in zip(pages, titles, strict=True))


PARTS: Final[Mapping[str, tuple[Path, Callable[[], str]]]] = {
    "settings": (ROOT / "docs" / "settings.md", settings_table),
    "decisions": (DECISIONS / "README.md", decisions_list),
}


def generated(name: str) -> str:
    """A document with its generated part made anew."""
    path, make = PARTS[name]
    before, mark, rest = path.read_text().partition(f"<!-- {name} -->\n")
    _, closing, after = rest.partition(f"<!-- /{name} -->")
    assert mark and closing, f"{path} has no marks of {name}"
    return f"{before}{mark}{make()}\n{closing}{after}"


if __name__ == "__main__":
    for name, (path, _) in PARTS.items():
        path.write_text(generated(name))
