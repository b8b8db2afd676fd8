"""Articles for the tests that need their own; each call's words and topic are used by nobody else."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from gateway.database import SyncConnection


def word() -> str:
    """A word that no other article contains."""
    return "zq" + uuid.uuid4().hex[:10]


@dataclass(frozen=True)
class Post:
    id: str
    slug: str
    title: str


def add_post(rows: SyncConnection, title: str, **columns: Any) -> Post:
    """An article, published long ago unless `published_at` says otherwise (None makes a draft)."""
    values: dict[str, Any] = {
        "slug": f"test-{uuid.uuid4().hex}",
        "excerpt": None,
        "content": "<p>One paragraph.</p>",
        "tags": [],
        "published_at": "2020-03-04T12:00:00Z",
        **columns,
        "title": title,
    }
    values["published"] = values["published_at"] is not None
    names = ", ".join(values)
    found = rows.rows(
        f"insert into public.blog_posts ({names}) select {names}"
        " from jsonb_populate_record(null::public.blog_posts, $1::jsonb) returning id",
        json.dumps(values),
    )
    return Post(str(found[0][0]), str(values["slug"]), title)
