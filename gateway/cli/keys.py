"""`gateway keys …`: API keys and signing keys."""

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.auth import accounts
from gateway.cli.common import connect, fail, load_settings, project_content
from gateway.cli.status import noted_serving, variables_of
from gateway.database import DatabaseError, SyncConnection
from gateway.identity import keyring as store
from gateway.identity.keyring import FILE_NAME, KeyChangeError, KeyRing
from gateway.settings import Settings, parse_duration

keys_app = typer.Typer(help="API keys and signing keys.", no_args_is_help=True)
UNTIL_REVOKED = "until-revoked"
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON")]


@keys_app.command("list")
def list_keys(as_json: Json = False) -> None:
    """List all keys, without showing any."""
    settings = load_settings()
    stored = _stored(settings)
    used = _uses(settings)
    now = time.time()
    found: list[dict[str, Any]] = [
        {"id": kind, "kind": kind, "name": "default", "last_used": used.get(kind), "ends": None} for kind in store.ROLES
    ]
    for row in stored.get("api_keys", ()):
        kind = "publishable" if row["role"] == "anon" else "secret"
        ends = row.get("expires_at")
        if ends is None or ends > now:
            entry = {"id": row["id"], "kind": kind, "name": row["name"], "last_used": used.get(row["id"])}
            found.append({**entry, "ends": _time(ends)})
    for row in stored.get("s3_keys", ()):
        entry = {"id": row["id"], "kind": "s3", "name": row["name"], "last_used": used.get(row["id"])}
        found.append({**entry, "ends": None})
    signing = KeyRing.load(settings).signing.kid
    for jwk in stored["signing_keys"]:
        ends = jwk.get("retires_at")
        if ends is None or ends > now:
            soon = (jwk.get("signs_at") or 0) > now
            state = "signs" if jwk["kid"] == signing else "signs soon" if soon else "verifies"
            state = "standby" if jwk.get("standby") else state
            entry = {"id": jwk["kid"], "kind": jwk["alg"], "name": state, "last_used": None}
            found.append({**entry, "ends": _time(ends)})
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for key in found:
        used_at = (key["last_used"] or "-")[:16]
        print(f"{key['id']:<18}  {key['kind']:<12}  {key['name']:<24}  used {used_at:<16}  ends {key['ends'] or '-'}")


@keys_app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What it is for")],
    kind: Annotated[str, typer.Option(help="secret or publishable")] = "secret",
    s3: Annotated[bool, typer.Option("--s3", help="An access key of the S3 protocol, with its secret")] = False,
    as_json: Json = False,
) -> None:
    """Make a further API key; it is shown once and kept only as a hash (that of the S3 protocol in the key file)."""
    if s3:
        settings = load_settings()
        key_id, access_key, secret = _change(
            settings, "key_created", name, lambda stored: store.add_s3_key(stored, name, time.time())
        )
        made = {"id": key_id, "name": name, "kind": "s3", "access_key_id": access_key, "secret_access_key": secret}
        text = f"access key ID      {access_key}\nsecret access key  {secret}"
        print(json.dumps(made, indent=2) if as_json else text)
        return
    if kind not in store.ROLES:
        fail(f"--kind is secret or publishable, not {kind}")
    settings = load_settings()
    key_id, key = _change(
        settings, "key_created", name, lambda stored: store.add_api_key(stored, kind, name, time.time())
    )
    print(json.dumps({"id": key_id, "key": key, "name": name, "kind": kind}, indent=2) if as_json else key)


@keys_app.command("env")
def env(
    file: Annotated[
        Path | None, typer.Option(help="Write them there, for its owner alone, in place of printing")
    ] = None,
) -> None:
    """Make fresh passwords and keys as environment variables, for a deployment that keeps none on disk.

    In a project's folder, print its own: what applications read as SUPABASE_URL, SUPABASE_ANON_KEY and their like.
    """
    if file is None and project_content() is not None:
        settings = load_settings()
        _close_to_others(sys.stdout.fileno())
        for name, value in variables_of(settings, noted_serving(settings) or {"url": settings.api_url}).items():
            print(f'{name}="{value}"')
        return
    fresh = store.fresh()
    text = (
        f"POSTGRES_PASSWORD={secrets.token_urlsafe(24)}\n"
        f"PGRST_JWT_SECRET={fresh['jwt_secret']}\n"
        f"SUPABASE_PUBLISHABLE_KEY={fresh['publishable_key']}\n"
        f"SUPABASE_SECRET_KEY={fresh['secret_key']}\n"
    )
    if file is None:
        _close_to_others(sys.stdout.fileno())
        print(text, end="")
        return
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        fail(f"{file} exists: a database may have its password; move it away first")
    with open(descriptor, "w") as kept:
        kept.write(text)
    print(f"passwords and keys are in {file}, readable by you alone")


