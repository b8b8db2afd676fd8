"""What the storage API costs: processor time of the gateway and of Postgres, beside a plain file server.

The file server is asyncio's smallest: it reads a file and writes it behind a head, asks nobody and checks nothing.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx
import jwt

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.bench import cpu
from tests.bench.load import Call, load
from tests.fixtures.schema import migrate
from tests.fixtures.server import LiveGateway, start_gateway

CONNECTIONS: Final = 16
SECONDS: Final = 3.0
OBJECTS: Final = 10_000
SMALL: Final = 10_000  # bytes
LARGE: Final = 10_000_000

PLAIN: Final = """
import asyncio, os, sys
import uvloop

class Files(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.left = 0

    def data_received(self, data):
        path = sys.argv[1] + data.split(b" ", 2)[1].decode()
        self.task = asyncio.ensure_future(self.send(path))

    def pause_writing(self):
        self.ready = asyncio.get_running_loop().create_future()

    def resume_writing(self):
        self.ready.set_result(None)

    ready = None

    async def send(self, path):
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.transport.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n" % size)
            while piece := file.read(262_144):
                self.transport.write(piece)
                if self.ready is not None:
                    await self.ready
                    self.ready = None

async def main():
    server = await asyncio.get_running_loop().create_server(Files, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(1e6)

uvloop.run(main())
"""


def main() -> None:
    """Print the figures."""
    folder = Path(tempfile.mkdtemp())
    postgres = EmbeddedPostgres(folder / "postgres")
    postgres.start()
    gateway: LiveGateway | None = None
    plain: subprocess.Popen[str] | None = None
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
        extra = {"GATEWAY_RATE_LIMIT_STORAGE": "0", "UPLOAD_FILE_SIZE_LIMIT": "1000000000"}
        gateway = start_gateway(postgres.url(), folder / "data", extra=extra)
        (folder / "small").write_bytes(b"s" * SMALL)
        (folder / "large").write_bytes(b"l" * LARGE)
        plain = subprocess.Popen([sys.executable, "-c", PLAIN, str(folder)], stdout=subprocess.PIPE, text=True)
        assert plain.stdout is not None
        files = f"http://127.0.0.1:{plain.stdout.readline().strip()}"
        prepare(gateway, postgres)
        measure(gateway, postgres, files, plain.pid)
    finally:
        if plain is not None:
            plain.kill()
            plain.communicate()
        if gateway is not None:
            gateway.stop()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def prepare(gateway: LiveGateway, postgres: EmbeddedPostgres) -> None:
    """Two buckets, one of them full, and what a user may see of the other."""
    base = f"{gateway.url}/storage/v1"
    with httpx.Client(base_url=base, headers={"authorization": f"Bearer {gateway.secret_key}"}, timeout=60) as client:
        for bucket, public in (("open", True), ("closed", False), ("full", False)):
            client.post("/bucket", json={"name": bucket, "public": public}).raise_for_status()
        for bucket, (name, size) in itertools.product(("open", "closed"), (("small", SMALL), ("large", LARGE))):
            headers = {"content-type": "image/png", "cache-control": "max-age=3600"}
            client.post(f"/object/{bucket}/{name}.png", content=b"x" * size, headers=headers).raise_for_status()
    with SyncConnection(postgres.url()) as connection:
        connection.script(
            "create policy users on storage.objects to authenticated using (true) with check (true);"
            "insert into storage.objects (bucket_id, name, metadata, version)"
            " select 'full', 'f' || lpad(n::text, 6, '0'),"
            """ '{"size": 1, "mimetype": "a/b", "eTag": "\\"x\\""}', gen_random_uuid()::text"""
            f" from generate_series(1, {OBJECTS}) as n"
        )
        connection.script("vacuum analyze storage.objects")


def user_token(gateway: LiveGateway) -> str:
    now = int(time.time())
    claims = {"role": "authenticated", "aud": "authenticated", "sub": "0" * 8, "iat": now, "exp": now + 3600}
    return jwt.encode(claims, str(gateway.keys["jwt_secret"]), algorithm="HS256")


def measure(gateway: LiveGateway, postgres: EmbeddedPostgres, files: str, plain: int) -> None:
    base = f"{gateway.url}/storage/v1"
    bearer = {"authorization": f"Bearer {user_token(gateway)}"}
    names = itertools.count()
    page = b'{"prefix":"","limit":100,"offset":5000,"sortBy":{"column":"name","order":"asc"}}'
    as_json = {**bearer, "content-type": "application/json"}

    def uploads(size: int, count: int) -> list[Call]:
        body = b"u" * size
        # The many have names that are new; the one is sent over and over.
        sent = {**bearer, "content-type": "image/png", "x-upsert": "false" if count > 1 else "true"}
        return [Call.of(f"{base}/object/closed/up{next(names)}", "POST", sent, body) for _ in range(count)]

    rows: list[tuple[str, Sequence[Call], int, float]] = [
        ("public, 10 kB", [Call.of(f"{base}/object/public/open/small.png")], 0, 150),
        ("with a token, 10 kB", [Call.of(f"{base}/object/authenticated/closed/small.png", headers=bearer)], 0, 300),
        ("upload, 10 kB", uploads(SMALL, 20_000), 0, 1200),
        ("list 100 of 10,000 from 5,000", [Call.of(f"{base}/object/list/full", "POST", as_json, page)], 0, 2000),
        ("public, 10 MB", [Call.of(f"{base}/object/public/open/large.png")], LARGE, 0.3),
        ("upload, 10 MB", uploads(LARGE, 1), LARGE, 3.0),
    ]
    print(f"storage: processor time over {CONNECTIONS} connections; µs a request, or s a GB")
    for title, calls, size, bar in rows:
        spent = [postgres_seconds(postgres), cpu.seconds(gateway.process.pid)]
        requests = load(gateway.url, calls, CONNECTIONS, SECONDS, once=len(calls) > 1).requests
        database = postgres_seconds(postgres) - spent[0]
        own = cpu.seconds(gateway.process.pid) - spent[1]
        unit = 1e9 / size if size else 1e6
        each = [value / requests * unit for value in (own, database)]
        shown = "{:.2f} + {:.2f} s/GB" if size else "{:.0f} + {:.0f} µs"
        print(f"  {title:<30} {shown.format(*each):<22} (bar {bar:g}, {requests} requests)")
    for title, name, size in (("plain file server, 10 kB", "small", 0), ("plain file server, 10 MB", "large", LARGE)):
        before = cpu.seconds(plain)
        requests = load(files, [Call.of(f"{files}/{name}")], CONNECTIONS, SECONDS).requests
        each_plain = (cpu.seconds(plain) - before) / requests * (1e9 / size if size else 1e6)
        print(f"  {title:<30} {each_plain:.2f} s/GB" if size else f"  {title:<30} {each_plain:.0f} µs")


def postgres_seconds(postgres: EmbeddedPostgres) -> float:
    """Of the server and all its children, those that ended too."""
    assert postgres.pid is not None
    return cpu.seconds(postgres.pid)
