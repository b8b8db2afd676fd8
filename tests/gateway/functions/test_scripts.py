"""TypeScript functions on Deno: the same relay, limits, logs and versions as Python's, and a project's own settings."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from functions_runner import deno, fallbacks, registry, script_watch, scripts
from functions_runner.bundle import pack
from functions_runner.environments import Environments
from functions_runner.installing import InstallFailed
from functions_runner.logs import redactor
from functions_runner.types import EXIT_MEMORY, FunctionConfigError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.gateway.functions.conftest import LIMIT, ROOT, Served, start, stop, wait_for

PROJECT = ROOT / "tests" / "functions" / "scripts"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project's functions, in a copy that tests may add to."""
    project = tmp_path_factory.mktemp("scripts") / "supabase"
    shutil.copytree(PROJECT, project)
    (project / "functions" / ".env").write_text("OF_THE_PROJECT=given to all\n")
    running = start(project / "functions", project.parent / "data")
    yield running
    stop(running)


def write(live: Served, name: str, text: str, settings: str = "verify_jwt = false\n") -> None:
    (live.root / name).mkdir(exist_ok=True)
    (live.root / name / "function.toml").write_text(settings)
    (live.root / name / "index.ts").write_text(text)


def test_a_script_sees_the_call_as_it_was_made(live: Served) -> None:
    seen = live.call("/echo/a%2Fb?x=1&y=%20", "PATCH", content=b"\x01body", headers={"X-Mine": "1"}).json()
    assert (seen["method"], seen["path"], seen["query"], seen["text"]) == (
        "PATCH",
        "/echo/a%2Fb",
        "x=1&y=%20",
        "\x01body",
    )
    assert seen["headers"]["x-mine"] == "1"
    assert seen["url"].startswith("http://127.0.0.1:") and seen["url"].endswith("/echo/a%2Fb?x=1&y=%20")


def test_it_gets_its_project_s_variables_and_nothing_of_the_gateway_s(live: Served) -> None:
    env = live.call("/echo").json()["env"]
    assert env["OF_THE_PROJECT"] == "given to all" and env["SUPABASE_URL"].startswith("http")
    assert not {"DENO_DIR", "FUNCTION_SETTINGS", "GATEWAY_DATA_DIR", "SUPABASE_SERVICE_ROLE_KEY", "PATH"} & env.keys()


