"""Whether a role may write to a table or call a function at all: asked of Postgres before a body is read that takes
long, and answered in the words in which Postgres refuses the statement itself."""

from __future__ import annotations

from typing import Final

from gateway.catalog.model import Name, SchemaCache
from gateway.database import DatabaseError
from gateway.database.statement import Statement, array_literal, quote_name
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.parse.request import ApiRequest
from gateway.rest.planner.read import find_table
from gateway.rest.reader import Reader
from gateway.rest.types import Action

NOT_ALLOWED: Final = "42501"

_WRITES: Final = "select has_any_column_privilege($1::text::regclass, $2::text)"
_CALLS: Final = "select coalesce(bool_or(has_function_privilege(f, 'EXECUTE')), true) from unnest($1::oid[]) f"


async def check_grants(
    reader: Reader, request: Request, asked: ApiRequest, identity: Identity, cache: SchemaCache
) -> None:
    """Raises ApiError NO_TABLE, and DatabaseError where the role has no grant, on no column either."""
    name = Name(asked.schema, asked.name)
    if asked.action is Action.CALL:
        overloads = [str(routine.oid) for routine in cache.routines.get(name, ())]
        statement = Statement(_CALLS, (array_literal(overloads),))
        what = f"function {name.name}"
    else:
        table = find_table(cache, name)
        privilege = "UPDATE" if asked.action is Action.UPDATE else "INSERT"
        statement = Statement(_WRITES, (f"{quote_name(name.schema)}.{quote_name(name.name)}", privilege))
        what = f"{'view' if table.is_view else 'table'} {name.name}"
    result = (await reader.read(request, asked, identity, statement))[0]
    if result.value != b"t":
        raise DatabaseError(NOT_ALLOWED, f"permission denied for {what}")
