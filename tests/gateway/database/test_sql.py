"""Fragments and PyPika's queries go into each other, and every value is bound where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypika import Query, Table
from pypika.terms import Term

from gateway.database import SyncConnection
from gateway.database.sql import (
    Fragment,
    bind,
    bind_shared,
    identifier,
    insert_into,
    joined,
    render,
    select_from,
    sql,
    update,
)
from gateway.database.statement import Statement

POSTS = Table("posts", schema="public")


def test_values_become_numbered_parameters() -> None:
    posts = Table("posts")
    query = Query.from_(posts).select(posts.id).where(posts.slug == bind("x'; drop table posts")).limit(5)
    assert render(query) == Statement('SELECT "id" FROM "posts" WHERE "slug"=$1 LIMIT 5', ("x'; drop table posts",))


def test_a_query_and_a_fragment_number_their_values_together() -> None:
    inner = Query.from_(POSTS).select(POSTS.id).where(POSTS.slug == bind("a")).where(sql("views > ", bind(5)))
    outer = sql("select ", bind("first"), " from (", inner, ") as p where p.id = ", bind("last"))
    assert render(outer) == Statement(
        'select $1 from (SELECT "id" FROM "public"."posts" WHERE "slug"=$2 AND views > $3) as p where p.id = $4',
        ("first", "a", "5", "last"),
    )


def asked(connection: SyncConnection, query: Term) -> list[tuple[str | None, ...]]:
    statement = render(query)
    return connection.rows(statement.text, *[str(value) for value in statement.params])


def test_a_fragment_stands_wherever_pypika_takes_an_expression(connection: SyncConnection) -> None:
    connection.script("create temp table notes (id int primary key, word text, at timestamptz default now())")
    notes = Table("notes")
    insert = insert_into(notes).on_conflict("id").do_nothing().returning(sql("word || ", bind("!")))
    filled = insert.columns("id", "word").insert(bind(1), sql("upper(", bind("a"), ")"))
    assert asked(connection, filled) == [("A!",)]
    change = update(notes).returning("id").set("at", sql("now() - ", bind("1 hour"), "::interval"))
    assert asked(connection, change) == [("1",)]
    query = select_from(notes).select(sql("count(*)")).groupby(sql("word")).orderby(sql("word"))
    found = query.where(notes.id == bind(1)).where(sql("(at < now() or ", bind("f"), ")"))
    assert asked(connection, found) == [("1",)]


def test_shared_values_take_one_placeholder_of_their_kind() -> None:
    both = sql(bind_shared("1", "key"), bind_shared("1", "index"), bind_shared("1", "key"), bind("1"))
    assert render(both) == Statement("$1$2$1$3", ("1", "1", "1"))


def test_a_fragment_alone_tells_nobody_its_values() -> None:
    with pytest.raises(TypeError, match=r"gateway\.database\.sql\.render"):
        str(sql("select ", bind("secret")))
    with pytest.raises(TypeError):
        Query.from_(POSTS).select(bind("secret")).get_sql()


_FRAGMENTS = st.recursive(
    st.one_of(st.text().map(bind), st.text(min_size=1).map(identifier), st.just(sql("x")), st.just(sql())),
    lambda inner: st.lists(inner, max_size=4).map(joined),
)


@given(_FRAGMENTS, st.lists(st.text()))
def test_placeholders_count_the_values_in_their_order(fragment: Fragment, values: list[str]) -> None:
    outer = sql(joined([bind(value) for value in values]), "; ", fragment)
    statement = render(outer)
    assert statement.text.startswith(", ".join(f"${number + 1}" for number in range(len(values))) + "; ")
    assert statement.params[: len(values)] == tuple(values)
    assert render(sql(outer)) == statement
