"""Whom the console asks as: the service, a visitor, or one of the users, by a token that holds for a minute."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.app import Gateway
from gateway.console.errors import ConsoleError, bad_request
from gateway.database import NO_SCOPE
from gateway.database.statement import Statement
from gateway.identity import tokens

LIFETIME: Final = 60  # seconds; a request is made at once
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_USER: Final = (
    "select coalesce(nullif(role, ''), 'authenticated') as role, coalesce(aud, 'authenticated') as aud,"
    " coalesce(email, '') as email, coalesce(phone, '') as phone,"
    " coalesce(raw_app_meta_data, '{}'::jsonb) as app, coalesce(raw_user_meta_data, '{}'::jsonb) as own,"
    " coalesce(is_anonymous, false) as anonymous"
    " from auth.users where id = $1::uuid"
)


def is_uuid(text: str) -> bool:
    return bool(_UUID.fullmatch(text))


@dataclass(frozen=True, slots=True)
class AskedAs:
    """A role of the database, and the claims that policies read."""

    role: str
    claims: dict[str, Any]
    user: str | None = None


def issuer(gateway: Gateway) -> str:
    """Whose tokens the auth API takes for its own."""
    settings = gateway.settings
    return settings.jwt_issuer or settings.api_url + settings.auth_prefix


async def asked_as(gateway: Gateway, said: str) -> AskedAs:
    """Of `service`, `anon` or `user:UUID`. Raises ConsoleError 400, 404."""
    if said == "service":
        return AskedAs("service_role", {"role": "service_role"})
    if said == "anon":
        return AskedAs("anon", {"role": "anon"})
    kind, _, user = said.partition(":")
    if kind != "user" or not _UUID.fullmatch(user):
        raise bad_request("ask as service, anon or user:UUID")
    found = (await gateway.databases.auth.run(NO_SCOPE, Statement(_USER, (user,)))).texts()
    if not found:
        raise ConsoleError(404, "no_user", "There is no such user.")
    row, now = found[0], int(time.time())
    claims = {
        "iss": issuer(gateway),
        "sub": str(uuid.UUID(user)),
        "aud": row["aud"],
        "exp": now + LIFETIME,
        "iat": now,
        "email": row["email"],
        "phone": row["phone"],
        "app_metadata": orjson.loads(row["app"] or "{}"),
        "user_metadata": orjson.loads(row["own"] or "{}"),
        "role": row["role"],
        "aal": "aal1",
        "is_anonymous": row["anonymous"] == "t",
    }
    return AskedAs(row["role"] or "authenticated", claims, str(uuid.UUID(user)))


def credentials(gateway: Gateway, who: AskedAs) -> tuple[str, str]:
    """The API key and the bearer token by which the contract's endpoints know somebody."""
    keys = gateway.keys
    if who.user is not None:
        return keys.publishable_key, tokens.mint(who.claims, keys.signing)
    key = keys.secret_key if who.role == "service_role" else keys.publishable_key
    return key, keys.service_role_jwt if who.role == "service_role" else keys.anon_jwt
