"""What a request looks rows up by, for whoever has to index it."""

from __future__ import annotations

import pytest

from gateway.catalog.model import SchemaCache
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner, request_of


@pytest.mark.parametrize(
    ("method", "target", "columns"),
    [
        ("GET", "/posts?select=title", set()),
        ("GET", "/posts?id=eq.1&order=title.desc", {"posts.id", "posts.title"}),
        ("GET", "/posts?or=(title.eq.a,not.and(id.gt.1,meta->>x.eq.y))", {"posts.title", "posts.id", "posts.meta"}),
        ("GET", "/posts?select=comments(*)&comments.body=eq.x&comments.order=id", {"comments.body", "comments.id"}),
        ("GET", "/posts?title=ilike.*x*&id=eq.1", {"posts.title.pattern", "posts.id"}),
        ("GET", "/posts?or=(title.match.x,title.like(any).{a*,*b},title.eq.c)", {"posts.title.pattern", "posts.title"}),
        ("GET", "/posts?unknown=eq.1", set()),
        ("PATCH", "/posts?id=eq.1", {"posts.id"}),
        ("DELETE", "/posts?author_id=in.(1,2)", {"posts.author_id"}),
    ],
)  # fmt: skip
def test_filtered_and_ordered_columns_are_known(
    cache: SchemaCache, settings: Settings, method: str, target: str, columns: set[str]
) -> None:
    body = b'{"title": "x"}' if method == "PATCH" else b""
    _, _, prepared = Planner(cache, settings).prepared(request_of(method, target, body))
    assert {".".join(found) for _, *found in prepared.lookups} == columns
