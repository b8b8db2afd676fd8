"""A small schema cache made by hand: posts with authors, comments, tags, a family tree and a few functions."""

from __future__ import annotations

import pytest

from gateway.catalog.model import (
    Cardinality,
    Column,
    ComputedRelationship,
    Junction,
    Name,
    Parameter,
    Relationship,
    Representation,
    ReturnKind,
    Returns,
    RoleSettings,
    Routine,
    SchemaCache,
    Table,
    Volatility,
)
from gateway.settings import Settings


def _columns(**types: str) -> dict[str, Column]:
    return {name: Column(name, kind.rpartition(".")[2], kind) for name, kind in types.items()}


def _name(name: str) -> Name:
    return Name("public", name)


def _table(table: str, /, *key: str, **types: str) -> Table:
    return Table(_name(table), _columns(**types), key)


def _both_ways(constraint: str, source: str, column: str, target: str, other: str = "id") -> list[Relationship]:
    one, two = _name(source), _name(target)
    own = source == target
    return [
        Relationship(one, two, Cardinality.M2O, constraint, ((column, other),), is_self=own),
        Relationship(two, one, Cardinality.O2M, constraint, ((other, column),), is_self=own),
    ]


_TABLES = [
    _table("posts", "id", id="bigint", author_id="integer", editor_id="integer", title="text", meta="jsonb",
           tags="text[]", search="tsvector", tone="public.color", body="public.clean"),
    _table("authors", "id", id="integer", name="text"),
    _table("comments", "id", id="integer", post_id="bigint", body="text"),
    _table("labels", "id", id="integer", name="text"),
    _table("post_labels", "post_id", "label_id", post_id="bigint", label_id="integer"),
    _table("family", "id", id="integer", parent_id="integer", name="text"),
]  # fmt: skip

_JUNCTION = Junction(
    _name("post_labels"), "post_labels_post_id_fkey", "post_labels_label_id_fkey",
    (("id", "post_id"),), (("id", "label_id"),),
)  # fmt: skip

_RELATIONSHIPS = [
    *_both_ways("posts_author_id_fkey", "posts", "author_id", "authors"),
    *_both_ways("posts_editor_id_fkey", "posts", "editor_id", "authors"),
    *_both_ways("comments_post_id_fkey", "comments", "post_id", "posts"),
    *_both_ways("family_parent_id_fkey", "family", "parent_id", "family"),
    Relationship(_name("posts"), _name("labels"), Cardinality.M2M, "", junction=_JUNCTION),
]

_COMPUTED = ComputedRelationship(_name("last_comment"), _name("posts"), _name("comments"), True)
_INT = Name("pg_catalog", "int4")


def _routine(name: str, *parameters: Parameter, volatility: Volatility = Volatility.STABLE) -> Routine:
    return Routine(_name(name), parameters, Returns(ReturnKind.SCALAR, _INT), volatility)


_ROUTINES = {
    _name("add"): (_routine("add", Parameter("a", "integer"), Parameter("b", "integer", required=False)),),
    _name("twice"): (
        _routine("twice", Parameter("a", "integer")),
        _routine("twice", Parameter("a", "text")),
        _routine("twice", Parameter("z", "text")),
    ),
    _name("sum_of"): (_routine("sum_of", Parameter("items", "integer[]", variadic=True)),),
    _name("whole"): (_routine("whole", Parameter("", "json"), volatility=Volatility.VOLATILE),),
    _name("found"): (
        Routine(
            _name("found"), (Parameter("q", "text"),),
            Returns(ReturnKind.COMPOSITE, _name("posts"), is_set=True), Volatility.STABLE,
        ),
    ),
}  # fmt: skip


@pytest.fixture
def cache() -> SchemaCache:
    relationships: dict[tuple[Name, str], tuple[Relationship | ComputedRelationship, ...]] = {}
    known: list[Relationship | ComputedRelationship] = [*_RELATIONSHIPS, _COMPUTED]
    for relationship in known:
        key = (relationship.source, relationship.target.schema)
        relationships[key] = (*relationships.get(key, ()), relationship)
    return SchemaCache(
        tables={table.name: table for table in _TABLES},
        relationships=relationships,
        routines=_ROUTINES,
        representations={
            ("public.color", "json"): Representation("public.color", "json", _name("color_to_json")),
            ("json", "public.color"): Representation("json", "public.color", _name("color_from_json")),
            ("text", "public.color"): Representation("text", "public.color", _name("color_from_text")),
        },
        roles={"anon": RoleSettings((("statement_timeout", "3s"),))},
        html_domains=frozenset({"public.clean"}),
    )


@pytest.fixture
def settings() -> Settings:
    return Settings(db_max_rows=None, rest_prefix="", db_aggregates_enabled=True)
