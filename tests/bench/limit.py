"""pgbench with pipelines of prepared statements, and what the gateway itself asks of the database for a call."""

from __future__ import annotations

import asyncio
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from gateway.app import Gateway
from gateway.database import Database, Result, Scope
from gateway.database.embedded import programs
from gateway.database.poolers import Urls
from gateway.database.statement import Statement, Value, quote_literal
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from tests.bench.load import Call


@dataclass(frozen=True)
class Recorded:
    """What one request sent to the database."""

    scope: Scope
    statements: tuple[Statement, ...]


class Recorder(Database):
    """Remembers what each request sends, on its way to the database."""

    recorded: ClassVar[list[Recorded]] = []

    async def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> list[Result]:
        self.recorded.append(Recorded(scope, statements))
        return await super().run_all(scope, *statements)


def record(url: Urls, settings: Settings, calls: Sequence[Call]) -> list[Recorded]:
    """What the gateway asks of the database for these calls."""
    import httpx

    from gateway.worker import databases

    async def main() -> list[Recorded]:
        # the room imports the name for itself alone, which mypy holds others to
        databases.Database = Recorder  # type: ignore[attr-defined]
        gateway = Gateway(replace(settings, db_pool_writes=0), KeyRing.load(settings), url)
        await gateway.start()
        Recorder.recorded = []
        transport = httpx.ASGITransport(app=gateway)
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                for call in calls:
                    head, _, body = call.wire.partition(b"\r\n\r\n")
                    first, *lines = head.decode().split("\r\n")
                    method, target, _ = first.split(" ")
                    headers = dict(line.split(": ", 1) for line in lines if not line.startswith("content-length"))
                    response = await client.request(method, target, headers=headers, content=body)
                    assert response.status_code == call.status, response.text
            assert len(Recorder.recorded) == len(calls), "what was asked passed by the recorder"
            return list(Recorder.recorded)
        finally:
            databases.Database = Database  # type: ignore[attr-defined]
            await gateway.stop()

    return asyncio.run(main())


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


def run(url: str, scripts: Sequence[str], connections: int, seconds: int, at: Path | None = None) -> int:
    """Drive the scripts for some seconds with the pgbench of a folder; transactions done.

    Raises RuntimeError with pgbench's words.
    """
    with tempfile.TemporaryDirectory() as folder:
        return _drive(Path(folder), url, scripts, connections, seconds, at)


def timed(url: str, scripts: Sequence[str], connections: int, seconds: int, at: Path | None = None) -> list[float]:
    """As `run`; the seconds of each transaction."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _drive(folder, url, scripts, connections, seconds, at, "-l", "--log-prefix", str(folder / "log"))
        lines = [line for log in folder.glob("log.*") for line in log.read_text().splitlines()]
    return [int(line.split()[2]) / 1e6 for line in lines]


def _drive(
    folder: Path, url: str, scripts: Sequence[str], connections: int, seconds: int, at: Path | None, *further: str
) -> int:
    # A script that goes through keys counts with `k`, which each connection has to itself.
    arguments = [str((at or programs()) / "pgbench"), "-n", "-M", "prepared", "-j", "1", "-D", "k=0"]
    arguments += ["-c", str(connections), "-T", str(seconds), *further]
    for number, text in enumerate(scripts):
        path = folder / f"{number}.sql"
        path.write_text(text)
        arguments += ["-f", str(path)]
    done = subprocess.run([*arguments, url], capture_output=True, text=True)
    found = re.search(r"number of transactions actually processed: (\d+)", done.stdout)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"pgbench failed: {done.stderr.strip()[-600:]}")
    return int(found[1])
