"""`feed.xml`: the latest articles as an Atom feed (RFC 4287), with their sanitized text."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Final

from starlette.requests import Request

from functions.shared.articles import Article, address_of, latest
from functions.shared.html import clean
from functions.shared.page_shell import Site, site
from functions.shared.reply import Page, document

ENTRIES: Final = 20
_NOT_XML: Final = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


async def handle(request: Request) -> Any:
    """The whole feed."""
    page = Page(render(await site(), await latest(ENTRIES, "*")))
    return document(request, page, "application/atom+xml; charset=utf-8")


def render(fed: Site, articles: list[Article]) -> str:
    """The feed of these articles."""
    updated = max((article["updated_at"] for article in articles), default="1970-01-01T00:00:00+00:00")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"  <title>Insights | {text(fed.name)}</title>\n  <id>{text(fed.origin)}/insights</id>\n"
        f'  <link href="{text(fed.origin)}/insights"/>\n  <link rel="self" href="{text(fed.origin)}/feed.xml"/>\n'
        f"  <updated>{text(updated)}</updated>\n" + "".join(entry(fed, article) for article in articles) + "</feed>\n"
    )


def entry(fed: Site, article: Article) -> str:
    """One article."""
    address = text(fed.absolute(address_of(article["slug"])))
    tags = "".join(f'    <category term="{text(tag)}"/>\n' for tag in article["tags"])
    summary = f"    <summary>{text(article['excerpt'])}</summary>\n" if article["excerpt"] else ""
    return (
        f"  <entry>\n    <title>{text(article['title'])}</title>\n    <id>urn:uuid:{text(article['id'])}</id>\n"
        f'    <link href="{address}"/>\n    <published>{text(article["published_at"])}</published>\n'
        f"    <updated>{text(article['updated_at'])}</updated>\n"
        f"    <author><name>{text(article['author_name'])}</name></author>\n{tags}{summary}"
        f'    <content type="html" xml:base="{text(fed.origin)}/">{text(clean(article["content"]))}</content>\n'
        "  </entry>\n"
    )


def text(value: str) -> str:
    """A value as XML text or attribute."""
    return escape(_NOT_XML.sub("", value))
