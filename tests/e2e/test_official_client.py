"""The same site on the official client: one import is another, and the journeys that touch the API stay the same.

The site is built a second time with `VITE_CLIENT=official`, into a folder of its own, and served by a second gateway on
the same database; the tests are those of the other files, run again. `make test-official` runs all of them so.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, StorageState, expect

from tests.e2e import test_insights, test_pictures, test_posts, test_quote, test_requests, test_sign_in, test_tabs
from tests.e2e.test_insights import hundred as hundred
from tests.e2e.test_insights import long_topic as long_topic
from tests.fixtures.browser import Person, sign_in
from tests.fixtures.server import LiveGateway, start_gateway

# Leads.
test_a_full_quote = test_quote.test_a_full_quote_is_stored_once_and_both_sides_get_a_mail
test_a_failed_quote = test_quote.test_a_failure_is_told_and_the_form_kept
test_a_lost_quote = test_quote.test_a_lost_connection_is_told_and_the_form_kept
test_a_quote_tried_twice = test_quote.test_a_second_try_after_a_lost_answer_stores_one_lead
test_a_subscriber = test_requests.test_a_subscriber_is_welcomed
# Insights.
test_the_list = test_insights.test_the_newest_articles_come_first_ten_a_page
test_a_search = test_insights.test_search_finds_what_any_sign_says
test_a_page_too_far = test_insights.test_a_page_behind_the_last_leads_to_the_first
test_an_article = test_insights.test_an_article_is_read_whole
test_no_article = test_insights.test_an_unknown_slug_is_not_found
test_a_failed_article = test_insights.test_an_article_that_fails_says_so
# Administration.
test_a_wrong_password = test_sign_in.test_wrong_credentials_are_refused_alike
test_an_expired_token = test_sign_in.test_an_expired_token_is_renewed_by_itself
test_two_tabs = test_tabs.test_two_tabs_refresh_one_session_and_a_sign_out_ends_both
test_publishing = test_posts.test_a_post_is_published_read_and_taken_back
test_deleting = test_posts.test_deleting_asks_first_and_is_for_good
test_pictures_of_articles = test_pictures.test_pictures_are_dropped_and_pasted
test_the_library = test_pictures.test_the_featured_image_is_chosen_from_the_library_and_deleted_with_its_post


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page whose every call of an API is the official client's."""
    others: list[str] = []

    def note(request: Request) -> None:
        calls = re.match(r"https?://[^/]+/(rest|auth|storage|functions)/v1/", request.url)
        said = request.headers.get("x-client-info", "")
        if calls and request.resource_type in ("fetch", "xhr") and not said.startswith("supabase-js/"):
            others.append(f"{request.method} {request.url} by {said or 'nobody'}")

    page.on("request", note)
    yield page
    assert others == []


@pytest.fixture(scope="session")
def official_site(
    site: LiveGateway, official_build: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveGateway]:
    """A gateway that serves that build, with the keys and the database of `site`."""
    folder = tmp_path_factory.mktemp("official-site")
    shutil.copy(site.data_dir / "keys.json", folder / "keys.json")
    # One database has one store of files: without the same folder the first that writes shuts the other out.
    settings = {"SITE_DIR": str(official_build), "STORAGE_FILE_BACKEND_PATH": str(site.data_dir / "storage")}
    running = start_gateway(site.database_url, folder, "serve", settings)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def base_url(official_site: LiveGateway) -> str:
    return official_site.url


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], base_url: str) -> dict[str, Any]:
    return {**browser_context_args, "base_url": base_url}


@pytest.fixture(scope="session")
def admin_state(browser: Browser, browser_context_args: dict[str, Any], admin: Person) -> StorageState:
    """What the administrator's browser remembers of this address."""
    with browser.new_context(**browser_context_args) as context:
        page = context.new_page()
        sign_in(page, admin)
        expect(page.get_by_role("heading", name="Blog Administration")).to_be_visible()
        return context.storage_state()


def test_promise_05_the_official_client_asks(page: Page, admin: Person) -> None:
    """What the other tests of this file take for granted."""
    with page.expect_request("**/auth/v1/token?**") as asked:
        sign_in(page, admin)
    assert asked.value.headers["x-client-info"].startswith("supabase-js/")
