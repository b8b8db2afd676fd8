"""Copies of everything: which there are, whether the last could be made, and one made, verified or put back.

Each is a command of its own (gateway/console/commands.py). Whoever asks for `application/x-ndjson` hears each step as a
line, then what came of it; where they go away the command is given up, which leaves everything as it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.commands import AT_ONCE, NAME, refused, run_command, start_command, time_of
from gateway.console.errors import ConsoleError, not_found
from gateway.http.messages import Response
from gateway.jobs.backup_schedule import last_failure
from gateway.operations.backup import SUFFIX, newest_first

LONG: Final = 3600.0  # seconds of what reads or writes a whole database
TO_GIVE_UP: Final = 30.0  # seconds in which a command puts back what it began
LINES: Final = b"application/x-ndjson"
BROKEN: Final = ".broken"  # after the name of a copy that did not verify

Outcome = Callable[[str], dict[str, Any]]


async def backups(call: ConsoleCall) -> Response:
    """The copies, newest first, and when and why the last that the clock wanted could not be made."""
    settings = call.settings
    folder = Path(settings.backup_dir) if settings.backup_dir else None
    failure = await asyncio.to_thread(last_failure, folder) if folder is not None else None
    return answer_json({
        "folder": settings.backup_dir or None,
        "every": settings.backup_every if folder is not None else None,
        "keep": settings.backup_keep if folder is not None else None,
        "failed": None if failure is None else {"at": time_of(failure[0]), "reason": failure[1]},
        "backups": await asyncio.to_thread(_copies, call),
    })  # fmt: skip


async def make_backup(call: ConsoleCall) -> Response | None:
    if not call.settings.backup_dir:
        raise ConsoleError(409, "no_folder", "Set GATEWAY_BACKUP_DIR to the folder for copies.")

    def made(said: str) -> dict[str, Any]:
        name = Path(said.strip()).name
        call.note(name=name)
        return {"name": name}

    return await _work(call, made, "db", "backup")


async def verify_backup(call: ConsoleCall) -> Response | None:
    """Restore a copy into a throw-away Postgres and compare every table."""
    return await _work(
        call,
        lambda said: {"whole": True, "text": said.strip()},
        "db",
        "verify",
        str(await asyncio.to_thread(_place, call)),
    )


async def restore_backup(call: ConsoleCall) -> Response | None:
    """`{"confirm": NAME}`: put a copy in place of all there is; a copy of that is made first."""
    path = await asyncio.to_thread(_place, call)
    if text_of(await call.json(), "confirm", "") != call.path["name"]:
        raise ConsoleError(
            400, "not_confirmed", "Repeat the copy's name as `confirm`: it takes the place of everything."
        )
    words = ("db", "restore", str(path), "--yes", "--yes-remote")
    return await _work(call, lambda said: {"restored": path.name, "text": said.strip()}, *words)


async def _work(call: ConsoleCall, outcome: Outcome, *words: str) -> Response | None:
    """Run a command; its steps as lines for who wants them. Raises ConsoleError."""
    if LINES not in (call.request.header(b"accept") or b""):
        return answer_json(outcome(await run_command(call, *words, limit=LONG)))
    await call.unless_left(call.stream(_steps(call, outcome, *words), "application/x-ndjson"))
    return None


async def _steps(call: ConsoleCall, outcome: Outcome, *words: str) -> AsyncIterator[bytes]:
    async with AT_ONCE:
        process = await start_command(call, *words, "--progress")
        assert process.stderr is not None and process.stdout is not None
        said = asyncio.ensure_future(process.stdout.read())
        complained, told = "", False
        try:
            async with asyncio.timeout(LONG):
                async for line in process.stderr:
                    if line.startswith(b'{"step"'):
                        told = True
                        yield line
                    else:
                        complained += line.decode("utf-8", "replace")
                printed = (await said).decode("utf-8", "replace")
                await process.wait()
        finally:
            said.cancel()
            if process.returncode is None:
                await asyncio.shield(_give_up(process))
    if process.returncode:
        error = refused(" ".join(words[:2]), complained, process.returncode)
        if not told:
            raise error
        call.note(error=error.message)
        yield orjson.dumps({"error": error.content}) + b"\n"
    else:
        yield orjson.dumps(outcome(printed)) + b"\n"


async def _give_up(process: asyncio.subprocess.Process) -> None:
    """Have a command put back what it began; past the point where it can be, it goes on to its end by itself."""
    with suppress(ProcessLookupError, TimeoutError):
        process.terminate()
        async with asyncio.timeout(TO_GIVE_UP):
            await process.wait()


def _folders(call: ConsoleCall) -> list[Path]:
    """Where copies are: those by the clock, and those made before a restore."""
    named = [Path(call.settings.backup_dir)] if call.settings.backup_dir else []
    return [*named, call.settings.data_dir / "backups"]


def _copies(call: ConsoleCall) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for folder in _folders(call):
        broken = sorted(folder.glob(f"*{SUFFIX}{BROKEN}")) if folder.is_dir() else []
        for path in (*newest_first(folder), *broken):
            with suppress(OSError):
                row = path.stat()
                told = {"name": path.name, "bytes": row.st_size, "made_at": time_of(row.st_mtime)}
                found.setdefault(path.name, {**told, "broken": path.name.endswith(BROKEN)})
    return sorted(found.values(), key=lambda row: str(row["made_at"]), reverse=True)


def _place(call: ConsoleCall) -> Path:
    """A copy's file; only what is listed can be named. Raises ConsoleError 404."""
    name = call.path["name"]
    if NAME.fullmatch(name) and name.endswith(SUFFIX):
        for folder in _folders(call):
            if (folder / name).is_file():
                return (folder / name).resolve()
    raise not_found(f"there is no copy {name}")


ROUTES: Final = (
    ConsoleRoute("GET", "/backups", backups),
    ConsoleRoute("POST", "/backups", make_backup),
    ConsoleRoute("POST", "/backups/{name:segment}/verify", verify_backup, reads=True),
    ConsoleRoute("POST", "/backups/{name:segment}/restore", restore_backup),
)
