"""Which extensions the embedded server can make, beyond those that came with its programs.

A project's role is no superuser, and `create extension` asks for one unless the extension is marked as trusted. So
those that hosted projects may make are marked anew: a control file of the same words, which says that and where the
script is. Extensions that no wheel has are written in SQL, in the folder `extensions` beside this module; after them
come placeholders for those that nobody can have here, so that a project's migrations load and a call says what is
missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from gateway.database.placeholders import PLACEHOLDERS
from gateway.database.programs import extension_folder

SQL_ONLY: Final = Path(__file__).parent / "extensions"
# Not trusted by themselves, and made by `postgres` on hosted projects.
ALLOWED: Final = (
    "autoinc", "bloom", "btree_gist", "dblink", "dict_xsyn", "earthdistance", "insert_username", "moddatetime",
    "pg_buffercache", "pg_prewarm", "pg_stat_statements", "pg_walinspect", "pgrowlocks", "pgstattuple", "postgres_fdw",
    "refint", "vector",
)  # fmt: skip


def search_path(programs: Path, folder: Path) -> str:
    """Value of `extension_control_path`; writes into the folder what the server is to find there."""
    trusted, placeholders = folder / "trusted" / "extension", folder / "missing" / "extension"
    system = extension_folder(programs)
    for each in (folder, trusted.parent, trusted, placeholders.parent, placeholders):
        each.mkdir(exist_ok=True)
        each.chmod(0o755)
    for name in ALLOWED:
        control = system / f"{name}.control"
        if control.is_file() and not re.search(r"^trusted\s*=\s*true", text := control.read_text(), re.MULTILINE):
            _write(trusted / control.name, f"{text.rstrip()}\ntrusted = true\ndirectory = '{system}'\n")
    for placeholder in PLACEHOLDERS:
        _write(placeholders / f"{placeholder.name}.control", placeholder.control())
        _write(placeholders / f"{placeholder.name}--{placeholder.version}.sql", placeholder.script())
    return ":".join((str(trusted.parent), "$system", str(SQL_ONLY), str(placeholders.parent)))


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o644)
