"""Who may call what: role x endpoint x token state as a table, and tokens that must be refused."""

from __future__ import annotations

import base64
import inspect
import json
import uuid
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from gateway.auth.http.routes import ROUTES, Guard, handler_at
from gateway.identity import tokens
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Auth

OPEN = [route for route in ROUTES if route.guard is Guard.OPEN]
USER = [route for route in ROUTES if route.guard is Guard.USER]
ADMIN = [route for route in ROUTES if route.guard is Guard.ADMIN]
ALL_ON = {route.switch.setting: True for route in ROUTES if route.switch is not None}


@pytest.mark.parametrize("place", sorted({route.handler for route in ROUTES}))
def test_a_route_names_a_handler_that_there_is(place: str) -> None:
    assert inspect.iscoroutinefunction(handler_at(place))


def path_of(path: str) -> str:
    """A route's path with parameters that name nothing."""
    parts = [str(uuid.uuid4()) if part.startswith("{") else part for part in path.split("/")]
    return "/".join(parts)


async def token_in(state: str, auth: Auth) -> str | None:
    """A token in a state; each makes what it needs."""
    match state:
        case "none":
            return None
        case "publishable key":
            return auth.keys.publishable_key
        case "secret key":
            return auth.keys.secret_key
        case "legacy anon key":
            return auth.keys.anon_jwt
        case "legacy service key":
            return auth.keys.service_role_jwt
        case "unknown secret key":
            return "sb_secret_" + "x" * 43
        case "not a token":
            return "not-a-token"
    user = await auth.create(f"{uuid.uuid4()}@example.com")
    session = await auth.sign_in(user["email"])
    token: str = session["access_token"]
    match state:
        case "expired":
            auth.clock.move(3700)
        case "tampered":
            head, _, code = token.split(".")
            claims = {**_claims(token), "role": "service_role"}
            return f"{head}.{_encoded(claims)}.{code}"
        case "signed out":
            await auth.call("POST", "/logout", token=token)
        case "banned":
            await auth.admin("PUT", f"/admin/users/{user['id']}", {"ban_duration": "1h"})
        case "deleted":
            await auth.admin("DELETE", f"/admin/users/{user['id']}")
        case "user":
            pass
        case _:
            raise AssertionError(state)
    return token


# state: (answer of user routes, answer of admin routes); None is past the guard
STATES: dict[str, tuple[tuple[int, str] | None, tuple[int, str] | None]] = {
    "none": ((401, "no_authorization"), (401, "no_authorization")),
    "publishable key": ((403, "bad_jwt"), (403, "not_admin")),
    "secret key": ((403, "bad_jwt"), None),
    "legacy anon key": ((403, "bad_jwt"), (403, "not_admin")),
    "legacy service key": ((403, "bad_jwt"), None),
    "unknown secret key": ((403, "bad_jwt"), (403, "bad_jwt")),
    "not a token": ((403, "bad_jwt"), (403, "bad_jwt")),
    "user": (None, (403, "not_admin")),
    "expired": ((403, "bad_jwt"), (403, "bad_jwt")),
    "tampered": ((403, "bad_jwt"), (403, "bad_jwt")),
    "signed out": ((403, "session_not_found"), (403, "not_admin")),
    "banned": ((403, "user_banned"), (403, "not_admin")),
    "deleted": ((403, "user_not_found"), (403, "not_admin")),
}
GUARD_CODES = {"no_authorization", "bad_jwt", "not_admin", "session_not_found", "user_banned"}


@pytest.mark.parametrize("state", STATES)
def test_role_by_endpoint_by_token_state(with_auth: WithAuth, state: str) -> None:
    async def scenario(auth: Auth) -> None:
        token = await token_in(state, auth)
        for routes, expected in ((USER, STATES[state][0]), (ADMIN, STATES[state][1])):
            for route in routes:
                if route.path == "/logout" and expected is None:
                    continue  # it would change the state; it has tests of its own
                answer = await auth.call(route.method, path_of(route.path), token=token, raw=b"{}")
                shown = (route.method, route.path, answer.status, answer.raw)
                if expected is None:
                    assert answer.status < 500, shown
                    assert answer.status == 200 or answer.code not in GUARD_CODES, shown
                else:
                    assert (answer.status, answer.code) == expected, shown
        for route in OPEN:
            answer = await auth.call(route.method, path_of(route.path), token=token, raw=b"{}")
            assert answer.status < 500, (route.path, answer.raw)
            code = answer.body.get("code") if answer.raw.startswith(b"{") else None
            assert code not in GUARD_CODES, (route.path, answer.raw)

    with_auth(scenario, **ALL_ON)


