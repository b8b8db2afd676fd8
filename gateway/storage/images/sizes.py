"""What size a picture gets, and what of it is shown: sizes in, a plan out. Nothing is ever enlarged. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Size = tuple[int, int]
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """`crop` is of the picture as it is, left, top, right and bottom; it is then scaled to `size`."""

    size: Size
    crop: Box


def plan(source: Size, width: int, height: int, resize: str, place: tuple[float, float]) -> Plan:
    """`width` and `height` are the most that is wanted, 0 for whatever the other makes of it; `place` is the point of
    the picture that cropping keeps in the middle as far as it can, in shares of it.

    >>> plan((400, 200), 100, 100, "contain", (0.5, 0.5))
    Plan(size=(100, 50), crop=(0, 0, 400, 200))
    >>> plan((400, 200), 100, 100, "cover", (0.5, 0.5))
    Plan(size=(100, 100), crop=(100, 0, 300, 200))
    >>> plan((400, 200), 100, 100, "fill", (0.5, 0.5))
    Plan(size=(100, 100), crop=(0, 0, 400, 200))
    >>> plan((40, 20), 100, 0, "cover", (0.5, 0.5))
    Plan(size=(40, 20), crop=(0, 0, 40, 20))
    """
    whole = (0, 0, *source)
    if not width and not height:
        return Plan(source, whole)
    across = width / source[0] if width else 0.0
    down = height / source[1] if height else 0.0
    if resize == "fill" and width and height:
        return Plan((min(width, source[0]), min(height, source[1])), whole)
    if resize == "cover" and width and height:
        scale = min(max(across, down), 1.0)
        size = (min(width, _scaled(source[0], scale)), min(height, _scaled(source[1], scale)))
        left, right = _cut(source[0], min(source[0], round(size[0] / scale)), place[0])
        top, bottom = _cut(source[1], min(source[1], round(size[1] / scale)), place[1])
        return Plan(size, (left, top, right, bottom))
    scale = min(each for each in (across, down, 1.0) if each)
    return Plan((_scaled(source[0], scale), _scaled(source[1], scale)), whole)


def _scaled(length: int, scale: float) -> int:
    return max(1, round(length * scale))


def _cut(length: int, kept: int, place: float) -> tuple[int, int]:
    """Where a part of some length begins and ends whose middle is at a place, as far as there is room."""
    kept = max(1, kept)
    start = min(max(round(place * length - kept / 2), 0), length - kept)
    return start, start + kept


PLACES: Final = {
    "no": (0.5, 0.0), "so": (0.5, 1.0), "ea": (1.0, 0.5), "we": (0.0, 0.5), "noea": (1.0, 0.0), "nowe": (0.0, 0.0),
    "soea": (1.0, 1.0), "sowe": (0.0, 1.0), "ce": (0.5, 0.5), "sm": (0.5, 0.5),
}  # fmt: skip
"""Where in a picture a word for gravity points to; `sm`, what is most worth seeing, is taken to be the middle."""
