"""Packages of a function's own: installed once, shared by equal requirements, and no trouble to anybody else."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from functions_runner import registry, requirements
from functions_runner.bundle import pack
from functions_runner.environments import Environments
from functions_runner.installing import InstallFailed
from functions_runner.types import FunctionConfigError

from tests.gateway.functions.conftest import LIMIT, Served, start, stop
from tests.gateway.functions.wheels import wheel, wheel_house

USES = "import hail\n\n\nasync def handle(request):\n    return hail.WORD\n"
PROJECT = '[project]\nname = "x"\ndependencies = [{}]\n'


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = wheel_house(tmp_path_factory.mktemp("house"))
    wheel("hail", "1.0", folder, "WORD = 'hail one'\n")
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, house: Path) -> Iterator[Served]:
    """A server that fetches packages from the wheel house alone."""
    root = tmp_path_factory.mktemp("served") / "functions"
    root.mkdir()
    function(root, "plain", "async def handle(request):\n    return 'plain'\n")
    extra = {"FUNCTIONS_WHEELS": str(house), "FUNCTIONS_OFFLINE": "true"}
    running = start(root, root.parent / "data", extra=extra)
    yield running
    stop(running)


def function(root: Path, name: str, text: str, *needs: str) -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(text)
    (folder / "function.toml").write_text("verify_jwt = false\n")
    if needs:
        (folder / "pyproject.toml").write_text(PROJECT.format(", ".join(map(json.dumps, needs))))
    return folder


def deploy(live: Served, root: Path, name: str) -> httpx.Response:
    return live.admin(f"/functions/{name}/deploy", "POST", content=pack(registry.find(name, root)))


def test_a_function_brings_its_package_and_disturbs_no_other(live: Served, tmp_path: Path) -> None:
    live.call("/plain")
    before = live.pid("plain")
    function(tmp_path, "brings", USES, "hail==1.0")
    answer = deploy(live, tmp_path, "brings")
    assert answer.status_code == 200, answer.text
    assert live.call("/brings").text == "hail one"
    assert live.pid("plain") == before
    assert "installs its packages: hail==1.0" in live.log("brings")


def test_equal_requirements_share_an_environment(live: Served, tmp_path: Path) -> None:
    for name in ("first", "second"):
        function(tmp_path, name, USES, "hail==1.0")
        assert deploy(live, tmp_path, name).status_code == 200
    assert len(list((live.data_dir / "functions" / "environments").glob("*/.ready"))) == 1
    assert "installs" not in live.log("second")


def test_a_wheel_in_the_function_s_folder_is_found(live: Served, tmp_path: Path) -> None:
    folder = function(
        tmp_path, "private", "import inhouse\n\n\nasync def handle(request):\n    return inhouse.WORD\n", "inhouse"
    )
    wheel("inhouse", "2.0", folder / "wheels", "WORD = 'of our own'\n", "hail")
    assert deploy(live, tmp_path, "private").status_code == 200
    assert live.call("/private").text == "of our own"


def test_a_private_wheel_deploys_in_one_command_under_load_and_no_call_is_lost(
    live: Served, house: Path, tmp_path: Path
) -> None:
    root = tmp_path / "functions"
    text = "import ledger\n\n\nasync def handle(request):\n    return ledger.WORD\n"
    folder = function(root, "loaded", text, "ledger==3.1")
    wheel("ledger", "3.1", folder / "wheels", "WORD = 'in house'\n", "hail")
    live.call("/plain")
    before, over = live.pid("plain"), threading.Event()
    from_house = {"FUNCTIONS_WHEELS": str(house), "FUNCTIONS_OFFLINE": "true"}

    def call_until_over() -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        with httpx.Client(timeout=LIMIT, trust_env=False) as client:
            while not over.wait(4 / 150) or len(found) < 50:
                answer = client.post(f"{live.url}/functions/v1/plain")
                found.append((answer.status_code, answer.text))
        return found

    with ThreadPoolExecutor(4) as pool:
        callers = [pool.submit(call_until_over) for _ in range(4)]
        try:
            deployed = live.command("deploy", "loaded", "--dir", str(root), **from_house)
        finally:
            over.set()
        answers = [row for caller in callers for row in caller.result(LIMIT)]
    assert deployed.returncode == 0 and "deployed" in deployed.stdout, deployed.stderr
    assert live.call("/loaded").text == "in house"
    assert set(answers) == {(200, "plain")} and len(answers) >= 200
    assert live.pid("plain") == before


def test_a_package_that_is_not_to_be_had_leaves_the_version_before(live: Served, tmp_path: Path) -> None:
    function(tmp_path, "page", "async def handle(request):\n    return 'good'\n")
    assert deploy(live, tmp_path, "page").status_code == 200
    function(tmp_path, "page", USES, "hail==9")
    refused = deploy(live, tmp_path, "page")
    assert refused.status_code == 422
    assert "hail==9" in refused.json()["message"] and "No matching distribution" in refused.json()["message"]
    assert "No matching distribution found for hail==9" in live.log("page")
    assert live.call("/page").text == "good"
    (served,) = (row for row in live.admin("/functions/page/versions").json() if row["current"])
    kept = live.data_dir / "functions" / "versions" / "page"
    assert {path.name for path in kept.iterdir() if path.is_dir()} == {served["version"]}


def test_one_in_the_folder_that_lacks_its_package_says_why_in_its_log(live: Served) -> None:
    function(live.root, "lacking", USES, "no-such-package-anywhere")
    answer = live.call("/lacking")
    assert (answer.status_code, answer.json()["code"]) == (503, "BOOT_ERROR")
    assert "no-such-package-anywhere" in live.log("lacking")


def test_code_that_runs_while_a_package_is_built_reaches_nothing_of_the_gateway(live: Served, tmp_path: Path) -> None:
    """A source distribution's build runs as whoever runs it."""
    folder = function(tmp_path, "built", USES, "sly @ ./sly")
    (folder / "sly").mkdir()
    (folder / "sly" / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n'
    )
    (folder / "sly" / "b.py").write_text(f"print('READ', open({str(live.data_dir / 'keys.json')!r}).read())\n")
    refused = deploy(live, tmp_path, "built")
    assert refused.status_code == 422
    assert "READ" not in refused.text and "publishable" not in refused.text + live.log("built")


