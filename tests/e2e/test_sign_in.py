"""Who gets into the administration, and for how long."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.axe import violations
from tests.e2e.screen import expect_error, expect_failure, expect_toast
from tests.fixtures.browser import Held, Hire, Person, answer, log_in, sign_in
from tests.fixtures.server import LiveGateway

TOKEN = "**/auth/v1/token?grant_type=password"
USER = "**/auth/v1/user"
ROLE = "**/rest/v1/user_roles?**"


def expire(page: Page) -> None:
    """Make the browser's remembered session one that has to be refreshed."""
    changed = page.evaluate(
        """() => {
          const key = Object.keys(localStorage).find(name => name.endsWith('-auth-token'))
          const session = JSON.parse(localStorage.getItem(key))
          localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1, expires_in: 0 }))
          return session.access_token
        }"""
    )
    assert changed


def token(page: Page) -> str | None:
    """The access token that the browser remembers."""
    found: str | None = page.evaluate(
        """() => {
          const key = Object.keys(localStorage).find(name => name.endsWith('-auth-token'))
          return key ? JSON.parse(localStorage.getItem(key)).access_token : null
        }"""
    )
    return found


def expect_list(page: Page) -> None:
    expect(page.get_by_role("heading", name="Blog Administration")).to_be_visible()


def expect_login(page: Page, return_to: str) -> None:
    expect(page.get_by_role("heading", name="Admin Login")).to_be_visible()
    assert page.url.endswith(f"/auth?returnTo={return_to}")


def test_a_protected_page_asks_to_sign_in_and_then_returns(page: Page, admin: Person) -> None:
    page.goto("/admin/blog?status=drafts")
    expect_login(page, "%2Fadmin%2Fblog%3Fstatus%3Ddrafts")
    expect(page.get_by_text("Administrator access only. Contact system admin for account creation.")).to_be_visible()
    expect(page.locator("meta[name=robots]")).to_have_attribute("content", "noindex, nofollow")
    log_in(page, admin.email, admin.password)
    expect_toast(page, "Welcome back!", "You've successfully logged in.")
    expect_list(page)
    assert page.url.endswith("/admin/blog?status=drafts")
    expect(page.get_by_role("combobox", name="Status")).to_have_value("drafts")


@pytest.mark.parametrize("known", [True, False], ids=["wrong password", "unknown address"])
def test_wrong_credentials_are_refused_alike(page: Page, admin: Person, known: bool) -> None:
    email = admin.email if known else "nobody@umw.example"
    page.goto("/auth")
    log_in(page, email, "not the password")
    expect_failure(page, "Login failed", "Invalid login credentials")
    expect(page.get_by_role("main").get_by_label("Email")).to_have_value(email)
    expect(page.get_by_role("button", name="Log In")).to_be_enabled()


def test_a_login_that_gets_no_answer_says_so(page: Page, admin: Person) -> None:
    page.route(TOKEN, lambda route: route.abort())
    page.goto("/auth")
    log_in(page, admin.email, admin.password)
    expect(page.get_by_role("alert").get_by_text("Login failed", exact=True)).to_be_visible()


def test_a_server_out_of_order_is_no_reason_for_riddles(page: Page, admin: Person) -> None:
    answer(page, TOKEN, 503, "")
    page.goto("/auth")
    log_in(page, admin.email, admin.password)
    expect_failure(page, "Login failed", "Please check your credentials and try again.")


