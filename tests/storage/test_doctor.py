"""`gateway doctor` says whether the bytes of objects can be had."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import httpx

from tests.fixtures.server import GatewayStarter, LiveGateway


def finding(gateway: LiveGateway) -> tuple[str, str]:
    told = [json.loads(line) for line in gateway.command("doctor", "--json").stdout.splitlines()]
    (found,) = [each for each in told if each["subject"] == "storage"]
    return found["level"], found["text"]


def test_lost_bytes_and_a_store_that_cannot_be_used_are_problems(gateways: GatewayStarter, tmp_path: Path) -> None:
    gateway = gateways()
    headers = {"authorization": f"Bearer {gateway.secret_key}"}
    with httpx.Client(base_url=f"{gateway.url}/storage/v1", headers=headers) as admin:
        admin.post("/bucket", json={"name": "b"}).raise_for_status()
        for name in ("x", "y"):
            admin.post(f"/object/b/{name}", content=b"z" * 100_000).raise_for_status()
    assert finding(gateway) == ("ok", "2 objects of 0.2 MB; their bytes are there")
    folder = gateway.data_dir / "storage"
    shutil.move(folder, tmp_path / "elsewhere")  # a volume that is not mounted
    assert finding(gateway) == ("problem", "2 of the newest 2 objects have no bytes")
    folder.write_text("no folder")
    level, text = finding(gateway)
    assert (level, text.startswith("the store cannot be used")) == ("problem", True)
