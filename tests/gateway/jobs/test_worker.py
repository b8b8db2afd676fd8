"""Queued mails reach the mail server once, however the server, the database or the worker behave."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from gateway.database import DatabaseError, SyncConnection
from gateway.encryption.values import seal
from gateway.identity.keyring import KeyRing
from gateway.jobs import worker
from gateway.mail import delivery
from gateway.mail.trap import Trap
from gateway.mail.trap_page import caught
from gateway.settings import Settings
from tests.fixtures.db import Server

ROOT = Path(__file__).parents[3]
LIMIT = 60.0  # seconds; generous, nothing is measured here
PATIENCE = 20.0  # seconds; less than a connection is waited for where nobody says how long
Check = Callable[[], bool]


def enqueue(connection: SyncConnection, subject: str = "Hello", priority: int = 0, **more: Any) -> int:
    payload = {"to": ["a@example.com"], "subject": subject, "text": "Hi", **more}
    sql = "select jobs.enqueue_mail($1::jsonb, $2::integer)"
    return int(str(connection.rows(sql, json.dumps(payload), str(priority))[0][0]))


def statuses(connection: SyncConnection) -> list[str | None]:
    return [row[0] for row in connection.rows("select status from jobs.procrastinate_jobs order by id")]


def outcomes(connection: SyncConnection) -> list[str | None]:
    return [row[0] for row in connection.rows("select outcome from jobs.mail_attempts order by id")]


def wait_for(check: Check) -> None:
    deadline = time.monotonic() + LIMIT
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


class Running:
    """A worker in a process of its own."""

    def __init__(
        self, database_url: str, data_dir: Path, trap_port: int | None, extra: dict[str, str], first: str = ""
    ) -> None:
        arguments = [] if trap_port is None else ["--trap-port", str(trap_port)]
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        code = (
            "import asyncio, os, sys\n"
            "from gateway.jobs import worker\n"
            "from gateway.settings import Settings\n"
            "port = int(sys.argv[2]) if len(sys.argv) > 2 else None\n"
            "asyncio.run(worker.run(Settings.load(), os.environ['DATABASE_URL'], trap_port=port))\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", first + code, *arguments],
            cwd=ROOT,
            env={**kept, "DATABASE_URL": database_url, "GATEWAY_DATA_DIR": str(data_dir), **extra},
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, limit: float = LIMIT) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(limit)


@contextmanager
def working(
    database_url: str, data_dir: Path, trap_port: int | None = None, extra: dict[str, str] | None = None
) -> Iterator[Running]:
    running = Running(database_url, data_dir, trap_port, extra or {})
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def subjects(folder: Path) -> list[str]:
    return sorted(mail.header("Subject") for mail in caught(folder))


def test_a_queued_mail_reaches_the_trap(database_url: str, connection: SyncConnection, tmp_path: Path) -> None:
    enqueue(connection)
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"])
    assert subjects(tmp_path / "mail") == ["Hello"]
    assert outcomes(connection) == ["sent"]


def test_a_mail_queued_in_a_rolled_back_transaction_is_never_sent(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    with pytest.raises(DatabaseError), connection.transaction():
        enqueue(connection, "Never")
        connection.rows("select 1 / 0")
    enqueue(connection, "Sent")
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"])
    assert subjects(tmp_path / "mail") == ["Sent"]


def test_urgent_mail_leaves_first(database_url: str, connection: SyncConnection, tmp_path: Path) -> None:
    for number in range(12):
        enqueue(connection, f"Ordinary {number}")
    enqueue(connection, "Emergency", 100)
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"] * 13)
    order = [mail.header("Subject") for mail in caught(tmp_path / "mail")][::-1]
    assert order.index("Emergency") < worker.CONCURRENCY


def test_a_dead_mail_server_only_delays_mails(database_url: str, connection: SyncConnection, tmp_path: Path) -> None:
    port = free_port()
    server = {"SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(port)}
    enqueue(connection, "First")
    with working(database_url, tmp_path, extra=server):
        wait_for(lambda: "unreachable" in outcomes(connection) and statuses(connection) == ["todo"])

        connection.script("update jobs.procrastinate_jobs set scheduled_at = now() + interval '1 day'")

        async def back() -> None:
            async with Trap(tmp_path / "mail", "127.0.0.1", port):
                enqueue(connection, "Second")
                # the second finds the server back, and the first no longer waits for its next turn
                deadline = time.monotonic() + LIMIT
                while statuses(connection) != ["succeeded", "succeeded"] and time.monotonic() < deadline:
                    await asyncio.sleep(0.05)

        asyncio.run(back())
    assert subjects(tmp_path / "mail") == ["First", "Second"]


class Refusing:
    """A mail server's handler that says no in a given way."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    async def handle_RCPT(
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        return self.reply


