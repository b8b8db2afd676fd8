"""Work that goes on for as long as a process does is begun anew after a fault, whatever it is."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from gateway.system import lasting as module
from gateway.system.lasting import lasting

GATEWAY: Final = Path(__file__).parents[1] / "gateway"
BEGINNINGS: Final = frozenset({"create_task", "ensure_future", "_spawn"})
# Loops that end, or whose end is looked after by who began them.
LOOKED_AFTER: Final = {
    ("catalog/reload.py", "_listen_for_echo"): "asks once the database answers, and tells",
    ("cli/serve.py", "beat"): "the supervisor ends a process that does not beat",
    ("functions/relay.py", "_upload"): "sends one body",
    ("functions/websocket.py", "_to_function"): "carries one socket",
    ("jobs/worker.py", "_forever"): "where one of the queue's tasks ends, all begin anew",
    ("operations/monitor/run.py", "beat"): "the supervisor ends a process that does not beat",
    ("realtime/changes/leadership.py", "run"): "another reading begins where it ended",
    ("realtime/changes/logical.py", "run"): "its end is told, and the next subscription begins another",
    ("realtime/changes/reader.py", "_beat"): "where a reader is silent another takes over",
    ("rest/body/reader.py", "run"): "reads one body",
}


def loops() -> dict[str, set[str]]:
    """Names of coroutine functions with an endless loop, and where they are defined."""
    found: dict[str, set[str]] = {}
    for path in GATEWAY.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.AsyncFunctionDef) and any(
                isinstance(each, ast.While) and isinstance(each.test, ast.Constant) for each in ast.walk(node)
            ):
                found.setdefault(node.name, set()).add(str(path.relative_to(GATEWAY)))
    return found


def begun(known: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Where a task is begun by calling a function with such a loop itself, and the function's name."""
    for path in GATEWAY.rglob("*.py"):
        where = str(path.relative_to(GATEWAY))
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in BEGINNINGS
                and node.args
                and isinstance(node.args[0], ast.Call)
            ):
                called = node.args[0].func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                own = isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == "self"
                if where in known.get(name, ()) or (not own and name in known):
                    yield where, name


def test_a_loop_without_end_is_begun_as_lasting() -> None:
    known = loops()
    assert len(known) > 20
    del known["lasting"]
    found = set(begun(known))
    assert not found - LOOKED_AFTER.keys(), "begin them by gateway.system.lasting"
    assert not LOOKED_AFTER.keys() - found, "no longer begun"


def test_what_failed_begins_anew_and_the_log_says_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    begins: list[str] = []

    async def look_after(secret: str) -> None:
        begins.append(secret)
        if len(begins) < 3:
            raise KeyError("nobody thought of this")

    asyncio.run(lasting(partial(look_after, "hush")))
    assert begins == ["hush"] * 3
    assert caplog.text.count("look_after failed and begins anew") == 2 and "nobody thought of this" in caplog.text
    assert "hush" not in caplog.text


def test_it_ends_when_it_is_cancelled() -> None:
    async def main() -> None:
        task = asyncio.create_task(lasting(partial(asyncio.sleep, 3600)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
