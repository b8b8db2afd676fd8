"""Secrets in files: read at the start and at every reload, and a file that is not there stops the start."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import jwt
import pytest

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway, environment
from tests.ops.procs import until

FIRST, SECOND = (f"the {number} secret of the file, long enough" for number in ("first", "second"))


def status(gateway: LiveGateway, secret: str) -> int:
    token = jwt.encode({"role": "anon", "exp": int(time.time()) + 600}, secret, algorithm="HS256")
    headers = {"apikey": gateway.publishable_key, "authorization": f"Bearer {token}"}
    return httpx.get(
        f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1", headers=headers, trust_env=False
    ).status_code


def test_a_secret_in_a_file_is_read_at_every_reload(gateways: GatewayStarter, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(FIRST + "\n")
    gateway = gateways(extra={"PGRST_JWT_SECRET": f"@{secret}", "PGRST_NO_SUCH_THING": "1"})
    assert (status(gateway, FIRST), status(gateway, SECOND), status(gateway, f"@{secret}")) == (200, 401, 401)
    warned = [line for line in gateway.output if "without effect: PGRST_NO_SUCH_THING" in line]
    assert len(warned) == 1
    assert FIRST not in "".join(gateway.output)

    secret.write_text(SECOND)
    with SyncConnection(gateway.database_url) as connection:
        connection.script("notify pgrst, 'reload config'")
    until(lambda: status(gateway, SECOND) == 200, "the second secret is taken at a notification")
    assert status(gateway, FIRST) == 401

    secret.unlink()
    with SyncConnection(gateway.database_url) as connection:
        connection.script("notify pgrst, 'reload config'")
    until(lambda: any("Failed reloading config" in line for line in gateway.output), "the loss is told")
    assert status(gateway, SECOND) == 200

    secret.write_text(FIRST)
    gateway.process.send_signal(signal.SIGHUP)
    until(lambda: status(gateway, FIRST) == 200, "the first secret is taken at a signal")
    until(lambda: status(gateway, SECOND) == 401, "the second is forgotten")


def test_the_address_of_the_database_may_stand_in_a_file(
    gateways: GatewayStarter, tmp_path: Path, database_url: str
) -> None:
    address = tmp_path / "address"
    address.write_text(f"  {database_url}\n\n")
    gateway = gateways(extra={"DATABASE_URL": f"@{address}"})
    assert status(gateway, str(gateway.keys["jwt_secret"])) == 200


@pytest.mark.parametrize("variable", ["PGRST_JWT_SECRET", "PGRST_DB_URI"])
def test_a_file_that_is_not_there_stops_the_start(variable: str, database_url: str, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    ended = subprocess.run(
        [sys.executable, "-m", "gateway", "serve", "--port", "0"],
        cwd=ROOT,
        env=environment(database_url, tmp_path, {variable: f"@{missing}"}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    said = rf"gateway: {variable}: the file '{re.escape(str(missing))}' cannot be read: No such file or directory\n"
    assert re.fullmatch(said, ended.stderr)
