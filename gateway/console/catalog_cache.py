"""What there is in the database, in one answer: schemas, tables with all that belongs to them, functions, enums.

Read by one statement and kept until a cheap question over the system's catalogues answers otherwise, so that a thousand
tables are read once and not at each opening of the page.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Final

from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement, array_literal

KEPT: Final = 60.0  # seconds; sizes and estimates change without the schema
PLATFORM: Final = (
    "auth", "storage", "storage_private", "realtime", "gateway", "jobs", "extensions", "graphql", "graphql_public",
    "vault", "supabase_migrations", "supabase_functions", "pgsodium", "cron", "net", "_realtime", "functions",
)  # fmt: skip

_STAMP: Final = Statement(
    "select concat_ws('.', "
    + ", ".join(
        f"(select concat(count(*), '-', sum(xmin::text::numeric)) from pg_catalog.{name})"
        for name in (
            "pg_class", "pg_attribute", "pg_attrdef", "pg_policy", "pg_proc", "pg_constraint", "pg_trigger", "pg_enum",
            "pg_description", "pg_namespace", "pg_type", "pg_extension", "pg_index", "pg_publication",
            "pg_publication_rel",
        )
    )
    + ")"
)  # fmt: skip

_CATALOG: Final = r"""
with schemas as materialized (
  select oid, nspname from pg_namespace
  where nspname not like 'pg\_%' and nspname <> 'information_schema'
), relations as materialized (
  select c.oid, c.relname, c.relkind, c.reltuples, c.relrowsecurity, c.relforcerowsecurity, s.nspname
  from pg_class c join schemas s on s.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
), columns as (
  select a.attrelid, json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
    'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
    'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end,
    'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end,
    'enum', e.labels, 'comment', col_description(a.attrelid, a.attnum)
  ) order by a.attnum) as list
  from pg_attribute a
  join relations r on r.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  join pg_type t on t.oid = a.atttypid
  left join lateral (
    select json_agg(enumlabel order by enumsortorder) as labels from pg_enum
    where enumtypid = case when t.typcategory = 'A' then t.typelem else t.oid end
  ) e on t.typtype = 'e' or t.typcategory = 'A'
  where a.attnum > 0 and not a.attisdropped
  group by a.attrelid
), keys as materialized (
  select k.conrelid, k.confrelid, k.contype, k.conname,
    array(select a.attname from unnest(k.conkey) with ordinality u (n, at)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by u.at) as columns,
    array(select a.attname from unnest(k.confkey) with ordinality u (n, at)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by u.at) as targets,
    case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default'
      when 'r' then 'restrict' when 'a' then 'no action' end as on_delete
  from pg_constraint k
  where k.contype in ('p', 'f') and k.conparentid = 0 and k.conrelid in (select oid from relations)
), pointing as (
  select k.conrelid, json_agg(json_build_object('name', k.conname, 'columns', k.columns, 'schema', n.nspname,
    'table', c.relname, 'targets', k.targets, 'on_delete', k.on_delete) order by k.conname) as list
  from keys k join pg_class c on c.oid = k.confrelid join pg_namespace n on n.oid = c.relnamespace
  where k.contype = 'f' group by k.conrelid
), pointed as (
  select k.confrelid, json_agg(json_build_object('name', k.conname, 'columns', k.columns, 'schema', r.nspname,
    'table', r.relname, 'targets', k.targets, 'on_delete', k.on_delete) order by k.conname) as list
  from keys k join relations r on r.oid = k.conrelid
  where k.contype = 'f' group by k.confrelid
), indexes as (
  select i.indrelid, json_agg(json_build_object('name', c.relname, 'definition', pg_get_indexdef(i.indexrelid),
    'unique', i.indisunique) order by c.relname) as list
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid in (select oid from relations) group by i.indrelid
), policies as (
  select p.polrelid, json_agg(json_build_object('name', p.polname,
    'command', case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE'
      else 'ALL' end,
    'roles', array(select case when o = 0 then 'public' else pg_get_userbyid(o) end from unnest(p.polroles) o),
    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid),
    'permissive', p.polpermissive) order by p.polname) as list
  from pg_policy p group by p.polrelid
), triggers as (
  select t.tgrelid, json_agg(json_build_object('name', t.tgname, 'definition', pg_get_triggerdef(t.oid),
    'enabled', t.tgenabled <> 'D') order by t.tgname) as list
  from pg_trigger t where not t.tgisinternal and t.tgrelid in (select oid from relations) group by t.tgrelid
)
select json_build_object(
  'schemas', (select json_agg(json_build_object('name', nspname, 'exposed', nspname = any ($1::text[]),
    'platform', nspname = any ($2::text[])) order by nspname) from schemas),
  'tables', coalesce((select json_agg(json_build_object(
    'schema', r.nspname, 'name', r.relname,
    'kind', case r.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized view'
      when 'f' then 'foreign table' else 'partitioned table' end,
    'comment', obj_description(r.oid, 'pg_class'),
    'estimate', case when r.reltuples >= 0 then r.reltuples::bigint end,
    'bytes', case when r.relkind in ('r', 'm') then pg_total_relation_size(r.oid) end,
    'rls', r.relrowsecurity, 'forced', r.relforcerowsecurity,
    'columns', coalesce(columns.list, '[]'),
    'primary_key', coalesce((select to_json(k.columns) from keys k where k.conrelid = r.oid and k.contype = 'p'), '[]'),
    'foreign_keys', coalesce(pointing.list, '[]'), 'referenced_by', coalesce(pointed.list, '[]'),
    'indexes', coalesce(indexes.list, '[]'), 'policies', coalesce(policies.list, '[]'),
    'triggers', coalesce(triggers.list, '[]')
  ) order by r.nspname, r.relname)
  from relations r
  left join columns on columns.attrelid = r.oid left join pointing on pointing.conrelid = r.oid
  left join pointed on pointed.confrelid = r.oid left join indexes on indexes.indrelid = r.oid
  left join policies on policies.polrelid = r.oid left join triggers on triggers.tgrelid = r.oid), '[]'),
  'functions', coalesce((select json_agg(json_build_object('schema', s.nspname, 'name', p.proname,
    'kind', case p.prokind when 'p' then 'procedure' else 'function' end,
    'arguments', pg_get_function_arguments(p.oid), 'identity', pg_get_function_identity_arguments(p.oid),
    'returns', pg_get_function_result(p.oid), 'language', l.lanname,
    'security_definer', p.prosecdef,
    'definition', case when s.nspname = any ($2::text[]) then '' else pg_get_functiondef(p.oid) end
    ) order by s.nspname, p.proname, p.oid)
    from pg_proc p join schemas s on s.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where p.prokind in ('f', 'p') and not exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')), '[]'),
  'enums', coalesce((select json_agg(json_build_object('schema', s.nspname, 'name', t.typname, 'values',
    (select json_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid)) order by 1::text)
    from pg_type t join schemas s on s.oid = t.typnamespace where t.typtype = 'e'), '[]'),
  'extensions', coalesce((select json_agg(json_build_object('name', coalesce(e.extname, a.name),
    'version', coalesce(e.extversion, a.default_version), 'schema', n.nspname, 'installed', e.oid is not null,
    'comment', a.comment) order by coalesce(e.extname, a.name))
    from pg_available_extensions a full join pg_extension e on e.extname = a.name
    left join pg_namespace n on n.oid = e.extnamespace), '[]'),
  'publications', coalesce((select json_agg(json_build_object('name', p.pubname, 'all_tables', p.puballtables,
    'events', array_remove(array[case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
      case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end], null),
    'tables', (select coalesce(json_agg(json_build_array(s.nspname, c.relname) order by s.nspname, c.relname), '[]')
      from pg_publication_rel m join pg_class c on c.oid = m.prrelid join schemas s on s.oid = c.relnamespace
      where m.prpubid = p.oid)) order by p.pubname) from pg_publication p), '[]'),
  'roles', coalesce((select json_agg(json_build_object('name', r.rolname, 'login', r.rolcanlogin,
    'superuser', r.rolsuper, 'bypasses_rls', r.rolbypassrls, 'creates_roles', r.rolcreaterole,
    'members_of', array(select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid
      where m.member = r.oid order by 1)) order by r.rolname)
    from pg_roles r where r.rolname not like 'pg\_%'), '[]')
)"""


class CatalogCache:
    """The catalogue of a worker; one request at a time makes it, the others wait."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._stamp = b""
        self._made = 0.0
        self.body = b""
        self.tag = ""

    async def load(self, database: Database, exposed: tuple[str, ...]) -> None:
        """Have `body` and `tag` be of now. Raises DatabaseError, DatabaseUnavailable."""
        async with self._lock:
            stamp = (await database.run(NO_SCOPE, _STAMP)).value or b""
            if stamp == self._stamp and time.monotonic() - self._made < KEPT:
                return
            listed = (array_literal(exposed), array_literal(PLATFORM))
            raw = (await database.run(NO_SCOPE, Statement(_CATALOG, listed))).value or b"{}"
            self.tag = hashlib.sha256(raw).hexdigest()[:16]
            self.body = b'{"version":"%b",' % self.tag.encode() + raw.lstrip()[1:]
            self._stamp, self._made = stamp, time.monotonic()