def _close_to_others(descriptor: int) -> None:
    """A file that the shell made for the output (`> .env`) has the mode of any file: take others' rights away."""
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_mode & 0o077:
        os.fchmod(descriptor, 0o600)


@keys_app.command("rotate")
def rotate(
    what: Annotated[str, typer.Argument(help="signing, secret, publishable, legacy or session")] = "signing",
    grace: Annotated[
        str, typer.Option(help="How long the former key stays good; of a signing key also `until-revoked`")
    ] = "24h",
    alg: Annotated[str, typer.Option(help="Kind of signing key: ES256, RS256 or HS256")] = "ES256",
    as_json: Json = False,
) -> None:
    """Put a new key in place of the current one; nobody is signed out while the former one stays good.

    A signing key that stands by (`gateway keys standby`) is taken before a fresh one is made."""
    stays = what == "signing" and grace == UNTIL_REVOKED
    try:
        seconds = 0.0 if stays else parse_duration(grace)
    except ValueError as error:
        fail(str(error))
    settings, now = load_settings(), time.time()
    answer: dict[str, Any] = {"rotated": what, "former_until": None if stays else _time(now + seconds)}
    if what == "signing":
        if alg not in store.ALGORITHMS:
            fail(f"--alg is one of {', '.join(store.ALGORITHMS)}")
        jwk = _change(
            settings,
            "key_rotated",
            what,
            lambda stored: store.rotate_signing(stored, alg, None if stays else seconds, now),
        )
        answer |= {"kid": jwk["kid"], "alg": jwk["alg"]}
    elif what in store.ROLES:
        if getattr(settings, f"{what}_key"):
            fail(f"the {what} key comes from the environment: change it there")
        _change(settings, "key_rotated", what, lambda stored: store.rotate_api_key(stored, what, seconds, now))
    elif what == "legacy":
        if settings.jwt_secret:
            fail("the HS256 secret comes from the environment: change it there")
        _change(settings, "key_rotated", what, lambda stored: store.rotate_legacy(stored, seconds, now))
    elif what == "session":
        if settings.session_secret:
            fail("the session secret comes from the environment: put the new one before it there")
        _change(settings, "key_rotated", what, lambda stored: store.rotate_session(stored, seconds, now))
    else:
        fail(f"{what} is none of signing, secret, publishable, legacy, session")
    print(
        json.dumps(answer, indent=2)
        if as_json
        else f"rotated {what}; the former one is good until {answer['former_until'] or 'it is revoked'}"
    )


@keys_app.command("standby")
def standby(
    alg: Annotated[str, typer.Option(help="Kind of signing key: ES256, RS256 or HS256")] = "ES256",
    as_json: Json = False,
) -> None:
    """Publish a signing key that signs nothing yet: the next `rotate signing` takes it, when others have read it."""
    settings = load_settings()
    if alg not in store.ALGORITHMS:
        fail(f"--alg is one of {', '.join(store.ALGORITHMS)}")
    try:
        jwk = _change(settings, "key_created", "signing", lambda stored: store.add_standby(stored, alg))
    except KeyChangeError as error:
        fail(str(error))
    print(json.dumps({"kid": jwk["kid"], "alg": alg}) if as_json else f"{jwk['kid']} stands by")


@keys_app.command("revoke")
def revoke(
    which: Annotated[str, typer.Argument(help="Id of the key, from `gateway keys list`")], as_json: Json = False
) -> None:
    """End a key, within a second for all workers. Tokens that a signing key signed are refused from then on."""
    settings = load_settings()
    if which in store.ROLES and getattr(settings, f"{which}_key"):
        fail(f"the {which} key comes from the environment: change it there")
    try:
        what = _change(settings, "key_revoked", which, lambda stored: store.revoke(stored, which, time.time()))
    except KeyChangeError as error:
        fail(str(error))
    print(json.dumps({"revoked": which}) if as_json else f"revoked {what}")


def _stored(settings: Settings) -> dict[str, Any]:
    try:
        KeyRing.load(settings)
        return store.read_file(settings.data_dir / FILE_NAME)
    except ValueError as error:
        fail(str(error))


def _change(settings: Settings, action: str, subject: str, change: Any) -> Any:
    """Change the file, and note it in the audit log where there is a database."""
    _stored(settings)
    answer = store.change_file(settings.data_dir / FILE_NAME, change)
    # Without the auth schema there is no audit log either.
    with connect(settings) as connection, suppress(DatabaseError):
        accounts.note(connection, action, key=subject)
    return answer


def _uses(settings: Settings) -> dict[str, str]:
    with connect(settings) as connection:
        return _read_uses(connection)


def _read_uses(connection: SyncConnection) -> dict[str, str]:
    try:
        rows = connection.rows(
            "select id, to_char(last_used_at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
            " from gateway.api_key_uses"
        )
    except DatabaseError:
        return {}
    return {str(key_id): str(used) for key_id, used in rows}


def _time(epoch: float | None) -> str | None:
    return None if epoch is None else datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
