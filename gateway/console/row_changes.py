"""Changes of rows: all of them or none, and none over what somebody else has changed meanwhile."""

from __future__ import annotations

import re
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.rows import _text, scope_as, table_of
from gateway.console.shapes import Shape, Values, by_key
from gateway.database import Database, Result, Transaction
from gateway.database.statement import Statement, quote_name
from gateway.http.messages import Response

MOST: Final = 1000  # changes at once
DEPTH: Final = 6  # foreign keys that a preview follows one behind the other
TABLES: Final = 60
COUNTED: Final = 10_000  # rows of a table that a preview counts

_REFERENCES: Final = Statement("""
select n.nspname, c.relname,
  array_to_json(array(select a.attname from unnest(k.conkey) with ordinality u (n, at)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by u.at)),
  array_to_json(array(select a.attname from unnest(k.confkey) with ordinality u (n, at)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by u.at)),
  k.confdeltype, k.conname
from pg_constraint k
join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class target on target.oid = k.confrelid join pg_namespace home on home.oid = target.relnamespace
where k.contype = 'f' and k.conparentid = 0 and home.nspname = $1 and target.relname = $2
order by n.nspname, c.relname, k.conname""")
_SECRETIVE: Final = ("auth", "vault", "supabase_functions", "functions", "gateway")
_SECRET: Final = re.compile(r"password|token|secret|code|hash|key|nonce|challenge|credential|state")
_RULES: Final = {b"c": "cascade", b"n": "set null", b"d": "set default", b"r": "restrict", b"a": "restrict"}


async def changes(call: ConsoleCall) -> Response:
    """`POST rows/changes`: updates, inserts and deletes in one transaction."""
    content = await call.json()
    database = await call.database()
    shape = await table_of(call, text_of(content, "schema"), text_of(content, "table"))
    wanted = content.get("changes")
    if not isinstance(wanted, list) or not 1 <= len(wanted) <= MOST:
        raise bad_request(f"changes is a list of one to {MOST}")
    call.note(table=f"{shape.schema}.{shape.name}", **{"as": text_of(content, "as", "service")})
    scope = await scope_as(call, text_of(content, "as", "service"), reads=False)
    rows: list[dict[str, str | None]] = []
    before: list[dict[str, str | None]] = []
    async with database.transaction(scope) as tx:
        for number, change in enumerate(wanted):
            if not isinstance(change, dict):
                raise bad_request("a change is an object")
            old, new = await _change(tx, shape, change, number)
            before.append(old)
            rows.append(new)
    call.note(old=[unsecret(shape, row) for row in before], new=[unsecret(shape, row) for row in rows])
    return answer_json({"changed": len(rows), "rows": rows})


def unsecret(shape: Shape, row: dict[str, str | None]) -> dict[str, str | None]:
    """A row as the audit keeps it: of the schemas that hold hashes, tokens and keys, these are left out."""
    if shape.schema not in _SECRETIVE:
        return row
    return {name: "(not kept)" if value is not None and _SECRET.search(name) else value for name, value in row.items()}


