"""What passes a recorder is kept, and passes as if there were none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gateway.http.messages import RESPOND, Receive, Response, Scope, Send, respond
from gateway.operations.recorder.exchange import Exchange, read
from gateway.operations.recorder.recorder import Recorder, Recording
from gateway.operations.recorder.redact import BODY_LIMIT
from gateway.operations.recorder.relay import FORGET


def scope(method: str = "GET", path: str = "/rest/v1/notes", **more: Any) -> dict[str, Any]:
    headers = [(b"host", b"127.0.0.1:5"), (b"accept-encoding", b"br"), (b"prefer", b"count=exact")]
    return {"type": "http", "method": method, "path": path, "query_string": b"a=1", "headers": headers, **more}


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Says how much it was sent, and in which encoding it may answer."""
    body = (await receive())["body"]
    seen = dict(scope["headers"]).get(b"accept-encoding", b"none")
    headers = [(b"content-type", b"text/plain")]
    await respond(scope, send, Response(201, headers, b"%d bytes, %s" % (len(body), seen)))


def serve(recorder: Recorder, asked: dict[str, Any], body: bytes = b"") -> list[dict[str, Any]]:
    """The messages of one request's answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(recorder(asked, receive, send))
    return sent


def kept(path: Path) -> list[Exchange]:
    return [exchange for _, exchange in read(path)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recording.jsonl"


def test_a_request_is_kept_and_its_answer_unchanged(file: Path) -> None:
    start, body = serve(Recorder(answer, Recording(file, 0)), scope("POST"), b"abc")
    assert (start["status"], body["body"]) == (201, b"3 bytes, none")
    (exchange,) = kept(file)
    assert (exchange.method, exchange.target, exchange.status) == ("POST", "/rest/v1/notes?a=1", 201)
    assert (exchange.request.text, exchange.response.text) == ("abc", "3 bytes, none")
    assert exchange.request.headers == {"prefer": "count=exact"}


def test_an_answer_in_one_write_is_kept_too(file: Path) -> None:
    written: list[Response] = []

    async def direct(response: Response) -> None:
        written.append(response)

    assert serve(Recorder(answer, Recording(file, 0)), scope(extensions={RESPOND: direct})) == []
    assert [response.body for response in written] == [b"0 bytes, none"]
    assert [exchange.response.text for exchange in kept(file)] == ["0 bytes, none"]


@pytest.mark.parametrize(
    "passed",
    [scope("OPTIONS"), scope(path="/insights"), scope(path="/rest/v10/a"), {**scope(), "type": "websocket"}],
    ids=["preflight", "page", "like a prefix", "socket"],
)
def test_what_is_no_request_of_the_api_passes_untouched(file: Path, passed: dict[str, Any]) -> None:
    serve(Recorder(answer, Recording(file, 0)), passed)
    assert kept(file) == []


def test_paths_are_kept_by_hosted_prefixes(file: Path) -> None:
    recorder = Recorder(answer, Recording(file, 0), prefixes={"auth": "/a", "functions": "/f", "rest": ""})
    for path in ("/a/token", "/f", "/notes"):
        serve(recorder, scope(path=path))
    assert [exchange.path for exchange in kept(file)] == ["/auth/v1/token", "/functions/v1", "/rest/v1/notes"]


def test_the_secret_key_s_requests_may_be_passed_by(file: Path) -> None:
    asked = scope(headers=[(b"apikey", b"sb_secret_x")])
    serve(Recorder(answer, Recording(file, 0), with_secret_key=False), asked)
    assert kept(file) == []
    serve(Recorder(answer, Recording(file, 0)), asked)
    assert [exchange.caller.key for exchange in kept(file)] == ["secret"]


def test_of_a_long_answer_only_its_size_is_kept(file: Path) -> None:
    async def long(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(3):
            await send({"type": "http.response.body", "body": b"x" * (BODY_LIMIT // 2), "more_body": True})
        await send({"type": "http.response.body", "body": b"x"})

    assert len(serve(Recorder(long, Recording(file, 0)), scope())) == 5
    (exchange,) = kept(file)
    assert (exchange.response.text, exchange.response.size) == ("", BODY_LIMIT // 2 * 3 + 1)


def test_an_answer_that_was_cut_short_or_not_the_server_s_is_not_kept(file: Path) -> None:
    async def cut(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})

    async def unreachable(scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"][FORGET]()
        await respond(scope, send, Response(502))

    for app in (cut, unreachable):
        serve(Recorder(app, Recording(file, 0)), scope())
    assert kept(file) == []


def test_a_recording_that_fails_fails_no_request(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    recording = Recording(file, 0)
    recording.close()
    assert serve(Recorder(answer, recording), scope())[0]["status"] == 201
    assert "could not be recorded" in caplog.text


def test_a_full_recording_ends_with_a_whole_line(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(answer, Recording(file, 1000))
    for _ in range(9):
        serve(recorder, scope())
    assert 0 < len(kept(file)) < 9
    assert file.stat().st_size <= 1000
    assert caplog.text.count("is full") == 1


def test_a_torn_line_is_dropped_and_the_rest_added_to(file: Path) -> None:
    serve(Recorder(answer, Recording(file, 0)), scope())
    with file.open("a") as half:
        half.write('{"at":"20')
    serve(Recorder(answer, Recording(file, 0)), scope())
    assert len(kept(file)) == 2
