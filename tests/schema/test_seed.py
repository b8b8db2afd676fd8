"""The articles a new site starts with: enough, real, clean, and safe to load again."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import date

import nh3
import pytest

from gateway.database import SyncConnection
from tests.fixtures.schema import seed

TAGS = {
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "strong",
    "em",
    "u",
    "a",
    "ul",
    "ol",
    "li",
    "blockquote",
    "code",
    "pre",
}
TAGS |= {"img", "br", "div", "span", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {
    "*": {"class", "id", "title"},
    "a": {"href", "target", "rel"},
    "img": {"src", "alt"},
}
Article = dict[str, str]


def words(article: Article) -> int:
    """Number of words a reader sees."""
    return len(re.sub(r"<[^>]+>", " ", article["content"]).split())


@pytest.fixture(scope="module")
def articles(shared: SyncConnection) -> list[Article]:
    """All seeded rows, tags joined by `|`, empty text for null."""
    seed(shared)
    names = ("title", "slug", "excerpt", "content", "meta_title", "meta_description", "reading_time_minutes")
    rows = shared.rows(
        f"select {', '.join(names)}, array_to_string(tags, '|'), published_at::date, author_name from public.blog_posts"
    )
    columns = (*names, "tags", "published_at", "author_name")
    return [dict(zip(columns, (value or "" for value in row), strict=True)) for row in rows]


def test_there_are_enough_articles_and_two_drafts(articles: list[Article]) -> None:
    published = [article for article in articles if article["published_at"]]
    assert len(published) >= 16
    assert len(articles) - len(published) == 2


def test_articles_spread_over_a_year(articles: list[Article]) -> None:
    dates = sorted(date.fromisoformat(article["published_at"]) for article in articles if article["published_at"])
    assert (dates[0], dates[-1]) >= (date(2025, 11, 1), date(2026, 11, 1))
    assert dates[-1] <= date(2026, 11, 30)
    assert len({(day.year, day.month) for day in dates}) >= 12
    assert len(set(dates)) == len(dates)


def test_articles_have_the_length_of_articles(articles: list[Article]) -> None:
    assert [article["slug"] for article in articles if not 500 <= words(article) <= 900] == []


def test_reading_time_is_that_of_the_text(articles: list[Article]) -> None:
    wrong = [
        article["slug"]
        for article in articles
        if int(article["reading_time_minutes"]) != math.ceil(words(article) / 200)
    ]
    assert wrong == []


@pytest.mark.parametrize("link_rel", [None, "noopener noreferrer"], ids=["as written", "with rel added"])
def test_cleaning_changes_no_article(articles: list[Article], link_rel: str | None) -> None:
    attributes = ATTRIBUTES if link_rel is None else {**ATTRIBUTES, "a": {"href", "target"}}
    for article in articles:
        content = article["content"]
        assert nh3.clean(content, tags=TAGS, attributes=attributes, link_rel=link_rel) == content, article["slug"]


def test_bodies_show_every_kind_of_formatting(articles: list[Article]) -> None:
    counts = Counter(tag for article in articles for tag in set(re.findall(r"<(\w+)", article["content"])))
    for tag in ("h2", "ul", "ol", "a", "blockquote", "strong"):
        assert counts[tag] >= 10, tag
    assert counts["table"] >= 5
    assert counts["h1"] == 0  # the page's own


def test_links_lead_to_safe_pages(articles: list[Article]) -> None:
    for article in articles:
        links = re.findall(r'<a href="([^"]+)" target="_blank" rel="noopener noreferrer">', article["content"])
        assert links and len(links) == article["content"].count("<a "), article["slug"]
        assert all(link.startswith("https://") for link in links), article["slug"]


def test_topics_overlap(articles: list[Article]) -> None:
    counts = Counter(tag for article in articles if article["published_at"] for tag in article["tags"].split("|"))
    assert all(2 <= len(article["tags"].split("|")) <= 6 for article in articles)
    assert sum(count >= 3 for count in counts.values()) >= 6


def test_search_engines_get_a_title_and_a_description(articles: list[Article]) -> None:
    for article in articles:
        assert 0 < len(article["meta_title"]) <= 60, article["slug"]
        assert 50 < len(article["meta_description"]) <= 160, article["slug"]
        assert 50 < len(article["excerpt"]) <= 200, article["slug"]
        assert article["author_name"] == "United Medical Waste"
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", article["slug"])


def test_seeding_again_changes_nothing(scratch: SyncConnection, articles: list[Article]) -> None:
    everything = "select md5(string_agg(blog_posts::text, '' order by id)) from public.blog_posts"
    before = scratch.rows(everything)
    scratch.script("rollback")  # seeding opens a transaction of its own
    seed(scratch)
    scratch.script("begin")
    assert scratch.rows(everything) == before


def test_seeding_again_keeps_what_an_editor_changed(connection: SyncConnection) -> None:
    seed(connection)
    connection.script("update public.blog_posts set title = 'Mine', slug = 'mine' where slug like 'osha-%'")
    seed(connection)
    assert connection.rows("select count(*), count(*) filter (where title = 'Mine') from public.blog_posts") == [
        ("20", "1")
    ]
