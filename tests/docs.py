"""Writes the generated parts of the README: `python -m tests.docs`. A test compares them."""

from __future__ import annotations

from pathlib import Path

from gateway.settings import describe

README = Path(__file__).parents[1] / "README.md"


def settings_table() -> str:
    """Every setting with its default and what it does."""
    rows = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {help} |" for name, default, help in describe() if name
    ]
    return "\n".join(["| Variable | Default | What it does |", "| --- | --- | --- |", *rows])


def generated(text: str) -> str:
    """The README with its generated parts made anew."""
    parts = {"settings": settings_table()}
    for name, part in parts.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, closing, after = rest.partition(f"<!-- /{name} -->")
        text = f"{before}{mark}{part}\n{closing}{after}"
    return text


if __name__ == "__main__":
    README.write_text(generated(README.read_text()))
