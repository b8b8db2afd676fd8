"""A change of the schema announces itself, once a transaction, and only a change that clients can see."""

from __future__ import annotations

import psycopg
import pytest


def announced(url: str, *statements: str) -> list[str]:
    """What a listener on the channel hears when the statements have run in one transaction."""
    with psycopg.connect(url, autocommit=True) as listener, psycopg.connect(url) as changer:
        listener.execute("listen pgrst")
        for statement in statements:
            changer.execute(statement.encode())
        changer.commit()
        # notifications of the commit come before those of this marker
        changer.execute("notify pgrst, 'marker'")
        changer.commit()
        heard = []
        for notification in listener.notifies(timeout=30):
            if notification.payload == "marker":
                break
            heard.append(notification.payload)
        return heard


@pytest.mark.parametrize(
    "statement",
    [
        "create table public.things (id int)",
        "alter table public.blog_posts add column subtitle text",
        "create function public.f() returns int language sql as 'select 1'",
        "create view public.v as select 1 as one",
        "grant select on public.user_roles to anon",
        "comment on table public.blog_posts is 'other words'",
        "create index on public.blog_posts (lower(title))",
        "drop table public.quarantine",
        "drop schema graphql_public cascade",
    ],
)
def test_a_change_is_announced(database_url: str, statement: str) -> None:
    assert announced(database_url, statement) == ["reload schema"]


def test_many_changes_in_a_transaction_are_announced_once(database_url: str) -> None:
    changes = [f"create table public.things_{number} (id int primary key)" for number in range(20)]
    assert announced(database_url, *changes) == ["reload schema"]


@pytest.mark.parametrize(
    "statement",
    [
        "insert into public.blog_posts (title, slug) values ('T', 's')",
        "create temporary table mine (id int)",
        "drop index public.blog_posts_tags_idx",
    ],
)
def test_what_clients_cannot_see_is_not_announced(database_url: str, statement: str) -> None:
    assert announced(database_url, statement) == []
