"""A console on a database of its own, asked in this process: no port, no page, the real door."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from gateway.app import Gateway
from gateway.cli.common import database_urls
from gateway.console.accounts import make_hash, mark_of
from gateway.console.app import Console
from gateway.console.door import ConsoleDoor
from gateway.console.mount import PREFIX, at_prefix
from gateway.console.sessions import make_code
from gateway.database import SyncConnection
from gateway.database.poolers import Urls
from gateway.http.messages import Receive, Scope, Send
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from tests.fixtures.db import Server, clone

KEY = "the key of this start"
HOST = "http://127.0.0.1:54321"
Made = TypeVar("Made")
_numbers = itertools.count()


@dataclass
class Desk:
    """A console, and a browser that has signed in at it."""

    url: str
    settings: Settings
    urls: Urls
    keys: KeyRing
    loop: asyncio.AbstractEventLoop
    gateway: Gateway
    door: ConsoleDoor
    token: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def wait(self, work: Coroutine[Any, Any, Made]) -> Made:
        return self.loop.run_until_complete(work)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner = at_prefix(scope)
        assert inner is not None
        await Console(self.door)(inner, receive, send)

    def ask(
        self,
        method: str,
        path: str,
        json: Any = None,
        *,
        headers: dict[str, str] | None = None,
        drop: tuple[str, ...] = (),
        cookies: dict[str, str] | None = None,
        content: bytes | None = None,
        peer: str = "127.0.0.1",
    ) -> httpx.Response:
        """Ask as the console's own page does; `headers` stand in the place of its own, `drop` leaves some out."""
        sent = {"origin": HOST, "sec-fetch-site": "same-origin", "x-console-token": self.token, **(headers or {})}
        kept = {name: value for name, value in sent.items() if name not in drop}

        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, client=(peer, 40000))
            given = self.cookies if cookies is None else cookies
            async with httpx.AsyncClient(transport=transport, base_url=HOST, cookies=given) as client:
                body = {"content": content} if content is not None else {"json": json} if json is not None else {}
                return await client.request(method, f"{PREFIX}{path}", headers=kept, **body)

        return self.wait(go())

    def sign_in(self, **more: Any) -> dict[str, Any]:
        answer = self.ask("POST", "/api/session", {"code": make_code(KEY), **more}, cookies={})
        assert answer.status_code == 200, answer.text
        self.cookies = dict(answer.cookies)
        content: dict[str, Any] = answer.json()
        self.token = content["token"]
        return content

    def add_account(self, name: str, kind: str, password: str) -> None:
        secret = self.keys.session_secrets[0]
        values = (name, kind, make_hash(secret, name, kind, password), mark_of(secret))
        with self.connect() as connection:
            connection.rows(
                "insert into gateway.console_accounts (name, kind, hash, mark) values ($1, $2, $3, $4) returning name",
                *values,
            )

    def enter(self, **proof: Any) -> httpx.Response:
        """Sign in by something else; the browser keeps the session where there is one."""
        answer = self.ask("POST", "/api/session", proof, cookies={})
        if answer.status_code == 200:
            self.cookies, self.token = dict(answer.cookies), answer.json()["token"]
        return answer

    def connect(self) -> SyncConnection:
        return SyncConnection(self.url)


Desks = Callable[..., Desk]


@pytest.fixture(scope="module")
def console_database(server: Server, template: str) -> Iterator[str]:
    name = f"console_{os.getpid()}_{next(_numbers)}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture(scope="module")
def desks(console_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desks]:
    """Makes desks on the module's database, each with settings of its own."""
    made: list[Desk] = []

    def make(**settings: Any) -> Desk:
        folder: Path = tmp_path_factory.mktemp("console")
        chosen = Settings.load({}, database_url=console_database, data_dir=folder, **settings)
        keys = KeyRing.load(chosen)
        urls = database_urls(chosen, None)
        loop = asyncio.new_event_loop()
        gateway = Gateway(chosen, keys, urls)
        desk = Desk(console_database, chosen, urls, keys, loop, gateway, ConsoleDoor(gateway, urls, KEY))
        desk.wait(gateway.start())
        made.append(desk)
        return desk

    yield make
    for desk in made:
        desk.wait(desk.door.login.close())
        desk.wait(desk.gateway.stop())
        desk.loop.close()


@pytest.fixture(scope="module")
def desk(desks: Desks) -> Desk:
    """One whose browser has signed in."""
    made = desks()
    made.sign_in()
    return made
