"""Plans: parameters on their embeds, null filters, related orders, aggregates, writes."""

from __future__ import annotations

import pytest

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.rest.parse.query_shape import parse_query, query_of
from gateway.rest.planner.read import default_select, find_table, plan_read
from gateway.rest.types import Action, Capped, Fixed, Lift, Literal, NullEmbed, ReadPlan
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner, request_of

POSTS = Name("public", "posts")


@pytest.fixture
def planner(cache: SchemaCache, settings: Settings) -> Planner:
    return Planner(cache, settings)


def _read(cache: SchemaCache, settings: Settings, query: str, action: Action = Action.READ) -> ReadPlan:
    return plan_read(cache, settings, POSTS, query_of(parse_query(query).shape), action)


def test_filters_orders_and_limits_go_to_the_embed_they_name(cache: SchemaCache, settings: Settings) -> None:
    query = "select=id,c:comments(id)&c.body=eq.x&c.order=id.desc&comments.limit=3&title=eq.y"
    plan = _read(cache, settings, query)
    (embed,) = plan.embeds
    assert len(plan.where) == len(embed.where) == len(embed.order) == 1
    assert embed.limit == Capped(Literal("", 1), None)


@pytest.mark.parametrize(
    "query", ["comments.id=eq.1", "comments.or=(id.eq.1)", "comments.order=id", "comments.limit=1"]
)
def test_an_embed_that_is_not_selected_cannot_be_named(cache: SchemaCache, settings: Settings, query: str) -> None:
    with pytest.raises(ApiError) as caught:
        _read(cache, settings, query)
    assert (caught.value.code, caught.value.hint) == (
        "PGRST108",
        "Verify that 'comments' is included in the 'select' query parameter.",
    )


@pytest.mark.parametrize(
    ("value", "absent"), [("is.null", True), ("not.is.null", False)], ids=["anti-join", "semi-join"]
)
def test_a_null_filter_on_an_embed_looks_at_its_join(
    cache: SchemaCache, settings: Settings, value: str, absent: bool
) -> None:
    plan = _read(cache, settings, f"select=id,c:comments()&c={value}")
    assert plan.where == [NullEmbed("posts_c_1", absent)]
    assert plan.embeds[0].only_nulls


def test_a_related_order_needs_one_related_row(cache: SchemaCache, settings: Settings) -> None:
    assert _read(cache, settings, "select=a:author_id(name)&order=a(name)").order[0].relation == "posts_a_1"
    with pytest.raises(ApiError) as caught:
        _read(cache, settings, "select=comments(id)&order=comments(id)")
    assert caught.value.code == "PGRST118"
    assert caught.value.details == "'posts' and 'comments' do not form a many-to-one or one-to-one relationship"


def test_aggregates_must_be_allowed(cache: SchemaCache) -> None:
    with pytest.raises(ApiError, match="PGRST123"):
        _read(cache, Settings(), "select=comments(id.count())")


def test_an_aggregate_in_a_spread_to_one_is_taken_out_of_it(cache: SchemaCache, settings: Settings) -> None:
    plan = _read(cache, settings, "select=title,...author_id(n:name.count())")
    (spread,) = plan.embeds
    assert spread.spread is Lift.TO_ONE
    assert spread.select[0].aggregate is None
    assert [(column.name, column.aggregate, column.alias) for column in spread.spread_columns] == [("n", "count", "n")]


def test_an_aggregate_in_a_spread_to_many_is_refused(cache: SchemaCache, settings: Settings) -> None:
    with pytest.raises(ApiError, match="PGRST127"):
        _read(cache, settings, "select=...comments(id.count())")


def test_rows_are_capped_on_reads_and_their_embeds(cache: SchemaCache) -> None:
    capped = Settings(db_max_rows=10)
    plan = _read(cache, capped, "select=id,comments(id)")
    assert (plan.limit, plan.embeds[0].limit) == (Fixed(10), Fixed(10))
    write = _read(cache, capped, "select=id,comments(id)", Action.CREATE)
    assert (write.limit, write.embeds[0].limit) == (None, None)


def test_a_star_is_spelled_out_where_columns_have_representations(cache: SchemaCache, settings: Settings) -> None:
    assert len(_read(cache, settings, "select=*").select) == len(cache.tables[POSTS].columns)
    comments = plan_read(cache, settings, Name("public", "comments"), query_of(()), Action.READ)
    assert default_select(comments)


def test_the_nearest_table_is_suggested(cache: SchemaCache) -> None:
    with pytest.raises(ApiError) as caught:
        find_table(cache, Name("public", "comment"))
    assert (caught.value.status, caught.value.hint) == (404, "Perhaps you meant the table 'public.comments'")


