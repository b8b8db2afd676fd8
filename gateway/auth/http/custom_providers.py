"""Admin calls on providers that are set up while the server runs (contract section 23)."""

from __future__ import annotations

from typing import Any, Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody
from gateway.auth.context import Context
from gateway.auth.outbound.custom import demand_public, discover, discovery_url
from gateway.auth.render import json_response
from gateway.auth.store import custom_providers
from gateway.auth.store.custom_providers import LISTS, CustomProvider
from gateway.auth.store.violations import Taken, taken
from gateway.auth.types import moment_of, read_time, show_time
from gateway.database import DatabaseError
from gateway.errors import ApiError
from gateway.http.messages import Response

PREFIX: Final = "custom:"
_URLS: Final = ("authorization_url", "token_url", "userinfo_url", "jwks_uri", "discovery_url", "issuer")
_FLAGS: Final = ("pkce_enabled", "enabled", "email_optional", "skip_nonce_check")
_RESERVED: Final = frozenset({
    "client_id", "client_secret", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method",
    "code_verifier", "nonce",
})  # fmt: skip
_PROTECTED: Final = frozenset({
    "id", "aud", "role", "app_metadata", "created_at", "updated_at", "confirmed_at", "email_confirmed_at",
    "phone_confirmed_at", "email_verified", "phone_verified", "banned_until", "is_super_admin",
})  # fmt: skip
_LENGTHS: Final = {"name": 100, "client_id": 512, **dict.fromkeys(_URLS, 2048)}


async def list_all(context: Context, call: AuthCall) -> Response:
    """GET /admin/custom-providers?type=."""
    kind = call.query.get("type", "")
    if kind not in ("", "oauth2", "oidc"):
        raise errors.invalid("type must be either 'oauth2' or 'oidc'")
    known = custom_providers.read_all((await context.run(custom_providers.every(kind)))[0])
    return json_response({"providers": [shown(each) for each in known]})


async def get(context: Context, call: AuthCall) -> Response:
    """GET /admin/custom-providers/{identifier}."""
    return json_response(shown(await find(context, call.params["identifier"])))


async def create(context: Context, call: AuthCall) -> Response:
    """POST /admin/custom-providers."""
    body = call.body
    kind, identifier = body.text("provider_type"), body.text("identifier")
    if kind not in ("oauth2", "oidc"):
        raise errors.invalid("provider_type must be either 'oauth2' or 'oidc'")
    if not identifier:
        raise errors.invalid("identifier is required")
    if not identifier.startswith(PREFIX):
        raise errors.invalid(f"identifier must start with 'custom:' prefix, e.g. 'custom:{identifier}'")
    for name in ("name", "client_id", "client_secret"):
        if not body.text(name):
            raise errors.invalid(f"{name} is required")
    columns = await _columns(body, kind)
    needed = ("issuer",) if kind == "oidc" else ("authorization_url", "token_url", "userinfo_url")
    for name in needed:
        if not columns.get(name):
            shown_kind = "OIDC" if kind == "oidc" else "OAuth2"
            raise errors.invalid(f"{name} is required for {shown_kind} providers")
    most = context.settings.custom_oauth_most
    if most and int((await context.run(custom_providers.count()))[0].value or 0) >= most:
        raise ApiError(errors.TOO_MANY_CUSTOM_PROVIDERS)
    if kind == "oidc":
        columns |= await _discovered(columns, call.now)
        columns["scopes"] = _with_openid(columns.get("scopes") or [])
    columns |= {"provider_type": kind, "identifier": identifier}
    try:
        await context.run(custom_providers.insert(columns, call.now))
    except DatabaseError as error:
        if taken(error) is Taken.PROVIDER:
            raise ApiError(errors.CUSTOM_PROVIDER_EXISTS) from error
        raise
    return json_response(shown(await find(context, identifier)), 201)


