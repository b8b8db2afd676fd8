"""What a planned request knows beside its statement, what planning refuses, and what memory never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.lru_cache import LruCache, size_of
from gateway.rest import limits
from gateway.rest.errors import ALIASED
from gateway.rest.parse.query_shape import Parameter, ParameterKey, ParsedQuery, parse_query, query_of
from gateway.rest.planner.prepare import Prepared
from gateway.rest.planner.read import default_select, find_table, plan_read
from gateway.rest.types import Action, Capped, Fixed, Literal, Special
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner, request_of
from tests.gateway.rest.requests import Asked, requests

OBJECT = "application/vnd.pgrst.object+json"
PLAN = "application/vnd.pgrst.plan+json"


@pytest.fixture
def planner(cache: SchemaCache, settings: Settings) -> Planner:
    return Planner(cache, settings)


def prepared(
    planner: Planner, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Prepared:
    return planner.prepared(request_of(method, target, body, headers))[2]


READ: dict[str, Any] = {
    "read_only": True, "unwrap": False, "counted": False, "binary": False, "checked": False, "explaining": False,
    "applied": None, "merging": False, "location": b"/labels", "content_type": b"application/json; charset=utf-8",
}  # fmt: skip
CHANGED: dict[str, Any] = READ | {"read_only": False, "location": b"/comments"}
CALLED: dict[str, Any] = READ | {"location": b"/add", "unwrap": True}
ONE = b'{"id":1}'
KNOWN: dict[str, tuple[str, str, dict[str, str], bytes, dict[str, Any]]] = {
    "a read": ("GET", "/labels", {}, b"", READ),
    "a counted read": (
        "GET", "/labels", {"Prefer": "count=exact"}, b"", READ | {"counted": True, "applied": b"count=exact"}),
    "a planned count": ("GET", "/labels", {"Prefer": "count=planned"}, b"", READ | {"applied": b"count=planned"}),
    "an estimated count": (
        "HEAD", "/labels", {"Prefer": "count=estimated"}, b"", READ | {"counted": True, "applied": b"count=estimated"}),
    "one object": (
        "GET", "/labels", {"Accept": OBJECT}, b"",
        READ | {"unwrap": True, "checked": True, "content_type": f"{OBJECT}; charset=utf-8".encode()}),
    "one object without nulls": (
        "GET", "/labels", {"Accept": f"{OBJECT};nulls=stripped"}, b"",
        READ | {"unwrap": True, "checked": True, "content_type": f"{OBJECT};nulls=stripped; charset=utf-8".encode()}),
    "text": ("GET", "/labels", {"Accept": "text/csv"}, b"", READ | {"content_type": b"text/csv; charset=utf-8"}),
    "a bound on changed rows means nothing to a read": (
        "GET", "/labels", {"Prefer": "handling=strict,max-affected=1"}, b"",
        READ | {"checked": True, "applied": b"handling=strict"}),
    "a new row": ("POST", "/comments", {}, ONE, CHANGED),
    "a new row that is told of": (
        "POST", "/comments", {"Prefer": "return=representation,count=exact,missing=default"}, ONE,
        CHANGED | {"applied": b"missing=default, return=representation, count=exact"}),
    "a merged row": (
        "POST", "/comments", {"Prefer": "resolution=merge-duplicates"}, ONE,
        CHANGED | {"merging": True, "applied": b"resolution=merge-duplicates"}),
    "a row that is ignored where it is there": (
        "POST", "/comments", {"Prefer": "resolution=ignore-duplicates"}, ONE,
        CHANGED | {"applied": b"resolution=ignore-duplicates"}),
    "a change": ("PATCH", "/comments?id=eq.1", {"Prefer": "resolution=ignore-duplicates"}, ONE, CHANGED),
    "a change within a bound": (
        "PATCH", "/comments?id=eq.1", {"Prefer": "handling=strict,max-affected=3"}, ONE,
        CHANGED | {"checked": True, "applied": b"handling=strict, max-affected=3"}),
    "a bound that nobody insists on": ("PATCH", "/comments?id=eq.1", {"Prefer": "max-affected=3"}, ONE, CHANGED),
    "a row put in place": ("PUT", "/comments?id=eq.1", {"Prefer": "missing=default"}, ONE, CHANGED | {"checked": True}),
    "a deletion": ("DELETE", "/comments?id=eq.1", {"Prefer": "missing=default"}, b"", CHANGED),
    "a deletion within a bound": (
        "DELETE", "/comments?id=eq.1", {"Prefer": "handling=strict,max-affected=3"}, b"",
        CHANGED | {"checked": True, "applied": b"handling=strict, max-affected=3"}),
    "a value": ("GET", "/rpc/add?a=1", {}, b"", CALLED),
    "a value by POST of what writes nothing": ("POST", "/rpc/add", {}, b'{"a":1}', CALLED),
    "a value of what may write": (
        "POST", "/rpc/whole", {}, b'{"a":1}', CALLED | {"read_only": False, "location": b"/whole"}),
    "a counted call": (
        "GET", "/rpc/found?q=x", {"Prefer": "count=estimated"}, b"",
        CALLED | {"unwrap": False, "counted": True, "location": b"/found", "applied": b"count=estimated"}),
    "rows of a call within a bound": (
        "GET", "/rpc/found?q=x", {"Prefer": "handling=strict,max-affected=3"}, b"",
        CALLED | {"unwrap": False, "checked": True, "location": b"/found",
                  "applied": b"handling=strict, max-affected=3"}),
    "one row of a call": (
        "GET", "/rpc/found?q=x", {"Accept": OBJECT}, b"",
        CALLED | {"checked": True, "location": b"/found", "content_type": f"{OBJECT}; charset=utf-8".encode()}),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_a_request_before_it_is_run(planner: Planner, name: str) -> None:
    method, target, headers, body, wanted = KNOWN[name]
    found = prepared(planner, method, target, headers, body)
    assert {field: getattr(found, field) for field in wanted} == wanted


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("pre_request", ["", "public.check"])
def test_only_a_read_without_a_function_of_its_own_runs_no_code(
    cache: SchemaCache, settings: Settings, name: str, free: bool, pre_request: str
) -> None:
    """What else is done may leave something in the session, which is reset then."""
    method, target, headers, body, wanted = KNOWN[name]
    known = replace(cache, code_free=frozenset(cache.tables) if free else frozenset())
    found = prepared(Planner(known, replace(settings, db_pre_request=pre_request)), method, target, headers, body)
    assert found.code_free == (free and not pre_request and wanted["location"] == b"/labels")


@pytest.mark.parametrize(
    ("method", "target", "prefer", "explained"),
    [("GET", "/labels", "count=planned", True), ("GET", "/labels", "count=estimated", True),
     ("GET", "/labels", "count=exact", False), ("GET", "/labels", "", False),
     ("GET", "/rpc/found?q=x", "count=planned", False), ("DELETE", "/comments?id=eq.1", "count=planned", False)],
)  # fmt: skip
def test_the_planner_is_asked_for_the_total_of_reads_alone(
    planner: Planner, method: str, target: str, prefer: str, explained: bool
) -> None:
    explain = prepared(planner, method, target, {"Prefer": prefer}).explain
    assert (explain is not None) is explained
    if explain is not None:
        assert explain.text == 'explain (format json) select 1 from "public"."labels"'


def test_a_plan_is_shown_only_where_that_is_allowed(cache: SchemaCache, settings: Settings) -> None:
    asked = {"Accept": f"{PLAN}; options=analyze|verbose", "Prefer": "count=planned"}
    shown = prepared(Planner(cache, replace(settings, db_plan_enabled=True)), "GET", "/labels", asked)
    assert shown.explaining and shown.explain is None and not shown.checked
    assert shown.main.text.startswith("explain (format json, analyze, verbose) select ")
    for method, target, body in (("PUT", "/comments?id=eq.1", ONE), ("GET", "/labels", b"")):
        one = {"Accept": f'{PLAN}; for="{OBJECT}"'}
        assert not prepared(Planner(cache, replace(settings, db_plan_enabled=True)), method, target, one, body).checked
    with pytest.raises(ApiError, match="PGRST107"):
        prepared(Planner(cache, settings), "GET", "/labels", asked)


def test_wrong_preferences_are_refused_where_strictness_is_asked_for(planner: Planner) -> None:
    for method, path, body in (("GET", "/labels", b""), ("POST", "/comments", ONE), ("GET", "/rpc/add?a=1", b"")):
        with pytest.raises(ApiError) as caught:
            prepared(planner, method, path, {"Prefer": "handling=strict, x, y"}, body)
        assert (caught.value.code, caught.value.details) == ("PGRST122", "Invalid preferences: x, y")
        prepared(planner, method, path, {"Prefer": "handling=strict"}, body)
        prepared(planner, method, path, {"Prefer": "x"}, body)


def test_what_would_change_all_rows_is_refused_where_a_filter_is_demanded(
    cache: SchemaCache, settings: Settings
) -> None:
    asked: tuple[tuple[str, str, bytes], ...] = (
        ("DELETE", "/comments", b""), ("PATCH", "/comments", b'{"body":"x"}'), ("PATCH", "/comments", b"{}"),
        ("DELETE", "/comments?id=eq.1", b""), ("POST", "/comments", ONE),
    )  # fmt: skip
    for demanded in (True, False):
        planner = Planner(cache, replace(settings, require_filter=demanded))
        for method, target, body in asked:
            if demanded and target == "/comments" and method != "POST" and body != b"{}":
                with pytest.raises(ApiError, match="requires a WHERE clause"):
                    prepared(planner, method, target, None, body)
            else:
                prepared(planner, method, target, None, body)


def test_a_bound_on_a_single_value_is_refused(planner: Planner) -> None:
    with pytest.raises(ApiError, match="PGRST128"):
        prepared(planner, "POST", "/rpc/add", {"Prefer": "handling=strict,max-affected=1"}, b'{"a":1}')
    prepared(planner, "POST", "/rpc/add", {"Prefer": "max-affected=1"}, b'{"a":1}')
    prepared(planner, "POST", "/rpc/add", {"Prefer": "handling=strict"}, b'{"a":1}')


def test_a_location_is_quoted(cache: SchemaCache, settings: Settings) -> None:
    labels = cache.tables[Name("public", "labels")]
    name = Name("public", "a é$(x)?#")
    planner = Planner(replace(cache, tables={name: replace(labels, name=name)}), settings)
    assert prepared(planner, "GET", "/a é$(x)?#".replace("?", "%3F")).location == b"/a%20%C3%A9$(x)%3F%23"


# --- names of embeds --------------------------------------------------------------------------------------------------


def test_an_embed_goes_by_its_alias_and_in_the_old_way_by_its_relation(cache: SchemaCache, settings: Settings) -> None:
    old, new = (Planner(cache, replace(settings, url_use_legacy_target_names=legacy)) for legacy in (True, False))
    target = "/posts?select=id,c:comments(id,p:posts(id)),l:labels(id),last_comment(id)"
    for named in ("&c.id=eq.1&c.p.id=eq.1&l.order=id&last_comment.id=eq.1", ""):
        for planner in (old, new):
            found = prepared(planner, "GET", target + named)
            assert (found.renamed, found.warning) == (None, None)
    found = prepared(old, "GET", f"{target}&labels.limit=1&c.posts.order=id&c.id=eq.1")
    assert found.renamed == ("Update `posts` to `p`, `labels` to `l` in query string filters, orders or limits")
    assert found.warning is not None and found.warning.startswith(b"299 PostgRESTv")
    for named, alias in (("comments.id=eq.1", "c"), ("c.posts.id=eq.1", "p"), ("labels.limit=1", "l")):
        with pytest.raises(ApiError) as caught:
            prepared(new, "GET", f"{target}&{named}")
        error = caught.value
        assert (error.code, error.details) == ("PGRST108", ALIASED)
        assert error.hint is not None and error.hint.endswith(f"to '{alias}' in filters, orders or limits.")


def test_a_parameter_is_for_the_first_embed_that_it_fits(cache: SchemaCache, settings: Settings) -> None:
    query = query_of(parse_query("select=comments(id),c:comments(id)&comments.id=eq.1").shape)
    plan = plan_read(cache, settings, Name("public", "posts"), query, Action.READ)
    assert [len(embed.where) for embed in plan.embeds] == [1, 0]


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_as_many_columns_as_a_query_can_have_are_planned_and_no_more(planner: Planner) -> None:
    wide = len(planner.cache.tables[Name("public", "posts")].columns)  # each star of it is spelled out
    stars, rest = divmod(limits.TARGETS - 1, wide)
    inner = ",".join(["*"] * stars + ["id"] * rest)
    prepared(planner, "GET", f"/comments?select=id,posts({inner})")
    with pytest.raises(ApiError) as caught:
        prepared(planner, "GET", f"/comments?select=id,posts({inner},id)")
    assert (caught.value.code, caught.value.details) == ("PGRST100", f"at most {limits.TARGETS} columns are allowed")


def test_the_bounds_of_a_request_are_these() -> None:
    found = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert found == {
        "PARAMETERS": 500, "NESTING": 50, "SELECT_ITEMS": 1_000, "TARGETS": 1_664, "EMBEDS": 100, "NAMES": 1_664,
        "CONDITIONS": 500, "TERMS": 1_664, "ORDER_TERMS": 200, "JSON_STEPS": 50, "LIST_ELEMENTS": 50_000,
        "HEADER_BYTES": 4_096, "SMALL_PLAN": 150, "LARGE_PLAN": 5_000, "WORDED": 256,
    }  # fmt: skip


@pytest.mark.parametrize(("tables", "hinted"), [(499, True), (500, False)])
def test_the_nearest_table_is_looked_for_in_schemas_of_some_size(cache: SchemaCache, tables: int, hinted: bool) -> None:
    one = cache.tables[Name("public", "labels")]
    names = [Name("public", f"table_{number:04}") for number in range(tables)]
    others = {Name("other", f"t{number}"): one for number in range(900)}
    many = replace(cache, tables={**dict.fromkeys(names, one), **others})
    with pytest.raises(ApiError) as caught:
        find_table(many, Name("public", "table_00001"))
    assert (caught.value.hint is not None) is hinted


def test_the_nearest_table_is_near(cache: SchemaCache) -> None:
    for name, hint in (("coments", "Perhaps you meant the table 'public.comments'"), ("zz", None)):
        with pytest.raises(ApiError) as caught:
            find_table(cache, Name("public", name))
        assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("target", "ceiling", "limit", "offset"),
    [("/labels", None, None, None), ("/labels?limit=5", None, Fixed(5), None), ("/labels?limit=5", 3, Fixed(3), None),
     ("/labels?limit=2", 3, Fixed(2), None), ("/labels", 3, Fixed(3), None),
     ("/labels?offset=2", None, None, Special.OFFSET), ("/labels?offset=0&limit=0", 3, Fixed(0), None)],
)  # fmt: skip
def test_the_root_has_the_smaller_limit(
    cache: SchemaCache, settings: Settings, target: str, ceiling: int | None, limit: object, offset: object
) -> None:
    planner = Planner(cache, replace(settings, db_max_rows=ceiling))
    asked = planner.prepared(request_of("GET", target))[0]
    plan = plan_read(
        cache, planner.settings, Name("public", "labels"), query_of(asked.parsed_query.shape), Action.READ, asked.range
    )
    assert (plan.limit, plan.offset) == (limit, offset)


@pytest.mark.parametrize(
    ("query", "ceiling", "bounds"),
    [("", None, (None, None)), ("", 3, (Fixed(3), None)),
     ("&comments.limit=5", None, (Capped(Literal("", 0), None), None)),
     ("&comments.limit=5", 3, (Capped(Literal("", 0), 3), None)),
     ("&comments.offset=5", None, (None, Capped(Literal("", 0), None))),
     ("&comments.offset=5", 3, (Fixed(3), Capped(Literal("", 0), None))),
     ("&comments.offset=5&comments.limit=1", None, (Capped(Literal("", 1), None), Capped(Literal("", 0), None)))],
)  # fmt: skip
def test_an_embed_has_its_own_bounds(
    cache: SchemaCache, settings: Settings, query: str, ceiling: int | None, bounds: object
) -> None:
    shape = parse_query(f"select=comments(id){query}").shape
    capped = replace(settings, db_max_rows=ceiling)
    plan = plan_read(cache, capped, Name("public", "posts"), query_of(shape), Action.READ)
    assert (plan.embeds[0].limit, plan.embeds[0].offset) == bounds


@pytest.mark.parametrize(
    ("limit", "ceiling", "bound"),
    [("5", None, "5"), ("5", 3, "3"), ("3", 3, "3"), ("2", 3, "2"), ("0", 3, "0"), ("-1", 3, "-1"), ("x", None, None),
     ("x", 3, "3"), ("", 3, "3")],
)  # fmt: skip
def test_the_limit_of_an_embed_is_at_most_the_ceiling(
    cache: SchemaCache, settings: Settings, limit: str, ceiling: int | None, bound: str | None
) -> None:
    planner = Planner(cache, replace(settings, db_max_rows=ceiling))
    statement = planner.statement("GET", f"/posts?select=comments(id)&comments.limit={limit}")
    assert statement.params == (bound,) and ' limit $1) as "posts_comments_1"' in statement.text


@pytest.mark.parametrize(("offset", "bound"), [("0", "0"), ("1", "1"), ("7", "7"), ("-2", "0"), ("x", "0")])
def test_the_offset_of_an_embed_is_never_below_zero(planner: Planner, offset: str, bound: str) -> None:
    statement = planner.statement("GET", f"/posts?select=comments(id)&comments.offset={offset}")
    assert statement.params == (bound,) and ' offset $1) as "posts_comments_1"' in statement.text


@pytest.mark.parametrize(
    ("query", "default"),
    [("", True), ("select=*", True), ("select=id", False), ("select=*,id", False), ("select=id,*", False),
     ("select=*,comments()", False), ("select=comments(*)", False), ("limit=1&id=gt.1", True)],
)  # fmt: skip
def test_the_default_select_is_the_star_alone(
    cache: SchemaCache, settings: Settings, query: str, default: bool
) -> None:
    bare = replace(cache, representations={})
    plan = plan_read(bare, settings, Name("public", "posts"), query_of(parse_query(query).shape), Action.READ)
    assert default_select(plan) is default


def test_defaults_are_for_what_is_missing(cache: SchemaCache, settings: Settings) -> None:
    name = Name("public", "comments")
    table = cache.tables[name]
    column = replace(table.columns["body"], default="'none'::text")
    tables = {**cache.tables, name: replace(table, columns={**table.columns, "body": column})}
    planner = Planner(replace(cache, tables=tables), settings)
    prefer = {"Prefer": "missing=default"}
    for method, target in (("POST", "/comments"), ("PATCH", "/comments?id=eq.1")):
        text = planner.statement(method, target, b'{"id":1,"body":"x"}', prefer).text
        assert "(select jsonb_build_object($1::text, 'none'::text) || $2::jsonb as val) pgrst_json, " in text
        assert "lateral jsonb_to_record(pgrst_json.val)" in text
        rows = planner.statement(method, target, b'[{"id":1,"body":"x"}]', prefer).text
        assert "jsonb_agg(jsonb_build_object($1::text, 'none'::text) || elem), '[]') as val" in rows
        assert "lateral jsonb_to_recordset(pgrst_json.val)" in rows
        assert "jsonb_build_object" not in planner.statement(method, target, b'{"id":1,"body":"x"}').text
    put = planner.statement("PUT", "/comments?id=eq.1", b'{"id":1,"body":"x"}', prefer).text
    assert "jsonb_build_object" not in put, "a row put in place is whole"


@pytest.mark.parametrize("query", ["order=comments(id)", "select=c:comments(id)&order=comments(id)"])
def test_an_order_names_what_is_embedded(cache: SchemaCache, settings: Settings, query: str) -> None:
    with pytest.raises(ApiError, match="PGRST108"):
        plan_read(cache, settings, Name("public", "posts"), query_of(parse_query(query).shape), Action.READ)


@pytest.mark.parametrize(
    ("query", "origin", "target"),
    [("select=comments(id)&order=id,comments(id)", "posts", "comments"),
     ("select=c:comments(id,labels:posts(id,l:labels()))&c.labels.order=l(id)", "posts", "l")],
)  # fmt: skip
def test_an_order_by_many_rows_is_refused(
    cache: SchemaCache, settings: Settings, query: str, origin: str, target: str
) -> None:
    for action in (Action.READ, Action.CREATE):
        with pytest.raises(ApiError) as caught:
            plan_read(cache, settings, Name("public", "posts"), query_of(parse_query(query).shape), action)
        assert caught.value.code == "PGRST118"
        assert caught.value.details == f"'{origin}' and '{target}' do not form a many-to-one or one-to-one relationship"


@pytest.mark.parametrize(
    "query",
    ["select=...comments(id.count())", "select=...comments(body,...posts(id.sum()))", "select=...labels(count())"],
)
def test_aggregates_of_many_lifted_rows_are_refused(cache: SchemaCache, settings: Settings, query: str) -> None:
    with pytest.raises(ApiError, match="PGRST127"):
        plan_read(cache, settings, Name("public", "posts"), query_of(parse_query(query).shape), Action.READ)


@pytest.mark.parametrize(
    "query", ["select=id.count()", "select=id,comments(id.sum())", "select=...authors!author_id(count())"]
)
def test_aggregates_are_refused_wherever_they_stand(cache: SchemaCache, query: str) -> None:
    with pytest.raises(ApiError, match="PGRST123"):
        plan_read(cache, Settings(), Name("public", "posts"), query_of(parse_query(query).shape), Action.READ)
    plan_read(
        cache, Settings(), Name("public", "posts"), query_of(parse_query("select=id,comments(id)").shape), Action.READ
    )


# --- memory -----------------------------------------------------------------------------------------------------------


def _described(parsed_query: ParsedQuery) -> object:
    shown = [parameter.shown for parameter in parsed_query.parameters]
    return (
        parsed_query.pairs,
        shown,
        parsed_query.shape,
        parsed_query.literals,
        parsed_query.limit,
        parsed_query.offset,
        parsed_query.canonical,
    )


@pytest.mark.parametrize("calling", [False, True])
def test_what_was_read_before_changes_nothing(calling: bool) -> None:
    memory = LruCache[ParameterKey, Parameter](4_000_000)

    @given(requests())
    def check(asked: Asked) -> None:
        query = asked.request().query
        found: list[object] = []
        for kept in (None, memory, memory):
            try:
                found.append(_described(parse_query(query, calling, kept)))
            except ApiError as error:
                found.append((error.code, error.message, error.details))
        assert found[0] == found[1] == found[2], query

    check()
    assert len(memory)


def test_a_value_is_remembered_in_a_logic_tree_only() -> None:
    memory = LruCache[ParameterKey, Parameter](4_000_000)
    parse_query(
        "select=id&id=eq.1&or=(id.eq.1)&limit=1&id=is.null&x&order=id&or=(id.is.null)&id=eq.true&in=not.in.(1)",
        False,
        memory,
    )
    texts = [text for text in ("select=id", "id=is.null", "order=id", "or=(id.is.null)", "or=(id.eq.1)", "id=eq.true")
             if memory.get(text) is not None]  # fmt: skip
    assert len(texts) == 6
    assert memory.get(("id", "eq")) is not None  # without its value
    assert len(memory) == 7
    again = parse_query('id=eq.7&in=not.in.(2,"3,4")', False, memory)
    assert again.literals == ["7", '{"2","3,4"}']


def test_the_size_of_what_is_remembered_grows_with_its_text() -> None:
    sizes = []
    for text in ("a", "a" * 50):
        memory = LruCache[ParameterKey, Parameter](4_000_000)
        parse_query(f"select={text}&{text}=eq.1", False, memory)
        sizes.append(memory.bytes)
    assert sizes[1] - sizes[0] == 2 * 20 * 49  # of the select and of the filter
    assert min(sizes) > 1000


def test_the_size_of_a_logic_tree_is_no_less_than_what_it_takes() -> None:
    for count in (1, 10, 100):
        memory = LruCache[ParameterKey, Parameter](4_000_000)
        (parameter,) = parse_query(f"or=({','.join(['a.eq.1'] * count)})", False, memory).parameters
        assert memory.bytes >= size_of(parameter)


def test_a_location_has_the_values_of_one_key_together() -> None:
    assert parse_query("b=eq.1&a=eq.2&b=eq.3&a=eq.4&b=eq.5").canonical == b"a=eq.2,eq.4&b=eq.1,eq.3,eq.5"
    assert parse_query("a=eq.x%3Dy&a=eq.z%3Dw").canonical == b"a=eq.x%3Dy,eq.z%3Dw"


def test_literals_are_numbered_throughout() -> None:
    query = query_of(
        parse_query(
            "a=eq.1&c.limit=2&b=is.null&or=(x.eq.3,and(y.eq.4,z.is.null,w.in.(5)))&b=eq.true&c.offset=6&d=fts.7"
        ).shape
    )
    found: list[int | None] = []

    def walk(condition: Any) -> None:
        for member in getattr(condition, "members", ()):
            walk(member)
        value = getattr(getattr(condition, "operation", None), "value", None)
        if value is not None:
            found.append(value.slot)

    for _, condition in (*query.filters, *query.logic):
        walk(condition)
    assert found == [0, None, 6, 2, 3, 4]
    assert query.ranges == ((("c",), replace(query.ranges[0][1], limit=Literal("", 1), offset=Literal("", 5))),)
    assert parse_query("a=1&b=2&c=gt.3&a=4", calling=True).literals == ["1", "2", "3", "4"]
    called = query_of(parse_query("c=gt.3&a=1&b=2", calling=True).shape)
    assert called.arguments == (("a", Literal("", 1)), ("b", Literal("", 2)))
