"""API keys and signing keys: made at first start, kept in a 0600 file, or given by settings; never in code.

API keys are opaque (`sb_publishable_…` → role anon, `sb_secret_…` → service_role). The default pair stands in the
file, because the site and the functions are handed it; every further key is kept as a hash alone. The legacy anon and
service_role JWTs are signed with the HS256 secret. User tokens are signed with the newest key of the file, or with
the settings' HS256 secret until `gateway keys rotate` makes a key; all keys verify side by side, told apart by
algorithm and `kid`.

A `KeyRing` is shared by everything in a process and follows the file: `poll` takes over what a command changed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import jwt.algorithms
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from gateway.identity import tokens
from gateway.settings import Settings

FILE_NAME: Final = "keys.json"
LEGACY_LIFETIME: Final = 10 * 365 * 86_400  # seconds, as hosted projects have
# A new key verifies at once and signs after this time, when every worker has read the file.
SIGNS_AFTER: Final = 10  # seconds
SECRET_LENGTH: Final = 32  # least characters of a session secret
ALGORITHMS: Final = ("ES256", "RS256", "HS256")
ROLES: Final[Mapping[str, str]] = {"publishable": "anon", "secret": "service_role"}
_PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "k", "signs_at", "retires_at", "standby"})


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of an opaque key. `expires_at` is in epoch seconds."""

    id: str
    role: str
    expires_at: float | None = None

    def is_live(self, now: float) -> bool:
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key of user tokens, the time from which it signs and the time after which it no longer verifies."""

    key: tokens.Key
    public: Mapping[str, Any] | None
    signs_at: float
    retires_at: float | None

    def is_live(self, now: float) -> bool:
        return self.retires_at is None or now < self.retires_at


@dataclass(frozen=True, slots=True)
class SessionSecret:
    """A server's half of keys, the time from which it makes new ones and the time after which it is forgotten."""

    secret: bytes
    makes_at: float = 0
    retires_at: float | None = None


@dataclass(frozen=True, slots=True)
class _Content:
    """The keys of one state of the file, with the settings laid over it."""

    publishable_key: str
    secret_key: str
    anon_jwt: str
    service_role_jwt: str
    configured: tuple[SigningKey, ...]
    own: tuple[SigningKey, ...]
    api_keys: Mapping[bytes, ApiKey]
    session_secrets: tuple[SessionSecret, ...]
    settings_sign: bool
    s3_keys: Mapping[str, tuple[str, str]]


