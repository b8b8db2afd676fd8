"""A debugger at a function that is served alone: debugpy's protocol for Python, Deno's inspector for TypeScript."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from gateway.cli.ports import free_port
from tests.gateway.functions.conftest import LIMIT, ROOT, environment

Found = Callable[[dict[str, Any]], bool]


@contextmanager
def served(root: Path, name: str, port: int) -> Iterator[str]:
    """`functions serve NAME --debug`; the address of the function."""
    (root / name / "function.toml").write_text("verify_jwt = false\n")
    words = [sys.executable, "-u", "-m", "functions", "serve", name, "--debug", "--debug-port", str(port)]
    process = subprocess.Popen(
        [*words, "--port", "0", "--dir", str(root)],
        cwd=ROOT,
        env=environment(root.parent / "data"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith(f"{name} on http://"), line
        yield line.split()[2]
    finally:
        process.terminate()
        process.wait(LIMIT)
        process.stdout.close()


@contextmanager
def caller() -> Iterator[Callable[[str], Future[httpx.Response]]]:
    """Makes a call that goes on meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda address: pool.submit(httpx.post, address, json={"word": "ab"}, timeout=LIMIT, trust_env=False)


class Adapter:
    """A client of the Debug Adapter Protocol."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), LIMIT)
        self._file = self._socket.makefile("rb")
        self._number = 0
        self._unread: list[dict[str, Any]] = []

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        row = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        raw = json.dumps(row).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw))
        return self._number

    def event(self, name: str) -> dict[str, Any]:
        return self._take(lambda row: row["type"] == "event" and row["event"] == name)

    def answer(self, number: int) -> dict[str, Any]:
        found = self._take(lambda row: row["type"] == "response" and row["request_seq"] == number)
        assert found["success"], found
        body: dict[str, Any] = found.get("body") or {}
        return body

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        return self.answer(self.send(command, **arguments))

    def _take(self, is_it: Found) -> dict[str, Any]:
        for row in self._unread:
            if is_it(row):
                self._unread.remove(row)
                return row
        while not is_it(row := self._read()):
            self._unread.append(row)
        return row

    def _read(self) -> dict[str, Any]:
        length = 0
        while (line := self._file.readline().strip()) or not length:
            assert line, "the debugger hung up"
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        row: dict[str, Any] = json.loads(self._file.read(length))
        return row


def test_a_debugger_stops_a_python_function_at_a_line_and_lets_it_go(tmp_path: Path) -> None:
    main = tmp_path / "functions" / "traced" / "main.py"
    main.parent.mkdir(parents=True)
    main.write_text(
        "async def handle(request):\n    word = (await request.json())['word']\n"
        "    twice = word * 2\n    return twice\n"
    )
    port = free_port()
    with served(tmp_path / "functions", "traced", port) as address:
        adapter = Adapter(port)
        try:
            adapter.ask("initialize", adapterID="test", pathFormat="path", linesStartAt1=True)
            attaching = adapter.send("attach", justMyCode=True)
            adapter.event("initialized")
            set_at = adapter.ask("setBreakpoints", source={"path": str(main)}, breakpoints=[{"line": 4}])
            assert [row["verified"] for row in set_at["breakpoints"]] == [True]
            adapter.ask("configurationDone")
            adapter.answer(attaching)
            with caller() as call:
                answer = call(address)
                stopped = adapter.event("stopped")["body"]
                assert stopped["reason"] == "breakpoint" and not answer.done()
                (frame, *_) = adapter.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"]
                assert (frame["source"]["path"], frame["line"], frame["name"]) == (str(main), 4, "handle")
                assert adapter.ask("evaluate", expression="twice", frameId=frame["id"])["result"] == "'abab'"
                adapter.ask("continue", threadId=stopped["threadId"])
                assert (answer.result(LIMIT).status_code, answer.result().text) == (200, "abab")
        finally:
            adapter.close()


def test_a_debugger_stops_a_script_at_a_line_and_lets_it_go(tmp_path: Path) -> None:
    main = tmp_path / "functions" / "traced" / "index.ts"
    main.parent.mkdir(parents=True)
    main.write_text(
        "Deno.serve(async (request) => {\n  const { word } = await request.json();\n"
        "  const twice: string = word + word;\n  return new Response(twice);\n});\n"
    )
    port = free_port()
    with served(tmp_path / "functions", "traced", port) as address:
        (target, *_) = httpx.get(f"http://127.0.0.1:{port}/json", trust_env=False).json()
        with connect(target["webSocketDebuggerUrl"], open_timeout=LIMIT, proxy=None) as inspector, caller() as call:
            tell(inspector, 1, "Debugger.enable")
            tell(inspector, 2, "Debugger.setBreakpointByUrl", urlRegex=".*traced/index\\.ts", lineNumber=3)
            hear(inspector, lambda row: row.get("id") == 2)
            answer = call(address)
            frame = hear(inspector, lambda row: row.get("method") == "Debugger.paused")["params"]["callFrames"][0]
            assert frame["location"]["lineNumber"] == 3 and not answer.done()
            tell(inspector, 3, "Debugger.evaluateOnCallFrame", callFrameId=frame["callFrameId"], expression="twice")
            assert hear(inspector, lambda row: row.get("id") == 3)["result"]["result"]["value"] == "abab"
            tell(inspector, 4, "Debugger.resume")
            assert (answer.result(LIMIT).status_code, answer.result().text) == (200, "abab")


def tell(inspector: Connection, number: int, method: str, **params: Any) -> None:
    inspector.send(json.dumps({"id": number, "method": method, "params": params}))


def hear(inspector: Connection, is_it: Found) -> dict[str, Any]:
    while True:
        row: dict[str, Any] = json.loads(inspector.recv(LIMIT))
        if is_it(row):
            return row
