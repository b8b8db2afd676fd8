"""What the command line does for an operator, by the same commands: doctor, keys, logs.

Each runs as a process of its own, as the owner of this data folder: it has the owner's login at the database, which no
worker has, and what it reads or packs stays off this process's event loop.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request, not_found
from gateway.http.messages import Response
from gateway.identity.keyring import ALGORITHMS, FILE_NAME, ROLES, read_file

SHORT: Final = 60.0  # seconds
AT_ONCE: Final = asyncio.Semaphore(2)
ROTATED: Final = ("signing", "secret", "publishable", "legacy", "session")
SOURCES: Final = {
    "request": "request",
    "function": "call",
    "sql": "sql",
    "job": "job",
    "mail": "mail",
    "audit": "audit",
}
OWN: Final = " /_console/"  # what the page asks of itself would be most of what is asked
ORDER: Final = {"request": 0, "sql": 1, "call": 1}
SHOWN: Final = 16  # characters of a key
_ID: Final = re.compile(r"[\w.:-]{1,200}", re.ASCII)
NAME: Final = re.compile(r"[\w.-]{1,200}", re.ASCII)


async def run_command(call: ConsoleCall, *words: str, limit: float = SHORT, codes: tuple[int, ...] = (0,)) -> str:
    """What a command of `gateway` prints. Raises ConsoleError with its reason."""
    async with AT_ONCE:
        process = await start_command(call, *words)
        try:
            said, complained = await asyncio.wait_for(process.communicate(), limit)
        except BaseException as error:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if isinstance(error, TimeoutError):
                raise ConsoleError(504, "too_slow", f"gateway {words[0]} took longer than {limit:.0f} s.") from None
            raise
    if process.returncode not in codes:
        raise refused(words[0], complained.decode("utf-8", "replace"), process.returncode)
    return said.decode("utf-8", "replace")


async def start_command(call: ConsoleCall, *words: str) -> asyncio.subprocess.Process:
    """A command of `gateway` on this gateway's data, which whoever starts it waits for."""
    settings = call.settings
    env = {**os.environ, "GATEWAY_DATA_DIR": str(settings.data_dir.resolve()), "NO_COLOR": "1"}
    if settings.database_url:
        env["DATABASE_URL"] = settings.database_url
    if settings.backup_dir:
        env["GATEWAY_BACKUP_DIR"] = str(settings.backup_dir)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", *words),
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def refused(command: str, complained: str, code: int | None) -> ConsoleError:
    """A command's own reason for its failure."""
    reason = complained.strip().removeprefix("gateway: ")
    return ConsoleError(409, "refused", reason or f"gateway {command} ended with {code}")


def lines(said: str) -> Iterator[dict[str, Any]]:
    """One object a line."""
    for line in said.splitlines():
        if line.startswith("{"):
            yield orjson.loads(line)


# --- doctor, logs ----------------------------------------------------------------------------------------------------


async def doctor(call: ConsoleCall) -> Response:
    said = await run_command(call, "doctor", "--json", codes=(0, 1))
    rows = [
        {"level": row["level"], "title": row["subject"], "text": row["text"], "fix": row["advice"] or None}
        for row in lines(said)
    ]
    return answer_json(rows)


async def logs(call: ConsoleCall) -> Response:
    """`?source=&q=&request_id=&errors=true&limit=`: requests, calls and what functions printed, oldest first."""
    query = call.query
    limit = query.get("limit", "200")
    if not (limit.isascii() and limit.isdigit() and 0 < int(limit[:6]) <= 1000 and len(limit) <= 4):
        raise bad_request("limit is a number from 1 to 1000")
    words = ["logs", "--json", "--limit=20000"]
    if query.get("request_id"):
        words.append(f"--id={_known(query['request_id'])}")
    if query.get("errors") == "true":
        words.append("--errors")
    source, q = query.get("source", ""), query.get("q", "").casefold()
    rows = [
        row
        for row in map(_line, lines(await run_command(call, *words)))
        if (not source or row["source"] == source)
        and ("_console" in q or OWN not in row["text"] or row["source"] != "request")
        and q in f"{row['text']} {row['request_id']}".casefold()
    ]
    return answer_json(rows[-int(limit) :])


async def trace(call: ConsoleCall) -> Response:
    """Everything that one request left: its line, the function it called, what that printed, mails, the audit log."""
    id = _known(call.path["request_id"])
    rows = [_line(row) for row in lines(await run_command(call, "logs", "--json", f"--id={id}", "--limit=20000"))]
    return answer_json(sorted(map(_from_begin, rows), key=lambda row: (row["at"], ORDER.get(row["source"], 2))))


