"""One person, two tabs: both refresh the same session and stay signed in; a sign-out in one reaches the other."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Response, expect

from gateway.database import SyncConnection
from tests.fixtures.browser import Hire, sign_in

# The access token counts as run out, so that the next start of the page has to refresh.
EXPIRE = """() => {
  const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token'))
  localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), expires_at: 1 }))
}"""
TOKEN = """() => {
  const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token'))
  return key ? JSON.parse(localStorage.getItem(key)).refresh_token : null
}"""


def is_refresh(response: Response) -> bool:
    return "grant_type=refresh_token" in response.url


def expect_administration(page: Page) -> None:
    expect(page.get_by_role("heading", level=1, name="Blog Administration")).to_be_visible()


def test_two_tabs_refresh_one_session_and_a_sign_out_ends_both(
    new_context: Callable[..., BrowserContext], hire: Hire, rows: SyncConnection
) -> None:
    person = hire("admin")
    context = new_context()
    first = context.new_page()
    sign_in(first, person)
    expect_administration(first)
    second = context.new_page()
    second.goto("/admin/blog")
    expect_administration(second)
    before = first.evaluate(TOKEN)

    refreshed: list[int] = []
    for page in (first, second):
        page.on("response", lambda response: refreshed.append(response.status) if is_refresh(response) else None)
    first.evaluate(EXPIRE)
    first.evaluate("() => { location.reload() }")
    second.evaluate("() => { location.reload() }")
    for page in (first, second):
        expect_administration(page)
    assert set(refreshed) == {200}
    assert first.evaluate(TOKEN) == second.evaluate(TOKEN) != before
    sessions = rows.rows(
        "select count(*) from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1", person.email
    )
    assert sessions == [("1",)]

    first.get_by_role("button", name="Sign out").click()
    for page in (first, second):
        expect(page).to_have_url(re.compile(r"/auth\b"))
    assert second.evaluate(TOKEN) is None