@pytest.mark.parametrize(
    "query",
    ["", "id=gt.1", "id=not.eq.1", "id=eq.1&title=eq.x", "title=eq.x", "or=(id.eq.1)", "id=eq(any).{1}", "id=in.(1)"],
)
def test_a_put_needs_its_whole_key_and_nothing_else(planner: Planner, query: str) -> None:
    with pytest.raises(ApiError, match="PGRST105"):
        planner.prepared(request_of("PUT", f"/posts?{query}", b'{"id":1}'))


def test_an_unknown_table_comes_before_unknown_columns(planner: Planner) -> None:
    with pytest.raises(ApiError, match="PGRST205"):
        planner.prepared(request_of("POST", "/nope", b'{"zz":1}'))
    with pytest.raises(ApiError, match="Could not find the 'zz' column of 'posts'"):
        planner.prepared(request_of("POST", "/posts", b'{"zz":1}'))


def test_a_broken_query_comes_before_a_broken_body_or_range(planner: Planner) -> None:
    for request in (
        request_of("POST", "/posts?id=nope", b"{"),
        request_of("GET", "/posts?id=nope&limit=-1"),
    ):
        with pytest.raises(ApiError, match="PGRST100"):
            planner.prepared(request)


WRITES = [
    ("POST", "/comments", b'{"body":"x"}', {},
     'with "pgrst_source" as (insert into "public"."comments" ("body") select "pgrst_body"."body" from '
     'json_to_record($1::json) as "pgrst_body"("body" text) returning 1)'),
    ("POST", "/comments", b'[{"body":"x"}]', {"Prefer": "resolution=ignore-duplicates"},
     'json_to_recordset($1::json) as "pgrst_body"("body" text) on conflict ("id") do nothing returning 1)'),
    ("POST", "/comments", b"{}", {},
     'insert into "public"."comments" select  from (values (1)) "pgrst_body" returning 1)'),
    ("PATCH", "/comments?id=eq.1", b'{"body":"x"}', {},
     'update "public"."comments" set "body" = "pgrst_body"."body" from json_to_record($1::json) as "pgrst_body"'
     '("body" text) where "public"."comments"."id" = $2 returning 1)'),
    ("PATCH", "/comments?id=eq.1", b"{}", {}, 'select null from "public"."comments" where false)'),
    ("DELETE", "/comments?id=eq.1", b"", {},
     'delete from "public"."comments" where "public"."comments"."id" = $1 returning 1)'),
    ("DELETE", "/comments?select=body,posts(title)", b"", {"Prefer": "return=representation"},
     'delete from "public"."comments" returning "public"."comments"."body", "public"."comments"."id", '
     '"public"."comments"."post_id")'),
]  # fmt: skip


@pytest.mark.parametrize(("method", "target", "body", "headers", "sql"), WRITES)
def test_a_write_is_one_statement(
    planner: Planner, method: str, target: str, body: bytes, headers: dict[str, str], sql: str
) -> None:
    assert sql in planner.statement(method, target, body, headers).text


def test_representations_are_applied_both_ways(planner: Planner) -> None:
    read = planner.statement("GET", "/posts?select=tone&tone=eq.red&id=in.(1,2)")
    assert '"public"."color_to_json"("public"."posts"."tone") as "tone"' in read.text
    assert '"public"."posts"."tone" = "public"."color_from_text"($1)' in read.text
    assert read.params == ("red", '{"1","2"}')
    write = planner.statement("POST", "/posts", b'{"tone":"red"}')
    assert '"public"."color_from_json"("tone") as "tone"' in write.text
    assert '_("tone" json)' in write.text


def test_an_exact_count_is_left_to_the_page_where_it_tells(planner: Planner) -> None:
    counted = planner.statement("GET", "/posts?select=id&limit=5", headers={"Prefer": "count=exact"}).text
    assert "case when count(*) < 5 then count(*) else (select count(*)" in counted
    later = planner.statement("GET", "/posts?select=id&limit=5&offset=9", headers={"Prefer": "count=exact"})
    assert "case when count(*) < 5 and count(*) > 0 then $1::bigint + count(*) else" in later.text
    assert "limit 5 offset $2" in later.text and later.params == ("9", "9")
    whole = planner.statement("GET", "/posts?select=id", headers={"Prefer": "count=exact"}).text
    assert "case" not in whole and "pgrst_count" not in whole
    grouped = planner.statement("GET", "/posts?select=id.count()&limit=5", headers={"Prefer": "count=exact"}).text
    assert "case" not in grouped and "pgrst_count" in grouped
