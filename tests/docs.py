"""Writes the generated parts of the documents: `python -m tests.docs`. A test compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gateway.settings import describe
from tests.test_layers import LAYERS

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


def rooms_picture() -> str:
    """The floors of the gateway's rooms, from the command line down to what knows nothing of the rest."""
    floors = list(reversed(LAYERS[:-1]))  # `__main__` above them calls the command line and nothing else
    width, height, gap = 820, 34, 10
    boxes = []
    for row, rooms in enumerate(floors):
        y, each = gap + row * (height + gap), (width - gap) / len(rooms)
        for column, room in enumerate(rooms):
            x = gap + column * each
            boxes.append(
                f'<rect x="{x:.0f}" y="{y}" width="{each - gap:.0f}" height="{height}" rx="6"/>'
                f'<text x="{x + (each - gap) / 2:.0f}" y="{y + 22}">{room}</text>'
            )
    bottom = gap + len(floors) * (height + gap)
    style = (
        "svg{background:#fff}rect{fill:#e6f0f2;stroke:#0f5f6b}path{stroke:#0f5f6b;fill:none}"
        "text{font:14px ui-monospace,monospace;text-anchor:middle;fill:#10242b}.note{font:13px sans-serif}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 90} {bottom}" role="img">',
            "<title>The rooms of the gateway: each imports only those below it</title>",
            f"<style>{style}</style>",
            *boxes,
            f'<path d="M{width + 40} {gap} V{bottom - 16} m-5 -8 l5 8 l5 -8"/>',
            f'<text class="note" transform="translate({width + 66} {bottom / 2:.0f}) rotate(90)">may import</text>',
            "</svg>",
            "",
        ]
    )


PARTS: Final[Mapping[str, tuple[Path, Callable[[], str]]]] = {
    "settings": (ROOT / "docs" / "settings.md", settings_table),
    "decisions": (DECISIONS / "README.md", decisions_list),
}


PICTURE: Final = ROOT / "docs" / "pictures" / "rooms.svg"


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
    PICTURE.write_text(rooms_picture())
