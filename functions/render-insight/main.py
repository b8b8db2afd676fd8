"""An article as HTML in the first response: head, Open Graph, structured data and the sanitized text.

In: `GET …/SLUG`. Out: the site's page of the article; 301 from a slug it had before; 404 with the site's page for an
unknown one. Anything that fails is a 5xx, for which the gateway serves the plain application.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from starlette.requests import Request

from functions.shared.articles import Article, address_of, find, moved
from functions.shared.html import clean
from functions.shared.outline import sections, sources, with_names
from functions.shared.page_shell import Site, site, template
from functions.shared.pictures import with_measures
from functions.shared.reply import Page, document
from functions.shared.together import Together

HTML = "text/html; charset=utf-8"
DEFAULT_IMAGE = "/og/default.png"


_rendering: Final = Together[tuple[Page, int] | str]()


async def handle(request: Request) -> Any:
    """Answer with one article."""
    slug = unquote(request.scope["raw_path"].decode("latin-1").rstrip("/").rpartition("/")[2])
    found = await _rendering.do(slug, partial(render, slug))
    if isinstance(found, str):
        query = f"?{request.url.query}" if request.url.query else ""
        return None, 301, {"location": f"{found}{query}", "cache-control": "no-cache"}
    page, status = found
    return document(request, page, HTML, status)


async def render(slug: str) -> tuple[Page, int] | str:
    """The article of a slug, or the page that says there is none, with its status; the address it has moved to."""
    article = await find(slug)
    if article is None:
        now = await moved(slug)
        return address_of(now) if now is not None else (Page((await template("article-missing")).fill({})), 404)
    page, shown_on = await asyncio.gather(template("article"), site())
    return Page(page.fill(values(shown_on, article))), 200


def values(shown_on: Site, article: Article) -> dict[str, Any]:
    """What the template of an article is filled with."""
    title = article["meta_title"] or article["title"]
    cleaned = clean(article["content"])
    content = with_names(cleaned)
    safe = {**article, "content": cleaned}
    return {
        **safe,
        "content": with_measures(content),
        "sections": sections(content),
        "sources": sources(content),
        "address": address_of(article["slug"]),
        "image": shown_on.absolute(article["featured_image_url"] or DEFAULT_IMAGE),
        "head": {
            "title": title if shown_on.name in title else f"{title} | {shown_on.name}",
            "description": article["meta_description"] or article["excerpt"] or article["title"],
        },
        "structured": {"@context": "https://schema.org", **structured(shown_on, article)},
        "breadcrumbs": {"@context": "https://schema.org", **breadcrumbs(shown_on, article)},
        "data": safe,
    }


def structured(shown_on: Site, article: Article) -> dict[str, Any]:
    """schema.org data of an article; what is not known is left out."""
    image = article["featured_image_url"]
    data = {
        "@type": "Article",
        "headline": article["title"],
        "description": article["meta_description"] or article["excerpt"] or None,
        "image": [shown_on.absolute(image or DEFAULT_IMAGE)],
        "datePublished": article["published_at"],
        "dateModified": article["updated_at"],
        "author": {"@type": "Organization", "name": article["author_name"]},
        "publisher": {
            "@type": "Organization",
            "name": shown_on.name,
            "url": f"{shown_on.origin}/",
            "logo": {
                "@type": "ImageObject",
                "url": shown_on.absolute("/icon-512.png"),
                "width": 512,
                "height": 512,
            },
        },
        "mainEntityOfPage": shown_on.absolute(address_of(article["slug"])),
        "keywords": ", ".join(article["tags"]) or None,
    }
    return {name: value for name, value in data.items() if value is not None}


def breadcrumbs(shown_on: Site, article: Article) -> dict[str, Any]:
    """schema.org data of the way from Home to the article."""
    trail = (("Home", "/"), ("Insights", "/insights"), (article["title"], address_of(article["slug"])))
    items = [
        {"@type": "ListItem", "position": number, "name": name, "item": shown_on.absolute(path)}
        for number, (name, path) in enumerate(trail, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}
