"""Rows as a table for people, or as JSON for scripts."""

from __future__ import annotations

import json


def print_rows(names: tuple[str, ...], rows: list[tuple[str | None, ...]], as_json: bool) -> None:
    """A table for people, or JSON for scripts."""
    if as_json:
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], ensure_ascii=False))
        return
    table = [tuple(name.upper() for name in names), *(tuple(_plain(value) for value in row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(names))]
    for row in table:
        print("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())


def _plain(value: str | None) -> str:
    """A value that a visitor wrote must not steer the terminal."""
    return "".join(character for character in value or "" if character.isprintable())[:60]
