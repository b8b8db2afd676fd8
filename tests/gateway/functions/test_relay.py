"""Calls reach a function whole and its answers come back as they were made; the platform's own answers are exact."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from functions_runner import registry
from functions_runner.bundle import pack
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from gateway.identity import tokens
from tests.gateway.functions.conftest import LIMIT, SAMPLES, Served, start, stop, wait_for

NOT_FOUND = {"code": "NOT_FOUND", "message": "Requested function was not found"}
BOOT_ERROR = {"code": "BOOT_ERROR", "message": "Function failed to start (please check logs)"}
WORKER_ERROR = {"code": "WORKER_ERROR", "message": "Function exited due to an error (please check logs)"}
WORKER_LIMIT = {
    "code": "WORKER_LIMIT",
    "message": "Worker failed to respond due to a resource limit (please check logs)",
}
IDLE_TIMEOUT = {"code": "IDLE_TIMEOUT", "message": "Function did not respond in time"}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])
def test_every_method_reaches_the_function(served: Served, method: str) -> None:
    response = served.call("/echo", method)
    assert response.status_code == 200
    if method != "HEAD":
        assert response.json()["method"] == method
    else:
        assert response.content == b""


def test_a_sub_path_and_query_arrive_as_sent(served: Served) -> None:
    seen = served.call("/echo/a%2Fb/%C3%BC?x=1&y=%20").json()
    assert seen["path"] == "/echo/a%2Fb/%C3%BC"
    assert seen["query"] == "x=1&y=%20"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"a": 1}', "application/json"),
        (b"plain", "text/plain"),
        (bytes(range(256)), "application/octet-stream"),
        (b"", None),
    ],
    ids=["json", "text", "bytes", "nothing"],
)
def test_a_body_arrives_as_sent(served: Served, body: bytes, kind: str | None) -> None:
    seen = served.call("/echo", content=body, headers={"content-type": kind} if kind else {}).json()
    assert seen["size"] == len(body)
    assert seen["text"] == body.decode("utf-8", "replace")
    assert seen["headers"].get("content-type") == kind


def test_a_form_with_a_file_arrives(served: Served) -> None:
    seen = served.call("/echo", files={"file": ("a.txt", b"content")}).json()
    assert seen["headers"]["content-type"].startswith("multipart/form-data; boundary=")
    assert "content" in seen["text"]


def test_a_region_is_accepted(served: Served) -> None:
    response = served.call("/echo?forceFunctionRegion=us-east-1", headers={"x-region": "us-east-1"})
    assert response.status_code == 200
    assert response.headers["x-sb-edge-region"] == "local"


def test_the_function_hears_who_called_from_the_gateway_alone(served: Served) -> None:
    lies = {
        "x-forwarded-for": "203.0.113.9",
        "x-real-ip": "203.0.113.9",
        "sb-request-id": "mine",
        "x-relay-error": "true",
    }
    seen = served.call("/echo", headers=lies).json()["headers"]
    assert seen["x-forwarded-for"] == seen["x-real-ip"] == "127.0.0.1"
    assert "sb-request-id" not in seen and "x-relay-error" not in seen
    assert seen["x-request-id"]


@pytest.mark.parametrize("name", ["nope", "shared", "_shared", "..", "%2e%2e", "", "echo%2Fx"])
def test_an_unknown_function_is_not_found(served: Served, name: str) -> None:
    response = served.call(f"/{name}")
    assert response.status_code == 404
    assert response.json() == NOT_FOUND
    assert response.headers["sb-error-code"] == "NOT_FOUND"
    assert response.headers["access-control-allow-origin"] == "*"


BROKEN = [
    ("no-entry", 503, BOOT_ERROR),
    ("import-error", 503, BOOT_ERROR),
    ("syntax-error", 503, BOOT_ERROR),
    ("raises", 500, WORKER_ERROR),
    ("exits", 500, WORKER_ERROR),
    ("dies", 500, WORKER_ERROR),
    ("segfault", 500, WORKER_ERROR),
    ("odd-reply", 500, WORKER_ERROR),
    ("answers?status=103", 500, WORKER_ERROR),
    ("answers?status=600", 500, WORKER_ERROR),
    ("endless", 546, WORKER_LIMIT),
    ("glutton", 546, WORKER_LIMIT),
    ("slow", 504, IDLE_TIMEOUT),
    ("slow?blocking=1", 504, IDLE_TIMEOUT),
]


@pytest.mark.parametrize(("name", "status", "body"), BROKEN)
def test_a_broken_function_answers_in_the_platform_s_words(
    served: Served, name: str, status: int, body: dict[str, str]
) -> None:
    response = served.call(f"/{name}")
    assert (response.status_code, response.json()) == (status, body)
    assert response.headers["sb-error-code"] == body["code"]
    assert response.headers["content-type"] == "application/json"
    assert response.headers["access-control-allow-origin"] == "*"
    assert "x-relay-error" not in response.headers
    assert "x-function-fault" not in response.headers


@pytest.fixture(scope="module")
def shaped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The sample functions, each of which says what its callers are to be told in its place."""
    folder = tmp_path_factory.mktemp("shaped")
    shutil.copytree(SAMPLES, folder / "functions")
    for function in (folder / "functions").iterdir():
        if function.is_dir():
            with (function / "function.toml").open("a") as file:
                file.write('\n[fallback]\nok = false\nerror = "Call us."\n')
    extra = {"FUNCTIONS_MAX_BODY_BYTES": "100000"}
    served = start(folder / "functions", folder / "data", "--no-reload", extra=extra)
    yield served
    stop(served)


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        *BROKEN,
        ("half", 500, WORKER_ERROR),
        ("guarded", 401, {"code": 401, "message": "Missing authorization header"}),
    ],
)
def test_whatever_is_answered_in_its_place_has_the_function_s_shape(
    shaped: Served, name: str, status: int, body: dict[str, Any]
) -> None:
    response = shaped.call(f"/{name}")
    assert (response.status_code, response.json()) == (status, {**body, "ok": False, "error": "Call us."})


