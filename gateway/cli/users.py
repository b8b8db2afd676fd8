"""`gateway users …`: accounts, their roles and sessions."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.auth import accounts, render
from gateway.auth.accounts import AccountError, NewAccount
from gateway.auth.accounts import ensure_first_admin as ensure_first_admin
from gateway.auth.crypto.passwords import Rules
from gateway.auth.types import Session, User, show_time
from gateway.cli.common import connect, fail, load_settings
from gateway.database import DatabaseError, SyncConnection
from gateway.settings import parse_duration

users_app = typer.Typer(help="Accounts, roles and sessions.", no_args_is_help=True)

Who = Annotated[str, typer.Argument(help="E-mail address or id")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON")]


@contextmanager
def _database() -> Iterator[SyncConnection]:
    """The database; what cannot be done is one line and status 1."""
    with connect(load_settings()) as connection:
        try:
            yield connection
        except AccountError as error:
            fail(str(error))
        except DatabaseError as error:
            if error.sqlstate in ("42P01", "3F000"):
                fail("this database has no auth schema: apply the migrations with `gateway db migrate`")
            fail(f"the database refused: {error.message}")


@users_app.command("create")
def create(
    email: Annotated[str, typer.Argument(help="E-mail address")],
    password: Annotated[str, typer.Option(help="Password; left out: a one-time password is made and shown")] = "",
    stdin: Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input")] = False,
    role: Annotated[list[str] | None, typer.Option(help="Role of the application, such as admin")] = None,
    unconfirmed: Annotated[bool, typer.Option("--unconfirmed", help="The address is not confirmed yet")] = False,
    metadata: Annotated[str, typer.Option(help="user_metadata as JSON")] = "{}",
    as_json: Json = False,
) -> None:
    """Make an account."""
    given = _read_password(password, stdin)
    chosen = given or accounts.random_password()
    _warn_weak(given)
    account = NewAccount(
        email, chosen, confirmed=not unconfirmed, must_change=not given, user_metadata=_object(metadata),
        roles=tuple(role or ()),
    )  # fmt: skip
    with _database() as connection:
        user = accounts.create(connection, account)
        shown = _user(connection, user)
    if not given:
        shown["password"] = chosen
    _say(as_json, shown, f"created {user.email} ({user.id})")
    if not given and not as_json:
        print(f"one-time password: {chosen}")


@users_app.command("list")
def list_users(
    words: Annotated[str, typer.Argument(help="Part of the address or name")] = "",
    limit: Annotated[int, typer.Option(help="How many at most")] = 100,
    as_json: Json = False,
) -> None:
    """List accounts, newest first."""
    with _database() as connection:
        found = [_user(connection, user) for user in accounts.list_users(connection, words, limit)]
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for user in found:
        state = "banned" if user.get("banned_until") else "" if user.get("confirmed_at") else "unconfirmed"
        seen = user.get("last_sign_in_at", "never")[:16]
        print(f"{user['id']}  {user['email']:<40}  {','.join(user['roles']) or '-':<8}  {seen:<16}  {state}".rstrip())
    if not found:
        print("no users")


@users_app.command("show")
def show(who: Who, as_json: Json = False) -> None:
    """Show one account."""
    with _database() as connection:
        user = _user(connection, accounts.find(connection, who))
    if as_json:
        print(json.dumps(user, indent=2))
        return
    for name, value in user.items():
        print(f"{name:<22} {value if isinstance(value, str) else json.dumps(value)}")


@users_app.command("set-password")
def set_password(
    who: Who,
    password: Annotated[str, typer.Option(help="Password; left out: a one-time password is made and shown")] = "",
    stdin: Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input")] = False,
    as_json: Json = False,
) -> None:
    """Set a password; all sessions of the account end."""
    given = _read_password(password, stdin)
    _warn_weak(given)
    chosen = given or accounts.random_password()
    with _database() as connection:
        user = accounts.find(connection, who)
        accounts.set_password(connection, user, chosen, must_change=not given)
    answer: dict[str, Any] = {"id": user.id, "email": user.email}
    if not given:
        answer["password"] = chosen
    _say(as_json, answer, f"password of {user.email} is set, its sessions have ended")
    if not given and not as_json:
        print(f"one-time password: {chosen}")


@users_app.command("grant")
def grant(who: Who, role: Annotated[str, typer.Argument(help="Role, such as admin")], as_json: Json = False) -> None:
    """Give an account a role of the application."""
    with _database() as connection:
        user = accounts.find(connection, who)
        changed = accounts.grant(connection, user, role)
        _say(as_json, _user(connection, user), f"{user.email} {'is now' if changed else 'was already'} {role}")


@users_app.command("revoke")
def revoke(who: Who, role: Annotated[str, typer.Argument(help="Role, such as admin")], as_json: Json = False) -> None:
    """Take a role back."""
    with _database() as connection:
        user = accounts.find(connection, who)
        changed = accounts.revoke(connection, user, role)
        _say(as_json, _user(connection, user), f"{user.email} {'is no longer' if changed else 'was not'} {role}")


@users_app.command("ban")
def ban(
    who: Who,
    duration: Annotated[str, typer.Option("--for", help="How long, such as 24h; left out: until it is lifted")] = "",
    as_json: Json = False,
) -> None:
    """Keep an account from signing in and refreshing."""
    try:
        seconds = parse_duration(duration) if duration else None
    except ValueError as error:
        fail(str(error))
    _do(who, as_json, lambda connection, user: accounts.ban(connection, user, seconds), "banned")


@users_app.command("unban")
def unban(who: Who, as_json: Json = False) -> None:
    """Lift a ban."""
    _do(who, as_json, accounts.unban, "no longer banned")


@users_app.command("delete")
def delete(
    who: Who,
    soft: Annotated[bool, typer.Option("--soft", help="Keep the id, forget the person")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
    as_json: Json = False,
) -> None:
    """Delete an account and all that is its own."""
    with _database() as connection:
        user = accounts.find(connection, who)
        if not yes and not typer.confirm(f"Delete {user.email} and all that is theirs?"):
            raise SystemExit(1)
        accounts.delete(connection, user, soft)
    _say(as_json, {"id": user.id, "email": user.email, "deleted": True}, f"deleted {user.email}")


@users_app.command("sessions")
def sessions(who: Who, as_json: Json = False) -> None:
    """List where an account is signed in."""
    with _database() as connection:
        found = [_session(item) for item in accounts.sessions(connection, accounts.find(connection, who))]
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for item in found:
        print(f"{item['id']}  {item['active_at'][:16]}  {item['aal']}  {item['ip'] or '-':<15}  {item['user_agent']}")
    if not found:
        print("no sessions")


@users_app.command("sign-out")
def sign_out(who: Who, as_json: Json = False) -> None:
    """End all sessions of an account."""
    with _database() as connection:
        user = accounts.find(connection, who)
        count = accounts.sign_out(connection, user)
    _say(as_json, {"id": user.id, "sessions": count}, f"{count} sessions of {user.email} have ended")


@users_app.command("import")
def import_users(
    file: Annotated[Path, typer.Argument(help="CSV, JSON or JSON lines: email, password or password_hash, …")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the file")] = False,
    as_json: Json = False,
) -> None:
    """Make accounts of a file; addresses that exist are passed over.

    Fields: email; password or password_hash (bcrypt, argon2, scrypt); email_confirmed (default true); roles;
    user_metadata and app_metadata (JSON). Without a password nobody can sign in until they recover the account.
    """
    try:
        rows = _read_rows(file)
    except (OSError, ValueError) as error:
        fail(f"cannot read {file}: {error}")
    made, known, problems = 0, 0, []
    with _database() as connection:
        for number, row in enumerate(rows, 1):
            try:
                account = _account(row)
                existing = connection.rows(
                    "select from auth.users where email = $1", accounts.check_email(account.email)
                )
                if existing:
                    known += 1
                elif dry_run:
                    made += 1
                else:
                    accounts.create(connection, account)
                    made += 1
            except (AccountError, ValueError) as error:
                problems.append({"row": number, "problem": str(error)})
            if sys.stderr.isatty():
                print(f"\r{number}/{len(rows)}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    verb = "would be made" if dry_run else "made"
    answer = {"made": made, "known": known, "problems": problems}
    _say(as_json, answer, f"{made} {verb}, {known} there already, {len(problems)} refused")
    for problem in problems:
        print(f"row {problem['row']}: {problem['problem']}", file=sys.stderr)
    if problems:
        raise SystemExit(1)


def _read_rows(file: Path) -> list[dict[str, Any]]:
    text = file.read_text(encoding="utf-8-sig")
    if file.suffix.lower() == ".csv":
        return [{name: value for name, value in row.items() if value} for row in csv.DictReader(text.splitlines())]
    content = (
        json.loads(text)
        if text.lstrip().startswith("[")
        else [json.loads(line) for line in text.splitlines() if line.strip()]
    )
    if not all(isinstance(row, dict) for row in content):
        raise ValueError("each entry must be an object")
    return list(content)


def _account(row: dict[str, Any]) -> NewAccount:
    roles = row.get("roles") or row.get("role") or []
    if isinstance(roles, str):
        roles = [role.strip() for role in roles.split(",") if role.strip()]
    confirmed = str(row.get("email_confirmed", "true")).lower() not in ("false", "0", "no")
    return NewAccount(
        email=str(row.get("email", "")),
        password=str(row.get("password") or ""),
        password_hash=str(row.get("password_hash") or row.get("encrypted_password") or ""),
        confirmed=confirmed,
        user_metadata=_object(row.get("user_metadata") or {}),
        app_metadata=_object(row.get("app_metadata") or {}),
        roles=tuple(roles),
    )


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise AccountError(f"{value!r} is no JSON") from None
    if not isinstance(value, dict):
        raise AccountError("metadata must be a JSON object")
    return value


def _do(who: str, as_json: bool, action: Callable[[SyncConnection, User], None], words: str) -> None:
    with _database() as connection:
        user = accounts.find(connection, who)
        action(connection, user)
        _say(as_json, _user(connection, accounts.find(connection, user.id)), f"{user.email} is {words}")


def _user(connection: SyncConnection, user: User) -> dict[str, Any]:
    return {**render.user(user), "roles": accounts.roles(connection, user)}


def _session(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "created_at": show_time(session.created_at),
        "active_at": show_time(session.active_at),
        "aal": session.aal,
        "ip": session.ip,
        "user_agent": session.user_agent,
    }


def _say(as_json: bool, answer: Any, sentence: str) -> None:
    print(json.dumps(answer, indent=2) if as_json else sentence)


def _read_password(password: str, stdin: bool) -> str:
    if stdin:
        password = sys.stdin.readline().rstrip("\n")
        if not password:
            fail("no password came on standard input")
    return password


def _warn_weak(password: str) -> None:
    """The administrator may choose what the API would refuse, but hears about it."""
    settings = load_settings()
    if password:
        for _, message in Rules(settings.password_min_length, (), settings.auth_refuse_common_passwords).broken(
            password
        ):
            print(f"warning: {message}", file=sys.stderr)
