"""Earlier versions and addresses of articles are kept by the database itself."""

from __future__ import annotations

import pytest

from gateway.database import SyncConnection
from tests.schema.acting import ACCOUNTS, ADMIN, ADMIN_ID, become

POST = "00000000-0000-4000-8000-00000000000a"
OTHER = "00000000-0000-4000-8000-00000000000b"


@pytest.fixture
def post(scratch: SyncConnection) -> SyncConnection:
    """One published article, `first`."""
    scratch.script(
        f"insert into public.blog_posts (id, title, slug, content, published, published_at)"
        f" values ('{POST}', 'One', 'first', '<p>one</p>', true, now())"
    )
    return scratch


def slugs(connection: SyncConnection) -> dict[str | None, str | None]:
    """Old address → article."""
    return dict(connection.rows("select slug, post_id from public.blog_post_slugs"))  # type: ignore[arg-type]


def test_an_update_keeps_the_version_it_replaced(post: SyncConnection) -> None:
    (before,) = post.rows("select updated_at from public.blog_posts")
    post.script("update public.blog_posts set title = 'Two', content = '<p>two</p>'")
    assert post.rows("select post_id, title, slug, content, saved_at from public.blog_post_revisions") == [
        (POST, "One", "first", "<p>one</p>", before[0])
    ]


def test_versions_can_be_told_apart_by_time(post: SyncConnection) -> None:
    for title in ("Two", "Three"):
        post.script(f"update public.blog_posts set title = '{title}'")
    assert post.rows("select title from public.blog_post_revisions order by replaced_at desc") == [("Two",), ("One",)]
    assert post.rows(
        "select count(distinct moment) from (select updated_at as moment from public.blog_posts"
        " union all select saved_at from public.blog_post_revisions) as moments"
    ) == [("3",)]


@pytest.mark.parametrize("change", ["published = false, published_at = null", "published_at = now()", "title = title"])
def test_publishing_replaces_no_version(post: SyncConnection, change: str) -> None:
    post.script(f"update public.blog_posts set {change}")
    assert post.rows("select count(*) from public.blog_post_revisions") == [("0",)]


def test_a_version_says_who_replaced_it(post: SyncConnection) -> None:
    post.script(ACCOUNTS)
    become(post, ADMIN)
    post.script("update public.blog_posts set title = 'Two'")
    assert post.rows("select replaced_by from public.blog_post_revisions") == [(ADMIN_ID,)]


def test_deleting_an_article_deletes_its_history(post: SyncConnection) -> None:
    post.script("update public.blog_posts set slug = 'second'")
    post.script("delete from public.blog_posts")
    assert post.rows("select count(*) from public.blog_post_revisions") == [("0",)]
    assert slugs(post) == {}


def test_a_new_address_keeps_the_old_one(post: SyncConnection) -> None:
    post.script("update public.blog_posts set slug = 'second'")
    post.script("update public.blog_posts set slug = 'third'")
    assert slugs(post) == {"first": POST, "second": POST}


def test_the_address_of_a_draft_is_not_kept(post: SyncConnection) -> None:
    post.script(f"insert into public.blog_posts (id, title, slug) values ('{OTHER}', 'Draft', 'working-title')")
    post.script(f"update public.blog_posts set slug = 'final-title' where id = '{OTHER}'")
    assert slugs(post) == {}


def test_an_address_survives_a_rename_while_unpublished(post: SyncConnection) -> None:
    post.script("update public.blog_posts set published = false, published_at = null")
    post.script("update public.blog_posts set slug = 'second'")
    post.script("update public.blog_posts set published = true, published_at = now()")
    assert slugs(post) == {"first": POST}


def test_going_back_to_an_old_address_takes_it_out_of_the_history(post: SyncConnection) -> None:
    post.script("update public.blog_posts set slug = 'second'")
    post.script("update public.blog_posts set slug = 'first'")
    assert slugs(post) == {"second": POST}


def test_another_article_may_take_over_an_old_address(post: SyncConnection) -> None:
    post.script("update public.blog_posts set slug = 'second'")
    post.script(f"insert into public.blog_posts (id, title, slug) values ('{OTHER}', 'Other', 'first')")
    assert slugs(post) == {"first": POST}, "a draft takes nothing over"
    post.script(f"update public.blog_posts set published = true, published_at = now() where id = '{OTHER}'")
    assert slugs(post) == {}
    post.script(f"update public.blog_posts set slug = 'third' where id = '{OTHER}'")
    assert slugs(post) == {"first": OTHER}


def test_every_save_is_noticed_by_updated_at(post: SyncConnection) -> None:
    (before,) = post.rows("select updated_at from public.blog_posts")
    post.script("update public.blog_posts set title = 'Two'")
    late = post.rows(
        "with late as (update public.blog_posts set title = 'Rival' where updated_at = $1 returning 1)"
        " select count(*) from late",
        before[0],
    )
    assert late == [("0",)]
