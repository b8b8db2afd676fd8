"""Which GRANT is missing, for the hint of a refusal: asked of Postgres once the request has failed, as its role.

Hosted projects answer the roles of the API so, and others get no hint. What a statement inside a function needs is not
known here. A view itself is named before Postgres 18, as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gateway.catalog.model import Name, SchemaCache
from gateway.database import DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement, array_literal, quote_name
from gateway.errors import ApiError
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.parse.query_shape import query_of
from gateway.rest.parse.request import ApiRequest, parse_headers, parse_request
from gateway.rest.reader import Reader
from gateway.rest.types import Action, Resource
from gateway.settings import Settings

ROLES: Final = frozenset({"anon", "authenticated", "service_role"})
NOT_ALLOWED: Final = "42501"

_REFUSED: Final = re.compile(r"permission denied for (table|view) (.+)")
_MISSING: Final = (
    "select string_agg(p, ', ' order by n) from unnest($2::text[]) with ordinality as wanted (p, n)"
    " where not has_table_privilege($1::text::regclass, p)"
    " and ($3 = 'table' or current_setting('server_version_num')::integer < 180000)"
)
_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_]*")


async def add_hint(
    reader: Reader, request: Request, settings: Settings, identity: Identity, cache: SchemaCache, error: DatabaseError
) -> None:
    """Say in an error which privileges the role lacks on the table that it names, where that can be told."""
    refused = _REFUSED.fullmatch(error.message)
    if refused is None or error.hint or error.context or identity.role not in ROLES:
        return
    try:
        asked = parse_request(request, parse_headers(request.headers), settings)
        table = _table(asked, cache, refused[2])
        if asked.resource is not Resource.RELATION or table is None:
            return
        needed = tuple(_needed(asked)) if table == Name(asked.schema, asked.name) else ("SELECT",)
        shown = f"{quote_name(table.schema)}.{quote_name(table.name)}"
        statement = Statement(_MISSING, (shown, array_literal(needed), refused[1]))
        missing = (await reader.read(request, asked, identity, statement))[0].value
    except (ApiError, DatabaseError, DatabaseUnavailable, PoolTimeout):
        return  # the refusal itself is the answer
    if missing:
        error.hint = (
            "Grant the required privileges to the current role with:"
            f" GRANT {missing.decode()} ON {_shown(table.schema)}.{_shown(table.name)} TO {identity.role};"
        )


def _table(asked: ApiRequest, cache: SchemaCache, name: str) -> Name | None:
    """The table of that name: the request's own, one of its schema, or the only one there is."""
    if (own := Name(asked.schema, name)) in cache.tables:
        return own
    found = [each for each in cache.tables if each.name == name]
    return found[0] if len(found) == 1 else None


def _needed(asked: ApiRequest) -> Iterator[str]:
    """Privileges that the request needs on its own table, in the order in which hosted projects name them."""
    query = query_of(asked.parsed_query.shape)
    preferences = asked.preferences
    is_filtered = any(not path for path, _ in (*query.filters, *query.logic))
    upserts = asked.action is Action.UPSERT or (asked.action is Action.CREATE and preferences.resolution is not None)
    if asked.action is Action.READ or preferences.full or is_filtered or upserts:
        yield "SELECT"
    if asked.action in (Action.CREATE, Action.UPSERT):
        yield "INSERT"
    if asked.action is Action.UPDATE or (upserts and preferences.resolution != "ignore-duplicates"):
        yield "UPDATE"
    if asked.action is Action.DELETE:
        yield "DELETE"


def _shown(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quote_name(name)
