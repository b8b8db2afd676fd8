"""The console in a browser: signed in by its code, then worked by role, name and keyboard alone."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from gateway.database import SyncConnection
from tests.fixtures.server import LiveGateway

TABLE = "console_parcels"


@pytest.fixture(scope="module")
def parcels(site: LiveGateway) -> Iterator[SyncConnection]:
    """A table with what a grid has to show: a key, null and empty, an enum, json, and a row that others point to."""
    with SyncConnection(site.database_url) as connection:
        connection.script(f"""
            create table public.{TABLE} (id int primary key, name text not null, note text, content jsonb);
            create table public.{TABLE}_items (
              id int primary key, parcel int references public.{TABLE} on delete cascade);
            alter table public.{TABLE} enable row level security;
            insert into public.{TABLE} select i, 'parcel ' || i, case when i % 2 = 0 then '' end, '{{"a": 1}}'
              from generate_series(1, 400) i;
            insert into public.{TABLE}_items values (1, 9), (2, 9);
        """)
        yield connection
        connection.script(f"drop table public.{TABLE}_items, public.{TABLE}")


@pytest.fixture
def desk(new_context: Callable[..., BrowserContext], site: LiveGateway, parcels: SyncConnection) -> Page:
    """A page of the console, signed in by a code of the command, that asks nobody but the gateway."""
    printed = site.command("console")
    address = re.search(r"http\S+/_console/#code=\S+", printed.stdout)
    assert address, printed.stdout + printed.stderr
    page = new_context().new_page()
    home = urlsplit(site.url).netloc
    strangers: list[str] = []
    page.on("request", lambda sent: strangers.append(sent.url) if urlsplit(sent.url).netloc not in ("", home) else None)
    page.goto(f"{site.url}/_console/#{address[0].partition('#')[2]}")
    expect(page.get_by_role("navigation", name="Console")).to_be_visible()
    assert "code" not in page.url
    assert strangers == []
    return page


def open_table(page: Page, name: str = TABLE) -> None:
    """By keyboard: the palette finds it."""
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search commands and tables").fill(f"public.{name}")
    expect(page.get_by_role("option", name=f"public.{name} table")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid", name=f"Rows of {name}")).to_be_visible()


def test_a_cell_is_edited_by_keys_and_stands_in_the_database(desk: Page, parcels: SyncConnection) -> None:
    open_table(desk)
    desk.get_by_role("gridcell", name="parcel 2", exact=True).click()
    desk.keyboard.press("Enter")
    desk.get_by_role("textbox", name="Edit name").fill("by hand")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("1 change in 1 row not saved yet")).to_be_visible()
    desk.keyboard.press("ArrowRight")  # the note, which is empty
    desk.keyboard.press("Delete")
    desk.get_by_role("button", name="Review changes").click()
    review = desk.get_by_role("dialog", name="Changes to be saved together")
    expect(review.get_by_role("cell", name="by hand")).to_be_visible()
    review.get_by_role("button", name="Save all").click()
    expect(desk.get_by_text("1 row saved")).to_be_visible()
    assert parcels.rows(f"select name, note from public.{TABLE} where id = 2") == [("by hand", None)]
    desk.get_by_role("button", name="Sign out", exact=True).click()  # with nothing to lose nothing is asked
    expect(desk.get_by_role("navigation", name="Console")).to_have_count(0)


def test_signing_out_asks_before_edits_are_lost(desk: Page, parcels: SyncConnection) -> None:
    open_table(desk)
    desk.get_by_role("gridcell", name="parcel 3", exact=True).click()
    desk.keyboard.press("Enter")
    desk.get_by_role("textbox", name="Edit name").fill("not to be lost")
    desk.keyboard.press("Enter")
    waiting = desk.get_by_text("1 change in 1 row not saved yet")
    expect(waiting).to_be_visible()
    asked = desk.get_by_role("dialog", name="Discard what you entered?")

    desk.get_by_role("button", name="Sign out", exact=True).click()
    asked.get_by_role("button", name="Keep editing").click()
    expect(asked).to_have_count(0)
    expect(waiting).to_be_visible()
    # By the palette, from another page, and Escape keeps it too.
    desk.get_by_role("navigation", name="Console").get_by_role("link", name="Users", exact=True).click()
    desk.keyboard.press("Control+k")
    desk.get_by_role("combobox", name="Search commands and tables").fill("Sign out")
    desk.keyboard.press("Enter")
    expect(asked).to_be_visible()
    desk.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    open_table(desk)
    expect(waiting).to_be_visible()

    desk.get_by_role("button", name="Sign out", exact=True).click()
    asked.get_by_role("button", name="Discard and sign out").click()
    expect(desk.get_by_role("navigation", name="Console")).to_have_count(0)
    assert parcels.rows(f"select name from public.{TABLE} where id = 3") == [("parcel 3",)]


def test_an_edit_over_somebody_elses_is_refused_and_shows_theirs(desk: Page, parcels: SyncConnection) -> None:
    open_table(desk)
    desk.get_by_role("gridcell", name="parcel 4", exact=True).dblclick()
    parcels.script(f"update public.{TABLE} set name = 'theirs' where id = 4")
    desk.get_by_role("textbox", name="Edit name").fill("mine")
    desk.keyboard.press("Enter")
    desk.keyboard.press("Control+s")
    expect(desk.get_by_role("alert").filter(has_text="row_changed")).to_be_visible()
    expect(desk.get_by_role("group", name="The row as it stands now").get_by_text("theirs")).to_be_visible()
    assert parcels.rows(f"select name from public.{TABLE} where id = 4") == [("theirs",)]


def test_a_row_is_inserted_filtered_and_deleted_with_what_goes_along(desk: Page, parcels: SyncConnection) -> None:
    open_table(desk)
    desk.get_by_role("button", name="Insert row").click()
    form = desk.get_by_role("dialog")
    form.get_by_label("id", exact=True).fill("1000")
    form.get_by_label("name", exact=True).fill("a new one")
    form.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Row inserted")).to_be_visible()
    assert parcels.rows(f"select name, note from public.{TABLE} where id = 1000") == [("a new one", None)]

    desk.get_by_role("button", name="Filter").click()
    form = desk.get_by_role("dialog", name="Filter rows")
    form.get_by_label("Value").fill("9")
    form.get_by_role("button", name="Apply filters").click()
    expect(desk.get_by_role("grid")).to_have_attribute("aria-rowcount", "2")
    desk.reload()  # the address holds the filter
    expect(desk.get_by_role("grid")).to_have_attribute("aria-rowcount", "2")
    desk.get_by_role("checkbox", name="Choose row 1").click()
    desk.get_by_role("button", name="Delete row").click()
    sure = desk.get_by_role("dialog", name="Delete row")
    expect(sure.get_by_role("row", name=f"public.{TABLE}_items 2 are deleted along")).to_be_visible()
    sure.get_by_role("button", name="Delete row").click()
    expect(desk.get_by_text("1 row deleted")).to_be_visible()
    assert parcels.rows(f"select count(*) from public.{TABLE}_items") == [("0",)]


def test_somebody_who_is_refused_reads_why(desk: Page) -> None:
    open_table(desk)
    desk.get_by_role("combobox", name="View as").select_option("anon")
    desk.get_by_role("button", name=re.compile("^Why$|^Why is it refused$")).click()
    found = desk.get_by_role("list", name="Findings")
    expect(found.get_by_text("Row level security is on", exact=False).first).to_be_visible()


def test_a_person_is_made_and_banned(desk: Page, parcels: SyncConnection) -> None:
    email = f"console-{uuid.uuid4().hex[:8]}@umw.example"
    desk.get_by_role("link", name="Users").click()
    desk.get_by_role("button", name="Create user").click()
    form = desk.get_by_role("dialog", name="Create user")
    form.get_by_label("Email").fill(email)
    form.get_by_label("Password").fill("Long-enough-9")
    form.get_by_role("button", name="Create user").click()
    expect(desk).to_have_url(re.compile("/_console/users/[0-9a-f-]{36}$"))
    expect(desk.get_by_role("heading", name=email)).to_be_visible()
    desk.get_by_role("button", name="Ban user").click()
    desk.get_by_role("dialog", name="Ban user").get_by_role("button", name="Ban user").click()
    expect(desk.get_by_role("button", name="Unban user")).to_be_visible()
    assert parcels.rows("select banned_until > now() from auth.users where email = $1", email) == [("t",)]


def test_a_file_is_uploaded_shown_and_deleted(desk: Page) -> None:
    bucket = f"console-{uuid.uuid4().hex[:8]}"
    desk.get_by_role("link", name="Storage").click()
    desk.get_by_role("button", name="New bucket").click()
    form = desk.get_by_role("dialog", name="New bucket")
    form.get_by_label("Name").fill(bucket)
    form.get_by_role("button", name="Create bucket").click()
    expect(desk.get_by_role("heading", name=bucket)).to_be_visible()
    with desk.expect_file_chooser() as chooser:
        desk.get_by_role("button", name="Upload file").click()
    chooser.value.set_files({"name": "note.txt", "mimeType": "text/plain", "buffer": b"kept in a bucket"})
    expect(desk.get_by_role("button", name="note.txt")).to_be_visible()
    desk.get_by_role("button", name="note.txt").click()
    expect(desk.get_by_role("dialog").get_by_text("kept in a bucket")).to_be_visible()
    desk.keyboard.press("Escape")
    desk.get_by_role("checkbox", name="Choose note.txt").check()
    desk.get_by_role("button", name="Delete files").click()
    desk.get_by_role("dialog").get_by_role("button", name="Delete files").click()
    expect(desk.get_by_text("This folder is empty.")).to_be_visible()


def test_sql_runs_is_read_only_and_is_cancelled(desk: Page, parcels: SyncConnection) -> None:
    desk.get_by_role("link", name="SQL editor").click()
    editor = desk.get_by_role("textbox", name="SQL")
    editor.click()
    desk.keyboard.insert_text(f"select count(*) as parcels from public.{TABLE}")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("grid", name="Result")).to_be_visible()
    expect(desk.get_by_role("columnheader", name=re.compile("^parcels"))).to_be_visible()
    desk.get_by_role("button", name="Explain").click()
    expect(desk.get_by_role("list", name="Plan").get_by_text("Aggregate").first).to_be_visible()

    desk.get_by_role("textbox", name="SQL").click()
    desk.keyboard.press("Control+a")
    desk.keyboard.insert_text(f"delete from public.{TABLE}")
    desk.get_by_role("button", name="Run").click()
    expect(desk.get_by_role("alert").filter(has_text="read-only")).to_be_visible()
    assert parcels.rows(f"select count(*) > 300 from public.{TABLE}") == [("t",)]

    desk.get_by_role("textbox", name="SQL").click()
    desk.keyboard.press("Control+a")
    desk.keyboard.insert_text("select pg_sleep(25)")
    desk.get_by_role("button", name="Run").click()
    desk.get_by_role("button", name="Cancel").click()
    expect(desk.get_by_role("alert").filter(has_text="Cancelled")).to_be_visible()
