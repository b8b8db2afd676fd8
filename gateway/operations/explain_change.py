"""Who would be told of a change, and why not: publication, wal_level, grants, primary key, replica identity, filter,
policies. What a subscription asks is asked here in the same way, by the same modules; nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from gateway.database import Database, Scope
from gateway.database.statement import Statement, quote_name
from gateway.identity.authenticator import Identity
from gateway.realtime.changes import matching, visibility
from gateway.realtime.changes.bindings import BindingFault, parse_binding
from gateway.realtime.changes.slot import PUBLICATION
from gateway.realtime.changes.subscribing import BindingRefused, Condition, check

_TABLE: Final = """
select jsonb_build_object(
  'oid', c.oid::int8, 'name', format('%I.%I', nspname, relname), 'secured', c.relrowsecurity,
  'identity', c.relreplident, 'wal_level', current_setting('wal_level'),
  'published', exists (select from pg_publication_tables
    where pubname = $3 and schemaname = nspname and tablename = relname),
  'usage', (select has_schema_privilege(rolname, n.oid, 'usage') from pg_roles where rolname = $4),
  'key', (select coalesce(jsonb_agg(attname order by place), '[]') from pg_index i
    cross join unnest(i.indkey) with ordinality k (attnum, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where i.indrelid = c.oid and i.indisprimary),
  'columns', (select jsonb_agg(attname order by attnum) from pg_attribute
    where attrelid = c.oid and attnum > 0 and not attisdropped))
from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = $1 and relname = $2"""
_IDENTITIES: Final = {"f": "all columns", "n": "nothing", "i": "the columns of an index", "d": "the primary key"}


async def explain_change(
    db: Database, identity: Identity, schema: str, table: str, row: Mapping[str, str], binding: Mapping[str, Any]
) -> list[str]:
    """Sentences, those with an arrow being remedies. `row` is the primary key of a row, or empty; `binding` has event,
    filter and select as a client would send them. `db` is the schema owner's. Raises DatabaseError and kin.
    """
    scope = Scope(code_free=True)
    result = await db.run(scope, Statement(_TABLE, (schema, table, PUBLICATION, identity.role)))
    if result.value is None:
        return [f"there is no table {schema}.{table}"]
    about = orjson.loads(result.value)
    name, role = about["name"], identity.role
    lines: list[str] = []
    if about["wal_level"] != "logical":
        lines += [f"wal_level is {about['wal_level']}: nobody is told of any change"]
        lines += ["  → alter system set wal_level = logical; then restart Postgres"]
    if not about["published"]:
        lines += [f"{name} is not in the publication {PUBLICATION}: nobody can subscribe to it"]
        return [*lines, f"  → alter publication {PUBLICATION} add table {name};"]
    conditions: tuple[Condition, ...] = ()
    try:
        wanted = parse_binding({**binding, "schema": schema, "table": table})
        conditions = (await check(db, role, identity.claims, [wanted])).conditions[0]
    except (BindingFault, BindingRefused) as refused:
        lines.append(f"the subscription is refused: {refused}")
    key = tuple(about["key"])
    place = [row[each] for each in key] if key and all(each in row for each in key) else None
    group = visibility.Group(about["oid"], role, key)
    if place is not None:
        group.rows, group.sets, group.asks = [tuple(place)], [(0,)], [(identity.claims, 0)]
    (seen,) = await visibility.ask(db, [group], ())
    lines += _rights(name, role, about, seen)
    lines.append(f"old_record of an UPDATE or DELETE has {_IDENTITIES[about['identity']]}")
    if about["secured"]:
        lines.append("row level security is on: a DELETE is held against no policy, and tells the primary key alone")
    if seen.state in ("asked", "open"):
        lines += await _of_row(db, name, role, about, seen, conditions, dict(zip(key, place or (), strict=False)))
    return lines


def _rights(name: str, role: str, about: Mapping[str, Any], seen: visibility.Seen) -> list[str]:
    if seen.state == "stranger":
        return [f"the database has no role {role}, or none that this login may take on"]
    lines = []
    if not about["usage"]:
        schema = name.partition(".")[0]
        lines += [
            f"{role} has no USAGE on the schema {schema}",
            f"  → grant usage on schema {schema} to {quote_name(role)};",
        ]
    hidden = [each for each in about["columns"] if each not in seen.columns]
    if hidden and about["usage"]:
        lines.append(f"{role} may not read, and is not told: {', '.join(hidden)}")
    if seen.state == "bare":
        lines += [
            f"{name} has no primary key: INSERT and UPDATE are told without their row",
            f"  → alter table {name} add primary key (…);",
        ]
    elif seen.state == "closed":
        lines += [f"{role} may not read the whole primary key: INSERT and UPDATE are told without their row"]
        lines += [f"  → grant select on {name} to {quote_name(role)};"]
    elif seen.state == "open":
        whose = f"{role} passes by row level security" if about["secured"] else "row level security is off"
        lines.append(f"{whose}: every row is told")
    elif seen.state == "fault":
        lines.append(f"row level security could not be asked: {seen.fault}")
    return lines


async def _of_row(
    db: Database,
    name: str,
    role: str,
    about: Mapping[str, Any],
    seen: visibility.Seen,
    conditions: tuple[Condition, ...],
    key: Mapping[str, str],
) -> list[str]:
    """What holds of one row: whether it is there, is seen, and matches the filter."""
    if not key:
        return ["name a row by its primary key (TABLE?id=eq.1) to have policies and filter held against it"]
    found = " and ".join(f"{quote_name(each)}::text = ${place}" for place, each in enumerate(key, 1))
    columns = [f"{quote_name(each.filter.column)}::text" for each in conditions] or ["null"]
    text = f"select {', '.join(columns)} from {name} where {found}"
    rows = (await db.run(Scope(names=("role",), values=("none",)), Statement(text, tuple(key.values())))).rows
    if not rows:
        return ["there is no such row: a change of it is told to nobody whose policies are asked"]
    lines = []
    if seen.visible and isinstance(seen.visible[0], str):
        lines.append(f"a policy fails for it: {seen.visible[0]}")
    elif seen.visible:
        sees = 0 in seen.visible[0]
        lines.append(f"{role} {'sees' if sees else 'does not see'} the row: it is {'told' if sees else 'not told'}")
        if not sees:
            where = "&".join(f"{column}=eq.{value}" for column, value in key.items())
            lines.append(f"  → `gateway explain GET '/{name.partition('.')[2]}?{where}'` says which policy hides it")
    for condition, value in zip(conditions, rows[0], strict=False):
        said = None if value is None else value.decode()
        holds = matching.decided(condition, said)
        if holds is None and said is not None:
            holds = (await matching.ask(db, role, [(condition, [said])]))[0][0]
        words = f"{condition.filter.column} {condition.filter.operator} {', '.join(condition.filter.values)}"
        lines.append(f"the filter {words} {'holds' if holds else 'does not hold'}")
    return lines
