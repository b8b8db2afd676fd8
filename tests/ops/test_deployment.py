"""What a deployment is given: units for systemd, proxies that are believed, files of secrets."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import yaml

from tests.fixtures.server import ROOT

UNITS = sorted((ROOT / "docs" / "operations").glob("*.service"))
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_there_are_units() -> None:
    assert [unit.name for unit in UNITS] == ["gateway-single.service", "gateway-worker.service", "gateway.service"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd to ask")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_is_one_that_systemd_takes(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text()
    assert "/opt/gateway/.venv/bin/gateway " in text
    copy = tmp_path / unit.name  # with programs and folders that are there
    copy.write_text(text.replace("/opt/gateway/.venv/bin/gateway", "/bin/true").replace("/opt/gateway", "/"))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True)
    assert done.returncode == 0 and not [line for line in done.stderr.splitlines() if unit.name in line], done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_the_command_of_a_unit_exists(unit: Path) -> None:
    commands = re.findall(r"^ExecStart(?:Pre)?=/opt/gateway/\.venv/bin/gateway (.+)$", unit.read_text(), re.MULTILINE)
    assert commands
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "gateway", *command.split(), "--help"], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_compose_believes_the_host_and_the_balancer_alone() -> None:
    subnet = "172.31.54"

    def filled(text: str) -> str:
        return text.replace("${SUBNET:-172.31.54}", subnet)

    (pool,) = COMPOSE["networks"]["default"]["ipam"]["config"]
    given_out = ip_network(filled(pool["ip_range"]))
    balancer = filled(COMPOSE["services"]["balancer"]["networks"]["default"]["ipv4_address"])
    trusted = filled(COMPOSE["x-gateway"]["environment"]["GATEWAY_TRUSTED_PROXIES"]).split(",")
    assert trusted == [filled(pool["gateway"]), balancer]
    for address in trusted:  # one machine each, and never an address that another container may get
        assert ip_address(address) in ip_network(filled(pool["subnet"])) and ip_address(address) not in given_out


def env(folder: Path, *arguments: str, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway", "keys", "env", *arguments],
        cwd=ROOT,
        env={**os.environ, "GATEWAY_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        umask=umask,
    )


def test_a_file_of_secrets_is_its_owner_s_alone_and_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    done = env(tmp_path, "--file", str(path), umask=0)
    assert done.returncode == 0 and "PASSWORD" not in done.stdout
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = path.read_text()
    assert [line.partition("=")[0] for line in kept.splitlines()] == [
        "POSTGRES_PASSWORD", "PGRST_JWT_SECRET", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY",
    ]  # fmt: skip
    again = env(tmp_path, "--file", str(path))
    assert again.returncode == 1 and "move it away" in again.stderr and path.read_text() == kept


def test_secrets_that_the_shell_sends_to_a_file_are_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    command = [sys.executable, "-m", "gateway", "keys", "env"]
    with path.open("w") as file:
        path.chmod(0o644)
        subprocess.run(command, cwd=ROOT, stdout=file, check=True, umask=0o022)
    assert "POSTGRES_PASSWORD=" in path.read_text() and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "POSTGRES_PASSWORD=" in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
