"""Functions: what is served, what their calls came to, logs, replay, versions, secrets and schedules.

What the functions' admin API answers is asked of it in this process (gateway/functions/admin.py); what calls came to is
read from the log of calls.
"""

from __future__ import annotations

import asyncio
import base64
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson
from functions_runner.types import FunctionConfig, FunctionError

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, not_found
from gateway.functions.invocations import Invocation
from gateway.functions.logs import read_lines
from gateway.http.messages import Response

RECENT: Final = 100  # calls of one function
DAY: Final = timedelta(days=1)
PRIVATE: Final = frozenset(("headers", "body", "answer_headers", "answer"))
SAMPLE: Final = "sample.json"
LARGEST_SAMPLE: Final = 1_000_000  # bytes


async def asked(call: ConsoleCall, method: str, path: str, content: Any = None, **query: str) -> Any:
    """What the functions' admin API answers. Raises ConsoleError with its code."""
    body = b"" if content is None else orjson.dumps(content)
    raw = f"/_admin{path}"
    scope = {
        "type": "http",
        "method": method,
        "path": raw,
        "raw_path": raw.encode(),
        "query_string": urlencode(query).encode(),
        "headers": [],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    answer = await call.gateway.functions.administer(scope, receive)
    said = orjson.loads(answer.body)
    if answer.status >= 400:
        raise ConsoleError(answer.status, str(said.get("code", "functions")).lower(), str(said.get("message", "")))
    return said


async def listed(call: ConsoleCall) -> Response:
    rows = await asked(call, "GET", "/functions")
    secrets = await asked(call, "GET", "/secrets")
    day = await asyncio.to_thread(_day, call)
    return answer_json([_row(call, row, day.get(row["name"], []), secrets) for row in rows])


async def one(call: ConsoleCall) -> Response:
    """A function with its versions, its latest calls and its last day by the minute."""
    name = call.path["name"]
    rows = await asked(call, "GET", "/functions")
    row = next((row for row in rows if row["name"] == name), None)
    if row is None:
        raise not_found(f"there is no function {name}")
    calls = (await asyncio.to_thread(_day, call)).get(name, [])
    versions: list[dict[str, Any]] = []
    with suppress(ConsoleError):  # one that was never deployed has none
        versions = await asked(call, "GET", f"/functions/{quote(name, safe='')}/versions")
    told = {
        **_row(call, row, calls, await asked(call, "GET", "/secrets")),
        "versions": versions[::-1],
        "recent": [_brief(each) for each in calls[: -RECENT - 1 : -1]],
        "minutes": _by_minute(calls),
    }
    return answer_json(told)


async def logs(call: ConsoleCall) -> Response:
    after, limit = call.query.get("after", ""), call.query.get("limit", "200")
    return answer_json(await asked(call, "GET", "/logs", function=call.path["name"], after=after, limit=limit))


async def recorded(call: ConsoleCall) -> Response:
    """One call: what was asked, where its body was kept, what was answered, and what it printed."""
    name, id = call.path["name"], call.path["id"]
    service = call.gateway.functions

    def look() -> dict[str, Any] | None:
        found = service.invocations.find(id)
        if found is None or found.function != name:
            return None
        lines = [line for line in read_lines(service.logs, name) if line["request"] == found.request]
        return {
            **_brief(found),
            "headers": found.headers,
            "body": None if found.body is None else found.body_bytes().decode("utf-8", "replace"),
            "answer_headers": found.answer_headers,
            "answer": None if found.answer is None else found.answer_bytes().decode("utf-8", "replace"),
            "replayable": found.body is not None,
            "lines": lines[-1000:],
        }

    told = await asyncio.to_thread(look)
    if told is None:
        raise not_found(f"no call {id} of {name} is kept")
    return answer_json(told)


async def replay(call: ConsoleCall) -> Response:
    id = text_of(await call.json(), "id")
    call.note(id=id)
    said = await asked(call, "POST", f"/replay/{quote(id, safe='')}")
    return answer_json({**said, "body": base64.b64decode(said["body"]).decode("utf-8", "replace")})


async def rollback(call: ConsoleCall) -> Response:
    version = (await call.json()).get("version")
    said = await asked(call, "POST", f"/functions/{quote(call.path['name'], safe='')}/rollback", {"version": version})
    call.note(old=said["before"], new=said["version"])
    return answer_json(said)


async def sample(call: ConsoleCall) -> Response:
    """The body in the function's folder that `functions call` sends."""

    def look() -> str | None:
        path = call.gateway.functions.find(call.path["name"]).folder / SAMPLE
        with suppress(OSError):
            if path.stat().st_size <= LARGEST_SAMPLE:
                return path.read_text(encoding="utf-8", errors="replace")
        return None

    try:
        return answer_json({"sample": await asyncio.to_thread(look)})
    except FunctionError as error:
        raise not_found(str(error)) from error


# --- secrets, schedules ----------------------------------------------------------------------------------------------


async def secrets(call: ConsoleCall) -> Response:
    return answer_json(await asked(call, "GET", "/secrets"))


async def set_secret(call: ConsoleCall) -> Response:
    """`{"value", "function"}`; of one function, else for all that name it."""
    content = await call.json()
    return await _change_secret(call, text_of(content, "value"), text_of(content, "function", ""))


async def unset_secret(call: ConsoleCall) -> Response:
    return await _change_secret(call, None, call.query.get("function", ""))


async def _change_secret(call: ConsoleCall, value: str | None, function: str) -> Response:
    name = call.path["name"]
    call.note(secret=name, function=function or None)  # never its value
    return answer_json(await asked(call, "POST", "/secrets", {name: value}, function=function))


async def schedules(call: ConsoleCall) -> Response:
    return answer_json(await asked(call, "GET", "/schedules"))


async def steer(call: ConsoleCall) -> Response:
    name, action = (quote(call.path[part], safe="") for part in ("name", "action"))
    return answer_json(await asked(call, "POST", f"/schedules/{name}/{action}"))


# --- parts -----------------------------------------------------------------------------------------------------------


def _day(call: ConsoleCall) -> dict[str, list[Invocation]]:
    """Calls of the last day by function, oldest first."""
    since = (datetime.now(UTC) - DAY).isoformat()
    found: dict[str, list[Invocation]] = defaultdict(list)
    for row in call.gateway.functions.invocations.read():
        if row.at >= since:
            found[row.function].append(row)
    return found


def _row(
    call: ConsoleCall, row: dict[str, Any], calls: list[Invocation], secrets: list[dict[str, str]]
) -> dict[str, Any]:
    config = _config(call, row["name"])
    own = [secret["name"] for secret in secrets if secret["function"] == row["name"]]
    named = set() if config is None else {*config.env, *config.optional_env}
    shared = [secret["name"] for secret in secrets if not secret["function"] and secret["name"] in named]
    return {
        "name": row["name"],
        "version": row.get("version"),
        "deployed_version": row.get("deployed_version"),
        "folder_version": row.get("folder_version"),
        "state": _state(row),
        "fault": row.get("fault"),
        "verify_jwt": row.get("verify_jwt"),
        "kind": None if config is None else "deno" if config.is_script else "python",
        "record": config is not None and (call.settings.functions_record if config.record is None else config.record),
        "schedule": (config.schedule or None) if config is not None else None,
        "secrets": sorted({*own, *shared}),
        **_figures(calls),
    }


def _state(row: dict[str, Any]) -> str:
    if "fault" in row:
        return "broken"
    if row["remote"]:
        return "remote"
    return "running" if row.get("process") else "asleep"


def _config(call: ConsoleCall, name: str) -> FunctionConfig | None:
    with suppress(FunctionError, OSError):
        return call.gateway.functions.find(name)
    return None


def _figures(calls: Iterable[Invocation]) -> dict[str, Any]:
    """How often, how often in vain, and how long: half of the calls, and all but one in a hundred."""
    rows = list(calls)
    times = sorted(row.ms for row in rows)
    return {
        "calls": len(rows),
        "errors": sum(row.status >= 500 for row in rows),
        "p50": times[len(times) // 2] if times else None,
        "p99": times[min(len(times) - 1, len(times) * 99 // 100)] if times else None,
    }


def _by_minute(calls: list[Invocation]) -> list[dict[str, Any]]:
    found: dict[str, list[Invocation]] = defaultdict(list)
    for row in calls:
        found[row.at[:16]].append(row)
    return [{"at": f"{minute}:00Z", **_figures(rows)} for minute, rows in sorted(found.items())]


def _brief(row: Invocation) -> dict[str, Any]:
    return {key: value for key, value in asdict(row).items() if key not in PRIVATE}


ROUTES: Final = (
    ConsoleRoute("GET", "/functions", listed),
    ConsoleRoute("GET", "/secrets", secrets),
    ConsoleRoute("PUT", "/secrets/{name:segment}", set_secret),
    ConsoleRoute("DELETE", "/secrets/{name:segment}", unset_secret),
    ConsoleRoute("GET", "/functions/{name:segment}", one),
    ConsoleRoute("GET", "/functions/{name:segment}/logs", logs),
    ConsoleRoute("GET", "/functions/{name:segment}/calls/{id:segment}", recorded),
    ConsoleRoute("POST", "/functions/{name:segment}/replay", replay),
    ConsoleRoute("POST", "/functions/{name:segment}/rollback", rollback),
    ConsoleRoute("GET", "/functions/{name:segment}/sample", sample),
    ConsoleRoute("GET", "/schedules", schedules),
    ConsoleRoute("POST", "/schedules/{name:segment}/{action:segment}", steer),
)
