"""The official client in Chromium, unmodified, on a page of another origin than the gateway's; both serialisations."""

from __future__ import annotations

import functools
import http.server
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, LiveGateway
from tests.ops.procs import until, workers
from tests.realtime.conftest import Realtime

CLIENT = ROOT / "supabase-compat" / "node_modules" / "@supabase" / "supabase-js" / "dist" / "umd" / "supabase.js"
SCRIPT = ROOT / "tests" / "realtime" / "js" / "browser.js"
PAGE = """<!doctype html><meta charset="utf-8"><title>realtime</title>
<script src="/supabase.js"></script><script src="/page.js"></script>"""
TABLES = """
create table public.seen (id int primary key, owner text, title text);
alter table public.seen enable row level security;
create policy own on public.seen for select to authenticated using (owner = auth.jwt() ->> 'sub');
grant select on public.seen to authenticated;
grant all on public.seen to service_role;
alter publication supabase_realtime add table public.seen;
create policy "in" on realtime.messages for select to authenticated using (realtime.topic() like 'open-%');
create policy "out" on realtime.messages for insert to authenticated with check (realtime.topic() like 'open-%');
"""


@pytest.fixture(scope="session")
def base_url() -> str:
    """Of the browser's paths: none, each page says where it is."""
    return ""


@pytest.fixture(scope="module", autouse=True)
def tables(running: LiveGateway) -> None:
    with SyncConnection(running.database_url) as connection:
        connection.script(TABLES)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the page and the client's own file, which has nothing to do with the gateway."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "index.html").write_text(PAGE)
    (folder / "supabase.js").symlink_to(CLIENT)
    (folder / "page.js").symlink_to(SCRIPT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


@pytest.fixture(params=["1.0.0", "2.0.0"])
def opened(page: Page, origin: str, realtime: Realtime, request: pytest.FixtureRequest) -> Page:
    """The page, told where the gateway is and in which serialisation to speak."""
    page.goto(origin)
    page.evaluate(
        "settings => begin(settings)",
        {
            "url": realtime.url,
            "key": realtime.gateway.publishable_key,
            "service": realtime.token("service_role"),  # a browser may not use the secret key
            "token": realtime.token(sub="ann"),
            "other": realtime.token(sub="bob"),
            "vsn": request.param,
        },
    )
    return page


def test_broadcasts_of_every_way_reach_a_page(opened: Page) -> None:
    got = opened.evaluate("broadcasts()")
    assert got["answers"] == ["ok", "ok", {"success": True}]
    assert got["own"] == {"n": 1}
    assert got["heard"] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_pages_see_each_other_come_and_go(opened: Page) -> None:
    got = opened.evaluate("presences()")
    assert got["joined"] == ["ann", True]
    assert got["state"] == ["ann"]
    assert got["left"] == "ann"


def test_a_private_channel_asks_the_policies_of_a_page_s_user(opened: Page) -> None:
    got = opened.evaluate("privates()")
    assert "Unauthorized" in got["refused"]
    assert got["sent"] == "ok" and got["heard"] == {"n": 1}


def test_changes_reach_the_page_of_whom_policies_show_them(opened: Page) -> None:
    got = opened.evaluate("changes()")
    assert got["ann"] == [
        ["INSERT", {"id": 1, "owner": "ann", "title": "x"}, {}],
        ["UPDATE", {"id": 1, "owner": "ann", "title": "y"}, {"id": 1}],
        ["DELETE", {}, {"id": 1}],
    ]
    assert got["bob"] == [["DELETE", {}, {"id": 1}]]  # of a deleted row everybody has the key


def test_a_page_comes_back_when_its_worker_was_killed(opened: Page, realtime: Realtime) -> None:
    """By itself: its channel is joined again, it is there again, and broadcasts and changes go on."""
    opened.evaluate("stay()")
    before = set(workers(realtime.gateway))
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: len(set(workers(realtime.gateway)) - before) == len(before), "the workers are replaced")
    got = opened.evaluate("back()")
    assert got["statuses"][0] == "SUBSCRIBED" and "CHANNEL_ERROR" in got["statuses"]
    assert got["statuses"][-1] == "SUBSCRIBED"
    assert got["heard"] == {"again": True}
    assert got["changed"] == 2
