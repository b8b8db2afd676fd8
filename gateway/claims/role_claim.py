"""The JSON Path of `jwt-role-claim-key`: text in, a query out, and the role found in a token's claims.

The grammar is RFC 9535's (gateway/claims/json_path.py). The one of earlier versions is still taken where that fails:
`.key`, `."quoted key"`, `[0]`, and last a comparison over an array of strings, `[?(@ == "x")]` with one of `==`, `!=`,
`^==` (starts with), `==^` (ends with), `*==` (contains).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import orjson

from gateway.claims import json_path as jsonpath
from gateway.claims.json_path import ArraySelector, FilterSelector, NameSelector, Path, PathError, PathSegment, Selector

OLD_GRAMMAR: Final = (
    "The role-claim-key %r is written in a grammar that is deprecated and will not be read from version 18 on.",
    "Write it as a JSON Path (RFC 9535), such as $.role: https://docs.postgrest.org/en/v16/references/auth.html",
)

_STEP = re.compile(
    r"""\.(?P<key>[\w$@-]+)
      | \."(?P<quoted>[^"]+)"
      | \[(?P<index>\d+)\]
      | \[\?\(@\s*(?P<test>==\^|\^==|\*==|==|!=)\s*"(?P<value>[^"]*)"\)\]$""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class RolePath:
    """Where the role stands; `is_old` for the grammar of earlier versions."""

    path: Path
    is_old: bool = False

    def find(self, claims: Mapping[str, Any]) -> str | None:
        """The role that the path finds first, or None. What is no string counts by its JSON text.

        >>> parse('$.roles[?search(@, "^press_")]').find({"roles": ["x", "press_admin"]})
        'press_admin'
        >>> parse("$.role").find({"role": ["a"]}), parse("$.role").find({"role": None}), parse("$.role").find({})
        ('["a"]', 'null', None)
        """
        found = self.path.find(claims)
        if not found:
            return None
        return found[0] if isinstance(found[0], str) else orjson.dumps(found[0]).decode()


def parse(text: str) -> RolePath:
    """The path of a claim. Raises ValueError."""
    try:
        return RolePath(jsonpath.parse(text))
    except PathError:
        return RolePath(Path(_old(text)), is_old=True)


def _old(text: str) -> tuple[PathSegment, ...]:
    segments: list[PathSegment] = []
    position = 0
    while position < len(text) or not text:
        found = _STEP.match(text, position)
        if found is None:
            raise ValueError(f"failed to parse role-claim-key value ({text}) (line 1, column {position + 1})")
        selector: Selector
        if found["index"] is not None:
            selector = ArraySelector(int(found["index"]))
        elif found["test"] is not None:
            selector = FilterSelector(partial(_holds, found["test"], found["value"]))
        else:
            selector = NameSelector(found["key"] or found["quoted"])
        segments.append(PathSegment((selector,)))
        position = found.end()
    return tuple(segments)


def _holds(operator: str, wanted: str, _: Any, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    match operator:
        case "==":
            return value == wanted
        case "!=":
            return value != wanted
        case "^==":
            return value.startswith(wanted)
        case "==^":
            return value.endswith(wanted)
        case _:
            return wanted in value
