"""pg_jsonschema in SQL against the library that the real one is made of, over schemas and values at random."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.database import SyncConnection
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded, refused, rolled_back

NAMES = st.sampled_from(["a", "b", "tags", "é"])
NUMBERS = st.one_of(st.integers(-4, 4), st.sampled_from([0.5, 1.5, -2.25, 3.0, 1e3]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(["", "a", "ab", "é1", "A-2", "2026-01-01"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
SIZES = st.integers(0, 3)
LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "type": st.one_of(
        st.sampled_from(["null", "boolean", "object", "array", "number", "string", "integer"]),
        st.lists(st.sampled_from(["object", "array", "string", "integer"]), min_size=1, max_size=2, unique=True),
    ),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "minimum": NUMBERS,
    "maximum": NUMBERS,
    "exclusiveMinimum": NUMBERS,
    "exclusiveMaximum": NUMBERS,
    "multipleOf": st.sampled_from([1, 2, 0.5, 0.25]),
    "minLength": SIZES,
    "maxLength": SIZES,
    "pattern": st.sampled_from(["^a", "b$", "[0-9]", "^[a-z]+$", r"^\d{4}-\d{2}"]),
    "minItems": SIZES,
    "maxItems": SIZES,
    "uniqueItems": st.booleans(),
    "minProperties": SIZES,
    "maxProperties": SIZES,
    "required": st.lists(NAMES, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2),
}


def _few(keywords: dict[str, st.SearchStrategy[Any]], most: int) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of few keywords at once, or nothing is valid."""
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=most, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in names}))


def _all_nested(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    some = st.lists(inner, min_size=1, max_size=2)
    by_name = st.dictionaries(NAMES, inner, max_size=2)
    return {
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("not", "if", "then", "else", "items", "contains", "additionalProperties"), inner),
        **dict.fromkeys(("properties", "dependentSchemas"), by_name),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "g"]), inner, max_size=2),
        "propertyNames": inner,
        "minContains": SIZES,
        "maxContains": SIZES,
        "$ref": st.just("#/$defs/one"),
    }


# Two kinds: any depth, of which little is valid, and one level over schemas that about half of all values meet.
DEEP = st.recursive(
    st.one_of(st.booleans(), _few(LEAVES, 2)), lambda inner: _few({**LEAVES, **_all_nested(inner)}, 4), max_leaves=5
)
HALVES: list[Any] = [
    True, {"type": ["integer", "string"]}, {"minimum": 1}, {"minLength": 2}, {"maxItems": 1}, {"not": {"type": "null"}},
]  # fmt: skip
EVEN = st.sampled_from(HALVES)
SHALLOW = _few(_all_nested(EVEN), 3)
ROOTS = st.builds(
    lambda schema, one: {**(schema if isinstance(schema, dict) else {"allOf": [schema]}), "$defs": {"one": one}},
    st.one_of(SHALLOW, SHALLOW, DEEP),
    EVEN,
)
FLAT = st.one_of(st.none(), NUMBERS, st.sampled_from(["", "a", "ab", "é1"]))
LIVELY = st.one_of(VALUES, st.lists(FLAT, max_size=4), st.dictionaries(NAMES, FLAT, max_size=3))


@pytest.fixture(scope="module")
def owner(server: Server) -> Iterator[SyncConnection]:
    with (
        embedded(server) as ours,
        database(ours) as name,
        SyncConnection(ours.database(name, "postgres")) as connection,
    ):
        connection.script("create extension pg_jsonschema with schema extensions")
        yield connection


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=ROOTS, values=st.lists(LIVELY, min_size=6, max_size=12))
def test_what_is_valid_is_what_the_library_says(owner: SyncConnection, schema: Any, values: list[Any]) -> None:
    found = owner.rows(
        "select extensions.jsonb_matches_schema($1::json, v)"
        " from jsonb_array_elements($2::jsonb) with ordinality as x (v, i) order by i",
        json.dumps(schema),
        json.dumps(values),
    )
    assert [row == ("t",) for row in found] == [jsonschema_rs.is_valid(schema, value) for value in values]


SAMPLES: list[Any] = [
    None, 0, 2, "a", "ab", [], [0], [2, "ab"], ["a", None, 2], [2, 2], {}, {"a": 0}, {"a": 2, "b": "a"}, {"tags": None},
    {"b": [1, 2], "é": "ab"},
]  # fmt: skip


def _pairs() -> Iterator[dict[str, Any]]:
    for one, other in itertools.product(HALVES, HALVES):
        for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
            yield {keyword: [one, other]}
        yield {"prefixItems": [one], "items": other}
        yield {"if": one, "then": other, "else": {"type": "object"}}
        yield {"properties": {"a": one}, "additionalProperties": other}
        yield {"patternProperties": {"^[ab]$": one}, "additionalProperties": other}
        yield {"not": one, "dependentSchemas": {"a": other}}
    for one in HALVES:
        for least, most in itertools.product((None, 0, 1, 2), (None, 1, 2)):
            bounds = {"minContains": least, "maxContains": most}
            yield {"contains": one, **{name: bound for name, bound in bounds.items() if bound is not None}}
        yield {"items": one, "uniqueItems": True}
        yield {"propertyNames": one, "minProperties": 1, "maxProperties": 1}


