"""Accounts as the system administrator handles them: over a blocking connection, without HTTP, with audit rows."""

from __future__ import annotations

import os
import pwd
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.auth.call import read_email, read_uuid
from gateway.auth.crypto.passwords import is_known_hash, make_hash, too_long
from gateway.auth.flows.new_users import identities_of, provider_metadata
from gateway.auth.http.admin import FOREVER, forget_person
from gateway.auth.store import audit, one_time_tokens, users
from gateway.auth.store import roles as role_store
from gateway.auth.store import sessions as session_store
from gateway.auth.types import Session, User, moment_of
from gateway.database import DatabaseError, SyncConnection
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError

AUD: Final = "authenticated"


class AccountError(Exception):
    """Something the administrator asked for cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What an account is made of. `password_hash` wins over `password`; both empty make one nobody knows."""

    email: str
    password: str = ""
    password_hash: str = ""
    confirmed: bool = True
    must_change: bool = False
    user_metadata: Mapping[str, Any] | None = None
    app_metadata: Mapping[str, Any] | None = None
    roles: tuple[str, ...] = ()


def random_password() -> str:
    """Four groups that can be read aloud and typed; 95 random bits."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))


def find(conn: SyncConnection, who: str) -> User:
    """A user by address or id. Raises AccountError."""
    user_id = read_uuid(who)
    statement = users.by_id(user_id) if user_id else users.by_email(who.strip(), AUD)
    user = users.read(conn.run(statement))
    if user is None:
        raise AccountError(f"there is no user {who}")
    return user


def create(conn: SyncConnection, account: NewAccount) -> User:
    """Make an account. Raises AccountError."""
    email = check_email(account.email)
    if users.read(conn.run(users.by_email(email, AUD))) is not None:
        raise AccountError(f"there is a user {email} already")
    now = time.time()
    user_id = users.new_id()
    app = users.merged(provider_metadata(email, None), account.app_metadata or {})
    if account.must_change:
        app["must_change_password"] = True
    data = dict(account.user_metadata or {})
    columns: dict[str, Value] = {
        "aud": AUD,
        "role": "authenticated",
        "email": email,
        "encrypted_password": _hash_of(account),
        "raw_app_meta_data": users.json_text(app),
        "raw_user_meta_data": users.json_text({**data, "email_verified": True} if account.confirmed else data),
        "email_confirmed_at": moment_of(now).isoformat() if account.confirmed else None,
    }
    with conn.transaction():
        conn.run(users.insert(user_id, columns, now))
        for statement in identities_of(user_id, email, None, {}, now, verified=account.confirmed):
            conn.run(statement)
        conn.run(_row("user_signedup", user_id, email))
        for role in account.roles:
            _grant(conn, user_id, email, role)
    return find(conn, user_id)


def check_email(text: str) -> str:
    """An address in its stored form. Raises AccountError."""
    try:
        return read_email(text)
    except ApiError as error:
        raise AccountError(f"{text!r} is no e-mail address") from error


def _hash_of(account: NewAccount) -> str:
    if account.password_hash:
        if not is_known_hash(account.password_hash):
            raise AccountError(f"the password hash of {account.email} is of no known kind")
        return account.password_hash
    return hash_password(account.password or secrets.token_urlsafe(32))


def hash_password(password: str) -> str:
    """Hash of a password. Raises AccountError for one that bcrypt would cut."""
    if too_long(password):
        raise AccountError("a password may have 72 bytes at most: bcrypt would not see the rest")
    return make_hash(password)


def set_password(conn: SyncConnection, user: User, password: str, must_change: bool) -> None:
    """Give a user a password; all their sessions end."""
    now = time.time()
    app = users.merged(user.app_metadata, {"must_change_password": True if must_change else None})
    columns: dict[str, Value] = {
        "encrypted_password": hash_password(password),
        "raw_app_meta_data": users.json_text(app),
    }
    with conn.transaction():
        conn.run(users.update(user.id, columns, now))
        for statement in (*one_time_tokens.clear(user.id), session_store.delete_of_user(user.id)):
            conn.run(statement)
        conn.run(_row("user_updated_password", user.id, user.email or ""))


def grant(conn: SyncConnection, user: User, role: str) -> bool:
    """Give a user a role of the application; False when they have it. Raises AccountError for an unknown role."""
    with conn.transaction():
        return _grant(conn, user.id, user.email or "", role)


def _grant(conn: SyncConnection, user_id: str, email: str, role: str) -> bool:
    table = _roles_table(conn)
    try:
        rows = conn.run(role_store.grant(table, user_id, role)).rows
    except DatabaseError as error:
        raise AccountError(_role_problem(error, role)) from error
    conn.run(_row("role_granted", user_id, email, role=role))
    return bool(rows)


def revoke(conn: SyncConnection, user: User, role: str) -> bool:
    """Take a role back; False when the user does not have it."""
    table = _roles_table(conn)
    with conn.transaction():
        try:
            rows = conn.run(role_store.revoke(table, user.id, role)).rows
        except DatabaseError as error:
            raise AccountError(_role_problem(error, role)) from error
        conn.run(_row("role_revoked", user.id, user.email or "", role=role))
        return bool(rows)


def _role_problem(error: DatabaseError, role: str) -> str:
    if error.sqlstate == "23514":
        return f"there is no role {role!r}"
    return error.message


def _roles_table(conn: SyncConnection, required: bool = True) -> str:
    """The table that the application keeps roles in, as SQL; empty where it has none. Raises AccountError."""
    table = None
    if conn.run(role_store.REGISTRY).value is not None:
        table = conn.run(role_store.TABLE).value
    if table is None and required:
        raise AccountError("this database has no table of roles: apply the migrations with `gateway db migrate`")
    return (table or b"").decode()


def roles(conn: SyncConnection, user: User) -> list[str]:
    """The user's roles of the application."""
    table = _roles_table(conn, required=False)
    if not table:
        return []
    rows = conn.run(role_store.of_user(table, user.id)).rows
    return [(role or b"").decode() for (role,) in rows]


