"""The nearest name to one that was not found, for hints.

>>> nearest('sea_mark', ['sea_marks', 'authors'], 0.75)
'sea_marks'
>>> nearest('prots', ['ports'], 0.75)
'ports'
>>> nearest('zzz', ['sea_marks'], 0.75) is None
True
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from heapq import nlargest
from math import sqrt
from typing import Final

LONGEST: Final = 200  # characters; what is longer is like nothing: names have 63, so it is a list of parameters
_NOISE = re.compile(r"[^\w, ]+")
_CANDIDATES: Final = 20  # compared letter by letter, after a look at pairs and triples of letters


def nearest(name: str, known: Iterable[str], least: float) -> str | None:
    """The known name most like `name`, with a likeness of `least` or more (1.0 is equal).

    The time does not grow with what was sent: a name that is too long to be like any is not looked at.
    """
    if len(name) > LONGEST:
        return None
    # As many edits as the lengths differ by are needed at the least.
    names = [
        other
        for other in dict.fromkeys(known)
        if min(len(other), len(name)) >= least * max(len(other), len(name)) and len(other) <= LONGEST
    ]
    wanted = name.lower()
    for size in (3, 2):
        own = _grams(wanted, size)
        scored = [(score, other) for other in names if (score := _cosine(own, _grams(other.lower(), size))) > 0]
        if not scored:
            continue
        best: tuple[float, str] | None = None
        for _, other in nlargest(_CANDIDATES, scored, key=lambda pair: pair[0]):
            likeness = _likeness(wanted, other.lower())
            if likeness >= least and (best is None or likeness > best[0]):
                best = likeness, other
        if best is not None:
            return best[1]
    return None


def _grams(text: str, size: int) -> Counter[str]:
    padded = f"-{_NOISE.sub('', text)}-"
    return Counter(padded[i : i + size] for i in range(len(padded) - size + 1))


def _cosine(one: Counter[str], two: Counter[str]) -> float:
    dot = sum(count * two[gram] for gram, count in one.items() if gram in two)
    if not dot:
        return 0.0
    return dot / sqrt(sum(n * n for n in one.values()) * sum(n * n for n in two.values()))


def _likeness(one: str, two: str) -> float:
    """1 less the edit distance by the longer length; two letters in the wrong order are one edit."""
    longest = max(len(one), len(two))
    return 1 - distance(one, two) / longest if longest else 1.0


def distance(one: str, two: str) -> int:
    """Edits between two texts, in a step for each letter of the second: a column of the table is two numbers, whose
    bits say where it goes up and down (H. Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit
    Distances", 2003).

    >>> distance('prots', 'ports'), distance('ca', 'abc'), distance('', 'ab')
    (1, 3, 2)
    """
    if not one:
        return len(two)
    places: dict[str, int] = {}
    for place, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << place
    full, last = (1 << len(one)) - 1, 1 << len(one) - 1
    edits = len(one)
    up, down, diagonal, before = full, 0, 0, 0
    for letter in two:
        match = places.get(letter, 0)
        swapped = (~diagonal & match) << 1 & before
        diagonal = (((match & up) + up) ^ up) | match | down | swapped
        right_up, right_down = down | ~(diagonal | up) & full, diagonal & up
        edits += bool(right_up & last) - bool(right_down & last)
        right_up, right_down = (right_up << 1 | 1) & full, right_down << 1 & full
        up, down = right_down | ~(diagonal | right_up) & full, right_up & diagonal
        before = match
    return edits
