"""Reading published articles as any visitor may: with the publishable key, under the database's own policies."""

from __future__ import annotations

from typing import Any, cast

import httpx
from postgrest import APIError

from functions.shared.data import DataUnavailable, reader

Article = dict[str, Any]


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


async def _rows(query: Any) -> list[Article]:
    try:
        return cast(list[Article], (await query.execute()).data)
    except (httpx.HTTPError, APIError) as error:
        raise DataUnavailable(str(error)) from error
