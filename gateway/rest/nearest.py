"""The nearest name to one that was not found, for hints.

>>> nearest('blog_post', ['blog_posts', 'authors'], 0.75)
'blog_posts'
>>> nearest('prots', ['ports'], 0.75)
'ports'
>>> nearest('zzz', ['blog_posts'], 0.75) is None
True
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from heapq import nlargest
from math import sqrt
from typing import Final

_NOISE = re.compile(r"[^\w, ]+")
_CANDIDATES: Final = 50  # compared letter by letter, after a look at pairs and triples of letters


def nearest(name: str, known: Iterable[str], least: float) -> str | None:
    """The known name most like `name`, with a likeness of `least` or more (1.0 is equal)."""
    names = list(dict.fromkeys(known))
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
    if not longest:
        return 1.0
    earlier: list[int] = []
    before = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            least = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
        earlier, before = before, row
    return 1 - before[-1] / longest
