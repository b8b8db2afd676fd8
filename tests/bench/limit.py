"""The limit: the gateway's own SQL for a call, driven by pipelined pgbench with prepared statements."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.database import Scope
from gateway.database.embedded import programs
from gateway.database.statement import Statement, Value, quote_literal


@dataclass(frozen=True)
class Recorded:
    """What one request sent to the database."""

    scope: Scope
    statements: tuple[Statement, ...]


def script(recorded: Recorded) -> str:
    """A pgbench script that does the same in one trip: settings, statements, one implicit transaction."""
    lines = ["\\startpipeline"]
    if recorded.scope.names:
        lines.append(f"{settings(recorded.scope)};")
    lines += [f"{filled(statement)};" for statement in recorded.statements]
    lines.append("\\endpipeline")
    return "\n".join(lines) + "\n"


def settings(scope: Scope) -> str:
    """The statement that sets them for the transaction."""
    pairs = zip(scope.names, scope.values, strict=True)
    return "select " + ", ".join(f"set_config('{name}', {_literal(value)}, true)" for name, value in pairs)


def filled(statement: Statement) -> str:
    """The statement with its values as literals of unknown type, which is how the gateway sends them."""
    return re.sub(r"\$(\d+)", lambda found: _literal(statement.params[int(found[1]) - 1]), statement.text).replace(
        "\n", " "
    )


def _literal(value: Value) -> str:
    if value is None:
        return "null"
    text = value.decode() if isinstance(value, bytes) else value
    if ":" not in text:
        return quote_literal(text)
    # pgbench takes a colon before a letter or digit for one of its variables, even within quotes.
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace(":", "\\x3a")
    return f"E'{escaped}'"


def run(url: str, scripts: Sequence[str], connections: int, seconds: int) -> int:
    """Drive the scripts for some seconds; transactions done. Raises RuntimeError with pgbench's words."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(programs() / "pgbench"), "-n", "-M", "prepared", "-c", str(connections), "-j", "1"]
        arguments += ["-T", str(seconds)]
        for number, text in enumerate(scripts):
            path = Path(folder, f"{number}.sql")
            path.write_text(text)
            arguments += ["-f", str(path)]
        done = subprocess.run([*arguments, url], capture_output=True, text=True)
    found = re.search(r"number of transactions actually processed: (\d+)", done.stdout)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"pgbench failed: {done.stderr.strip()[-600:]}")
    return int(found[1])
