"""`compose.yaml` as a stranger starts it, its profile `ha` included: every image builds, every service answers, what
is killed under load costs no lead, what is stopped ends in good order. Needs Docker; `make test-compose`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.fixtures.server import ROOT
from tests.ops.procs import until

PATIENCE: Final = 180.0  # seconds until a test gives up; nothing is measured
ENGINE: Final = (
    "tests/compose needs Docker 25 or newer with Compose 2.24 or newer, running, and this user allowed to it"
)
KEPT: Final = ("DOCKER_", "BUILDKIT_", "BUILDX_", "COMPOSE_PARALLEL", "XDG_")  # of the caller's variables, by prefix


class Stack:
    """The services of compose.yaml under a name, ports and secrets of their own."""

    def __init__(self, folder: Path) -> None:
        self.name = f"gateway-test-{os.getpid()}"
        made = subprocess.run(
            [sys.executable, "-m", "gateway", "keys", "env"], capture_output=True, text=True, check=True
        )
        names = ("PORT", "MAIL_PORT", "BALANCER_PORT")
        self.values = dict(line.split("=", 1) for line in made.stdout.split()) | dict(
            zip(names, _ports(3), strict=True)
        )
        self._file = folder / "env"
        self._file.write_text("".join(f"{name}={value}\n" for name, value in self.values.items()))
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME") or name.startswith(KEPT)}
        self._environment = kept

    @property
    def key(self) -> str:
        return self.values["SUPABASE_PUBLISHABLE_KEY"]

    def client(self, port: str = "PORT", address: str | None = None) -> httpx.Client:
        """Asks the gateway, the balancer or the mail trap; with an address as a visitor behind a proxy."""
        headers = {"apikey": self.key} | ({"x-forwarded-for": address} if address else {})
        base = f"http://127.0.0.1:{self.values[port]}"
        return httpx.Client(base_url=base, headers=headers, timeout=PATIENCE, trust_env=False)

    def run(self, *arguments: str, env_file: Path | None = None) -> subprocess.CompletedProcess[str]:
        """`docker compose …`, whatever comes of it."""
        fixed = ["--project-name", self.name, "--env-file", str(env_file or self._file), "--profile", "ha"]
        command = ["docker", "compose", "--ansi", "never", "--progress", "plain", *fixed, *arguments]
        return subprocess.run(command, cwd=ROOT, env=self._environment, capture_output=True, text=True)

    def __call__(self, *arguments: str) -> str:
        """`docker compose …`, which must work; what it printed."""
        done = self.run(*arguments)
        assert done.returncode == 0, (
            f"{arguments}: {done.stderr[-3000:]}\n{self.run('logs', '--tail', '20').stdout[-9000:]}"
        )
        return done.stdout

    def engine(self, *arguments: str) -> str:
        """`docker …`, which must work; what it printed."""
        done = subprocess.run(["docker", *arguments], env=self._environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def up(self) -> None:
        """Build and start everything, and wait until it is well."""
        self("up", "--build", "--detach", "--wait")

    def containers(self) -> dict[str, dict[str, Any]]:
        """What the engine says of each service's container."""
        listed = [json.loads(line) for line in self("ps", "--all", "--format", "json").splitlines()]
        return {str(container["Service"]): container for container in listed}

    def until_well(self, service: str) -> None:
        """Wait until the service runs, and is healthy if that is asked of it."""

        def is_well() -> bool:
            container = self.containers()[service]
            return container["State"] == "running" and container["Health"] in ("healthy", "")

        until(is_well, f"{service} is well", PATIENCE)

    def sql(self, text: str) -> list[str]:
        """Rows of the primary."""
        return self("exec", "-T", "db", "psql", "-U", "postgres", "-qAtc", text).split()