async def _change(
    tx: Transaction, shape: Shape, change: dict[str, Any], number: int
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Make one; what was named of the row before, and the row after. Raises ConsoleError."""
    kind, values = change.get("kind"), Values()
    if kind == "insert":
        named = _set(shape, change.get("set"))
        columns = ", ".join(quote_name(name) for name in named)
        bound = ", ".join(values.add(value) for value in named.values())
        what = f"({columns}) values ({bound})" if named else "default values"
        result = await tx.run(
            Statement(f"insert into {shape.sql} as changed {what} returning {_columns(shape)}", tuple(values.bound))
        )
        return {}, _one(shape, result, number, "insert")
    if kind not in ("update", "delete"):
        raise bad_request("a change is an update, an insert or a delete")
    chosen = by_key(shape, change.get("key"), values)
    lock = Statement(
        f"select {_columns(shape)} from {shape.sql} as changed where {chosen} for update", tuple(values.bound)
    )
    found = await tx.run(lock)
    if not found.rows:
        raise ConsoleError(409, "row_changed", "The row is not there any more.", more={"now": None, "change": number})
    now = _named(shape, found)
    old = change.get("old") or {}
    if not isinstance(old, dict) or not all(value is None or isinstance(value, str) for value in old.values()):
        raise bad_request("old has the values as they were loaded, texts or null")
    if any(now[shape.column(name).name] != value for name, value in old.items()):
        raise ConsoleError(
            409, "row_changed", "Somebody changed the row meanwhile.", more={"now": now, "change": number}
        )
    if kind == "delete":
        result = await tx.run(
            Statement(
                f"delete from {shape.sql} as changed where {chosen} returning {_columns(shape)}", tuple(values.bound)
            )
        )
        _one(shape, result, number, "delete")
        return now, {}
    named = _set(shape, change.get("set"))
    defaults = _defaults(shape, change.get("default"), named)
    if not named and not defaults:
        return now, now
    assigned = ", ".join(
        [f"{quote_name(name)} = {values.add(value)}" for name, value in named.items()]
        + [f"{quote_name(name)} = default" for name in defaults]
    )
    result = await tx.run(
        Statement(
            f"update {shape.sql} as changed set {assigned} where {chosen} returning {_columns(shape)}",
            tuple(values.bound),
        )
    )
    new = _one(shape, result, number, "update")
    return {name: now[name] for name in (*named, *defaults)}, new


def _defaults(shape: Shape, given: object, named: dict[str, str | None]) -> list[str]:
    """The columns that an update gives their default again. Raises ConsoleError 400."""
    listed = [] if given is None else given
    if not isinstance(listed, list) or not all(isinstance(name, str) and name not in named for name in listed):
        raise bad_request("default names columns that are not set")
    return list(dict.fromkeys(shape.column(name).name for name in listed))


def _set(shape: Shape, given: object) -> dict[str, str | None]:
    if not isinstance(given, dict) or not all(value is None or isinstance(value, str) for value in given.values()):
        raise bad_request("set has values by column, texts or null")
    return {shape.column(name).name: value for name, value in given.items()}


def _columns(shape: Shape) -> str:
    return ", ".join(f"changed.{quote_name(column.name)}::text" for column in shape.columns) or "null"


def _named(shape: Shape, result: Result) -> dict[str, str | None]:
    return {column.name: _text(value) for column, value in zip(shape.columns, result.rows[0], strict=True)}


def _one(shape: Shape, result: Result, number: int, what: str) -> dict[str, str | None]:
    """The row that was changed. Raises ConsoleError 403 where a policy left none, or a view more than one."""
    if len(result.rows) != 1:
        raise ConsoleError(
            403, "no_row_changed", f"A policy, rule or trigger made one {what} change {len(result.rows)} rows.",
            more={"change": number},
        )  # fmt: skip
    return _named(shape, result)


async def delete_preview(call: ConsoleCall) -> Response:
    """What would go along with rows, by following the foreign keys that point to them; nothing is changed."""
    content = await call.json()
    database = await call.database()
    shape = await table_of(call, text_of(content, "schema"), text_of(content, "table"))
    keys = content.get("keys")
    if not isinstance(keys, list) or not 1 <= len(keys) <= MOST:
        raise bad_request(f"keys is a list of one to {MOST}")
    values = Values()
    chosen = " or ".join(f"({by_key(shape, key, values)})" for key in keys)
    scope = await scope_as(call, "service", reads=True, timeout="5s", own=True)
    found: dict[tuple[str, str, str], int] = {}
    await _follow(database, scope, (shape.schema, shape.name), chosen, tuple(values.bound), found, (shape.sql,))
    listed = [
        {"schema": schema, "table": table, "count": count, "rule": rule}
        for (schema, table, rule), count in found.items()
    ]
    return answer_json({"tables": listed})


async def _follow(
    database: Database,
    scope: Any,
    table: tuple[str, str],
    chosen: str,
    bound: tuple[str | None, ...],
    found: dict[tuple[str, str, str], int],
    trail: tuple[str, ...],
) -> None:
    import orjson

    target = f"{quote_name(table[0])}.{quote_name(table[1])}"
    for row in (await database.run(scope, Statement(_REFERENCES.text, table))).rows:
        schema, name = (row[0] or b"").decode(), (row[1] or b"").decode()
        columns, targets = orjson.loads(row[2] or b"[]"), orjson.loads(row[3] or b"[]")
        rule = _RULES.get(row[4] or b"", "restrict")
        names, wanted = (", ".join(quote_name(each) for each in side) for side in (columns, targets))
        pointing = f"({names}) in (select {wanted} from {target} where {chosen})"
        child = f"{quote_name(schema)}.{quote_name(name)}"
        question = f"select count(*) from (select from {child} where {pointing} limit {COUNTED + 1}) as counted"
        count = int((await database.run(scope, Statement(question, bound))).value or 0)
        if not count:
            continue
        place = (schema, name, rule)
        found[place] = found.get(place, 0) + count
        if rule == "cascade" and child not in trail and len(trail) < DEPTH and len(found) < TABLES:
            await _follow(database, scope, (schema, name), pointing, bound, found, (*trail, child))


ROUTES: Final = (
    ConsoleRoute("POST", "/rows/changes", changes, for_records=True),
    ConsoleRoute("POST", "/rows/delete-preview", delete_preview, reads=True, for_records=True),
)