def test_a_body_that_is_too_large_is_refused_in_the_function_s_shape(shaped: Served) -> None:
    for content in (b"x" * 200_000, iter([b"x" * 60_000] * 4)):
        response = shaped.call("/swallows", content=content)
        assert response.status_code == 413
        assert {"ok": False, "error": "Call us."}.items() <= response.json().items()


def test_a_long_answer_that_is_cut_short_is_seen_to_be(shaped: Served) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        shaped.call("/half?1000000")


@pytest.mark.parametrize(
    ("status", "code"), [(200, None), (422, None), (500, "EDGE_FUNCTION_ERROR"), (503, "EDGE_FUNCTION_ERROR")]
)
def test_a_function_that_answers_with_a_failure_is_told_apart_from_one_that_failed(
    served: Served, status: int, code: str | None
) -> None:
    response = served.call(f"/answers?status={status}")
    assert (response.status_code, response.text) == (status, "said")
    assert response.headers.get("sb-error-code") == code


@pytest.mark.parametrize("name", ["dies", "endless", "glutton", "segfault", "slow?blocking=1", "import-error"])
def test_a_broken_function_neither_delays_nor_breaks_another(served: Served, name: str) -> None:
    warm = served.call("/counts").json()["calls"]
    broken: list[int] = []
    thread = threading.Thread(target=lambda: broken.append(served.call(f"/{name}").status_code))
    thread.start()
    calls = [served.call("/counts").json()["calls"] for _ in range(20)]
    thread.join()
    # the same process answered throughout: its count went on without a gap
    assert calls == list(range(warm + 1, warm + 21))
    assert broken[0] >= 500


def test_a_function_that_died_answers_the_next_call(own: Served) -> None:
    own.call("/counts")
    first = own.pid("counts")
    assert first is not None
    os.kill(first, 9)
    wait_for(lambda: own.pid("counts") is None)
    assert own.call("/counts").json() == {"calls": 1}
    assert own.pid("counts") != first


def test_a_module_global_survives_between_calls(own: Served) -> None:
    assert [own.call("/counts").json()["calls"] for _ in range(3)] == [1, 2, 3]


def test_nothing_returned_is_204_without_a_type(served: Served) -> None:
    response = served.call("/nothing")
    assert response.status_code == 204
    assert response.content == b""
    assert "content-type" not in response.headers