def _ports(count: int) -> list[str]:
    """Ports that are free now."""
    with ExitStack() as stack:
        bound = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [str(server.getsockname()[1]) for server in bound]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Everything, built and running; every test leaves it so."""
    for command in (["docker", "info"], ["docker", "compose", "version"]):
        with suppress(FileNotFoundError):
            if subprocess.run(command, capture_output=True).returncode == 0:
                continue
        pytest.fail(f"`{' '.join(command)}` does not work. {ENGINE}")
    stack = Stack(tmp_path_factory.mktemp("compose"))
    try:
        stack.up()
        yield stack
    finally:
        stack("down", "--volumes", "--rmi", "local", "--remove-orphans")


class Load:
    """Visitors behind the balancer: two that read a table, two that send a lead each half second."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._over = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._send) * 2]
        self.faults: list[str] = []
        self.reads = 0
        self.acknowledged: list[str] = []  # the leads' e-mail addresses
        self.answers: Counter[str] = Counter()

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        with self._stack.client("BALANCER_PORT", address="203.0.113.1") as client:
            while not self._over.wait(0.05):
                try:
                    response = client.get("/rest/v1/blog_posts?select=slug&order=slug&limit=5")
                except httpx.HTTPError as error:
                    self.faults.append(f"a read failed: {error!r}")
                    continue
                if response.status_code != 200 or len(response.json()) != 5:
                    self.faults.append(f"a read was answered with {response.status_code} {response.text[:200]}")
                self.reads += 1

    def _send(self) -> None:
        """Each lead once, whatever the answer."""
        with self._stack.client("BALANCER_PORT") as client:
            while not self._over.wait(0.5):
                number = uuid.uuid4().int
                address, email = f"198.18.{number % 250}.{number // 250 % 250}", f"{number:x}@visitors.example"
                try:
                    response = send(client, email, address)
                except httpx.HTTPError:
                    self.answers["no answer"] += 1
                    continue
                self.answers[str(response.status_code)] += 1
                if response.status_code == 200:
                    self.acknowledged.append(email)
                elif response.status_code not in (502, 503, 504):
                    self.faults.append(f"a lead was answered with {response.status_code} {response.text[:200]}")

    def until_more(self, reads: int = 40, leads: int = 4) -> None:
        """Wait for further answers of both kinds."""
        more_reads, more_leads = self.reads + reads, len(self.acknowledged) + leads

        def enough() -> bool:
            return bool(self.faults) or (self.reads >= more_reads and len(self.acknowledged) >= more_leads)

        until(enough, f"{reads} more reads and {leads} more leads", PATIENCE)
        assert self.faults == []


def send(client: httpx.Client, email: str, address: str) -> httpx.Response:
    """A contact form."""
    lead = json.loads((ROOT / "functions/submit-contact/sample.json").read_text()) | {"email": email}
    return client.post("/functions/v1/submit-contact", json=lead, headers={"x-forwarded-for": address})


def stored(stack: Stack) -> Counter[str]:
    """How often each e-mail address has a lead."""
    return Counter(stack.sql("select email from public.contact_messages"))


def test_every_service_is_well_and_none_serves_as_root(stack: Stack) -> None:
    containers = stack.containers()
    ended = containers.pop("migrate")
    assert (ended["State"], ended["ExitCode"]) == ("exited", 0)
    assert set(containers) | {"migrate"} == set(stack("config", "--services").split())
    without_check = [name for name, container in containers.items() if container["Health"] != "healthy"]
    assert without_check == ["worker"]
    assert {container["State"] for container in containers.values()} == {"running"}
    for name, container in containers.items():
        users = stack.engine("top", container["ID"], "-eo", "uid,pid").split()[2::2]
        assert users and "0" not in users, f"{name} runs as {users}"


def test_no_image_holds_a_secret_or_more_than_it_needs(stack: Stack) -> None:
    secrets = [stack.values[name] for name in ("POSTGRES_PASSWORD", "PGRST_JWT_SECRET", "SUPABASE_SECRET_KEY")]
    for image in {stack.containers()[service]["Image"] for service in ("gateway", "submit-contact", "pooler")}:
        made_by = stack.engine("history", "--no-trunc", image) + stack.engine("image", "inspect", image)
        assert [secret for secret in secrets if secret in made_by] == []
    assert set(stack("exec", "-T", "gateway", "ls", "-A", "/app").split()) == {
        ".gateway.toml", "LICENSE", "README.md", "functions", "gateway", "pyproject.toml", "schema", "web",
    }  # fmt: skip
    assert stack("exec", "-T", "submit-contact", "ls", "-A", "/app").split() == ["functions"]


def test_the_site_answers_and_a_lead_and_its_mails_arrive(stack: Stack) -> None:
    stack("exec", "-T", "gateway", "gateway", "db", "seed")
    for port in ("PORT", "BALANCER_PORT"):
        email = f"{port.lower()}@visitors.example"
        with stack.client(port) as client, stack.client("MAIL_PORT") as trap:
            assert "<h1" in client.get("/").text
            assert "<article" in client.get("/insights").text  # a page that a function renders
            assert "<urlset" in client.get("/sitemap.xml").text
            assert "<entry>" in client.get("/feed.xml").text
            answer = send(client, email, "198.51.100.1")
            assert (answer.status_code, answer.json()) == (200, {"ok": True})
            assert stored(stack)[email] == 1

            def arrived(trap: httpx.Client = trap, email: str = email) -> bool:
                mails = trap.get("/api/v1/messages?limit=500").json()["messages"]
                told = [person["Address"] for mail in mails for person in mail["To"]]
                return email in told and "leads@unitedmedicalwaste.example" in told

            until(arrived, "staff and visitor have a mail", PATIENCE)