class KeyRing:
    """Every key in force."""

    def __init__(self, content: _Content, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._content = content
        self._path = path
        self._clock = clock
        self._stamp = _stamp(path)
        self._live = self._live_now()
        self._jwt_secret: str | None = None  # the settings' own, where it was read again
        # Key id → when it was last used, since these were last written to the database.
        self.uses: dict[str, float] = {}

    @classmethod
    def load(cls, settings: Settings, clock: Callable[[], float] = time.time) -> KeyRing:
        """Keys of the settings over those of the key file, which is written when it lacks one.

        Raises ValueError when a configured secret is too short or unreadable.
        """
        path = settings.data_dir / FILE_NAME
        stored = read_file(path)
        complete = _complete(stored, settings)
        if complete != stored and not (settings.jwt_secret and settings.publishable_key and settings.secret_key):
            write_private(path, json.dumps(complete, indent=2))
        return cls(_read_content(complete, settings), path, clock)

    def poll(self, settings: Settings) -> bool:
        """Take over a changed file, or the end of a key's time; whether anything changed.

        Raises ValueError for a file that cannot be read; the keys stay as they were.
        """
        stamp, live = _stamp(self._path), self._live_now()
        if stamp == self._stamp and live == self._live:
            return False
        if stamp != self._stamp and stamp is not None and self._path is not None:
            if self._jwt_secret is not None:
                settings = replace(settings, jwt_secret=self._jwt_secret)
            self._content = _read_content({**fresh(), **read_file(self._path)}, settings)
        self._stamp, self._live = stamp, self._live_now()
        return True

    def renew(self, settings: Settings) -> None:
        """Take the JWT secret of settings that were read again. Raises ValueError; the keys stay as they were."""
        stored = read_file(self._path) if self._path is not None else {}
        self._content = _read_content(_complete(stored, settings), settings)
        self._jwt_secret = settings.jwt_secret
        self._live = self._live_now()

    def _live_now(self) -> tuple[bool, ...]:
        now = self._clock()
        content = self._content
        held: tuple[SigningKey | ApiKey, ...] = (*content.configured, *content.own, *content.api_keys.values())
        return tuple(key.is_live(now) for key in held)

    @property
    def publishable_key(self) -> str:
        return self._content.publishable_key

    @property
    def secret_key(self) -> str:
        return self._content.secret_key

    @property
    def anon_jwt(self) -> str:
        return self._content.anon_jwt

    @property
    def service_role_jwt(self) -> str:
        return self._content.service_role_jwt

    @property
    def session_secrets(self) -> tuple[bytes, ...]:
        """The server's half of every refresh-token key: the one that makes new ones, then those still recognised."""
        now = self._clock()
        live = [each for each in self._content.session_secrets if each.retires_at is None or now < each.retires_at]
        live.sort(key=lambda each: each.makes_at > now)
        return tuple(each.secret for each in live)

    @property
    def signing(self) -> tokens.Key:
        """The key that signs user tokens now."""
        now, content = self._clock(), self._content
        ready = [key for key in content.own if key.is_live(now) and key.signs_at <= now]
        if content.settings_sign and not any(key.signs_at > 0 for key in ready):
            return content.configured[0].key
        return (ready or list(content.own))[-1].key

    @property
    def url_signing(self) -> tokens.Key:
        """The key that signs URLs of the storage API: the secret, where there is one, as hosted projects have it."""
        shared = next((key.key for key in self._content.configured if key.key.alg == "HS256"), None)
        return shared or self.signing

    @property
    def verification(self) -> tuple[tokens.Key, ...]:
        """The keys that tokens are tried with."""
        now, content = self._clock(), self._content
        return tuple(key.key for key in (*content.configured, *content.own) if key.is_live(now))

    def role_of(self, api_key: str) -> str | None:
        """Role of an opaque API key, or None if it is not one of ours."""
        known = self._content.api_keys.get(_digest(api_key)) if api_key.startswith("sb_") else None
        if known is None or not known.is_live(now := self._clock()):
            return None
        self.uses[known.id] = now
        return known.role

    def role_of_digest(self, digest: bytes) -> str | None:
        """Role of the API key in force that has a SHA-256 digest; nobody has used it by this question."""
        known = self._content.api_keys.get(digest)
        return known.role if known is not None and known.is_live(self._clock()) else None

    def s3_secret(self, access_key: str) -> str | None:
        """The secret of an access key of the S3 protocol; None if it is not one of ours."""
        found = self._content.s3_keys.get(access_key)
        if found is None:
            return None
        self.uses[found[0]] = self._clock()
        return found[1]

    def jwks(self) -> dict[str, Any]:
        """The public keys for /.well-known/jwks.json; secrets are never listed.

        Where the settings sign, a key of the file counts when a rotation made it: the one of the first start signs
        nothing, and each of several gateways would publish another.
        """
        now, content = self._clock(), self._content
        own = [key for key in content.own if key.signs_at > 0 or not content.settings_sign]
        known = (*content.configured, *own)
        return {"keys": [dict(key.public) for key in known if key.public is not None and key.is_live(now)]}


def _complete(stored: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What the file holds, and what it lacks."""
    complete = {**fresh(), **stored}
    if settings.jwt_secret and "session_secret" not in stored:
        # Without a key file this must be the same at every start and on every machine.
        complete["session_secret"] = _digest(f"session secret\0{settings.jwt_secret}").hex()
    return complete


def _read_content(stored: Mapping[str, Any], settings: Settings) -> _Content:
    """Raises ValueError when a secret is too short or unreadable."""
    publishable = settings.publishable_key or stored["publishable_key"]
    secret = settings.secret_key or stored["secret_key"]
    configured = [
        SigningKey(key, None, 0, None)
        for key in tokens.keys_from_secret(
            settings.jwt_secret or stored["jwt_secret"], bool(settings.jwt_secret) and settings.jwt_secret_is_base64
        )
    ]
    configured = [*_keys_of_settings(settings.jwt_keys), *configured]
    for former in stored.get("former_jwt_secrets", ()):
        configured += [
            SigningKey(key, None, 0, former["retires_at"]) for key in tokens.keys_from_secret(former["secret"])
        ]
    # The key that the settings sign with comes first.
    configured.sort(key=lambda key: key.key.private is None and key.key.alg != "HS256")
    own = tuple(
        SigningKey(tokens.key_from_jwk(jwk), _public(jwk), _signs_at(jwk), jwk.get("retires_at"))
        for jwk in stored["signing_keys"]
    )
    shared = next((key.key for key in configured if key.key.alg == "HS256"), own[0].key)
    born = int(stored["created_at"])

    def legacy(role: str) -> str:
        claims = {"iss": "supabase", "ref": "local", "role": role, "iat": born, "exp": born + LEGACY_LIFETIME}
        return tokens.mint(claims, shared)

    api_keys = {
        _digest(publishable): ApiKey("publishable", "anon"),
        _digest(secret): ApiKey("secret", "service_role"),
    }
    for row in stored.get("api_keys", ()):
        api_keys.setdefault(bytes.fromhex(row["hash"]), ApiKey(row["id"], row["role"], row.get("expires_at")))
    signs = configured[0].key.private is not None or configured[0].key.alg == "HS256"
    return _Content(
        publishable_key=publishable,
        secret_key=secret,
        anon_jwt=legacy("anon"),
        service_role_jwt=legacy("service_role"),
        configured=tuple(configured),
        own=own,
        api_keys=api_keys,
        session_secrets=_session_secrets(stored, settings),
        settings_sign=bool(settings.jwt_secret or settings.jwt_keys) and signs,
        s3_keys={row["access_key"]: (row["id"], row["secret"]) for row in stored.get("s3_keys", ())},
    )


def _signs_at(jwk: Mapping[str, Any]) -> float:
    """A standby key is published and signs nothing until a rotation takes it."""
    return math.inf if jwk.get("standby") else float(jwk.get("signs_at") or 0)


def _keys_of_settings(text: str) -> list[SigningKey]:
    """The keys of GOTRUE_JWT_KEYS, the one that signs first. Raises ValueError."""
    if not text:
        return []
    try:
        jwks = json.loads(text)
    except ValueError as error:
        raise ValueError("GOTRUE_JWT_KEYS is not valid JSON") from error
    if not isinstance(jwks, list) or not all(isinstance(jwk, dict) for jwk in jwks):
        raise ValueError("GOTRUE_JWT_KEYS must be a JSON array of JWKs")
    signing = [jwk for jwk in jwks if "sign" in jwk.get("key_ops", ())]
    if len(signing) != 1:
        raise ValueError("exactly one key of GOTRUE_JWT_KEYS must have key_ops with `sign`")
    ordered = [*signing, *(jwk for jwk in jwks if jwk not in signing)]
    keys = [(tokens.key_from_jwk(jwk), jwk) for jwk in ordered]
    return [SigningKey(key, _public({**jwk, "alg": key.alg}), 0, None) for key, jwk in keys]


def _session_secrets(stored: Mapping[str, Any], settings: Settings) -> tuple[SessionSecret, ...]:
    """Raises ValueError for one that is too short."""
    if settings.session_secret:
        if any(len(text) < SECRET_LENGTH for text in settings.session_secret):
            raise ValueError(f"GATEWAY_SESSION_SECRET must be at least {SECRET_LENGTH} characters long")
        return tuple(SessionSecret(text.encode()) for text in settings.session_secret)
    former = [
        SessionSecret(row["secret"].encode(), retires_at=row["retires_at"])
        for row in stored.get("former_session_secrets", ())
    ]
    return (SessionSecret(stored["session_secret"].encode(), float(stored.get("session_secret_at") or 0)), *former)


# --- changing the file ----------------------------------------------------------------------------------------------


class KeyChangeError(Exception):
    """A change of the keys that cannot be made; the message says why."""


def add_standby(stored: dict[str, Any], alg: str) -> dict[str, Any]:
    """Add a key that signs nothing yet, so that who verifies tokens elsewhere has read it when it does; it as a JWK.

    Raises KeyChangeError where there is one."""
    if any(jwk.get("standby") for jwk in stored["signing_keys"]):
        raise KeyChangeError("there is a standby key: `gateway keys rotate signing` takes it into use")
    fresh = {**new_signing_key(alg), "standby": True}
    stored["signing_keys"] = [*stored["signing_keys"], fresh]
    return fresh


def rotate_signing(stored: dict[str, Any], alg: str, grace: float | None, now: float) -> dict[str, Any]:
    """Take the standby key, else a fresh one, which signs from soon on; it as a JWK. The others verify for `grace`
    seconds more, or where that is None until each is revoked."""
    standby = next((jwk for jwk in stored["signing_keys"] if jwk.get("standby")), None)
    others = [jwk for jwk in stored["signing_keys"] if jwk is not standby]
    taken = {**(standby or new_signing_key(alg)), "signs_at": now + SIGNS_AFTER}
    taken.pop("standby", None)
    if grace is not None:
        end = now + SIGNS_AFTER + grace
        for jwk in others:
            jwk["retires_at"] = min(end, jwk.get("retires_at") or end)
    live = [jwk for jwk in others if not jwk.get("retires_at") or jwk["retires_at"] > now]
    stored["signing_keys"] = [*live, taken]
    return taken


def rotate_api_key(stored: dict[str, Any], kind: str, grace: float, now: float) -> str:
    """Replace the default publishable or secret key; the former one works for `grace` seconds more."""
    name = f"{kind}_key"
    if grace > 0:
        _keep(stored, stored[name], f"former {kind} key", ROLES[kind], now, now + grace)
    stored[name] = _new_api_key(kind)
    return str(stored[name])


def rotate_legacy(stored: dict[str, Any], grace: float, now: float) -> None:
    """Replace the HS256 secret that signs the legacy keys; what it signed holds for `grace` seconds more."""
    former = [entry for entry in stored.get("former_jwt_secrets", ()) if entry["retires_at"] > now]
    if grace > 0:
        former.append({"secret": stored["jwt_secret"], "retires_at": now + grace})
    stored["former_jwt_secrets"] = former
    stored["jwt_secret"] = secrets.token_urlsafe(48)


def rotate_session(stored: dict[str, Any], grace: float, now: float) -> None:
    """Replace the server's half of refresh-token keys. A session that is not refreshed within the grace has ended."""
    former = [row for row in stored.get("former_session_secrets", ()) if row["retires_at"] > now]
    if grace > 0:
        former.insert(0, {"secret": stored["session_secret"], "retires_at": now + SIGNS_AFTER + grace})
    stored["former_session_secrets"] = former
    stored["session_secret"] = secrets.token_urlsafe(48)
    stored["session_secret_at"] = now + SIGNS_AFTER if former else 0


def add_api_key(stored: dict[str, Any], kind: str, name: str, now: float) -> tuple[str, str]:
    """A further key: its id, and the key itself, which is kept nowhere."""
    key = _new_api_key(kind)
    return _keep(stored, key, name, ROLES[kind], now, None), key


def add_s3_key(stored: dict[str, Any], name: str, now: float) -> tuple[str, str, str]:
    """A pair for the S3 protocol: its id, the access key, and its secret, which has to be kept: what is signed with it
    could not be verified by a hash."""
    key_id, access_key, secret = secrets.token_hex(4), secrets.token_hex(16), secrets.token_hex(32)
    row = {"id": key_id, "name": name, "access_key": access_key, "secret": secret, "created_at": int(now)}
    stored["s3_keys"] = [*stored.get("s3_keys", ()), row]
    return key_id, access_key, secret


def revoke(stored: dict[str, Any], which: str, now: float) -> str:
    """End an API key by its id or a signing key by its kid, at once; what it was. Raises KeyChangeError."""
    rows = stored.get("api_keys", [])
    for row in rows:
        if row["id"] == which:
            stored["api_keys"] = [other for other in rows if other is not row]
            return f"API key {row['name']}"
    for row in stored.get("s3_keys", ()):
        if which in (row["id"], row["access_key"]):
            stored["s3_keys"] = [other for other in stored["s3_keys"] if other is not row]
            return f"S3 access key {row['name']}"
    for jwk in stored["signing_keys"]:
        if jwk["kid"] == which:
            rest = [other for other in stored["signing_keys"] if other is not jwk]
            sign = [other for other in rest if not other.get("standby")]
            if not jwk.get("standby"):
                if not any(not other.get("retires_at") or other["retires_at"] > now for other in sign):
                    raise KeyChangeError("this is the only signing key: rotate first, then revoke it")
                for other in sign:  # the newest of the rest signs from now on
                    other["signs_at"] = min(other.get("signs_at") or 0, now)
            stored["signing_keys"] = rest
            return f"signing key {which}"
    if which in ROLES:
        rotate_api_key(stored, which, 0, now)
        return f"default {which} key (a new one takes its place)"
    raise KeyChangeError(f"there is no key {which}; `gateway keys list` names them")


def change_file(path: Path, change: Callable[[dict[str, Any]], Any]) -> Any:
    """Change the key file as a whole; the change's answer."""
    stored = {**fresh(), **read_file(path)}
    answer = change(stored)
    write_private(path, json.dumps(stored, indent=2))
    return answer


def new_signing_key(alg: str = "ES256") -> dict[str, Any]:
    """A fresh private JWK."""
    if alg == "HS256":
        jwk: dict[str, Any] = dict(jwt.algorithms.HMACAlgorithm.to_jwk(secrets.token_bytes(48), as_dict=True))
    elif alg == "RS256":
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        jwk = dict(jwt.algorithms.RSAAlgorithm.to_jwk(private, as_dict=True))
    else:
        jwk = dict(jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True))
    return {**jwk, "alg": alg, "use": "sig", "key_ops": ["sign"], "kid": secrets.token_urlsafe(12)}


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".new")
    aside.unlink(missing_ok=True)
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)


