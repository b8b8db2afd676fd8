"""What an application may be registered as, and how it proves who it is (contract section 22)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote_plus, urlsplit

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody, read_uuid
from gateway.auth.context import Context
from gateway.auth.store import oauth_clients
from gateway.auth.store.limits import Permit
from gateway.auth.store.oauth_clients import AUTH_METHODS, GRANT_TYPES, OAuthClient
from gateway.auth.store.users import new_id
from gateway.errors import ApiError

MOST_URIS: Final = 10
LONGEST_NAME: Final = 1024
LONGEST_URI: Final = 2048
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_NEVER: Final = frozenset({"javascript", "data", "file", "vbscript", "about", "blob"})


# --- rules ----------------------------------------------------------------------------------------------------------


def redirect_uris(values: Sequence[Any]) -> tuple[str, ...]:
    """Addresses that browsers may be sent back to. Raises ApiError validation_failed."""
    if not values:
        raise errors.invalid("redirect_uris is required")
    if len(values) > MOST_URIS:
        raise errors.invalid(f"redirect_uris cannot exceed {MOST_URIS} items")
    for uri in values:
        problem = _problem_of(uri)
        if problem:
            raise errors.invalid(f"invalid redirect_uri: {problem}")
    return tuple(values)


def _problem_of(uri: Any) -> str:
    if not isinstance(uri, str) or not uri:
        return "redirect URI cannot be empty"
    if len(uri) > LONGEST_URI or any(not 0x20 < ord(letter) < 0x7F or letter in '\\",' for letter in uri):
        return "invalid URL"
    try:
        parts = urlsplit(uri)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return "invalid URL"
    if not parts.scheme or not host:
        return "must have scheme and host"
    if "#" in uri:
        return "must not have fragment"
    if parts.scheme in _NEVER:
        return f"scheme '{parts.scheme}' is not allowed"
    if parts.scheme == "http" and host not in _LOCAL:
        return "must use HTTPS, except for localhost"
    return ""


def grant_types(values: Sequence[Any]) -> tuple[str, ...]:
    """What a client may exchange for tokens; everything unless it says less. Raises ApiError validation_failed."""
    for value in values:
        if value not in GRANT_TYPES:
            raise errors.invalid("grant_types must only contain 'authorization_code' and/or 'refresh_token'")
    return tuple(dict.fromkeys(values)) or GRANT_TYPES


def text(body: JsonBody, name: str) -> str | None:
    """A name or address of a client. Raises ApiError validation_failed."""
    value = body.text(name)
    if name == "client_name":
        if len(value) > LONGEST_NAME:
            raise errors.invalid(f"client_name cannot exceed {LONGEST_NAME} characters")
        return value or None
    if not value:
        return None
    if len(value) > LONGEST_URI:
        raise errors.invalid(f"{name} cannot exceed {LONGEST_URI} characters")
    parts = urlsplit(value) if value.isprintable() and " " not in value else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.netloc:
        raise errors.invalid(f"{name} must be a valid URL")
    return value


def kinds(client_type: str, method: str) -> tuple[str, str]:
    """Kind of a client and how it authenticates; each follows from the other. Raises ApiError validation_failed."""
    if client_type not in ("", "public", "confidential"):
        raise errors.invalid("client_type must be 'public' or 'confidential'")
    if method not in ("", *AUTH_METHODS):
        raise errors.invalid(
            "token_endpoint_auth_method must be 'client_secret_basic', 'client_secret_post', or 'none'"
        )
    kind = client_type or ("public" if method == "none" else "confidential")
    chosen = method or ("none" if kind == "public" else "client_secret_basic")
    if (kind == "public") != (chosen == "none"):
        raise errors.invalid(f"token_endpoint_auth_method '{chosen}' is not valid for {kind} clients")
    return kind, chosen


def new_client(body: JsonBody, registration_type: str) -> tuple[OAuthClient, str | None]:
    """A client of a body, and its secret, which is kept nowhere. Raises ApiError validation_failed."""
    uris = redirect_uris(items(body, "redirect_uris"))
    types = grant_types(items(body, "grant_types"))
    client_type, method = kinds(body.text("client_type"), body.text("token_endpoint_auth_method"))
    secret = None if client_type == "public" else new_secret()
    client = OAuthClient(
        id=new_id(),
        secret_hash=None if secret is None else hash_secret(secret),
        registration_type=registration_type,
        redirect_uris=uris,
        grant_types=types,
        name=text(body, "client_name"),
        uri=text(body, "client_uri"),
        logo_uri=text(body, "logo_uri"),
        client_type=client_type,
        auth_method=method,
        created_at=None,
        updated_at=None,
    )
    return client, secret


def items(body: JsonBody, name: str) -> list[Any]:
    """A list of a body; empty when it is missing."""
    return body.items(name) or []


# --- secrets --------------------------------------------------------------------------------------------------------


def new_secret() -> str:
    """43 random characters."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """What is kept of a secret. It is random, so a plain hash is enough.

    >>> hash_secret("a")
    'ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs'
    """
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def matches_secret(permit: Permit, secret: str, kept: str) -> bool:
    """Whether a secret is a client's own."""
    return hmac.compare_digest(hash_secret(secret).encode(), kept.rstrip("=").encode())


async def authenticate(context: Context, call: AuthCall, fields: Mapping[str, str]) -> OAuthClient:
    """The client of a request to the token endpoint. Raises ApiError invalid_credentials."""
    client_id, secret, method = _presented(call, fields)
    if not client_id:
        raise _bad("Invalid client credentials: client_id is required")
    known = read_uuid(client_id)
    if known is None:
        raise _bad("Invalid client_id format")
    client = oauth_clients.read((await context.run(oauth_clients.by_id(known)))[0])
    if client is None:
        raise _bad("Invalid client credentials")
    if method != client.auth_method:
        raise _bad(
            f"invalid authentication method: client is registered for '{client.auth_method}' but '{method}' was used"
        )
    if not client.is_public:
        # By address, so that strangers' guesses do not keep the client itself out.
        permit = await context.guards.permit("client_secret", f"{client.id}\0{call.origin.address or ''}", call)
        if client.secret_hash is None or not matches_secret(permit, secret, client.secret_hash):
            raise _bad("invalid client credentials")
        await context.run(permit.right())
    return client


def _presented(call: AuthCall, fields: Mapping[str, str]) -> tuple[str, str, str]:
    """Id, secret, and the way in which they came."""
    header = call.header(b"authorization") or ""
    scheme, _, rest = header.partition(" ")
    if scheme.lower() == "basic":
        try:
            pair = base64.b64decode(rest.strip(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise _bad("Invalid client credentials: invalid basic auth encoding") from error
        client_id, colon, secret = pair.partition(":")
        if not colon:
            raise _bad("Invalid client credentials: invalid basic auth format")
        return unquote_plus(client_id), unquote_plus(secret), "client_secret_basic"
    secret = fields.get("client_secret", "")
    return fields.get("client_id", ""), secret, "client_secret_post" if secret else "none"


def _bad(problem: str) -> ApiError:
    return ApiError(errors.OAUTH_BAD_CLIENT, problem=problem)
