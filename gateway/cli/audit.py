"""`gateway audit`: who did what to which account."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from gateway.cli.common import connect, fail, load_settings
from gateway.database import DatabaseError, SyncConnection
from gateway.settings import parse_duration


def audit(
    words: Annotated[str, typer.Argument(help="Part of an account, an action or an address")] = "",
    since: Annotated[str, typer.Option(help="How far back, such as 24h")] = "",
    failures: Annotated[bool, typer.Option("--failures", help="Only what was refused")] = False,
    limit: Annotated[int, typer.Option(help="How many at most")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, one object a line")] = False,
    console: Annotated[bool, typer.Option("--console", help="What was changed in the console")] = False,
) -> None:
    """Show the audit log of accounts and keys, newest first."""
    try:
        seconds = parse_duration(since) if since else None
    except ValueError as error:
        fail(str(error))
    with connect(load_settings()) as connection:
        try:
            if console:
                _print_console(connection, words, seconds, failures, limit, as_json)
                return
            rows = connection.rows(
                "select to_char(created_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), ip_address, payload"
                " from auth.audit_log_entries where ($1 = '' or payload::text ilike '%' || $1 || '%'"
                " or ip_address = $1)"
                " and ($2::float8 is null or created_at > now() - make_interval(secs => $2::float8))"
                " and ($3::boolean is false or payload ->> 'outcome' = 'failure')"
                " order by created_at desc limit $4::bigint",
                words,
                None if seconds is None else str(seconds),
                "true" if failures else "false",
                str(limit),
            )
        except DatabaseError as error:
            if error.sqlstate in ("42P01", "3F000"):
                fail("this database has no auth schema: apply the migrations with `gateway db migrate`")
            fail(f"the database refused: {error.message}")
    for at, address, payload in rows:
        entry = json.loads(payload or "{}")
        if as_json:
            print(json.dumps({"at": at, "ip": address, **entry}))
        else:
            print(_line(at or "", address or "-", entry))
    if not rows and not as_json:
        print("nothing found")


def _print_console(
    connection: SyncConnection, words: str, seconds: float | None, failures: bool, limit: int, as_json: bool
) -> None:
    rows = connection.rows(
        "select to_char(at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), account, address, action, target,"
        " status, detail from gateway.console_audit where ($1 = '' or concat_ws(' ', account, address, action, target,"
        " detail) ilike '%' || $1 || '%') and ($2::float8 is null or at > now() - make_interval(secs => $2::float8))"
        " and ($3::boolean is false or status is null or status >= 400) order by id desc limit $4::bigint",
        words,
        None if seconds is None else str(seconds),
        "true" if failures else "false",
        str(limit),
    )
    for at, account, address, action, target, status, detail in rows:
        if as_json:
            said = {"at": at, "account": account, "ip": address, "action": action, "target": target, "status": status}
            print(json.dumps({**said, "detail": json.loads(detail or "{}")}))
        else:
            print(f"{at}  {status or '-':<4}  {address or '-':<15}  {account}  {action}  {target}")
    if not rows and not as_json:
        print("nothing found")


def _line(at: str, address: str, entry: dict[str, Any]) -> str:
    traits = entry.get("traits") or {}
    subject = traits.get("user_email") or traits.get("key") or ""
    outcome = entry.get("error_code") or entry.get("outcome", "success")
    who = entry.get("actor_username", "")
    return f"{at}  {entry.get('action', ''):<28}  {outcome:<24}  {address:<15}  {who}  {subject}".rstrip()
