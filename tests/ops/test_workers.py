"""Several workers of one gateway answer as one."""

from __future__ import annotations

from pathlib import Path

import httpx

from functions import registry
from functions.bundle import pack
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT, until


def write(root: Path, text: str) -> None:
    folder = root / "page"
    folder.mkdir(exist_ok=True)
    (folder / "function.toml").write_text("verify_jwt = false\n")
    (folder / "main.py").write_text(f"async def handle(request):\n    return {text!r}\n")


def deploy(gateway: LiveGateway, root: Path) -> None:
    answer = httpx.post(
        f"{gateway.note['admin']}/_admin/functions/page/deploy",
        headers={"apikey": gateway.note["key"]},
        content=pack(registry.find("page", root)),
        timeout=LIMIT,
    )
    assert answer.status_code == 200, answer.text


def answers(gateway: LiveGateway) -> set[str]:
    """What the function says on connections of their own, so that both workers are asked."""
    return {httpx.get(f"{gateway.url}/functions/v1/page", timeout=LIMIT).text for _ in range(16)}


def test_a_version_deployed_through_one_worker_is_served_by_all(gateways: GatewayStarter, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    root.mkdir()
    write(root, "first")
    gateway = gateways(extra={"GATEWAY_WORKERS": "2", "FUNCTIONS_DIR": str(root)})
    assert answers(gateway) == {"first"}
    assert sum("functions run as" in line for line in gateway.output) == 1
    write(root, "second")
    deploy(gateway, root)
    until(lambda: answers(gateway) == {"second"}, "every worker serves the second version")
