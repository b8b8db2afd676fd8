"""PlanKey → Prepared: the plan with its SQL rendered, kept for all requests of the same key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from gateway import POSTGREST
from gateway.catalog.model import Name, Routine, SchemaCache, Table, Volatility
from gateway.database import encode
from gateway.database.sql import Fragment, render_parts
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.rest.errors import MAX_AFFECTED_RPC, NO_FILTER, PREFERENCES
from gateway.rest.parse.media import OPENAPI, negotiate
from gateway.rest.parse.plan_key import PlanKey
from gateway.rest.parse.prefer import applied
from gateway.rest.parse.query_shape import query_of
from gateway.rest.planner.call import choose_routine, plan_call
from gateway.rest.planner.code_free import is_code_free, is_code_free_write, roles_without_code
from gateway.rest.planner.late_lookup import late_lookup
from gateway.rest.planner.lookups import PATTERN, Lookup, lookups
from gateway.rest.planner.read import default_select, find_table, plan_read
from gateway.rest.planner.write import plan_write
from gateway.rest.statements import page
from gateway.rest.statements.call import is_scalar
from gateway.rest.statements.terms import Slot
from gateway.rest.types import (
    Action,
    Body,
    Query,
    ReadPlan,
    ResponseFormat,
)
from gateway.settings import Settings

_APPLIED: Final = {
    Action.READ: ("count", "tx", "handling", "timezone"),
    Action.CREATE: ("missing", "representation", "count", "tx", "handling", "timezone"),
    Action.UPDATE: (
        "missing",
        "representation",
        "count",
        "tx",
        "handling",
        "timezone",
        "max_affected",
    ),
    Action.UPSERT: ("representation", "count", "tx", "handling", "timezone"),
    Action.DELETE: ("representation", "count", "tx", "handling", "timezone", "max_affected"),
    Action.CALL: ("count", "tx", "handling", "timezone", "max_affected"),
}


class Text:
    """Rendered SQL whose slots are filled for each request."""

    __slots__ = ("_constants", "_slots", "text")

    def __init__(self, term: Fragment) -> None:
        self.text, values = render_parts(term)
        self._constants: list[Value] = [None if isinstance(value, Slot) else value for value in values]
        self._slots = [
            (place, value.index, value.convert) for place, value in enumerate(values) if isinstance(value, Slot)
        ]

    def fill(self, values: Sequence[Any]) -> Statement:
        """The statement for one request, its values as they are sent; `values` are the specials and then the literals.

        Raises DatabaseError for one that Postgres cannot hold.
        """
        params = self._constants.copy()
        for place, index, convert in self._slots:
            value = values[index]
            params[place] = value if convert is None else convert(value)
        return Statement(self.text, encode(params))


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that a request of one shape needs, but its values.

    `unwrap` cuts the one object out of the array that Postgres made; `checked` results may undo the transaction.
    """

    action: Action
    response_format: ResponseFormat
    main: Text
    explain: Text | None
    explaining: bool
    read_only: bool
    unwrap: bool
    counted: bool
    binary: bool
    checked: bool
    applied: bytes | None
    content_type: bytes
    location: bytes
    table: Table | None = None
    routine: Routine | None = None
    merging: bool = False
    lookups: frozenset[Lookup] = frozenset()
    renamed: str | None = None
    """Which names of embeds should give way to their aliases, in words."""
    warning: bytes | None = None
    code_free: bool = False
    code_free_for: frozenset[str] = frozenset()
    """Roles for which it is free of code where it is not for all."""
    settings: tuple[tuple[str, str], ...] = ()
    """What else is set for its transaction, names and values."""


def prepare(key: PlanKey, cache: SchemaCache, settings: Settings) -> Prepared:
    """Plan a request and render its SQL. Raises ApiError."""
    query = query_of(key.shape)
    if key.action is Action.CALL:
        return _prepare_call(key, query, cache, settings)
    table = find_table(cache, key.target)
    if key.action is Action.READ:
        return _prepare_read(key, query, table, cache, settings)
    return _prepare_write(key, query, table, cache, settings)


def _check_preferences(key: PlanKey) -> None:
    preferences = key.preferences
    if preferences.strict and preferences.invalid:
        raise ApiError(PREFERENCES, preferences=", ".join(preferences.invalid))


def _negotiate(
    key: PlanKey, cache: SchemaCache, settings: Settings, target: Name, read: ReadPlan, routine: Name | None = None
) -> ResponseFormat:
    accept = key.wishes.accepted
    response_format = negotiate(
        tuple(media for media in accept if media != OPENAPI) or accept if key.root_spec else accept,
        cache.media_handlers,
        target,
        routine=routine,
        default_select=default_select(read),
        plan_enabled=settings.db_plan_enabled,
    )
    return response_format


def _prepare_read(key: PlanKey, query: Query, table: Table, cache: SchemaCache, settings: Settings) -> Prepared:
    read = plan_read(cache, settings, table.name, query, Action.READ, key.range)
    response_format = _negotiate(key, cache, settings, table.name, read)
    _check_preferences(key)
    count = key.preferences.count
    body = ResponseFormat(Body.NONE, response_format.media) if key.head else response_format
    late = None if body.body is Body.NONE else late_lookup(read, table, count, cache)
    main = page.read_statement(read, body, count, settings.db_max_rows, late)
    found = lookups(read)
    free = not settings.db_pre_request and is_code_free(read, body, cache)
    return _finish(
        key, response_format, body, main, read, read_only=True, table=table, found_by=found, shown=read,
        code_free=free, own=_planned(found, cache),
        code_free_for=frozenset() if free or settings.db_pre_request else roles_without_code(read, body, cache),
    )  # fmt: skip


