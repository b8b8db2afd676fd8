"""`gateway leads …`: what visitors sent, what a trap caught, and what has to go."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any, Final

import typer
from functions_runner import registry, runner
from functions_runner.env_file import read_env_file
from functions_runner.types import FunctionError

from gateway.cli.common import connect, fail, load_settings
from gateway.cli.tables import print_rows
from gateway.database import DatabaseError, SyncConnection
from gateway.operations import erasure
from gateway.settings import Settings

leads_app = typer.Typer(help="Leads, quarantine, export, erasure.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="For scripts")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="Most rows")]


class Form(StrEnum):
    """Kinds of leads that have a table of their own."""

    contact = "contact"
    newsletter = "newsletter"
    quote = "quote"


TABLES: Final = {
    Form.contact: "contact_messages",
    Form.newsletter: "newsletter_subscriptions",
    Form.quote: "quote_requests",
}
SUMMARY: Final = """
select created_at, form, status, name, email, about from (
  select created_at, 'contact' as form, status, name, email,
    case priority when 'normal' then '' else upper(priority) || ' ' end || subject as about
  from public.contact_messages
  union all
  select created_at, 'newsletter', status, first_name || ' ' || last_name, email, ''
  from public.newsletter_subscriptions
  union all
  select created_at, case when quick_start_service then 'quick-start' else 'quote' end, status, contact_name, email,
    facility_name
  from public.quote_requests
) as leads
where ($1::text is null or form = $1 or $1 = 'quote' and form = 'quick-start') and ($2::text is null or status = $2)
order by created_at desc limit $3::integer
"""
# Spreadsheets take a cell that begins like this for a formula; the wide signs where an East Asian language is set.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@contextmanager
def _database(settings: Settings) -> Iterator[SyncConnection]:
    """The database; what cannot be done is one line and status 1."""
    with connect(settings) as connection:
        try:
            yield connection
        except DatabaseError as error:
            if error.sqlstate in ("42P01", "3F000", "42883"):
                fail("this database has no leads: apply the migrations with `gateway db migrate`")
            fail(error.message)


@leads_app.command("list")
def list_command(
    form: Annotated[Form | None, typer.Option(help="One kind only")] = None,
    status: Annotated[str | None, typer.Option(help="new or handled")] = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List leads, newest first."""
    with _database(load_settings()) as connection:
        rows = connection.rows(SUMMARY, form, status, str(limit))
    names = ("received", "form", "status", "name", "email", "about")
    print_rows(names, rows, as_json)


@leads_app.command("export")
def export(
    form: Annotated[Form, typer.Argument(help="Kind of leads; quotes include Quick Start")],
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV for a spreadsheet; else JSON lines")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; else standard output")] = None,
) -> None:
    """Write out every lead of one kind. Cells that a spreadsheet would run are made plain text."""
    with _database(load_settings()) as connection, connection.transaction():
        rows = [
            json.loads(str(row[0]))
            for row in connection.rows(
                f"select to_jsonb(leads) from public.{TABLES[form]} as leads order by created_at"
            )
        ]
        connection.rows(
            "insert into private.lead_audit (action, detail) values ('export', $1::jsonb)",
            json.dumps({"form": form, "rows": len(rows)}),
        )
    if output is None:
        _write(sys.stdout, rows, as_csv)
    else:
        try:
            with output.open("x", encoding="utf-8", newline="") as file:
                _write(file, rows, as_csv)
        except FileExistsError:
            fail(f"{output} is already there")
        except OSError as error:
            fail(f"{output}: {error.strerror}")
        print(f"{len(rows)} rows in {output}")


