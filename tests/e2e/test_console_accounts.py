"""Accounts of the console in a browser: what one that only reads and one for records see, and what they are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.console_desk import signed_in as signed_in
from tests.fixtures.server import LiveGateway

TABLE = "account_parcels"
LIMIT = 30_000  # milliseconds
PASSWORD = "long-enough-for-an-account"


@pytest.fixture(scope="module")
def parcels(site: LiveGateway) -> Iterator[SyncConnection]:
    """A table of the API, one that the API's service may not see, and accounts."""
    with SyncConnection(site.database_url) as connection:
        connection.script(f"""
            create table public.{TABLE} (id int primary key, name text);
            insert into public.{TABLE} values (1, 'as it was');
            grant all on public.{TABLE} to service_role;
            create table public.{TABLE}_closed (id int primary key);
            revoke all on public.{TABLE}_closed from service_role, anon, authenticated;
        """)
        for name, option in (("reader@umw.example", "--read-only"), ("clerk@umw.example", "--records")):
            made = site.command("console", "accounts", "add", name, option, "--password-stdin", input=PASSWORD)
            assert made.returncode == 0, made.stderr
        yield connection
        for name in ("reader@umw.example", "clerk@umw.example"):
            site.command("console", "accounts", "remove", name)
        connection.script(f"drop table public.{TABLE}, public.{TABLE}_closed")


def enter(page: Page, password: str, answer: Locator) -> None:
    """Sign in, as often as it takes where the tests before have used up what one address may try."""
    page.get_by_label("Password").fill(password)
    for _ in range(15):
        with page.expect_response("**/_console/api/session") as answered:
            page.get_by_label("Password").press("Enter")
        if answered.value.status != 429:
            break
        page.wait_for_timeout(2000)  # in which the limit gives a try back
    expect(answer).to_be_visible(timeout=LIMIT)


@pytest.fixture
def sign_in(
    new_context: Callable[..., BrowserContext], site: LiveGateway, parcels: SyncConnection
) -> Callable[[str], Page]:
    def by_page(name: str) -> Page:
        page = new_context().new_page()
        page.set_default_timeout(LIMIT)
        page.goto(f"{site.url}/_console/")
        page.get_by_label("Account").fill(name)
        password = page.get_by_label("Password")
        enter(page, "not the password", page.get_by_text("this is not its password"))
        expect(password).to_have_accessible_description(re.compile("password"), timeout=LIMIT)
        expect(password).to_have_attribute("aria-invalid", "true")
        enter(page, PASSWORD, page.get_by_role("navigation", name="Console"))
        return page

    return by_page


def asked(page: Page, method: str, path: str) -> list[object]:
    """What the API answers to the page, past its buttons."""
    answer: list[object] = page.evaluate(
        """async ([method, path]) => {
          const { token } = await (await fetch('/_console/api/session')).json()
          const headers = { 'x-console-token': token, 'content-type': 'application/json' }
          const answer = await fetch('/_console/api/' + path, { method, headers, body: method === 'GET' ? null : '{}' })
          return [answer.status, (await answer.json()).code]
        }""",
        [method, path],
    )
    return answer


def test_an_account_that_reads_sees_everything_and_changes_nothing(
    sign_in: Callable[[str], Page], site: LiveGateway
) -> None:
    page = sign_in("reader@umw.example")
    note = page.get_by_role("note").filter(has_text="Read only.")
    expect(note).to_contain_text("The account reader@umw.example may see everything and change nothing.")
    rail = page.get_by_role("navigation", name="Console")
    for name in ("Users", "Storage", "Functions", "API keys", "Backups", "SQL editor"):
        rail.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible(timeout=LIMIT)
        expect(note).to_be_visible()
    page.get_by_role("textbox", name="SQL").click()
    page.keyboard.insert_text(f"select name from public.{TABLE}")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("grid", name="Result").get_by_text("as it was")).to_be_visible(timeout=LIMIT)
    page.goto(f"{site.url}/_console/tables/public/{TABLE}")
    expect(page.get_by_role("gridcell", name="as it was")).to_be_visible(timeout=LIMIT)
    expect(page.get_by_role("button", name="Insert row")).to_be_disabled()
    page.get_by_role("gridcell", name="as it was").dblclick()
    expect(page.get_by_role("textbox", name="Edit name")).to_have_count(0)
    assert asked(page, "POST", "jobs/1/retry") == [403, "read_only"]
    assert violations(page) == []


