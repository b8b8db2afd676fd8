"""Which writes run no code of the application, as the catalogue shows it: inserts, and changes of what is there.

Beside what a read may run (gateway/catalog/code_free.py) a write runs triggers, rules, defaults, checks, the policies
of writes, expressions of indexes, and the constraints of domains. What calls nothing but what came with Postgres or
with an extension is free of it; of what is volatile there, only what leaves nothing behind but the place in a sequence.
Updates and deletes may moreover reach the rows of other tables by foreign keys. What is in doubt runs code.
"""

from __future__ import annotations

from typing import Final

from gateway.catalog.code_free import BUILT_IN

# Volatile, and yet without a trace in the session; what `nextval` leaves is known to the connection.
_HARMLESS: Final = "('nextval', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'random', 'clock_timestamp', 'timeofday')"

_DEPENDS_ON_CODE: Final = """
  exists (
    select from pg_depend d
    where d.classid = '{catalogue}'::regclass and d.objid = {oid}
      and not (d.refclassid = 'pg_class'::regclass and (
        d.refobjid = c.oid or exists (select from pg_class q where q.oid = d.refobjid and q.relkind = 'S')))
      and not (d.refclassid = 'pg_type'::regclass and exists (
        select from pg_type y where y.oid = d.refobjid and y.typtype = 'e'))
      and not (d.refclassid = 'pg_constraint'::regclass)
      and not exists (
        select from pg_depend e where e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e')
      and not {ours}
  )
"""

_VOLATILE: Final = f"""
  exists (
    select from regexp_matches({{tree}}, ':(?:op)?funcid (\\d+)', 'g') as called (ids)
    join pg_proc f on f.oid = called.ids[1]::oid
    where f.oid < {BUILT_IN} and f.provolatile = 'v' and f.proname not in {_HARMLESS}
  )
"""

# Functions of the platform that policies and defaults call.
_OURS: Final = """
  (d.refclassid = 'pg_proc'::regclass and exists (
    select from pg_proc f join pg_language l on l.oid = f.prolang
    where f.oid = d.refobjid and f.pronamespace = to_regnamespace('auth')
      and f.proname in ('uid', 'role', 'email', 'jwt') and l.lanname = 'sql'
      and coalesce(pg_get_function_sqlbody(f.oid), f.prosrc) !~* 'set_config'))
"""


def _code(catalogue: str, oid: str, tree: str) -> str:
    depends = _DEPENDS_ON_CODE.format(catalogue=catalogue, oid=oid, ours=_OURS)
    return f"({depends} or {_VOLATILE.format(tree=tree)})"


# Rows of (schema, table, whether updates and deletes are free as well); `$1`: schemas.
CODE_FREE_WRITES: Final = f"""
select coalesce(json_agg(json_build_array(n.nspname, c.relname, not exists (
    select from pg_constraint k
    where k.contype = 'f' and k.confrelid = c.oid
      and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))))), '[]')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any($1) and c.relkind = 'r' and not c.relispartition and not c.relhassubclass and not c.relhasrules
  and not exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)
  and not exists (
    select from pg_policy p
    where p.polrelid = c.oid
      and {_code("pg_policy", "p.oid", "concat(p.polqual::text, p.polwithcheck::text)")})
  and not exists (
    select from pg_attrdef a where a.adrelid = c.oid and {_code("pg_attrdef", "a.oid", "a.adbin::text")})
  and not exists (
    select from pg_constraint k
    where k.conrelid = c.oid and k.contype = 'c' and {_code("pg_constraint", "k.oid", "k.conbin::text")})
  and not exists (
    select from pg_constraint k where k.conrelid = c.oid and k.contype = 'x')
  and not exists (
    select from pg_index i
    where i.indrelid = c.oid
      and {_code("pg_class", "i.indexrelid", "concat(i.indexprs::text, i.indpred::text)")})
  and not exists (
    select from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    join pg_type e on e.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and 'd' in (t.typtype, e.typtype))
"""
