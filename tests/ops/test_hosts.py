"""Addresses of a database: lists of hosts, and TLS that is verified."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gateway.database import NO_SCOPE, Database, DatabaseUnavailable, connect
from gateway.database.embedded import EmbeddedError, client_program, programs
from gateway.database.statement import Statement
from tests.fixtures.server import start_gateway

LIMIT = 30.0
SSL_REQUEST = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A host that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def test_a_silent_host_of_a_list_is_left_for_the_next(database_url: str, silent: socket.socket) -> None:
    parts = urlsplit(database_url)
    query = parse_qs(parts.query)
    query["host"] = [f"127.0.0.1,{query['host'][0] if 'host' in query else parts.hostname}"]
    query["port"] = [f"{silent.getsockname()[1]},{parts.port or 5432}"]
    query |= {"connect_timeout": ["3"], "dbname": [parts.path[1:]], "user": [parts.username or "postgres"]}
    if parts.password:
        query["password"] = [parts.password]
    url = f"postgresql://?{urlencode(query, doseq=True)}"

    async def main() -> bytes | None:
        database = Database(url)
        try:
            await database.open()
            return (await database.run(NO_SCOPE, Statement("select 1"))).value
        finally:
            await database.close()

    assert asyncio.run(main()) == b"1"


class Authority:
    """A certificate authority of its own, and certificates that it signs."""

    def __init__(self, folder: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, folder.name)])
        self.file = folder / "authority.pem"
        self.file.write_bytes(self._certificate(self._name, self._key.public_key(), authority=True))

    def server(self, name: str, folder: Path) -> ssl.SSLContext:
        """What a server of this name shows."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        file = folder / f"{name}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + self._certificate(subject, key.public_key(), alternative=name))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _certificate(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, authority: bool = False, alternative: str = ""
    ) -> bytes:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if alternative:
            address = x509.IPAddress(ipaddress.ip_address(alternative))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


class Front:
    """TLS before a Postgres, as a managed one has it: whoever does not ask for TLS is sent away."""

    def __init__(self, database_url: str, context: ssl.SSLContext) -> None:
        self._url = database_url
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()))
        self.port = 0

    def __enter__(self) -> Front:
        self._thread.start()
        assert self._ready.wait(LIMIT)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(LIMIT)
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ssl.SSLError, asyncio.IncompleteReadError):
            if await reader.readexactly(8) == SSL_REQUEST:
                writer.write(b"S")
                await writer.start_tls(self._context)
                inner_reader, inner_writer = await self._behind()
                ways = [_copy(reader, inner_writer), _copy(inner_reader, writer)]
                await asyncio.wait([asyncio.ensure_future(way) for way in ways], return_when=asyncio.FIRST_COMPLETED)
                inner_writer.close()
        writer.close()

    async def _behind(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self._url)
        folder = parse_qs(parts.query).get("host")
        if folder:
            return await asyncio.open_unix_connection(f"{folder[0]}/.s.PGSQL.{parts.port or 5432}")
        return await asyncio.open_connection(parts.hostname, parts.port or 5432)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


def managed_url(database_url: str, front: Front, authority: Path, mode: str = "verify-full") -> str:
    parts = urlsplit(database_url)
    login = parts.netloc.rpartition("@")[0] or "postgres"
    return f"postgresql://{login}@127.0.0.1:{front.port}{parts.path}?sslmode={mode}&sslrootcert={authority}"


def test_a_managed_database_is_reached_over_verified_tls_alone(database_url: str, tmp_path: Path) -> None:
    ours, others = tmp_path / "ours", tmp_path / "others"
    ours.mkdir()
    others.mkdir()
    authority = Authority(ours)

    with Front(database_url, authority.server("127.0.0.1", ours)) as front:
        running = start_gateway(managed_url(database_url, front, authority.file), tmp_path / "gateway")
        try:
            headers = {"apikey": running.publishable_key}
            table = f"{running.url}/rest/v1/blog_posts?select=id&limit=1"
            assert httpx.get(table, headers=headers, timeout=LIMIT).status_code == 200
        finally:
            running.stop()
        stranger = managed_url(database_url, front, Authority(others).file)
        with pytest.raises(DatabaseUnavailable, match="certificate verify failed"):
            asyncio.run(connect(stranger))
    with Front(database_url, authority.server("127.0.0.2", ours)) as front:
        misnamed = managed_url(database_url, front, authority.file)
        with pytest.raises(DatabaseUnavailable, match="does not match host name"):
            asyncio.run(connect(misnamed))


def test_where_tls_is_demanded_the_systems_programs_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.database.embedded.shutil.which", lambda name: f"/system/{name}")
    assert client_program("pg_dump", "postgresql://a@b/c?sslmode=verify-full") == Path("/system/pg_dump")
    assert client_program("pg_dump", "postgresql://a@b/c?sslmode=prefer") == programs() / "pg_dump"
    monkeypatch.setattr("gateway.database.embedded.shutil.which", lambda name: None)
    with pytest.raises(EmbeddedError, match=r"pg_dump speaks no TLS.*sslmode=require.*install"):
        client_program("pg_dump", "postgresql://a@b/c?sslmode=require")
