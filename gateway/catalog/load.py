"""The catalogue of a database to a `SchemaCache`, in one read-only transaction and two round trips.

Needs no more than what any role may read of the catalogues, so the login role need not be a superuser. What is exposed
follows PostgREST (https://docs.postgrest.org/en/v16/references/schema_cache.html).
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import orjson

from gateway.catalog import queries
from gateway.catalog.code_free import CODE_FREE, CODE_FREE_FOR, OBJECTS_WRITTEN_CODE_FREE, RUNS_GIVEN_SQL, free_tables
from gateway.catalog.code_free_writes import CODE_FREE_WRITES
from gateway.catalog.lineage import Views
from gateway.catalog.model import (
    Column,
    ComputedRelationship,
    MediaHandler,
    Name,
    Parameter,
    Representation,
    ReturnKind,
    Returns,
    RoleSettings,
    Routine,
    SchemaCache,
    Table,
    Volatility,
)
from gateway.catalog.relationships import ForeignKey, ViewKey, build_relationships
from gateway.database import Database, DatabaseError, Result, Scope
from gateway.database.statement import Statement, array_literal, quote_name
from gateway.settings import Settings

log = logging.getLogger("gateway.catalog")

# The compiler costs more than these queries do, and type names must come out qualified.
_SCOPE: Final = Scope(names=("search_path", "jit"), values=("", "off"))
_BEGIN: Final = "begin isolation level repeatable read read only"
_ISOLATION: Final = "default_transaction_isolation"
_VOLATILITY: Final = {"v": Volatility.VOLATILE, "s": Volatility.STABLE, "i": Volatility.IMMUTABLE}
_INSERT, _UPDATE, _DELETE = 8, 4, 16  # bits of pg_relation_is_updatable

Rows = list[dict[str, Any]]


async def load(db: Database, settings: Settings) -> SchemaCache:
    """The schema cache of the database that `db` is connected to, as its login role sees it.

    Raises DatabaseError, PoolTimeout, DatabaseUnavailable.
    """
    names = tuple(dict.fromkeys((*settings.db_schemas, *settings.db_extra_search_path)))
    schemas = array_literal(settings.db_schemas)
    path = array_literal(names)
    async with db.transaction(_SCOPE, _BEGIN) as tx:
        version = int((await tx.run(Statement(queries.VERSION))).value or 0)
        missing = (await tx.run(Statement(queries.MISSING_SCHEMAS, (path,)))).value
        if missing is not None:
            raise DatabaseError("3F000", f'schema "{missing.decode()}" does not exist')
        granted = queries.ROLES_GRANTED if version >= 150000 else ""
        statements = {
            "relations": Statement(queries.RELATIONS, (schemas,)),
            "columns": Statement(queries.COLUMNS, (schemas,)),
            "constraints": Statement(queries.CONSTRAINTS),
            "rules": Statement(queries.RULES),
            "routines": Statement(queries.ROUTINES, (schemas,)),
            "computed": Statement(queries.COMPUTED, (path,)),
            "handlers": Statement(queries.MEDIA_HANDLERS, (schemas,)),
            "representations": Statement(queries.REPRESENTATIONS),
            "types": Statement(queries.TYPES, (schemas,)),
            "comments": Statement(queries.SCHEMAS, (schemas,)),
            "roles": Statement(queries.ROLES.format(granted=granted)),
            "trigrams": Statement(queries.TRIGRAMS, (schemas,)),
            "ordered": Statement(queries.ORDERED, (schemas,)),
            "code_free": Statement(CODE_FREE, (schemas,)),
            "code_free_for": Statement(CODE_FREE_FOR, (schemas,)),
            "code_free_writes": Statement(CODE_FREE_WRITES, (schemas,)),
            "objects_written": Statement(OBJECTS_WRITTEN_CODE_FREE),
            "runs_given_sql": Statement(RUNS_GIVEN_SQL),
        }
        found = dict(zip(statements, await tx.run_all(*statements.values()), strict=True))
    # A large schema takes a while to put together; requests go on meanwhile.
    return await asyncio.to_thread(_build, found, settings)


def _build(found: Mapping[str, Result], settings: Settings) -> SchemaCache:
    names = ("relations", "columns", "constraints", "routines", "computed", "handlers", "representations", "types")
    relations, columns, constraints, routines, computed, handlers, representations, types = (
        _json(found[name]) for name in names
    )
    views = _Shown(relations, columns, found["rules"])
    primary_keys = _primary_keys(constraints, views)
    tables = _tables(relations, columns, primary_keys)
    return SchemaCache(
        tables=tables,
        relationships=build_relationships(
            _foreign_keys(constraints, views),
            [_computed(row) for row in computed if row["target"] is not None],
            primary_keys,
            settings.db_schemas,
        ),
        routines=_routines(routines, settings.db_hoisted_tx_settings),
        representations={
            (row["source"], row["target"]): Representation(
                row["source"], row["target"], Name(row["schema"], row["name"])
            )
            for row in representations
        },
        media_handlers={(handler.target, handler.media_type): handler for handler in map(_media_handler, handlers)},
        roles=_roles(_json(found["roles"])),
        html_domains=frozenset(row["written"] for row in types if row["is_html"]),
        schema_descriptions=_json(found["comments"]),
        enums={_name(row): tuple(row["labels"] or ()) for row in types if row["kind"] == "e"},
        composites={
            _name(row): tuple((name, kind) for name, kind in row["attributes"] or ())
            for row in types
            if row["kind"] == "c"
        },
        domains={row["written"]: row["base"] for row in types if row["kind"] == "d"},
        type_names={row["written"]: _name(row) for row in types if row["kind"] in "ce"}
        | {row["row_type"]: _name(row) for row in relations},
        computed_columns=_computed_columns(computed),
        code_free=free_tables(_json(found["code_free"])),
        code_free_for={Name(schema, name): frozenset(roles) for schema, name, roles in _json(found["code_free_for"])},
        code_free_writes={Name(schema, name): changes for schema, name, changes in _json(found["code_free_writes"])},
        objects_written_code_free=found["objects_written"].value == b"true",
        trigrams=frozenset(tuple(row) for row in _json(found["trigrams"])),
        ordered=frozenset(tuple(row) for row in _json(found["ordered"])),
        runs_given_sql=found["runs_given_sql"].value != b"false",
    )


def _json(result: Result) -> Any:
    return orjson.loads(result.value or b"[]")


def _name(row: Mapping[str, Any]) -> Name:
    return Name(row["schema"], row["name"])


class _Shown:
    """What exposed views show of tables, by the oids and numbers that constraints speak of."""

    def __init__(self, relations: Rows, columns: Rows, rules: Result) -> None:
        actions = {int(oid): action for oid, action in rules.rows if oid is not None and action is not None}
        trees = Views(actions)
        names = {(row["relation"], row["number"]): row["name"] for row in columns}
        self.origins: dict[Name, dict[tuple[int, int], tuple[str, ...]]] = {}
        for row in relations:
            oid = row["oid"]
            if row["is_view"] and oid in actions:
                self.origins[_name(row)] = {
                    origin: tuple(names[oid, number] for number in numbers if (oid, number) in names)
                    for origin, numbers in trees.columns_by_origin(oid).items()
                }
        self._by_table: dict[int, set[Name]] = defaultdict(set)
        for view, origins in self.origins.items():
            for table, _ in origins:
                self._by_table[table].add(view)

    def of_key(self, table: int, numbers: Iterable[int]) -> tuple[ViewKey, ...]:
        """The views that show every column of a key."""
        columns = [(table, number) for number in numbers]
        found = []
        for view in sorted(self._by_table.get(table, ())):
            shown = self.origins[view]
            if all(column in shown for column in columns):
                found.append(ViewKey(view, tuple(shown[column] for column in columns)))
        return tuple(found)


def _primary_keys(constraints: Rows, views: _Shown) -> dict[Name, tuple[str, ...]]:
    """Primary keys of tables, and of views that show all columns of one (of several, one after the other)."""
    keys: dict[Name, tuple[str, ...]] = {}
    for row in constraints:
        if row["kind"] == "p":
            keys[Name(row["schema"], row["table"])] = tuple(row["columns"])
            for shown in views.of_key(row["relation"], row["key"]):
                own = tuple(columns[0] for columns in shown.columns)
                keys[shown.view] = keys.get(shown.view, ()) + own
    return keys


def _foreign_keys(constraints: Rows, views: _Shown) -> list[ForeignKey]:
    unique = {(row["relation"], frozenset(row["key"])) for row in constraints if row["kind"] in "pu"}
    return [
        ForeignKey(
            constraint=row["name"],
            source=Name(row["schema"], row["table"]),
            target=Name(row["target_schema"], row["target_table"]),
            columns=tuple(zip(row["columns"], row["target_columns"], strict=True)),
            unique=(row["relation"], frozenset(row["key"])) in unique,
            source_views=views.of_key(row["relation"], row["key"]),
            target_views=views.of_key(row["target_relation"], row["target_key"]),
        )
        for row in constraints
        if row["kind"] == "f"
    ]


def _tables(relations: Rows, columns: Rows, primary_keys: Mapping[Name, tuple[str, ...]]) -> dict[Name, Table]:
    by_relation: dict[int, dict[str, Column]] = defaultdict(dict)
    for row in columns:
        by_relation[row["relation"]][row["name"]] = Column(
            name=row["name"],
            type=row["type"],
            nominal_type=row["nominal_type"],
            nullable=row["nullable"],
            default=row["default"],
            max_length=row["max_length"],
            enum=tuple(row["enum"] or ()),
            description=row["description"],
            generated=row["generated"],
            identity=row["identity"],
            always=row["always"],
        )
    return {
        (name := _name(row)): Table(
            name=name,
            columns=by_relation[row["oid"]],
            primary_key=primary_keys.get(name, ()),
            is_view=row["is_view"],
            is_inherited=row["is_inherited"],
            insertable=bool(row["writes"] & _INSERT),
            updatable=bool(row["writes"] & _UPDATE),
            deletable=bool(row["writes"] & _DELETE),
            description=row["description"],
        )
        for row in relations
    }


def _computed(row: Mapping[str, Any]) -> ComputedRelationship:
    source, target = Name(row["source_schema"], row["source"]), Name(row["target_schema"], row["target"])
    return ComputedRelationship(_name(row), source, target, row["to_one"], source == target)


def _computed_columns(rows: Rows) -> dict[Name, dict[str, str]]:
    columns: dict[Name, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row["target"] is None:
            columns[Name(row["source_schema"], row["source"])].setdefault(row["name"], row["written"])
    return dict(columns)


def _routines(rows: Rows, hoisted: Sequence[str]) -> dict[Name, tuple[Routine, ...]]:
    overloads: dict[Name, list[Routine]] = defaultdict(list)
    for row in rows:
        options = dict(option.split("=", 1) for option in row["settings"] or ())
        isolation = options.pop(_ISOLATION, None)
        overloads[_name(row)].append(
            Routine(
                name=_name(row),
                parameters=tuple(
                    Parameter(name, kind, place < row["required"], variadic)
                    for place, (name, kind, variadic) in enumerate(row["parameters"])
                ),
                returns=_returns(row),
                volatility=_VOLATILITY[row["volatility"]],
                variadic=row["variadic"],
                description=row["description"],
                isolation=isolation.lower() if isolation is not None else None,
                settings=tuple((name, value) for name, value in options.items() if name in hoisted),
                oid=row["oid"],
            )
        )
    return {
        name: tuple(sorted(routines, key=lambda routine: (len(routine.parameters), _signature(routine))))
        for name, routines in overloads.items()
    }


def _signature(routine: Routine) -> tuple[tuple[str, str], ...]:
    return tuple((parameter.name, parameter.type) for parameter in routine.parameters)


def _returns(row: Mapping[str, Any]) -> Returns:
    untyped = row["is_record"] and not row["has_columns"]
    return Returns(
        kind=ReturnKind.COMPOSITE if row["has_columns"] or untyped else ReturnKind.SCALAR,
        type=Name(row["type_schema"], row["type_name"]),
        is_set=row["is_set"],
        is_void=row["is_void"],
        is_untyped_record=untyped,
        base=Name(row["base_schema"], row["base_name"]) if row["base_name"] is not None else None,
        columns=tuple((name, kind) for name, kind in row["columns"]),
        written=row["written"],
    )


def _media_handler(row: Mapping[str, Any]) -> MediaHandler:
    function = _name(row)
    target = Name(row["target_schema"], row["target"]) if row["target"] is not None else None
    return MediaHandler(
        media_type=row["domain"].lower(),
        function=function,
        target=function if row["is_routine"] else target,
        domain=row["domain"],
        is_routine=row["is_routine"],
    )


def _roles(rows: Rows) -> dict[str, RoleSettings]:
    by_role: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        name, value = row["setting"].split("=", 1)
        by_role[row["role"]][name] = value
    return {
        role: RoleSettings(
            settings=tuple((name, value) for name, value in options.items() if name != _ISOLATION),
            isolation=options[_ISOLATION].lower() if _ISOLATION in options else None,
        )
        for role, options in by_role.items()
    }


# --- configuration held in the database -----------------------------------------------------------------------------


async def load_database_settings(db: Database, settings: Settings) -> dict[str, str]:
    """The `pgrst.*` settings of the login role, without the prefix: `Settings.with_database_settings` takes them.

    Those set for this database win over those for all, and these over what `db_pre_config` sets. A function that
    fails is logged and counts for nothing. Raises PoolTimeout, DatabaseUnavailable.
    """
    if not settings.db_config:
        return {}
    found: dict[str, str] = {}
    if settings.db_pre_config:
        found |= await _pre_config(db, settings.db_pre_config)
    result = await db.run(Scope(), Statement(queries.DATABASE_SETTINGS))
    return found | _pairs(result)


async def _pre_config(db: Database, function: str) -> dict[str, str]:
    call = f"select {'.'.join(quote_name(part) for part in function.split('.'))}()"
    names = [
        "pgrst." + name.removeprefix("PGRST_").lower()
        for row in fields(Settings)
        for name in row.metadata["names"]
        if name.startswith("PGRST_")
    ]
    try:
        async with db.transaction() as tx:
            tx.rollback()
            results = await tx.run_all(Statement(call), Statement(queries.CURRENT_SETTINGS, (array_literal(names),)))
    except DatabaseError as error:
        log.error("the function %s, which sets the configuration, failed: %s", function, error)
        return {}
    return _pairs(results[-1])


def _pairs(result: Result) -> dict[str, str]:
    return {
        name.decode().removeprefix("pgrst."): value.decode()
        for name, value in result.rows
        if name is not None and value
    }
