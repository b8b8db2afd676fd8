"""`gateway mail …`: what waits, what was sent, what failed and why."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Final

import typer

from gateway.cli.common import connect, fail, load_settings
from gateway.cli.tables import print_rows
from gateway.database import DatabaseError, SyncConnection

mail_app = typer.Typer(help="Mails: waiting, sent, failed.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="For scripts")]
VERDICT_LIMIT: Final = 20.0  # seconds that `mail test` waits

LIST: Final = """
select mail.id, case mail.status::text when 'todo' then 'waiting' when 'doing' then 'sending'
    when 'succeeded' then 'sent' else 'failed' end as state,
  mail.args #>> '{mail,kind}', (select string_agg(recipient, ', ')
    from jsonb_array_elements_text(mail.args #> '{mail,to}') as recipient),
  mail.args #>> '{mail,subject}', mail.attempts, mail.scheduled_at, last.at, last.outcome, last.reply
from jobs.procrastinate_jobs as mail
left join lateral (
  select at, outcome, reply from jobs.mail_attempts where job_id = mail.id order by id desc limit 1
) as last on true
where mail.task_name = 'mail.send' and ($1::text is null or mail.status::text = any ($1::text[]))
order by mail.id desc limit $2::integer
"""


class State(StrEnum):
    """What has become of a mail."""

    waiting = "waiting"
    sent = "sent"
    failed = "failed"


STATUSES: Final = {
    State.waiting: "{todo,doing}",
    State.sent: "{succeeded}",
    State.failed: "{failed,cancelled,aborted}",
}


@contextmanager
def _database() -> Iterator[SyncConnection]:
    """The database; what cannot be done is one line and status 1."""
    with connect(load_settings()) as connection:
        try:
            yield connection
        except DatabaseError as error:
            if error.sqlstate in ("42P01", "3F000"):
                fail("this database has no mails: apply the migrations with `gateway db migrate`")
            fail(error.message)


@mail_app.command("list")
def list_command(
    state: Annotated[State | None, typer.Option(help="Only these")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most rows")] = 50,
    as_json: Json = False,
) -> None:
    """List mails, newest first, with what the server last said."""
    with _database() as connection:
        rows = connection.rows(LIST, STATUSES[state] if state else None, str(limit))
    names = ("id", "state", "kind", "to", "subject", "attempts", "next", "last", "outcome", "reply")
    print_rows(names, rows, as_json)


@mail_app.command("resend")
def resend(
    ids: Annotated[list[int] | None, typer.Argument(help="Ids of mails")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Every mail that failed")] = False,
    waiting: Annotated[bool, typer.Option("--waiting", help="Every mail that waits for another attempt")] = False,
) -> None:
    """Send mails again: what waits or failed at once, what was sent as a copy."""
    with _database() as connection:
        chosen = [str(id) for id in ids or []]
        for wanted, status in ((failed, "failed"), (waiting, "todo")):
            if wanted:
                chosen += [
                    str(row[0])
                    for row in connection.rows(
                        "select id from jobs.procrastinate_jobs where task_name = 'mail.send' and status::text = $1",
                        status,
                    )
                ]
        if not chosen and not (failed or waiting):
            fail("name a mail, or say --failed or --waiting")
        for id in chosen:
            print(f"mail {id} goes again as {connection.rows('select jobs.resend_mail($1::bigint)', id)[0][0]}")
    if not chosen:
        print("there is none")


@mail_app.command("test")
def test(to: Annotated[str, typer.Argument(help="Address to write to")]) -> None:
    """Send a test mail the way every mail goes, and say what became of it."""
    settings = load_settings()
    payload = {
        "to": [to],
        "subject": f"Test mail from {settings.smtp_sender_name}",
        "text": "If you can read this, mails leave the gateway and arrive.\n",
        "kind": "test",
    }
    with _database() as connection:
        id = str(connection.rows("select jobs.enqueue_mail($1::jsonb, 100)", json.dumps(payload))[0][0])
        print(f"queued as mail {id}")
        deadline = time.monotonic() + VERDICT_LIMIT
        while time.monotonic() < deadline:
            rows = connection.rows(
                "select outcome, reply from jobs.mail_attempts where job_id = $1::bigint order by id desc limit 1", id
            )
            if rows:
                outcome, reply = rows[0]
                print(f"{outcome}: {reply}")
                if outcome != "sent":
                    raise SystemExit(1)
                return
            time.sleep(0.1)
    fail(f"no worker took mail {id} within {VERDICT_LIMIT:.0f} s: is `gateway worker` running?")
