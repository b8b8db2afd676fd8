"""`GET /api/catalog`: what there is in the database, to who may see it."""

from __future__ import annotations

import asyncio
from typing import Final

import orjson

from gateway.console.call import HEADERS, ConsoleCall, ConsoleRoute
from gateway.http.messages import Response


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
    return orjson.dumps({**content, "schemas": schemas, "tables": tables, "enums": enums, "functions": []})


ROUTES: Final = (ConsoleRoute("GET", "/catalog", catalog, for_records=True),)