def ban(conn: SyncConnection, user: User, seconds: float | None) -> None:
    """Keep a user out for so many seconds, or until the ban is lifted."""
    now = time.time()
    until = FOREVER if seconds is None else min(FOREVER, moment_of(now + seconds))
    _change(conn, user, {"banned_until": until.isoformat()}, now)


def unban(conn: SyncConnection, user: User) -> None:
    """Lift a ban."""
    _change(conn, user, {"banned_until": None}, time.time())


def _change(conn: SyncConnection, user: User, columns: dict[str, Value], now: float) -> None:
    with conn.transaction():
        conn.run(users.update(user.id, columns, now))
        conn.run(_row("user_modified", user.id, user.email or "", changed=sorted(columns)))


def delete(conn: SyncConnection, user: User, soft: bool) -> None:
    """Delete a user and all that is theirs; `soft` keeps the id."""
    with conn.transaction():
        for statement in forget_person(user, time.time()) if soft else [users.delete(user.id)]:
            conn.run(statement)
        conn.run(_row("user_deleted", user.id, user.email or ""))


def list_users(conn: SyncConnection, words: str, limit: int) -> list[User]:
    """Users, newest first."""
    return users.read_all(conn.run(users.page(AUD, words, limit, 0)[0]))


def sessions(conn: SyncConnection, user: User) -> list[Session]:
    """The user's sessions, newest first."""
    return session_store.read_all(conn.run(session_store.of_user(user.id)))


def sign_out(conn: SyncConnection, user: User) -> int:
    """End all of a user's sessions; how many there were."""
    with conn.transaction():
        ended = conn.run(session_store.delete_of_user(user.id))
        conn.run(_row("logout", user.id, user.email or "", scope="global"))
        return int(ended.tag.rpartition(" ")[2])


def ensure_first_admin(conn: SyncConnection, email: str) -> str | None:
    """Make the first administrator; their one-time password, or None when there is an administrator already.

    An account that has the address already is left alone: whoever made it did not become administrator by that.
    """
    table = _roles_table(conn, required=False)
    if not table or conn.run(role_store.first_admin(table)).rows:
        return None
    if users.read(conn.run(users.by_email(email, AUD))) is not None:
        return None
    password = random_password()
    create(conn, NewAccount(email, password, must_change=True, roles=("admin",)))
    return password


def note(conn: SyncConnection, action: str, **traits: Any) -> None:
    """Write an audit row for something the administrator did that is about no account."""
    conn.run(_record(action, traits))


def _row(action: str, user_id: str, email: str, **traits: Any) -> Statement:
    return _record(action, {"user_id": user_id, "user_email": email, **traits})


def _record(action: str, traits: Mapping[str, Any]) -> Statement:
    actor = audit.Actor(name=f"{pwd.getpwuid(os.getuid()).pw_name} (command line)")
    origin = audit.Origin(agent="gateway", request_id=f"cli-{os.getpid()}")
    return audit.record(action, actor, origin, time.time(), traits=traits)
