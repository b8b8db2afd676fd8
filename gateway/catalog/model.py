"""The schema cache: tables, relationships, routines, representations and media handlers. Frozen, no input or output.

Follows PostgREST's schema cache (https://docs.postgrest.org/en/v16/references/schema_cache.html).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Name(NamedTuple):
    """A qualified name."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation.

    `nominal_type` is the declared type as SQL writes it, modifiers and all (`character varying(20)`, `numeric(5,2)`,
    `public.color` for a domain): what a value is cast to. `type` is the type that lies beneath it: domains resolved,
    no modifiers (`character varying`, `jsonb`). Names outside `pg_catalog` are qualified. `default` is an expression
    (of the column, else of its domain, `nextval(…)` for an identity by default), `max_length` in characters or bits.
    `generated` columns and those of an identity that is generated always take no value.
    """

    name: str
    type: str
    nominal_type: str
    nullable: bool = True
    default: str | None = None
    max_length: int | None = None
    enum: tuple[str, ...] = ()
    description: str | None = None
    generated: bool = False
    identity: bool = False
    always: bool = False  # with `identity`: GENERATED ALWAYS


@dataclass(frozen=True, slots=True)
class Table:
    """A table, view, materialized view, foreign or partitioned table. `columns` keep their order.

    Of one that other tables inherit from, rows of these are shown, too, and a key is unique within each table only.
    """

    name: Name
    columns: Mapping[str, Column]
    primary_key: tuple[str, ...] = ()
    is_view: bool = False
    is_inherited: bool = False
    insertable: bool = True
    updatable: bool = True
    deletable: bool = True
    description: str | None = None


class Cardinality(StrEnum):
    M2O = "many-to-one"
    O2M = "one-to-many"
    O2O = "one-to-one"
    M2M = "many-to-many"


@dataclass(frozen=True, slots=True)
class Junction:
    """The table between the two sides of a many-to-many relationship."""

    table: Name
    source_constraint: str
    target_constraint: str
    source_columns: tuple[tuple[str, str], ...]  # (column of the source table, column of the junction)
    target_columns: tuple[tuple[str, str], ...]  # (column of the target table, column of the junction)


@dataclass(frozen=True, slots=True)
class Relationship:
    """How rows of `source` find rows of `target`, seen from `source`.

    `columns` pairs (source column, target column) for a foreign key either way round; empty for many-to-many.
    `is_parent` tells for one-to-one whether the source is the referenced side.
    """

    source: Name
    target: Name
    cardinality: Cardinality
    constraint: str
    columns: tuple[tuple[str, str], ...] = ()
    junction: Junction | None = None
    is_self: bool = False
    is_parent: bool = False
    source_is_view: bool = False
    target_is_view: bool = False

    @property
    def to_one(self) -> bool:
        return self.cardinality in (Cardinality.M2O, Cardinality.O2O)


@dataclass(frozen=True, slots=True)
class ComputedRelationship:
    """A function of one row that returns rows of another relation; its name is how it is embedded."""

    function: Name
    source: Name
    target: Name
    to_one: bool
    is_self: bool = False


AnyRelationship = Relationship | ComputedRelationship


class Volatility(StrEnum):
    VOLATILE = "volatile"
    STABLE = "stable"
    IMMUTABLE = "immutable"


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input parameter of a routine; an unnamed one has the name `""`. A variadic one has the array's type.

    `wide_type` is what an argument is cast to: `type`, but of any length where SQL would take `bit` or `character`
    for a single one.
    """

    name: str
    type: str
    required: bool = True
    variadic: bool = False

    @property
    def wide_type(self) -> str:
        return _WIDE.get(self.type, self.type)


_WIDE = {
    "bit": "bit varying",
    "bit[]": "bit varying[]",
    "character": "character varying",
    "character[]": "character varying[]",
}


class ReturnKind(StrEnum):
    SCALAR = "scalar"
    COMPOSITE = "composite"


