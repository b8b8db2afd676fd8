"""The grid of the console: wide tables, what is and is not there, rows nobody can tell apart, files in and out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.console_desk import signed_in as signed_in
from tests.fixtures.server import LiveGateway

WIDE = ", ".join(f"c{n} text default 'v{n}'" for n in range(1, 301))
TABLES = f"""
drop schema if exists console_grid cascade;
create schema console_grid authorization postgres;
set role postgres;
create type console_grid.mood as enum ('sad', 'ok');
create table console_grid.wide (id int primary key, {WIDE});
insert into console_grid.wide (id) select n from generate_series(1, 60) n;
create table console_grid.states (
  id int primary key, name text not null default 'unnamed', note text, mood console_grid.mood default 'ok');
insert into console_grid.states values (1, 'one', 'text', 'sad'), (2, 'two', null, null);
create table console_grid.alike (a int, b text);
insert into console_grid.alike values (1, 'x'), (1, 'x');
create table console_grid.coded (code text not null unique, what text);
insert into console_grid.coded values ('q', 'w');
create table console_grid.taken (id int primary key, what varchar(5), at date not null);
create table console_grid.formulas (id int primary key, what text);
insert into console_grid.formulas values (1, '=1+1');
reset role;
"""


@pytest.fixture(scope="module")
def tables(site: LiveGateway) -> Iterator[SyncConnection]:
    with SyncConnection(site.database_url) as connection:
        connection.script(TABLES)
        yield connection
        connection.script("drop schema console_grid cascade")


@pytest.fixture
def desk(signed_in: Page, tables: SyncConnection) -> Page:
    return signed_in


def show(desk: Page, site: LiveGateway, table: str) -> None:
    desk.goto(f"{site.url}/_console/tables/console_grid/{table}")
    expect(desk.get_by_role("heading", name=table, level=1)).to_be_visible()


def test_of_a_table_of_three_hundred_columns_those_in_view_are_drawn(desk: Page, site: LiveGateway) -> None:
    show(desk, site, "wide")
    grid = desk.get_by_role("grid", name="Rows of wide")
    expect(grid).to_have_attribute("aria-colcount", "302")
    assert grid.get_by_role("columnheader").count() < 30
    grid.get_by_role("gridcell", name="v1", exact=True).first.click()
    desk.keyboard.press("Control+End")
    last = grid.get_by_role("gridcell", name="v300", exact=True).last
    expect(last).to_be_focused()
    expect(last).to_be_in_viewport()
    expect(grid.get_by_role("columnheader", name=re.compile("^c300"))).to_be_in_viewport()
    assert violations(desk) == []


def test_null_empty_and_default_are_three_answers(desk: Page, site: LiveGateway, tables: SyncConnection) -> None:
    show(desk, site, "states")
    desk.get_by_role("gridcell", name="one", exact=True).click()
    desk.keyboard.press("Shift+Enter")
    desk.get_by_role("dialog").get_by_role("button", name="Set default ('unnamed'::text)").click()
    expect(desk.get_by_role("gridcell", name="DEFAULT", exact=True)).to_be_visible()
    desk.get_by_role("gridcell", name="text", exact=True).click()
    desk.keyboard.press("Delete")
    desk.get_by_role("gridcell", name="sad", exact=True).dblclick()
    desk.get_by_role("combobox", name="Edit mood").select_option("DEFAULT")
    desk.get_by_role("gridcell", name="two", exact=True).click()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Shift+Enter")
    form = desk.get_by_role("dialog", name="Edit of note")
    form.get_by_role("button", name="Set empty").click()
    form.get_by_role("button", name="Apply").click()
    desk.keyboard.press("Control+s")
    expect(desk.get_by_text("2 rows saved")).to_be_visible()
    assert tables.rows("select * from console_grid.states order by id") == [
        ("1", "unnamed", None, "ok"), ("2", "two", "", None),
    ]  # fmt: skip

    desk.get_by_role("button", name="Insert row").click()
    form = desk.get_by_role("dialog")
    form.get_by_label("id", exact=True).fill("3")
    form.get_by_label("State of note").select_option("Value")
    form.get_by_label("State of mood").select_option("NULL")
    form.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Row inserted")).to_be_visible()
    assert tables.rows("select * from console_grid.states where id = 3") == [("3", "unnamed", "", None)]


def test_rows_that_cannot_be_told_apart_are_shown_and_not_changed(
    desk: Page, site: LiveGateway, tables: SyncConnection
) -> None:
    show(desk, site, "alike")
    expect(desk.get_by_text("two rows cannot be told apart")).to_be_visible()
    desk.get_by_role("gridcell", name="x", exact=True).first.dblclick()
    expect(desk.get_by_role("dialog", name="Value of b").get_by_role("textbox")).not_to_be_editable()
    show(desk, site, "coded")  # no primary key, but what is unique and never null
    desk.get_by_role("gridcell", name="w", exact=True).dblclick()
    desk.get_by_role("textbox", name="Edit what").fill("v")
    desk.keyboard.press("Enter")
    desk.keyboard.press("Control+s")
    expect(desk.get_by_text("1 row saved")).to_be_visible()
    assert tables.rows("select what from console_grid.coded") == [("v",)]


def test_a_file_is_looked_at_mapped_checked_and_taken_whole(
    desk: Page, site: LiveGateway, tables: SyncConnection
) -> None:
    show(desk, site, "taken")
    desk.get_by_role("button", name="Import", exact=True).click()
    form = desk.get_by_role("dialog", name="Import into taken")

    def choose(text: str) -> None:
        form.get_by_label("File", exact=True).set_input_files(
            {"name": "rows.csv", "mimeType": "text/csv", "buffer": text.encode()}
        )

    choose('ID,Said,when\n1,"a, b",2026-01-02\n2,too long,2026-01-02\n3,,someday\n')
    expect(form.get_by_text("a, b")).to_be_visible()
    expect(form.get_by_label("Column for ID")).to_have_value("id")
    expect(form.get_by_text("Nothing goes to at, which must have a value.")).to_be_visible()
    form.get_by_label("Column for when").select_option("at")
    form.get_by_label("Column for Said").select_option("what")
    assert violations(desk) == []
    form.get_by_role("button", name="Import rows").click()
    refused = form.get_by_role("group", name="Rows that are refused")
    expect(refused.get_by_role("row").nth(1)).to_contain_text("value too long")
    expect(refused.get_by_role("row").nth(2)).to_contain_text("someday")
    assert tables.rows("select count(*) from console_grid.taken") == [("0",)]
    choose("id,what,at\n1,ok,2026-01-02\n")
    form.get_by_role("button", name="Check rows").click()
    expect(form.get_by_text("All 1 rows fit. Nothing was written.")).to_be_visible()
    assert tables.rows("select count(*) from console_grid.taken") == [("0",)]
    form.get_by_role("button", name="Import rows").click()
    expect(desk.get_by_text("1 rows imported")).to_be_visible()
    assert tables.rows("select * from console_grid.taken") == [("1", "ok", "2026-01-02")]


def test_rows_go_out_as_they_are_unless_it_is_for_a_spreadsheet(desk: Page, site: LiveGateway) -> None:
    show(desk, site, "formulas")
    for safe in (False, True):
        desk.get_by_role("button", name="Export", exact=True).click()
        form = desk.get_by_role("dialog", name="Export formulas")
        if safe:
            form.get_by_label("For a spreadsheet: no formulas").check()
        with desk.expect_download() as going:
            form.get_by_role("link", name="Export CSV").click()
        assert going.value.path().read_text() == f"id,what\n1,{chr(39) if safe else ''}=1+1\n"
        expect(form).to_have_count(0)


def test_rows_are_filtered_by_operators_of_the_contract(desk: Page, site: LiveGateway) -> None:
    show(desk, site, "wide")
    desk.get_by_role("button", name="Filter", exact=True).click()
    form = desk.get_by_role("dialog", name="Filter rows")
    form.get_by_label("Operator").select_option("is at most")
    form.get_by_label("Value").fill("{3,5,9}")
    form.get_by_label("Of", exact=True).select_option("any of {…}")
    form.get_by_label("Not", exact=True).check()
    form.get_by_role("button", name="Apply filters").click()
    expect(desk.get_by_role("grid")).to_have_attribute("aria-rowcount", "52")
    expect(desk.get_by_role("list", name="Filters")).to_contain_text("id not: is at most any of {3,5,9}")


def test_nothing_that_was_entered_is_lost_by_a_slip(desk: Page, site: LiveGateway, tables: SyncConnection) -> None:
    """Escape, the cross, another page, a snippet over the editor's text: asked, or there again."""
    show(desk, site, "states")
    form, asks = (desk.get_by_role("dialog", name=name) for name in ("Insert row into states", "Discard what you"))
    desk.get_by_role("button", name="Insert row").click()
    desk.keyboard.press("Escape")  # nothing was entered
    expect(form).to_be_hidden()
    desk.get_by_role("button", name="Insert row").click()
    form.get_by_label("id", exact=True).fill("77")
    desk.keyboard.press("Escape")
    expect(asks).to_be_visible()
    expect(asks.get_by_role("button", name="Keep editing")).to_be_focused()
    desk.keyboard.press("Escape")
    expect(asks).to_be_hidden()
    expect(form.get_by_label("id", exact=True)).to_have_value("77")
    for slip in range(3):  # a browser lets nobody refuse one Escape after another
        desk.keyboard.press("Escape")
        expect(asks).to_be_visible(visible=slip % 2 == 0)
    assert violations(desk) == []
    desk.keyboard.press("Enter")
    expect(asks).to_be_hidden()
    form.get_by_role("button", name="Close").click()
    asks.get_by_role("button", name="Discard").click()
    expect(form).to_be_hidden()

    desk.get_by_role("checkbox", name="Choose row 2").click()
    desk.get_by_role("button", name="Duplicate row").click()
    expect(form.get_by_label("name", exact=True)).to_have_value("two")  # and the key is a new one's
    form.get_by_label("id", exact=True).fill("78")
    form.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Row inserted")).to_be_visible()
    assert tables.rows("delete from console_grid.states where id = 78 returning name") == [("two",)]
    desk.get_by_role("button", name="Refresh").click()
    expect(desk.get_by_role("gridcell", name="78", exact=True)).to_be_hidden()
    if desk.get_by_role("button", name="Choose none").is_visible():
        desk.get_by_role("button", name="Choose none").click()

    desk.get_by_role("gridcell", name="two", exact=True).dblclick()
    desk.get_by_role("textbox", name="Edit name").fill("edited")
    desk.keyboard.press("Enter")
    desk.get_by_role("link", name="SQL editor").click()
    expect(desk.get_by_text("Changes of console_grid.states wait there")).to_be_visible()
    desk.get_by_role("textbox", name="SQL").click()
    desk.keyboard.insert_text("select 'typed for long'")
    desk.get_by_role("link", name="Table editor").click()
    show_kept(desk, "states")
    expect(desk.get_by_text("1 change in 1 row not saved yet")).to_be_visible()
    expect(desk.get_by_role("gridcell", name="edited", exact=True)).to_be_visible()
    desk.get_by_role("button", name="Discard").click()
    desk.get_by_role("link", name="SQL editor").click()
    expect(desk.get_by_role("textbox", name="SQL")).to_have_text("select 'typed for long'")
    desk.get_by_role("button", name="Save snippet").click()
    save = desk.get_by_role("dialog", name="Save snippet")
    save.get_by_label("Name").fill("kept_by_a_slip")
    desk.keyboard.press("Escape")
    asks.get_by_role("button", name="Keep editing").click()
    save.get_by_role("button", name="Save").click()
    expect(save).to_be_hidden()
    desk.get_by_role("textbox", name="SQL").click()
    desk.keyboard.insert_text(" -- and more")
    snippet = desk.get_by_role("complementary", name="Snippets and history").get_by_role(
        "button", name="kept_by_a_slip", exact=True
    )
    snippet.click()
    over = desk.get_by_role("dialog", name="Replace the SQL?")
    over.get_by_role("button", name="Cancel").click()
    expect(desk.get_by_role("textbox", name="SQL")).to_contain_text("-- and more")
    snippet.click()
    over.get_by_role("button", name="Replace").click()
    expect(desk.get_by_role("textbox", name="SQL")).to_have_text("select 'typed for long'")
    desk.get_by_role("button", name="Delete snippet kept_by_a_slip").click()
    desk.get_by_role("dialog").get_by_role("button", name="Delete snippet").click()
    expect(snippet).to_be_hidden()


def show_kept(desk: Page, table: str) -> None:
    """Without loading the page anew."""
    desk.keyboard.press("Control+k")
    desk.get_by_role("combobox", name="Search commands and tables").fill(f"console_grid.{table}")
    desk.get_by_role("option", name=f"console_grid.{table} table").click()
    expect(desk.get_by_role("heading", name=table, level=1)).to_be_visible()
