"""The service worker: hourly updates, an offline page, and never a stored answer of the API."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Error, Page, expect

from tests.fixtures.server import LiveGateway

pytestmark = pytest.mark.browser_context_args(service_workers="allow")

MINUTE = 60_000  # milliseconds

COUNT_UPDATES = """
  const update = ServiceWorkerRegistration.prototype.update
  window.updates = 0
  ServiceWorkerRegistration.prototype.update = function () { window.updates += 1; return update.call(this) }
"""


def controlled(page: Page, address: str) -> None:
    """Open a page and wait until the service worker has taken it over."""
    page.goto(address)
    page.evaluate(
        """() => new Promise(resolve => {
          if (navigator.serviceWorker.controller) resolve()
          else navigator.serviceWorker.addEventListener('controllerchange', () => resolve())
        })"""
    )


def stored(page: Page) -> set[str]:
    """Paths of everything in the caches."""
    urls: list[str] = page.evaluate(
        """async () => {
          const names = await caches.keys()
          const lists = await Promise.all(names.map(async name => (await caches.open(name)).keys()))
          return lists.flat().map(request => request.url)
        }"""
    )
    return {urlsplit(url).path for url in urls}


def test_it_governs_the_whole_site_and_is_never_stale(page: Page, site: LiveGateway) -> None:
    controlled(page, "/")
    registration = page.evaluate(
        """async () => {
          const { scope, active, updateViaCache } = await navigator.serviceWorker.ready
          return [new URL(scope).pathname, new URL(active.scriptURL).pathname, updateViaCache]
        }"""
    )
    assert registration == ["/", "/sw.js", "none"]
    assert httpx.get(f"{site.url}/sw.js").headers["cache-control"] == "no-cache"


def test_it_looks_for_an_update_every_hour(page: Page) -> None:
    page.add_init_script(COUNT_UPDATES)
    page.clock.install()
    controlled(page, "/about")
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    before = page.evaluate("window.updates")
    page.clock.fast_forward(58 * MINUTE)
    assert page.evaluate("window.updates") == before
    page.clock.fast_forward(2 * MINUTE)
    assert page.evaluate("window.updates") == before + 1
    page.clock.fast_forward(60 * MINUTE)
    assert page.evaluate("window.updates") == before + 2


def test_answers_of_the_api_are_never_stored(page: Page) -> None:
    controlled(page, "/")
    page.goto("/insights")
    expect(page.get_by_role("article")).to_have_count(10)
    page.goto("/auth")
    expect(page.get_by_role("heading", name="Admin Login")).to_be_visible()
    statuses = page.evaluate(
        "paths => Promise.all(paths.map(async path => (await fetch(path)).status))",
        ["/rest/v1/blog_posts", "/auth/v1/health", "/functions/v1/submit-quote", "/env.js", "/admin/blog"],
    )
    assert len(statuses) == 5
    paths = stored(page)
    assert "/offline" in paths
    assert {path for path in paths if not path.startswith("/assets/")} == {"/offline"}


def test_offline_a_page_says_so_and_the_api_stays_itself(page: Page) -> None:
    controlled(page, "/")
    page.context.set_offline(True)
    page.goto("/quote")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    assert page.evaluate("fetch('/rest/v1/blog_posts').then(() => 'answered', () => 'failed')") == "failed"
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.goto("/admin/blog")
    page.context.set_offline(False)
    page.goto("/quote")
    expect(page.get_by_role("form", name="Quote request")).to_be_visible()


def test_a_site_without_it_works_all_the_same(page: Page) -> None:
    logged: list[str] = []
    page.on("console", lambda message: logged.append(f"{message.type} {message.text}"))
    page.on("pageerror", lambda error: logged.append(f"error {error}"))
    page.add_init_script(
        "ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('not in this window'))"
    )
    page.goto("/about")
    page.get_by_role("contentinfo").get_by_role("link", name="Industries").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert [text for text in logged if text.startswith("error")] == []
    assert any("not in this window" in text for text in logged)