def test_every_pair_of_schemas_is_combined_as_the_library_combines_them(owner: SyncConnection) -> None:
    schemas = list(_pairs())
    found = owner.rows(
        "select string_agg(extensions.jsonb_matches_schema(s::json, v)::int::text, '' order by j)"
        " from jsonb_array_elements($1::jsonb) with ordinality as a (s, i),"
        " jsonb_array_elements($2::jsonb) with ordinality as b (v, j) group by i order by i",
        json.dumps(schemas),
        json.dumps(SAMPLES),
    )
    said = ["".join(str(int(jsonschema_rs.is_valid(schema, value))) for value in SAMPLES) for schema in schemas]
    assert {json.dumps(schema): row for schema, (row,) in zip(schemas, found, strict=True)} == {
        json.dumps(schema): row for schema, row in zip(schemas, said, strict=True)
    }


OLD = "http://json-schema.org/draft-04/schema#"
CASES = [
    ({"$schema": OLD, "minimum": 1, "exclusiveMinimum": True}, 1),
    ({"$schema": OLD, "minimum": 1, "exclusiveMinimum": True}, 2),
    (
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": False},
        [1],
    ),
    (
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": False},
        ["a"],
    ),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}, {"a": 1}),
    ({"anyOf": [{"type": "integer"}, {"items": {"$ref": "#"}, "type": "array"}]}, [1, [2, [3]]]),
    ({"anyOf": [{"type": "integer"}, {"items": {"$ref": "#"}, "type": "array"}]}, [1, ["x"]]),
    ({"$defs": {"a/b~": {"type": "null"}}, "$ref": "#/$defs/a~1b~0"}, None),
    ({"format": "email"}, "no address"),
]


@pytest.mark.parametrize(("schema", "value"), CASES)
def test_older_drafts_and_references_are_read_as_the_library_reads_them(
    owner: SyncConnection, schema: Any, value: Any
) -> None:
    assert owner.rows(
        "select extensions.json_matches_schema($1::json, $2::json)", json.dumps(schema), json.dumps(value)
    ) == [("t" if jsonschema_rs.is_valid(schema, value) else "f",)]


REFUSED = {
    "0A000 another document": {"$ref": "https://example.com/a.json"},
    "0A000 unevaluated": {"unevaluatedProperties": False},
    "0A000 format that counts": {"$schema": "http://json-schema.org/draft-07/schema#", "format": "email"},
    "22023 no schema": {"type": 5},
    "22023 nowhere": {"$ref": "#/$defs/none"},
    "54001 without end": {"$ref": "#"},
}


@pytest.mark.parametrize("schema", REFUSED.values(), ids=REFUSED)
def test_what_is_not_served_is_refused_and_passes_nothing(
    owner: SyncConnection, schema: Any, request: pytest.FixtureRequest
) -> None:
    with rolled_back(owner) as connection:
        error = refused(connection, f"select extensions.jsonb_matches_schema('{json.dumps(schema)}', '\"a\"')")
    assert error.sqlstate == request.node.callspec.id.split()[0]


@pytest.mark.parametrize(
    ("schema", "is_valid"),
    [({"type": "object"}, "t"), ({"type": "thing"}, "f"), ({"properties": []}, "f"), (True, "t")],
)
def test_a_schema_itself_is_checked(owner: SyncConnection, schema: Any, is_valid: str) -> None:
    assert owner.rows("select extensions.jsonschema_is_valid($1::json)", json.dumps(schema)) == [(is_valid,)]


def test_a_column_is_checked_whatever_the_search_path(owner: SyncConnection) -> None:
    with rolled_back(owner) as connection:
        connection.script(
            'create table public.held (a jsonb check (extensions.jsonb_matches_schema(\'{"type": "object"}\', a)));'
            "grant insert on public.held to anon; set local search_path = ''; set local role anon;"
            "insert into public.held values ('{}')"
        )
        assert refused(connection, "insert into public.held values ('[]')").sqlstate == "23514"


def test_a_check_holds_for_a_role_that_may_not_look_into_the_schema(owner: SyncConnection) -> None:
    with rolled_back(owner) as connection:
        connection.script(
            "revoke usage on schema extensions from public;"
            "create role of_test_json_schemas; grant of_test_json_schemas to postgres;"
            'create table public.held (a jsonb check (extensions.jsonb_matches_schema(\'{"type": "object"}\', a)));'
            "grant insert on public.held to of_test_json_schemas; set local role of_test_json_schemas;"
            "insert into public.held values ('{}')"
        )
        assert refused(connection, "select extensions.jsonb_matches_schema('{}', '1')").sqlstate == "42501"
