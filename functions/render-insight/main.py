"""An article as HTML in the first response: head, Open Graph, structured data and the sanitized text.

In: `GET …/SLUG`. Out: the site's page around the article; 301 from a slug it had before; 404 with the site's page for
an unknown one. Anything that fails is a 5xx, for which the gateway serves the plain application.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.requests import Request

from functions.shared import company
from functions.shared.articles import Article, find, moved
from functions.shared.frame import Frame, frame, seo
from functions.shared.html import clean
from functions.shared.reply import document

HTML = "text/html; charset=utf-8"


async def handle(request: Request) -> Any:
    """Render one article."""
    slug = unquote(request.scope["raw_path"].decode("latin-1").rstrip("/").rpartition("/")[2])
    article = await find(slug)
    if article is None:
        now = await moved(slug)
        if now is not None:
            query = f"?{request.url.query}" if request.url.query else ""
            return None, 301, {"location": f"/insights/{quote(now)}{query}", "cache-control": "no-cache"}
        return document(request, render_missing(await frame()), HTML, 404)
    return document(request, render(await frame(), article), HTML)


def render(page: Frame, article: Article) -> str:
    """The whole page of an article."""
    url = f"{page.site}/insights/{quote(article['slug'])}"
    image = article["featured_image_url"] or "/og/default.png"
    if image.startswith("/"):
        image = page.site + image
    description = article["meta_description"] or article["excerpt"] or article["title"]
    safe = {**article, "content": clean(article["content"])}
    head = seo(
        article["meta_title"] or article["title"],
        description,
        url=url,
        image=image,
        kind="article",
        data=structured(page, article, url),
    )
    return page.fill(head, body(safe), article)


def render_missing(page: Frame) -> str:
    """The page for an address without an article."""
    main = (
        '<div class="container flex min-h-[60vh] flex-col items-start justify-center py-16">'
        '<h1 class="text-h1">Article Not Found</h1>'
        '<p class="mt-5 text-lead text-granite-600">Article not found</p>'
        '<div class="mt-8"><a href="/insights">Back to Insights</a></div></div>'
    )
    return page.fill(seo("Article Not Found", "The requested article could not be found."), main)


def structured(page: Frame, article: Article, url: str) -> dict[str, Any]:
    """schema.org data of an article; what is not known is left out."""
    image = article["featured_image_url"]
    data = {
        "@type": "Article",
        "headline": article["title"],
        "description": article["meta_description"] or article["excerpt"],
        "image": [page.site + image if image.startswith("/") else image] if image else None,
        "datePublished": article["published_at"],
        "dateModified": article["updated_at"],
        "author": {"@type": "Organization", "name": article["author_name"]},
        "publisher": {"@type": "Organization", "name": company.NAME, "url": f"{page.site}/"},
        "mainEntityOfPage": url,
        "keywords": ", ".join(article["tags"]) or None,
    }
    return {name: value for name, value in data.items() if value is not None}


def body(article: Article) -> str:
    """The article's markup, as the browser draws it. `content` is sanitized already."""
    tags = "".join(
        f'<li><a href="/insights?{escape(urlencode({"tag": tag}))}" class="inline-flex rounded-full bg-harbor-100 px-3'
        f' py-1 text-xs font-semibold text-harbor-800">{escape(tag)}</a></li>'
        for tag in article["tags"]
    )
    topics = f'<ul aria-label="Topics" class="mt-6 flex flex-wrap gap-2">{tags}</ul>' if tags else ""
    excerpt = article["excerpt"]
    lead = f'<p class="mt-5 text-lead text-granite-600">{escape(excerpt)}</p>' if excerpt else ""
    published = article["published_at"]
    picture = article["featured_image_url"]
    style = "mb-10 aspect-[16/9] w-full rounded-lg bg-granite-100 object-cover"
    image = f'<img src="{escape(picture)}" alt="" class="{style}">' if picture else ""
    return (
        '<article><header class="border-b border-granite-200 bg-granite-50">'
        '<div class="container max-w-[54rem] py-10 lg:py-14">'
        '<a href="/insights" class="no-print inline-flex min-h-9 items-center gap-2 text-sm font-semibold'
        f' text-harbor-700">Back to Insights</a>{topics}'
        f'<h1 class="mt-4 text-h1 break-words">{escape(article["title"])}</h1>{lead}'
        '<div class="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 text-sm text-granite-600">'
        f'<span class="font-semibold text-ink">{escape(article["author_name"])}</span>'
        f'<time datetime="{escape(published)}">{long_date(published)}</time>'
        f"<span>{article['reading_time_minutes']} min read</span></div>"
        # The room of the buttons to share it, which need a script.
        '<div class="no-print mt-6 min-h-9"></div></div></header>'
        f'<div class="container max-w-[54rem] py-10 lg:py-12">{image}'
        f'<div class="article-body">{article["content"]}</div></div></article>'
    )


def long_date(moment: str) -> str:
    """A day in words.

    >>> long_date("2026-03-04T12:00:00+00:00")
    'March 4, 2026'
    """
    day = datetime.fromisoformat(moment)
    return f"{day:%B} {day.day}, {day.year}"
