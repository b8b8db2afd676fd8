"""Which reads run no code of the application, as the catalogue shows it.

Code in a read comes from policies, views, computed columns, casts and the types themselves. A table is free of it when
its policies call nothing but what Postgres brings along (and nothing volatile of that), extensions, or the functions
that schemas auth and storage have for policies, and read no tables but such as are free of it themselves; and when its
columns have types of Postgres, of an extension, enums, or domains over these, without casts of the application's. What
is in doubt runs code. Where such policies are for some roles alone, the others read without code; who becomes a member
of one of them later is found by looking (`MEMBERS` in gateway/catalog/queries.py).

The rows of storage's objects are told of beside the exposed tables: the storage API reads them, some pages by functions
of schema storage. It writes them as well, so that of them it is told too whether a row is written by no code but
Postgres' and the platform's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gateway.catalog.model import Name

BUILT_IN: Final = 16384  # oids below this one came with Postgres

# Objects of extensions: their functions are written in C, or by who may install extensions.
_EXTENDED: Final = (
    "exists (select from pg_depend e where e.classid = '{catalog}'::regclass and e.objid = {oid} and e.deptype = 'e')"
)

_SOURCE: Final = "coalesce(pg_get_function_sqlbody(f.oid), f.prosrc)"

_POLICY_CODE: Final = f"""
  exists (
    select from pg_depend d
    where d.classid = 'pg_policy'::regclass and d.objid = p.oid
      and d.refclassid <> 'pg_class'::regclass -- what is read there is looked at by itself
      and not (d.refclassid = 'pg_type'::regclass and exists (
        select from pg_type y where y.oid = d.refobjid and y.typtype = 'e'))
      and not (d.refclassid = 'pg_proc'::regclass and exists (
        select from pg_proc f join pg_language l on l.oid = f.prolang
        where f.oid = d.refobjid and (
          (f.pronamespace = to_regnamespace('auth') and f.proname in ('uid', 'role', 'email', 'jwt')
            or f.pronamespace = to_regnamespace('storage') and f.proname in (
              'foldername', 'filename', 'extension', 'operation', 'allow_only_operation', 'allow_any_operation'))
            and l.lanname = 'sql' and {_SOURCE} !~* 'set_config'
          or {_EXTENDED.format(catalog="pg_proc", oid="f.oid")})))
  )
  or exists (
    select from regexp_matches(p.polqual::text, ':(?:op)?funcid (\\d+)', 'g') as called (ids)
    join pg_proc f on f.oid = called.ids[1]::oid
    where f.oid < {BUILT_IN} and f.provolatile = 'v'
  )
"""

# Types with casts of the application's. Asked for without naming a column's, so that Postgres finds them once.
_CAST: Final = f"""
  select unnest(array[x.castsource, x.casttarget]) from pg_cast x
  where x.castfunc >= {BUILT_IN} and not {_EXTENDED.format(catalog="pg_proc", oid="x.castfunc")}
"""

# Its columns have types without code of the application's.
_PLAIN_TYPES: Final = f"""
  not exists (
    select from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    join pg_type e on e.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
    join pg_type b on b.oid = case when e.typtype = 'd' then e.typbasetype else e.oid end
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and (
      a.attgenerated = 'v'
      or not (b.oid < {BUILT_IN} or b.typtype = 'e' or {_EXTENDED.format(catalog="pg_type", oid="b.oid")})
      or t.oid in ({_CAST}) or e.oid in ({_CAST}) or b.oid in ({_CAST})
    )
  )
"""

# Rows of (schema, table, whether it is one of those that are asked for, its oid, oids of what its policies read).
CODE_FREE: Final = f"""
select coalesce(json_agg(json_build_array(
  n.nspname, c.relname, n.nspname = any($1) or (n.nspname, c.relname) = ('storage', 'objects'), c.oid::int8, (
    select json_agg(distinct d.refobjid::int8) from pg_policy p
    join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = p.oid
    where p.polrelid = c.oid and p.polcmd in ('r', '*') and d.refclassid = 'pg_class'::regclass
      and d.refobjid <> c.oid))), '[]')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_t%'
  and c.relkind in ('r', 'p') and not c.relispartition
  and not (n.nspname = 'storage' and exists (
    select from pg_proc f where f.pronamespace = to_regnamespace('storage') and {_SOURCE} ~* 'set_config'))
  and not exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd in ('r', '*') and ({_POLICY_CODE}))
  and {_PLAIN_TYPES}