def test_an_account_for_records_edits_rows_and_is_offered_nothing_else(
    sign_in: Callable[[str], Page], site: LiveGateway, parcels: SyncConnection
) -> None:
    page = sign_in("clerk@umw.example")
    expect(page.get_by_role("heading", level=1, name="Table editor")).to_be_visible(timeout=LIMIT)
    expect(page.get_by_role("navigation", name="Console").get_by_role("link")).to_have_count(1)
    page.keyboard.press("Control+k")
    search = page.get_by_role("combobox", name="Search commands and tables")
    for word in ("SQL editor", "Create user", "New table", "API keys"):
        search.fill(word)
        expect(page.get_by_role("option", name=word)).to_have_count(0)
    search.fill(f"public.{TABLE}")
    page.get_by_role("option", name=f"public.{TABLE} table").click()
    page.get_by_role("gridcell", name="as it was").dblclick()
    page.get_by_role("textbox", name="Edit name").fill("by the clerk")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("1 row saved")).to_be_visible(timeout=LIMIT)
    assert parcels.rows(f"select name from public.{TABLE}") == [("by the clerk",)]
    page.goto(f"{site.url}/_console/tables/public/{TABLE}_closed")
    expect(page.get_by_role("alert").filter(has_text="permission denied")).to_be_visible(timeout=LIMIT)
    for path in ("sql", "users", "keys", "backups", "schema", "storage"):
        page.goto(f"{site.url}/_console/{path}")
        expect(page.get_by_role("heading", level=1, name="Not for this account")).to_be_visible(timeout=LIMIT)
    expect(page.get_by_text("The account clerk@umw.example may see and change rows, and nothing else.")).to_be_visible()
    assert asked(page, "POST", "sql") == [403, "records_only"] == asked(page, "GET", "keys")
    assert violations(page) == []
    site.command("console", "accounts", "remove", "clerk@umw.example")  # its session ends with it
    page.goto(f"{site.url}/_console/")
    expect(page.get_by_label("Secret key or code")).to_be_visible(timeout=LIMIT)


def test_an_owner_makes_an_account_by_page_and_ends_it(
    signed_in: Page, new_context: Callable[..., BrowserContext], site: LiveGateway
) -> None:
    page, name = signed_in, "colleague@umw.example"
    page.set_default_timeout(LIMIT)
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("button", name="Add account").click()
    form = page.get_by_role("dialog", name="Add account")
    form.get_by_label("Account name").fill(name)
    form.get_by_label("What it may do").select_option(label="Records alone")
    form.get_by_role("button", name="Add account").click()
    once = page.get_by_role("dialog", name="The password, shown once")
    password = once.get_by_role("group", name="New password").inner_text(timeout=LIMIT)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(once).to_be_visible()  # a slip would cost it
    assert violations(page) == []
    once.get_by_role("button", name="I have kept it").click()
    row = page.get_by_role("table", name="Console accounts").get_by_role("row", name=re.compile(name))
    expect(row.get_by_text("Records alone")).to_be_visible(timeout=LIMIT)
    other = new_context().new_page()
    other.goto(f"{site.url}/_console/")
    other.get_by_label("Account").fill(name)
    other.get_by_label("Password").fill(password)
    other.keyboard.press("Enter")
    expect(other.get_by_role("navigation", name="Console")).to_be_visible(timeout=LIMIT)
    row.get_by_role("button", name=f"Remove account {name}").click()
    page.get_by_role("dialog", name="Remove account").get_by_role("button", name="Remove account").click()
    expect(row).to_be_hidden(timeout=LIMIT)
    other.reload()
    expect(other.get_by_label("Secret key or code")).to_be_visible(timeout=LIMIT)
