"""The queue of jobs with its dead letters, and the mails that the trap caught."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.console.errors import ConsoleError, bad_request, not_found
from gateway.database import NO_SCOPE
from gateway.database.statement import Statement
from gateway.http.messages import Response
from gateway.mail.trap_page import Caught, caught, read

STATES: Final = ("waiting", "running", "done", "dead")
MOST: Final = 500
MAILS: Final = 200
JOBS: Final = "select gateway.queue($1, $2::bigint, $3::integer)"
RETRY: Final = "select gateway.retry_job($1::bigint)"
FORGET: Final = "select gateway.forget_job($1::bigint)"


async def jobs(call: ConsoleCall) -> Response:
    """`?state=` waiting, running, done or dead; `?before=ID` goes on. With how many there are of each."""
    state, before, limit = (call.query.get(name, "") for name in ("state", "before", "limit"))
    if state and state not in STATES:
        raise bad_request(f"state is one of {', '.join(STATES)}")
    wanted = min(_number(limit or "100"), MOST)
    values = (state or None, str(_number(before)) if before else None, str(wanted))
    told = orjson.loads(await _value(call, JOBS, *values) or b"{}")
    for job in told["jobs"]:
        if job["state"] == "done":
            job["reason"] = None
        if job["queued_at"]:
            with suppress(ValueError):  # a mail's is what whoever queued it wrote
                job["queued_at"] = datetime.fromisoformat(job["queued_at"]).isoformat()
    return answer_json(told)


async def retry(call: ConsoleCall) -> Response:
    """Have a job done again, at once."""
    return await _changed(call, RETRY, "waiting")


async def forget(call: ConsoleCall) -> Response:
    """Take a job out of the queue, unless it is being done."""
    return await _changed(call, FORGET, "gone")


async def _changed(call: ConsoleCall, text: str, state: str) -> Response:
    id = _number(call.path["id"])
    said = (await _value(call, text, str(id)) or b"").decode()
    if said == "running":
        raise ConsoleError(409, "job_runs", f"Job {id} is being done at this moment.")
    if not said:
        raise not_found(f"there is no job {id}, or nothing to be done again")
    call.note(job=id, task=said)
    return answer_json({"id": id, "task": said, "state": state})


async def mails(call: ConsoleCall) -> Response:
    """What the trap caught, newest first; none where a mail server is set."""
    folder = _trap(call)
    rows = await asyncio.to_thread(lambda: [_brief(mail) for mail in islice(caught(folder), MAILS)])
    return answer_json({"trap": not call.settings.smtp_host, "mails": rows})


async def mail(call: ConsoleCall) -> Response:
    found = await asyncio.to_thread(read, _trap(call), call.path["id"])
    if found is None:
        raise not_found("there is no such mail")
    return answer_json(found.summary())


def _trap(call: ConsoleCall) -> Path:
    return call.settings.data_dir / "mail"


def _brief(mail: Caught) -> dict[str, Any]:
    return {name: value for name, value in mail.summary().items() if name not in ("text", "html", "headers")}


def _number(text: str) -> int:
    """A number that Postgres takes. Raises ConsoleError 400."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 18):
        raise bad_request(f"{text!r} is no number")
    return int(text)


async def _value(call: ConsoleCall, text: str, *values: str | None) -> bytes | None:
    return (await call.gateway.databases.auth.run(NO_SCOPE, Statement(text, values))).value


ROUTES: Final = (
    ConsoleRoute("GET", "/jobs", jobs),
    ConsoleRoute("POST", "/jobs/{id:segment}/retry", retry),
    ConsoleRoute("DELETE", "/jobs/{id:segment}", forget),
    ConsoleRoute("GET", "/mail", mails),
    ConsoleRoute("GET", "/mail/{id:segment}", mail),
)
