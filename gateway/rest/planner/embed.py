"""Choose the relationship for each embedded resource, with hints (contract section 8)."""

from __future__ import annotations

from typing import Any

from gateway.catalog.model import (
    AnyRelationship,
    Cardinality,
    ComputedRelationship,
    Name,
    Relationship,
    SchemaCache,
)
from gateway.errors import ApiError
from gateway.rest.errors import AMBIGUOUS_RELATIONSHIP, NO_RELATIONSHIP
from gateway.rest.planner.nearest import nearest


def find_relationship(cache: SchemaCache, schema: str, origin: str, target: str, hint: str | None) -> AnyRelationship:
    """The one relationship that `target!hint` under `origin` means.

    Raises ApiError NO_RELATIONSHIP or AMBIGUOUS_RELATIONSHIP.
    """
    known = cache.relationships.get((Name(schema, origin), schema), ())
    found = [relationship for relationship in known if _matches(relationship, target, hint)]
    if len(found) == 1:
        return found[0]
    if not found:
        using = f"' using the hint '{hint}" if hint is not None else ""
        raise ApiError(
            NO_RELATIONSHIP,
            origin=origin,
            target=target,
            details=f"Searched for a foreign key relationship between '{origin}' and '{target}{using}' in the schema "
            f"'{schema}', but no matches were found.",
            hint=_hint(cache, schema, origin, target),
        )
    computed = next((r for r in found if isinstance(r, ComputedRelationship)), None)
    if computed is not None:
        return computed
    ambiguous = [relationship for relationship in found if isinstance(relationship, Relationship)]
    choices = ", ".join(f"'{r.target.name}!{_choice(r)}'" for r in ambiguous)
    raise ApiError(
        AMBIGUOUS_RELATIONSHIP,
        origin=origin,
        target=target,
        details=[_describe(relationship) for relationship in ambiguous],
        hint=f"Try changing '{target}' to one of the following: {choices}. "
        "Find the desired relationship in the 'details' key.",
    )


def _matches(relationship: AnyRelationship, target: str, hint: str | None) -> bool:
    if isinstance(relationship, ComputedRelationship):
        return target == relationship.function.name
    named = target == relationship.target.name
    if relationship.is_self:
        # One foreign key makes two relationships of a table with itself: the table's name stands for the rows that
        # point here, the column's name for the row that is pointed at.
        if hint is not None:
            return named and relationship.cardinality is Cardinality.O2M and _single(relationship, 1) == hint
        return (named and relationship.cardinality is Cardinality.O2M) or (
            relationship.cardinality is Cardinality.M2O and _single(relationship, 0) == target
        )
    if hint is not None:
        return named and (
            (relationship.junction is None and hint == relationship.constraint)
            or hint in (_single(relationship, 0), _single(relationship, 1))
            or (relationship.junction is not None and hint == relationship.junction.table.name)
        )
    by_key = relationship.junction is None and target in (relationship.constraint, _single(relationship, 0))
    return named or (by_key and not relationship.target_is_view)


def _single(relationship: Relationship, side: int) -> str | None:
    """The column on one side (0 source, 1 target) of a foreign key of a single column."""
    if relationship.junction is not None or len(relationship.columns) != 1:
        return None
    return relationship.columns[0][side]


def _choice(relationship: Relationship) -> str:
    return relationship.junction.table.name if relationship.junction is not None else relationship.constraint


def _describe(relationship: Relationship) -> dict[str, Any]:
    junction = relationship.junction
    if junction is not None:
        source = ", ".join(column for _, column in junction.source_columns)
        target = ", ".join(column for _, column in junction.target_columns)
        text = (
            f"{junction.table.name} using {junction.source_constraint}({source}) "
            f"and {junction.target_constraint}({target})"
        )
    else:
        source = ", ".join(column for column, _ in relationship.columns)
        target = ", ".join(column for _, column in relationship.columns)
        text = (
            f"{relationship.constraint} using {relationship.source.name}({source}) "
            f"and {relationship.target.name}({target})"
        )
    return {
        "cardinality": relationship.cardinality.value,
        "embedding": f"{relationship.source.name} with {relationship.target.name}",
        "relationship": text,
    }


def _hint(cache: SchemaCache, schema: str, origin: str, target: str) -> str | None:
    """The nearest origin where that is unknown, else the nearest target."""
    known = cache.relationships.get((Name(schema, origin), schema))
    if known is None:
        origins = (name.name for name, target_schema in cache.relationships if target_schema == schema)
        found, wrong = nearest(origin, origins, 0.33), origin
    else:
        targets = [relationship.target.name for relationship in known]
        equal = any(target.lower() == name.lower() for name in targets)
        found, wrong = None if equal else nearest(target, targets, 0.33), target
    return f"Perhaps you meant '{found}' instead of '{wrong}'." if found is not None else None
