"""Several workers of one gateway answer as one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from functions_runner import registry
from functions_runner.bundle import pack

from gateway.functions.versions import Versions
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT

DEPLOYS = 20
ASKED = 24  # on connections of their own, eight at once, so that every worker is


def write(root: Path, text: str, guarded: bool = False) -> None:
    folder = root / "page"
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "function.toml").write_text(f"verify_jwt = {str(guarded).lower()}\n")
    (folder / "main.py").write_text(
        "import os\n\n\nasync def handle(request):\n"
        f"    return {{'said': {text!r}, 'id': os.environ['SB_EXECUTION_ID']}}\n"
    )


def admin(gateway: LiveGateway, path: str, method: str = "POST", **more: Any) -> Any:
    address, headers = f"{gateway.note['admin']}/_admin{path}", {"apikey": gateway.note["key"]}
    answer = httpx.request(method, address, headers=headers, timeout=LIMIT, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def deploy(gateway: LiveGateway, root: Path) -> None:
    admin(gateway, "/functions/page/deploy", content=pack(registry.find("page", root)))


def asked(gateway: LiveGateway) -> list[httpx.Response]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: httpx.get(f"{gateway.url}/functions/v1/page", timeout=LIMIT), range(ASKED)))


def answers(gateway: LiveGateway) -> set[str]:
    return {answer.json()["said"] for answer in asked(gateway)}


@pytest.fixture
def several(gateways: GatewayStarter, tmp_path: Path) -> LiveGateway:
    write(tmp_path / "functions", "in the folder")
    settings = {
        "GATEWAY_WORKERS": "3",
        "FUNCTIONS_DIR": str(tmp_path / "functions"),
        "GATEWAY_RATE_LIMIT_FUNCTIONS": "0",
    }
    return gateways(extra=settings)


def test_once_a_deploy_was_answered_every_worker_answers_with_the_new_version(
    several: LiveGateway, tmp_path: Path
) -> None:
    assert answers(several) == {"in the folder"}
    assert sum("functions run as" in line for line in several.output) == 1
    processes = set()
    for number in range(DEPLOYS):
        write(tmp_path / "work", f"version {number}")
        deploy(several, tmp_path / "work")
        seen = [answer.json() for answer in asked(several)]
        assert {answer["said"] for answer in seen} == {f"version {number}"}, number
        processes |= {answer["id"] for answer in seen}
    assert len(processes) > DEPLOYS, "more than one worker answered"


def test_a_rollback_and_a_deletion_hold_for_every_worker_at_once(several: LiveGateway, tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / "work", name)
        deploy(several, tmp_path / "work")
        assert answers(several) == {name}
    for _ in range(3):
        admin(several, "/functions/page/rollback")
        assert answers(several) == {"first"}
        deploy(several, tmp_path / "work")
        assert answers(several) == {"second"}
    admin(several, "/functions/page", "DELETE")
    assert answers(several) == {"in the folder"}
    (tmp_path / "functions" / "page" / "main.py").unlink()
    (tmp_path / "functions" / "page" / "function.toml").unlink()
    deploy(several, tmp_path / "work")
    assert answers(several) == {"second"}
    admin(several, "/functions/page", "DELETE")
    assert {answer.status_code for answer in asked(several)} == {404}


def test_what_a_version_asks_of_its_callers_holds_for_every_worker_at_once(
    several: LiveGateway, tmp_path: Path
) -> None:
    for guarded in (True, False, True):
        write(tmp_path / "work", "guarded", guarded)
        deploy(several, tmp_path / "work")
        assert {answer.status_code for answer in asked(several)} == {401 if guarded else 200}


def test_no_call_fails_while_versions_are_deployed_through_any_worker(several: LiveGateway, tmp_path: Path) -> None:
    """Each answer is of the version before the call or of a later one."""
    latest, wrong = -1, []

    def call(_: int) -> None:
        before = latest
        answer = httpx.get(f"{several.url}/functions/v1/page", timeout=LIMIT)
        number = int(answer.json()["said"].rpartition(" ")[2]) if answer.status_code == 200 else -2
        if number < before:
            wrong.append((before, answer.status_code, answer.text))

    write(tmp_path / "work", "version -1")
    deploy(several, tmp_path / "work")
    with ThreadPoolExecutor(6) as pool:
        for number in range(8):
            calls = [pool.submit(call, index) for index in range(30)]
            write(tmp_path / "work", f"version {number}")
            deploy(several, tmp_path / "work")
            latest = number
            for done in calls:
                done.result()
    assert wrong == []


def test_each_switch_has_a_stamp_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the clock stands still, or goes back, and the file system takes the same file again."""
    versions = Versions(tmp_path / "versions", tmp_path / "fallback")
    (tmp_path / "fallback").mkdir()
    monkeypatch.setattr("gateway.functions.versions.time.time_ns", iter([5000, 5000, 100, 5000, *range(500)]).__next__)
    seen = [versions.switch("page", None) for _ in range(200)]
    assert len({stamp[1] for stamp in seen if stamp}) == 200
    assert versions.stamp("page") == seen[-1]