"""

# Rows of (schema, table, roles) for tables with policies that are code, or read other tables: the roles that these
# are not for, and that cannot become one for whom they are.
CODE_FREE_FOR: Final = f"""
select coalesce(json_agg(json_build_array(n.nspname, c.relname, free.roles)), '[]')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
cross join lateral (
  select array_agg(distinct whose.role) as roles
  from pg_policy p cross join unnest(p.polroles) as whose (role)
  where p.polrelid = c.oid and p.polcmd in ('r', '*') and (({_POLICY_CODE}) or exists (
    select from pg_depend d
    where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass
      and d.refobjid <> c.oid))
) coded
cross join lateral (
  select json_agg(r.rolname) as roles
  from pg_roles r
  where pg_has_role(current_user, r.oid, 'member')
    and not exists (
      select from unnest(coded.roles) as of (role) where of.role = 0 or pg_has_role(r.oid, of.role, 'member'))
) free
where n.nspname = any($1) and n.nspname <> 'storage' and c.relkind in ('r', 'p') and not c.relispartition
  and coded.roles is not null and free.roles is not null
  and {_PLAIN_TYPES}
"""

# Whether a row of storage's objects is written by its owner without running code of the application: it has no trigger
# but the platform's, no rule, and no default, constraint or index that calls a function of the application's.
_PLATFORM_TRIGGERS: Final = (
    "('storage', 'update_updated_at_column'), ('storage', 'protect_delete'),"
    " ('storage_private', 'let_go'), ('storage_private', 'tell_of_changes')"
)
OBJECTS_WRITTEN_CODE_FREE: Final = f"""
select (
  not c.relforcerowsecurity
  and not exists (
    select from pg_trigger t join pg_proc f on f.oid = t.tgfoid join pg_namespace n on n.oid = f.pronamespace
    where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D'
      and ((n.nspname, f.proname) not in ({_PLATFORM_TRIGGERS}) or {_SOURCE} ~* 'set_config')
  )
  and not exists (select from pg_rewrite r where r.ev_class = c.oid)
  and not exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
  and not exists (
    select from pg_depend d join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid
    where f.oid >= {BUILT_IN} and not {_EXTENDED.format(catalog="pg_proc", oid="f.oid")} and (
      d.classid = 'pg_attrdef'::regclass and d.objid in (select a.oid from pg_attrdef a where a.adrelid = c.oid)
      or d.classid = 'pg_constraint'::regclass
        and d.objid in (select k.oid from pg_constraint k where k.conrelid = c.oid)
      or d.classid = 'pg_class'::regclass and d.objid in (select x.indexrelid from pg_index x where x.indrelid = c.oid))
  )
  and {_PLAIN_TYPES}
)::text
from pg_class c join pg_namespace s on s.oid = c.relnamespace
where (s.nspname, c.relname) = ('storage', 'objects') and c.relkind = 'r'
"""


def free_tables(rows: Iterable[tuple[str, str, bool, int, list[int] | None]]) -> frozenset[Name]:
    """Those that are asked for of the rows of `CODE_FREE`, and that read nothing but what is free as well.

    >>> rows = [("a", "t", True, 1, [2]), ("a", "u", False, 2, None), ("a", "v", True, 3, [1, 9])]
    >>> free_tables(rows)
    frozenset({Name(schema='a', name='t')})
    """
    found = {oid: (Name(schema, table), wanted, read or ()) for schema, table, wanted, oid, read in rows}
    while held := [oid for oid, (_, _, read) in found.items() if not all(each in found for each in read)]:
        for oid in held:
            del found[oid]
    return frozenset(name for name, wanted, _ in found.values() if wanted)


# Whether any function might prepare or deallocate a statement: it would have to hold that word, or run SQL that does
# not begin with a constant, or be of a language that this cannot be read from.
_CONSTANT: Final = (
    "(?:format\\s*\\(\\s*)?(?:''|\\$\\w*\\$)\\s*(?:select|with|insert|update|delete|alter|create|drop|grant|revoke)\\M"
)
RUNS_GIVEN_SQL: Final = f"""
select exists (
  select from pg_proc f join pg_language l on l.oid = f.prolang
  where f.oid >= {BUILT_IN} and l.lanname not in ('internal', 'c')
    and f.pronamespace <> 'pg_catalog'::regnamespace
    -- the platform's own, which prepare nothing and which no request calls
    and f.pronamespace::regnamespace::text not in ('gateway', 'jobs')
    and (f.pronamespace::regnamespace::text, f.proname) not in (
      ('realtime', 'visible_changes'), ('storage_private', 'clean_session'))
    and (l.lanname not in ('sql', 'plpgsql')
      or f.prosrc ~* '\\m(?:prepare|deallocate|discard)\\M|\\mexecute\\s+(?!{_CONSTANT})')
    and not {_EXTENDED.format(catalog="pg_proc", oid="f.oid")}
)::text
"""
