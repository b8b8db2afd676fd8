"""The list of articles as HTML in the first response: cards, topics, pages and structured data.

In: `GET …?search=&tag=&page=`. Out: the site's page of the list with one page of articles, as links that work without a
script, and the same as data for the browser. A page behind the last shows the first. Anything that fails is a 5xx, for
which the gateway serves the page as it was built.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

from starlette.requests import Request

from functions.shared.articles import Article, Selection, address_of, listed
from functions.shared.page_shell import Site, site, template
from functions.shared.reply import Page, document
from functions.shared.templates import query_value
from functions.shared.together import Together

SIZE: Final = 10
TOPICS_SHOWN: Final = 12
TITLE: Final = "Insights on Medical Waste Compliance"
DESCRIPTION: Final = (
    "Articles on medical and pharmaceutical waste, OSHA and DOT rules, and state requirements"
    " for healthcare facilities in New England."
)


_rendering: Final = Together[Page]()


async def handle(request: Request) -> Any:
    """Answer with one page of the list."""
    wanted = read(request)
    return document(request, await _rendering.do(wanted, partial(render, wanted)), "text/html; charset=utf-8")


async def render(wanted: Selection) -> Page:
    """One page of the list."""
    page, shown_on, found = await asyncio.gather(template("articles"), site(), listed(wanted, SIZE))
    shown = replace(wanted, page=found.page)
    return Page(page.fill(values(shown_on, shown, found.posts, found.count, found.topics)))


def read(request: Request) -> Selection:
    """What the address asks for."""
    given = request.query_params
    page = given.get("page", "")
    # no text in Postgres holds the null character
    search, tag = (given.get(name, "").replace("\0", "") for name in ("search", "tag"))
    return Selection(search.strip(), tag, int(page) if re.fullmatch(r"[1-9][0-9]{0,8}", page, re.ASCII) else 1)


def values(shown_on: Site, shown: Selection, posts: list[Article], count: int, tags: list[str]) -> dict[str, Any]:
    """What the template of the list is filled with."""
    last = -(-count // SIZE)
    own = address(replace(shown, search=""))
    state = {"posts": posts, "count": count, "page": shown.page}
    return {
        "search": shown.search,
        "tag": shown.tag,
        "filtered": bool(shown.search or shown.tag),
        "topics": topic_links(tags, shown),
        "posts": [{**post, "art": shown_on.art_for(post["tags"])} for post in posts],
        "shown": len(posts),
        "total": count,
        "page": shown.page,
        "last_page": last,
        "several": last > 1,
        "previous": address(replace(shown, page=shown.page - 1)) if shown.page > 1 else "",
        "next": address(replace(shown, page=shown.page + 1)) if shown.page < last else "",
        "pages": page_links(shown, last),
        "address": own,
        "head": head(shown_on, shown),
        # every search would be one more page of the same articles; a topic without any is none
        "noindex": bool(shown.search or not posts),
        "structured": {"@context": "https://schema.org", **structured(shown_on, posts, own)},
        "data": {"state": asdict(shown), "list": state, "tags": tags},
    }


def head(shown_on: Site, shown: Selection) -> dict[str, str]:
    """What the page is called, as `listNames` in web/src/features/insights/seo.ts says it."""
    part = f", page {shown.page}" if shown.page > 1 else ""
    if shown.tag:
        title, heading = f"{shown.tag}: Insights{part}", f"Insights: {shown.tag}{part}"
        description = (
            f"Articles on {shown.tag} for healthcare facilities in New England{part}:"
            " medical and pharmaceutical waste, training and inspections."
        )
    else:
        title, heading = f"{TITLE}{part}", f"Insights{part}"
        description = f"Page {shown.page}: {DESCRIPTION}" if part else DESCRIPTION
    full = title if shown_on.name in title else f"{title} | {shown_on.name}"
    return {"title": full, "heading": heading, "description": description}


def address(shown: Selection) -> str:
    """The path and query of a page of the list.

    >>> address(Selection("a b", "", 2)), address(Selection())
    ('/insights?search=a+b&page=2', '/insights')
    """
    given = {"search": shown.search, "tag": shown.tag, "page": str(shown.page) if shown.page > 1 else ""}
    query = "&".join(f"{name}={query_value(value)}" for name, value in given.items() if value)
    return f"/insights?{query}" if query else "/insights"


def topic_links(tags: list[str], shown: Selection) -> list[dict[str, Any]]:
    """The first topics; the chosen one is always among them, and leads back to all."""
    first = tags[:TOPICS_SHOWN]
    if shown.tag and shown.tag not in first:
        first = [shown.tag, *first]
    return [
        {
            "name": tag,
            "address": address(Selection(shown.search, "" if tag == shown.tag else tag)),
            "active": tag == shown.tag,
        }
        for tag in first
    ]


def page_links(shown: Selection, last: int) -> list[dict[str, Any]]:
    """The first page, the last, the neighbours, and a gap, whose number is 0, where the second-next would be.

    >>> [link["number"] for link in page_links(Selection(page=5), 9)]
    [1, 0, 4, 5, 6, 0, 9]
    """
    near = (number for number in range(shown.page - 2, shown.page + 3) if 1 < number < last)
    numbers = [1, *(number if abs(number - shown.page) <= 1 else 0 for number in near), *([last] if last > 1 else [])]
    return [
        {"number": number, "address": address(replace(shown, page=number or 1)), "current": number == shown.page}
        for number in numbers
    ]


def structured(shown_on: Site, posts: list[Article], own: str) -> dict[str, Any]:
    """schema.org data of the list."""
    items = [
        {
            "@type": "ListItem",
            "position": number,
            "url": shown_on.absolute(address_of(post["slug"])),
            "name": post["title"],
        }
        for number, post in enumerate(posts, 1)
    ]
    return {
        "@type": "CollectionPage",
        "name": "Insights",
        "url": shown_on.absolute(own),
        "mainEntity": {"@type": "ItemList", "itemListElement": items},
    }
