"""The commands of a developer: `gateway realtime tail` and `gateway explain CHANNEL`."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.fixtures.server import ROOT, environment
from tests.realtime.conftest import Realtime


@pytest.fixture
def tails() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def tail(realtime: Realtime, started: list[subprocess.Popen[str]], *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "gateway", "realtime", "tail", "--count", "1", *arguments],
        cwd=ROOT,
        env=environment(realtime.gateway.database_url, realtime.gateway.data_dir),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started.append(process)
    return process


def said(process: subprocess.Popen[str], again: object) -> dict[str, object]:
    """Its line; what makes it is repeated until it comes."""
    assert callable(again)
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(0.5):
            again()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        out, error = process.communicate(timeout=60)
    finally:
        done.set()
        thread.join()
    assert process.returncode == 0, error
    found: dict[str, object] = json.loads(out)
    return found


def test_tail_prints_what_is_said(realtime: Realtime, tails: list[subprocess.Popen[str]]) -> None:
    process = tail(realtime, tails, "news:today")
    batch = {"messages": [{"topic": "news:today", "event": "e", "payload": {"a": 1}}]}
    assert said(process, lambda: realtime.post("/api/broadcast", json=batch)) == {
        "event": "broadcast",
        "payload": {"event": "e", "payload": {"a": 1}, "type": "broadcast"},
    }


def test_tail_prints_what_changes(realtime: Realtime, tails: list[subprocess.Popen[str]]) -> None:
    realtime.sql(
        "create table public.tailed (id int generated always as identity primary key);"
        "alter publication supabase_realtime add table public.tailed"
    )
    process = tail(realtime, tails, "public.tailed")
    line = said(process, lambda: realtime.sql("insert into public.tailed default values"))
    assert (line["event"], line["type"], line["table"]) == ("postgres_changes", "INSERT", "tailed")


def test_explain_names_the_policy_that_is_missing_or_does_not_hold(realtime: Realtime) -> None:
    bare = realtime.gateway.command("explain", "CHANNEL", "room:1", "--as", "anon")
    assert "no policy of realtime.messages for select is for anon" in bare.stdout, bare.stderr
    realtime.sql(
        "create policy only_two on realtime.messages for select to authenticated using (realtime.topic() = 'room:2')"
    )
    refused = realtime.gateway.command("explain", "CHANNEL", "room:1", "--as", "authenticated", "--json")
    found = json.loads(refused.stdout)
    assert found["rights"]["read broadcast"] is False
    assert any("only_two" in reason for reason in found["reasons"])
    held = json.loads(
        realtime.gateway.command("explain", "CHANNEL", "room:2", "--as", "authenticated", "--json").stdout
    )
    assert (held["rights"]["read broadcast"], held["rights"]["write broadcast"]) == (True, False)
