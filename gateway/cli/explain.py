"""`gateway explain`: why a request is refused, finds no rows or changes none, and what one may on a private channel."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, urlsplit

import orjson
import typer

from gateway.auth.accounts import AccountError, find
from gateway.catalog.load import load
from gateway.cli.common import connect, fail, load_settings, owner_url
from gateway.database import Database, DatabaseError, DatabaseUnavailable
from gateway.http.messages import HeaderList, Request
from gateway.identity.authenticator import Identity
from gateway.operations.explain import Explanation, explain
from gateway.operations.explain_change import explain_change
from gateway.operations.explain_channel import ChannelExplanation, explain_channel
from gateway.settings import Settings


def explain_command(
    method: Annotated[str, typer.Argument(help="Verb: GET, POST, PATCH, PUT, DELETE; or CHANNEL, CHANGE")],
    path: Annotated[
        str, typer.Argument(help="Path of the tables API with its query, or a whole URL; a topic; a table")
    ],
    who: Annotated[str, typer.Option("--as", help="A role, or a user by e-mail address or id")] = "anon",
    data: Annotated[str, typer.Option(help="Body in JSON")] = "",
    header: Annotated[list[str] | None, typer.Option(help="Another header, as `Name: value`")] = None,
    claims: Annotated[str, typer.Option(help="Further claims of the token, a JSON object")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON")] = False,
) -> None:
    """Say why a request is refused, finds no rows or changes none. It runs, and is undone.

    `CHANGE notes?id=eq.1` says who is told of a change of that row; `--data` has a binding's event, filter, select.
    """
    settings = load_settings()
    if method.upper() == "CHANGE":
        _explain_change(settings, path, who, _object(claims), _object(data), as_json)
        return
    if method.upper() == "CHANNEL":
        _channel(settings, path, _identity(settings, who, _object(claims)), who, header or [], as_json)
        return
    request = _request(settings, method, path, data, header or [])
    url = owner_url(settings)
    identity = _identity(settings, who, _object(claims))
    try:
        found = asyncio.run(_explained(settings, url, request, identity))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database refused: {error.message}")
    print(json.dumps(asdict(found)) if as_json else _report(request, who, found))


def _channel(settings: Settings, topic: str, identity: Identity, who: str, lines: list[str], as_json: bool) -> None:
    """What somebody may on a private channel."""
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    topic = topic.removeprefix("realtime:")

    async def explained() -> ChannelExplanation:
        database = Database(owner_url(settings), size=1, core=1, application_name="gateway cli")
        try:
            return await explain_channel(database, topic, identity, json.dumps(headers))
        finally:
            await database.close()

    try:
        found = asyncio.run(explained())
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database refused: {error.message}")
    print(json.dumps(asdict(found)) if as_json else _channel_report(found, who))


def _channel_report(found: ChannelExplanation, who: str) -> str:
    words = {True: "yes", False: "no", None: "fails"}
    lines = [f"private channel {found.topic} as {who}, undone"]
    lines += [f"  {name:<16} {words[may]}" for name, may in found.rights.items()]
    lines += ["", "policies of realtime.messages"] if found.policies else []
    for policy in found.policies:
        marks = ("" if policy.permissive else ", restrictive") + ("" if policy.applies else ", not for this role")
        lines.append(f"  {policy.command:<6}  {policy.name}{marks}  {' '.join(policy.expression.split())}")
    lines += ["", *found.reasons, *[f"  → {remedy}" for remedy in found.remedies]] if found.reasons else []
    return "\n".join(lines)


def _explain_change(
    settings: Settings, path: str, who: str, claims: dict[str, Any], binding: dict[str, Any], as_json: bool
) -> None:
    """Print who would be told of a change of a table, or of one of its rows."""
    parts = urlsplit(path)
    schema, _, table = parts.path.strip("/").rpartition(".")
    row = {name: value.removeprefix("eq.") for name, value in parse_qsl(parts.query)}
    url = owner_url(settings)
    identity = _identity(settings, who, claims)

    async def explained() -> list[str]:
        database = Database(url, size=1, core=1, application_name="gateway cli")
        try:
            return await explain_change(database, identity, schema or "public", table, row, binding)
        finally:
            await database.close()

    try:
        lines = asyncio.run(explained())
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database refused: {error.message}")
    print(json.dumps(lines) if as_json else "\n".join(lines))


def _object(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        fail("--claims is not a JSON object")
    return value


def _request(settings: Settings, method: str, path: str, data: str, lines: list[str]) -> Request:
    parts = urlsplit(path)
    headers: HeaderList = []
    if data:
        headers.append((b"content-type", b"application/json"))
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            fail(f"{line!r} is not `Name: value`")
        headers.append((name.strip().lower().encode(), value.strip().encode()))
    inside = parts.path.removeprefix(settings.rest_prefix)
    # As a browser would send it.
    return Request(
        method.upper(),
        quote("/" + inside.lstrip("/"), safe="/%"),
        quote(parts.query, safe="!$%&'()*+,;=:@/?-._~"),
        headers,
        data.encode(),
    )


def _identity(settings: Settings, who: str, claims: dict[str, Any]) -> Identity:
    """A role of the database, or a user with the claims of a fresh token."""
    with connect(settings) as connection:
        try:
            if connection.rows("select from pg_roles where rolname = $1", who):
                return Identity(who, json.dumps({"role": who, **claims}))
            user = find(connection, who)
        except AccountError:
            fail(f"there is neither a role nor a user {who}")
        except DatabaseError as error:
            fail(f"the database refused: {error.message}")
    role = str(claims.get("role", user.role))
    given = {
        "sub": user.id,
        "aud": user.aud,
        "email": user.email or "",
        "phone": user.phone or "",
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "aal": "aal1",
        "is_anonymous": user.is_anonymous,
        **claims,
        "role": role,
    }
    return Identity(role, json.dumps(given))


async def _explained(settings: Settings, url: str, request: Request, identity: Identity) -> Explanation:
    database = Database(url, size=1, core=1, application_name="gateway cli")
    try:
        return await explain(database, await load(database, settings), settings, request, identity)
    finally:
        await database.close()


def _report(request: Request, who: str, found: Explanation) -> str:
    lines = [f"{request.method} {request.path}{'?' if request.query else ''}{request.query} as {who}, undone"]
    if found.code:
        lines.append(f"{found.status} {found.code} {found.message}")
    else:
        lines.append(f"{found.status}" if found.affected is None else f"{found.status}, {_rows(found.affected)}")
    if found.hint:
        lines.append(f"hint: {found.hint}")
    if found.table:
        lines += ["", f"{found.table}, row level security {'on' if found.secured else 'off'}"]
    if found.matched is not None:
        matching = "that matches" if found.matched == 1 else "that match"
        lines.append(f"  {_rows(found.matched)} {'sent' if request.method == 'POST' else f'{matching}, whoever asks'}")
    for grant in found.grants:
        state = "granted" if grant.whole else "granted by column" if grant.some else "not granted"
        lines.append(f"  {grant.privilege:<6}  {state}")
    for verdict in found.policies:
        passed = verdict.error or f"{verdict.passed} of {_rows(verdict.rows, 'new row' if verdict.new_rows else 'row')}"
        restrictive = "" if verdict.permissive else ", restrictive"
        lines.append(
            f"  {verdict.command:<6}  {verdict.policy}{restrictive}: {passed}  {' '.join(verdict.expression.split())}"
        )
    lines += ["", *found.reasons, *[f"  → {remedy}" for remedy in found.remedies]] if found.reasons else []
    return "\n".join(lines)


def _rows(number: int, what: str = "row") -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
