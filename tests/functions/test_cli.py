"""The `functions` command as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.functions.conftest import ROOT, SAMPLES, Served, environment, start, stop

# one worker runs them all, with one server


def run(*arguments: str, input: str | None = None, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "functions", *arguments],
        cwd=ROOT,
        env=environment(cwd),
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The samples behind a server, with the keys that the command finds by itself."""
    root = tmp_path_factory.mktemp("cli")
    running = start(SAMPLES, root / "data", "--no-reload")
    yield running
    stop(running)


def test_every_function_is_listed_with_its_version() -> None:
    rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)}
    assert {"submit-contact", "submit-newsletter", "submit-quote", "render-insight", "sitemap", "feed"} <= set(rows)
    assert len(rows["submit-quote"]["version"]) == 12
    assert rows["submit-quote"]["env"] == ["LEADS_TO"]
    assert "submit-quote" in run("list").stdout


@pytest.mark.parametrize(
    "command", [("serve", "submit-contat"), ("call", "submit-contat"), ("call", "submit-contat", "--alone")]
)
def test_a_typo_is_answered_with_the_nearest_name(command: tuple[str, ...]) -> None:
    done = run(*command)
    assert done.returncode == 1
    assert "Did you mean 'submit-contact'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_function_is_called_alone_with_a_body_from_standard_input() -> None:
    done = run("call", "echo", "--alone", "--dir", str(SAMPLES), "--path", "/a?b=c", input='{"x": 1}')
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert (answer["path"], answer["query"], answer["text"]) == ("/echo/a", "b=c", '{"x": 1}')
    assert answer["headers"]["content-type"] == "application/json"


def test_a_failing_function_fails_the_command_with_its_traceback() -> None:
    done = run("call", "exits", "--alone", "--dir", str(SAMPLES))
    assert done.returncode == 1
    assert "SystemExit: 3" in done.stderr and "exits/main.py" in done.stderr
    assert json.loads(done.stdout)["code"] == "WORKER_ERROR"


def test_without_a_gateway_the_way_out_is_named() -> None:
    done = run("call", "submit-contact", "--url", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "make run" in done.stderr and "--alone" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_function_is_called_over_the_gateway(live: Served, tmp_path: Path) -> None:
    body = tmp_path / "body.txt"
    body.write_text("from a file")
    answer = json.loads(live.command("call", "echo", str(body), "-H", "X-Mine: 1").stdout)
    assert (answer["text"], answer["headers"]["x-mine"]) == ("from a file", "1")
    assert answer["headers"]["apikey"] == live.keys.publishable_key


def test_a_function_is_called_as_the_service(live: Served) -> None:
    answer = json.loads(live.command("call", "echo", "--as", "service", "-d", "x").stdout)
    assert answer["headers"]["apikey"] == live.keys.secret_key


def test_a_guarded_function_opens_to_a_user_s_token(live: Served) -> None:
    refused = live.command("call", "guarded")
    assert refused.returncode == 1 and refused.stderr.startswith("401") and "--as user" in refused.stderr
    opened = live.command("call", "guarded", "--as", "user", "--token", live.keys.anon_jwt)
    assert opened.stdout == "ok\n"


def test_a_new_function_answers_at_once(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    assert run("new", "hello", "--dir", str(root)).returncode == 0
    done = run("call", "hello", "--alone", "--dir", str(root))
    assert json.loads(done.stdout) == {"message": "Hello Ada!"}
    again = run("new", "hello", "--dir", str(root))
    assert again.returncode == 1 and "already there" in again.stderr


@pytest.mark.parametrize("name", ["1st", "../up", "shared", "a b", "_x"])
def test_a_bad_name_is_refused(tmp_path: Path, name: str) -> None:
    done = run("new", name, "--dir", str(tmp_path))
    assert done.returncode == 1 and "no name for a function" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_deploy_logs_replay_and_rollback(live: Served, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    (root / "page").mkdir(parents=True)
    (root / "page" / "function.toml").write_text("verify_jwt = false\nrecord = true\n")
    main = root / "page" / "main.py"
    main.write_text("async def handle(request):\n    print('hello log')\n    return 'one'\n")
    deployed = live.command("deploy", "page", "--dir", str(root))
    assert deployed.returncode == 0 and "deployed" in deployed.stdout, deployed.stderr
    assert live.command("call", "page", "-d", "x", "--dir", str(root)).stdout == "one\n"
    main.write_text("async def handle(request):\n    return 'two: ' + (await request.body()).decode()\n")
    live.command("deploy", "page", "--dir", str(root))
    log = live.command("logs", "page").stdout
    assert "hello log" in log and "POST /page 200" in log
    id = next(word for line in log.splitlines() if "> POST" in line for word in [line.split(" id ")[1].split()[0]])
    replayed = live.command("replay", id)
    assert replayed.stdout == "two: x\n" and "200 then, 200 now" in replayed.stderr
    assert live.command("rollback", "page").returncode == 0
    assert live.command("call", "page", "-d", "x", "--dir", str(root)).stdout == "one\n"


def test_a_function_that_does_not_load_is_not_sent(live: Served, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    (root / "page").mkdir(parents=True)
    (root / "page" / "main.py").write_text("import nothing_of_that_name\n")
    done = live.command("deploy", "page", "--dir", str(root))
    assert done.returncode == 1 and "nothing_of_that_name" in done.stderr
