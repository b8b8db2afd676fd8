"""One request of the auth API as its handlers see it: typed input, who asks, and what is known for the audit log."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from gateway.auth import errors
from gateway.auth.store.audit import Actor, Origin
from gateway.auth.types import Session, User
from gateway.errors import ApiError
from gateway.http.json_limits import is_too_much
from gateway.http.messages import HeaderList, Request

MAX_BODY: Final = 1024 * 1024  # bytes
MAX_FIELDS: Final = 1000  # of a query string or a form
MAX_EMAIL: Final = 255  # characters: what the column holds
_EMAIL = re.compile(r"[^\s@\"(),:;<>\[\]\\]{1,64}@(?:[^\s@.,:;<>()\[\]\\\"/]{1,63}\.)+[^\s@.,:;<>()\[\]\\\"/]{2,63}")
_PHONE = re.compile(r"[1-9][0-9]{1,14}")


class JsonBody:
    """A JSON object with typed reads; a value of another type is `bad_json`, as in the original."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def text(self, name: str) -> str:
        """A string; empty when it is missing or null."""
        value = self._read(name, str, "string")
        if value is not None and "\0" in value:
            raise errors.invalid(f"{name} must not contain null characters")
        return value or ""

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._read(name, bool, "bool")
        return default if value is None else bool(value)

    def table(self, name: str) -> dict[str, Any] | None:
        """An object, or None when it is missing or null."""
        value: dict[str, Any] | None = self._read(name, dict, "object")
        if value is not None and "\\u0000" in orjson.dumps(value).decode():
            raise errors.invalid(f"{name} must not contain null characters")
        return value

    def items(self, name: str) -> list[Any] | None:
        """A list, or None when it is missing or null."""
        value: list[Any] | None = self._read(name, list, "array")
        if value is not None and "\\u0000" in orjson.dumps(value).decode():
            raise errors.invalid(f"{name} must not contain null characters")
        return value

    def _read(self, name: str, kind: type, word: str) -> Any:
        value = self._values.get(name)
        if value is not None and not isinstance(value, kind):
            raise ApiError(errors.BAD_JSON, reason=f"field {name} must be of type {word}")
        return value


@dataclass(slots=True)
class AuthCall:
    """A request on its way through a handler.

    `later` is what is left to do once the answer is on its way: an answer that comes before anybody is looked up cannot
    tell whether there is somebody.
    `place` is the route, or what a handler calls the part of it that it is in: it names what fails in the database.
    `client_id` is the other application that has proven who it is.
    `user`, `session` and `claims` are set by the guards, `aud` with the user; `actor` names who is tried for the audit
    log; `headers` go onto the response whether it succeeds or not.
    """

    request: Request
    now: float
    origin: Origin
    params: Mapping[str, str] = field(default_factory=dict)
    place: str = ""
    actor: Actor = field(default_factory=Actor)
    headers: HeaderList = field(default_factory=list)
    limit: asyncio.Timeout | None = None
    later: Callable[[], Awaitable[None]] | None = None
    claims: Mapping[str, Any] = field(default_factory=dict)
    session: Session | None = None
    aud: str = ""
    client_id: str | None = None
    _user: User | None = None
    _body: JsonBody | None = None
    _query: Mapping[str, str] | None = None

    def allow(self, seconds: float) -> None:
        """Let the request take so many seconds from now on."""
        if self.limit is not None:
            self.limit.reschedule(asyncio.get_running_loop().time() + seconds)

    @property
    def query(self) -> Mapping[str, str]:
        """The query string; the first of several values counts. Raises ApiError validation_failed."""
        if self._query is None:
            self._query = read_pairs(self.request.query)
        return self._query

    @property
    def body(self) -> JsonBody:
        """The request's JSON object. Raises ApiError bad_json or request_entity_too_large."""
        if self._body is None:
            self._body = JsonBody(self._parse())
        return self._body

    def optional_body(self) -> JsonBody:
        """As `body`, but an empty one is an empty object."""
        if not self.request.body.strip():
            return JsonBody({})
        return self.body

    def _parse(self) -> dict[str, Any]:
        raw = self.request.body
        if len(raw) > MAX_BODY:
            raise ApiError(errors.REQUEST_TOO_LARGE, limit=MAX_BODY)
        if is_too_much(raw):
            raise ApiError(errors.BAD_JSON, reason="it is nested too deeply or has too many parts")
        try:
            values = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise ApiError(errors.BAD_JSON, reason=str(error)) from error
        if not isinstance(values, dict):
            raise ApiError(errors.BAD_JSON, reason="the body must be an object")
        return values

    @property
    def user(self) -> User:
        """The signed-in user; only behind the user guard."""
        if self._user is None:
            raise RuntimeError("this route has no user guard")
        return self._user

    @user.setter
    def user(self, user: User) -> None:
        self._user = user
        self.aud = user.aud
        self.actor = actor_of(user)

    def header(self, name: bytes) -> str | None:
        raw = self.request.header(name)
        return None if raw is None else raw.decode("latin-1").strip()