def test_the_button_says_so_while_logging_in(page: Page, admin: Person) -> None:
    held = Held(page, TOKEN)
    page.goto("/auth")
    log_in(page, admin.email, admin.password)
    expect(page.get_by_role("button", name="Logging in...")).to_be_disabled()
    held.first().continue_()
    page.wait_for_url("**/")


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(page: Page, admin: Person, target: str) -> None:
    page.goto("/auth")
    page.evaluate("target => history.replaceState(null, '', '/auth?returnTo=' + encodeURIComponent(target))", target)
    page.reload()
    log_in(page, admin.email, admin.password)
    page.wait_for_url("**/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("location.pathname") == "/"


def test_a_user_without_the_role_is_denied(page: Page, hire: Hire) -> None:
    sign_in(page, hire())
    expect(page.get_by_role("heading", name="Access Denied")).to_be_visible()
    expect(page.get_by_text("You don't have permission to access this page.", exact=True)).to_be_visible()
    expect(page.get_by_text("This area is restricted to administrators only.", exact=True)).to_be_visible()
    for path in ("/admin/blog/new", "/admin/blog/5eed0000-0000-4000-8000-000000000001"):
        page.goto(path)
        expect(page.get_by_role("heading", name="Access Denied")).to_be_visible()


def test_a_role_check_that_fails_denies(admin_page: Page) -> None:
    answer(admin_page, ROLE, 500, {"code": "XX000", "message": "broken"})
    admin_page.goto("/admin/blog")
    expect(admin_page.get_by_role("heading", name="Access Denied")).to_be_visible()


def test_a_spinner_shows_until_the_role_is_known(admin_page: Page) -> None:
    held = Held(admin_page, ROLE)
    admin_page.goto("/admin/blog")
    expect(admin_page.get_by_role("main").get_by_role("status").first).to_be_visible()
    expect(admin_page.get_by_role("heading", name="Blog Administration")).to_have_count(0)
    held.first().continue_()
    expect_list(admin_page)


@pytest.mark.parametrize(("address", "path"), [("/auth", "/"), ("/auth?returnTo=/admin/blog", "/admin/blog")])
def test_the_login_page_passes_on_who_is_signed_in(admin_page: Page, address: str, path: str) -> None:
    admin_page.goto(address)
    admin_page.wait_for_url(f"**{path}")
    expect(admin_page.get_by_role("heading", name="Admin Login")).to_have_count(0)


def test_a_session_survives_a_reload_and_reaches_other_tabs(admin_page: Page) -> None:
    admin_page.goto("/admin/blog")
    expect_list(admin_page)
    admin_page.reload()
    expect_list(admin_page)
    other = admin_page.context.new_page()
    other.goto("/admin/blog")
    expect_list(other)


def test_an_expired_token_is_renewed_by_itself(page: Page, hire: Hire) -> None:
    sign_in(page, hire("admin"))
    expect_list(page)
    before = token(page)
    expire(page)
    page.reload()
    expect_list(page)
    expect(page.get_by_role("article").first).to_be_visible()
    assert token(page) not in (None, before)


def test_a_one_time_password_asks_to_be_changed(page: Page, site: LiveGateway) -> None:
    email = f"person-{uuid.uuid4().hex[:10]}@umw.example"
    made = site.command("users", "create", email, "--json")
    assert made.returncode == 0, made.stderr
    assert site.command("users", "grant", email, "admin").returncode == 0
    sign_in(page, Person(email, json.loads(made.stdout)["password"]))
    notice = page.get_by_role("region", name="Choose your own password")
    expect(notice).to_be_visible()
    expect_list(page)
    assert violations(page) == []

    new = notice.get_by_label("New password")
    new.fill("short")
    page.keyboard.press("Enter")
    expect_error(new, "Password should be at least 8 characters.")
    answer(page, USER, 503, "", method="PUT")
    new.fill("a password of my own 7")
    page.keyboard.press("Enter")
    expect_error(new, "The password could not be changed. Please try again.")
    page.unroute(USER)
    page.keyboard.press("Enter")
    expect_toast(page, "Success", "Password changed successfully")
    expect(notice).to_have_count(0)
    page.reload()
    expect_list(page)
    expect(notice).to_have_count(0)

    page.get_by_role("button", name="Sign out").click()
    expect_login(page, "%2Fadmin%2Fblog")
    log_in(page, email, "a password of my own 7")
    expect_list(page)


def test_signing_out_ends_every_tab_and_every_device(
    page: Page, hire: Hire, new_context: Callable[..., BrowserContext]
) -> None:
    person = hire("admin")
    elsewhere = new_context().new_page()
    sign_in(elsewhere, person)
    expect_list(elsewhere)
    sign_in(page, person)
    expect_list(page)
    tab = page.context.new_page()
    tab.goto("/admin/blog")
    expect_list(tab)

    page.get_by_role("button", name="Sign out").click()
    expect_login(page, "%2Fadmin%2Fblog")
    expect_login(tab, "%2Fadmin%2Fblog")
    assert token(page) is None
    expire(elsewhere)
    elsewhere.reload()
    expect_login(elsewhere, "%2Fadmin%2Fblog")
