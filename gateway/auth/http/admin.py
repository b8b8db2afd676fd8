"""Admin calls on users: list, create, read, change, delete. For the service role alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, JsonBody, read_email, read_phone, read_uuid
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import is_known_hash, no_password
from gateway.auth.flows import new_users as people
from gateway.auth.flows.new_password import demand_length, demand_strength, password_changes
from gateway.auth.store import audit, factors, identities, one_time_tokens, passkeys, sessions, users
from gateway.auth.store.tables import NO_INSTANCE
from gateway.auth.store.violations import Taken, taken
from gateway.auth.types import User, moment_of, read_time, show_time
from gateway.database import DatabaseError
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.http.messages import HeaderList, Response
from gateway.settings import parse_duration

MAX_PER_PAGE: Final = 1000
FOREVER: Final = datetime(9999, 12, 31, tzinfo=UTC)


async def list_users(context: Context, call: AuthCall) -> Response:
    """GET /admin/users?page=&per_page=&filter=&sort=: newest first unless `sort` is `created_at asc`."""
    page, per_page = read_page(call)
    ascending = read_ascending(call)
    aud = context.audience(call)
    wanted, counted = users.page(aud, call.query.get("filter", ""), per_page, (page - 1) * per_page, ascending)
    rows, count = await context.run(wanted, counted)
    body = {"users": [render.user(user) for user in users.read_all(rows)], "aud": aud}
    return render.json_response(body, headers=page_headers("/admin/users", page, per_page, int(count.value or 0)))


async def get_user(context: Context, call: AuthCall) -> Response:
    """GET /admin/users/{id}."""
    return render.json_response(render.user(await find_user(context, call)))


async def create_user(context: Context, call: AuthCall) -> Response:
    """POST /admin/users: works where sign-up is disabled; the password's strength is the admin's business."""
    body = call.body
    email = read_email(body.text("email")) if body.text("email") else None
    phone = read_phone(body.text("phone")) if body.text("phone") else None
    if email is None and phone is None:
        raise errors.invalid("Cannot create a user without either an email or phone")
    user_id = body.text("id") or users.new_id()
    if read_uuid(user_id) is None:
        raise errors.invalid("ID must conform to the uuid v4 format")
    if read_uuid(user_id) == NO_INSTANCE:
        raise errors.invalid("ID cannot be a nil uuid")
    aud = body.text("aud") or context.audience(call)
    if email is not None and await context.find(users.by_email(email, aud)) is not None:
        raise ApiError(errors.EMAIL_EXISTS)
    if phone is not None and await context.find(users.by_phone(phone, aud)) is not None:
        raise ApiError(errors.PHONE_TAKEN)
    moment = moment_of(call.now).isoformat()
    confirmed = {
        "email_confirmed_at": moment if email and body.flag("email_confirm") else None,
        "phone_confirmed_at": moment if phone and body.flag("phone_confirm") else None,
    }
    columns: dict[str, Value] = {
        "aud": aud,
        "role": body.text("role") or context.settings.jwt_default_role,
        "email": email,
        "phone": phone,
        "encrypted_password": await _password_of(context, call, body),
        "raw_app_meta_data": users.json_text(
            users.merged(people.provider_metadata(email, phone), body.table("app_metadata") or {})
        ),
        "raw_user_meta_data": users.json_text(
            users.merged(
                body.table("user_metadata") or {}, {"email_verified": True} if confirmed["email_confirmed_at"] else {}
            )
        ),
        **confirmed,
        **_ban_of(body, call.now),
    }
    statements = [users.insert(user_id, columns, call.now)]
    statements += people.identities_of(user_id, email, phone, {}, call.now)
    statements.append(_record("user_signedup", call, user_id, email or phone or ""))
    try:
        await context.run(*statements)
    except DatabaseError as error:
        raise duplicate(error) from error
    return render.json_response(render.user(await context.reload(user_id)))


async def update_user(context: Context, call: AuthCall) -> Response:
    """PUT /admin/users/{id}: applied at once, without a mail."""
    user = await find_user(context, call)
    body, now = call.body, call.now
    columns: dict[str, Value] = {}
    statements: list[Statement] = []
    if body.text("email"):
        email = read_email(body.text("email"))
        other = await context.find(users.by_email(email, user.aud))
        if other is not None and other.id != user.id:
            raise ApiError(errors.EMAIL_EXISTS)
        columns["email"] = email
        data = {"email": email, "sub": user.id, "email_verified": body.flag("email_confirm")}
        statements += _identity_change(user, "email", data, now)
    if body.text("phone"):
        phone = read_phone(body.text("phone"))
        columns["phone"] = phone
        data = {"phone": phone, "sub": user.id, "phone_verified": body.flag("phone_confirm")}
        statements += _identity_change(user, "phone", data, now)
    metadata = users.merged(user.user_metadata, body.table("user_metadata") or {})
    if body.flag("email_confirm"):
        columns["email_confirmed_at"] = moment_of(now).isoformat()
        metadata["email_verified"] = True
    if body.flag("phone_confirm"):
        columns["phone_confirmed_at"] = moment_of(now).isoformat()
    if ("email" in columns and body.flag("email_confirm")) or ("phone" in columns and body.flag("phone_confirm")):
        columns["is_anonymous"] = "false"
    if body.text("role"):
        columns["role"] = body.text("role")
    if "password" in body:
        await demand_strength(context, body.text("password"))
    if body.text("password") or body.text("password_hash"):
        changed, more = password_changes(user, await _password_of(context, call, body), now)
        columns.update(changed)
        statements += [*more, sessions.delete_of_user(user.id)]
    app = body.table("app_metadata")
    if app is not None:
        columns["raw_app_meta_data"] = users.json_text(users.merged(user.app_metadata, app))
    if metadata != user.user_metadata:
        columns["raw_user_meta_data"] = users.json_text(metadata)
    columns.update(_ban_of(body, now))
    statements.append(_record("user_modified", call, user.id, user.email or "", sorted(columns)))
    try:
        await context.run(users.update(user.id, columns, now), *statements)
    except DatabaseError as error:
        raise duplicate(error) from error
    return render.json_response(render.user(await context.reload(user.id)))


async def delete_user(context: Context, call: AuthCall) -> Response:
    """DELETE /admin/users/{id}: all that is theirs, or (soft) all that tells who they were."""
    user = await find_user(context, call)
    row = _record("user_deleted", call, user.id, user.email or "")
    if call.optional_body().flag("should_soft_delete"):
        await context.run(*forget_person(user, call.now), row)
    else:
        await context.run(users.delete(user.id), row)
    return render.json_response({})


async def list_audit(context: Context, call: AuthCall) -> Response:
    """GET /admin/audit?page=&per_page=&query=: newest first; `query` is author:…, action:… or type:…."""
    page, per_page = read_page(call)
    kind, _, words = call.query.get("query", "").partition(":")
    path = {"author": "actor_username", "action": "action", "type": "log_type"}.get(kind)
    query = call.query.get("query", "")
    if query and (path is None or ":" not in query):
        raise errors.invalid(f"Invalid query scope: {query}")
    rows, count = await context.run(*audit.page(path or "action", words, per_page, (page - 1) * per_page))
    entries = [orjson.loads(row[0]) for row in rows.rows if row[0] is not None]
    for entry in entries:
        created = read_time(entry["created_at"])
        entry["created_at"] = None if created is None else show_time(created)
    return render.json_response(entries, headers=page_headers("/admin/audit", page, per_page, int(count.value or 0)))


def forget_person(user: User, now: float) -> list[Statement]:
    """Statements of a soft delete: the id stays, everything personal goes."""
    columns: dict[str, Value] = {
        "email": _obscured(user.id, user.email) or None,
        "phone": _obscured(user.id, user.phone)[:15] if user.phone else None,
        "encrypted_password": None,
        "email_change": "",
        "phone_change": "",
        "raw_app_meta_data": "{}",
        "raw_user_meta_data": "{}",
        "deleted_at": moment_of(now).isoformat(),
    }
    return [
        *one_time_tokens.clear(user.id),
        users.update(user.id, columns, now),
        identities.delete_of_user(user.id),
        factors.delete_of_user(user.id),
        passkeys.delete_of_user(user.id),
        sessions.delete_of_user(user.id),
    ]


def _obscured(user_id: str, text: str | None) -> str:
    return hashlib.sha256(f"{user_id}{text}".encode()).hexdigest() if text else ""


async def find_user(context: Context, call: AuthCall) -> User:
    """The user of the path. Raises ApiError 404."""
    user_id = read_uuid(call.params["user_id"])
    if user_id is None:
        raise ApiError(errors.VALIDATION_FAILED_404, reason="user_id must be an UUID")
    user = await context.find(users.by_id(user_id))
    if user is None:
        raise ApiError(errors.USER_NOT_FOUND)
    return user


def read_page(call: AuthCall) -> tuple[int, int]:
    """Page number and size. Raises ApiError validation_failed."""
    numbers = []
    for name, default in (("page", 1), ("per_page", 50)):
        text = call.query.get(name) or str(default)
        if not text.isdecimal() or len(text) > 9:
            raise errors.invalid(f"Bad Pagination Parameters: {name} must be a whole number")
        numbers.append(int(text))
    if numbers[1] == 0:
        raise errors.invalid("Bad Pagination Parameters: per_page must be greater than 0")
    return max(1, numbers[0]), min(numbers[1], MAX_PER_PAGE)


def read_ascending(call: AuthCall) -> bool:
    """Whether the oldest come first. Raises ApiError validation_failed."""
    name, _, direction = call.query.get("sort", "created_at").partition(" ")
    if name != "created_at":
        raise errors.invalid(f"Bad Sort Parameters: bad field for sort '{name}'")
    if direction.lower() not in ("", "asc", "desc"):
        raise errors.invalid(
            f"Bad Sort Parameters: bad direction for sort '{direction}', only 'asc' and 'desc' allowed"
        )
    return direction.lower() == "asc"


def page_headers(path: str, page: int, per_page: int, total: int) -> HeaderList:
    """X-Total-Count and Link, as the clients read them."""
    last = max(1, -(-total // per_page))
    found = []
    if page < last:
        found.append((page + 1, "next"))
    found.append((last, "last"))
    shown = ", ".join(
        f'<{path}?{urlencode({"page": number, "per_page": per_page})}>; rel="{rel}"' for number, rel in found
    )
    return [(b"x-total-count", str(total).encode()), (b"link", shown.encode())]


def duplicate(error: DatabaseError) -> Exception:
    """What a taken id, address or number means; another error stays what it is."""
    match taken(error):
        case Taken.USER:
            return ApiError(errors.USER_ALREADY_EXISTS)
        case Taken.EMAIL:
            return ApiError(errors.EMAIL_EXISTS)
        case Taken.PHONE:
            return ApiError(errors.PHONE_EXISTS)
    return error


def _identity_change(user: User, provider: str, data: Mapping[str, Any], now: float) -> list[Statement]:
    if user.identity(provider) is not None:
        return [identities.update_of_provider(user.id, provider, data, now)]
    unsaid = {"email_verified": False, "phone_verified": False}
    return [identities.insert(user.id, provider, user.id, {**unsaid, **data}, now)]


async def _password_of(context: Context, call: AuthCall, body: JsonBody) -> str:
    """Hash of the given password, the given hash, or one that no password has."""
    password, hashed = body.text("password"), body.text("password_hash")
    if password and hashed:
        raise errors.invalid("Only a password or a password hash should be provided")
    if hashed:
        if not is_known_hash(hashed):
            raise errors.invalid("The password hash is not in a supported format")
        return hashed
    demand_length(password)
    return await context.guards.hash(password, call) if password else no_password()


def _ban_of(body: JsonBody, now: float) -> dict[str, Value]:
    text = body.text("ban_duration")
    if not text:
        return {}
    if text == "none":
        return {"banned_until": None}
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise errors.invalid(f"invalid format for ban duration: {error}") from error
    until = now + seconds
    return {"banned_until": (moment_of(until) if until < FOREVER.timestamp() else FOREVER).isoformat()}


def _record(action: str, call: AuthCall, user_id: str, name: str, changed: list[str] | None = None) -> Statement:
    traits: dict[str, Any] = {"user_id": user_id, "user_email": name}
    if changed:
        traits["changed"] = changed
    return audit.record(action, call.actor, call.origin, call.now, traits=traits)
