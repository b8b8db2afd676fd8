"""Dumps to be read: files that somebody made, packed or not, or made of a database here and now."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gateway.database import SyncConnection, command_line
from gateway.database.embedded import EmbeddedError, client_program
from gateway.operations.transfer.dump_text import DumpFault
from gateway.operations.transfer.rules import NOT_ROWS, PLATFORM, ROWS
from gateway.system.processes import child_of_this_process

_GZIP: Final = b"\x1f\x8b"
_CUSTOM: Final = b"PGDMP"


@contextmanager
def lines_of(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a dump, with their ends. Raises DumpFault for a file of another kind, OSError."""
    with path.open("rb") as beginning:
        head = beginning.read(5)
    if head.startswith(_CUSTOM):
        raise DumpFault(f"{path}: pg_dump's own format: make SQL of it with `pg_restore -f dump.sql {path}`")
    with gzip.open(path) if head.startswith(_GZIP) else path.open("rb") as file:
        try:
            yield (line.decode() for line in file)
        except UnicodeDecodeError as error:
            raise DumpFault(f"{path}: no UTF-8: make it with `pg_dump --encoding UTF8`") from error
        except (EOFError, gzip.BadGzipFile) as error:
            raise DumpFault(f"{path}: the packed file was cut off") from error


def dump(url: str, target: Path, *, schema_only: bool = False, data_only: bool = False) -> None:
    """Have pg_dump write a database as SQL into a file. Raises DumpFault."""
    arguments = ["--no-security-labels", "--no-subscriptions", "--quote-all-identifiers", "--encoding=UTF8"]
    arguments += ["--schema-only"] * schema_only + ["--data-only"] * data_only
    # Rows of the platform's own tables are not read at all: some of them nobody but their owner may read.
    arguments += [f"--exclude-table-data={schema}.*" for schema in sorted(PLATFORM - {"auth", "storage"})]
    arguments += [f"--exclude-table-data={table}" for table in sorted(NOT_ROWS)]
    kept = {table.partition(".")[2] for table in ROWS if table.startswith("storage.")}
    with SyncConnection(url) as connection:
        tables = connection.rows("select relname from pg_class where relnamespace = to_regnamespace('storage')")
    arguments += [f"--exclude-table-data=storage.{name}" for (name,) in tables if name not in kept]
    program("pg_dump", url, *arguments, f"--file={target}")


def program(name: str, url: str, *arguments: str) -> None:
    """Run a Postgres program on a database. Raises DumpFault with its first error."""
    try:
        path = client_program(name, url)
    except EmbeddedError as error:
        raise DumpFault(str(error)) from error
    database, secret = command_line(url)
    done = subprocess.run(
        [path, *arguments, database],
        capture_output=True,
        text=True,
        env={**os.environ, **secret},
        umask=0o077,
        preexec_fn=child_of_this_process(signal.SIGKILL),
    )
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise DumpFault(f"{name}: {told[0] if told else f'status {done.returncode}'}")
