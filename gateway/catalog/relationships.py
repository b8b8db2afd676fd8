"""Foreign keys, and the views that show them, to relationships. Pure.

A foreign key joins two tables; every view that shows all of its columns takes part as the table would; its inverse
and the junctions between two of them follow
(https://docs.postgrest.org/en/v16/references/api/resource_embedding.html).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from gateway.catalog.model import (
    AnyRelationship,
    Cardinality,
    ComputedRelationship,
    Junction,
    Name,
    Relationship,
)

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ViewKey:
    """A view that shows one side of a foreign key: for each column of the key, the view's columns that show it."""

    view: Name
    columns: tuple[tuple[str, ...], ...]

    def readings(self) -> Iterator[tuple[str, ...]]:
        """Every way to pick one view column for each column of the key."""
        return product(*self.columns)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` pairs (referencing, referenced); `unique`: the referencing columns are a primary key or a unique
    constraint of their table."""

    constraint: str
    source: Name
    target: Name
    columns: Pairs
    unique: bool = False
    source_views: tuple[ViewKey, ...] = ()
    target_views: tuple[ViewKey, ...] = ()


def build_relationships(
    keys: Iterable[ForeignKey],
    computed: Iterable[ComputedRelationship],
    primary_keys: Mapping[Name, Sequence[str]],
    schemas: Iterable[str],
) -> dict[tuple[Name, str], tuple[AnyRelationship, ...]]:
    """All relationships between relations of the exposed `schemas`, by (source, schema of the target). A source whose
    relationships lead to hidden relations alone has an entry without any: hints tell it from one without.

    `primary_keys` are those of exposed relations, views too. A computed relationship takes the place of those found
    by foreign key between its source and the relation that has its name.
    """
    exposed = frozenset(schemas)
    to_one = [relationship for key in keys for relationship in _of_key(key)]
    found = [*to_one, *map(_inverse, to_one), *_many_to_many(to_one, primary_keys, exposed)]

    by_ends: dict[tuple[Name, Name], list[AnyRelationship]] = defaultdict(list)
    for relationship in found:
        if relationship.source.schema in exposed and relationship.target.schema in exposed:
            by_ends[relationship.source, relationship.target].append(relationship)
    for function in computed:
        if function.source.schema in exposed and function.function.schema in exposed:
            by_ends[function.source, function.function] = [function] if function.target.schema in exposed else []

    by_schema: dict[tuple[Name, str], list[AnyRelationship]] = defaultdict(list)
    for relationship in found:
        if relationship.source.schema in exposed:
            by_schema[relationship.source, relationship.source.schema] = []
    for (source, target), relationships in by_ends.items():
        by_schema[source, target.schema] += relationships
    return {key: tuple(sorted(relationships, key=_order)) for key, relationships in by_schema.items()}


def _of_key(key: ForeignKey) -> Iterator[Relationship]:
    """The relationships of a foreign key from its referencing side: between tables and every view that shows them."""
    cardinality = Cardinality.O2O if key.unique else Cardinality.M2O
    own, referenced = zip(*key.columns, strict=True)
    sources = [(key.source, False, own)]
    sources += [(view.view, True, reading) for view in key.source_views for reading in view.readings()]
    targets = [(key.target, False, referenced)]
    targets += [(view.view, True, reading) for view in key.target_views for reading in view.readings()]
    for (source, source_is_view, left), (target, target_is_view, right) in product(sources, targets):
        yield Relationship(
            source=source,
            target=target,
            cardinality=cardinality,
            constraint=key.constraint,
            columns=tuple(zip(left, right, strict=True)),
            is_self=source == target,
            source_is_view=source_is_view,
            target_is_view=target_is_view,
        )


def _inverse(relationship: Relationship) -> Relationship:
    one_to_one = relationship.cardinality is Cardinality.O2O
    return replace(
        relationship,
        source=relationship.target,
        target=relationship.source,
        cardinality=Cardinality.O2O if one_to_one else Cardinality.O2M,
        columns=_swap(relationship.columns),
        is_parent=one_to_one,
        source_is_view=relationship.target_is_view,
        target_is_view=relationship.source_is_view,
    )


def _many_to_many(
    to_one: Iterable[Relationship], primary_keys: Mapping[Name, Sequence[str]], exposed: frozenset[str]
) -> Iterator[Relationship]:
    """Junctions: two foreign keys of one relation, all of whose columns are in its primary key."""
    by_junction: dict[Name, list[Relationship]] = defaultdict(list)
    for relationship in to_one:
        junction = relationship.source
        if relationship.cardinality is Cardinality.M2O and junction.schema in exposed:
            own = {column for column, _ in relationship.columns}
            if own.issubset(primary_keys.get(junction, ())):
                by_junction[junction].append(relationship)
    for junction, relationships in by_junction.items():
        for left, right in product(relationships, repeat=2):
            if left.constraint == right.constraint:
                continue
            yield Relationship(
                source=left.target,
                target=right.target,
                cardinality=Cardinality.M2M,
                constraint="",
                junction=Junction(
                    junction, left.constraint, right.constraint, _swap(left.columns), _swap(right.columns)
                ),
                is_self=left.target == right.target,
                source_is_view=left.target_is_view,
                target_is_view=right.target_is_view,
            )


def _swap(pairs: Pairs) -> Pairs:
    return tuple((right, left) for left, right in pairs)


_RANK = {cardinality: rank for rank, cardinality in enumerate(("one-to-many", "many-to-one", "one-to-one"))}


def _order(relationship: AnyRelationship) -> tuple[Any, ...]:
    """The order in which an ambiguous embed lists its candidates."""
    if isinstance(relationship, ComputedRelationship):
        return (1, relationship.function, relationship.source, relationship.target)
    junction = relationship.junction
    return (
        0,
        relationship.target,
        relationship.is_self,
        _RANK.get(relationship.cardinality.value, len(_RANK)),
        relationship.constraint,
        relationship.columns,
        relationship.is_parent,
        (junction.table, junction.source_constraint, junction.target_constraint, junction.source_columns)
        if junction
        else (),
    )