@leads_app.command("quarantine")
def quarantine(
    everything: Annotated[bool, typer.Option("--all", help="Also what was released")] = False,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List what traps caught, newest first, with the reason."""
    with _database(load_settings()) as connection:
        rows = connection.rows(
            "select id, received_at, form, coalesce(payload ->> 'name', payload ->> 'contactName',"
            " concat_ws(' ', payload ->> 'firstName', payload ->> 'lastName')), payload ->> 'email', reason,"
            " released_at from public.quarantine where released_at is null or $1::boolean"
            " order by received_at desc limit $2::integer",
            str(everything).lower(),
            str(limit),
        )
    print_rows(("id", "received", "form", "name", "email", "reason", "released"), rows, as_json)


@leads_app.command("release")
def release(id: Annotated[str, typer.Argument(help="Id in quarantine")]) -> None:
    """Let a submission out of quarantine: it is stored with its original time and its mails are sent."""
    settings = load_settings()
    with _database(settings) as connection:
        found = connection.rows("select form, payload, idempotency_key from public.quarantine where id::text = $1", id)
        if not found:
            fail(f"there is no submission {id} in quarantine")
        form, payload = str(found[0][0]), json.loads(str(found[0][1]))
        lead = _reopen(settings, form, payload, found[0][2])
        stored = connection.rows(
            "select private.release_lead($1::uuid, $2::jsonb, $3::jsonb)",
            id,
            json.dumps(lead.columns),
            json.dumps(lead.mails),
        )[0][0]
    print(f"released as {stored}" if stored else "released; this subscriber was already there")


@leads_app.command("erase")
def erase(
    email: Annotated[str, typer.Argument(help="The person's e-mail address")] = "",
    again: Annotated[bool, typer.Option("--again", help="After a restore: everyone who was ever erased")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
) -> None:
    """Remove a person from leads, quarantine, mails and recorded calls; only a count is kept."""
    if again == bool(email):
        fail("name one e-mail address, or --again")
    if not yes and not typer.confirm("Erase for good?"):
        raise SystemExit(1)
    settings = load_settings()
    with _database(settings) as connection:
        sql = "select gateway.erase_again()" if again else "select gateway.erase_person($1)"
        counts: dict[str, int] = json.loads(str(connection.rows(sql, *([] if again else [email]))[0][0]))
    if not again:
        try:
            counts |= erasure.erase_from_files(settings, email)
        except OSError as error:
            fail(f"the database names nobody of that address any more, but {error.filename}: {error.strerror}")
    print(
        ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items()) or "nobody was erased before"
    )
    if not again:
        _say_what_is_left(settings, email)


# --- parts -----------------------------------------------------------------------------------------------------------


def _reopen(settings: Settings, form: str, payload: Mapping[str, Any], key: object) -> Any:
    """The lead in a quarantined submission, prepared by the function that its form belongs to."""
    root = settings.functions_dir.resolve()
    owner = next(
        (path.parent.name for path in root.glob("*/*.form.json") if json.loads(path.read_text())["form"] == form), None
    )
    if owner is None:
        fail(f"no function takes the form {form!r}")
    try:
        module = runner.load_module(registry.find(owner, root))
    except FunctionError as error:
        fail(str(error))
    from functions.shared import company, leads

    offered = {**settings.functions_environ, **read_env_file(settings.functions_env_file)}
    number = leads.request_number(str(key)) if key else ""
    lead = leads.reopen(module.choose, payload, offered.get("LEADS_TO") or company.LEADS_TO, number)
    if isinstance(lead, dict):
        fail("it cannot be stored as it is: " + " ".join(f"{name}: {message}" for name, message in lead.items()))
    return lead


def _say_what_is_left(settings: Settings, email: str) -> None:
    """What still names the person, and until when: copies, an account, and what is kept elsewhere."""
    for copy in erasure.copies_that_name(settings, email):
        gone = time.strftime("until %Y-%m-%d", time.gmtime(copy.gone)) if copy.gone else "for ever"
        names = f"cannot be read and may name this person ({copy.fault})" if copy.fault else "names this person"
        print(f"{copy.path} {names}; it is kept {gone}, and a restore of it erases again")
    with _database(settings) as connection:
        if connection.rows("select from auth.users where lower(email) = lower(btrim($1))", email):
            print("this person has an account: `gateway users delete` removes it")
    if settings.backup_offsite or settings.backup_send:
        print("copies elsewhere go with those here that they were made of, or as that place keeps them")
    print("what the gateway printed is kept by whoever runs it, such as journald; a mail that was sent is its reader's")


def _write(file: IO[str], rows: list[dict[str, Any]], as_csv: bool) -> None:
    if not as_csv:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return
    if rows:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([cell(value) for value in row.values()] for row in rows)


def cell(value: Any) -> str:
    """A value as a cell that no spreadsheet runs.

    >>> cell("=1+1"), cell("plain"), cell(None), cell(["a", "b"])
    ("'=1+1", 'plain', '', 'a, b')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
