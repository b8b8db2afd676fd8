"""Processes of functions: started when needed, replaced without a failed call, ended with the gateway."""

from __future__ import annotations

import base64
import json
import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from functions_runner import registry
from functions_runner.bundle import pack

from gateway.functions.unprivileged_user import FIRST, LAST
from tests.gateway.functions.conftest import LIMIT, Served, start, stop, wait_for

ANSWERS = "async def handle(request):\n    return {!r}\n"
SLOW_ANSWERS = (
    "import asyncio\n\n\nasync def handle(request):\n    print('began')\n"
    "    await asyncio.sleep(0.4)\n    return {!r}\n"
)


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # what is dead and not yet collected by its new parent is gone all the same
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc/self").exists() else True


def write(served: Served, name: str, text: str) -> None:
    folder = served.root / name
    folder.mkdir(exist_ok=True)
    (folder / "function.toml").write_text("verify_jwt = false\n")
    (folder / "main.py").write_text(text)


def deploy(served: Served, name: str, text: str) -> httpx.Response:
    """Deploy a function with this text from a folder of its own."""
    root = served.data_dir / "work" / str(time.monotonic_ns())
    (root / name).mkdir(parents=True)
    (root / name / "function.toml").write_text("verify_jwt = false\n")
    (root / name / "main.py").write_text(text)
    return served.admin(f"/functions/{name}/deploy", "POST", content=pack(registry.find(name, root)))


# --- rights ----------------------------------------------------------------------------------------------------------


def test_no_function_is_root(own: Served) -> None:
    write(
        own,
        "who",
        "import os, pathlib, tempfile\n\n\nasync def handle(request):\n"
        "    with tempfile.TemporaryFile() as scratch:\n        scratch.write(b'x')\n"
        "    files = {'keys': os.environ['KEYS'], 'code': __file__}\n"
        "    may = {name: os.access(path, os.R_OK) for name, path in files.items()}\n"
        "    return {'user': os.getuid(), 'groups': os.getgroups(), 'parent': os.getppid(), **may}\n",
    )
    (own.root / "who" / "function.toml").write_text('verify_jwt = false\nenv = ["KEYS"]\n')
    (own.data_dir / "functions.env").write_text(f"KEYS={own.data_dir}/keys.json\n")
    seen = own.call("/who").json()
    assert seen["code"]
    if os.geteuid() == 0:
        assert FIRST <= seen["user"] <= LAST
        assert (seen["groups"], seen["keys"]) == ([], False)
    else:
        assert seen["user"] == os.geteuid()


# --- ends ------------------------------------------------------------------------------------------------------------


def test_a_killed_gateway_leaves_no_process(own: Served) -> None:
    pids = []
    for name in ("counts", "echo", "streams"):
        own.call(f"/{name}")
        pids.append(own.pid(name))
    # a process that is busy and hears nothing must go as well
    threading.Thread(target=call_in_vain, args=(own, "/slow?blocking=1"), daemon=True).start()
    wait_for(lambda: own.pid("slow") is not None)
    pids.append(own.pid("slow"))
    own.process.kill()
    own.process.wait()
    for pid in pids:
        assert pid is not None
        wait_for(lambda pid=pid: not running(pid))  # type: ignore[misc]


def call_in_vain(served: Served, path: str) -> None:
    """A call whose answer never comes."""
    with suppress(httpx.HTTPError):
        served.call(path)


def test_the_next_gateway_removes_what_a_killed_one_left(own: Served) -> None:
    folder = Path(own.call("/echo").json()["env"]["HOME"]).parent
    own.process.kill()
    own.process.wait()
    assert folder.is_dir()
    again = start(own.root, own.data_dir)
    try:
        wait_for(lambda: not folder.exists())
    finally:
        stop(again)


def test_a_stopped_gateway_lets_a_call_finish(own: Served) -> None:
    write(own, "calm", SLOW_ANSWERS.format("done"))
    own.call("/calm")
    pid = own.pid("calm")
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(own.call("/calm").text))
    thread.start()
    wait_for(lambda: own.log("calm").count("began") == 2)
    assert stop(own) == 0
    thread.join()
    assert answers == ["done"]
    assert pid is not None
    wait_for(lambda: not running(pid))


