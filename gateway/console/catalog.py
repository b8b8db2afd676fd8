"""`GET /api/catalog`: what there is in the database, to who may see it."""

from __future__ import annotations

import asyncio
from typing import Final

import orjson

from gateway.console.call import HEADERS, ConsoleCall, ConsoleRoute
from gateway.console.errors import bad_request
from gateway.database import NO_SCOPE
from gateway.database.statement import Statement
from gateway.http.messages import Response

# What the roles of the API, and everybody else named in an access list, may do with the tables of a schema.
_GRANTS: Final = """
select coalesce(json_agg(json_build_object('table', c.relname, 'owner', pg_get_userbyid(c.relowner),
  'grants', coalesce((
    select json_agg(json_build_object('role', g.role, 'privileges', g.privileges) order by g.role) from (
      select case when a.grantee = 0 then 'public' else pg_get_userbyid(a.grantee) end as role,
        json_agg(lower(a.privilege_type) order by a.privilege_type) as privileges
      from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a where a.grantee <> c.relowner group by 1
    ) g), '[]'),
  'columns', coalesce((
    select json_agg(json_build_object('column', g.attname, 'role', g.role, 'privileges', g.privileges)
      order by g.attname, g.role) from (
      select b.attname, case when a.grantee = 0 then 'public' else pg_get_userbyid(a.grantee) end as role,
        json_agg(lower(a.privilege_type) order by a.privilege_type) as privileges
      from pg_attribute b, aclexplode(b.attacl) a where b.attrelid = c.oid and not b.attisdropped group by 1, 2
    ) g), '[]')) order by c.relname), '[]')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition"""


async def grants(call: ConsoleCall) -> Response:
    """`?schema=`: who but its owner may do what with each table, by the access lists of tables and columns."""
    schema = call.query.get("schema", "public")
    if "\0" in schema:
        raise bad_request("a schema's name has no NUL")
    raw = (await (await call.database()).run(NO_SCOPE, Statement(_GRANTS, (schema,)))).value or b"[]"
    return Response(200, [*HEADERS, (b"content-type", b"application/json; charset=utf-8")], b'{"tables":' + raw + b"}")


async def catalog(call: ConsoleCall) -> Response:
    """All of it, with an ETag; 304 to who has it. To an account for records the tables that it may open."""
    cache = call.door.catalog
    await cache.load(await call.database(), tuple(call.settings.db_schemas))
    tag, body = b'"%b"' % cache.tag.encode(), cache.body
    if call.records_alone:
        tag, body = b'"%b-records"' % cache.tag.encode(), await asyncio.to_thread(_of_records, body)
    headers = [header for header in HEADERS if header[0] != b"cache-control"]
    headers += [(b"etag", tag), (b"cache-control", b"private, no-cache")]
    if call.request.header(b"if-none-match") == tag:
        return Response(304, headers)
    return Response(200, [*headers, (b"content-type", b"application/json; charset=utf-8")], body)


def _of_records(body: bytes) -> bytes:
    """The API's schemas, without the texts of functions and of triggers."""
    content = orjson.loads(body)
    schemas = [schema for schema in content["schemas"] if schema["exposed"]]
    names = {schema["name"] for schema in schemas}
    tables = [{**table, "triggers": []} for table in content["tables"] if table["schema"] in names]
    enums = [enum for enum in content["enums"] if enum["schema"] in names]
    hidden: dict[str, list[object]] = {"functions": [], "extensions": [], "publications": [], "roles": []}
    return orjson.dumps({**content, "schemas": schemas, "tables": tables, "enums": enums, **hidden})


ROUTES: Final = (
    ConsoleRoute("GET", "/catalog", catalog, for_records=True),
    ConsoleRoute("GET", "/grants", grants),
)
