"""Reading published articles as any visitor may: with the publishable key, under the database's own policies."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import httpx
from postgrest import APIError

from functions.shared.data import DataUnavailable, reader
from functions.shared.templates import path_segment

Article = dict[str, Any]


def address_of(slug: str) -> str:
    """The path of an article's page, as the site writes it.

    >>> address_of("a/b (c)")
    '/insights/a%2Fb%20(c)'
    """
    return f"/insights/{path_segment(slug)}"


async def find(slug: str) -> Article | None:
    """The published article of a slug. Raises DataUnavailable."""
    if "\0" in slug:  # no text in Postgres holds it
        return None
    query = reader().from_("blog_posts").select("*").eq("slug", slug).eq("published", "true").limit(1)
    return next(iter(await _rows(query)), None)


async def moved(slug: str) -> str | None:
    """The slug that an article has now, by one it had before. Raises DataUnavailable."""
    if "\0" in slug:
        return None
    rows = await _rows(reader().from_("blog_post_slugs").select("blog_posts(slug)").eq("slug", slug).limit(1))
    now = rows[0]["blog_posts"] if rows else None
    return str(now["slug"]) if now else None


async def latest(limit: int, columns: str) -> list[Article]:
    """Published articles, newest first. Raises DataUnavailable."""
    rows: list[Article] = []
    while len(rows) < limit:
        query = reader().from_("blog_posts").select(columns).eq("published", "true")
        page = await _rows(query.order("published_at", desc=True).range(len(rows), limit - 1))
        rows += page
        if not page:
            break
    return rows


@dataclass(frozen=True, slots=True)
class Selection:
    """What a list of articles shows: search words and topic, "" for none, and a page counted from 1."""

    search: str = ""
    tag: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """What `list_articles` answers: the page that is shown with its articles, and how many the selection has in all."""

    posts: list[Article]
    count: int
    page: int
    topics: list[str]
    """Of all published articles, most used first."""


async def listed(wanted: Selection, size: int) -> Listed:
    """One page of a selection; the first where there is no such page. Raises DataUnavailable."""
    arguments: dict[str, Any] = {**asdict(wanted), "size": size}
    # By POST: in the address a search such as `eq.1` would be a filter.
    return Listed(**await _data(reader().rpc("list_articles", arguments)))


async def _rows(query: Any) -> list[Article]:
    return cast(list[Article], await _data(query))


async def _data(query: Any) -> Any:
    try:
        return (await query.execute()).data
    except (httpx.HTTPError, APIError) as error:
        raise DataUnavailable(str(error)) from error
