"""Which files beside a script's own folder it is made of: what it imports from there, and the settings of its imports.

A deployed version brings these along, and a change of one of them is a new version. Imports are found by their text, so
one in a comment counts too, which costs a file and nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from functions_runner.types import SCRIPTS

# Settings that hold for every function of the folder.
SETTINGS: Final = ("deno.json", "deno.jsonc", "import_map.json", "package.json", ".npmrc")
LARGEST: Final = 2_000_000  # bytes of a file that is looked into
_IMPORT: Final = re.compile(rb"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.\.?/[^"'\n]+)["']""")


def beside(root: Path, own: Iterable[Path]) -> list[Path]:
    """Files below `root` that `own` import, directly or through others, and the settings there; sorted."""
    top = os.path.abspath(root)
    found = {path for name in SETTINGS if (path := root / name).is_file()}
    seen = {os.path.abspath(path) for path in own}
    around = [path for path in own if path.name.endswith(SCRIPTS)]
    while around:
        for name in _imported(around.pop()):
            if name not in seen and name.startswith(top + os.sep) and os.path.isfile(name):
                seen.add(name)
                file = root / os.path.relpath(name, top)
                found.add(file)
                if name.endswith(SCRIPTS):
                    around.append(file)
    return sorted(found)


def _imported(file: Path) -> Iterator[str]:
    try:
        if file.stat().st_size > LARGEST:
            return
        text = file.read_bytes()
    except OSError:
        return
    for match in _IMPORT.finditer(text):
        yield os.path.normpath(os.path.join(os.path.abspath(file.parent), os.fsdecode(match[1])))