@dataclass(frozen=True, slots=True)
class Returns:
    """What a routine returns. `type` is the declared type (in SQL, `written`), `base` the type beneath a domain.

    COMPOSITE is a row type, or `pg_catalog.record`: of OUT or TABLE parameters, listed in `columns` as (name, type),
    or without any (`is_untyped_record`), whose rows only Postgres knows.
    """

    kind: ReturnKind
    type: Name
    is_set: bool = False
    is_void: bool = False
    is_untyped_record: bool = False
    base: Name | None = None
    columns: tuple[tuple[str, str], ...] = ()
    written: str = ""

    @property
    def relation(self) -> Name:
        """The row type's name, which is also the relation's where there is one."""
        return self.base or self.type


@dataclass(frozen=True, slots=True)
class Routine:
    """A function callable as /rpc/NAME. `settings` are its hoisted SET options, `oid` its key in the catalogue."""

    name: Name
    parameters: tuple[Parameter, ...]
    returns: Returns
    volatility: Volatility = Volatility.VOLATILE
    variadic: bool = False
    description: str | None = None
    isolation: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    oid: int = 0


@dataclass(frozen=True, slots=True)
class Representation:
    """A cast function between a domain and `json` or `text`, applied to values on their way in or out.

    `source` and `target` are written as `Column.nominal_type` is."""

    source: str
    target: str
    function: Name


@dataclass(frozen=True, slots=True)
class MediaHandler:
    """A custom producer of a media type (lower case; `*/*` for all): an aggregate over the rows of `target` (None for
    any relation), or a routine that returns it (`is_routine`, then `target` is the routine itself). `domain` is the
    media type's name as it was spelled."""

    media_type: str
    function: Name
    target: Name | None
    domain: str = ""
    is_routine: bool = False


_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """A role's own configuration parameters, set in each of its transactions."""

    settings: tuple[tuple[str, str], ...] = ()
    isolation: str | None = None


@dataclass(frozen=True, slots=True)
class SchemaCache:
    """All a request may need to know of the database; replaced whole at each reload."""

    tables: Mapping[Name, Table] = field(default_factory=dict)
    relationships: Mapping[tuple[Name, str], tuple[AnyRelationship, ...]] = field(default_factory=dict)
    """By (source table, schema of the target)."""
    routines: Mapping[Name, tuple[Routine, ...]] = field(default_factory=dict)
    representations: Mapping[tuple[str, str], Representation] = field(default_factory=dict)
    """By (source type, target type)."""
    media_handlers: Mapping[tuple[Name | None, str], MediaHandler] = field(default_factory=dict)
    """By (relation or routine, None for any; media type)."""
    roles: Mapping[str, RoleSettings] = field(default_factory=dict)
    html_domains: frozenset[str] = frozenset()
    """Domains commented `sanitized html`, as `Column.nominal_type` writes them: text written to their columns is
    cleaned."""
    schema_descriptions: Mapping[str, str] = field(default_factory=dict)
    enums: Mapping[Name, tuple[str, ...]] = field(default_factory=dict)
    composites: Mapping[Name, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Composite types that are no relation's: attributes as (name, type)."""
    domains: Mapping[str, str] = field(default_factory=dict)
    """The type each domain is made of, both as SQL writes them."""
    type_names: Mapping[str, Name] = field(default_factory=dict)
    """Enums, composites and row types of exposed relations, by how SQL writes them."""
    computed_columns: Mapping[Name, Mapping[str, str]] = field(default_factory=dict)
    """By relation: types of the functions that are called like its columns, as SQL writes them."""
    code_free: frozenset[Name] = frozenset()
    """Tables that are read without running code of the application."""
    code_free_for: Mapping[Name, frozenset[str]] = field(default_factory=dict)
    """Tables of which that is so for some roles, as policies with code are for others alone; and these roles."""
    code_free_writes: Mapping[Name, bool] = field(default_factory=dict)
    """Tables into which rows are put without running code of the application, with whether that is so of updates and
    deletes."""
    objects_written_code_free: bool = False
    """Whether storage's objects are written, past policies, without running code of the application."""
    trigrams: frozenset[tuple[str, str, str]] = frozenset()
    """Schema, table and column of what an index of trigrams finds."""
    ordered: frozenset[tuple[str, str, str]] = frozenset()
    """Schema, table and column of what an index has in its order, before any other column."""
    runs_given_sql: bool = True
    """Whether a function might run SQL that is given to it or put together."""