def _from_begin(row: dict[str, Any]) -> dict[str, Any]:
    """A line whose time is when it began: the access log tells when an answer was complete."""
    if row["source"] not in ("request", "sql") or row["ms"] is None:
        return row
    began = datetime.fromisoformat(row["at"]) - timedelta(milliseconds=row["ms"])
    return {**row, "at": began.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """A line of `gateway logs`: what a function printed is of the kind that its name is there."""
    source = SOURCES.get(row["kind"], "line")
    told = {name: row.get(name) for name in ("at", "text", "failed", "ms")}
    told |= {"source": source, "request_id": row["id"]}
    return {**told, "function": row["kind"]} if source == "line" else told


def _known(id: str) -> str:
    if not _ID.fullmatch(id):
        raise bad_request("that is no request's id")
    return id


# --- keys ------------------------------------------------------------------------------------------------------------


async def keys(call: ConsoleCall) -> Response:
    said = orjson.loads(await run_command(call, "keys", "list", "--json"))
    stored = await asyncio.to_thread(_stored, call)
    made = {row["id"]: row.get("created_at") for kind in ("api_keys", "s3_keys") for row in stored.get(kind, ())}
    begins = {kind: str(getattr(call.gateway.keys, f"{kind}_key"))[:SHOWN] for kind in ROLES}
    rows = [{**row, "prefix": begins.get(row["id"]), "created": time_of(made.get(row["id"]))} for row in said]
    return answer_json(rows)


async def create_key(call: ConsoleCall) -> Response:
    """`{"name", "kind": "secret"|"publishable"|"s3"}`; the key is in this answer and nowhere else."""
    content = await call.json()
    name, kind = text_of(content, "name"), text_of(content, "kind", "secret")
    if kind not in (*ROLES, "s3") or not name.strip():
        raise bad_request("a key has a name, and is of the kind secret, publishable or s3")
    call.note(name=name, kind=kind)
    words = ["--s3"] if kind == "s3" else [f"--kind={kind}"]
    return answer_json(orjson.loads(await run_command(call, "keys", "create", *words, "--json", "--", name)))


async def rotate_key(call: ConsoleCall) -> Response:
    """`{"grace": "24h", "alg": "ES256"}`: how long the former key stays good, and the kind of a fresh signing key.

    A new API key is in this answer."""
    kind, content = call.path["kind"], await call.json()
    grace, alg = text_of(content, "grace", "24h"), text_of(content, "alg", "ES256")
    if kind not in ROTATED or alg not in ALGORITHMS:
        raise bad_request(f"kind is one of {', '.join(ROTATED)}, alg one of {', '.join(ALGORITHMS)}")
    call.note(kind=kind, grace=grace)
    words = [f"--grace={grace}", *([f"--alg={alg}"] if kind == "signing" else [])]
    said = orjson.loads(await run_command(call, "keys", "rotate", kind, *words, "--json"))
    if kind in ROLES:
        said["key"] = (await asyncio.to_thread(_stored, call)).get(f"{kind}_key")
    return answer_json(said)


async def add_standby(call: ConsoleCall) -> Response:
    """`{"alg": "ES256"}`: a signing key that is published and signs from the next rotation on."""
    alg = text_of(await call.json(), "alg", "ES256")
    if alg not in ALGORITHMS:
        raise bad_request(f"alg is one of {', '.join(ALGORITHMS)}")
    call.note(alg=alg)
    return answer_json(orjson.loads(await run_command(call, "keys", "standby", f"--alg={alg}", "--json")))


async def revoke_key(call: ConsoleCall) -> Response:
    name = call.path["name"]
    if not NAME.fullmatch(name):
        raise not_found(f"there is no key {name}")
    call.note(key=name)
    return answer_json(orjson.loads(await run_command(call, "keys", "revoke", "--json", "--", name)))


def _stored(call: ConsoleCall) -> dict[str, Any]:
    return read_file(call.settings.data_dir / FILE_NAME)


def time_of(epoch: float | None) -> str | None:
    return None if epoch is None else datetime.fromtimestamp(epoch, UTC).isoformat()


ROUTES: Final = (
    ConsoleRoute("GET", "/doctor", doctor),
    ConsoleRoute("GET", "/logs", logs),
    ConsoleRoute("GET", "/trace/{request_id:segment}", trace),
    ConsoleRoute("GET", "/keys", keys),
    ConsoleRoute("POST", "/keys", create_key),
    ConsoleRoute("POST", "/keys/standby", add_standby),
    ConsoleRoute("POST", "/keys/{kind:segment}/rotate", rotate_key),
    ConsoleRoute("DELETE", "/keys/{name:segment}", revoke_key),
)
