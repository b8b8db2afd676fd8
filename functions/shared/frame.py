"""The site's own page around what a function renders: its head, navigation and footer, taken from the built site.

The frame is the prerendered list of articles with its main part taken out, fetched over HTTP so that the function may
run anywhere, and kept for a few seconds. Tags that describe a page carry `data-seo`, in the browser as here, so the
browser finds and keeps what was rendered.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final

import httpx

from functions.shared import company
from functions.shared.html import attributes

SOURCE: Final = "/insights"
KEPT: Final = 10.0  # seconds; after a deployment old pages name scripts that are gone
# The site must not render the page by this function again.
PLAIN: Final = {"x-site-plain": "1"}

_SEO: Final = re.compile(
    r"\s*<(title|script)\b[^>]*\bdata-seo=[^>]*>.*?</\1>|\s*<(?:meta|link)\b[^>]*\bdata-seo=[^>]*>", re.S
)
_MAIN: Final = re.compile(r"(<main\b[^>]*>).*?(</main>)", re.S)
_CANONICAL: Final = re.compile(r'<link[^>]*rel="canonical"[^>]*href="([^"]*)"')


class FrameUnavailable(Exception):
    """The site's page cannot be had, or is not built as expected."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A page to be filled. `site` is the site's public address without a trailing slash, `source` the page as built."""

    html: str
    site: str
    source: str

    def fill(self, head: Sequence[str], main: str, data: Mapping[str, Any] | None = None) -> str:
        """The page with these head tags, this main part, and data for the browser's own rendering."""
        page = _MAIN.sub(lambda found: found[1] + main + found[2], self.html, count=1)
        page = with_head(page, head)
        return page if data is None else with_data(page, "post-data", data)


_kept: tuple[float, Frame] | None = None


async def frame() -> Frame:
    """The site's frame. Raises FrameUnavailable."""
    global _kept
    if _kept is not None and time.monotonic() - _kept[0] < KEPT:
        return _kept[1]
    found = build(await fetch(SOURCE))
    _kept = (time.monotonic(), found)
    return found


async def fetch(path: str) -> str:
    """Text of one of the site's own files. Raises FrameUnavailable."""
    try:
        response = await _session().get(path, headers=PLAIN)
    except httpx.HTTPError as error:
        raise FrameUnavailable(f"{path}: {error}") from error
    if response.status_code != 200:
        raise FrameUnavailable(f"{path}: status {response.status_code}")
    return response.text


def build(page: str) -> Frame:
    """The frame in a prerendered page. Raises FrameUnavailable."""
    if _MAIN.search(page) is None or "</head>" not in page:
        raise FrameUnavailable("the site's page has no main part")
    canonical = _CANONICAL.search(page)
    site = canonical[1].removesuffix(SOURCE) if canonical else _origin()
    return Frame(unmarked(_SEO.sub("", page)), site.rstrip("/"), page)


def unmarked(page: str) -> str:
    """A page that the browser draws anew instead of expecting the markup that it was built with."""
    return re.sub(r' data-prerendered="[^"]*"', "", page, count=1)


def with_head(page: str, tags: Sequence[str]) -> str:
    """The page with more head tags."""
    return page.replace("</head>", "    ".join(["", *(f"{tag}\n" for tag in tags)]) + "  </head>", 1)


def with_data(page: str, name: str, data: Mapping[str, Any]) -> str:
    """The page with data for the browser's own rendering."""
    script = f'<script id="{name}" type="application/json">{script_json(data)}</script>'
    return page.replace("</body>", f"{script}\n  </body>", 1)


def seo(
    title: str, description: str, *, url: str = "", image: str = "", kind: str = "website", data: Any = None
) -> list[str]:
    """Head tags of a page, the same as the browser would write; without `url` the page stays out of indexes."""
    full = title if company.NAME in title else f"{title} | {company.NAME}"
    robots = "index, follow, max-image-preview:large" if url else "noindex, nofollow"
    tags = [f'<title data-seo="title">{escape(full)}</title>']
    named = {"description": description, "robots": robots}
    tags += [_meta("name", name, content) for name, content in named.items()]
    properties = {
        "og:title": full,
        "og:description": description,
        "og:type": kind,
        "og:site_name": company.NAME,
        "og:locale": "en_US",
    }
    if image:
        properties["og:image"] = image
    tags += [_meta("property", name, content) for name, content in properties.items()]
    tags.append(_meta("name", "twitter:card", "summary_large_image"))
    if url:
        tags.append(_meta("property", "og:url", url))
        tags.append(f'<link data-seo="link:canonical"{attributes(rel="canonical", href=url)}>')
    if data is not None:
        tags.append(json_ld(data))
    return tags


def json_ld(data: Mapping[str, Any]) -> str:
    """The head tag of schema.org data."""
    text = script_json({"@context": "https://schema.org", **data})
    return f'<script data-seo="jsonld:0" type="application/ld+json">{text}</script>'


def script_json(value: Any) -> str:
    r"""JSON that cannot close the script element it stands in.

    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta data-seo="{kind}:{name}" {kind}="{name}" content="{escape(content)}">'


def _origin() -> str:
    return os.environ["SUPABASE_URL"].rstrip("/")


@cache
def _session() -> httpx.AsyncClient:
    base = os.environ.get("SITE_URL") or _origin()
    return httpx.AsyncClient(base_url=base, timeout=5.0, verify=base.startswith("https:"), trust_env=False)
