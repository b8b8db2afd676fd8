"""The root path's document: an OpenAPI 2.0 description of a schema, from the schema cache alone.

`document` is pure; `Documents` makes it for a request, after asking Postgres what the request's role may touch where
the settings say so. Follows PostgREST (https://docs.postgrest.org/en/v16/references/api/openapi.html), whose notes
(`<pk/>`, `<fk table='…' column='…'/>`) tools read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway import POSTGREST
from gateway.catalog.model import (
    Cardinality,
    Column,
    Name,
    Parameter,
    Relationship,
    Routine,
    SchemaCache,
    Table,
    Volatility,
)
from gateway.database.statement import Statement, quote_name
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.lru_cache import Caches, LruCache
from gateway.rest.parse.request import ApiRequest
from gateway.rest.reader import Reader
from gateway.settings import Settings

Json = dict[str, Any]

_DOCS: Final = f"https://postgrest.org/en/v{POSTGREST.partition('.')[0]}/references/api.html"
_SINGLE: Final = "application/vnd.pgrst.object+json"
_TYPES: Final = ("application/json", f"{_SINGLE};nulls=stripped", _SINGLE)
_TABLE_TYPES: Final = [*_TYPES, "text/csv"]
_ROUTINE_TYPES: Final = [*_TYPES]
_SECURITY: Final = "JWT"

_KINDS: Final[Mapping[str, str | None]] = {
    "boolean": "boolean",
    "smallint": "integer",
    "integer": "integer",
    "bigint": "integer",
    "numeric": "number",
    "real": "number",
    "double precision": "number",
    "json": None,
    "jsonb": None,
}
_FORMATS: Final = {"smallint": "int32", "integer": "int32", "bigint": "int64"}

# What the role may touch: tables by name, functions by oid.
_ACCESS: Final = """
select json_build_object(
  'tables', (
    select coalesce(json_agg(c.relname), '[]') from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'v', 'm', 'f', 'p') and (
      pg_has_role(c.relowner, 'usage')
      or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
      or has_any_column_privilege(c.oid, 'select, insert, update, references'))),
  'routines', (
    select coalesce(json_agg(p.oid::int8), '[]') from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $1 and has_function_privilege(p.oid, 'execute')))
