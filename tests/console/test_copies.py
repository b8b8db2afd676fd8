"""Copies by the console's API: made, listed, put back over what came after, given up, and told when they fail."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.console.mount import PREFIX
from gateway.jobs.backup_schedule import last_failure, note_failure
from tests.console.conftest import HOST, Desk, Desks
from tests.console.test_services import did, got

LINES = {"accept": "application/x-ndjson"}


@pytest.fixture(scope="module")
def keeper(desks: Desks, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = desks(backup_dir=str(tmp_path_factory.mktemp("copies")))
    made.sign_in()
    return made


def lines(desk: Desk, path: str, body: Any = None) -> list[dict[str, Any]]:
    answer = desk.ask("POST", f"/api{path}", body or {}, headers=LINES)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_copy_is_made_verified_and_put_back_over_what_came_after(keeper: Desk) -> None:
    with keeper.connect() as connection:
        connection.script("create table public.kept (what text); insert into public.kept values ('before')")
    *steps, made = lines(keeper, "/backups")
    assert [step["step"] for step in steps] == ["Copying the database", "Verifying the backup"]
    name = made["name"]
    with keeper.connect() as connection:
        connection.script("update public.kept set what = 'after'; create table public.newer (id int)")
    refused = did(keeper, "POST", f"/backups/{name}/restore", {"confirm": "another"}, 400)
    assert refused["code"] == "not_confirmed"
    *steps, done = lines(keeper, f"/backups/{name}/restore", {"confirm": name})
    assert done["restored"] == name and "before-restore-" in done["text"], done
    assert [step["can_stop"] for step in steps] == [True, True, True, True, False]
    with keeper.connect() as connection:
        assert connection.rows("select what, to_regclass('public.newer') from public.kept") == [("before", None)]
        connection.rows("select gateway.note_sight(now(), 'x', 1, 0, '{1}', 0, 0, 0)")  # writers are let in again
    keeper.sign_in()
    listed = got(keeper, "/backups")
    assert {row["name"] for row in listed["backups"]} >= {name} and len(listed["backups"]) == 2
    assert listed["failed"] is None and listed["every"] > 0


def test_a_restore_whose_page_goes_away_leaves_everything_as_it_was(keeper: Desk) -> None:
    name = next(row["name"] for row in got(keeper, "/backups")["backups"] if not row["name"].startswith("before"))
    with keeper.connect() as connection:
        connection.script(
            "create table if not exists public.mine (what text); insert into public.mine values ('stays')"
        )
    headers = {
        "host": HOST.removeprefix("http://"), "origin": HOST, "sec-fetch-site": "same-origin",
        "x-console-token": keeper.token, "content-type": "application/json", **LINES,
        "cookie": "; ".join(f"{key}={value}" for key, value in keeper.cookies.items()),
    }  # fmt: skip
    scope = {
        "type": "http", "method": "POST", "path": f"{PREFIX}/api/backups/{name}/restore", "query_string": b"",
        "raw_path": f"{PREFIX}/api/backups/{name}/restore".encode(), "client": ("127.0.0.1", 40000), "scheme": "http",
        "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
    }  # fmt: skip
    told: list[str] = []
    gone = asyncio.Event()
    asked = [{"type": "http.request", "body": json.dumps({"confirm": name}).encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if asked:
            return asked.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        for line in message.get("body", b"").splitlines():
            told.append(json.loads(line).get("step", "end"))
            if told[-1] == "Putting the backup back":
                gone.set()

    keeper.wait(asyncio.wait_for(keeper.app(scope, receive, send), 60))
    assert told[-1] == "Putting the backup back"
    with keeper.connect() as connection:
        assert connection.rows("select what from public.mine") == [("stays",)]
        connection.script("insert into public.mine values ('and writers are let in')")


def test_copies_that_fail_are_told(keeper: Desk) -> None:
    folder = Path(keeper.settings.backup_dir)
    (folder / "20260101-000000.gateway.tar.broken").write_bytes(b"half")
    note_failure(folder, "no room on the disk")
    told = got(keeper, "/backups")
    assert told["failed"]["reason"] == "no room on the disk" and told["failed"]["at"].startswith("20")
    (row,) = [row for row in told["backups"] if row["broken"]]
    assert row["name"].endswith(".broken")
    assert did(keeper, "POST", f"/backups/{row['name']}/restore", {"confirm": row["name"]}, 404)["code"] == "not_found"
    note_failure(folder, "")
    assert last_failure(folder) is None and got(keeper, "/backups")["failed"] is None
    (folder / ".failed.json").write_text("no JSON")
    assert last_failure(folder) is None
    (folder / "odd.gateway.tar").write_bytes(b"no copy")
    answer = keeper.ask("POST", "/api/backups/odd.gateway.tar/verify", {}, headers=LINES)
    assert json.loads(answer.text.splitlines()[-1])["error"]["code"] == "refused"
