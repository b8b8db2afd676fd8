"""Env files: `NAME=value` lines."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Final

RESERVED: Final = "SUPABASE_"
_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")

log = logging.getLogger("gateway.functions")


def read_env_file(path: Path) -> dict[str, str]:
    r"""Variables of an env file: `NAME=value` lines, quotes taken off, `#` comments; none if there is no file.

    Lines that set a reserved name are skipped with a notice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return {}
    values: dict[str, str] = {}
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found is None:
            continue
        name, value = found[1], found[2].strip()
        if name.startswith(RESERVED):
            log.warning("%s: %s is reserved for the gateway and was skipped", path, name)
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            quote, value = value[0], value[1:-1]
            if quote == '"':
                value = value.replace("\\n", "\n").replace('\\"', '"')
        else:
            value = value.split(" #", 1)[0].rstrip()
        values[name] = value
    return values
