"""A gateway with the storage API, its clients in several roles, and buckets to try things in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import jwt
import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.fixtures.schema import migrate
from tests.fixtures.server import LiveGateway, start_gateway


@dataclass
class Storage:
    """The storage API of a live gateway."""

    gateway: LiveGateway

    @property
    def url(self) -> str:
        return f"{self.gateway.url}/storage/v1"

    def token(self, sub: str | None = None, role: str = "authenticated", **claims: Any) -> str:
        """A token of a user, as the auth API makes it."""
        now = int(time.time())
        content = {"role": role, "aud": "authenticated", "iat": now, "exp": now + 3600, **claims}
        if sub is not None:
            content["sub"] = sub
        return jwt.encode(content, str(self.gateway.keys["jwt_secret"]), algorithm="HS256")

    def client(self, token: str | None) -> httpx.Client:
        headers = {"authorization": f"Bearer {token}"} if token is not None else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    @property
    def secret(self) -> str:
        return self.gateway.secret_key

    @property
    def folder(self) -> Path:
        return self.gateway.data_dir / "storage"

    def sql(self, text: str, *values: str | None) -> list[tuple[str | None, ...]]:
        """As the database's owner."""
        with SyncConnection(self.gateway.database_url) as connection:
            return connection.rows(text, *values)

    def script(self, text: str) -> None:
        with SyncConnection(self.gateway.database_url) as connection:
            connection.script(text)


@contextmanager
def running(server: Server, template: str, folder: Path, **extra: str) -> Iterator[Storage]:
    """A gateway on a database of its own."""
    name = f"storage_{uuid4().hex[:8]}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    started = start_gateway(server.database(name), folder, extra={"GATEWAY_RATE_LIMIT_STORAGE": "0", **extra})
    try:
        yield Storage(started)
    finally:
        started.stop()
        with server.admin() as admin:
            admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture(scope="session")
def storage(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """One gateway for all tests that only add buckets of their own."""
    with running(server, template, tmp_path_factory.mktemp("storage")) as started:
        yield started


def migrated(url: str) -> None:
    """Bring a database to the schema, where it is not there yet."""
    with SyncConnection(url) as connection:
        migrate(connection)


@pytest.fixture
def admin(storage: Storage) -> Iterator[httpx.Client]:
    """Who holds the secret key."""
    with storage.client(storage.secret) as client:
        yield client


@pytest.fixture
def anybody(storage: Storage) -> Iterator[httpx.Client]:
    """Who holds nothing."""
    with storage.client(None) as client:
        yield client


@pytest.fixture
def bucket(admin: httpx.Client) -> str:
    """A private bucket."""
    return make_bucket(admin)


@pytest.fixture
def public_bucket(admin: httpx.Client) -> str:
    return make_bucket(admin, public=True)


def make_bucket(admin: httpx.Client, **options: Any) -> str:
    name = f"b{uuid4().hex[:10]}"
    answer = admin.post("/bucket", json={"name": name, **options})
    assert answer.status_code == 200, answer.text
    return name


def problem(answer: httpx.Response) -> tuple[int, str, str, str]:
    """An error: HTTP status, and status, code and message of the body."""
    body = answer.json()
    return answer.status_code, body["statusCode"], body["code"], body["message"]
