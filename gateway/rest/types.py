"""The frozen dataclasses that the stages hand on: what was asked, and what will be done.

What was asked (`ApiRequest` and the grammar's trees) may be nonsense; a plan has been checked against the schema
cache. Only plans reach SQL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final

from gateway.catalog.model import AnyRelationship, MediaHandler, Name, Routine, Table

# --- values -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """A value of the request: its number among the request's values, which are bound anew each time, or, without one, a
    text that is part of the shape."""

    text: str
    slot: int | None = None


# --- what was asked -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JsonStep:
    """One `->` or `->>` (as_text) of a json path; `index` for an array index, which keeps its sign."""

    key: str
    as_text: bool
    index: bool = False


JsonPath = tuple[JsonStep, ...]


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A column, or what a json path finds in it."""

    name: str
    path: JsonPath = ()


@dataclass(frozen=True, slots=True)
class SelectField:
    """`[alias:]column[->path][::cast][.aggregate()[::cast]]`; `*` is a field of that name."""

    field: FieldRef
    alias: str | None = None
    cast: str | None = None
    aggregate: str | None = None
    aggregate_cast: str | None = None


class Join(StrEnum):
    INNER = "inner"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class SelectEmbed:
    """`[alias:]target[!hint][!inner|!left](…)`, or a spread with leading dots."""

    target: str
    items: tuple[SelectItem, ...]
    alias: str | None = None
    hint: str | None = None
    join: Join | None = None
    spread: bool = False


SelectItem = SelectField | SelectEmbed


@dataclass(frozen=True, slots=True)
class Compare:
    """An operator between a field and a value; `any_all` is its array modifier."""

    operator: str
    value: Literal
    any_all: str | None = None


@dataclass(frozen=True, slots=True)
class InList:
    """`in.(…)`; the value is bound as an array."""

    value: Literal


@dataclass(frozen=True, slots=True)
class Is:
    """`is.null` and its kin; the word as SQL has it."""

    word: str


@dataclass(frozen=True, slots=True)
class IsDistinct:
    value: Literal


@dataclass(frozen=True, slots=True)
class FullText:
    """`fts`, `plfts`, `phfts`, `wfts` with an optional text search configuration."""

    operator: str
    config: str | None
    value: Literal


Operation = Compare | InList | Is | IsDistinct | FullText


@dataclass(frozen=True, slots=True)
class Filter:
    field: FieldRef
    operation: Operation
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Logic:
    """An `and` or `or` group."""

    operator: str
    members: tuple[Condition, ...]
    negated: bool = False


Condition = Filter | Logic

EmbedPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderTerm:
    """`relation` for an order by a column of an embedded resource."""

    field: FieldRef
    descending: bool | None = None
    nulls_first: bool | None = None
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """The parsed query string. `arguments` are the parameters of a function that is called by GET, each with the
    slot of its value."""

    select: tuple[SelectItem, ...]
    filters: tuple[tuple[EmbedPath, Filter], ...] = ()
    logic: tuple[tuple[EmbedPath, Logic | Filter], ...] = ()
    order: tuple[tuple[EmbedPath, tuple[OrderTerm, ...]], ...] = ()
    ranges: tuple[tuple[EmbedPath, RangeSlots], ...] = ()
    columns: tuple[str, ...] | None = None
    on_conflict: tuple[str, ...] | None = None
    arguments: tuple[tuple[str, Literal], ...] = ()


@dataclass(frozen=True, slots=True)
class RangeSlots:
    """Limit and offset of an embedded resource."""

    limit: Literal | None = None
    offset: Literal | None = None


SOURCE: Final = Name("", "pgrst_source")
"""The common table expression that holds what a write or a function returned."""