def test_the_first_administrator_signs_in(stack: Stack) -> None:
    made = json.loads(
        stack("exec", "-T", "gateway", "gateway", "users", "create", "you@example.com", "--role", "admin", "--json")
    )
    with stack.client() as client:
        given = {"email": "you@example.com", "password": made["password"]}
        session = client.post("/auth/v1/token?grant_type=password", json=given).json()
        mine = {"authorization": f"Bearer {session['access_token']}"}
        assert client.get("/rest/v1/contact_messages?select=email", headers=mine).status_code == 200


def test_what_ends_by_itself_is_started_again(stack: Stack) -> None:
    for service in ("gateway", "worker", "submit-contact", "pooler", "replica"):
        identity = stack.containers()[service]["ID"]
        stack("exec", "-T", "--user", "root", service, "sh", "-c", "kill -INT 1")
        restarts = ("inspect", "--format", "{{.RestartCount}}", identity)
        # mypy knows no type for a default of a lambda
        until(lambda restarts=restarts: stack.engine(*restarts) != "0\n", f"{service} is started again", PATIENCE)  # type: ignore[misc]
        stack.until_well(service)


def test_whatever_is_killed_no_lead_is_lost_and_reads_go_on(stack: Stack) -> None:
    stack("exec", "-T", "gateway", "gateway", "db", "seed")
    with Load(stack) as load:
        load.until_more()
        for service, leads in (
            ("gateway-one", 4), ("gateway-two", 4), ("gateway", 4), ("replica", 4), ("worker", 4),
            ("pooler", 0), ("submit-contact", 0), ("db", 0),
        ):  # fmt: skip
            stack("kill", service)
            load.until_more(leads=leads)
            if service == "gateway-one":  # another takes its address meanwhile
                stack("run", "--detach", "--rm", "--no-deps", "submit-contact", "sleep", "600")
            stack("start", service)
            stack.until_well(service)
            load.until_more()
    assert [email for email in load.acknowledged if stored(stack)[email] != 1] == []
    unsent = "select 1 from jobs.procrastinate_jobs where task_name = 'mail.send' and status <> 'succeeded'"
    until(lambda: stack.sql(unsent) == [], "every mail is sent", PATIENCE)
    assert stack.sql("select state from pg_stat_replication") == ["streaming"]
    print(f"{load.reads} reads, {len(load.acknowledged)} leads acknowledged and there; answers: {dict(load.answers)}")


def test_what_is_stopped_ends_in_good_order_and_keeps_its_data(stack: Stack) -> None:
    with stack.client() as client:
        assert send(client, "kept@visitors.example", "198.51.100.2").status_code == 200
    key = stack("exec", "-T", "gateway", "gateway", "keys", "create", "kept").strip()
    for service in ("balancer", "pooler", "replica", "db"):  # while others are connected to it
        stack("stop", service)
    stack("stop")
    assert {
        name: container["ExitCode"] for name, container in stack.containers().items() if container["ExitCode"]
    } == {}
    stack("down")
    stack.up()
    assert stored(stack)["kept@visitors.example"] == 1
    with stack.client() as client:
        assert client.get("/rest/v1/contact_messages?limit=1", headers={"apikey": key}).status_code == 200


def test_wrong_settings_are_told_in_a_line(stack: Stack, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("")
    missing = stack.run("config", "--quiet", env_file=tmp_path / "env")
    assert missing.returncode != 0 and "gateway keys env --file .env" in missing.stderr
    for service, setting, said in (
        ("migrate", "DATABASE_URL=postgresql://postgres:no@db:5432/postgres", "password authentication failed"),
        ("gateway", "PGRST_JWT_SECRET=short", "the JWT secret must be at least 32 characters long"),
    ):
        done = stack.run("run", "--rm", "--no-deps", "-T", "-e", setting, service)
        assert done.returncode == 1
        assert any(line.startswith("gateway: ") and said in line for line in done.stderr.splitlines()), done.stderr
