"""Folders and files of the console's storage page, its SQL editor's selection, its signing keys, its backups."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import violations
from tests.e2e.console_desk import signed_in as signed_in
from tests.fixtures.server import LiveGateway


def test_folders_are_made_filled_renamed_and_deleted(signed_in: Page, site: LiveGateway, tmp_path: Path) -> None:
    desk, bucket = signed_in, f"folders-{uuid.uuid4().hex[:8]}"
    (tmp_path / "reports" / "old").mkdir(parents=True)
    (tmp_path / "reports" / "a.txt").write_text("kept here")
    (tmp_path / "reports" / "old" / "b.txt").write_text("and there")
    desk.goto(f"{site.url}/_console/storage?new=bucket")
    desk.get_by_role("dialog").get_by_label("Name").fill(bucket)
    desk.get_by_role("button", name="Create bucket").click()
    expect(desk.get_by_role("heading", name=bucket)).to_be_visible()
    path = desk.get_by_role("navigation", name="Folders")

    desk.get_by_role("button", name="New folder").click()
    desk.get_by_label("Folder name").fill("docs")
    desk.get_by_role("button", name="Create folder").click()
    expect(path.get_by_role("button", name="docs")).to_be_visible()
    desk.get_by_label("Folder to upload").set_input_files(tmp_path / "reports")
    expect(desk.get_by_text("2 files uploaded")).to_be_visible()
    expect(desk.get_by_role("button", name="reports/")).to_be_visible()
    assert violations(desk) == []

    path.get_by_role("button", name=bucket).click()
    desk.get_by_role("button", name="Rename folder docs").click()
    desk.get_by_role("dialog").get_by_label("Path").fill("papers")
    desk.get_by_role("button", name="Move or rename").click()
    desk.get_by_role("button", name="papers/").click()
    desk.get_by_role("button", name="reports/").click()
    desk.get_by_label("Choose a.txt").check()
    desk.get_by_role("button", name="Move files").click()
    form = desk.get_by_role("dialog", name="Move file")
    form.get_by_label("To the folder").fill("papers")
    form.get_by_role("button", name="Move files").click()
    expect(desk.get_by_text("Files moved")).to_be_visible()
    path.get_by_role("button", name="papers").click()
    desk.get_by_role("button", name="a.txt").click()
    form = desk.get_by_role("dialog")
    expect(form.get_by_text("kept here")).to_be_visible()
    form.get_by_label("A signed link is good for").select_option("one day")
    form.get_by_role("button", name="Make signed link").click()
    expect(form.get_by_role("group", name="Signed link")).to_contain_text("/object/sign/")
    desk.keyboard.press("Escape")
    path.get_by_role("button", name=bucket).click()
    desk.get_by_role("button", name="Delete folder papers").click()
    desk.get_by_role("dialog").get_by_role("button", name="Delete folder").click()
    expect(desk.get_by_text("files deleted")).to_be_visible()
    expect(desk.get_by_text("This folder is empty.")).to_be_visible()

    desk.get_by_role("tab", name="Policies").click()
    desk.get_by_role("link", name="New policy").click()
    desk.get_by_role("dialog").get_by_label("Template").select_option("Users upload to their own folder")
    expect(desk.get_by_role("group", name="SQL so far")).to_contain_text(
        f"bucket_id = '{bucket}' and (storage.foldername"
    )


def test_what_is_chosen_runs_alone_and_a_fault_is_found_in_the_whole(signed_in: Page, site: LiveGateway) -> None:
    desk = signed_in
    desk.goto(f"{site.url}/_console/sql")
    editor = desk.get_by_role("textbox", name="SQL")
    editor.click()
    desk.keyboard.insert_text("select 1 as one;\nselect 2 as two;\nselec 3")
    desk.keyboard.press("Control+Home")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Shift+End")
    desk.get_by_role("button", name="Run selection").click()
    expect(desk.get_by_role("columnheader", name=re.compile("^two"))).to_be_visible()
    editor.click()
    desk.keyboard.press("Control+End")
    desk.keyboard.press("Shift+Home")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("At line 3, column 1")).to_be_visible()


def test_a_signing_key_stands_by_before_it_is_used(signed_in: Page, site: LiveGateway) -> None:
    desk = signed_in
    desk.goto(f"{site.url}/_console/keys")
    keys = desk.get_by_role("group", name="JWT signing keys")
    expect(keys.get_by_role("row", name=re.compile("current key"))).to_be_visible()
    desk.get_by_role("button", name="Create standby key").click()
    desk.get_by_role("dialog").get_by_role("button", name="Create standby key").click()
    expect(keys.get_by_role("row", name=re.compile("standby key"))).to_be_visible()
    expect(desk.get_by_role("button", name="Create standby key")).to_be_disabled()
    assert violations(desk) == []
    # Taken away again: others sign in at this site, too.
    row = keys.get_by_role("row", name=re.compile("standby key"))
    id = row.get_by_role("cell").first.inner_text()
    row.get_by_role("button", name=f"Revoke signing key {id}").click()
    form = desk.get_by_role("dialog", name="Revoke signing key")
    form.get_by_label(f"Type {id} to confirm").fill(id)
    form.get_by_role("button", name="Revoke key").click()
    expect(keys.get_by_role("row", name=re.compile("standby key"))).to_have_count(0)


def test_a_restore_says_its_steps_and_asks_for_the_name(signed_in: Page, site: LiveGateway) -> None:
    """The server's side is tested beside it (tests/console/test_copies.py): here it only speaks."""
    desk, name = signed_in, "2026-01-01T00-00-00.gateway.tar"
    listed = {
        "folder": "/copies", "every": 86400, "keep": 7, "failed": {"at": "2026-01-02T00:00:00Z", "reason": "disk full"},
        "backups": [
            {"name": name, "bytes": 1_500_000, "made_at": "2026-01-01T00:00:00Z", "broken": False},
            {"name": "half.gateway.tar.broken", "bytes": 1, "made_at": None, "broken": True},
        ],
    }  # fmt: skip
    asked: list[str | None] = []

    def restore(route: Route) -> None:
        asked.append(route.request.post_data)
        route.fulfill(
            content_type="application/x-ndjson",
            body='{"step": "Reading the backup", "can_stop": true}\n{"restored": "x", "text": "all is back"}\n',
        )

    desk.route(re.compile("/api/backups$"), lambda route: route.fulfill(json=listed))
    desk.route(re.compile("/restore$"), restore)
    desk.goto(f"{site.url}/_console/backups")
    expect(desk.get_by_role("alert").filter(has_text="disk full")).to_be_visible()
    expect(desk.get_by_role("row", name=re.compile("half.*did not verify"))).to_be_visible()
    expect(desk.get_by_text("one is made every 24 hours, the newest 7 are kept")).to_be_visible()
    assert violations(desk) == []
    desk.get_by_role("button", name=f"Restore {name}").click()
    form = desk.get_by_role("dialog", name="Restore backup")
    expect(form.get_by_role("button", name="Restore backup")).to_be_disabled()
    form.get_by_label(f"Type {name} to confirm").fill(name)
    form.get_by_role("button", name="Restore backup").click()
    expect(desk.get_by_text("all is back")).to_be_visible()
    assert asked == [f'{{"confirm":"{name}"}}']
