"""Each query of the site finds its index in a table of 5,000 articles, whoever asks."""

from __future__ import annotations

import json

import pytest

from gateway.database import SyncConnection
from tests.schema.acting import ACCOUNTS, ADMIN, ADMIN_ID, ANON, SERVICE, Actor, become

MANY = """
    insert into public.blog_posts (title, slug, excerpt, content, tags, published, published_at, created_at)
    select 'Title ' || n, 'slug-' || n, 'Excerpt ' || n, repeat('<p>text</p>', 100),
      array['topic ' || n % 50], n % 10 > 0,
      case when n % 10 > 0 then timestamptz '2026-01-01' + n * interval '1 minute' end,
      timestamptz '2026-01-01' + n * interval '1 minute'
    from generate_series(1, 5000) as n;
    insert into public.contact_messages (name, email, subject, message, status, created_at)
    select 'Name', 'n' || n || '@example.com', 'Subject', 'Message', case when n % 50 = 0 then 'new' else 'handled' end,
      timestamptz '2026-01-01' + n * interval '1 minute'
    from generate_series(1, 5000) as n;
    analyze public.blog_posts;
    analyze public.contact_messages;
"""
LIST = (
    "select id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes"
    " from public.blog_posts where published = $1 order by published_at desc limit 10"
)
QUERIES: list[tuple[str, Actor, str, tuple[str, ...], str]] = [
    ("public list", ANON, LIST, ("true",), "blog_posts_published_at_idx"),
    ("public list of a signed-in reader", ADMIN, LIST, ("true",), "blog_posts_published_at_idx"),
    (
        "count of the public list",
        ANON,
        "select count(*) from public.blog_posts where published = $1",
        ("true",),
        "blog_posts_published_at_idx",
    ),
    (
        "one article",
        ANON,
        "select * from public.blog_posts where slug = $1 and published = $2",
        ("slug-77", "true"),
        "blog_posts_slug_key",
    ),
    ("slug check", ADMIN, "select id from public.blog_posts where slug = $1", ("slug-77",), "blog_posts_slug_key"),
    (
        "one article by id",
        ADMIN,
        "select * from public.blog_posts where id = $1",
        ("00000000-0000-4000-8000-000000000000",),
        "blog_posts_pkey",
    ),
    (
        "public list of a topic",
        ANON,
        LIST.replace("published = $1", "published = $1 and tags @> $2"),
        ("true", "{topic 7}"),
        "blog_posts_published_at_idx",
    ),
    (
        "public search",
        ANON,
        LIST.replace("published = $1", "published = $1 and (title ilike $2 or excerpt ilike $2)"),
        ("true", "%title%"),
        "blog_posts_published_at_idx",
    ),
    (
        "articles of a topic, for a program",
        SERVICE,
        "select title from public.blog_posts where tags @> $1 and published = $2",
        ("{topic 7}", "true"),
        "blog_posts_tags_idx",
    ),
    (
        "administrators' list",
        ADMIN,
        "select id, title from public.blog_posts order by created_at desc limit 100",
        (),
        "blog_posts_created_at_idx",
    ),
    (
        "administrator check",
        ADMIN,
        "select role from public.user_roles where user_id = $1 and role = $2",
        (ADMIN_ID, "admin"),
        "user_roles_user_id_role_key",
    ),
    (
        "new messages",
        ADMIN,
        "select * from public.contact_messages where status = $1 order by created_at desc limit 20",
        ("new",),
        "contact_messages_status_created_at_idx",
    ),
    (
        "all messages",
        ADMIN,
        "select * from public.contact_messages order by created_at desc limit 20",
        (),
        "contact_messages_created_at_idx",
    ),
]


@pytest.fixture(scope="module")
def full(shared: SyncConnection) -> SyncConnection:
    shared.script(ACCOUNTS + MANY)
    # index-only scans need to know which pages everybody sees
    shared.script("vacuum public.blog_posts")
    return shared


def plan(connection: SyncConnection, actor: Actor, sql: str, params: tuple[str, ...]) -> str:
    """The plan of the query as that caller, as JSON text."""
    connection.script("begin")
    try:
        become(connection, actor)
        if "user_roles" in sql:
            connection.script("set local enable_seqscan = off")  # three rows: any plan would do
        ((text,),) = connection.rows(f"explain (format json) {sql}", *params)
        return json.dumps(json.loads(text or ""))
    finally:
        connection.script("rollback")


@pytest.mark.parametrize(
    ("actor", "sql", "params", "index"), [row[1:] for row in QUERIES], ids=[row[0] for row in QUERIES]
)
def test_uses_its_index(full: SyncConnection, actor: Actor, sql: str, params: tuple[str, ...], index: str) -> None:
    found = plan(full, actor, sql, params)
    assert f'"Index Name": "{index}"' in found
    assert '"Relation Name": "blog_posts"' not in found or '"Node Type": "Seq Scan"' not in found


def test_the_public_list_reads_the_index_in_order(full: SyncConnection) -> None:
    assert '"Node Type": "Sort"' not in plan(full, ANON, LIST, ("true",))


def test_administrators_are_recognised_once_a_statement(full: SyncConnection) -> None:
    full.script("begin")
    become(full, ADMIN)
    ((text,),) = full.rows("explain (analyze, format json) select id from public.blog_posts")
    full.script("rollback")
    nodes = [json.loads(text or "")[0]["Plan"]]
    checks = []
    while nodes:
        node = nodes.pop()
        nodes += node.get("Plans", [])
        if node.get("Parent Relationship") == "InitPlan":
            checks.append(node["Actual Loops"])
    assert checks == [1]
