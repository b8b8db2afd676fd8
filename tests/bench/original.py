"""What the original asks of Postgres for a call: the limit that a gateway of any language has before it.

Statements as PostgREST 14 sends them (contract/tables section 19; seen in its own log): access mode, settings, query,
commit. Here they go in one pipeline with prepared statements, by pgbench, which the original does not do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from gateway.database.statement import quote_literal

RESPONSE: Final = (
    "nullif(current_setting('response.headers', true), '') as response_headers, "
    "nullif(current_setting('response.status', true), '') as response_status"
)


@dataclass(frozen=True)
class Asked:
    """One request: who asks, by which method and path, and what its query is."""

    role: str
    claims: str
    method: str
    path: str
    headers: str
    sql: str


def read(columns: str, table: str, rest: str, counted: str | None = None) -> str:
    """A read of a table; `counted` is the condition of an exact count."""
    sources = f"with pgrst_source as (select {columns} from {table} {rest})"
    total = "null::bigint"
    if counted is not None:
        sources += f", pgrst_source_count as (select 1 from {table} {counted})"
        total = "(select pg_catalog.count(*) from pgrst_source_count)"
    return f"{sources} {_outer(total, 'select * from pgrst_source')}"


def _outer(total: str, source: str, body: str = "coalesce(json_agg(_postgrest_t), '[]')") -> str:
    return (
        f"select {total} as total_result_set, pg_catalog.count(_postgrest_t) as page_total, {body} as body, "
        f"{RESPONSE}, '' as response_inserted from ({source}) _postgrest_t"
    )


def single(columns: str, table: str, rest: str) -> str:
    """A read of one object."""
    body = "coalesce(json_agg(_postgrest_t)->0, 'null')"
    return f"with pgrst_source as (select {columns} from {table} {rest}) " + _outer(
        "null::bigint", "select * from pgrst_source", body
    )


def insert(table: str, columns: dict[str, str], payload: str) -> str:
    """An insert without an answer; `columns` with their types, `payload` is the body's JSON text."""
    names = ", ".join(columns)
    return _written(f"insert into {table} ({names}) select {names} from {_body(columns, payload)}")


def upsert(table: str, columns: dict[str, str], payload: str, key: str) -> str:
    """An insert that changes the row of that key where there is one; both are counted in a setting."""
    names = ", ".join(columns)
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns)
    return _written(
        f"insert into {table} ({names}) select {names} from {_body(columns, payload)}"
        f" where {_counted('+ 1')} <> '0' on conflict ({key}) do update set {changes} where {_counted('- 1')} <> '-1'",
        "nullif(current_setting('pgrst.inserted', true), '')",
    )


def _counted(step: str) -> str:
    held = "coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0)"
    return f"set_config('pgrst.inserted', ({held} {step})::text, true)"


def update(table: str, columns: dict[str, str], payload: str, found: str) -> str:
    """An update of the rows found, without an answer."""
    changes = ", ".join(f"{name} = pgrst_body.{name}" for name in columns)
    return _written(f"update {table} set {changes} from {_body(columns, payload)} where {found}")


def delete(table: str, found: str) -> str:
    """A delete of the rows found, without an answer."""
    return _written(f"delete from {table} where {found}")


def _body(columns: dict[str, str], payload: str) -> str:
    """The rows of a body; where it says "@n", it has the value of pgbench's variable."""
    text = " || :n || ".join(quote_literal(part).strip() for part in payload.split('"@n"'))
    names = ", ".join(columns)
    typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    record = "json_to_recordset" if payload.startswith("[") else "json_to_record"
    return (
        f"(select ({text})::json as json_data) pgrst_payload,"
        f" lateral (select {names} from {record}(pgrst_payload.json_data) as _({typed})) pgrst_body"
    )


def _written(mutation: str, inserted: str = "''") -> str:
    return (
        f"with pgrst_source as ({mutation} returning 1)"
        " select '' as total_result_set, pg_catalog.count(_postgrest_t) as page_total,"
        f" array[]::text[] as header, ''::text as body, {RESPONSE}, {inserted} as response_inserted"
        " from (select * from pgrst_source) _postgrest_t"
    )


def call(function: str, argument: str, columns: str) -> str:
    """A call of a set-returning function of one argument."""
    source = f"with pgrst_source as (select pgrst_call.* from {function}({argument}) pgrst_call) "
    return source + _outer("null::bigint", f"select {columns} from pgrst_source")


def script(asked: Asked) -> str:
    """A pgbench script of it."""
    mode = "read only" if asked.method == "GET" else "read write"
    settings = {
        "search_path": '"public", "extensions"',
        "role": asked.role,
        "request.jwt.claims": asked.claims,
        "request.method": asked.method,
        "request.path": asked.path,
        "request.headers": asked.headers,
        "request.cookies": "{}",
    }
    calls = ", ".join(f"set_config('{name}', {_literal(value)}, true)" for name, value in settings.items())
    lines = [
        "\\startpipeline",
        f"begin isolation level read committed {mode};",
        f"select {calls};",
        f"{_escaped(asked.sql)};",
        "commit;",
        "\\endpipeline",
    ]
    return "\n".join(lines) + "\n"


def _literal(value: str) -> str:
    return _escaped(quote_literal(value).strip())


def _escaped(text: str) -> str:
    """pgbench takes a colon before a letter or digit for one of its variables, even within quotes."""
    parts = text.replace("\n", " ").split("'")
    for place in range(1, len(parts), 2):  # within quotes
        if ":" in parts[place]:
            parts[place] = parts[place].replace("\\", "\\\\").replace(":", "\\x3a")
            parts[place - 1] = parts[place - 1].removesuffix(" E") + " E"
    return "'".join(parts)


def as_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
