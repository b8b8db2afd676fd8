"""The list of articles and its topics, as the functions that the page of Insights asks say them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import SyncConnection
from tests.schema.acting import ACCOUNTS, ADMIN, ANON, PLAIN, Actor, become

LIMIT = 1000  # rows of an answer of the tables API
# How the tables API finds the same, which the browser asks: every sign of LIKE escaped.
FOUND = (
    "select slug from public.blog_posts where published and ($1 = '%%' or title ilike $1 or excerpt ilike $1)"
    " and ($2 = '' or tags @> array[$2]) order by published_at desc"
)


@pytest.fixture
def site(shared: SyncConnection) -> Iterator[SyncConnection]:
    """A database with accounts and no articles, in a transaction that is rolled back."""
    shared.script("begin")
    shared.script(ACCOUNTS)
    yield shared
    shared.script("rollback")


def articles(connection: SyncConnection, count: int, *, topics: str = "'{}'", more: str = "") -> None:
    """Published articles, the first the newest; `topics` is SQL over their number `n`."""
    connection.script(
        "insert into public.blog_posts (title, slug, tags, published, published_at)"
        f" select 'Title ' || n, 'slug-' || n, {topics}, true, timestamptz '2026-01-01' - n * interval '1 minute'"
        f" from generate_series(1, {count}) as n {more}"
    )


@dataclass(frozen=True)
class Drawn:
    """An article in the order of its publication, the newest first."""

    title: str
    excerpt: str | None
    tags: tuple[str, ...]


def write(connection: SyncConnection, drawn: Sequence[Drawn]) -> None:
    for number, one in enumerate(drawn):
        connection.rows(
            "insert into public.blog_posts (title, slug, excerpt, tags, published, published_at)"
            " select $1, $2, $3, array(select json_array_elements_text($4::json)), true,"
            " timestamptz '2026-01-01' - $5::int * interval '1 minute'",
            one.title,
            str(number),
            one.excerpt,
            json.dumps(one.tags),
            str(number),
        )


def listed(connection: SyncConnection, *arguments: object) -> dict[str, Any]:
    """What the first arguments, or arguments by name, lead to."""
    places = ", ".join(f"${number}" for number in range(1, len(arguments) + 1))
    ((text,),) = connection.rows(f"select public.list_articles({places})", *(str(value) for value in arguments))
    found: dict[str, Any] = json.loads(str(text))
    return found


def topics(connection: SyncConnection) -> list[str]:
    ((text,),) = connection.rows("select to_json(public.list_topics())")
    found: list[str] = json.loads(str(text))
    assert listed(connection)["topics"] == found
    return found


def slugs(found: dict[str, Any]) -> list[str]:
    return [post["slug"] for post in found["posts"]]


def test_topics_of_articles_beyond_the_limit_of_rows_are_counted(site: SyncConnection) -> None:
    last = LIMIT + 100
    articles(
        site,
        last,
        topics=f"array[case when n > {LIMIT - 250} then 'of old' else 'of late ' || n % 4 end]"
        f" || case when n = {last} then '{{the oldest alone}}' else '{{}}'::text[] end",
    )
    become(site, ANON)
    late = Counter(f"of late {n % 4}" for n in range(1, LIMIT - 250 + 1))
    assert max(late.values()) < 350 and late["of late 1"] > late["of late 3"]
    assert topics(site) == ["of old", "of late 1", "of late 2", "of late 0", "of late 3", "the oldest alone"]
    assert listed(site)["count"] == last


def test_topics_as_often_used_go_by_their_letters_whatever_the_case(site: SyncConnection) -> None:
    articles(
        site,
        2,
        topics="array['b', 'B', 'a', 'C', 'É', 'é', 'z']",
        more="union all select 'Third', 'third', '{C}', true, now()",
    )
    become(site, ANON)
    assert topics(site) == ["C", "a", "B", "b", "z", "É", "é"]


def test_a_site_without_articles_has_an_empty_first_page(site: SyncConnection) -> None:
    become(site, ANON)
    assert listed(site, "", "", 3, 10) == {"posts": [], "count": 0, "page": 1, "topics": []}


def test_a_card_has_what_the_tables_api_gives_of_it(site: SyncConnection) -> None:
    articles(site, 1, topics="'{OSHA}'")
    columns = "id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes"
    become(site, ANON)
    ((row,),) = site.rows(f"select row_to_json(posts) from (select {columns} from public.blog_posts) as posts")
    assert listed(site)["posts"] == [json.loads(str(row))]


@pytest.mark.parametrize(
    ("page", "size", "shown", "first", "count"),
    [
        (1, 10, 1, 1, 10),
        (2, 10, 2, 11, 10),
        (3, 10, 3, 21, 5),
        (4, 10, 1, 1, 10),  # behind the last
        (2**31 - 1, 100, 1, 1, 25),
        (0, 10, 1, 1, 10),
        (-1, 10, 1, 1, 10),
        (5, 5, 5, 21, 5),
        (6, 5, 1, 1, 5),
    ],
)
def test_a_page_that_is_not_there_is_the_first(
    site: SyncConnection, page: int, size: int, shown: int, first: int, count: int
) -> None:
    articles(site, 25)
    become(site, ANON)
    found = listed(site, "", "", page, size)
    assert (found["page"], found["count"]) == (shown, 25)
    assert slugs(found) == [f"slug-{n}" for n in range(first, first + count)]


def test_no_page_has_more_than_a_hundred_articles(site: SyncConnection) -> None:
    articles(site, 250)
    become(site, ANON)
    for page, count in ((1, 100), (3, 50)):
        found = listed(site, "", "", page, 2**31 - 1)
        assert slugs(found) == [f"slug-{n}" for n in range(100 * page - 99, 100 * page - 99 + count)]
    ((text,),) = site.rows("select public.list_articles(size => null)")
    assert len(json.loads(str(text))["posts"]) == 100


@pytest.mark.parametrize("actor", [ANON, PLAIN, ADMIN], ids=lambda actor: actor.name)
def test_drafts_are_neither_listed_nor_counted(site: SyncConnection, actor: Actor) -> None:
    articles(site, 3, topics="'{shown}'")
    site.script(
        "update public.blog_posts set published = false, published_at = null, tags = '{kept back}'"
        " where slug = 'slug-1'"
    )
    become(site, actor)
    found = listed(site)
    assert (slugs(found), found["count"], found["topics"]) == (["slug-2", "slug-3"], 2, ["shown"])
    assert listed(site, "Title 1")["count"] == listed(site, "", "kept back")["count"] == 0


@pytest.mark.parametrize("actor", [ANON, PLAIN], ids=lambda actor: actor.name)
def test_articles_that_wait_for_their_time_are_no_visitors(site: SyncConnection, actor: Actor) -> None:
    articles(site, 2, topics="array['topic ' || n]")
    site.script(
        "update public.blog_posts set published_at = later, publish_at = later"
        " from (select now() + interval '1 day' as later) as clock where slug = 'slug-1'"
    )
    become(site, actor)
    found = listed(site)
    assert (slugs(found), found["count"], found["topics"]) == (["slug-2"], 1, ["topic 2"])


# --- searches and topics of any signs ---------------------------------------------------------------------------------

WRITTEN = [
    ("A 100% rule", None),
    ("Plain", "Has 50_50 in it"),
    ("Plain too", "C:\\50x50"),
    ("Stars 5*", 'says "a, b" (c)'),
    ("ÉTÉ", ""),
]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("100%", ["A 100% rule"]),
        ("0%r", []),
        ("%", ["A 100% rule"]),
        ("50_50", ["Plain"]),
        ("_", ["Plain"]),
        ("50x50", ["Plain too"]),
        ("\\", ["Plain too"]),
        ("c:\\5", ["Plain too"]),
        ("\\\\", []),
        ("*", ["Stars 5*"]),
        ("5*", ["Stars 5*"]),
        ("S*5", []),
        (".", []),
        ('"A, B" (', ["Stars 5*"]),
        ("5", ["Plain", "Plain too", "Stars 5*"]),
        ("PLAIN", ["Plain", "Plain too"]),
        ("été", ["ÉTÉ"]),
        ("", [title for title, _ in WRITTEN]),
        (" ", ["A 100% rule", "Plain", "Plain too", "Stars 5*"]),
    ],
)
def test_a_search_is_found_in_title_or_excerpt_as_it_is_written(
    site: SyncConnection, search: str, found: list[str]
) -> None:
    write(site, [Drawn(title, excerpt, ()) for title, excerpt in WRITTEN])
    become(site, ANON)
    answer = listed(site, search)
    assert ([post["title"] for post in answer["posts"]], answer["count"]) == (found, len(found))


# Those that are the same letter to some, and those of LIKE, of regular expressions and of the API's grammar.
SIGNS = "aAbB éÉßſσΣςİı漢😀%_\\*\"',(){}[]^$|?+.:;&#/<-"


words = st.text(SIGNS, min_size=1, max_size=4)
tag_texts = words.map(str.strip).filter(bool)
drawn_articles = st.lists(
    st.builds(
        Drawn,
        words.map(lambda text: f"x{text}x"),
        st.none() | words,
        st.lists(tag_texts, max_size=3, unique=True).map(tuple),
    ),
    min_size=1,
    max_size=8,
)


def contains(text: str) -> str:
    return "%" + re.sub(r"[\\%_]", r"\\\g<0>", text) + "%"


@st.composite
def near(draw: st.DrawFn, texts: list[str]) -> str:
    """A part of one of the texts in the other case, with a sign in place of one letter or with all of its own."""
    text = draw(st.sampled_from(texts))
    start = draw(st.integers(0, len(text) - 1))
    part = text[start : draw(st.integers(start + 1, len(text)))].swapcase()
    place = draw(st.integers(0, len(part) - 1))
    return part[:place] + draw(st.just(part[place]) | st.sampled_from("%_\\*.")) + part[place + 1 :]


@given(drawn_articles, st.data())
def test_any_search_and_topic_find_what_the_tables_api_finds(
    shared: SyncConnection, drawn: list[Drawn], data: st.DataObject
) -> None:
    texts = [text for one in drawn for text in (one.title, one.excerpt) if text]
    search = data.draw(near(texts) | st.just("") | words)
    tag = data.draw(st.just("") | st.sampled_from([tag for one in drawn for tag in one.tags] or [""]) | tag_texts)
    page, size = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    shared.script("begin")
    try:
        write(shared, drawn)
        become(shared, ANON)
        expected = [slug for (slug,) in shared.rows(FOUND, contains(search), tag)]
        found = listed(shared, search, tag, page, size)
        start = (page - 1) * size if (page - 1) * size < len(expected) else 0
        assert slugs(found) == expected[start : start + size]
        assert (found["count"], found["page"]) == (len(expected), start // size + 1)
        uses = Counter(tag for one in drawn for tag in one.tags)
        assert Counter(found["topics"]) == Counter(uses.keys())
        assert [uses[topic] for topic in found["topics"]] == sorted(uses.values(), reverse=True)
    finally:
        shared.script("rollback")