def actor_of(user: User) -> Actor:
    """A user as the audit log names them."""
    return Actor(user.id, user.email or user.phone or "", user.is_sso_user)


def read_pairs(text: str) -> dict[str, str]:
    """Names and values of a query string or a form, the first of each. Raises ApiError validation_failed.

    >>> read_pairs("a=1&b=&a=2")
    {'a': '1', 'b': ''}
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="replace", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise errors.invalid(f"there must not be more than {MAX_FIELDS} parameters") from None
    if any("\0" in part for pair in pairs for part in pair):
        raise errors.invalid("parameters must not contain null characters")
    return dict(reversed(pairs))


def read_email(text: str) -> str:
    """An address in lower case. Raises ApiError validation_failed.

    >>> read_email(" Ada@Example.com ")
    'ada@example.com'
    """
    email = text.strip().lower()
    if not email:
        raise errors.invalid("An email address is required")
    if len(email) > MAX_EMAIL:
        raise errors.invalid("An email address is too long")
    if _EMAIL.fullmatch(email) is None:
        raise errors.invalid("Unable to validate email address: invalid format")
    return email


def read_phone(text: str) -> str:
    """A phone number as digits. Raises ApiError validation_failed.

    >>> read_phone("+1 508 555 0100")
    '15085550100'
    """
    phone = digits_of(text)
    if _PHONE.fullmatch(phone) is None:
        raise errors.invalid("Invalid phone number format (E.164 required)")
    return phone


def digits_of(text: str) -> str:
    """A phone number without what people put between its digits."""
    return re.sub(r"[\s()-]", "", text).removeprefix("+")


def read_uuid(text: str) -> str | None:
    """A UUID in its usual form, or None."""
    try:
        parsed = uuid.UUID(text)
    except ValueError:
        return None
    return str(parsed) if len(text) in (32, 36) else None


def read_channel(body: JsonBody) -> str:
    """How a text message goes out; empty for the usual way. Raises ApiError validation_failed."""
    channel = body.text("channel")
    if channel not in ("", "sms", "whatsapp"):
        raise errors.invalid("Invalid channel, supported values are 'sms' or 'whatsapp'")
    return channel


def read_challenge(body: JsonBody) -> tuple[str, str] | None:
    """PKCE challenge and method of a body, or None without one. Raises ApiError validation_failed."""
    challenge, method = body.text("code_challenge"), body.text("code_challenge_method").lower()
    if not challenge and not method:
        return None
    if not challenge or not method:
        raise errors.invalid("PKCE flow requires code_challenge_method and code_challenge")
    if not 43 <= len(challenge) <= 128:
        raise errors.invalid("code challenge has to be between 43 and 128 characters")
    if re.fullmatch(r"[A-Za-z0-9._~-]+", challenge) is None:
        raise errors.invalid(
            "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"
        )
    if method not in ("s256", "plain"):
        raise errors.invalid("code_challenge_method must be s256 or plain")
    return challenge, method
