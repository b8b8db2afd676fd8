"""The catalogue queries. Each answers one JSON array of objects unless it says otherwise; `$1` is an array of schemas.

They run with an empty search path, so that every type name outside `pg_catalog` comes out qualified, and need no more
than the catalogues that any role may read (Postgres 13 and later).
"""

from __future__ import annotations

from typing import Final

_FOREIGN_SCHEMAS: Final = "('pg_catalog', 'information_schema', 'pg_toast')"

# Foreign tables whose wrapper has no handler, and the views that read them: Postgres ends a question about what may be
# written there with an error.
UNHANDLED: Final = """
recursive unhandled (oid) as (
  select ftrelid from pg_foreign_table join pg_foreign_server s on s.oid = ftserver
  join pg_foreign_data_wrapper w on w.oid = srvfdw where fdwhandler = 0
  union
  select ev_class from unhandled join pg_depend on refobjid = unhandled.oid and refclassid = 'pg_class'::regclass
  join pg_rewrite on pg_rewrite.oid = objid and classid = 'pg_rewrite'::regclass
)"""

# 28 = insert (8), update (4) and delete (16), as pg_relation_is_updatable answers for views and foreign tables.
RELATIONS: Final = f"""
with {UNHANDLED}
select coalesce(json_agg(r), '[]') from (
  select c.oid::int8, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as is_view,
         c.relkind = 'r' and c.relhassubclass as is_inherited,
         obj_description(c.oid, 'pg_class') as description, format_type(c.reltype, null) as row_type,
         case when c.relkind in ('r', 'p') then 28
              when c.relkind in ('v', 'f') and c.oid not in (select oid from unhandled)
                then pg_relation_is_updatable(c.oid, true) else 0 end as writes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1) and c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
  order by n.nspname, c.relname
) r
"""

# `domains` walks from each domain down to the type that is none.
_DOMAINS: Final = """
recursive walk as (
  select oid, typbasetype as base, typtypmod as modifier, typnotnull as required from pg_type where typtype = 'd'
  union all
  select walk.oid, t.typbasetype, t.typtypmod, walk.required or t.typnotnull
  from walk join pg_type t on t.oid = walk.base where t.typtype = 'd'
), domains as (
  select walk.* from walk join pg_type t on t.oid = walk.base where t.typtype <> 'd'
)"""

COLUMNS: Final = f"""
with {_DOMAINS}
select coalesce(json_agg(r), '[]') from (
  select a.attrelid::int8 as relation, a.attnum as number, a.attname as name,
         format_type(coalesce(d.base, a.atttypid), null) as type,
         format_type(a.atttypid, a.atttypmod) as nominal_type,
         not (a.attnotnull or coalesce(d.required, false)) as nullable,
         case when a.attgenerated <> '' then null
              when a.attidentity = 'd' then (
                   select format('nextval(%L)', format('%I.%I', sn.nspname, s.relname))
                   from pg_depend y join pg_class s on s.oid = y.objid and s.relkind = 'S'
                   join pg_namespace sn on sn.oid = s.relnamespace
                   where y.refclassid = 'pg_class'::regclass and y.classid = 'pg_class'::regclass and y.deptype = 'i'
                     and y.refobjid = a.attrelid and y.refobjsubid = a.attnum)
              else coalesce(pg_get_expr(x.adbin, x.adrelid), pg_get_expr(t.typdefaultbin, 0)) end as default,
         case when coalesce(d.base, a.atttypid) in ('varchar'::regtype, 'bpchar'::regtype)
                and coalesce(d.modifier, a.atttypmod) > 0 then coalesce(d.modifier, a.atttypmod) - 4
              when coalesce(d.base, a.atttypid) in ('bit'::regtype, 'varbit'::regtype)
                and coalesce(d.modifier, a.atttypmod) > 0 then coalesce(d.modifier, a.atttypmod) end as max_length,
         e.labels as enum,
         col_description(a.attrelid, a.attnum) as description,
         a.attgenerated <> '' as generated, a.attidentity <> '' as identity, a.attidentity = 'a' as always
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_type t on t.oid = a.atttypid
  left join domains d on d.oid = a.atttypid
  left join pg_attrdef x on x.adrelid = a.attrelid and x.adnum = a.attnum
  left join (select enumtypid, json_agg(enumlabel order by enumsortorder) as labels from pg_enum group by 1) e
         on e.enumtypid = coalesce(d.base, a.atttypid)
  where n.nspname = any($1) and c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum
) r
"""

