"""Names in the order of a dictionary, as JavaScript's `localeCompare` has them and the official generator too."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

# Punctuation before digits before letters, in the order of the Unicode collation's root.
_PUNCTUATION: Final = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANKS: Final = {character: rank for rank, character in enumerate(" " + _PUNCTUATION)}


@lru_cache(maxsize=10_000)
def collation_key(text: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """What to sort a text by: its letters, then their accents, then small before capital ones.

    >>> sorted(["Z", "a b", "ab", "aB", "_x", "a_b", "é", "A", "1a", "a", "z"], key=collation_key)
    ['_x', '1a', 'a', 'A', 'a b', 'a_b', 'ab', 'aB', 'é', 'z', 'Z']
    """
    letters: list[int] = []
    accents: list[int] = []
    capitals: list[int] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            if accents:
                accents[-1] = ord(character)
            continue
        small = character.lower()
        letters.append(_RANKS.get(character, 1000 + ord(small[0])))
        accents.append(0)
        capitals.append(int(small != character))
    return tuple(letters), tuple(accents), tuple(capitals)