def read_file(path: Path) -> dict[str, Any]:
    """The key file's content; empty when there is none. Raises ValueError."""
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} is not a JSON object")
    return content


def database_secret(settings: Settings) -> str:
    """What the passwords of the database's logins are derived from where the owner's address has none."""
    path = settings.data_dir / FILE_NAME
    stored = read_file(path)
    if "database_secret" not in stored and settings.jwt_secret:
        # Without a key file this must be the same at every start and on every machine.
        return _digest(f"database logins\0{settings.jwt_secret}").hex()
    if "database_secret" not in stored:
        KeyRing.load(settings)  # writes a whole file
        stored = {**read_file(path), "database_secret": secrets.token_urlsafe(48)}
        write_private(path, json.dumps(stored, indent=2))
    return str(stored["database_secret"])


def fresh() -> dict[str, Any]:
    """Content of a new key file."""
    return {
        "publishable_key": _new_api_key("publishable"),
        "secret_key": _new_api_key("secret"),
        "jwt_secret": secrets.token_urlsafe(48),
        "session_secret": secrets.token_urlsafe(48),
        "signing_keys": [new_signing_key()],
        "created_at": int(time.time()),
    }


def _new_api_key(kind: str) -> str:
    return f"sb_{kind}_" + secrets.token_urlsafe(32 if kind == "secret" else 24)


def _keep(stored: dict[str, Any], key: str, name: str, role: str, now: float, expires_at: float | None) -> str:
    key_id = secrets.token_hex(4)
    rows = [row for row in stored.get("api_keys", ()) if not row.get("expires_at") or row["expires_at"] > now]
    row = {"id": key_id, "name": name, "role": role, "hash": _digest(key).hex(), "created_at": int(now)}
    stored["api_keys"] = [*rows, {**row, "expires_at": expires_at}]
    return key_id


def _public(jwk: Mapping[str, Any]) -> dict[str, Any] | None:
    if jwk.get("kty") == "oct":
        return None
    shown = {name: value for name, value in jwk.items() if name not in _PRIVATE}
    return {**shown, "use": "sig", "key_ops": ["verify"]}


def _stamp(path: Path | None) -> tuple[int, int, int] | None:
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