def _claims(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def _encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _signed(auth: Auth, claims: dict[str, Any], **headers: Any) -> str:
    key = auth.keys.signing
    kid = headers.pop("kid", key.kid)
    return jwt.encode(claims, key.private or key.material, algorithm=key.alg, headers={"kid": kid, **headers})


def _public_pem(auth: Auth) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    material = auth.keys.signing.material
    pem: bytes = material.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return pem


def _hs256(secret: bytes, claims: dict[str, Any]) -> str:
    import hashlib
    import hmac

    signed = f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{_encoded(claims)}"
    code = base64.urlsafe_b64encode(hmac.digest(secret, signed.encode(), hashlib.sha256)).rstrip(b"=").decode()
    return f"{signed}.{code}"


FORGERIES: dict[str, tuple[Callable[[Auth, dict[str, Any]], str], int, str]] = {
    "alg none": (lambda auth, c: f"{_encoded({'alg': 'none'})}.{_encoded(c)}.", 403, "bad_jwt"),
    "alg swapped: HS256 with the public key": (lambda auth, c: _hs256(_public_pem(auth), c), 403, "bad_jwt"),
    "alg swapped in the header": (
        lambda auth, c: ".".join([_encoded({"alg": "HS256"}), *_signed(auth, c).split(".")[1:]]), 403, "bad_jwt",
    ),
    "unknown kid": (lambda auth, c: _signed(auth, c, kid="somebody-elses"), 403, "bad_jwt"),
    "another secret": (lambda auth, c: _hs256(b"x" * 32, c), 403, "bad_jwt"),
    "expired": (lambda auth, c: _signed(auth, {**c, "exp": 1_700_000_000}), 403, "bad_jwt"),
    "not yet": (lambda auth, c: _signed(auth, {**c, "nbf": 1_900_000_000}), 403, "bad_jwt"),
    "wrong issuer": (lambda auth, c: _signed(auth, {**c, "iss": "https://evil.example/auth/v1"}), 403, "bad_jwt"),
    "wrong audience": (lambda auth, c: _signed(auth, {**c, "aud": "others"}), 400, "validation_failed"),
    "no subject": (lambda auth, c: _signed(auth, {k: v for k, v in c.items() if k != "sub"}), 403, "bad_jwt"),
    "subject is no id": (lambda auth, c: _signed(auth, {**c, "sub": "root"}), 400, "bad_jwt"),
    "session of somebody else": (
        lambda auth, c: _signed(auth, {**c, "session_id": str(uuid.uuid4())}), 403, "session_not_found",
    ),
    "claims are no object": (lambda auth, c: _signed_list(auth), 403, "bad_jwt"),
}  # fmt: skip


def _signed_list(auth: Auth) -> str:
    key = auth.keys.signing
    return jwt.api_jws.encode(b"[1]", key.private or key.material, algorithm=key.alg, headers={"kid": key.kid})


@pytest.mark.parametrize("title", FORGERIES)
def test_promise_34_forged_and_stale_tokens_are_refused(with_shared_auth: WithAuth, title: str) -> None:
    forge, status, code = FORGERIES[title]

    async def scenario(auth: Auth) -> None:
        user = await auth.create(f"{uuid.uuid4()}@example.com")
        token = (await auth.sign_in(user["email"]))["access_token"]
        assert (await auth.call("GET", "/user", token=_signed(auth, _claims(token)))).status == 200
        answer = await auth.call("GET", "/user", token=forge(auth, _claims(token)))
        assert (answer.status, answer.code) == (status, code), answer.body

    with_shared_auth(scenario)


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("expired", "token has invalid claims: token is expired"),
        ("not yet", "token has invalid claims: token is not valid yet"),
        ("another secret", "token signature is invalid: signature is invalid"),
        ("alg none", "token signature is invalid: signing method none is invalid"),
    ],
)
def test_reason_of_a_refused_token_is_told(with_shared_auth: WithAuth, title: str, reason: str) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create(f"{uuid.uuid4()}@example.com")
        token = FORGERIES[title][0](auth, _claims((await auth.sign_in(user["email"]))["access_token"]))
        answer = await auth.call("GET", "/user", token=token)
        assert answer.body["message"] == f"invalid JWT: unable to parse or verify signature, {reason}"

    with_shared_auth(scenario)


def test_promise_34_short_secrets_stop_the_start(tmp_path: Any) -> None:
    for bad in ({"jwt_secret": "x" * 31}, {"session_secret": ("x" * 31,)}):
        with pytest.raises(ValueError, match="at least 32 characters"):
            KeyRing.load(Settings.load({}, data_dir=tmp_path, **bad))


