"""`sitemap.xml`: the site's own pages, from the sitemap it was built with, and every published article."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Final

from starlette.requests import Request

from functions.shared.articles import address_of, latest
from functions.shared.page_shell import fetch, site
from functions.shared.reply import Page, document

LIMIT: Final = 49_000  # a sitemap holds 50,000 addresses
_PLACE: Final = re.compile(r"<loc>([^<]*)</loc>")


async def handle(request: Request) -> Any:
    """The whole sitemap."""
    mapped = await site()
    pages = _PLACE.findall(await fetch("/sitemap.xml"))
    entries = [f"  <url><loc>{place}</loc></url>\n" for place in pages]
    for article in await latest(LIMIT, "slug,updated_at"):
        address = escape(mapped.absolute(address_of(article["slug"])))
        entries.append(f"  <url><loc>{address}</loc><lastmod>{article['updated_at'][:10]}</lastmod></url>\n")
    xml = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' + "".join(entries) + "</urlset>\n"
    )
    return document(request, Page(xml), "application/xml; charset=utf-8")
