"""The list of articles as HTML in the first response: cards, topics, pages and structured data.

In: `GET …?search=&tag=&page=`. Out: the site's own page of the list with one page of articles put in, as links that
work without a script, and the same as data for the browser. A page behind the last shows the first. Anything that
fails is a 5xx, for which the gateway serves the page as it was built.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import asdict, replace
from datetime import datetime
from html import escape
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.requests import Request

from functions.shared.articles import Article, Selection, listed, topics
from functions.shared.frame import Frame, FrameUnavailable, frame, json_ld, unmarked, with_data, with_head
from functions.shared.reply import document

SIZE: Final = 10
TAGS_ON_A_CARD: Final = 2
TOPICS_SHOWN: Final = 12

_CELL: Final = "grid size-11 place-items-center rounded-md text-sm font-semibold tabular-nums"
_PILL: Final = "flex min-h-9 max-w-full items-center truncate rounded-full border px-4 text-sm font-semibold"
_CHOSEN: Final = "border-harbor-700 bg-harbor-700 text-white"
_OTHER: Final = "border-granite-300 bg-white text-ink"


async def handle(request: Request) -> Any:
    """Render one page of the list."""
    wanted = read(request)
    page, tags, (posts, count) = await asyncio.gather(frame(), topics(), listed(wanted, SIZE))
    if not posts and wanted.page > 1:
        wanted = replace(wanted, page=1)
        posts, count = await listed(wanted, SIZE)
    return document(request, render(page, wanted, posts, count, tags), "text/html; charset=utf-8")


def read(request: Request) -> Selection:
    """What the address asks for."""
    given = request.query_params
    page = given.get("page", "")
    # no text in Postgres holds the null character
    search, tag = (given.get(name, "").replace("\0", "") for name in ("search", "tag"))
    return Selection(search.strip(), tag, int(page) if re.fullmatch(r"[1-9][0-9]{0,8}", page, re.ASCII) else 1)


def render(page: Frame, shown: Selection, posts: list[Article], count: int, tags: list[str]) -> str:
    """The whole page."""
    last = -(-count // SIZE)
    html = unmarked(page.source)
    html = put(html, r'value=""(?=[^>]*></span></form>)', f'value="{escape(shown.search)}"')
    if shown.tag:
        html = put(html, "</form>", f'<input type="hidden" name="tag" value="{escape(shown.tag)}"></form>')
    html = put(html, r'<div data-part="topics"[^>]*></div>', topic_links(tags, shown))
    html = put(
        html,
        r'<p data-part="count".*?</p>',
        f"<p>{escape(count_line(len(posts), count, shown, last))}</p>" if posts else "",
    )
    html = put(
        html, r'<div data-part="posts"[^>]*></div>', cards(posts) + pages(shown, last) if posts else empty(shown)
    )
    url = page.site + address(replace(shown, search=""))
    html = re.sub(
        r'(<(?:link|meta) data-seo="(?:link:canonical|property:og:url)"[^>]*(?:href|content)=")[^"]*',
        lambda found: found[1] + escape(url),
        html,
    )
    if shown.search:
        # Every search would be another page with the same articles.
        html = put(html, r'(?<=name="robots" content=")[^"]*', "noindex, nofollow")
    html = re.sub(r'\s*<script data-seo="jsonld:[^>]*>.*?</script>', "", html, flags=re.S)
    html = with_head(html, [json_ld(structured(page, posts, url))])
    state = {"posts": posts, "count": count, "page": shown.page}
    return with_data(html, "list-data", {"state": asdict(shown), "list": state, "tags": tags})


def put(page: str, place: str, text: str) -> str:
    """The page with a text in the first place that the pattern finds. Raises FrameUnavailable."""
    changed, found = re.subn(place, lambda _: text, page, count=1, flags=re.S)
    if not found:
        raise FrameUnavailable(f"the site's list has no place {place}")
    return changed


def address(shown: Selection) -> str:
    """The path and query of a page of the list.

    >>> address(Selection("a b", "", 2)), address(Selection())
    ('/insights?search=a+b&page=2', '/insights')
    """
    given = {"search": shown.search, "tag": shown.tag, "page": str(shown.page) if shown.page > 1 else ""}
    query = urlencode({name: value for name, value in given.items() if value})
    return f"/insights?{query}" if query else "/insights"


def count_line(showing: int, count: int, shown: Selection, last: int) -> str:
    """How many articles there are, and under which conditions.

    >>> count_line(10, 42, Selection("", "OSHA", 2), 5)
    'Showing 10 of 42 articles in "OSHA" (page 2 of 5)'
    """
    search = f' for "{shown.search}"' if shown.search else ""
    tag = f' in "{shown.tag}"' if shown.tag else ""
    page = f" (page {shown.page} of {last})" if last > 1 else ""
    return f"Showing {showing} of {count} articles{search}{tag}{page}"


def topic_links(tags: list[str], shown: Selection) -> str:
    """Topics as links; the one of the chosen topic leads back to all."""
    first = tags[:TOPICS_SHOWN]
    if shown.tag and shown.tag not in first:
        first = [shown.tag, *first]
    if not first:
        return "<div></div>"
    links = "".join(
        f'<a href="{escape(address(Selection(shown.search, "" if tag == shown.tag else tag)))}"'
        f"{' aria-current=true' if tag == shown.tag else ''}"
        f' class="{_PILL} {_CHOSEN if tag == shown.tag else _OTHER}">{escape(tag)}</a>'
        for tag in first
    )
    return f'<div><div role="group" aria-label="Filter by topic" class="flex flex-wrap gap-2">{links}</div></div>'


def cards(posts: list[Article]) -> str:
    """The grid of articles."""
    items = "".join(f"<li>{card(post)}</li>" for post in posts)
    return f'<ul class="mt-5 grid gap-6 transition-opacity md:grid-cols-2 lg:grid-cols-3">{items}</ul>'


def card(post: Article) -> str:
    """One article, as the browser draws it; only the drawing of those without a picture is left to the browser."""
    picture = post["featured_image_url"]
    image = (
        f'<img src="{escape(picture)}" alt="" loading="lazy" class="h-44 w-full bg-granite-100 object-cover">'
        if picture
        else '<div class="relative h-32 overflow-hidden bg-harbor-50"></div>'
    )
    tags = "".join(
        '<span class="inline-flex items-center rounded-full px-2.5 py-0.5 text-xs font-semibold bg-harbor-50'
        f' text-harbor-700">{escape(tag)}</span>'
        for tag in post["tags"][:TAGS_ON_A_CARD]
    )
    excerpt = post["excerpt"]
    summary = f'<p class="mt-2.5 line-clamp-3 text-sm text-granite-600">{escape(excerpt)}</p>' if excerpt else ""
    published = post["published_at"]
    date = f'<time datetime="{escape(published)}">{short_date(published)}</time>' if published else ""
    return (
        '<article class="group relative flex h-full flex-col overflow-hidden rounded-lg border border-granite-200'
        f' bg-white">{image}<div class="flex flex-1 flex-col p-6"><div class="flex flex-wrap gap-2">{tags}</div>'
        '<h2 class="mt-3 line-clamp-2 text-h3 break-words">'
        f'<a href="/insights/{quote(post["slug"])}" class="after:absolute after:inset-0">'
        f"{escape(post['title'])}</a></h2>"
        f'{summary}<div class="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 pt-5 text-xs text-granite-600">'
        f"<span>{escape(post['author_name'])}</span>{date}<span>{post['reading_time_minutes']} min read</span></div>"
        "</div></article>"
    )


def pages(shown: Selection, last: int) -> str:
    """Links to the other pages: the first, the last, the neighbours, and a gap where the second-next would be."""
    if last <= 1:
        return ""

    def link(number: int, text: str, name: str, more: str = "") -> str:
        look = "bg-harbor-700 text-white" if more == ' aria-current="page"' else "text-harbor-700"
        return (
            f'<a href="{escape(address(replace(shown, page=number)))}" aria-label="{name}"{more}'
            f' class="{_CELL} {look}">{text}</a>'
        )

    items = [link(shown.page - 1, "←", "Previous page", ' rel="prev"')] if shown.page > 1 else []
    for number in range(1, last + 1):
        distance = abs(number - shown.page)
        if number in (1, last) or distance <= 1:
            items.append(link(number, str(number), f"Page {number}", ' aria-current="page"' if distance == 0 else ""))
        elif distance == 2:
            items.append(f'<span class="{_CELL} text-granite-600">…</span>')
    if shown.page < last:
        items.append(link(shown.page + 1, "→", "Next page", ' rel="next"'))
    nav = '<nav aria-label="Pagination" class="flex flex-wrap items-center justify-center gap-1">'
    return f'<div class="mt-12">{nav}{"".join(items)}</nav></div>'


def empty(shown: Selection) -> str:
    """What stands where no article is."""
    filtered = bool(shown.search or shown.tag)
    title = "No articles found" if filtered else "No articles yet"
    text = (
        "Try adjusting your search criteria or browse all topics."
        if filtered
        else "We're working on bringing you valuable insights. Check back soon!"
    )
    clear = '<div class="mt-6"><a href="/insights">Clear Filters</a></div>' if filtered else ""
    return (
        '<div class="mt-4 flex flex-col items-center rounded-lg border border-dashed border-granite-300 px-6 py-16'
        f' text-center"><h2 class="mt-4 text-h3">{title}</h2><p class="mt-2 text-granite-600">{escape(text)}</p>{clear}'
        "</div>"
    )


def structured(page: Frame, posts: list[Article], url: str) -> dict[str, Any]:
    """schema.org data of the list."""
    items = [
        {
            "@type": "ListItem",
            "position": number,
            "url": f"{page.site}/insights/{quote(post['slug'])}",
            "name": post["title"],
        }
        for number, post in enumerate(posts, 1)
    ]
    return {
        "@type": "CollectionPage",
        "name": "Insights",
        "url": url,
        "mainEntity": {"@type": "ItemList", "itemListElement": items},
    }


def short_date(moment: str) -> str:
    """A day as lists show it.

    >>> short_date("2026-03-04T12:00:00+00:00")
    'Mar 4, 2026'
    """
    day = datetime.fromisoformat(moment)
    return f"{day:%b} {day.day}, {day.year}"