async def update(context: Context, call: AuthCall) -> Response:
    """PUT /admin/custom-providers/{identifier}: what is given changes; what it is and its name stay."""
    provider = await find(context, call.params["identifier"])
    kind = str(provider.row["provider_type"])
    columns = await _columns(call.body, kind)
    if provider.is_oidc and {"issuer", "discovery_url"} & columns.keys():
        columns |= await _discovered({**provider.row, **columns}, call.now)
    if provider.is_oidc and "scopes" in columns:
        columns["scopes"] = _with_openid(columns["scopes"])
    if columns:
        await context.run(custom_providers.update(provider.identifier, columns, call.now))
    return json_response(shown(await find(context, provider.identifier)))


async def delete(context: Context, call: AuthCall) -> Response:
    """DELETE /admin/custom-providers/{identifier}."""
    provider = await find(context, call.params["identifier"])
    await context.run(custom_providers.delete(provider.identifier))
    return Response(204)


async def find(context: Context, identifier: str) -> CustomProvider:
    """A provider. Raises ApiError custom_provider_not_found."""
    provider = custom_providers.read((await context.run(custom_providers.by_identifier(identifier)))[0])
    if provider is None:
        raise ApiError(errors.CUSTOM_PROVIDER_NOT_FOUND)
    return provider


async def _columns(body: JsonBody, kind: str) -> dict[str, Any]:
    """Columns that a body gives. Raises ApiError validation_failed."""
    columns: dict[str, Any] = {}
    for name in ("name", "client_id", "client_secret", *_URLS):
        if name in body:
            value = body.text(name)
            if name in ("name", "client_id", "client_secret") and not value:
                raise errors.invalid(f"{name} is required")
            if len(value) > _LENGTHS.get(name, 4096):
                raise errors.invalid(f"{name} must be at most {_LENGTHS.get(name, 4096)} characters")
            columns[name] = value or None
    for name in LISTS:
        if name in body:
            values = body.items(name) or []
            if any(not isinstance(value, str) or not value for value in values):
                raise errors.invalid(f"{name} must contain non-empty strings")
            columns[name] = values
    for name in _FLAGS:
        if name in body:
            columns[name] = body.flag(name)
    if "authorization_params" in body:
        columns["authorization_params"] = _params(body.table("authorization_params") or {})
    if "attribute_mapping" in body:
        mapping = body.table("attribute_mapping") or {}
        for target in mapping:
            if target.lower() in _PROTECTED:
                raise errors.invalid(f"Cannot map to protected system field: {target}")
        columns["attribute_mapping"] = mapping
    for name in _URLS:
        if columns.get(name):
            await demand_public(columns[name])
    return columns


def _params(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        if name.lower() in _RESERVED:
            raise errors.invalid(f"Cannot override reserved OAuth parameter: {name}")
        if not isinstance(value, str):
            raise errors.invalid(f"authorization_params must be strings: {name}")
    return values


async def _discovered(row: dict[str, Any], now: float) -> dict[str, Any]:
    document = await discover(discovery_url(row), str(row["issuer"]))
    return {"cached_discovery": document, "discovery_cached_at": moment_of(now).isoformat()}


def _with_openid(scopes: list[str]) -> list[str]:
    return scopes if "openid" in scopes else ["openid", *scopes]


def shown(provider: CustomProvider) -> dict[str, Any]:
    """A provider as admins see it: never its secret."""
    row = provider.row
    body: dict[str, Any] = {
        name: row[name] for name in ("id", "provider_type", "identifier", "name", "client_id", "pkce_enabled")
    }
    body |= {name: list(provider.items(name)) for name in LISTS}
    body |= {name: dict(provider.table(name)) for name in ("attribute_mapping", "authorization_params")}
    body |= {name: row[name] for name in ("enabled", "email_optional", "skip_nonce_check")}
    body |= {name: row[name] for name in _URLS if row[name]}
    if row["cached_discovery"]:
        body["discovery_document"] = row["cached_discovery"]
    for name in ("created_at", "updated_at"):
        moment = read_time(row[name])
        body[name] = None if moment is None else show_time(moment)
    return body
