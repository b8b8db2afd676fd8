"""A page of the console, signed in by a code of the command."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.fixtures.server import LiveGateway


@pytest.fixture
def signed_in(new_context: Callable[..., BrowserContext], site: LiveGateway) -> Page:
    """Signed in, and asking nobody but the gateway."""
    printed = site.command("console")
    address = re.search(r"http\S+/_console/#code=\S+", printed.stdout)
    assert address, printed.stdout + printed.stderr
    page = new_context().new_page()
    home = urlsplit(site.url).netloc
    page.route(
        lambda url: urlsplit(url).netloc not in ("", home) and urlsplit(url).scheme in ("http", "https"),
        lambda route: route.abort(),
    )
    page.goto(f"{site.url}/_console/#{address[0].partition('#')[2]}")
    expect(page.get_by_role("navigation", name="Console")).to_be_visible()
    return page
