"""Reading published articles as any visitor may: with the publishable key, under the database's own policies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import httpx
from postgrest import APIError, CountMethod

from functions.shared.data import DataUnavailable, reader
from functions.shared.templates import path_segment

Article = dict[str, Any]

# What a card of the list shows.
LISTED: Final = "id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,reading_time_minutes"
OUT_OF_RANGE: Final = "PGRST103"  # a page behind the last row


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


async def listed(wanted: Selection, size: int) -> tuple[list[Article], int]:
    """One page of a selection, and how many articles it has in all; none behind the last. Raises DataUnavailable."""
    query = reader().from_("blog_posts").select(LISTED, count=CountMethod.exact).eq("published", "true")
    if wanted.search:
        query = query.or_(contains_text(("title", "excerpt"), wanted.search))
    if wanted.tag:
        query = query.filter("tags", "cs", "{" + _quoted(wanted.tag) + "}")
    start = (wanted.page - 1) * size
    try:
        found = await query.order("published_at", desc=True).range(start, start + size - 1).execute()
    except (httpx.HTTPError, APIError) as error:
        if isinstance(error, APIError) and error.code == OUT_OF_RANGE:
            return [], 0
        raise DataUnavailable(str(error)) from error
    return cast(list[Article], found.data), found.count or 0


async def topics() -> list[str]:
    """Every topic of the published articles, most used first. Raises DataUnavailable."""
    query = reader().from_("blog_posts").select("tags").eq("published", "true").order("published_at", desc=True)
    uses = Counter(tag for row in await _rows(query) for tag in row["tags"])
    return sorted(uses, key=lambda tag: (-uses[tag], tag.casefold(), tag))


def contains_text(columns: Sequence[str], text: str) -> str:
    r"""The condition that one of the columns contains the text, whatever its case.

    `ilike` reads every `*` as `%` and has no way to say a real one, so such a text goes as a regular expression.

    >>> contains_text(["title"], '100% "a", b'), contains_text(["title"], "a*b")
    ('title.ilike."%100\\\\% \\"a\\", b%"', 'title.imatch."a\\\\*b"')
    """
    if "*" in text:
        operator, pattern = "imatch", re.sub(r"[.*+?^${}()|\[\]\\]", r"\\\g<0>", text)
    else:
        operator, pattern = "ilike", "%" + re.sub(r"[\\%_]", r"\\\g<0>", text) + "%"
    return ",".join(f"{column}.{operator}.{_quoted(pattern)}" for column in columns)


def _quoted(value: str) -> str:
    """A value where commas, dots, quotes and parentheses would otherwise be grammar."""
    return '"' + re.sub(r'["\\]', r"\\\g<0>", value) + '"'


async def _rows(query: Any) -> list[Article]:
    try:
        return cast(list[Article], (await query.execute()).data)
    except (httpx.HTTPError, APIError) as error:
        raise DataUnavailable(str(error)) from error