def test_the_project_says_whose_token_is_asked_for(live: Served) -> None:
    assert live.call("/open").text == "open"
    assert live.call("/guarded").status_code == 401
    assert live.call("/guarded", headers={"authorization": f"Bearer {live.keys.anon_jwt}"}).text == "ok"
    assert live.call("/silent").status_code == 404


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("raises", 500, "WORKER_ERROR"), ("endless", 546, "WORKER_LIMIT"), ("greedy", 546, "WORKER_LIMIT"),
        ("slow", 504, "IDLE_TIMEOUT"), ("syntax-error", 503, "BOOT_ERROR"), ("import-error", 503, "BOOT_ERROR"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_the_platform_s_words(live: Served, name: str, status: int, code: str) -> None:
    answer = live.call(f"/{name}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert live.call("/echo").status_code == 200


def test_what_it_prints_has_its_request_and_no_secret(live: Served) -> None:
    live.call("/raises", headers={"x-request-id": "the-request"})
    rows = [json.loads(line) for line in live.log("raises").splitlines()]
    told = [row for row in rows if "broken with" in row["text"]]
    assert told and told[-1]["level"] == "error"
    assert "[SUPABASE_SERVICE_ROLE_KEY]" in told[-1]["text"]
    assert live.keys.service_role_jwt not in live.log("raises")


def test_what_keeps_it_from_starting_is_in_its_log(live: Served) -> None:
    live.call("/syntax-error"), live.call("/import-error")
    assert "index.ts:1" in live.log("syntax-error")
    assert "not_there.ts" in live.log("import-error")


def test_events_arrive_as_they_are_sent(live: Served) -> None:
    with httpx.stream("POST", f"{live.url}/functions/v1/streams?count=200", timeout=LIMIT, trust_env=False) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        assert next(answer.iter_text()).startswith("data: 0")
    wait_for(lambda: "the reader left" in live.log("streams"))


def test_a_long_body_goes_both_ways(live: Served) -> None:
    assert live.call("/swallows", content=b"x" * 5_000_000).json() == {"size": 5_000_000}
    assert len(live.call("/swallows?size=3000000").content) == 3_000_000


def test_work_goes_on_after_the_answer(live: Served) -> None:
    assert live.call("/waits").status_code == 202
    wait_for(lambda: "worked afterwards" in live.log("waits"))


def test_a_socket_is_passed_on_both_ways(live: Served) -> None:
    address = live.url.replace("http", "ws") + "/functions/v1/socket/room"
    with connect(address) as socket:
        socket.send("hello")
        assert socket.recv() == "/socket/room hello"
        socket.send(b"\x00\x01")
        assert socket.recv() == b"\x00\x01"
        socket.send("end")
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4001


def test_names_of_imports_and_what_functions_share_are_found(live: Served) -> None:
    answer = live.call("/mapped")
    assert (answer.text, answer.headers["access-control-allow-origin"]) == ("mapped", "*")
    assert live.call("/exported/sub").text == "/exported/sub"


def test_a_server_of_node_s_kind_answers(live: Served) -> None:
    assert live.call("/node-server/sub?x=1", "PUT").text == "PUT /node-server/sub?x=1"


def test_an_old_server_is_replaced_by_whatever_name_it_is_imported(tmp_path: Path) -> None:
    text = '{"imports": {"std/server": "https://deno.land/std@0.177.0/http/server.ts"}}'
    made = deno.import_map(registry.read(function(tmp_path, "", import_map__json=text)))
    assert made["imports"]["std/server"].endswith("/compat/std/http_server.ts")


def test_a_package_of_ours_that_has_other_releases_is_taken_as_it_is() -> None:
    error = InstallFailed("error: Could not find npm package '@sentry/deno' matching '7'.")
    ours = {"sentry": "npm:@sentry/deno@7", "other": "npm:zod@3"}
    assert deno._newest(error, ours) == {"sentry": "npm:@sentry/deno"}
    with pytest.raises(InstallFailed):
        deno._newest(error, {"other": "npm:zod@3"})


def test_a_script_reaches_nothing_but_its_own(live: Served) -> None:
    found = live.call("/reaches").json()
    assert (found.pop("own"), found.pop("scratch")) == ("read", "written")
    allowed = {"NotCapable", "PermissionDenied"}
    assert {name: result for name, result in found.items() if result not in allowed} == {}


def test_it_may_be_kept_to_hosts(live: Served) -> None:
    text = "Deno.serve(() => fetch('http://127.0.0.1:8').then(() => new Response('x'), (e) => new Response(e.name)));\n"
    write(live, "kept", text, 'verify_jwt = false\nnet = ["api.example.com"]\n')
    assert live.call("/kept").text == "NotCapable"


def test_a_saved_change_is_taken_up(live: Served) -> None:
    write(live, "changing", "Deno.serve(() => new Response('one'));\n")
    assert live.call("/changing").text == "one"
    write(live, "changing", "Deno.serve(() => new Response('second'));\n")
    wait_for(lambda: live.call("/changing").text == "second")


def test_a_version_brings_what_it_imports_and_its_project_s_settings(live: Served, tmp_path: Path) -> None:
    functions = tmp_path / "supabase" / "functions"
    shutil.copytree(PROJECT / "functions", functions)
    (tmp_path / "supabase" / "config.toml").write_text("[functions.away]\nverify_jwt = false\n")
    (functions / "away").mkdir()
    (functions / "away" / "index.ts").write_text(
        "import { cors } from '../_shared/cors.ts';\nimport { WORD } from '../mapped/words.ts';\n"
        "Deno.serve(() => new Response(WORD, { headers: cors }));\n"
    )
    config = registry.find("away", functions)
    answer = live.admin("/functions/away/deploy", "POST", content=pack(config))
    assert answer.status_code == 200, answer.text
    assert answer.json()["version"] == registry.digest(config)
    assert live.call("/away").text == "mapped"


def test_one_alone_answers_as_it_does_behind_the_gateway(tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "functions", "call", "echo", "--alone", "--dir", str(PROJECT / "functions"), "-d", "x"],
        cwd=ROOT,
        env={**os.environ, "GATEWAY_DATA_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == "/echo"


# --- modules ---------------------------------------------------------------------------------------------------------


def function(root: Path, text: str, **files: str) -> Path:
    folder = root / "functions" / "page"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.ts").write_text(text)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def test_scripts_that_import_the_same_share_their_modules(tmp_path: Path) -> None:
    environments = Environments(tmp_path / "environments", offline=True)
    said: list[str] = []
    first = registry.read(function(tmp_path / "a", "import 'node:fs';\nDeno.serve(() => new Response('1'));\n"))
    second = registry.read(function(tmp_path / "b", "import 'node:fs';\nDeno.serve(() => new Response('2'));\n"))
    other = registry.read(function(tmp_path / "c", "import 'node:path';\nDeno.serve(() => new Response('3'));\n"))
    places = [deno.prepare(environments, config, said.append).place for config in (first, second, other)]
    assert places[0] == places[1] != places[2] and said == []
    assert all(deno.is_ready(environments, config) for config in (first, second, other))


def test_an_import_map_is_read_with_comments_and_made_whole(tmp_path: Path) -> None:
    text = '{ // why\n "imports": { "a": "./a.ts", "b/": "../b/", "c": "npm:c@1", "u": "https://x.y/z//w", }, }'
    config = registry.read(function(tmp_path, "", deno__json=text))
    made = deno.import_map(config)["imports"]
    assert made["c"] == "npm:c@1" and made["u"] == "https://x.y/z//w"
    assert made["a"] == (config.folder / "a.ts").as_uri() and made["b/"] == (config.root / "b").as_uri() + "/"
    with pytest.raises(FunctionConfigError):
        deno.import_map(registry.read(function(tmp_path, "", deno__json="{")))


def test_what_cannot_be_fetched_is_replaced_by_the_name_it_is_imported_by() -> None:
    graph = {
        "modules": [
            {"specifier": "jsr:@supabase/supabase-js@2", "error": "away"},
            {
                "specifier": "file:///page/index.ts",
                "dependencies": [
                    {"specifier": "supabase", "code": {"specifier": "jsr:@supabase/supabase-js@2"}},
                    {"specifier": "npm:zod@3", "code": {"specifier": "npm:zod@3"}},
                    {"specifier": "./own.ts", "code": {"specifier": "file:///page/own.ts"}},
                ],
            },
        ]
    }
    assert deno._put_instead(graph) == {"supabase": "npm:@supabase/supabase-js@2"}


@pytest.mark.parametrize(
    ("specifier", "put"),
    [
        ("https://esm.sh/stripe@12.4.1?target=deno", "npm:stripe@12.4.1"),
        ("https://esm.sh/v135/@scope/name@1.2.3/es2022/name.mjs", "npm:@scope/name@1.2.3"),
        ("https://esm.sh/openai@4/resources", "npm:openai@4/resources"),
        ("https://cdn.skypack.dev/lodash", "npm:lodash"),
        ("jsr:@hono/hono@4/cors", "npm:hono@4/cors"),
        ("jsr:@std/encoding@1/base64", "std/base64.ts"),
        ("https://deno.land/std@0.224.0/async/delay.ts", "std/async.ts"),
        ("https://deno.land/x/xhr@0.1.0/mod.ts", "empty.ts"),
        ("jsr:@supabase/functions-js@2/edge-runtime.d.ts", "empty.ts"),
        ("https://deno.land/std@0.1.0/nothing/known.ts", ""),
        ("https://elsewhere.example/mod.ts", ""),
    ],
)
def test_what_takes_the_place_of_a_module(specifier: str, put: str) -> None:
    assert fallbacks.instead(specifier).rpartition("/compat/")[2] == put


def test_every_stand_in_is_there() -> None:
    for table in (fallbacks._STANDARD,):
        assert [name for name in table.values() if not (fallbacks.COMPAT / name).is_file()] == []


def test_the_files_of_a_script_are_found_along_its_imports(tmp_path: Path) -> None:
    (tmp_path / "functions" / "other").mkdir(parents=True)
    (tmp_path / "functions" / "other" / "a.ts").write_text("export * from './b.ts';\n")
    (tmp_path / "functions" / "other" / "b.ts").write_text('import x from "../../outside.ts";\n')
    (tmp_path / "outside.ts").write_text("")
    folder = function(tmp_path, "const a = await import('../other/a.ts');\n")
    found = scripts.beside(folder.parent, [folder / "index.ts"])
    assert [path.name for path in found] == ["a.ts", "b.ts"]


# --- the watch -------------------------------------------------------------------------------------------------------


def test_processor_time_is_counted_from_the_last_answer() -> None:
    used = [0.0]
    read, written = os.pipe()
    watch = script_watch.Watch(written, 2.0, 128, redactor({}), lambda: used[0])
    assert watch.feed(b'a line\n\x1e{"ready": true}\nhalf') == b"a line\n"
    assert json.loads(os.read(read, 100)) == {"ready": True}
    os.close(read)
    watch.feed(b' done\n\x1e{"open": 1}\n')
    used[0] = 1.9
    assert watch.excess() == ""
    used[0] = 2.1
    assert "2 s of processor time" in watch.excess()
    watch.feed(b'\x1e{"open": 0}\n\x1eno json\n\x1e[]\n')
    used[0] = 100.0
    assert watch.excess() == ""
    assert (watch.ended(-5), watch.ended(3)) == (EXIT_MEMORY, 3)


def test_what_was_printed_is_the_reason_of_one_that_does_not_start() -> None:
    read, written = os.pipe()
    watch = script_watch.Watch(written, 2.0, 128, redactor({"KEY": "s3cret-value"}), lambda: 0.0)
    watch.feed(b'{"at": "", "level": "error", "request": null, "text": "with s3cret-value"}\nerror: broken')
    assert watch.ended(1) == 1
    assert json.loads(os.read(read, 1000)) == {"error": "with [KEY]\nerror: broken"}
    os.close(read)