# Keys of every schema: views of the exposed ones may show tables of others. Those that a partition inherited are left
# out, its parent has them.
CONSTRAINTS: Final = f"""
select coalesce(json_agg(r), '[]') from (
  select k.conname as name, k.contype as kind, k.conrelid::int8 as relation, n.nspname as schema, c.relname as "table",
         k.conkey as key,
         (select json_agg(a.attname order by i.place) from unnest(k.conkey) with ordinality i(number, place)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = i.number) as columns,
         k.confrelid::int8 as target_relation, tn.nspname as target_schema, tc.relname as target_table,
         k.confkey as target_key,
         (select json_agg(a.attname order by i.place) from unnest(k.confkey) with ordinality i(number, place)
          join pg_attribute a on a.attrelid = k.confrelid and a.attnum = i.number) as target_columns
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_class tc on tc.oid = k.confrelid
  left join pg_namespace tn on tn.oid = tc.relnamespace
  where k.contype in ('p', 'u', 'f') and n.nspname not in {_FOREIGN_SCHEMAS}
    and (k.contype <> 'f' or k.conparentid = 0)
  order by n.nspname, c.relname, k.conname
) r
"""

# Rows of (oid of the view, its rule): too long to be worth a trip through JSON.
RULES: Final = f"""
select c.oid::int8, w.ev_action::text
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_rewrite w on w.ev_class = c.oid and w.ev_type = '1'
where c.relkind in ('v', 'm') and n.nspname not in {_FOREIGN_SCHEMAS}
"""

# An unnamed parameter can only be the single one, of a type that a whole body can be.
ROUTINES: Final = f"""
with {_DOMAINS}
select coalesce(json_agg(r), '[]') from (
  select n.nspname as schema, p.proname as name, p.oid::int8,
         obj_description(p.oid, 'pg_proc') as description,
         coalesce(i.parameters, '[]') as parameters, coalesce(o.columns, '[]') as columns,
         p.pronargs - p.pronargdefaults as required,
         tn.nspname as type_schema, t.typname as type_name, format_type(t.oid, null) as written,
         case when d.base is not null then bn.nspname end as base_schema,
         case when d.base is not null then b.typname end as base_name,
         p.proretset as is_set,
         b.typtype = 'c' or coalesce(p.proargmodes && '{{t,o,b}}', false) as has_columns,
         b.oid = 'record'::regtype as is_record, b.oid = 'void'::regtype as is_void,
         p.provolatile as volatility, p.provariadic <> 0 as variadic, p.proconfig as settings
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  join pg_type t on t.oid = p.prorettype
  join pg_namespace tn on tn.oid = t.typnamespace
  left join domains d on d.oid = t.oid
  join pg_type b on b.oid = coalesce(d.base, t.oid)
  join pg_namespace bn on bn.oid = b.typnamespace
  cross join lateral (
    select json_agg(json_build_array(coalesce(a.name, ''), format_type(a.type, null), a.mode = 'v') order by a.place)
             as parameters,
           count(*) filter (where coalesce(a.name, '') = '') as unnamed,
           count(*) as given, min(a.type) as only_type
    from (
      select p.proargnames[x.place] as name, x.type, coalesce(p.proargmodes[x.place], 'i') as mode, x.place
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality x(type, place)
    ) a where a.mode in ('i', 'b', 'v')
  ) i
  cross join lateral (
    select json_agg(json_build_array(p.proargnames[x.place], format_type(x.type, null)) order by x.place) as columns
    from unnest(p.proallargtypes) with ordinality x(type, place)
    where p.proargmodes[x.place] in ('t', 'o', 'b')
  ) o
  where n.nspname = any($1) and p.prokind = 'f' and t.oid not in ('trigger'::regtype, 'event_trigger'::regtype)
    and (i.unnamed = 0 or i.given = 1 and i.only_type in
         ('json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype, 'bytea'::regtype))
  order by n.nspname, p.proname, p.pronargs, p.oid
) r
"""