def test_bearer_scheme_is_needed_in_any_case(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create(f"{uuid.uuid4()}@example.com")
        token = (await auth.sign_in(user["email"]))["access_token"]
        for value, status in ((f"bearer {token}", 200), (f"Basic {token}", 401), ("Bearer ", 401), (token, 401)):
            answer = await auth.call("GET", "/user", headers={"authorization": value})
            assert answer.status == status, value

    with_shared_auth(scenario)


def test_token_of_a_hosted_project_is_taken_when_its_issuer_is_named(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        hosted = _signed(auth, {**_claims(token), "iss": "https://abc.supabase.co/auth/v1"})
        assert (await auth.call("GET", "/user", token=hosted)).status == 200

    with_auth(scenario, auth_hosted_issuers=("https://abc.supabase.co/auth/v1",))


def test_admin_roles_are_a_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        key = tokens.Key("HS256", b"s" * 32)
        assert (
            await auth.call("GET", "/admin/users", token=tokens.mint({"role": "supabase_admin"}, key))
        ).status == 200
        assert (await auth.call("GET", "/admin/users", token=tokens.mint({"role": "boss"}, key))).status == 403

    with_auth(scenario, jwt_secret="s" * 32)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("DELETE", "/token", 405), ("GET", "/factors/x/challenge", 405), ("GET", "//user", 404)],
)
def test_unknown_route_and_method_are_plain(with_shared_auth: WithAuth, method: str, path: str, status: int) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call(method, path)
        assert answer.status == status
        assert not answer.raw.startswith(b"{")

    with_shared_auth(scenario)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/token", {"POST"}),
        ("PUT", "/verify", {"GET", "POST"}),
        ("POST", "/factors/x", {"DELETE"}),
        ("POST", "/admin/users/x/", {"GET", "PUT", "DELETE"}),
    ],
)
def test_a_refused_method_is_told_which_are_not(
    with_shared_auth: WithAuth, method: str, path: str, allowed: set[str]
) -> None:
    async def scenario(auth: Auth) -> None:
        assert set((await auth.call(method, path)).headers["allow"].split(", ")) == allowed

    with_shared_auth(scenario)


ADMIN_LIST = "/admin/users"
KEYS: dict[str, Callable[[KeyRing], str]] = {
    "none": lambda keys: "",
    "secret": lambda keys: keys.secret_key,
    "publishable": lambda keys: keys.publishable_key,
    "unknown": lambda keys: "sb_secret_" + "x" * 43,
    "legacy service": lambda keys: keys.service_role_jwt,
    "legacy anon": lambda keys: keys.anon_jwt,
}


@pytest.mark.parametrize(
    ("bearer", "key", "status"),
    [
        ("none", "none", 401),
        ("none", "secret", 200),
        ("none", "publishable", 403),
        ("none", "legacy service", 200),
        ("none", "legacy anon", 403),
        ("none", "unknown", 403),
        ("secret", "none", 200),
        ("secret", "secret", 200),
        ("secret", "publishable", 403),
        ("publishable", "secret", 200),
        ("unknown", "secret", 200),
        ("publishable", "legacy service", 200),
        ("legacy service", "publishable", 200),
        ("legacy anon", "secret", 403),
        ("user", "secret", 403),
        ("Basic", "secret", 401),
    ],
)
def test_key_counts_where_the_bearer_is_no_token(with_auth: WithAuth, bearer: str, key: str, status: int) -> None:
    """Clients without a session send their key as both; a user's token wins over it."""

    async def scenario(auth: Auth) -> None:
        headers = {"apikey": KEYS[key](auth.keys)}
        if bearer == "Basic":
            headers["authorization"] = "Basic Y2xpZW50OnNlY3JldA=="
        elif bearer == "user":
            await auth.create()
            headers["authorization"] = f"Bearer {(await auth.sign_in())['access_token']}"
        elif bearer != "none":
            headers["authorization"] = f"Bearer {KEYS[bearer](auth.keys)}"
        answer = await auth.call("GET", ADMIN_LIST, headers=headers)
        assert answer.status == status, answer.body
        assert answer.status == 200 or answer.code in ("no_authorization", "not_admin", "bad_jwt")

    with_auth(scenario)


def test_key_alone_is_no_user(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for key in (auth.keys.secret_key, auth.keys.publishable_key, f"Bearer {auth.keys.anon_jwt}"):
            answer = await auth.call("GET", "/user", headers={"apikey": key})
            assert (answer.status, answer.code) == (403, "bad_jwt")

    with_shared_auth(scenario)
