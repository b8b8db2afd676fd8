"""How much JSON from outside may be before it is made into objects here: depth and parts, found in linear time.

What goes to Postgres as text has no need of this (gateway/rest/body/jsonscan.py). What is taken apart has: a parser's
own limit is deeper than a serializer's, so that what was read could not be written again, and the objects of a million
brackets take longer to make than a request may hold the loop.
"""

from __future__ import annotations

import re
from typing import Final

MAX_DEPTH: Final = 100
MAX_PARTS: Final = 20_000  # brackets and commas

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_OTHERS: Final = bytes(set(range(256)) - set(b"[]{},"))
_OPENING: Final = b"[{"
_CLOSING: Final = b"]}"


def is_too_much(raw: bytes, depth: int = MAX_DEPTH, parts: int = MAX_PARTS) -> bool:
    """Whether a JSON text is deeper or has more parts than allowed. Says nothing of texts that are no JSON.

    >>> is_too_much(b'[' * 101 + b']' * 101), is_too_much(b'["' + b'[' * 101 + b'"]'), is_too_much(b'[1,2,3]', parts=3)
    (True, False, True)
    """
    if raw.count(b"[") + raw.count(b"{") <= depth and raw.count(b",") <= parts // 2:
        return False
    bare = _STRING.sub(b"", raw).translate(None, _OTHERS)
    if len(bare) > parts:
        return True
    open_levels = 0
    for mark in bare:
        if mark in _OPENING:
            open_levels += 1
            if open_levels > depth:
                return True
        elif mark in _CLOSING:
            open_levels -= 1
    return False