# --- tokens ----------------------------------------------------------------------------------------------------------


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def user_token(served: Served, **claims: Any) -> str:
    key = served.keys.signing
    return tokens.mint({"sub": "u", "role": "authenticated", "exp": int(time.time()) + 60, **claims}, key)


def test_a_guarded_function_answers_to_a_user_and_to_the_legacy_keys(served: Served) -> None:
    for token in (user_token(served), served.keys.anon_jwt, served.keys.service_role_jwt):
        assert served.call("/guarded", headers=bearer(token)).text == "ok"


@pytest.mark.parametrize(
    ("header", "message", "code"),
    [
        (None, "Missing authorization header", "UNAUTHORIZED_NO_AUTH_HEADER"),
        ("Basic abc", "Auth header is not 'Bearer {token}'", "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        ("bearer abc", "Auth header is not 'Bearer {token}'", "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        ("Bearer abc", "Invalid JWT", "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        ("Bearer sb_publishable_abcdefghijklmnop", "Invalid JWT", "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        (
            "Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYW5vbiJ9.",
            "Invalid JWT",
            "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
        ),
        ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2ln", "Invalid JWT", "UNAUTHORIZED_LEGACY_JWT"),
        ("Bearer eyJhbGciOiJFUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2ln", "Invalid JWT", "UNAUTHORIZED_ASYMMETRIC_JWT"),
    ],
    ids=["none", "basic", "lower case", "garbage", "opaque key", "alg none", "another secret", "another key"],
)
def test_a_guarded_function_refuses_anything_else(served: Served, header: str | None, message: str, code: str) -> None:
    response = served.call("/guarded", headers={"authorization": header} if header is not None else {})
    assert response.status_code == 401
    assert response.json() == {"code": 401, "message": message}
    assert response.headers["sb-error-code"] == code
    assert response.headers["x-relay-error"] == "true"
    assert "x-relay-error" in response.headers["access-control-expose-headers"]


def test_an_expired_token_is_refused(served: Served) -> None:
    response = served.call("/guarded", headers=bearer(user_token(served, exp=1)))
    assert response.status_code == 401


def test_a_preflight_needs_no_token(served: Served) -> None:
    assert served.call("/guarded", "OPTIONS").status_code == 200


def test_an_open_function_takes_any_authorization(served: Served) -> None:
    for value in ("Bearer sb_publishable_x", "Bearer garbage", "Basic abc"):
        seen = served.call("/echo", headers={"authorization": value}).json()
        assert seen["headers"]["authorization"] == value


# --- environment -----------------------------------------------------------------------------------------------------


def test_a_function_sees_the_injected_variables_and_no_others(served: Served) -> None:
    env = served.call("/echo").json()["env"]
    assert set(env) == {
        "HOME",
        "TMPDIR",
        "LANG",
        "TZ",
        "PYTHONUNBUFFERED",
        "SB_REGION",
        "SB_EXECUTION_ID",
        "SUPABASE_URL",
        "SUPABASE_ANON_KEY",
        "SUPABASE_PUBLISHABLE_KEYS",
        "SUPABASE_JWKS",
    }
    assert env["SUPABASE_ANON_KEY"] == served.keys.anon_jwt


def test_a_function_gets_the_variables_it_names(own: Served) -> None:
    (own.root / "echo" / "function.toml").write_text(
        'verify_jwt = false\nenv = ["GREETING", "SUPABASE_URL"]\noptional_env = ["DATABASE_URL", "NOT_SET"]\n'
    )
    (own.data_dir / "functions.env").write_text(
        'GREETING="hello there"\nOTHER=secret\nSUPABASE_URL=http://evil.example\nexport X=1\n# no\n'
    )
    env = own.call("/echo").json()["env"]
    assert env["GREETING"] == "hello there"
    assert "OTHER" not in env and "X" not in env and "NOT_SET" not in env
    assert env["SUPABASE_URL"] != "http://evil.example"


def test_a_secret_is_redacted_from_the_log(served: Served) -> None:
    served.call("/raises")
    log = served.log("raises")
    assert "RuntimeError: broken with [SUPABASE_SERVICE_ROLE_KEY]" in log
    assert served.keys.service_role_jwt not in log


def test_a_function_sees_no_neighbour_s_variables_wherever_it_looks(own: Served) -> None:
    """In its environment, its own and its children's, in the process it came from, or in what it is told at a call."""
    for name, variable in (("echo", "MINE"), ("counts", "THEIRS")):
        (own.root / name / "function.toml").write_text(f'verify_jwt = false\nenv = ["{variable}"]\n')
    (own.data_dir / "functions.env").write_text("MINE=my-own-value-1\nTHEIRS=their-value-2\n")
    (own.root / "echo" / "main.py").write_text(
        "import os, subprocess, sys\n\n\nasync def handle(request):\n"
        "    child = subprocess.run(['env'], capture_output=True, text=True).stdout\n"
        "    seen = [repr(dict(os.environ)), repr(dict(request.headers)), child, repr(sys.argv), repr(sys.path)]\n"
        "    for path in ('/proc/self/environ', f'/proc/{os.getppid()}/environ', '/proc/1/environ'):\n"
        "        try:\n            seen.append(open(path).read())\n        except OSError:\n            pass\n"
        "    return '\\n'.join(seen)\n"
    )
    own.call("/counts")
    for _ in range(2):
        seen = own.call("/echo").text
        assert "my-own-value-1" in seen and "their-value-2" not in seen and "THEIRS" not in seen
        assert "FUNCTIONS_ADMIN" not in seen and "GATEWAY_DATA_DIR" not in seen
        own.call("/counts")


@pytest.mark.parametrize(
    "way",
    [
        "print('begins', secret)",
        "print({'key': secret})",
        "import json; print(json.dumps([secret]))",
        "import sys; sys.stderr.write(secret[:9]); sys.stderr.write(secret[9:] + '\\n')",
        "import os; os.write(1, secret[:9].encode()); os.write(1, secret[9:].encode() + b'\\n')",
        "import os; os.system(f'echo {secret}')",
        "import logging; logging.error('with %s', secret)",
        "import warnings; warnings.warn(secret)",
        "print('x' * 9_990 + secret)",
        "raise ValueError(secret)",
        "raise SystemExit(secret)",
        "import json; print(json.loads(os.environ['SUPABASE_SECRET_KEYS'])['default'])",
        "print(os.environ['SUPABASE_SECRET_KEYS'])",
        "print(dict(os.environ))",
        "import asyncio; asyncio.get_running_loop().call_soon(lambda: 1 / 0 if secret else None)",
    ],
)
def test_a_secret_is_redacted_however_it_is_printed(own: Served, way: str) -> None:
    (own.root / "raises" / "function.toml").write_text('verify_jwt = false\nenv = ["TOKEN"]\n')
    (own.root / "raises" / "main.py").write_text(
        f"import os\n\n\nasync def handle(request):\n    secret = os.environ['TOKEN']\n    {way}\n    print('end')\n"
    )
    (own.data_dir / "functions.env").write_text("TOKEN=tok-4711-secret-value\n")
    own.call("/raises")
    wait_for(lambda: own.log("raises") != "")
    stop(own)
    assert "4711" not in own.log("raises") and "secret-value" not in own.log("raises")
    for key in (own.keys.secret_key, own.keys.service_role_jwt):
        assert key not in own.log("raises")


def test_a_secret_in_a_module_that_does_not_load_is_redacted_in_the_answer(own: Served) -> None:
    (own.data_dir / "functions.env").write_text("TOKEN=tok-4711-secret-value\n")
    root = own.data_dir / "work"
    (root / "page").mkdir(parents=True)
    (root / "page" / "function.toml").write_text('env = ["TOKEN"]\n')
    (root / "page" / "main.py").write_text("import os\nraise ValueError(os.environ['TOKEN'])\n")
    answer = own.admin("/functions/page/deploy", "POST", content=pack(registry.find("page", root)))
    assert answer.status_code == 422 and "4711" not in answer.text and "[TOKEN]" in answer.text


def test_a_traceback_begins_in_the_function_s_own_file(served: Served) -> None:
    served.call("/raises")
    lines = [json.loads(line)["text"] for line in served.log("raises").splitlines()]
    first = lines[lines.index("Traceback (most recent call last):") + 1]
    assert first.lstrip().startswith('File "') and "raises/main.py" in first


# --- streams ---------------------------------------------------------------------------------------------------------


def test_an_event_arrives_before_the_function_has_finished(served: Served) -> None:
    with httpx.stream(
        "GET", f"{served.url}/functions/v1/streams?count=100000", timeout=LIMIT, trust_env=False
    ) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = response.iter_lines()
        assert next(events) == "data: 0"


def test_a_client_that_leaves_ends_the_stream(own: Served) -> None:
    (own.root / "streams" / "main.py").write_text(
        "import asyncio\n\n\nasync def numbers():\n"
        "    try:\n        while True:\n            yield 'x'\n            await asyncio.sleep(0.01)\n"
        "    finally:\n        print('the reader left', flush=True)\n\n\n"
        "async def handle(request):\n    return numbers()\n"
    )
    with httpx.stream("GET", f"{own.url}/functions/v1/streams", timeout=LIMIT, trust_env=False) as response:
        next(response.iter_text())
    wait_for(lambda: "the reader left" in own.log("streams"))


def test_a_body_without_a_length_is_streamed_in(served: Served) -> None:
    blocks = (bytes([number]) * 1000 for number in range(50))
    response = served.call("/swallows", content=blocks)
    assert response.json() == {"size": 50_000}


def memory(pid: int) -> int:
    """Resident kilobytes of a process."""
    if os.path.exists("/proc/self/status"):
        with open(f"/proc/{pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return int(subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True).stdout)


BLOCK = os.urandom(65_536)
SIZE = 200_000_000


def blocks() -> Iterator[bytes]:
    for _ in range(SIZE // len(BLOCK)):
        yield BLOCK


def test_many_long_bodies_at_once_do_not_end_the_function(own: Served) -> None:
    """Together they are longer than its memory, and it reads each of them whole."""
    folder = own.root / "whole"
    folder.mkdir()
    (folder / "main.py").write_text("async def handle(request):\n    return {'size': len(await request.body())}\n")
    (folder / "function.toml").write_text("verify_jwt = false\nmemory_mb = 256\n")
    content = b"x" * 30_000_000
    with ThreadPoolExecutor(12) as senders:
        answers = list(senders.map(lambda _: own.call("/whole", content=content), range(12)))
    assert {answer.status_code for answer in answers} <= {200, 503}, [answer.text for answer in answers]
    assert sum(answer.status_code == 200 for answer in answers) >= 2
    assert all(answer.json()["code"] == "WORKER_BUSY" for answer in answers if answer.status_code == 503)


def test_memory_that_ends_within_a_body_is_the_limit_of_the_function(own: Served) -> None:
    folder = own.root / "whole"
    folder.mkdir()
    (folder / "main.py").write_text("async def handle(request):\n    return {'size': len(await request.body())}\n")
    (folder / "function.toml").write_text("verify_jwt = false\nmemory_mb = 128\n")
    response = own.call("/whole", content=(b"x" * 65_536 for _ in range(4000)))
    assert (response.status_code, response.json()["code"]) == (546, "WORKER_LIMIT")


@pytest.mark.parametrize("depth", [300, 900, 3000, 30_000])
def test_a_token_whose_header_is_deep_is_no_token(served: Served, depth: int) -> None:
    header = base64.urlsafe_b64encode(b'{"alg":' + b"[" * depth + b"]" * depth + b"}").rstrip(b"=").decode()
    response = served.call("/guarded", headers={"authorization": f"Bearer {header}.e30.c2ln"})
    assert response.status_code == 401


def test_a_large_body_streams_both_ways_in_flat_memory(own: Served) -> None:
    own.call("/swallows", content=b"warm")
    gateway = own.process.pid
    before, peak = memory(gateway), 0

    def counting() -> Iterator[bytes]:
        nonlocal peak
        for number, block in enumerate(blocks()):
            if number % 200 == 0:
                peak = max(peak, memory(gateway))
            yield block

    response = own.call("/swallows", content=counting())
    assert response.json() == {"size": SIZE // len(BLOCK) * len(BLOCK)}
    total = 0
    url = f"{own.url}/functions/v1/swallows?size={SIZE}"
    with httpx.stream("GET", url, timeout=LIMIT, trust_env=False) as stream:
        for number, chunk in enumerate(stream.iter_bytes(1_000_000)):
            total += len(chunk)
            if number % 10 == 0:
                peak = max(peak, memory(gateway))
    assert total == SIZE
    assert peak - before < 30_000, f"grew by {peak - before} kB"


def test_a_slow_reader_holds_the_function_back(own: Served) -> None:
    """What the client does not take stays in the function, not in the gateway."""
    own.call("/swallows", content=b"warm")
    before = memory(own.process.pid)
    host, port = own.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(f"GET /functions/v1/swallows?size={SIZE} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        time.sleep(1.5)
        assert memory(own.process.pid) - before < 30_000


def test_a_body_above_the_cap_is_refused(own: Served) -> None:
    small = start(own.root, own.data_dir, extra={"FUNCTIONS_MAX_BODY_BYTES": "100000"})
    try:
        declared = small.call("/swallows", content=b"x" * 200_000)
        chunked = small.call("/swallows", content=iter([b"x" * 60_000] * 4))
        assert declared.status_code == chunked.status_code == 413
        assert small.call("/swallows", content=b"x" * 90_000).json() == {"size": 90_000}
    finally:
        stop(small)


def test_answers_match_under_many_concurrent_calls(served: Served) -> None:
    """No answer is ever given to another call, whatever ends early beside it."""
    wrong: list[str] = []

    def caller(number: int) -> None:
        with httpx.Client(timeout=LIMIT, trust_env=False) as client:
            for index in range(25):
                body = hashlib.sha256(f"{number}-{index}".encode()).hexdigest() * (1 + index * 7)
                if index % 5 == 4:
                    with client.stream("GET", f"{served.url}/functions/v1/streams?count=50") as stream:
                        next(stream.iter_raw())
                    continue
                answer = client.post(f"{served.url}/functions/v1/echo", content=body).json()
                if answer["text"] != body:
                    wrong.append(f"{number}-{index}")

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- WebSockets ------------------------------------------------------------------------------------------------------


def test_a_websocket_passes_through_both_ways(served: Served) -> None:
    url = served.url.replace("http://", "ws://") + "/functions/v1/socket/room?token=x"
    with connect(url, subprotocols=["chat"], proxy=None) as ws:  # type: ignore[list-item]
        assert ws.subprotocol == "chat"
        ws.send("hello")
        assert ws.recv() == "/socket/room: hello"
        ws.send(b"\x00\xff")
        assert ws.recv() == b"\x00\xff"
        ws.send("x" * 1_000_000)
        assert len(ws.recv()) > 1_000_000
        ws.send("bye")
        with pytest.raises(ConnectionClosed) as closed:
            ws.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4000, "as asked")


@pytest.mark.parametrize(("name", "status"), [("guarded", 401), ("nope", 404), ("import-error", 503)])
def test_a_websocket_to_a_closed_door_gets_an_http_answer(served: Served, name: str, status: int) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(served.url.replace("http://", "ws://") + f"/functions/v1/{name}", proxy=None)
    assert refused.value.response.status_code == status


@pytest.mark.parametrize("name", ["nope", "syntax-error", "import-error"])
def test_a_preflight_lets_a_page_read_why_a_function_cannot_answer(served: Served, name: str) -> None:
    wanted = {"origin": "https://page.example", "access-control-request-method": "POST"}
    wanted["access-control-request-headers"] = "authorization, x-mine"
    preflight = served.call(f"/{name}", "OPTIONS", headers=wanted)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    assert preflight.headers["access-control-allow-headers"] == "authorization, x-mine"
    assert "POST" in preflight.headers["access-control-allow-methods"]
    error = served.call(f"/{name}", headers={"origin": "https://page.example"})
    assert error.status_code in (404, 503) and error.headers["access-control-allow-origin"] == "*"
    plain = served.call(f"/{name}", "OPTIONS")
    assert plain.status_code in (404, 503) and plain.headers["access-control-allow-origin"] == "*"