# Functions of one row: those that return rows are relationships, those of one value are columns. `$1` has the extra
# search path too.
COMPUTED: Final = """
select coalesce(json_agg(r), '[]') from (
  select n.nspname as schema, p.proname as name,
         sn.nspname as source_schema, sc.relname as source, tn.nspname as target_schema, tc.relname as target,
         not p.proretset or p.prorows = 1 as to_one, format_type(p.prorettype, null) as written
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  join pg_class sc on sc.reltype = p.proargtypes[0] and sc.relkind in ('r', 'v', 'm', 'f', 'p')
  join pg_namespace sn on sn.oid = sc.relnamespace
  left join pg_class tc on tc.reltype = p.prorettype and tc.relkind in ('r', 'v', 'm', 'f', 'p')
  left join pg_namespace tn on tn.oid = tc.relnamespace
  where n.nspname = any($1) and p.pronargs = 1 and p.prokind = 'f'
    and (tc.oid is not null or not p.proretset and p.prorettype <> 'void'::regtype)
  order by n.nspname, p.proname
) r
"""

REPRESENTATIONS: Final = """
select coalesce(json_agg(r), '[]') from (
  select format_type(c.castsource, null) as source, format_type(c.casttarget, null) as target,
         n.nspname as schema, p.proname as name
  from pg_cast c
  join pg_type s on s.oid = c.castsource
  join pg_type t on t.oid = c.casttarget
  join pg_proc p on p.oid = c.castfunc
  join pg_namespace n on n.oid = p.pronamespace
  where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(p.oid, 'execute')
    and (s.typtype = 'd' and t.oid in ('json'::regtype, 'text'::regtype)
         or t.typtype = 'd' and s.oid in ('json'::regtype, 'text'::regtype))
) r
"""

MEDIA_HANDLERS: Final = """
select coalesce(json_agg(r), '[]') from (
  select n.nspname as schema, p.proname as name, d.typname as domain, p.prokind = 'f' as is_routine,
         an.nspname as target_schema, a.relname as target
  from pg_type d
  join pg_proc p on p.prorettype = d.oid
  join pg_namespace n on n.oid = p.pronamespace
  left join pg_class a on a.reltype = p.proargtypes[0] and a.relkind in ('r', 'v', 'm', 'f', 'p')
  left join pg_namespace an on an.oid = a.relnamespace
  where n.nspname = any($1) and d.typtype = 'd'
    and (d.typname = '*/*' or d.typname ~ '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$')
    and (p.prokind = 'f' and not p.proretset
         or p.prokind = 'a' and p.pronargs = 1
            and (a.oid is not null or p.proargtypes[0] = 'anyelement'::regtype))
  order by n.nspname, p.proname
) r
"""

# Types that clients may want to name: enumerations, composites of their own, domains and what lies beneath them.
TYPES: Final = f"""
select coalesce(json_agg(r), '[]') from (
  select n.nspname as schema, t.typname as name, t.typtype as kind, format_type(t.oid, null) as written,
         case when t.typtype = 'd' then format_type(t.typbasetype, null) end as base,
         coalesce(lower(trim(obj_description(t.oid, 'pg_type'))) = 'sanitized html', false) as is_html,
         (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels,
         (select json_agg(json_build_array(a.attname, format_type(a.atttypid, null)) order by a.attnum)
          from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) as attributes
  from pg_type t
  join pg_namespace n on n.oid = t.typnamespace
  left join pg_class c on c.oid = t.typrelid
  where t.typtype = 'e' and n.nspname = any($1) or t.typtype = 'c' and c.relkind = 'c' and n.nspname = any($1)
     or t.typtype = 'd' and n.nspname not in {_FOREIGN_SCHEMAS}
  order by n.nspname, t.typname
) r
"""

SCHEMAS: Final = """
select coalesce(json_object_agg(n.nspname, d.description), '{}')
from pg_namespace n join pg_description d on d.objoid = n.oid and d.classoid = 'pg_namespace'::regclass
where n.nspname = any($1)
"""

# Settings of the roles that the login role may become. A setting that only a superuser may change is left out unless
# it was granted; `{granted}` is empty before Postgres 15. Settings for this database come after those for all.
ROLES: Final = """
select coalesce(json_agg(r), '[]') from (
  select a.rolname as role, s.setting from pg_db_role_setting g
  join pg_roles a on a.oid = g.setrole
  cross join lateral unnest(g.setconfig) as s(setting)
  join pg_settings p on p.name = split_part(s.setting, '=', 1)
  where g.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    and pg_has_role(current_user, a.oid, 'member')
    and (p.context = 'user' or p.context = 'superuser' and (
         (select rolsuper from pg_roles where rolname = current_user) {granted}))
  order by g.setdatabase
) r
"""
ROLES_GRANTED: Final = "or has_parameter_privilege(current_user, p.name, 'set')"

