"""Every known way to smuggle a script into an article is inert: what is stored, and what is shown."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import httpx
from playwright.sync_api import Page, expect

from gateway.database import SyncConnection
from tests.e2e.posts import add_post, word
from tests.fixtures.browser import Person
from tests.fixtures.server import ROOT, LiveGateway

VECTORS: list[str] = json.loads((ROOT / "web" / "src" / "testing" / "xss-vectors.json").read_text())
TAGS = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "u", "a", "ul", "ol", "li", "blockquote", "code", "pre"),
    *("img", "br", "div", "span", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"href", "src", "alt", "title", "class", "id", "target", "rel"}
# What the page adds by itself: names of heading links, tables that scroll, pictures that load late.
OWN = {"aria-label", "loading", "role", "tabindex"}

# The database cannot hold this one, with or without a gateway before it.
STORABLE = [vector.replace("\0", "") for vector in VECTORS]

# Whatever a vector calls is noted.
ALARM = """
  window.alarms = []
  for (const name of ['alert', 'prompt', 'confirm']) window[name] = () => { window.alarms.push(name) }
"""


def runs(address: str) -> bool:
    """Whether a browser would run it: control characters in front, and tabs and line ends anywhere, do not count."""
    plain = re.sub(r"[\t\n\r]", "", address).lstrip("".join(map(chr, range(33)))).lower()
    return plain.startswith(("javascript:", "vbscript:", "data:text/html"))


class Inspector(HTMLParser):
    """Collects what the allowlist does not know."""

    def __init__(self, attributes: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.attributes = attributes
        self.strange: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.strange.append(tag)
        for name, value in attrs:
            if name not in self.attributes or (name in ("href", "src") and runs(value or "")):
                self.strange.append(f"{tag} {name}={value}")


def strange(html: str, attributes: set[str] = ATTRIBUTES) -> list[str]:
    inspector = Inspector(attributes)
    inspector.feed(html)
    inspector.close()
    return inspector.strange


def test_there_are_more_than_a_hundred_ways() -> None:
    assert len(set(VECTORS)) >= 100


def test_an_administrators_hostile_html_is_stored_clean(site: LiveGateway, admin: Person) -> None:
    with httpx.Client(base_url=site.url, headers={"apikey": site.publishable_key}) as client:
        answer = client.post(
            "/auth/v1/token?grant_type=password", json={"email": admin.email, "password": admin.password}
        )
        client.headers["authorization"] = f"Bearer {answer.json()['access_token']}"
        rare = word()
        posts = [{"title": rare, "slug": f"{rare}-{n}", "content": vector} for n, vector in enumerate(VECTORS)]
        made = client.post(
            "/rest/v1/blog_posts?select=slug,content", json=posts, headers={"prefer": "return=representation"}
        )
        assert made.status_code == 201, made.text
        stored = {row["slug"]: row["content"] for row in made.json()}
        assert len(stored) == len(VECTORS)
        found = {VECTORS[n]: strange(stored[f"{rare}-{n}"]) for n in range(len(VECTORS))}
        assert {vector: faults for vector, faults in found.items() if faults} == {}


# Closes whatever a piece has left open, so that none hides those after it.
CLOSE = "\"'--></script></style></textarea></title></noscript></xmp></noembed></select></table></svg></math>"


def test_hostile_html_that_got_in_is_shown_inert(page: Page, rows: SyncConnection) -> None:
    # Past the gateway, straight into the table: the page must not rely on what was cleaned before.
    pieces = (f"<div>{vector}</div>{CLOSE}<p>piece {n} ends</p>" for n, vector in enumerate(STORABLE))
    post = add_post(rows, f"Hostile {word()}", content="".join(pieces))
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if "evil" in request.url else None)
    page.add_init_script(ALARM)
    page.goto(f"/insights/{post.slug}")
    body = page.locator(".article-body")
    expect(body).to_contain_text(f"piece {len(STORABLE) - 1} ends")
    shown = body.inner_text()
    hidden = [vector for n, vector in enumerate(STORABLE) if f"piece {n} ends" not in shown]
    assert hidden == []
    for event in ("mouseover", "mouseenter", "pointerenter", "focus", "focusin", "toggle", "scroll", "animationstart"):
        body.evaluate(
            "(body, type) => body.querySelectorAll('*').forEach(e => e.dispatchEvent(new Event(type)))", event
        )
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.alarms") == []
    assert [url for url in outside if not url.endswith((".png", ".jpg"))] == []
    assert strange(body.inner_html(), ATTRIBUTES | OWN) == []