# A pattern that is not known yet seems to find so much that a page of it is had by reading the table from its start.
_CUSTOM: Final = (("plan_cache_mode", "force_custom_plan"),)


def _planned(found: frozenset[Lookup], cache: SchemaCache) -> tuple[tuple[str, str], ...]:
    """Has Postgres plan anew what may be found by trigrams: only with the pattern does it know what they are worth."""
    return _CUSTOM if any(lookup[3:] == (PATTERN,) and lookup[:3] in cache.trigrams for lookup in found) else ()


def _prepare_write(
    key: PlanKey,
    query: Query,
    table: Table,
    cache: SchemaCache,
    settings: Settings,
) -> Prepared:
    read = plan_read(cache, settings, table.name, query, key.action)
    write = plan_write(cache, table, query, key.action, key.payload, key.preferences, read)
    _check_preferences(key)
    response_format = _negotiate(key, cache, settings, table.name, read)
    if settings.filter_demanded and write.changes_all:
        raise ApiError(NO_FILTER, command=write.kind.name)
    body = response_format if key.preferences.full else ResponseFormat(Body.NONE, response_format.media)
    main = page.write_statement(write, read, body)
    return _finish(
        key, response_format, body, main, None, read_only=False, table=table, keyed=bool(table.primary_key),
        conflict=query.on_conflict is not None, found_by=lookups(read, write), shown=read,
        code_free=not settings.db_pre_request and is_code_free_write(write, read, body, cache),
    )  # fmt: skip


def _prepare_call(
    key: PlanKey,
    query: Query,
    cache: SchemaCache,
    settings: Settings,
) -> Prepared:
    posted = not key.direct_call
    payload = key.payload
    arguments = key.arguments if posted else query.arguments
    keys = [name for name, _ in arguments] if arguments is not None else payload.columns if payload else ()
    name = key.target
    routine = choose_routine(cache, name, keys, key.wishes.content, posted)
    relation = name.name if is_scalar(routine) else routine.returns.relation.name
    target = Name(routine.name.schema, relation)
    read = plan_read(cache, settings, target, query, Action.CALL, key.range)
    call = plan_call(routine, read, payload, arguments)
    response_format = _negotiate(key, cache, settings, target, read, routine.name)
    _check_preferences(key)
    preferences = key.preferences
    if preferences.strict and preferences.max_affected is not None and not routine.returns.is_set:
        raise ApiError(MAX_AFFECTED_RPC)
    # A body that is not sent (of void) is made all the same: without it the function would not be called.
    body = (
        ResponseFormat(Body.NONE, response_format.media)
        if key.head and response_format.media.kind != "plan"
        else response_format
    )
    main = page.call_statement(call, read, body, preferences.count)
    read_only = key.direct_call or routine.volatility is not Volatility.VOLATILE
    return _finish(key, response_format, body, main, read, read_only=read_only, routine=routine, shown=read)


def _finish(
    key: PlanKey,
    response_format: ResponseFormat,
    body: ResponseFormat,
    main: Fragment,
    counted: ReadPlan | None,
    *,
    read_only: bool,
    table: Table | None = None,
    routine: Routine | None = None,
    keyed: bool = False,
    conflict: bool = False,
    found_by: frozenset[Lookup] = frozenset(),
    shown: ReadPlan,
    code_free: bool = False,
    code_free_for: frozenset[str] = frozenset(),
    own: tuple[tuple[str, str], ...] = (),
) -> Prepared:
    renamed = _renamed(shown)
    explaining = response_format.media.kind == "plan"
    count = key.preferences.count if counted is not None else None
    single = routine is not None and not routine.returns.is_set
    limited = key.preferences.strict and key.preferences.max_affected is not None
    kinds = _APPLIED[key.action]
    if key.action is Action.CREATE and (keyed or conflict):
        kinds = ("resolution", *kinds)
    estimating = count in ("planned", "estimated") and key.action is Action.READ
    unwrap = body.body in (Body.OBJECT, Body.OBJECT_STRIPPED) or (
        single and body.body in (Body.ARRAY, Body.ARRAY_STRIPPED)
    )
    return Prepared(
        action=key.action,
        response_format=response_format,
        main=Text(page.explain(main, response_format) if explaining else main),
        explain=Text(page.explain_count(counted)) if estimating and counted is not None and not explaining else None,
        explaining=explaining,
        read_only=read_only,
        unwrap=unwrap,
        counted=count in ("exact", "estimated"),
        binary=body.body is Body.CUSTOM,
        checked=not explaining and (response_format.media.singular or key.action is Action.UPSERT or limited),
        applied=applied(key.preferences, kinds),
        content_type=response_format.media.content_type,
        location=b"/" + quote(key.name, safe="!$&'()*+,;=:@-._~").encode(),
        table=table,
        routine=routine,
        merging=key.preferences.resolution == "merge-duplicates",
        lookups=found_by,
        renamed=renamed,
        warning=None if renamed is None else f'299 PostgRESTv{POSTGREST} "{DEPRECATED} {renamed}."'.encode(),
        code_free=code_free,
        code_free_for=code_free_for,
        settings=own if routine is None else routine.settings,
    )


DEPRECATED: Final = (
    "Embedded resource was referenced by relation name even though it has an alias. "
    "This is deprecated and will stop working in a future release."
)


def _renamed(plan: ReadPlan) -> str | None:
    if not plan.renamed:
        return None
    pairs = ", ".join(f"`{name}` to `{alias}`" for name, alias in plan.renamed)
    return f"Update {''.join(c if c.isprintable() else ' ' for c in pairs)} in query string filters, orders or limits"
