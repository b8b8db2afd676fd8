"""Known vulnerabilities: what a registry tells of a pinned version fails the scan, a silent registry does not."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests import advisories, scan
from tests.advisories import Accepted, Advisory

PYTHON = {name: version for name, (version, _) in scan.locked((scan.ROOT / scan.LOCKS[-1]).read_text()).items()}
PLANTED = "starlette"
ROW = {"id": "PYSEC-2099-1", "aliases": ["CVE-2099-1"], "fixed_in": ["999.0"], "withdrawn": None}
NODE = {
    "react": [
        {
            "id": 1,
            "url": "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
            "title": "Planted",
            "severity": "high",
            "vulnerable_versions": "<999.0.0",
        }
    ]
}


class Registry(ThreadingHTTPServer):
    """Both registries in one: PyPI's JSON of releases, and npm's advisories."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.python: dict[str, list[dict[str, Any]]] = {}
        self.node: dict[str, Any] = {}
        self.serves = True
        self.broken: set[str] = set()
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        parts = self.path.split("/")
        if not self.server.serves or parts[1] != "pypi" or parts[2] in self.server.broken:
            self._answer(404, {})
            return
        self.server.asked.append(f"{parts[2]} {parts[3]}")
        self._answer(200, {"info": {}, "vulnerabilities": self.server.python.get(parts[2], [])})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        asked = json.loads(gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw)
        told = {name: rows for name, rows in self.server.node.items() if name in asked}
        self._answer(200 if self.server.serves else 405, told)

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry that pip and npm are configured for."""
    with Registry() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        configure(monkeypatch, running.url)
        yield running
        running.shutdown()
        thread.join()


def configure(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"{url}/simple")
    monkeypatch.setenv("npm_config_registry", f"{url}/")
    monkeypatch.setattr(scan, "scan", lambda: iter(()))  # the rest of it has tests of its own


def test_promise_60_a_known_vulnerability_fails_the_scan(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.python, registry.node = {PLANTED: [ROW]}, NODE
    assert scan.main() == 1
    said = capsys.readouterr().out.splitlines()
    react = json.loads((scan.ROOT / "web" / "package-lock.json").read_text())["packages"]["node_modules/react"]
    assert said[0] == (f"Python: {PLANTED} {PYTHON[PLANTED]} is vulnerable: PYSEC-2099-1, CVE-2099-1 (mended in 999.0)")
    assert f"web: react {react['version']} is vulnerable: GHSA-aaaa-bbbb-cccc (of <999.0.0: Planted)" in said
    assert not any("not checked" in line for line in said)
    assert sorted(registry.asked) == sorted(f"{name} {version}" for name, version in PYTHON.items()), "all of the lock"


def test_promise_60_without_a_known_vulnerability_the_scan_passes(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.python = {PLANTED: [{**ROW, "withdrawn": "2099-01-01T00:00:00Z"}]}
    assert scan.main() == 0
    assert capsys.readouterr().out == "no secret, no licence that binds, every dependency pinned and used\n"


def test_promise_60_a_registry_that_does_not_tell_is_said_and_no_fault(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.serves = False
    assert scan.main() == 0
    said = capsys.readouterr().out
    assert said.count("not reachable, not checked") == 3
    assert "the package index answers 404" in said and "npm's registry answers 405" in said


def test_promise_60_without_a_network_the_scan_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as nobody:  # bound, so that nobody else takes the port, and not listening
        nobody.bind(("127.0.0.1", 0))
        configure(monkeypatch, f"http://127.0.0.1:{nobody.getsockname()[1]}")
        assert scan.main() == 0
    assert capsys.readouterr().out.count("not reachable, not checked") == 3


def test_promise_60_a_package_of_which_nothing_is_told_hides_no_other(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.python, registry.broken = {PLANTED: [ROW]}, {"uvicorn"}
    assert scan.main() == 1
    said = capsys.readouterr().out
    assert "advisories of Python: not told, not checked: uvicorn\n" in said and f"Python: {PLANTED} " in said


@pytest.mark.parametrize(("name", "today", "stands"), [
    ("PYSEC-2099-1", date(2099, 1, 1), True),
    ("CVE-2099-1", date(2099, 1, 1), True),
    ("CVE-2099-2", date(2099, 1, 1), False),
    ("PYSEC-2099-1", date(2099, 6, 1), False),
])  # fmt: skip
def test_promise_60_an_accepted_advisory_stands_until_its_day(name: str, today: date, stands: bool) -> None:
    advisory = Advisory(PLANTED, "1.0", ("PYSEC-2099-1", "CVE-2099-1"), "")
    accepted = {name: Accepted("we never call it", date(2099, 6, 1))}
    assert advisories.is_accepted(advisory, accepted, today) is stands


def test_promise_60_an_accepted_advisory_does_not_fail_the_scan(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.python = {PLANTED: [ROW]}
    monkeypatch.setattr(advisories, "ACCEPTED", {"CVE-2099-1": Accepted("we never call it", date.max)})
    assert scan.main() == 0


def test_every_accepted_advisory_says_why() -> None:
    assert all(accepted.reason for accepted in advisories.ACCEPTED.values())


def test_promise_60_a_machine_without_npm_is_said_and_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(advisories.NotServed, match="npm does not tell"):
        advisories.node_advisories(tmp_path)
