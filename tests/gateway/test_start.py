"""What a gateway has loaded when it begins to serve: every module of it is in each of its processes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from gateway.cli import application, serve
from gateway.cli.plain import plain

# By what they are for; each takes its time at the start and its place in every process, for what most never do.
LATE = {
    "the command line": {"typer", "pydantic"},
    "metrics": {"prometheus_client", "gateway.admin.metrics_page"},
    "mails": {"aiosmtplib", "gateway.mail.delivery"},
    "jobs": {"procrastinate", "psycopg_pool"},
    "pictures": {"PIL", "segno"},
    "markup that is cleaned": {"nh3"},
    "addresses to be led to": {"can_ada"},
    "calls to other servers": {"httpx", "authlib", "joserfc"},
    "web sockets of functions": {"websockets.asyncio", "websockets.client"},
    "objects elsewhere": {"obstore"},
    "the console": {"gateway.console.routes"},
    "passkeys": {"webauthn"},
    "flows of a sign-in": {"gateway.auth.flows.grants", "gateway.auth.flows.oauth", "gateway.auth.http.admin"},
    "functions that are deployed": {"gateway.functions.admin"},
    "a project's folder": {"gateway.projects.database", "gateway.projects.config", "gateway.projects.buckets"},
    "the tests": {"pytest", "gateway.testing"},
}
MOST = 900  # modules; each takes half a millisecond of a start
SCRIPT = """
import sys
from gateway.cli.plain import plain
run = plain(["serve", "--port", "0"])
print(*sys.modules)
import gateway.operations.monitor.run
print(*sys.modules)
"""


def test_a_worker_starts_without_what_few_requests_need() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    worker, monitor = (set(line.split()) for line in done.stdout.splitlines())
    assert "gateway.app" in worker
    assert {name: found for name, modules in LATE.items() if (found := sorted(modules & monitor))} == {}
    assert {name for name in worker if name.startswith("gateway.operations")} == set()
    assert len(worker) <= MOST


# --- options without the library of the command line ----------------------------------------------------------------

PLAIN: list[tuple[list[str], dict[str, Any]]] = [
    (["dev"], {}),
    (["dev", "--port", "0"], {"port": 0}),
    (["dev", "--host", "0.0.0.0", "--workers", "2", "--record", "calls.jsonl"],
     {"host": "0.0.0.0", "workers": 2, "record": "calls.jsonl"}),
    (["dev", "--port", "1", "--port", "2"], {"port": 2}),
    (["serve"], {}),
    (["serve", "--port", "54321", "--handed-over", "3:4:17"], {"port": 54321, "handed_over": "3:4:17"}),
    (["worker", "--trap-port", "2525", "--lifeline", "7"], {"trap_port": 2525, "lifeline": 7}),
]  # fmt: skip
LEFT = [
    ["dev", "--no-seed"], ["dev", "--help"], ["serve", "--check"], ["serve", "--port=1"], ["serve", "--port", "x"],
    ["serve", "--port", "-1"], ["serve", "--port"], ["serve", "--port", ""], ["serve", "--workers", "0"],
    ["serve", "--trap-port", "1"], ["worker", "--port", "1"], ["serve", "1", "2"], ["db", "migrate"], [], ["--help"],
    ["serve", "--port", "\u0663"], ["serve", "--por", "1"], ["dev", "--handed-over", "1:2"],
]  # fmt: skip


def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """What is run, in place of running it."""
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
    for name in ("dev", "serve_gateway", "worker"):

        def note(*given: Any, name: str = name, **named: Any) -> None:
            calls.append((name, given, named))

        monkeypatch.setattr(serve, name, note)
    return calls


DEFAULTS: dict[str, tuple[tuple[str, Any], ...]] = {
    "dev": (("host", None), ("port", None), ("seed", True), ("record", None), ("workers", None)),
    "serve_gateway": (("host", None), ("port", None), ("record", None), ("workers", None), ("check", False),
                      ("handed_over", "")),
    "worker": (("trap_port", None), ("lifeline", None)),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "given"), PLAIN)
def test_plain_options_mean_what_the_library_reads(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], given: dict[str, Any]
) -> None:
    calls = called(monkeypatch)
    run = plain(arguments)
    assert run is not None
    run()
    done = CliRunner().invoke(application(arguments[0]), arguments)
    assert done.exit_code == 0, done.output
    (name, _, mine), (other, theirs, _) = calls
    assert name == other and mine == given
    assert {**dict(DEFAULTS[name]), **mine} == dict(zip(dict(DEFAULTS[name]), theirs, strict=True))


@pytest.mark.parametrize("arguments", LEFT)
def test_what_is_not_plain_is_left_to_the_library(arguments: list[str]) -> None:
    assert plain(arguments) is None