def test_a_socket_is_out_of_reach_of_other_users(own: Served) -> None:
    own.call("/echo")
    (found,) = Path(tempfile.gettempdir()).glob(f"gw-fn-{own.process.pid}-*/*.sock")
    assert found.parent.stat().st_mode & 0o077 == 0


def test_a_process_nobody_calls_is_stopped_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from gateway.functions import service as module
    from gateway.functions.service import FunctionsService
    from gateway.http.messages import Request
    from gateway.settings import Settings
    from tests.gateway.functions.conftest import SAMPLES

    env = {"SUPABASE_SERVICE_ROLE_KEY": "k", "SUPABASE_SECRET_KEYS": "{}"}
    monkeypatch.setattr(module, "TIDY", 0.05)

    async def scenario() -> None:
        settings = Settings.load({}, functions_dir=SAMPLES, data_dir=tmp_path)
        service = FunctionsService(settings, lambda: env, lambda _: {})
        await service.start()
        try:
            request = Request("POST", "/", "", [])
            assert (await service.call("counts", request)).body == b'{"calls":1}'
            worker = service.worker("counts")
            assert worker.pid is not None
            worker.retire_if_idle(time.monotonic() + 10_000)
            async with asyncio.timeout(LIMIT):
                while worker.pid is not None:
                    await asyncio.sleep(0.01)
            assert (await service.call("counts", request)).body == b'{"calls":1}'
        finally:
            await service.stop()

    asyncio.run(scenario())


