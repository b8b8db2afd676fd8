"""Where the gateway listens: sockets of the file system, and a port that processes share."""

from __future__ import annotations

import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, GatewayStarter, environment
from tests.ops.procs import LIMIT, until

TABLE = "/rest/v1/blog_posts?select=id&limit=1"


def through(path: Path) -> httpx.Client:
    return httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost", timeout=LIMIT)


def test_a_gateway_listens_on_sockets_of_the_file_system(gateways: GatewayStarter, tmp_path: Path) -> None:
    public, admin = tmp_path / "public.sock", tmp_path / "admin.sock"
    public.write_text("what an earlier process left")
    gateway = gateways(
        extra={
            "PGRST_SERVER_UNIX_SOCKET": str(public),
            "PGRST_SERVER_UNIX_SOCKET_MODE": "600",
            "PGRST_ADMIN_SERVER_UNIX_SOCKET": str(admin),
            "GATEWAY_TRUSTED_PROXIES": "127.0.0.1",
            "GATEWAY_RATE_LIMIT_ROUTES": "/rest/v1/sources=1/m",
        }
    )
    assert gateway.url.startswith("unix://")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (public, admin)] == [0o600, 0o660]
    headers = {"apikey": gateway.publishable_key}
    with through(public) as client, through(admin) as inner:
        assert client.get(TABLE, headers=headers).status_code == 200
        assert client.get("/auth/v1/health").status_code == 200
        refused = client.post("/rest/v1/blog_posts", headers=headers, json={"title": "x"})
        assert refused.status_code in (401, 403), "a body arrives as well"
        limited = [
            client.get("/rest/v1/sources", headers={**headers, "x-forwarded-for": address}).status_code
            for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
        ]
        assert limited == [404, 429, 404], "a proxy at the other end says who asks"
        assert inner.get("/live").json() == {"live": True}
        assert inner.get("/ready").status_code == 200
        told = gateway.command("status")
        assert "monitor       ok" in told.stdout and "worker 1      ok" in told.stdout, told.stdout + told.stderr
        public.unlink()
        assert inner.get("/live").status_code == 500, "nobody can reach it any more"
    assert gateway.stop() == 0
    assert not admin.exists()


def test_a_port_may_be_shared_and_opens_once_there_is_a_schema(database_url: str, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def log(name: str) -> Path:
        return tmp_path / f"{name}.log"

    def started(name: str, **extra: str) -> subprocess.Popen[str]:
        folder = tmp_path / name
        settings = environment(database_url, folder, {"PGRST_SERVER_REUSEPORT": "true", **extra})
        arguments = [sys.executable, "-u", "-m", "gateway", "serve", "--port", str(port)]
        with log(name).open("w") as output:
            return subprocess.Popen(arguments, cwd=ROOT, env=settings, stdout=output, stderr=output, text=True)

    def answers() -> bool:
        try:
            return httpx.get(f"{url}/auth/v1/health", timeout=LIMIT).status_code == 200
        except httpx.TransportError:
            return False

    def said(name: str, words: str) -> None:
        until(lambda: words in log(name).read_text(), f"the {name} process says {words!r}")

    first = started("first", PGRST_DB_SCHEMAS="public,to_come")
    second = None
    try:
        said("first", 'schema "to_come" does not exist')
        assert not answers(), "it takes no request before it can answer one"
        with SyncConnection(database_url) as connection:
            connection.script("create schema to_come; grant usage on schema to_come to public")
        said("first", "gateway ready on ")
        assert answers()
        second = started("second")
        said("second", "gateway ready on ")
        first.terminate()
        assert first.wait(LIMIT) == 0
        assert answers(), "the second one has the port too"
    finally:
        for process in (first, second):
            if process is not None:
                process.terminate()
                process.wait(LIMIT)