# --- requirements ----------------------------------------------------------------------------------------------------


def environments(tmp_path: Path, house: Path) -> Environments:
    return Environments(tmp_path / "environments", house, True)


def test_a_lock_names_what_it_was_made_of(tmp_path: Path, house: Path) -> None:
    config = registry.read(function(tmp_path, "page", USES, "hail"))
    made = environments(tmp_path, house).lock(config)
    assert made is not None and "hail==1.0 --hash=sha256:" in made.read_text()
    found = requirements.wanted(config)
    assert found is not None and found.locked and len(found.lines) == 12
    function(tmp_path, "page", USES, "hail", "starlette")
    found = requirements.wanted(config)
    assert found is not None and not found.locked, "an old lock is none"


def test_what_was_locked_is_installed_by_its_hash(tmp_path: Path, house: Path) -> None:
    config = registry.read(function(tmp_path, "page", USES, "hail"))
    (lock := environments(tmp_path, house).lock(config))
    assert lock is not None
    lock.write_text(lock.read_text().replace("hail==1.0 --hash=sha256:", "hail==1.0 --hash=sha256:" + "0" * 64 + " #"))
    with pytest.raises(InstallFailed, match="HASH"):
        environments(tmp_path, house).python(config)
    assert not list((tmp_path / "environments").glob("*/.ready"))


def test_what_the_gateway_has_needs_no_environment(tmp_path: Path) -> None:
    config = registry.read(function(tmp_path, "page", USES, "starlette>=1", "httpx"))
    assert requirements.wanted(config) is None
    config = registry.read(function(tmp_path, "page", USES, "starlette<1"))
    assert requirements.wanted(config) is not None


@pytest.mark.parametrize("line", ["-r other.txt", "--requirement=x", "-e .", "-c x"])
def test_a_line_that_names_another_file_is_refused(tmp_path: Path, line: str) -> None:
    folder = function(tmp_path, "page", USES)
    (folder / "requirements.txt").write_text(f"# a comment\nhail\n{line}\n")
    with pytest.raises(FunctionConfigError, match="cannot be locked"):
        requirements.declared(registry.read(folder))


def test_an_environment_that_nothing_asks_for_is_removed_a_day_later(tmp_path: Path) -> None:
    kept, gone = environments(tmp_path, tmp_path), "0" * 16
    (kept.folder / gone).mkdir(parents=True)
    (kept.folder / gone / ".ready").write_text("{}")
    assert kept.prune([]) == []
    assert kept.prune([], now=(kept.folder / gone / ".ready").stat().st_mtime + 90_000) == [gone]
    assert not (kept.folder / gone).exists()


def test_packages_in_a_function_s_folder_are_no_part_of_it(tmp_path: Path) -> None:
    folder = function(tmp_path, "page", USES)
    for path in (".venv/lib/x.py", "node_modules/x/index.js", "mine/pyvenv.cfg", "mine/lib/y.py", "__pycache__/z.pyc"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")
    assert [path.name for path in registry.files(registry.read(folder))] == ["function.toml", "main.py"]
