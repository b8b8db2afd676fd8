"""What the monitor finds wrong, and that it says so by mail and webhook."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gateway.database import Database, SyncConnection
from gateway.identity.keyring import FILE_NAME, write_private
from gateway.mail.trap import Trap
from gateway.mail.trap_page import caught
from gateway.operations.backup import file_name
from gateway.operations.monitor import checks
from gateway.operations.monitor.alarms import Alarm, News
from gateway.operations.monitor.channels import tell
from gateway.settings import Seconds, Settings

ALARM = Alarm("disk", "/srv", "Only 3 MB are left.", 0.0)


def ask_database(url: str) -> list[checks.Trouble]:
    async def main() -> list[checks.Trouble]:
        db = Database(url, size=1)
        try:
            return await checks.database(db)
        finally:
            await db.close()

    return asyncio.run(main())


def enqueue(connection: SyncConnection, **more: Any) -> str:
    payload = {"to": ["staff@umw.example"], "subject": "Private", "text": "Hi", "kind": "contact-notice", **more}
    return str(connection.rows("select jobs.enqueue_mail($1::jsonb)", json.dumps(payload))[0][0])


def heartbeat(connection: SyncConnection, age: str = "0 s") -> None:
    connection.script("delete from jobs.procrastinate_workers")
    connection.script(f"insert into jobs.procrastinate_workers (last_heartbeat) values (now() - interval '{age}')")


def test_a_notice_that_was_refused_is_told_at_once(database_url: str, connection: SyncConnection) -> None:
    heartbeat(connection)
    id = enqueue(connection, alarm_after=600)
    assert ask_database(database_url) == []
    connection.rows("insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, 'refused', '550 no')", id)
    connection.script("update jobs.procrastinate_jobs set status = 'failed'")
    (trouble,) = ask_database(database_url)
    assert trouble.kind == "mail" and "refused: 550 no" in trouble.text and f"mail {id}" in trouble.text
    assert "Private" not in trouble.text and "staff@" not in trouble.text
    connection.script("update jobs.procrastinate_jobs set status = 'cancelled'")  # somebody saw to it
    assert ask_database(database_url) == []


@pytest.mark.parametrize("outcome", ["deferred", "unreachable", "unanswered", None])
def test_a_notice_that_waits_too_long_is_told(
    database_url: str, connection: SyncConnection, outcome: str | None
) -> None:
    heartbeat(connection)
    id = enqueue(connection, alarm_after=600)
    enqueue(connection)  # whose delay hurts nobody
    if outcome is not None:
        connection.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, $2)", id, outcome)
    connection.script("update jobs.procrastinate_events set at = at - interval '9 minutes'")
    assert ask_database(database_url) == []
    connection.script("update jobs.procrastinate_events set at = at - interval '2 minutes'")
    (trouble,) = ask_database(database_url)
    assert trouble.kind == "mail" and (outcome or "nobody tried") in trouble.text


def test_a_silent_job_worker_is_told(database_url: str, connection: SyncConnection) -> None:
    assert [trouble.text[:19] for trouble in ask_database(database_url)] == ["No job worker runs:"]
    heartbeat(connection, "2 minutes")
    assert [trouble.kind for trouble in ask_database(database_url)] == ["jobs"]
    heartbeat(connection)
    assert ask_database(database_url) == []


def test_a_database_that_does_not_answer_is_told() -> None:
    (trouble,) = ask_database("postgresql://nobody@127.0.0.1:1/none")
    assert trouble.kind == "database"


def test_a_maintenance_that_goes_on_is_told(database_url: str, connection: SyncConnection) -> None:
    heartbeat(connection)
    name = connection.rows("select quote_ident(current_database())")[0][0]
    connection.script(f"alter database {name} set default_transaction_read_only = on")
    (trouble,) = ask_database(database_url)
    assert trouble.kind == "maintenance" and "gateway maintenance off" in trouble.text


def test_a_database_without_the_functions_is_no_trouble(database_url: str, connection: SyncConnection) -> None:
    connection.script("drop function jobs.troubles(); drop function gateway.alarms()")
    assert ask_database(database_url) == []


def test_a_disk_is_told_before_it_is_full(tmp_path: Path) -> None:
    assert list(checks.disk(Settings(data_dir=tmp_path, least_disk=1))) == []
    full = Settings(data_dir=tmp_path, backup_dir=str(tmp_path / "copies"), least_disk=10**18)
    (tmp_path / "copies").mkdir()
    assert [trouble.subject for trouble in checks.disk(full)] == [str(tmp_path), str(tmp_path / "copies")]


def test_copies_that_are_not_made_are_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, backup_dir=str(tmp_path), backup_every=Seconds(3600.0))
    now = time.time()
    assert list(checks.copies(settings, now, since=now)) == []
    assert list(checks.copies(settings, now + 4 * 3600, since=now))
    newest = tmp_path / file_name(now)
    newest.write_text("")
    os.utime(newest, (now + 3 * 3600, now + 3 * 3600))
    assert list(checks.copies(settings, now + 4 * 3600, since=now)) == []
    assert list(checks.copies(Settings(data_dir=tmp_path), now + 4 * 3600, since=now)) == []


def test_a_key_that_ends_is_told_while_it_is_used(tmp_path: Path) -> None:
    now = 1_000_000.0
    row = {"id": "ab12", "name": "former publishable key", "expires_at": now + 3600}
    write_private(tmp_path / FILE_NAME, json.dumps({"api_keys": [row]}))
    settings = Settings(data_dir=tmp_path)
    assert [trouble.subject for trouble in checks.keys(settings, {"ab12": now - 60}, now)] == ["ab12"]
    assert list(checks.keys(settings, {}, now)) == []
    assert list(checks.keys(settings, {"ab12": now - 60}, now + 7200)) == []


@contextmanager
def tls(folder: Path, days: float) -> Iterator[tuple[int, ssl.SSLContext]]:
    """A server on loopback whose certificate ends in so many days; its port and a context that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - timedelta(days=90))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "cert.pem").write_bytes(pem + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem")
    trusting = ssl.create_default_context(cadata=pem.decode())
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            peer, _ = listener.accept()
            with peer, suppress(OSError):  # a client that refuses the certificate lets go
                context.wrap_socket(peer, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield int(listener.getsockname()[1]), trusting
        thread.join()


@pytest.mark.parametrize(("days", "found"), [(30.0, ""), (3.0, "ends in 3 days"), (-1.0, "is refused")])
def test_a_certificate_that_ends_is_told(tmp_path: Path, days: float, found: str) -> None:
    with tls(tmp_path, days) as (port, context):
        troubles = asyncio.run(checks.certificate(f"https://localhost:{port}", time.time(), context))
    assert found in "".join(trouble.text for trouble in troubles) and bool(troubles) == bool(found)


def test_an_address_without_tls_has_no_certificate() -> None:
    assert asyncio.run(checks.certificate("http://localhost:1", time.time())) == []


class Hook:
    """A webhook on loopback that keeps what it is told."""

    def __init__(self, status: int = 200) -> None:
        told: list[dict[str, Any]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.told = told
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/secret-path"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Hook:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_an_alarm_goes_out_by_mail_and_by_webhook(tmp_path: Path) -> None:
    async def main(url: str) -> bool:
        async with Trap(tmp_path / "mail", "127.0.0.1", 0) as trap:
            settings = Settings(
                data_dir=tmp_path,
                alarm_email="owner@example.com",
                alarm_webhook=url,
                smtp_host="127.0.0.1",
                smtp_port=trap.port,
            )
            return await tell(settings, News((ALARM,), ()), every=True)

    with Hook() as hook:
        assert asyncio.run(main(hook.url))
    (mail,) = caught(tmp_path / "mail")
    assert "Only 3 MB are left." in mail.part("plain") and mail.header("Subject").startswith("Alarm: disk")
    (told,) = hook.told
    assert told["standing"][0]["kind"] == "disk" and "Only 3 MB are left." in told["text"]


def test_a_way_that_fails_is_said_without_its_address(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Hook(500) as hook:
        settings = Settings(
            data_dir=tmp_path,
            alarm_email="owner@example.com",
            alarm_webhook=hook.url,
            smtp_host="127.0.0.1",
            smtp_port=1,
        )
        assert not asyncio.run(tell(settings, News((ALARM,), ())))
    assert "could not be mailed" in caplog.text and "webhook did not take it" in caplog.text
    assert "secret-path" not in caplog.text


def test_one_way_of_two_is_enough(tmp_path: Path) -> None:
    with Hook() as hook:
        settings = Settings(
            data_dir=tmp_path,
            alarm_email="owner@example.com",
            alarm_webhook=hook.url,
            smtp_host="127.0.0.1",
            smtp_port=1,
        )
        assert asyncio.run(tell(settings, News((ALARM,), ())))
        assert not asyncio.run(tell(settings, News((ALARM,), ()), every=True))


class Answering:
    """An HTTP server on loopback that answers everything alike, and keeps what it was asked."""

    def __init__(self, status: int, body: bytes) -> None:
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.asked = asked
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_a_silent_worker_is_told_by_name() -> None:
    said = [{"worker": 1, "pid": 7, "state": "ok"}, {"worker": 2, "pid": 8, "state": "silent for 20 s"}]
    with Answering(503, json.dumps({"workers": said}).encode()) as admin:
        (trouble,) = checks.gateway("http://127.0.0.1:1/auth/v1/health", admin.url)
    assert (trouble.kind, trouble.subject) == ("worker", "2") and "silent for 20 s" in trouble.text
    assert admin.asked == ["/ready"], "the public port is left alone: recordings hold what visitors ask"


def test_a_gateway_that_does_not_answer_is_told() -> None:
    assert [trouble.kind for trouble in checks.gateway("http://127.0.0.1:1/health", None)] == ["gateway"]
    assert [trouble.kind for trouble in checks.gateway("http://127.0.0.1:1/health", "http://127.0.0.1:1")] == [
        "gateway"
    ]
    with Answering(500, b"") as broken:
        assert [trouble.kind for trouble in checks.gateway(f"{broken.url}/health", None)] == ["gateway"]
    with Answering(200, b"{}") as well:
        assert checks.gateway(f"{well.url}/health", None) == []
    with Answering(200, b"nonsense") as odd:
        assert [trouble.kind for trouble in checks.gateway("http://127.0.0.1:1/health", odd.url)] == ["gateway"]