@pytest.mark.parametrize(
    ("reply", "outcome", "status"),
    [("550 no such user", "refused", "failed"), ("451 come back later", "deferred", "todo")],
    ids=["for good", "for now"],
)
def test_a_refusal_is_tried_again_only_when_that_may_help(
    database_url: str, connection: SyncConnection, tmp_path: Path, reply: str, outcome: str, status: str
) -> None:
    enqueue(connection)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(Refusing(reply), hostname="localhost"), "127.0.0.1", 0)
        port = str(server.sockets[0].getsockname()[1])
        running = Running(database_url, tmp_path, None, {"SMTP_HOST": "127.0.0.1", "SMTP_PORT": port})
        try:
            deadline = time.monotonic() + LIMIT
            while not (outcomes(connection) and statuses(connection) == [status]) and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
        finally:
            await asyncio.to_thread(running.stop)
            server.close()

    asyncio.run(serve())
    assert outcomes(connection) == [outcome]
    assert statuses(connection) == [status]
    assert reply.split(" ", 1)[1] in str(connection.rows("select reply from jobs.mail_attempts")[0][0])


class Silent:
    """A mail server's handler that keeps every mail and tells nobody until it is allowed to."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.slow = True

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        self.kept.append(str(message_from_bytes(envelope.original_content or b"")["Subject"]))
        if self.slow:
            await asyncio.sleep(LIMIT)
        return "250 kept"


def test_a_server_that_takes_its_time_gets_a_mail_once(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    handler = Silent()
    enqueue(connection, "Slow", priority=10)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(handler, hostname="localhost"), "127.0.0.1", 0)
        port = str(server.sockets[0].getsockname()[1])
        impatient = "from gateway.mail import delivery; delivery.ACCEPT = 0.3\n"
        running = Running(database_url, tmp_path, None, {"SMTP_HOST": "127.0.0.1", "SMTP_PORT": port}, impatient)
        deadline = time.monotonic() + LIMIT
        try:
            while outcomes(connection) != ["unanswered"] and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
            handler.slow = False
            enqueue(connection, "Quick")  # that the server answers is no reason to send it the other one again
            while statuses(connection) != ["todo", "succeeded"] and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
        finally:
            await asyncio.to_thread(running.stop)
            server.close()

    asyncio.run(serve())
    assert handler.kept == ["Slow", "Quick"]
    assert outcomes(connection) == ["unanswered", "sent"]
    seconds = "select extract(epoch from scheduled_at - now()) from jobs.procrastinate_jobs where status = 'todo'"
    assert 300 < float(str(connection.rows(seconds)[0][0])) <= 600


def test_the_server_has_as_long_as_the_protocol_gives_it() -> None:
    assert (delivery.STEP, delivery.ACCEPT) == (300, 600)  # RFC 5321 section 4.5.3.2: five minutes, ten at the end


def test_a_mail_with_a_smuggled_recipient_is_refused_and_kept(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    enqueue(connection, to=["a@example.com\r\nBcc: b@example.com"])
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["failed"])
    assert outcomes(connection) == ["refused"]
    assert subjects(tmp_path / "mail") == []


def test_a_mail_noted_as_sent_is_not_sent_again(database_url: str, connection: SyncConnection, tmp_path: Path) -> None:
    id = enqueue(connection)
    connection.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'sent')", str(id))
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"])
    assert subjects(tmp_path / "mail") == []


def test_a_job_of_a_killed_worker_is_taken_up_again(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    enqueue(connection)
    # what kill -9 leaves behind: a job in progress, and a worker that has not been heard of for a while
    connection.script(
        "insert into jobs.procrastinate_workers (last_heartbeat) values (now() - interval '1 hour');"
        "update jobs.procrastinate_jobs set status = 'doing', worker_id = 1"
    )
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"])
    assert subjects(tmp_path / "mail") == ["Hello"]


def test_a_worker_outlives_its_database_connections(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    with working(database_url, tmp_path, free_port()) as running:
        enqueue(connection, "Before")
        wait_for(lambda: statuses(connection) == ["succeeded"])
        connection.script(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        enqueue(connection, "After")
        wait_for(lambda: statuses(connection) == ["succeeded", "succeeded"])
        assert running.stop() == 0
    assert subjects(tmp_path / "mail") == ["After", "Before"]


def test_a_worker_that_waits_for_its_database_stops_when_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://postgres@127.0.0.1:{silent.getsockname()[1]}/postgres"
        with working(url, tmp_path) as running:
            connection, _ = silent.accept()
            with connection:
                assert running.stop(PATIENCE) == 0


def test_a_worker_that_lost_its_database_stops_when_told(
    server: Server, database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    name = connection.rows("select current_database()")[0][0]
    with working(database_url, tmp_path, free_port()) as running, server.admin() as admin:
        enqueue(connection)
        wait_for(lambda: statuses(connection) == ["succeeded"])
        admin.script(f'alter database "{name}" allow_connections false')
        admin.rows("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
        assert running.stop(PATIENCE) == 0


@pytest.mark.parametrize(
    "payload",
    ['{"subject": "x", "text": "y"}', '{"to": [], "subject": "x", "text": "y"}', '{"to": ["a@b.c"], "subject": "x"}'],
    ids=["no recipient", "an empty list", "no words"],
)
def test_a_mail_that_cannot_be_one_is_not_queued(connection: SyncConnection, payload: str) -> None:
    with pytest.raises(DatabaseError, match="mail needs"):
        connection.rows("select jobs.enqueue_mail($1::jsonb)", payload)


def test_a_lock_already_queued_is_not_queued_twice(connection: SyncConnection) -> None:
    sql = 'select jobs.enqueue_mail(\'{"to": ["a@b.c"], "subject": "x", "text": "y"}\', queueing_lock => \'one\')'
    assert connection.rows(sql) == connection.rows(sql)
    assert statuses(connection) == ["todo"]


@pytest.mark.parametrize("role", ["anon", "authenticated"])
def test_visitors_cannot_queue_mail(connection: SyncConnection, role: str) -> None:
    connection.script(f"set role {role}")
    with pytest.raises(DatabaseError) as refused:
        connection.rows("select jobs.enqueue_mail('{}')")
    assert refused.value.sqlstate == "42501"


def test_the_worker_needs_no_mail_server_in_development(tmp_path: Path) -> None:
    assert Settings.load({}, data_dir=tmp_path).smtp_host == ""


def test_link_of_an_auth_mail_leaves_the_queue_with_the_mail(
    database_url: str, connection: SyncConnection, tmp_path: Path
) -> None:
    link = "https://api.example.com/auth/v1/verify?token=secret-link"
    mail = enqueue(connection, "Reset", text=link, html=f"<a href='{link}'>", kind="auth.recovery")
    enqueue(connection, "Lead", text="kept", kind="lead.contact")
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: statuses(connection) == ["succeeded"] * 2)
    assert any(link in caught_mail.part("plain") for caught_mail in caught(tmp_path / "mail"))
    rows = connection.rows("select args::text from jobs.procrastinate_jobs order by id")
    assert "secret-link" not in str(rows[0][0]) and "a@example.com" in str(rows[0][0])
    assert "kept" in str(rows[1][0])
    with pytest.raises(DatabaseError, match="ask for a new one"):
        connection.rows("select jobs.resend_mail($1::bigint)", str(mail))


@pytest.mark.parametrize("status", ["failed", "cancelled", "aborted"])
def test_link_of_an_auth_mail_that_was_given_up_leaves_the_queue(connection: SyncConnection, status: str) -> None:
    enqueue(connection, "Reset", text="secret-link", kind="auth.recovery")
    connection.script(f"update jobs.procrastinate_jobs set status = '{status}'")
    assert connection.rows("select args::text like '%secret-link%' from jobs.procrastinate_jobs") == [("f",)]


def test_sealed_mail_is_opened_as_it_is_sent(database_url: str, connection: SyncConnection, tmp_path: Path) -> None:
    keys = KeyRing.load(Settings.load({}, data_dir=tmp_path))
    words = {"text": "the-link", "html": "<p>the-link</p>"}
    enqueue(connection, text="sealed", sealed=seal(keys.session_secrets, words), kind="auth.recovery")
    enqueue(connection, "Foreign", text="sealed", sealed=seal([b"another"], words), kind="auth.recovery")
    with working(database_url, tmp_path, free_port()):
        wait_for(lambda: sorted(map(str, outcomes(connection))) == ["deferred", "sent"])
    (mail,) = caught(tmp_path / "mail")
    assert mail.part("plain").strip() == "the-link"
    rows = connection.rows("select status, args #>> '{mail,sealed}' is null from jobs.procrastinate_jobs order by id")
    assert rows == [("succeeded", "t"), ("todo", "f")]
