"""Chaos: visitors, sessions, leads and an administrator at work while parts are killed at random.

Every answer is held against what it may be. Nothing is retried silently: a write counts as acknowledged only when the
gateway said so, and is then looked for in the database, once.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from gateway.database import DatabaseUnavailable, SyncConnection
from tests.bench import cpu
from tests.chaos.cluster import LIMIT, ROOT, Cluster
from tests.fixtures.schema import seed
from tests.fixtures.server import environment
from tests.ops.procs import alive, children

ADMIN, MEMBER, PASSWORD = "admin@example.test", "member@example.test", "a password for the chaos run"
# An answer in the chaos run: a success, or an honest word that it cannot be done now.
HONEST = frozenset((502, 503, 504, 546))
FORM = "/functions/v1/submit-contact"
PAUSE = 0.05  # seconds between two requests of one client


@dataclass
class Ledger:
    """What was asked and what came of it."""

    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    posts: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    healthy_after: float = 0.0

    def fault(self, text: str) -> None:
        self.faults.append(text)


class Client(threading.Thread):
    """One client that asks until it is told to stop."""

    def __init__(self, chaos: Chaos, name: str, work: Callable[[Client], None]) -> None:
        super().__init__(daemon=True, name=name)
        self.chaos = chaos
        self.work = work
        self.http = httpx.Client(base_url=chaos.cluster.url, timeout=LIMIT, trust_env=False)
        self.session: dict[str, Any] | None = None

    def run(self) -> None:
        try:
            while not self.chaos.over.is_set():
                self.work(self)
                time.sleep(PAUSE)
        except Exception as error:
            self.chaos.ledger.fault(f"{self.name}: {error!r}")
        self.http.close()

    def ask(
        self,
        method: str,
        path: str,
        expected: tuple[int, ...],
        check: Callable[[int, Any], bool] = lambda status, body: True,
        **options: Any,
    ) -> Any | None:
        """The JSON of an answer that has an expected status; None when it could not be done. All else is a fault.

        `check` looks at every answer, whatever its status.
        """
        ledger = self.chaos.ledger
        headers = {"apikey": self.chaos.key, **options.pop("headers", {})}
        try:
            response = self.http.request(method, path, headers=headers, **options)
        except httpx.HTTPError as error:
            ledger.answers[f"{self.name}: {type(error).__name__}"] += 1
            return None
        ledger.answers[f"{self.name}: {response.status_code}"] += 1
        try:
            body = response.json() if response.content else {}
        except ValueError:
            ledger.fault(f"{self.name}: {response.status_code} without a valid body: {response.text[:80]!r}")
            return None
        if not check(response.status_code, body):
            ledger.fault(f"{self.name}: {response.status_code} out of shape: {response.text[:200]}")
        if response.status_code in expected:
            return body
        if response.status_code not in HONEST:
            ledger.fault(f"{self.name}: {response.status_code} {response.text[:200]}")
        return None

    def bearer(self) -> dict[str, str]:
        assert self.session is not None
        return {"authorization": f"Bearer {self.session['access_token']}"}

    def sign_in(self, email: str) -> bool:
        """Have a session; False when that cannot be had now."""
        if self.session is None:
            body = {"email": email, "password": PASSWORD}
            self.session = self.ask("POST", "/auth/v1/token?grant_type=password", (200,), json=body)
        return self.session is not None


def read(client: Client) -> None:
    """A visitor: published articles, and nothing of what is not for visitors."""
    rows = client.ask("GET", "/rest/v1/blog_posts?select=slug,published&limit=50", (200,))
    if rows is not None and not (rows and all(row["published"] for row in rows)):
        client.chaos.ledger.fault("reader: an unpublished article was read, or none at all")
    refused = client.ask("GET", "/rest/v1/contact_messages?select=email&limit=1", (401, 403))
    if isinstance(refused, list):
        client.chaos.ledger.fault("reader: leads were read")


def refresh(client: Client) -> None:
    """A member: signs in, refreshes, and is nobody else."""
    if not client.sign_in(MEMBER):
        return
    assert client.session is not None
    token = {"refresh_token": client.session["refresh_token"]}
    fresh = client.ask("POST", "/auth/v1/token?grant_type=refresh_token", (200,), json=token)
    if fresh is not None:
        client.session = fresh
    user = client.ask("GET", "/auth/v1/user", (200,), headers=client.bearer())
    if user is not None and user["email"] != MEMBER:
        client.chaos.ledger.fault(f"session: was taken for {user['email']}")


def send_lead(client: Client) -> None:
    """A visitor who presses the button until told that it worked."""
    name = uuid.uuid4().hex
    body = {"name": "Visitor", "email": f"{name}@example.test", "subject": "Pickup", "message": name}
    headers = {"idempotency-key": name}
    while not client.chaos.over.is_set():
        if client.ask("POST", FORM, (200,), check=has_the_forms_shape, json=body, headers=headers) == {"ok": True}:
            client.chaos.ledger.leads.append(name)
            return
        time.sleep(PAUSE)


def has_the_forms_shape(status: int, body: Any) -> bool:
    """Whether an answer to a form is a yes, or a no with a sentence that the form can show."""
    if not isinstance(body, dict):
        return False
    sentence = body.get("error")
    return (
        body == {"ok": True}
        if status == 200
        else body.get("ok") is False and isinstance(sentence, str) and sentence != ""
    )


def publish(client: Client) -> None:
    """An administrator: each article is written once, whatever the answer."""
    if not client.sign_in(ADMIN):
        return
    slug = f"chaos-{uuid.uuid4().hex}"
    row = {"title": slug, "slug": slug, "content": "<p>chaos</p>", "published": False}
    headers = {**client.bearer(), "prefer": "return=representation"}
    made = client.ask("POST", "/rest/v1/blog_posts", (201,), json=row, headers=headers)
    if made is not None:
        client.chaos.ledger.posts.append(slug)


class Chaos:
    """Clients, kills, and the reckoning."""

    def __init__(self, cluster: Cluster, chance: int) -> None:
        self.cluster = cluster
        self.ledger = Ledger()
        self.over = threading.Event()
        self._random = random.Random(chance)
        self.key = str(json.loads((cluster.folder / "gateway" / "keys.json").read_text())["publishable_key"])

    def run(self, kills: int, pause: float) -> Ledger:
        """Run for so many kills, `pause` seconds apart; then everything must be well again."""
        work = [("reader", read), ("reader", read), ("session", refresh), ("lead", send_lead), ("admin", publish)]
        clients = [Client(self, name, what) for name, what in work]
        for client in clients:
            client.start()
        parts = [
            *(self.kill_worker, self.kill_function, self.kill_jobs, self.kill_postgres, self.kill_smtp),
            self.kill_supervisor,
        ]
        order = [part for _ in range(kills // len(parts) + 1) for part in self._random.sample(parts, len(parts))]
        for part in order[:kills]:
            time.sleep(pause)
            part()
            self.ledger.kills[part.__name__.removeprefix("kill_")] += 1
        last = time.monotonic()
        self._wait_until_healthy()
        self.ledger.healthy_after = time.monotonic() - last
        time.sleep(pause)
        self.over.set()
        for client in clients:
            client.join(LIMIT)
        self._reckon()
        return self.ledger

    # --- what is killed --------------------------------------------------------------------------------------------

    def kill_worker(self) -> None:
        """One of the gateway's workers."""
        workers = children(self.cluster.processes["gateway"].pid)
        if workers:
            os.kill(self._random.choice(workers), signal.SIGKILL)

    def kill_supervisor(self) -> None:
        """The gateway's supervisor, and it is started again at once, as whoever watches over it does."""
        supervisor = self.cluster.processes["gateway"].pid
        tree = cpu.children(supervisor)
        failed = self.cluster.failed_starts["gateway"]
        self.cluster.kill("gateway")
        self.cluster.start("gateway")
        if self.cluster.failed_starts["gateway"] > failed:
            self.ledger.fault("the gateway did not start again at once after its supervisor was killed")
        deadline = time.monotonic() + LIMIT
        while left := [pid for pid in tree if alive(pid)]:
            if time.monotonic() > deadline:
                self.ledger.fault(f"processes {left} outlived their supervisor")
                return
            time.sleep(0.05)

    def kill_function(self) -> None:
        """Every function process there is."""
        for worker in children(self.cluster.processes["gateway"].pid):
            for forkserver in children(worker):
                for function in children(forkserver):
                    os.kill(function, signal.SIGKILL)

    def kill_jobs(self) -> None:
        """The job worker, in the middle of whatever it does."""
        self.cluster.kill("worker")
        self.cluster.start("worker")

    def kill_postgres(self) -> None:
        """The database, as by a power cut."""
        self.cluster.kill_postgres()
        self.cluster.postgres.start()

    def kill_smtp(self) -> None:
        """The mail server."""
        self.cluster.kill("smtp")
        self.cluster.start("smtp")

    # --- afterwards ------------------------------------------------------------------------------------------------

    def _wait_until_healthy(self) -> None:
        admin = str(self.cluster.serving()["admin"])
        body = {"email": MEMBER, "password": PASSWORD}
        probes: list[Callable[[], httpx.Response]] = [
            lambda: httpx.get(f"{admin}/ready", timeout=LIMIT),
            lambda: self._probe("GET", "/rest/v1/blog_posts?select=id&limit=1"),
            lambda: self._probe("POST", "/auth/v1/token?grant_type=password", json=body),
        ]
        deadline = time.monotonic() + LIMIT
        while probes:
            try:
                if probes[0]().status_code == 200:
                    probes.pop(0)
                    continue
            except httpx.HTTPError:
                pass
            if time.monotonic() > deadline:
                self.ledger.fault("not everything is well after the last kill")
                return
            time.sleep(0.1)

    def _probe(self, method: str, path: str, **options: Any) -> httpx.Response:
        url = f"{self.cluster.url}{path}"
        return httpx.request(method, url, headers={"apikey": self.key}, timeout=LIMIT, trust_env=False, **options)

    def _reckon(self) -> None:
        """Hold what was acknowledged against what is there."""
        with self._connected() as connection:
            stored = Counter(str(row[0]) for row in connection.rows("select message from public.contact_messages"))
            slugs = Counter(str(row[0]) for row in connection.rows("select title from public.blog_posts"))
        for kind, acknowledged, there in (("lead", self.ledger.leads, stored), ("article", self.ledger.posts, slugs)):
            for name in acknowledged:
                if there[name] != 1:
                    self.ledger.fault(f"{kind} {name} was acknowledged and is there {there[name]} times")
            doubled = [name for name, count in there.items() if count > 1]
            if doubled:
                self.ledger.fault(f"{kind}s are there twice: {doubled[:3]}")

    def _connected(self) -> SyncConnection:
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                return SyncConnection(self.cluster.postgres.url())
            except DatabaseUnavailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)


def people(cluster: Cluster) -> None:
    """Make the articles and accounts of the chaos."""
    with SyncConnection(cluster.postgres.url()) as connection:
        seed(connection, "demo")
    for email, roles in ((ADMIN, ("admin",)), (MEMBER, ())):
        commands = [["create", email, "--password-stdin"], *(["grant", email, role] for role in roles)]
        for command in commands:
            subprocess.run(
                [sys.executable, "-m", "gateway", "users", *command],
                cwd=ROOT,
                env=environment(cluster.postgres.url(), cluster.folder / "gateway"),
                input=PASSWORD + "\n",
                text=True,
                check=True,
                capture_output=True,
            )
