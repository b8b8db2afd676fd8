"""Instances from Python: `with instance() as it: …`, and what a test does with one."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import orjson

from gateway.database import SyncConnection
from gateway.encryption.values import unseal
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

LIMIT: Final = 120.0  # seconds for the first template
SOCKET: Final = "keeper.sock"
HELLO: Final = b"\n"  # what a keeper says first


class InstanceFault(Exception):
    """No instance can be had; the message says why."""


class Clock:
    """The gateway's clock: tokens, sessions, codes and limits go by it; Postgres has its own."""

    def __init__(self, keeper: Keeper, database: str) -> None:
        self._keeper, self._database = keeper, database
        self.ahead = 0.0

    def move(self, seconds: float) -> None:
        """Be so many seconds further ahead."""
        self.ahead += seconds
        self._keeper.ask(do="ahead", database=self._database, seconds=self.ahead)


@dataclass(frozen=True)
class TestInstance:
    """A project that nobody else uses, on `url`."""

    __test__ = False  # pytest would collect what is called so

    url: str
    anon_key: str
    service_role_key: str
    db_url: str
    folder: Path
    clock: Clock
    _open: ExitStack

    def client(self, token: str | None = None, key: str | None = None) -> httpx.Client:
        """As nobody, or as whom a token names; `key` is the publishable one unless another is given."""
        headers = {"apikey": key or self.anon_key, "authorization": f"Bearer {token or key or self.anon_key}"}
        made = httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)
        return self._open.enter_context(made)

    @property
    def service(self) -> httpx.Client:
        """As the service role, which passes row level security."""
        return self.client(key=self.service_role_key)

    def user(self, email: str, password: str = "a password for tests", **metadata: Any) -> httpx.Client:
        """As a user with a confirmed address, made if need be; `metadata` is what a sign-up sends as data."""
        with self._client(self.service_role_key) as service:
            body = {"email": email, "password": password, "email_confirm": True, "user_metadata": metadata}
            made = service.post("/auth/v1/admin/users", json=body)
            if made.status_code not in (200, 422):
                raise InstanceFault(f"{email} could not be made: {made.text}")
            grant = {"email": email, "password": password}
            signed = service.post("/auth/v1/token?grant_type=password", json=grant)
            if signed.status_code != 200:
                raise InstanceFault(f"{email} could not sign in: {signed.text}")
        return self.client(signed.json()["access_token"])

    def _client(self, key: str) -> httpx.Client:
        headers = {"apikey": key, "authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def sql(self, text: str, *parameters: str | None) -> list[tuple[str | None, ...]]:
        """Rows of a statement with `$1 …`, as the role that owns the project. Raises DatabaseError."""
        with SyncConnection(self.db_url) as connection:
            return connection.rows(text, *parameters)

    def mails(self) -> list[dict[str, Any]]:
        """Mails that were to be sent, oldest first: `to`, `subject`, `text`, `html` …; none leaves the machine."""
        keys = KeyRing.load(Settings.load({}, data_dir=self.folder))
        found = []
        for (payload,) in self.sql(
            "select args -> 'mail' from jobs.procrastinate_jobs where queue_name = 'mail' order by id"
        ):
            mail = orjson.loads(payload or "{}")
            sealed = mail.pop("sealed", None)
            found.append(mail if sealed is None else {**mail, **unseal(keys.session_secrets, sealed)})
        return found

    def mail(self, to: str, seconds: float = 10) -> dict[str, Any]:
        """The last mail to an address; one that is on its way is waited for, as some answers do not wait for theirs."""
        deadline = time.monotonic() + seconds
        while not (found := [mail for mail in self.mails() if to in mail["to"]]):
            if time.monotonic() > deadline:
                raise InstanceFault(f"no mail to {to}")
            time.sleep(0.02)
        return found[-1]

    def variables(self) -> dict[str, str]:
        """The names that applications read."""
        return {
            "SUPABASE_URL": self.url,
            "SUPABASE_ANON_KEY": self.anon_key,
            "SUPABASE_SERVICE_ROLE_KEY": self.service_role_key,
            "SUPABASE_DB_URL": self.db_url,
        }


class Keeper:
    """A connection to the keeper of a project, which is started if there is none."""

    def __init__(self, project: Path) -> None:
        """Raises InstanceFault."""
        self.project = project
        folder = project / ".gateway" / "testing"
        folder.mkdir(parents=True, exist_ok=True)
        ignore = project / ".gateway" / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        with (folder / "start.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._socket = _reach(folder) or _start(folder)
        self._said = self._socket.makefile("r")

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request and its answer. Raises InstanceFault."""
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            line = self._said.readline()
        except OSError as error:
            raise InstanceFault(f"the keeper of instances is gone: {error}") from error
        answer: dict[str, Any] = json.loads(line or '{"error": "the keeper of instances is gone"}')
        if "error" in answer:
            raise InstanceFault(str(answer["error"]))
        return answer

    @contextmanager
    def instance(self, variables: Mapping[str, str] | None = None, functions: bool = False) -> Iterator[TestInstance]:
        """An instance, gone afterwards. `variables` are settings; with `functions` it runs those of the project."""
        made = self.ask(do="start", project=str(self.project), variables=dict(variables or {}), functions=functions)
        database = made.pop("database")
        try:
            with ExitStack() as clients:
                yield TestInstance(clock=Clock(self, database), folder=Path(made.pop("folder")), _open=clients, **made)
        finally:
            self.ask(do="stop", database=database)

    def close(self) -> None:
        """Let go; what it has started ends."""
        self._said.close()
        self._socket.close()


def project_of(folder: Path) -> Path:
    """The folder with `supabase/`, or with `schema/`, that a folder is in or below; itself if there is none."""
    for each in (folder, *folder.parents):
        if (each / "supabase").is_dir() or (each / "schema" / "migrations").is_dir():
            return each
    return folder


def _reach(folder: Path) -> socket.socket | None:
    """A connection whose keeper has said that it hears; that one could connect says little of a keeper that ends."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(LIMIT)
    try:
        connection.connect(str(folder / SOCKET))
        heard = connection.recv(len(HELLO)) == HELLO
    except TimeoutError as error:
        connection.close()
        raise InstanceFault("the keeper of instances does not answer") from error
    except OSError:
        heard = False
    if heard:
        return connection
    connection.close()
    return None


def _start(folder: Path) -> socket.socket:
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    with (folder / "log").open("w") as log:
        # It goes on in a session of its own: Ctrl-C ends the tests, and their going ends what it keeps.
        said = subprocess.run(
            [sys.executable, "-m", "gateway.testing.keeper", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environ,
            check=False,
        ).stdout.strip()
    if said != "ready":
        raise InstanceFault(said or f"the keeper of instances ended: see {folder / 'log'}")
    deadline = time.monotonic() + 5
    while (connection := _reach(folder)) is None:
        if time.monotonic() > deadline:
            raise InstanceFault("the keeper of instances cannot be reached")
        time.sleep(0.01)
    return connection
