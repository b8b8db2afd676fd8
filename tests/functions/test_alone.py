"""One function on its own: a bare process on a port, as in a container."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.gateway.functions.conftest import LIMIT, ROOT, SAMPLES, wait_for


@contextmanager
def alone(name: str, root: Path = SAMPLES, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A function served by the runner, told its port by $PORT."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "functions_runner.runner", name, "--dir", str(root), *options],
        cwd=ROOT,
        env={**kept, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    try:
        yield line.split()[-1].removesuffix(f"/{name}") if line else "", process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(LIMIT)
        process.stdout.close()
        process.stderr.close()


def call(url: str, method: str = "POST", **more: object) -> httpx.Response:
    return httpx.request(method, url, timeout=LIMIT, trust_env=False, **more)  # type: ignore[arg-type]


def test_it_answers_at_its_name_and_at_the_root() -> None:
    with alone("echo") as (url, _):
        assert call(f"{url}/echo/sub").json()["path"] == "/echo/sub"
        assert call(f"{url}/").json()["path"] == "/"


def test_it_says_that_it_is_well() -> None:
    with alone("echo") as (url, _):
        response = call(f"{url}/_internal/health", "GET")
        assert (response.status_code, response.json()) == (200, {"message": "ok"})


def test_it_reads_a_form_with_a_file(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    (root / "letter").mkdir(parents=True)
    (root / "letter" / "main.py").write_text(
        "async def handle(request):\n    async with request.form() as form:\n"
        "        return [form['to'], form['file'].filename, (await form['file'].read()).decode()]\n"
    )
    with alone("letter", root) as (url, _):
        response = call(f"{url}/letter", data={"to": "Ada"}, files={"file": ("a.txt", b"content")})
        assert response.json() == ["Ada", "a.txt", "content"]


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("raises", 500, "WORKER_ERROR"), ("exits", 500, "WORKER_ERROR"), ("slow", 504, "IDLE_TIMEOUT")],
)
def test_its_faults_are_the_platform_s(name: str, status: int, code: str) -> None:
    with alone(name) as (url, _):
        response = call(f"{url}/{name}")
        assert (response.status_code, response.json()["code"]) == (status, code)
        assert response.headers["access-control-allow-origin"] == "*"


def test_asked_to_stop_it_finishes_what_it_began(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    (root / "calm").mkdir(parents=True)
    (root / "calm" / "main.py").write_text(
        "import asyncio\n\n\nasync def handle(request):\n    print('began', flush=True)\n"
        "    await asyncio.sleep(0.5)\n    return 'done'\n"
    )
    with alone("calm", root) as (url, process):
        answers: list[str] = []
        thread = threading.Thread(target=lambda: answers.append(call(url).text))
        thread.start()
        assert process.stdout is not None and process.stdout.readline() == "began\n"
        process.send_signal(signal.SIGTERM)
        thread.join()
        assert answers == ["done"]
        assert process.wait(LIMIT) == 0


def test_it_does_not_start_broken() -> None:
    with alone("import-error") as (url, process):
        assert url == ""
        assert process.wait(LIMIT) == 78
        assert process.stderr is not None
        assert "a_package_that_does_not_exist" in process.stderr.read()


def test_with_reload_a_syntax_error_leaves_the_old_version_serving(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    shutil.copytree(SAMPLES / "nothing", root / "page")
    main = root / "page" / "main.py"
    main.write_text("async def handle(request):\n    return 'old'\n")
    with alone("page", root, "--reload") as (url, process):
        assert call(url).text == "old"
        main.write_text("async def handle(request:\n")
        assert [call(url).text for _ in range(3)] == ["old"] * 3
        main.write_text("async def handle(request):\n    return 'mended'\n")
        wait_for(lambda: call(url).text == "mended")
        process.terminate()
        assert process.stderr is not None
        assert process.stderr.read().count("SyntaxError") == 1


def test_a_function_takes_the_runner_s_modules_by_their_old_names_too(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    (root / "shared").mkdir(parents=True)
    (root / "old").mkdir()
    (root / "shared" / "__init__.py").touch()
    (root / "shared" / "words.py").write_text("from functions.logs import request_id\nWORD = 'kept'\n")
    (root / "old" / "main.py").write_text(
        "import functions_runner.logs\nimport functions_runner.types\n"
        "from functions.shared import words\nfrom functions.types import FunctionConfig\n"
        "def handle(request):\n"
        "    same = FunctionConfig is functions_runner.types.FunctionConfig\n"
        "    return [words.WORD, same, words.request_id is functions_runner.logs.request_id]\n"
    )
    with alone("old", root) as (url, _):
        assert call(f"{url}/old").json() == ["kept", True, True]


def test_it_needs_nothing_of_the_gateway() -> None:
    code = (
        "import sys\n"
        "sys.modules['gateway'] = None\n"
        "from functions_runner import registry, runner\n"
        "for name in registry.names():\n"
        "    runner.load(registry.find(name))\n"
        "print(sorted(name for name in sys.modules if name.startswith('gateway')))\n"
    )
    env = {**os.environ, "SUPABASE_URL": "http://127.0.0.1:9"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.stdout == "['gateway']\n", done.stderr