"""


@dataclass(frozen=True, slots=True)
class Access:
    """What a role may touch in a schema: names of relations, oids of routines."""

    tables: frozenset[str]
    routines: frozenset[int]

    @staticmethod
    def statement(schema: str) -> Statement:
        """Asks for it as the current role; one row of one JSON text that `parse` reads."""
        return Statement(_ACCESS, (schema,))

    @classmethod
    def parse(cls, text: bytes) -> Access:
        content = orjson.loads(text)
        return cls(frozenset(content["tables"]), frozenset(content["routines"]))


DOCUMENTS: Final = 128_000_000  # bytes of documents that are kept; one of 2,000 tables takes some 10 MB


class Documents:
    """Documents of the root path, made off the event loop, one at a time, and kept.

    Beside the schema and what the role may touch, which Postgres is asked each time, a document depends on the schema
    cache and the settings alone: when these change, all caches are emptied.
    """

    def __init__(self, caches: Caches) -> None:
        self._kept: LruCache[tuple[str, bytes], bytes] = caches.make("documents", DOCUMENTS)
        self._turn = asyncio.Lock()
        self._making: set[asyncio.Task[bytes]] = set()

    async def __call__(self, reader: Reader, request: Request, asked: ApiRequest, identity: Identity) -> bytes:
        """The document of the root path for a request. Raises DatabaseError and its kin."""
        settings, cache = reader.settings, reader.current_cache()
        text = b""
        if settings.openapi_mode == "follow-privileges":
            results = await reader.read(request, asked, identity, Access.statement(asked.schema))
            text = results[-1].value or b"{}"
        key = (asked.schema, sha256(text).digest())
        found = self._kept.get(key)
        if found is not None:
            return found
        making = asyncio.create_task(self._make(reader, cache, settings, key, text))
        self._making.add(making)
        making.add_done_callback(self._making.discard)
        return await asyncio.shield(making)  # a client that leaves must not let the next one begin beside it

    async def _make(
        self, reader: Reader, cache: SchemaCache, settings: Settings, key: tuple[str, bytes], access: bytes
    ) -> bytes:
        async with self._turn:
            found = self._kept.get(key)  # whoever waited for the same one need not make it again
            if found is None:
                found = await asyncio.to_thread(_encoded, cache, settings, key[0], access)
                if reader.settings is settings and reader.current_cache() is cache:
                    self._kept.put(key, found, len(found))
            return found


def _encoded(cache: SchemaCache, settings: Settings, schema: str, access: bytes) -> bytes:
    """A document as JSON text. Its many members are written one by one: while a whole document is written, no other
    thread may run."""
    members = []
    for name, value in _members(cache, settings, schema, Access.parse(access) if access else None):
        if isinstance(value, Iterator):
            pairs = [orjson.dumps(key) + b":" + orjson.dumps(each) for key, each in value]
            text = b"{" + b",".join(pairs) + b"}"
        else:
            text = orjson.dumps(value)
        members.append(orjson.dumps(name) + b":" + text)
    return b"{" + b",".join(members) + b"}"


def document(cache: SchemaCache, settings: Settings, schema: str, access: Access | None = None) -> Json:
    """The description of a schema; without `access` of everything in it."""
    members = _members(cache, settings, schema, access)
    return {name: dict(value) if isinstance(value, Iterator) else value for name, value in members}


def _members(
    cache: SchemaCache, settings: Settings, schema: str, access: Access | None
) -> Iterator[tuple[str, Json | list[Any] | str | Iterator[tuple[str, Json]]]]:
    """The members of a document; those of which there may be thousands are made as they are taken."""
    tables = [
        table
        for name, table in sorted(cache.tables.items())
        if name.schema == schema and (access is None or name.name in access.tables)
    ]
    routines = [
        routine
        for name, overloads in sorted(cache.routines.items())
        if name.schema == schema
        for routine in overloads
        if access is None or routine.oid in access.routines
    ]
    title, description = _headline(cache.schema_descriptions.get(schema))
    yield "swagger", "2.0"
    yield (
        "info",
        {
            "title": title or "PostgREST API",
            "description": description or "This is a dynamic API generated by PostgREST",
            "version": POSTGREST,
        },
    )
    yield from _address(settings).items()
    yield "consumes", _TABLE_TYPES
    yield "produces", _TABLE_TYPES
    yield "paths", _paths(tables, routines, (schema, *settings.db_extra_search_path))
    yield "definitions", ((table.name.name, _definition(cache, table)) for table in tables)
    yield "parameters", _parameters(tables)
    yield "externalDocs", {"description": "PostgREST Documentation", "url": _DOCS}
    if settings.openapi_security_active:
        scheme = {
            "type": "apiKey",
            "name": "Authorization",
            "in": "header",
            "description": 'Add the token prepending "Bearer " (without quotes) to it',
        }
        yield "securityDefinitions", {_SECURITY: scheme}
        yield "security", [{_SECURITY: []}]


def _address(settings: Settings) -> Json:
    proxy = settings.openapi_server_proxy_uri
    parts = urlsplit(proxy or settings.api_url)
    scheme = parts.scheme or "http"
    port = parts.port or (443 if scheme == "https" else 80)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    path = parts.path if proxy else parts.path.rstrip("/") + settings.rest_prefix
    return {"host": f"{host}:{port}", "basePath": path or "/", "schemes": [scheme]}


def _headline(comment: str | None) -> tuple[str | None, str | None]:
    """First line and the rest of a comment.

    >>> _headline("Ports" + chr(10) * 2 + "Where ships berth")
    ('Ports', 'Where ships berth')
    """
    if not comment:
        return None, None
    first, _, rest = comment.partition("\n")
    return first, rest.lstrip("\n") or None


# --- paths ----------------------------------------------------------------------------------------------------------


def _paths(
    tables: Iterable[Table], routines: Iterable[Routine], search_path: tuple[str, ...]
) -> Iterator[tuple[str, Json]]:
    root = {
        "tags": ["Introspection"],
        "summary": "OpenAPI description (this document)",
        "produces": ["application/openapi+json", "application/json"],
        "responses": {"200": {"description": "OK"}},
    }
    yield "/", {"get": root}
    for table in tables:
        yield f"/{table.name.name}", _table_path(table)
    # Overloads share a path: the last, with the most parameters, speaks for them.
    last = {routine.name.name: routine for routine in routines}
    for name, routine in last.items():
        yield f"/rpc/{name}", _routine_path(routine, search_path)


def _table_path(table: Table) -> Json:
    name = table.name.name
    filters = [f"rowFilter.{name}.{column}" for column in table.columns]

    def operation(parameters: list[str], status: str, response: Json) -> Json:
        return {
            "tags": [name],
            **_texts(table.description),
            "parameters": [_reference(parameter) for parameter in parameters],
            "responses": {status: response},
        }

    rows = {"type": "array", "items": {"$ref": f"#/definitions/{name}"}}
    reads = [*filters, "select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"]
    get = operation(reads, "200", {"description": "OK", "schema": rows})
    get["responses"]["206"] = {"description": "Partial Content"}
    path = {"get": get}
    if table.insertable or table.updatable or table.deletable:
        done = {"description": "No Content"}
        body = f"body.{name}"
        path["post"] = operation([body, "select", "preferPost"], "201", {"description": "Created"})
        path["delete"] = operation([*filters, "preferReturn"], "204", done)
        path["patch"] = operation([*filters, body, "preferReturn"], "204", done)
    return path


def _routine_path(routine: Routine, search_path: tuple[str, ...]) -> Json:
    named = partial(_named_in, search_path)
    shared = {
        "tags": [f"(rpc) {routine.name.name}"],
        **_texts(routine.description),
        "produces": _ROUTINE_TYPES,
        "responses": {"200": {"description": "OK"}},
    }
    arguments = {"in": "body", "name": "args", "required": True, "schema": _arguments(routine, named)}
    path = {"post": {**shared, "parameters": [arguments, _reference("preferParams")]}}
    if routine.volatility is not Volatility.VOLATILE:
        path["get"] = {**shared, "parameters": [_query_argument(parameter, named) for parameter in routine.parameters]}
    return path


def _named_in(search_path: tuple[str, ...], kind: str) -> str:
    """A type's name as SQL writes it where these schemas are searched: without that of its own.

    >>> [_named_in(("api", "Odd Name"), kind) for kind in ("api.mood", '"Odd Name".mood[]', "other.mood", "text")]
    ['mood', 'mood[]', 'other.mood', 'text']
    """
    for schema in search_path:
        for written in (f"{schema}.", f"{quote_name(schema)}."):
            if kind.startswith(written):
                return kind.removeprefix(written)
    return kind


def _arguments(routine: Routine, named: Callable[[str], str]) -> Json:
    required = [parameter.name for parameter in routine.parameters if parameter.required]
    return {
        "type": "object",
        **({"description": routine.description} if routine.description is not None else {}),
        **({"required": required} if required else {}),
        "properties": {parameter.name: _typed(named(parameter.type)) for parameter in routine.parameters},
    }


def _query_argument(parameter: Parameter, named: Callable[[str], str]) -> Json:
    place = {"in": "query", "name": parameter.name, "required": parameter.required}
    if parameter.variadic:
        item = named(parameter.type).removesuffix("[]")
        return {
            **place,
            "type": "array",
            "collectionFormat": "multi",
            "items": {"type": _kind(item) or "string", "format": _FORMATS.get(item, item)},
        }
    kind = _kind(parameter.type)
    plain = kind if kind not in (None, "array") else "string"  # arrays are written {1,2} in a query
    return {**place, "type": plain, "format": _FORMATS.get(parameter.type, named(parameter.type))}


def _texts(comment: str | None) -> Json:
    summary, description = _headline(comment)
    texts = {"summary": summary, "description": description}
    return {name: text for name, text in texts.items() if text is not None}


def _reference(parameter: str) -> Json:
    return {"$ref": f"#/parameters/{parameter}"}


# --- definitions ----------------------------------------------------------------------------------------------------


def _definition(cache: SchemaCache, table: Table) -> Json:
    required = [column.name for column in table.columns.values() if not column.nullable]
    return {
        "type": "object",
        **({"description": table.description} if table.description is not None else {}),
        **({"required": required} if required else {}),
        "properties": {column.name: _property(cache, table, column) for column in table.columns.values()},
    }


def _property(cache: SchemaCache, table: Table, column: Column) -> Json:
    content = _typed(column.type)
    if column.max_length is not None:
        content["maxLength"] = column.max_length
    if column.enum:
        content["enum"] = list(column.enum)
    default = _default(column)
    if default is not None:
        content["default"] = default
    notes = []
    if column.name in table.primary_key:
        notes.append("This is a Primary Key.<pk/>")
    referenced = _referenced(cache, table.name, column.name)
    if referenced is not None:
        target, key = referenced
        notes.append(f"This is a Foreign Key to `{target}.{key}`.<fk table='{target}' column='{key}'/>")
    comment = f"{column.description}\n\n" if column.description and notes else column.description or ""
    text = comment + "\n".join(["Note:", *notes] if notes else [])
    if text:
        content["description"] = text
    return content


def _referenced(cache: SchemaCache, table: Name, column: str) -> tuple[str, str] | None:
    """The relation and column that a column alone refers to; tables come before views."""
    found = [
        relationship
        for relationship in cache.relationships.get((table, table.schema), ())
        if isinstance(relationship, Relationship)
        and relationship.cardinality in (Cardinality.M2O, Cardinality.O2O)
        and not relationship.is_parent
        and [own for own, _ in relationship.columns] == [column]
    ]
    if not found:
        return None
    best = min(found, key=lambda relationship: relationship.target_is_view)
    return best.target.name, best.columns[0][1]


def _default(column: Column) -> Any:
    """A default that is a constant, as JSON; None for none, or one that only Postgres can work out."""
    if column.default is None:
        return None
    if _kind(column.type) == "string":
        return column.default.removesuffix(f"::{column.type}").strip("'")
    try:
        return orjson.loads(column.default)
    except orjson.JSONDecodeError:
        return None


def _typed(kind: str) -> Json:
    content: Json = {"format": _FORMATS.get(kind, kind)}
    name = _kind(kind)
    if name is not None:
        content["type"] = name
    if name == "array":
        item = _kind(kind.removesuffix("[]"))
        content["items"] = {"type": item} if item is not None else {}
    return content


def _kind(kind: str) -> str | None:
    """The JSON type of a Postgres type; None where it may be any.

    >>> [_kind(name) for name in ("bigint", "text", "jsonb", "text[]", "public.mood")]
    ['integer', 'string', None, 'array', 'string']
    """
    return _KINDS.get(kind, "array" if kind.endswith("[]") else "string")


# --- parameters -----------------------------------------------------------------------------------------------------


def _parameters(tables: Iterable[Table]) -> Iterator[tuple[str, Json]]:
    shared = {
        "preferParams": _preference(),
        "preferReturn": _preference("return=representation", "return=minimal", "return=none"),
        "preferCount": _preference("count=none"),
        "preferPost": _preference(
            "return=representation",
            "return=minimal",
            "return=none",
            "resolution=ignore-duplicates",
            "resolution=merge-duplicates",
        ),
        "select": _optional("query", "select", "Filtering Columns"),
        "on_conflict": _optional("query", "on_conflict", "On Conflict"),
        "order": _optional("query", "order", "Ordering"),
        "range": _optional("header", "Range", "Limiting and Pagination"),
        "rangeUnit": {**_optional("header", "Range-Unit", "Limiting and Pagination"), "default": "items"},
        "offset": _optional("query", "offset", "Limiting and Pagination"),
        "limit": _optional("query", "limit", "Limiting and Pagination"),
    }
    yield from shared.items()
    for table in tables:
        name = table.name.name
        schema = {"$ref": f"#/definitions/{name}"}
        yield (
            f"body.{name}",
            {"in": "body", "name": name, "description": name, "required": False, "schema": schema},
        )
        for column in table.columns.values():
            yield f"rowFilter.{name}.{column.name}", _optional("query", column.name, column.description)


def _optional(place: str, name: str, description: str | None) -> Json:
    content: Json = {"in": place, "name": name, "required": False, "type": "string"}
    return content if description is None else {**content, "description": description}


def _preference(*values: str) -> Json:
    content = _optional("header", "Prefer", "Preference")
    return {**content, "enum": list(values)} if values else content