def test_a_new_list_of_name_servers_is_read_by_functions_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that changes replaces the file, and a process may read the one that was there when it started."""
    import asyncio

    from gateway.functions import service as module
    from gateway.functions.service import FunctionsService
    from gateway.http.messages import Request
    from gateway.settings import Settings
    from tests.gateway.functions.conftest import SAMPLES

    hosts = tmp_path / "resolv.conf"
    hosts.write_text("nameserver 127.0.0.1\n")
    monkeypatch.setattr(module, "TIDY", 0.05)
    monkeypatch.setattr(module, "HOSTS", (str(hosts), str(tmp_path / "missing")))
    env = {"SUPABASE_SERVICE_ROLE_KEY": "k", "SUPABASE_SECRET_KEYS": "{}"}

    async def scenario() -> None:
        settings = Settings.load({}, functions_dir=SAMPLES, data_dir=tmp_path / "data")
        service = FunctionsService(settings, lambda: env, lambda _: {})
        await service.start()
        try:
            request = Request("POST", "/", "", [])
            for count in (1, 2):
                assert (await service.call("counts", request)).body == b'{"calls":%d}' % count
                await asyncio.sleep(0.2)
            (tmp_path / "other").write_text("nameserver 127.0.0.2\n")
            (tmp_path / "other").replace(hosts)
            await asyncio.sleep(0.5)
            assert (await service.call("counts", request)).body == b'{"calls":1}'
        finally:
            await service.stop()

    asyncio.run(scenario())


# --- changes ---------------------------------------------------------------------------------------------------------


def test_a_saved_change_is_served_without_a_restart(own: Served) -> None:
    write(own, "page", ANSWERS.format("old"))
    assert own.call("/page").text == "old"
    write(own, "page", ANSWERS.format("quite new"))
    wait_for(lambda: own.call("/page").text == "quite new")


def test_a_change_in_shared_code_is_served(own: Served) -> None:
    shared = own.root / "shared"
    shared.mkdir()
    (shared / "__init__.py").touch()
    (shared / "words.py").write_text('WORD = "old"\n')
    write(own, "page", "from functions.shared.words import WORD\n\n\nasync def handle(request):\n    return WORD\n")
    assert own.call("/page").text == "old"
    (shared / "words.py").write_text('WORD = "quite new"\n')
    wait_for(lambda: own.call("/page").text == "quite new")


def test_a_saved_syntax_error_is_shown_to_the_caller_and_never_answered_from_old_code(own: Served) -> None:
    write(own, "page", ANSWERS.format("old"))
    assert own.call("/page").text == "old"
    write(own, "page", "async def handle(request:\n")
    wait_for(lambda: own.call("/page").status_code == 503)
    for _ in range(5):
        answer = own.call("/page")
        assert (answer.status_code, answer.json()["code"]) == (503, "BOOT_ERROR")
        assert "main.py" in answer.json()["message"] and "SyntaxError" in answer.json()["message"]
    assert own.log("page").count("SyntaxError") == 1
    write(own, "page", ANSWERS.format("mended"))
    wait_for(lambda: own.call("/page").text == "mended")


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("page/main.py", "def handle(request)\n", "SyntaxError"),
        ("page/main.py", "undefined_name\n", "NameError"),
        ("page/main.py", "raise SystemExit(3)\n", "SystemExit"),
        ("page/main.py", "x = 1\n", "neither `async def handle(request)`"),
        ("page/main.py", "\0\n", "null bytes"),
        ("page/words.py", "WORD = (\n", "SyntaxError"),
        ("shared/words.py", "WORD = (\n", "SyntaxError"),
    ],
    ids=["syntax", "name", "exit", "no entry", "null bytes", "beside it", "shared"],
)
def test_whatever_is_broken_by_a_save_is_told_and_mended_by_the_next(
    own: Served, file: str, text: str, word: str
) -> None:
    """Told once, however many calls come; and mended by the next save."""
    (own.root / "shared").mkdir(exist_ok=True)
    for part in ("shared/__init__.py", "shared/words.py", "page/words.py"):
        (own.root / part).parent.mkdir(exist_ok=True)
        (own.root / part).write_text('WORD = "old"\n')
    good = "from functions.shared.words import WORD\nfrom words import WORD as OTHER\n" + ANSWERS.format("old")
    write(own, "page", good)
    assert own.call("/page").text == "old"
    before = (own.root / file).read_text()
    (own.root / file).write_text(text)
    wait_for(lambda: own.call("/page").status_code == 503)
    assert [word in own.call("/page").json()["message"] for _ in range(3)] == [True] * 3
    assert own.log("page").count("failed to start") == 1
    (own.root / file).write_text(before)
    write(own, "page", good.replace("'old'", "'mended'"))
    wait_for(lambda: own.call("/page").text == "mended")


def test_a_broken_configuration_leaves_the_old_one_in_force(own: Served) -> None:
    """A guard that a typo took away would let everybody in."""
    write(own, "page", ANSWERS.format("old"))
    (own.root / "page" / "function.toml").write_text("verify_jwt = true\n")
    assert own.call("/page").status_code == 401
    for broken in ("verify_jwt = \n", "verfy_jwt = false\n", 'verify_jwt = "no"\n'):
        (own.root / "page" / "function.toml").write_text(broken)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            assert own.call("/page").status_code == 401
    (own.root / "page" / "function.toml").write_text("verify_jwt = false\n")
    wait_for(lambda: own.call("/page").status_code == 200)


def test_a_function_that_never_started_is_served_once_it_is_mended(own: Served) -> None:
    write(own, "page", "import nothing_of_that_name\n")
    assert own.call("/page").status_code == 503
    write(own, "page", ANSWERS.format("mended"))
    wait_for(lambda: own.call("/page").text == "mended")


def test_deploys_under_load_fail_no_call_and_mix_no_versions(own: Served) -> None:
    assert deploy(own, "page", ANSWERS.format("version 0")).json()["changed"] is True
    seen: list[tuple[int, str]] = []
    done = threading.Event()

    def caller() -> None:
        with httpx.Client(timeout=LIMIT, trust_env=False) as client:
            while not done.is_set():
                response = client.post(f"{own.url}/functions/v1/page")
                seen.append((response.status_code, response.text))

    threads = [threading.Thread(target=caller) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(1, 6):
        assert deploy(own, "page", ANSWERS.format(f"version {number}")).status_code == 200
        own.admin("/functions/page/rollback", "POST", json={"version": None})
        deploy(own, "page", ANSWERS.format(f"version {number}"))
        wanted = f"version {number}"
        wait_for(lambda wanted=wanted: seen[-1][1] == wanted)  # type: ignore[misc]
    done.set()
    for thread in threads:
        thread.join()
    assert {status for status, _ in seen} == {200}
    assert {text for _, text in seen} == {f"version {number}" for number in range(6)}


def test_what_a_call_imports_late_is_of_its_own_version(own: Served) -> None:
    """Also what is imported once the next version is there."""
    late = (
        "import asyncio\n\n\nasync def handle(request):\n    print('began')\n    await asyncio.sleep(0.6)\n"
        "    from functions.shared.late import WORD\n    from beside import WORD as OTHER\n    return WORD + OTHER\n"
    )

    def version(word: str) -> None:
        root = own.data_dir / "work" / word
        for part, text in (
            ("page/main.py", late), ("page/beside.py", f"WORD = {word!r}\n"), ("shared/__init__.py", ""),
            ("shared/late.py", f"WORD = {word!r}\n"), ("page/function.toml", "verify_jwt = false\n"),
        ):  # fmt: skip
            (root / part).parent.mkdir(parents=True, exist_ok=True)
            (root / part).write_text(text)
        answer = own.admin("/functions/page/deploy", "POST", content=pack(registry.find("page", root)))
        assert answer.status_code == 200, answer.text

    version("one")
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(own.call("/page").text))
    thread.start()
    wait_for(lambda: "began" in own.log("page"))
    version("two")
    thread.join()
    assert answers == ["oneone"] and own.call("/page").text == "twotwo"


def test_many_deploys_at_once_end_with_one_of_them(own: Served) -> None:
    statuses: list[int] = []

    def one(number: int) -> None:
        statuses.append(deploy(own, "page", ANSWERS.format(f"version {number}")).status_code)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 6
    said = {own.call("/page").text for _ in range(10)}
    assert len(said) == 1 and said <= {f"version {number}" for number in range(6)}


def test_a_slow_call_ends_on_the_version_it_began_on(own: Served) -> None:
    deploy(own, "page", SLOW_ANSWERS.format("old"))
    own.call("/page")
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(own.call("/page").text))
    thread.start()
    wait_for(lambda: own.log("page").count("began") == 2)
    deploy(own, "page", ANSWERS.format("new"))
    assert own.call("/page").text == "new"
    thread.join()
    assert answers == ["old"]


def test_a_rollback_serves_the_version_before(own: Served) -> None:
    first = deploy(own, "page", ANSWERS.format("one")).json()["version"]
    second = deploy(own, "page", ANSWERS.format("two")).json()["version"]
    assert own.call("/page").text == "two"
    assert own.admin("/functions/page/rollback", "POST").json() == {"version": first, "before": second}
    assert own.call("/page").text == "one"


def test_a_rollback_never_leads_to_the_folder(own: Served) -> None:
    deploy(own, "counts", ANSWERS.format("deployed"))
    refused = own.admin("/functions/counts/rollback", "POST")
    assert (refused.status_code, refused.json()["code"]) == (404, "BAD_VERSION")
    assert own.call("/counts").text == "deployed"
    own.admin("/functions/counts", "DELETE")
    assert own.call("/counts").json() == {"calls": 1}


def test_a_deploy_that_does_not_start_changes_nothing(own: Served) -> None:
    deploy(own, "page", ANSWERS.format("good"))
    refused = deploy(own, "page", "import nothing_of_that_name\n")
    assert refused.status_code == 422
    assert "nothing_of_that_name" in refused.json()["message"]
    assert own.call("/page").text == "good"
    assert deploy(own, "page", ANSWERS.format("better")).status_code == 200
    assert own.call("/page").text == "better"


def test_the_same_content_is_not_deployed_again(own: Served) -> None:
    version = deploy(own, "page", ANSWERS.format("one")).json()["version"]
    again = deploy(own, "page", ANSWERS.format("one")).json()
    assert again == {"version": version, "changed": False, "before": version}


def test_a_deployed_version_survives_a_restart(own: Served) -> None:
    deploy(own, "page", ANSWERS.format("kept"))
    stop(own)
    again = start(own.root, own.data_dir)
    try:
        assert again.call("/page").text == "kept"
    finally:
        stop(again)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[]", b"null", b'"v"', b'{"version": 1}', b'{"version": ["v"]}'])
def test_a_rollback_to_what_is_no_version_is_refused(own: Served, body: bytes) -> None:
    deploy(own, "page", ANSWERS.format("one"))
    refused = own.admin("/functions/page/rollback", "POST", content=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "BAD_REQUEST")
    assert own.call("/page").text == "one"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"version": null}', b'{"version": ""}'])
def test_a_rollback_of_what_was_never_deployed_is_refused(served: Served, body: bytes) -> None:
    assert served.admin("/functions/nothing/rollback", "POST", content=body).status_code == 404


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "many", "\u0661", "10000", "null"])
def test_logs_are_asked_for_by_number(served: Served, limit: str) -> None:
    refused = served.admin(f"/logs?limit={quote(limit)}")
    assert (refused.status_code, refused.json()["code"]) == (400, "BAD_REQUEST")
    assert len(served.admin("/logs?limit=1").json()) <= 1


@pytest.mark.parametrize("name", ["..%2f..%2fpage", "%00", "a.b", "%c3%bc"])
def test_no_name_leads_out_of_the_folder(own: Served, name: str) -> None:
    (own.data_dir / "page.log").write_text("not for this address\n")
    for refused in (
        own.admin(f"/logs?function={name}"),
        own.admin(f"/functions/{name}/rollback", "POST"),
        own.admin(f"/functions/{name}/deploy", "POST", content=b""),
    ):
        assert refused.status_code in (400, 404)
        assert "not for this address" not in refused.text


def test_a_name_longer_than_any_file_has_is_unknown(served: Served) -> None:
    name = "a" * 500
    assert served.admin(f"/logs?function={name}").status_code == 400
    assert served.admin(f"/functions/{name}/rollback", "POST").status_code == 400
    assert served.admin(f"/functions/{name}/deploy", "POST", content=b"").status_code == 400
    assert served.call(f"/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/functions", "/logs", "/functions/page/deploy", "/replay/x"])
@pytest.mark.parametrize("key", [None, "sb_publishable_x", "sb_secret_wrong"])
def test_the_admin_api_needs_the_secret_key(served: Served, path: str, key: str | None) -> None:
    for method in ("GET", "POST"):
        response = served.call(f"/_admin{path}", method, headers={"apikey": key} if key else {})
        assert response.status_code == 403


@pytest.mark.parametrize("member", ["../evil.py", "/etc/evil", "other/main.py", "page", "page/../../x"])
def test_an_upload_reaches_nothing_but_its_own_folder(own: Served, member: str) -> None:
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in ("page/main.py", member):
            info = tarfile.TarInfo(name)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"#"))
    refused = own.admin("/functions/page/deploy", "POST", content=buffer.getvalue())
    assert refused.status_code == 400
    assert refused.json()["code"] == "BAD_ARCHIVE"


# --- logs ------------------------------------------------------------------------------------------------------------


def test_a_call_and_what_it_printed_share_their_request_id(own: Served) -> None:
    write(own, "page", "async def handle(request):\n    print('looking')\n    return 'ok'\n")
    own.call("/page", headers={"x-request-id": "req-1"})
    rows = own.admin("/logs?function=page").json()
    call = next(row for row in rows if row["kind"] == "call")
    line = next(row for row in rows if row["kind"] == "line")
    assert (call["status"], call["request"], call["path"]) == (200, "req-1", "/page")
    assert (line["text"], line["request"], line["level"]) == ("looking", "req-1", "info")
    assert call["version"] and call["ms"] > 0


def test_a_fault_is_named_in_the_log(own: Served) -> None:
    own.call("/raises")
    own.call("/endless")
    faults = {row["function"]: row["fault"] for row in own.admin("/logs").json() if row["kind"] == "call"}
    assert faults == {"raises": "WORKER_ERROR", "endless": "WORKER_LIMIT"}


def test_a_recorded_call_is_replayed_on_the_version_served_now(own: Served) -> None:
    write(own, "page", "async def handle(request):\n    return {'was': (await request.body()).decode()}\n")
    (own.root / "page" / "function.toml").write_text("verify_jwt = false\nrecord = true\n")
    own.call("/page/sub?x=1", content=b"hello", headers={"authorization": "Bearer secret"})
    write(
        own,
        "page",
        "async def handle(request):\n    body = (await request.body()).decode()\n"
        "    return {'now': body, 'path': str(request.url.path), 'auth': request.headers.get('authorization')}\n",
    )
    (call,) = (row for row in own.admin("/logs?function=page").json() if row["kind"] == "call")
    answers: list[dict[str, Any]] = []

    def replayed() -> bool:
        answers.append(own.admin(f"/replay/{call['id']}", "POST").json())
        return b"now" in base64.b64decode(answers[-1]["body"])

    wait_for(replayed)
    assert answers[-1]["before"] == answers[-1]["status"] == 200
    assert json.loads(base64.b64decode(answers[-1]["body"])) == {"now": "hello", "path": "/page/sub", "auth": None}


def test_a_call_that_was_not_recorded_cannot_be_replayed(own: Served) -> None:
    own.call("/counts")
    (call,) = (row for row in own.admin("/logs?function=counts").json() if row["kind"] == "call")
    assert own.admin(f"/replay/{call['id']}", "POST").json()["code"] == "NOT_RECORDED"


def test_a_recorded_call_has_its_answer(own: Served) -> None:
    write(
        own,
        "page",
        "from starlette.responses import Response\n\n\nasync def handle(request):\n"
        "    return Response('x' * 70_000, 201, {'x-mine': 'kept', 'set-cookie': 'a=hush-hush'})\n",
    )
    (own.root / "page" / "function.toml").write_text("verify_jwt = false\nrecord = true\n")
    own.call("/page", content=b"hello")
    own.admin("/logs")
    kept = json.loads((own.data_dir / "functions" / "invocations.jsonl").read_text().splitlines()[-1])
    assert (kept["status"], base64.b64decode(kept["answer"])) == (201, b"x" * 65_536)
    assert ["x-mine", "kept"] in kept["answer_headers"] and "hush-hush" not in json.dumps(kept)


def test_kept_calls_hold_no_credentials(own: Served) -> None:
    (own.root / "counts" / "function.toml").write_text("verify_jwt = false\nrecord = true\n")
    own.call("/counts", headers={"authorization": "Bearer hush-hush", "apikey": "hush-hush", "cookie": "a=hush-hush"})
    own.admin("/logs")
    path = own.data_dir / "functions" / "invocations.jsonl"
    assert "hush-hush" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


# --- limits and other hosts ------------------------------------------------------------------------------------------


def test_more_calls_than_allowed_wait_their_turn(own: Served) -> None:
    write(
        own,
        "page",
        "import asyncio\n\nnow = most = 0\n\n\nasync def handle(request):\n    global now, most\n"
        "    now += 1\n    most = max(most, now)\n    await asyncio.sleep(0.05)\n    now -= 1\n    return str(most)\n",
    )
    (own.root / "page" / "function.toml").write_text("verify_jwt = false\nconcurrency = 3\n")
    answers: list[httpx.Response] = []
    threads = [threading.Thread(target=lambda: answers.append(own.call("/page"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {200}
    assert max(int(answer.text) for answer in answers) == 3


def test_a_function_on_another_host_is_called_there(own: Served, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    far = Served("", elsewhere, tmp_path / "far", own.process)
    write(
        far,
        "counts",
        "async def handle(request):\n    return {'host': request.headers['host'],"
        " 'from': request.headers['x-forwarded-for'], 'path': request.url.path}\n",
    )
    host = start(elsewhere, tmp_path / "far")
    here = start(own.root, tmp_path / "here", extra={"FUNCTIONS_COUNTS_URL": f"{host.url}/functions/v1"})
    try:
        answer = here.call("/counts/a").json()
        assert answer == {"host": host.url.removeprefix("http://"), "from": "127.0.0.1", "path": "/counts/a"}
        stop(host)
        assert here.call("/counts").status_code == 502
    finally:
        stop(here)


def test_a_trusted_proxy_is_believed_about_the_caller(own: Served, tmp_path: Path) -> None:
    behind = start(own.root, tmp_path / "behind", extra={"GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8"})
    try:
        headers = {"x-forwarded-for": "203.0.113.66, 198.51.100.1"}
        assert behind.call("/echo", headers=headers).json()["headers"]["x-forwarded-for"] == "198.51.100.1"
    finally:
        stop(behind)


def test_the_admin_api_can_be_switched_off(own: Served, tmp_path: Path) -> None:
    closed = start(own.root, tmp_path / "closed", extra={"FUNCTIONS_ADMIN": ""})
    try:
        assert closed.admin("/functions").status_code == 404
    finally:
        stop(closed)


# --- deploys that fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "functions_runner.registry.digest",
        "gateway.functions.versions._unpack",
        "functions_runner.environments.Environments.python",
        "gateway.functions.workers.build",
        "gateway.functions.workers.hand_over",
        "gateway.functions.workers.let_read",
        "gateway.functions.children.Children.launch",
        "gateway.functions.versions.Versions._write",
        "os.fsync",
    ],
)
@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), FileNotFoundError(2, "gone")], ids=["full", "gone"]
)
def test_whichever_step_of_a_deploy_breaks_the_version_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, fault: OSError
) -> None:
    import asyncio

    from gateway.functions.service import FunctionsService
    from gateway.http.messages import Request
    from gateway.settings import Settings

    def archive(text: str) -> bytes:
        root = tmp_path / f"work{time.monotonic_ns()}"
        (root / "page").mkdir(parents=True)
        (root / "page" / "function.toml").write_text("verify_jwt = false\n")
        (root / "page" / "main.py").write_text(ANSWERS.format(text))
        return pack(registry.find("page", root))

    def broken(*_: Any, **__: Any) -> Any:
        raise fault

    good, bad, better = archive("good"), archive("bad"), archive("better")

    async def scenario() -> None:
        settings = Settings.load({}, functions_dir=tmp_path / "functions", data_dir=tmp_path / "data")
        service = FunctionsService(settings, dict, lambda _: {})
        await service.start()

        async def put(content: bytes) -> int:
            async def receive() -> dict[str, Any]:
                return {"type": "http.request", "body": content, "more_body": False}

            path = "/_admin/functions/page/deploy"
            scope: dict[str, Any] = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode()}
            scope |= {"query_string": b"", "headers": []}
            return (await service.administer(scope, receive)).status

        async def said() -> bytes:
            return (await service.call("page", Request("POST", "/", "", []))).body

        try:
            assert await put(good) == 200 and await said() == b"good"
            current = service.versions.current("page")
            with monkeypatch.context() as patch:
                patch.setattr(step, broken)
                assert await put(bad) == 422
                assert await said() == b"good"
            assert service.versions.current("page") == current
            folder = settings.data_dir / "functions" / "versions"
            assert [path.name for path in (folder / "page").iterdir() if path.is_dir()] == [current]
            assert await said() == b"good"
            assert await put(better) == 200 and await said() == b"better"
        finally:
            await service.stop()

    asyncio.run(scenario())


def test_a_new_function_whose_deploy_fails_is_not_there(own: Served) -> None:
    assert deploy(own, "fresh", "import nothing_of_that_name\n").status_code == 422
    assert own.call("/fresh").status_code == 404
    assert "fresh" not in {row["name"] for row in own.admin("/functions").json()}


def test_in_development_a_deployed_version_shadows_no_folder_in_silence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from gateway.functions.service import FunctionsService
    from gateway.settings import Settings

    for root in ("functions", "work"):
        (tmp_path / root / "page").mkdir(parents=True)
        (tmp_path / root / "page" / "main.py").write_text(ANSWERS.format(root))
    settings = Settings.load(
        {}, functions_dir=tmp_path / "functions", data_dir=tmp_path / "data", functions_reload=True
    )
    service = FunctionsService(settings, dict, lambda _: {})
    sent = registry.find("page", tmp_path / "work")
    service.versions.switch("page", service.versions.store("page", pack(sent)))
    service._say_shadowed()
    (said,) = [record.getMessage() for record in caplog.records]
    assert registry.digest(sent) in said and "functions delete page" in said and "functions diff page" in said
    caplog.clear()
    (tmp_path / "functions" / "page" / "main.py").write_text(ANSWERS.format("work"))
    service._say_shadowed()
    assert caplog.records == []