class Action(Enum):
    """What a request does with its resource."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    UPSERT = "upsert"
    DELETE = "delete"
    CALL = "call"
    INSPECT = "inspect"
    INFO = "info"

    # That of Enum runs Python code, in each look for a plan.
    __hash__ = object.__hash__

    @property
    def writes(self) -> bool:
        return self in _WRITES


_WRITES: Final = frozenset({Action.CREATE, Action.UPDATE, Action.UPSERT, Action.DELETE})


class Resource(Enum):
    SCHEMA = "schema"
    RELATION = "relation"
    ROUTINE = "routine"


# --- preferences and media ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preferences:
    """The `Prefer` header; None where a kind is not given. `invalid` are the tokens nobody knows."""

    resolution: str | None = None
    missing: str | None = None
    representation: str | None = None
    count: str | None = None
    tx: str | None = None
    handling: str | None = None
    timezone: str | None = None
    max_affected: int | None = None
    invalid: tuple[str, ...] = ()

    @property
    def strict(self) -> bool:
        return self.handling == "strict"

    @property
    def full(self) -> bool:
        return self.representation == "representation"


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type that the API produces or takes.

    `kind` is one of json, array-stripped, object, object-stripped, geojson, csv, text, xml, openapi, form, octet,
    any, other, plan. A plan carries the media type it is `plan_for`, its format and its options.
    """

    kind: str
    mime: str
    plan_for: MediaType | None = None
    plan_format: str = "text"
    plan_options: tuple[str, ...] = ()

    @property
    def singular(self) -> bool:
        return self.kind in ("object", "object-stripped")

    @property
    def content_type(self) -> bytes:
        charset = "" if self.kind in ("octet", "other") else "; charset=utf-8"
        return (self.mime + charset).encode("latin-1", "replace")


class Body(Enum):
    """How the rows become one body."""

    NONE = "none"
    ARRAY = "array"
    ARRAY_STRIPPED = "array-stripped"
    OBJECT = "object"
    OBJECT_STRIPPED = "object-stripped"
    CSV = "csv"
    GEOJSON = "geojson"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """The outcome of content negotiation: how the body is made and what it is called."""

    body: Body
    media: MediaType
    handler: MediaHandler | None = None


# --- payload --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Payload:
    """A request body brought to JSON (or kept raw for a single unnamed parameter).

    `columns` are the keys that matter, sorted; `is_object` tells whether `raw` is one JSON object. `fields` are the
    pairs of a form sent to a function.
    """

    raw: bytes
    columns: tuple[str, ...] = ()
    is_object: bool = False
    fields: tuple[tuple[str, str], ...] | None = None


# --- what will be done ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """A field resolved against the schema cache. `type` is its declared type (empty when unknown), `transform` the
    function that brings it to or from its representation, `to_json` whether a path needs `to_jsonb` first."""

    name: str
    path: JsonPath = ()
    type: str = ""
    to_json: bool = False
    transform: Name | None = None
    default: str | None = None
    full_row: bool = False
    tsvector: bool = False
    """Whether `to_tsvector` must be applied for a full text search."""


@dataclass(frozen=True, slots=True)
class SelectColumn:
    column: Column
    alias: str | None = None
    cast: str | None = None
    aggregate: str | None = None
    aggregate_cast: str | None = None


@dataclass(frozen=True, slots=True)
class PlanFilter:
    column: Column
    operation: Operation
    negated: bool = False


@dataclass(frozen=True, slots=True)
class NullEmbed:
    """`embed=is.null` (absent) or its opposite, on the alias of the embed's lateral join."""

    alias: str
    absent: bool


@dataclass(frozen=True, slots=True)
class PlanLogic:
    operator: str
    members: tuple[PlanCondition, ...]
    negated: bool = False


PlanCondition = PlanFilter | NullEmbed | PlanLogic


@dataclass(frozen=True, slots=True)
class PlanOrder:
    """`relation` is the alias of a joined embed, None for the table itself."""

    column: Column
    descending: bool | None = None
    nulls_first: bool | None = None
    relation: str | None = None


