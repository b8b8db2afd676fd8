"""Asks the requests of a recording again, of any server with the same contract, and compares the answers.

Users are signed in anew, with passwords that are given. What cannot be asked again (a code from somebody's mail, a
token past its time, a body too long to keep) is left out and says so.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote_plus, unquote_plus

import httpx

from gateway.operations.recorder.compare import Difference, Names, compare
from gateway.operations.recorder.exchange import Exchange
from gateway.operations.recorder.redact import GATEWAY, MASK, Found, Redactor

ANSWER_LIMIT: Final = 60.0  # seconds
PATIENCE: Final = 60.0  # seconds that a server under a rate limit may ask for
RETRIES: Final = 3
UNKNOWN: Final = "not-a-key"

_TOKEN: Final = "/auth/v1/token"
_LOGOUT: Final = "/auth/v1/logout"
_SIGN_UPS: Final = frozenset(("/auth/v1/signup", "/auth/v1/admin/users"))


class Unreachable(Exception):
    """The server cannot be reached at all."""


class _NotAgain(Exception):
    """A request that cannot be asked again; the message says why."""


class _SignInFailed(Exception):
    """A user cannot be signed in; the message is the server's answer."""


@dataclass(frozen=True)
class ReplayTarget:
    """Where to ask. `passwords` is by e-mail address."""

    url: str
    key: str
    secret_key: str = ""
    passwords: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the request on a line of the recording: left out for a reason, or asked."""

    line: int
    exchange: Exchange
    differences: tuple[Difference, ...] = ()
    left_out: str = ""


def is_write(exchange: Exchange) -> bool:
    """Whether a request may change what the server holds; a sign-in is none."""
    return exchange.method not in ("GET", "HEAD") and exchange.path != _TOKEN


def missing(exchanges: Sequence[tuple[int, Exchange]], server: ReplayTarget) -> list[str]:
    """What a replay lacks, a sentence each."""
    faults = []
    if not server.secret_key and any("secret" in (e.caller.key, e.caller.bearer) for _, e in exchanges):
        faults.append("the recording has requests with the secret key: give --secret-key")
    known = set(server.passwords)
    made: set[str] = set()
    wanted: dict[str, None] = {}
    for _, exchange in exchanges:
        email = _member(exchange.request.text, "email")
        if _is_sign_up(exchange) and email:
            known.add(email)
        if _is_good_sign_in(exchange) and email and email not in known:
            wanted[email] = None
        caller = exchange.caller
        if caller.bearer == "user" and caller.token not in made and caller.user not in known:
            wanted[caller.user] = None
        made.update(found["digest"] for found in MASK.finditer(exchange.response.text) if found["digest"])
    return faults + [f"the recording has requests of {user}: give --user {user}" for user in wanted]


def replay(
    exchanges: Sequence[tuple[int, Exchange]],
    server: ReplayTarget,
    client: httpx.Client,
    *,
    ignore: Collection[str] = (),
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Outcome]:
    """Ask everything in order. Raises Unreachable."""
    run = _Run(server, client, ignore, sleep)
    for line, exchange in exchanges:
        try:
            yield Outcome(line, exchange, tuple(run.ask(exchange)))
        except _NotAgain as reason:
            yield Outcome(line, exchange, left_out=str(reason))
        except _SignInFailed as error:
            yield Outcome(line, exchange, (Difference("sign-in", exchange.caller.user, str(error)),))


class _Run:
    """One replay: what it has learnt so far."""

    def __init__(
        self, server: ReplayTarget, client: httpx.Client, ignore: Collection[str], sleep: Callable[[float], None]
    ) -> None:
        self._server = server
        self._client = client
        self._ignore = ignore
        self._sleep = sleep
        self._names = Names()
        self._sessions: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._passwords = dict(server.passwords)

    def ask(self, exchange: Exchange) -> Iterator[Difference]:
        """Differences between the answers. Raises _NotAgain, _SignInFailed."""
        if exchange.request.size:
            raise _NotAgain("its body was not kept")
        if exchange.status == 429:
            raise _NotAgain("a rate limit refused it")
        if exchange.caller.bearer == "expired":
            raise _NotAgain("its token had run out")
        path = self._names.translate(exchange.path)
        query = self._pairs(exchange.query)
        body = self._body(exchange)
        headers = self._headers(exchange)
        response = self._send(exchange, f"{path}?{query}" if query else path, headers, body)
        found: Found = {}
        redactor = Redactor((self._server.url,), found)
        answered = [(name.lower(), value) for name, value in response.headers.multi_items()]
        message = redactor.response(exchange.service, answered, response.content)
        self._note_session(response)
        if exchange.path == _LOGOUT:
            self._sessions.pop(exchange.caller.user, None)
        if response.status_code != exchange.status:
            yield Difference("status", str(exchange.status), str(response.status_code))
        yield from compare(exchange.response, message, self._names, found, self._ignore)

    # --- asking --------------------------------------------------------------------------------------------------

    def _send(self, exchange: Exchange, target: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        for _ in range(RETRIES):
            response = self._exchange(exchange.method, target, headers, body)
            if response.status_code != 429:
                break
            self._sleep(min(PATIENCE, _seconds(response.headers.get("retry-after"))))
        return response

    def _exchange(self, method: str, target: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        url = httpx.URL(self._server.url)
        url = url.copy_with(raw_path=url.raw_path.rstrip(b"/") + target.encode())
        request = httpx.Request(method, url, headers=headers, content=body or None)
        try:
            return self._client.send(request)
        except httpx.TransportError as error:
            raise Unreachable(f"{self._server.url} cannot be reached: {error or type(error).__name__}") from error

    def _headers(self, exchange: Exchange) -> dict[str, str]:
        caller = exchange.caller
        headers = {name: self._text(value) for name, value in exchange.request.headers.items()}
        keys = {"publishable": self._server.key, "secret": self._server.secret_key, "unknown": UNKNOWN}
        if caller.key:
            # A user's token in the key's place does as a key.
            headers["apikey"] = keys.get(caller.key) or self._server.key
        if caller.bearer == "user":
            token = self._names.tokens.get(caller.token) or self._session(caller.user)
            headers["authorization"] = f"Bearer {token}"
        elif caller.bearer:
            headers["authorization"] = f"Bearer {keys[caller.bearer]}"
        return headers

    def _session(self, user: str) -> str:
        """A token of the user: the latest seen, else of a sign-in of its own. Raises _SignInFailed."""
        if user not in self._sessions and user not in self._refused:
            body = json.dumps({"email": user, "password": self._passwords.get(user, "")}).encode()
            headers = {"apikey": self._server.key, "content-type": "application/json"}
            response = self._exchange("POST", f"{_TOKEN}?grant_type=password", headers, body)
            self._note_session(response)
            if user not in self._sessions:
                self._refused[user] = f"{response.status_code} {response.text[:200]}"
        if user not in self._sessions:
            raise _SignInFailed(self._refused[user])
        return self._sessions[user]

    def _note_session(self, response: httpx.Response) -> None:
        if "json" not in response.headers.get("content-type", ""):
            return
        match response.json() if response.content else None:
            case {"access_token": str(token), "user": {"email": str(email)}}:
                self._sessions[email] = token

    # --- today's values ------------------------------------------------------------------------------------------

    def _pairs(self, text: str) -> str:
        """A query string or form; untouched parts stay as they were sent."""
        pieces = []
        for piece in text.split("&"):
            name, _, value = piece.partition("=")
            before = unquote_plus(value)
            now = self._text(before)
            pieces.append(piece if now == before else f"{name}={quote_plus(now)}")
        return "&".join(pieces)

    def _body(self, exchange: Exchange) -> bytes:
        message = exchange.request
        if message.base64:
            return base64.b64decode(message.base64)
        if message.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return self._pairs(message.text).encode()
        if not message.is_json:
            return self._text(message.text).encode()
        try:
            content = json.loads(message.text)
        except ValueError:
            return self._text(message.text).encode()
        now = self._value(exchange, content)
        text = message.text if now == content else json.dumps(now, ensure_ascii=False, separators=(",", ":"))
        return text.encode()

    def _value(self, exchange: Exchange, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._password(exchange, value) if _is_password(item) else self._value(exchange, item)
                    for key, item in value.items()}  # fmt: skip
        if isinstance(value, list):
            return [self._value(exchange, item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _password(self, exchange: Exchange, body: Mapping[str, Any]) -> str:
        """The password of whoever signs in or up. Raises _NotAgain where it would change somebody's."""
        email = str(body.get("email") or body.get("phone"))
        if _is_sign_up(exchange):
            return self._passwords.setdefault(email, secrets.token_urlsafe(18))
        if exchange.path != _TOKEN:
            raise _NotAgain("it would change a password")
        # What was refused then was a wrong password, or nobody's.
        return self._passwords.get(email, "") if exchange.status == 200 else secrets.token_urlsafe(18)

    def _text(self, text: str) -> str:
        def reveal(found: Any) -> str:
            token = self._names.tokens.get(found["digest"] or "")
            if token is None:
                raise _NotAgain(f"it carries a {found['name']} that the recording does not hold")
            return token

        return MASK.sub(reveal, self._names.translate(text)).replace(GATEWAY, self._server.url)


def _is_password(value: Any) -> bool:
    return isinstance(value, str) and value == "<redacted password>"


def _is_sign_up(exchange: Exchange) -> bool:
    return exchange.method == "POST" and exchange.path in _SIGN_UPS


def _is_good_sign_in(exchange: Exchange) -> bool:
    return exchange.path == _TOKEN and "grant_type=password" in exchange.query and exchange.status == 200


def _member(text: str, name: str) -> str:
    try:
        content = json.loads(text)
    except ValueError:
        return ""
    return str(content.get(name) or "") if isinstance(content, dict) else ""


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdecimal() else 1.0
