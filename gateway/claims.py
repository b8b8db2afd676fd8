"""The JSON path of `jwt-role-claim-key`: text in, steps out, and the role found in a token's claims.

Grammar as in https://docs.postgrest.org/en/v14/references/auth.html#jwt-role-claim-key-extraction:
`.key`, `."quoted key"`, `[0]`, and last a comparison over an array of strings, `[?(@ == "x")]` with one of
`==`, `!=`, `^==` (starts with), `==^` (ends with), `*==` (contains).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

_STEP = re.compile(
    r"""\.(?P<key>[\w$@-]+)
      | \."(?P<quoted>[^"]+)"
      | \[(?P<index>\d+)\]
      | \[\?\(@\s*(?P<test>==\^|\^==|\*==|==|!=)\s*"(?P<value>[^"]*)"\)\]""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Test:
    """Picks the first string of an array that passes a comparison."""

    operator: str
    value: str

    def holds(self, text: str) -> bool:
        match self.operator:
            case "==":
                return text == self.value
            case "!=":
                return text != self.value
            case "^==":
                return text.startswith(self.value)
            case "==^":
                return text.endswith(self.value)
            case _:
                return self.value in text


Step = str | int | Test


def parse(path: str) -> tuple[Step, ...]:
    """Steps of a claim path. Raises ValueError.

    >>> parse('.app."my role"[0]')
    ('app', 'my role', 0)
    """
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            raise ValueError(f"cannot read the role claim path {path!r} at {path[position:]!r}")
        if found["index"] is not None:
            steps.append(int(found["index"]))
        elif found["test"] is not None:
            steps.append(Test(found["test"], found["value"]))
        else:
            steps.append(found["key"] or found["quoted"])
        position = found.end()
    return tuple(steps)


def find(steps: tuple[Step, ...], claims: Mapping[str, Any]) -> str | None:
    """The role the path leads to, or None. A value that is no string counts by its JSON text.

    >>> find(('roles', Test('^==', 'blog_')), {'roles': ['x', 'blog_admin']})
    'blog_admin'
    """
    value: Any = claims
    for step in steps:
        if isinstance(step, Test):
            items = value if isinstance(value, list) else []
            value = next((item for item in items if isinstance(item, str) and step.holds(item)), None)
        elif isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    if value is None:
        return None
    return value if isinstance(value, str) else orjson.dumps(value).decode()
