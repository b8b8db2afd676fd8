"""An AuthService on a real database, with a clock that tests set; requests go in and answers come out as data."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

from gateway.auth.service import AuthService
from gateway.database import Database, SyncConnection
from gateway.encryption.values import unseal
from gateway.http.messages import Request
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from tests.fixtures.pooler import through

START = 1_800_000_000.0
PASSWORD = "tin-lantern-42-river"
VERSION = {"x-supabase-api-version": "2024-01-01"}


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True)
class Answer:
    """Status, headers and body of a response."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return orjson.loads(self.raw) if self.raw else None

    @property
    def code(self) -> Any:
        """The error code of either body."""
        return self.body.get("error_code") or self.body.get("code")

    @property
    def location(self) -> str:
        return self.headers["location"]

    @property
    def fragment(self) -> dict[str, str]:
        """Values of a redirect's fragment."""
        return dict(parse_qsl(urlsplit(self.location).fragment, keep_blank_values=True))

    @property
    def location_query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.location).query, keep_blank_values=True))


class Auth:
    """Calls to one AuthService, and the database behind it."""

    def __init__(self, service: AuthService, keys: KeyRing, clock: Clock, url: str) -> None:
        self.service = service
        self.keys = keys
        self.clock = clock
        self.url = url
        self.settles = True  # a call ends when nothing is left to do for it

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        client: str | None = "203.0.113.5",
        raw: bytes | None = None,
    ) -> Answer:
        """One request; a query belongs to the path."""
        route, _, query = path.partition("?")
        sent = {**VERSION, "user-agent": "tests", **(headers or {})}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        content = raw if raw is not None else b"" if body is None else orjson.dumps(body)
        request = Request(
            method,
            route,
            query,
            [(name.encode(), value.encode()) for name, value in sent.items() if value],
            content,
            client,
            "request-1",
        )
        response = await self.service.handle(request)
        if self.settles:
            await self.service.settle()
        found = {name.decode().lower(): value.decode() for name, value in response.headers}
        return Answer(response.status, found, response.body)

    async def admin(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """A call with the secret key as bearer."""
        return await self.call(method, path, body, token=self.keys.secret_key, **more)

    async def create(self, email: str = "ada@example.com", password: str = PASSWORD, **more: Any) -> dict[str, Any]:
        """A confirmed user, made by an admin."""
        answer = await self.admin(
            "POST", "/admin/users", {"email": email, "password": password, "email_confirm": True, **more}
        )
        assert answer.status == 200, answer.body
        return dict(answer.body)

    async def password(self, email: str = "ada@example.com", password: str = PASSWORD, **more: Any) -> Answer:
        """Try to sign in."""
        return await self.call("POST", "/token?grant_type=password", {"email": email, "password": password}, **more)

    async def sign_in(self, email: str = "ada@example.com", password: str = PASSWORD, **more: Any) -> dict[str, Any]:
        """Sign in; the session."""
        answer = await self.password(email, password, **more)
        assert answer.status == 200, answer.body
        return dict(answer.body)

    async def refresh(self, token: str, **more: Any) -> Answer:
        return await self.call("POST", "/token?grant_type=refresh_token", {"refresh_token": token}, **more)

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]:
        """Rows as the database's superuser sees them."""
        with SyncConnection(self.url) as connection:
            return connection.rows(sql, *params)

    def script(self, sql: str) -> None:
        with SyncConnection(self.url) as connection:
            connection.script(sql)

    def audit(self) -> list[dict[str, Any]]:
        """Payloads of the audit log, oldest first, with their address."""
        rows = self.rows("select payload, ip_address from auth.audit_log_entries order by created_at, ctid")
        return [{**orjson.loads(payload or "{}"), "ip": address} for payload, address in rows]

    def mails(self) -> list[dict[str, Any]]:
        """Mails that were queued, oldest first, as the worker opens them."""
        rows = self.rows("select args -> 'mail' from jobs.procrastinate_jobs where queue_name = 'mail' order by id")
        return [opened(orjson.loads(payload or "{}"), self.keys.session_secrets) for (payload,) in rows]


def opened(mail: dict[str, Any], secrets: Sequence[bytes]) -> dict[str, Any]:
    """A queued mail with its words."""
    sealed = mail.pop("sealed", None)
    return mail if sealed is None else {**mail, **unseal(secrets, sealed)}


@asynccontextmanager
async def serving(url: str, folder: Any, clock: Clock | None = None, **overrides: Any) -> AsyncIterator[Auth]:
    """An AuthService with the given settings; mails go to a table."""
    settings = Settings.load({}, data_dir=folder, public_url="https://api.example.com", **overrides)
    if not settings.site_url:
        settings = dataclasses.replace(settings, site_url="https://app.example.com")
    clock = clock or Clock()
    keys = KeyRing.load(settings, clock)
    db = Database(through(url), become=("role", "supabase_auth_admin"))
    await db.open()
    service = AuthService(settings, db, keys, clock=clock)
    service.timeout = 600.0  # tests say nothing about how fast the machine is
    try:
        yield Auth(service, keys, clock, url)
    finally:
        await service.settle()
        service.close()
        await db.close()