class Lift(Enum):
    """How a spread lifts its columns into the parent."""

    TO_ONE = "to-one"
    TO_MANY = "to-many"


@dataclass(frozen=True, slots=True)
class SpreadColumn:
    name: str
    alias: str | None = None
    aggregate: str | None = None
    aggregate_cast: str | None = None


@dataclass(slots=True)
class ReadPlan:
    """One resource of a read: the root, or an embed under it. Built up by the planner, then left alone.

    `source` is what it reads from and `alias` its name in the query; `join_alias` names the embed's lateral join.
    """

    source: Name
    name: str
    depth: int = 0
    alias: str | None = None
    select: list[SelectColumn] = field(default_factory=list)
    where: list[PlanCondition] = field(default_factory=list)
    order: list[PlanOrder] = field(default_factory=list)
    limit: Bound = None
    offset: Bound = None
    embeds: list[ReadPlan] = field(default_factory=list)
    embed_alias: str | None = None
    hint: str | None = None
    join: Join | None = None
    spread: Lift | None = None
    is_spread: bool = False
    relationship: AnyRelationship | None = None
    parent_alias: str | None = None
    join_alias: str = ""
    spread_columns: list[SpreadColumn] = field(default_factory=list)
    spread_order: list[PlanOrder] = field(default_factory=list)
    spread_extra: list[tuple[str | None, SelectColumn]] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    """Of the root: embeds that were named by their relation although they have an alias, as (relation, alias)."""

    @property
    def shown_name(self) -> str:
        return self.embed_alias or self.name

    @property
    def only_nulls(self) -> bool:
        """An empty embed: nothing of it is shown."""
        return not self.select and all(embed.only_nulls for embed in self.embeds)


@dataclass(frozen=True, slots=True)
class LateLookup:
    """How a page is read whose keys are found first; see gateway/rest/planner/late_lookup.py. `counts` where what is
    found tells the exact total, too."""

    key: str
    counts: bool


class Special(Enum):
    """Values that belong to every request, in front of its literals."""

    BODY = 0
    OFFSET = 1


SPECIALS: Final = len(Special)


@dataclass(frozen=True, slots=True)
class Capped:
    """A limit or offset of an embed: its literal, and the configured ceiling."""

    literal: Literal
    ceiling: int | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """The root's limit or first offset: part of the shape, and written into the SQL. Bound, it would keep Postgres
    from a general plan, as that reckons with a tenth of all rows for a limit it does not know."""

    number: int


Bound = Special | Capped | Fixed | None


class Write(Enum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class WritePlan:
    """`columns` are the payload's, in the order of their names; `conflict` is the conflict target."""

    kind: Write
    table: Table
    columns: tuple[Column, ...] = ()
    is_object: bool = True
    defaults: bool = False
    conflict: tuple[str, ...] | None = None
    merge: bool = False
    where: tuple[PlanCondition, ...] = ()
    put: bool = False
    returning: tuple[str, ...] = ()
    location: tuple[str, ...] = ()

    @property
    def changes_all(self) -> bool:
        """Whether no filter keeps it from any row. An update that sets no column changes none."""
        return not self.where and (self.kind is Write.DELETE or (self.kind is Write.UPDATE and bool(self.columns)))


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function called with values from the query string or a form."""

    name: str
    type: str
    value: Literal | None
    variadic: bool = False
    values: tuple[Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class CallPlan:
    """A function call: `arguments` for direct values, else `json_keys` of the body. With `whole`, the type of the one
    unnamed parameter, that is given the arguments as JSON, or the body."""

    routine: Routine
    arguments: tuple[Argument, ...] | None = None
    json_keys: tuple[tuple[str, str, bool], ...] = ()  # name, type, variadic
    is_object: bool = True
    whole: str | None = None
    positional: bool = False
    """Whether arguments go by position: with names Postgres cannot leave a variadic parameter out."""
    returning: tuple[str, ...] = ()
