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


def test_list_shows_the_folder_what_was_deployed_and_what_is_served(live: Served, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    write(root, "shown", "async def handle(request):\n    return 'one'\n")
    deployed = live.command("deploy", "shown", "--dir", str(root)).stdout.split()[1]
    write(root, "shown", "async def handle(request):\n    return 'two'\n")
    row = next(
        row for row in json.loads(live.command("list", "--json", "--dir", str(root)).stdout) if row["name"] == "shown"
    )
    assert (row["deployed"], row["served"]) == (deployed, deployed) and row["version"] != deployed
    assert deployed in live.command("list", "--dir", str(root)).stdout
    assert "not known" in run("list", "--url", "http://127.0.0.1:9").stdout


def test_versions_are_listed_compared_fetched_and_rolled_back(live: Served, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    found = []
    for word in ("one", "two"):
        write(root, "kept", f"async def handle(request):\n    return {word!r}\n")
        found.append(live.command("deploy", "kept", "--dir", str(root)).stdout.split()[1])
    rows = json.loads(live.command("versions", "kept", "--json").stdout)
    assert [row["version"] for row in rows] == found and [row["current"] for row in rows] == [False, True]
    assert live.command("diff", "kept", "--dir", str(root)).stdout == "kept is the same here and there\n"
    older = live.command("diff", "kept", found[0], "--dir", str(root))
    assert older.returncode == 1 and "-    return 'one'" in older.stdout and "+    return 'two'" in older.stdout
    refused = live.command("download", "kept", "--version", found[0], "--dir", str(root))
    assert refused.returncode == 1 and "--force" in refused.stderr
    fetched = live.command("download", "kept", "--version", found[0], "--to", str(tmp_path / "there"))
    assert fetched.returncode == 0, fetched.stderr
    assert "'one'" in (tmp_path / "there" / "kept" / "main.py").read_text()
    rolled = live.command("rollback", "kept").stdout
    assert rolled == f"kept {found[0]} is served, no longer {found[1]}\n"
    again = live.command("rollback", "kept")
    assert again.returncode == 1 and "no version before" in again.stderr
    assert "nothing is served" in live.command("delete", "kept").stdout
    assert live.command("versions", "kept").returncode == 1


def test_a_function_alone_has_the_keys_of_the_gateway_here(live: Served, tmp_path: Path) -> None:
    root = tmp_path / "functions"
    text = "import os\n\n\nasync def handle(request):\n    return dict(os.environ)\n"
    write(root, "keyed", text, 'env = ["WORD"]\n')
    (live.data_dir / "functions.env").write_text("WORD=of the file\n")
    seen = json.loads(live.command("call", "keyed", "--alone", "--dir", str(root)).stdout)
    assert seen["SUPABASE_URL"] == live.url and seen["WORD"] == "of the file"
    assert json.loads(seen["SUPABASE_SECRET_KEYS"])["default"] == live.keys.secret_key


def test_the_service_may_call_what_asks_for_a_token(live: Served) -> None:
    assert live.command("call", "guarded", "--as", "service").stdout == "ok\n"


def test_a_function_s_own_tests_are_given_what_they_need(tmp_path: Path) -> None:
    root = tmp_path / "functions"
    write(root, "tested", "async def handle(request):\n    return {'word': (await request.json())['word'] * 2}\n")
    (root / "tested" / "test_tested.py").write_text(
        "import os\n\nos.environ['SUPABASE_URL'] = 'http://127.0.0.1:9'\n\n\n"
        "def test_it_answers(call):\n"
        "    answer = call('POST', '/x?y=1', json={'word': 'ab'})\n"
        "    assert (answer.status, answer.json) == (200, {'word': 'abab'})\n\n\n"
        "def test_a_request_is_made(make_request, function):\n"
        "    request = make_request('GET', '/a?b=c', headers={'X-Mine': '1'})\n"
        "    assert (request.url.path, request.query_params['b']) == ('/tested/a', 'c')\n\n\n"
        "def test_the_gateway_is_found_or_the_test_is_skipped(gateway):\n    raise AssertionError\n"
    )
    done = run("test", "tested", "--dir", str(root), cwd=tmp_path)
    assert done.returncode == 0 and "2 passed, 1 skipped" in done.stdout, done.stdout + done.stderr


def test_serve_prints_each_call_and_what_the_function_prints(tmp_path: Path) -> None:
    import httpx

    root = tmp_path / "functions"
    write(root, "loud", "async def handle(request):\n    print('a word')\n    raise ValueError('no good')\n")
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "functions", "serve", "--port", "0", "--dir", str(root)],
            cwd=ROOT,
            env=environment(tmp_path / "data"),
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        assert process.stdout is not None
        address = process.stdout.readline().split()[2].replace("/NAME:", "/loud")
        assert httpx.post(address, timeout=60, trust_env=False).status_code == 500
        process.terminate()
        process.wait(60)
        process.stdout.close()
    lines = (tmp_path / "said").read_text()
    assert "loud > POST /loud 500 in" in lines and "WORKER_ERROR" in lines
    assert "loud | a word" in lines and "loud | ValueError: no good" in lines


def test_a_debugger_is_for_one_function() -> None:
    done = run("serve", "--debug")
    assert done.returncode == 1 and "serve NAME --debug" in done.stderr


def write(root: Path, name: str, text: str, settings: str = "") -> None:
    (root / name).mkdir(parents=True, exist_ok=True)
    (root / name / "function.toml").write_text(f"verify_jwt = false\n{settings}")
    (root / name / "main.py").write_text(text)
