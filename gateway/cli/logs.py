"""`gateway logs`: requests, function calls and what functions printed, in the order of time.

One request's id finds all it left: its line of the access log, the function it called, what that printed, the mails
that wait or went because of it, and the rows of the audit log.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gateway.cli.common import connect, load_settings
from gateway.database import DatabaseError
from gateway.functions.invocations import Invocations
from gateway.functions.logs import read_lines
from gateway.settings import Settings

_MOMENT: Final = '\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\''
AUDIT: Final = (
    f"select to_char(created_at at time zone 'utc', {_MOMENT}), payload"
    " from auth.audit_log_entries where payload ->> 'request_id' = $1"
)
SENT: Final = (
    f"select to_char(attempt.at at time zone 'utc', {_MOMENT}), job_id, outcome, reply"
    " from jobs.mail_attempts as attempt join jobs.procrastinate_jobs as job on job.id = job_id"
    " where task_name = 'mail.send' and args #>> '{mail,request}' = $1"
)
MAILS: Final = (
    f"select to_char((args ->> 'queued_at')::timestamptz at time zone 'utc', {_MOMENT}), id, args #>> '{{mail,kind}}',"
    " status from jobs.procrastinate_jobs where task_name = 'mail.send' and args #>> '{mail,request}' = $1"
)


def logs(
    id: Annotated[
        str, typer.Option("--id", help="One request: everything it left, mails and the audit log included")
    ] = "",
    errors: Annotated[bool, typer.Option("--errors", help="Only answers of 400 and more, and error lines")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="The last so many")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line")] = False,
) -> None:
    """Show what was asked and what came of it. Requests themselves are there with GATEWAY_ACCESS_LOG=true, as in
    `gateway dev`; one that is asked for by its id has its statement too."""
    settings = load_settings()
    found = heapq.merge(
        _requests(settings, bool(id)), _calls(settings), *_prints(settings), key=lambda line: line["at"]
    )
    lines: list[dict[str, Any]] = [
        line for line in found if (not id or line["id"] == id) and (not errors or line["failed"])
    ]
    if id:
        lines += sorted((*_audit(settings, id), *_mails(settings, id)), key=lambda line: line["at"])
    for line in lines[-limit:]:
        print(json.dumps(line, ensure_ascii=False) if as_json else _plain(line))
    if not lines and not as_json:
        print("nothing found")


def _requests(settings: Settings, with_sql: bool) -> Iterator[dict[str, Any]]:
    for path in (settings.data_dir / "access.1.jsonl", settings.data_dir / "access.jsonl"):
        for row in _rows(path):
            told = {"at": row["at"], "id": row["id"]}
            text = f"{row['method']} {row['path']} {row['status']} {row['ms']} ms, {row['bytes']} bytes"
            text = f"{text}, {row['client']}"
            yield {**told, "kind": "request", "text": text, "failed": row["status"] >= 400, "ms": row["ms"]}
            if with_sql and row.get("sql"):
                spent = row.get("sql_ms")
                text = f"{row['sql']} {'failed' if spent is None else f'{spent} ms'}"
                yield {**told, "kind": "sql", "text": text, "failed": spent is None, "ms": spent}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue  # the last line of a process that was killed
    except FileNotFoundError:
        return


def _calls(settings: Settings) -> Iterator[dict[str, Any]]:
    for row in Invocations(settings.data_dir / "functions" / "invocations.jsonl").read():
        text = f"{row.function} {row.status} {row.ms} ms {row.fault}".rstrip()
        told = {"at": row.at, "id": row.request, "kind": "function", "text": text}
        yield {**told, "failed": row.status >= 400, "ms": row.ms}


def _prints(settings: Settings) -> Iterator[Iterator[dict[str, Any]]]:
    folder = settings.data_dir / "functions" / "logs"
    names = {path.name.removesuffix(".log").removesuffix(".1") for path in folder.glob("*.log")}
    for name in sorted(names):
        yield (
            {
                "at": line["at"],
                "id": line["request"],
                "kind": name,
                "text": line["text"],
                "failed": line["level"] == "error",
            }
            for line in read_lines(folder, name)
        )


def _asked(settings: Settings, sql: str, id: str) -> list[tuple[str | None, ...]]:
    """Rows that a request left; none where the database has no such table."""
    with connect(settings) as connection:
        try:
            return connection.rows(sql, id)
        except DatabaseError:
            return []


def _audit(settings: Settings, id: str) -> list[dict[str, Any]]:
    found = []
    for at, payload in _asked(settings, AUDIT, id):
        entry = json.loads(payload or "{}")
        text = f"{entry.get('action')} {entry.get('error_code') or entry.get('outcome', 'success')}"
        failed = entry.get("outcome") == "failure"
        found.append({"at": at, "id": id, "kind": "audit", "text": text, "failed": failed})
    return found


def _mails(settings: Settings, id: str) -> list[dict[str, Any]]:
    jobs = [
        {"at": at, "id": id, "kind": "job", "text": f"mail {job} ({kind}) {status}", "failed": status == "failed"}
        for at, job, kind, status in _asked(settings, MAILS, id)
    ]
    sent = [
        {"at": at, "id": id, "kind": "mail", "text": f"mail {job} {outcome} {reply}", "failed": outcome != "sent"}
        for at, job, outcome, reply in _asked(settings, SENT, id)
    ]
    return jobs + sent


def _plain(line: dict[str, Any]) -> str:
    """A line for people; what a visitor wrote must not steer the terminal."""
    text = "".join(character if character.isprintable() else " " for character in line["text"])
    return f"{line['at']}  {line['id'] or '-':<24}  {line['kind']:<10}  {text}"
