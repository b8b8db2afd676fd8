"""The gateway's own log: bounded, and never a reason for an answer to fail."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from functions_runner.logs import LineWriter, redactor

from gateway.middleware.access_log import BATCH, AccessLog
from gateway.server import logs
from gateway.server.logs import LONGEST
from gateway.settings import Settings


@pytest.fixture
def full() -> Iterator[TextIO]:
    """A device on which there is no room."""
    file = open("/dev/full", "w")  # noqa: SIM115  (closing it fails as well)
    yield file
    with pytest.raises(OSError):
        file.close()


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Handlers are the test's own."""
    root = logging.getLogger()
    former, level = root.handlers, root.level
    root.handlers = []
    yield
    root.handlers = former
    root.setLevel(level)


def test_a_line_that_finds_no_room_is_counted(
    full: TextIO, configured: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", full)
    logs.configure(Settings())
    for number in range(3):
        logging.getLogger("gateway").info("line %d", number)
    assert logs.dropped() == 3
    assert capsys.readouterr().err == ""


def test_a_closed_terminal_is_no_reason_to_fail(
    configured: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "terminal").open("w") as closed:
        pass
    monkeypatch.setattr(sys, "stderr", closed)
    monkeypatch.setattr(sys, "stdout", closed)
    logs.configure(Settings())
    logging.getLogger("gateway").warning("nobody reads this")
    logs.say("nor this")
    assert logs.dropped() == 1


def test_a_long_record_is_cut_in_the_middle(configured: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as file:
        monkeypatch.setattr(sys, "stderr", file)
        logs.configure(Settings())
        logging.getLogger("gateway").error("begins %s ends", "x" * 10_000_000)
    text = (tmp_path / "log").read_text()
    assert "begins" in text and text.endswith("ends\n") and len(text) < LONGEST + 100


def test_what_a_function_prints_on_a_full_disk_is_lost_and_nothing_else() -> None:
    def refuse(_: bytes) -> None:
        raise OSError(28, "No space left on device")

    writer = LineWriter(refuse, "info", redactor({}))
    print("a line", file=writer)
    print("another", file=writer, flush=True)
    writer.write("x" * 100_000)


def test_an_access_log_that_cannot_be_written_counts_what_it_lost(tmp_path: Path) -> None:
    path = tmp_path / "access.jsonl"
    path.mkdir()
    access = AccessLog(path)
    access._pending = [b"{}\n"] * (BATCH - 1)
    access.add("id", "GET", "/", 200, 0.001, 10, None)
    assert access.dropped == BATCH and not access._pending
