"""The lists of the administration follow what is written, in the browser and by the site's own client."""

from __future__ import annotations

import os

import httpx
import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.forms import somebody
from tests.e2e.test_leads import row, send_message
from tests.fixtures.server import LiveGateway


def flowing(page: Page, address: str) -> None:
    """Open a page, and wait until changes reach it."""
    said: list[str] = []

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: said.append(str(data)))

    page.on("websocket", opened)
    page.goto(address)
    for _ in range(400):
        if any("Subscribed to PostgreSQL" in data for data in said):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"changes do not reach the page: {said}")


def test_a_new_lead_appears_without_a_reload(admin_page: Page, site: LiveGateway) -> None:
    flowing(admin_page, "/admin/leads")
    email = somebody()
    send_message(site, email)
    expect(row(admin_page, email)).to_be_visible()
    expect(admin_page.get_by_text("A new lead has just arrived")).to_be_visible()


def test_a_post_that_somebody_else_writes_appears_without_a_reload(admin_page: Page, site: LiveGateway) -> None:
    flowing(admin_page, "/admin/blog")
    title = f"Written elsewhere {somebody()}"
    headers = {"apikey": site.secret_key, "authorization": f"Bearer {site.secret_key}"}
    body = {"title": title, "slug": title.lower().replace(" ", "-").replace("@", "-").replace(".", "-"),
            "content": "<p>Text</p>", "excerpt": "Text", "author_name": "Somebody"}  # fmt: skip
    made = httpx.post(f"{site.url}/rest/v1/blog_posts", json=body, headers=headers, trust_env=False, timeout=60)
    assert made.status_code == 201, made.text
    expect(admin_page.get_by_text(title)).to_be_visible()
    expect(admin_page.get_by_text("somebody changed a post")).to_be_visible()
    httpx.delete(f"{site.url}/rest/v1/blog_posts", params={"title": f"eq.{title}"}, headers=headers, trust_env=False)


@pytest.mark.skipif(os.environ.get("SITE_CLIENT") == "official", reason="the official client itself wants a WebSocket")
def test_the_page_is_as_before_where_no_socket_can_be_had(admin_page: Page, site: LiveGateway) -> None:
    email = somebody()
    send_message(site, email)
    admin_page.add_init_script("delete window.WebSocket")
    admin_page.goto("/admin/leads")
    expect(row(admin_page, email)).to_be_visible()