# `$1`: names of schemas, of which the first that is not there is the answer.
MISSING_SCHEMAS: Final = """
select name from unnest($1::text[]) with ordinality as n(name, place)
where not exists (select from pg_namespace where nspname = name) order by place limit 1
"""

# Columns with an index of trigrams; `$1`: schemas.
TRIGRAMS: Final = """
select coalesce(json_agg(distinct json_build_array(n.nspname, c.relname, a.attname)::jsonb), '[]')
from pg_opclass o join pg_index i on o.oid = any (i.indclass)
join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey) and a.attnum > 0
where o.opcname in ('gin_trgm_ops', 'gist_trgm_ops') and n.nspname = any ($1)
"""

# Columns that lead an index in whose order rows can be read; `$1`: schemas.
ORDERED: Final = """
select coalesce(json_agg(distinct json_build_array(n.nspname, c.relname, a.attname)::jsonb), '[]')
from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'btree'
join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] and a.attnum > 0
where i.indisvalid and n.nspname = any ($1)
"""

VERSION: Final = "select current_setting('server_version_num')"

# Rows of (name, value), those that win last.
DATABASE_SETTINGS: Final = """
select split_part(s.setting, '=', 1), substr(s.setting, strpos(s.setting, '=') + 1)
from pg_db_role_setting g cross join lateral unnest(g.setconfig) as s(setting)
where g.setrole = (select oid from pg_roles where rolname = current_user) and s.setting like 'pgrst.%'
  and g.setdatabase in (0, (select oid from pg_database where datname = current_database()))
order by g.setdatabase
"""

# `$1`: names of parameters. Rows of (name, value).
CURRENT_SETTINGS: Final = """
select name, current_setting(name, true) from unnest($1::text[]) as n(name)
where current_setting(name, true) is not null
"""

# A digest of the catalogues that the other queries read. Objects of the server's own and temporary ones are left out,
# and so are the columns of pg_class that change with the data (truncate, refresh).
_WATCHED_ROWS: Final = {
    "pg_class": "relnamespace in (select oid from schemas)",
    "pg_attribute": "attrelid in (select oid from relations)",
    "pg_attrdef": "adrelid in (select oid from relations)",
    "pg_rewrite": "ev_class in (select oid from relations)",
    "pg_trigger": "tgrelid in (select oid from relations) and not tgisinternal",
    "pg_policy": "polrelid in (select oid from relations)",
    "pg_constraint": "connamespace in (select oid from schemas)",
    "pg_proc": "pronamespace in (select oid from schemas)",
    "pg_type": "typnamespace in (select oid from schemas) and typtype in ('c', 'd', 'e')",
    "pg_enum": "true",
    "pg_cast": "oid >= 16384",
    "pg_description": "objoid >= 16384 or classoid = 'pg_namespace'::regclass",
    "pg_db_role_setting": "true",
    "pg_auth_members": "true",
}
_ROW_VERSION: Final = {"pg_class": "hashtextextended(concat_ws(' ', oid, relnamespace, relname, relkind), 0)"}


def _digest(catalogue: str, condition: str = "true") -> str:
    version = _ROW_VERSION.get(catalogue, "xmin::text::int8")
    return f"(select count(*) || ':' || coalesce(sum({version}), 0) from {catalogue} where {condition})"


FINGERPRINT: Final = f"""
with schemas as materialized (
  select oid from pg_namespace where nspname not in {_FOREIGN_SCHEMAS} and nspname not like 'pg\\_%'
), relations as materialized (
  select oid from pg_class where relnamespace in (select oid from schemas) and relkind in ('r', 'v', 'm', 'f', 'p')
)
select {" || ' ' || ".join(_digest(*row) for row in _WATCHED_ROWS.items())}
"""

# Where event triggers already tell of every change, of what they do not tell alone: who is a member of which role
# (https://docs.postgrest.org/en/v16/references/schema_cache.html#automatic-schema-cache-reloading).
_MEMBERS: Final = f"'members ' || {_digest('pg_auth_members')}"
MEMBERS: Final = f"select {_MEMBERS}"
FINGERPRINT_UNLESS_WATCHED: Final = f"""
select case when not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch' and evtenabled <> 'D')
       then ({FINGERPRINT}) else {_MEMBERS} end
"""
