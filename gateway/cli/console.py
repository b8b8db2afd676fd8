"""`gateway console`: a fresh address, with a one-time code, of the running gateway's console; and its accounts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from gateway.auth.accounts import random_password
from gateway.cli.common import connect, fail, load_settings
from gateway.cli.status import read_serving
from gateway.console.accounts import make_hash, mark_of, name_of, problem_of
from gateway.console.sessions import ALL, CODE_LIFETIME, READ, RECORDS, console_address
from gateway.database import DatabaseError, SyncConnection
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

console_app = typer.Typer(help="The console's address, and its accounts.", invoke_without_command=True)
accounts_app = typer.Typer(help="Who gets into the console by a name and a password.", no_args_is_help=True)
console_app.add_typer(accounts_app, name="accounts")

Name = Annotated[str, typer.Argument(help="Name of the account, such as an e-mail address")]
Stdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON")]
KIND_WORDS = {ALL: "everything", READ: "read only", RECORDS: "records alone"}


@console_app.callback()
def console(
    context: typer.Context,
    admin: Annotated[bool, typer.Option("--admin", help="The address at the admin port")] = False,
) -> None:
    """Print an address that lets one browser in, once, for some minutes; or manage accounts."""
    if context.invoked_subcommand is not None:
        return
    settings = load_settings()
    if not settings.console:
        fail("the console is not served (GATEWAY_CONSOLE)")
    serving = read_serving(settings)
    url = serving["admin"] if admin or not serving.get("console") else serving["url"]
    if url is None:
        fail("the console is on the admin port alone, and there is none (PGRST_ADMIN_SERVER_PORT)")
    print(console_address(url, serving["key"]))
    print(f"It holds for {CODE_LIFETIME // 60} minutes and lets one browser in.")


@accounts_app.command("add")
def add(
    name: Name,
    read_only: Annotated[bool, typer.Option("--read-only", help="It sees everything and changes nothing")] = False,
    records: Annotated[
        bool, typer.Option("--records", help="It sees and changes rows of the API's tables, and nothing else")
    ] = False,
    stdin: Stdin = False,
    as_json: Json = False,
) -> None:
    """Make an account; without a password of yours one is made and shown once."""
    if read_only and records:
        fail("an account is --read-only or --records, not both")
    kind = READ if read_only else RECORDS if records else ALL
    kept, settings = _name(name), load_settings()
    password, hashed, mark = _password(settings, kept, kind, stdin)
    with _database(settings) as connection:
        made = connection.rows(
            "insert into gateway.console_accounts (name, kind, hash, mark) values ($1, $2, $3, $4)"
            " on conflict do nothing returning name",
            kept, kind, hashed, mark,
        )  # fmt: skip
        if not made:
            fail(f"there is an account {kept}; `gateway console accounts password {kept}` gives it another password")
        _note(connection, "accounts add", f"{kept} ({kind})")
    _say(kept, kind, password if not stdin else None, as_json)


@accounts_app.command("list")
def list_accounts(as_json: Json = False) -> None:
    """List accounts, and what each is for."""
    settings = load_settings()
    marks = {mark_of(secret) for secret in KeyRing.load(settings).session_secrets}
    with _database(settings) as connection:
        rows = connection.rows(
            "select name, kind, mark, to_char(changed_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
            " from gateway.console_accounts order by name"
        )
    for name, kind, mark, changed in rows:
        state = "good" if mark in marks else "needs a new password: the session secret was rotated"
        if as_json:
            print(json.dumps({"name": name, "kind": kind, "password_set_at": changed, "state": state}))
        else:
            print(f"{name:<32}  {KIND_WORDS.get(kind or '', kind):<14}  password of {changed}  {state}")
    if not rows and not as_json:
        print("there are no accounts: `gateway console accounts add NAME`")


@accounts_app.command("remove")
def remove(name: Name) -> None:
    """Remove an account; its sessions end at once."""
    kept = _name(name)
    with _database(load_settings()) as connection:
        if not connection.rows("delete from gateway.console_accounts where name = $1 returning name", kept):
            fail(f"there is no account {kept}")
        _note(connection, "accounts remove", kept)
    print(f"removed {kept}; its sessions have ended")


@accounts_app.command("password")
def password(name: Name, stdin: Stdin = False, as_json: Json = False) -> None:
    """Give an account another password, which is shown once; its sessions end at once."""
    kept, settings = _name(name), load_settings()
    with _database(settings) as connection:
        found = connection.rows("select kind from gateway.console_accounts where name = $1", kept)
        if not found:
            fail(f"there is no account {kept}")
        kind = found[0][0] or ""
        given, hashed, mark = _password(settings, kept, kind, stdin)
        connection.rows(
            "update gateway.console_accounts set hash = $2, mark = $3, stamp = gen_random_uuid(), changed_at = now()"
            " where name = $1 returning name",
            kept, hashed, mark,
        )  # fmt: skip
        _note(connection, "accounts password", kept)
    _say(kept, kind, given if not stdin else None, as_json)


@contextmanager
def _database(settings: Settings) -> Iterator[SyncConnection]:
    with connect(settings) as connection:
        try:
            yield connection
        except DatabaseError as error:
            if error.sqlstate in ("42P01", "3F000"):
                fail("this database has no accounts of the console: apply the migrations with `gateway db migrate`")
            fail(f"the database refused: {error.message}")


def _name(given: str) -> str:
    name = name_of(given)
    if name is None:
        fail("a name has letters, digits and . _ @ + -, at most 64 of them")
    return name


def _password(settings: Settings, name: str, kind: str, stdin: bool) -> tuple[str, str, str]:
    """The password that was read or is made, its hash, and the mark of the secret that seals it."""
    chosen = sys.stdin.readline().rstrip("\n") if stdin else random_password()
    problem = problem_of(chosen) if stdin else None
    if problem is not None:
        fail(problem)
    secret = KeyRing.load(settings).session_secrets[0]
    return chosen, make_hash(secret, name, kind, chosen), mark_of(secret)


def _note(connection: SyncConnection, action: str, target: str) -> None:
    connection.rows(
        "insert into gateway.console_audit (account, action, target, status) values ('command line', $1, $2, 200)"
        " returning id",
        action,
        target,
    )


def _say(name: str, kind: str, password: str | None, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"name": name, "kind": kind, **({"password": password} if password is not None else {})}))
        return
    print(f"{name}: {KIND_WORDS[kind]}")
    if password is not None:
        print(f"password, shown this once: {password}")
