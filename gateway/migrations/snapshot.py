"""Writes down what the migrations add up to, as text to be reviewed: `snapshot.sql`.

In: a migrated database. Out: its schemas, types, tables, functions, policies and grants as SQL, each kind in a
fixed order. The text is the same on every supported Postgres, which `pg_dump` does not offer: what depends on the
server is left out (roles, owners that follow the migrating role, extensions and the indexes that need one).
Partitions are left out too: there are others tomorrow. It is for reading; a database is made by the migrations.
"""

from pathlib import Path
from typing import Final

from gateway.migrations.connection import Connection

FILE: Final = "snapshot.sql"  # in the application's folder

_HEADER: Final = """\
-- The schema after all migrations. Rebuilt by `gateway db snapshot`; review its changes, never edit it.
"""

# Objects of the platform and the application: no system schema, nothing that belongs to an extension.
_OURS: Final = """
    {ns}.nspname !~ '^pg_' and {ns}.nspname <> 'information_schema'
    and not exists (
      select from pg_depend
      where pg_depend.classid = {catalog!r}::regclass and pg_depend.objid = {catalog}.oid and deptype = 'e'
    )
"""


def _ours(catalog: str) -> str:
    return _OURS.format(ns="n", catalog=catalog)


_PRIVILEGES: Final = "'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'"

# Each query gives one column of finished statements; {...} is filled in below.
_SECTIONS: Final = {
    "schemas": """
        select format('create schema %I;', nspname)
        from pg_namespace n where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
        order by nspname
    """,
    "types": f"""
        select format('create type %s as enum (%s);', format_type(pg_type.oid, null),
          (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)
           from pg_enum where enumtypid = pg_type.oid))
        from pg_type join pg_namespace n on n.oid = typnamespace
        where typtype = 'e' and {_ours("pg_type")}
        union all
        select format('create type %s as (%s);', format_type(pg_type.oid, null),
          (select string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum)
           from pg_attribute where attrelid = typrelid and attnum > 0 and not attisdropped))
        from pg_type join pg_namespace n on n.oid = typnamespace join pg_class on pg_class.oid = typrelid
        where typtype = 'c' and relkind = 'c' and {_ours("pg_type")}
        union all
        select format('create domain %s as %s%s%s;', format_type(pg_type.oid, null),
          format_type(typbasetype, typtypmod), coalesce(' default ' || typdefault, ''),
          coalesce((select string_agg(format(' constraint %I %s', conname, pg_get_constraintdef(pg_constraint.oid)), ''
            order by conname) from pg_constraint where contypid = pg_type.oid and contype <> 'n'), ''))
        from pg_type join pg_namespace n on n.oid = typnamespace
        where typtype = 'd' and {_ours("pg_type")}
        order by 1
    """,
    "sequences": f"""
        select format('create sequence %s;', pg_class.oid::regclass)
        from pg_class join pg_namespace n on n.oid = relnamespace
        where relkind = 'S' and {_ours("pg_class")}
          and not exists (select from pg_depend where classid = 'pg_class'::regclass
            and objid = pg_class.oid and deptype in ('a', 'i') and refobjsubid > 0)
        order by 1
    """,
    "tables": f"""
        select format(E'create table %s (\\n%s\\n)%s;%s%s', pg_class.oid::regclass,
          concat_ws(E',\\n',
            (select string_agg(format('  %I %s%s%s', attname, format_type(atttypid, atttypmod),
                case
                  when attidentity <> '' then ' generated '
                    || case attidentity when 'a' then 'always' else 'by default' end || ' as identity'
                  when attgenerated <> '' then format(' generated always as (%s) stored', pg_get_expr(adbin, adrelid))
                  when adbin is not null then ' default ' || pg_get_expr(adbin, adrelid)
                  else ''
                end,
                case when attnotnull then ' not null' else '' end), E',\\n' order by attnum)
             from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
             where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
            (select string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(pg_constraint.oid)), E',\\n'
               order by conname)
             from pg_constraint where conrelid = pg_class.oid and contype in ('c', 'f', 'p', 'u', 'x'))),
          coalesce(' partition by ' || pg_get_partkeydef(pg_class.oid), ''),
          coalesce(' -- owner '
            || (select rolname from pg_roles where oid = relowner and rolname ~ '^supabase_.*_admin$'), ''),
          case when relrowsecurity
            then format(E'\\nalter table %s enable row level security;', pg_class.oid::regclass) else '' end)
        from pg_class join pg_namespace n on n.oid = relnamespace
        where relkind in ('r', 'p') and not relispartition and {_ours("pg_class")}
        order by n.nspname, relname
    """,
    "views": f"""
        select format(E'create %s %s as\\n%s', case relkind when 'm' then 'materialized view' else 'view' end,
          pg_class.oid::regclass, pg_get_viewdef(pg_class.oid))
        from pg_class join pg_namespace n on n.oid = relnamespace
        where relkind in ('v', 'm') and {_ours("pg_class")}
        order by n.nspname, relname
    """,
    "indexes": f"""
        select pg_get_indexdef(indexrelid) || ';'
        from pg_index join pg_class on pg_class.oid = indexrelid join pg_namespace n on n.oid = relnamespace
        where not relispartition and {_ours("pg_class")}
          and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
          and not exists (select from pg_depend where classid = 'pg_opclass'::regclass
            and objid = any (indclass) and deptype = 'e')
        order by n.nspname, indrelid::regclass::text, relname
    """,
    "functions": f"""
        select rtrim(pg_get_functiondef(pg_proc.oid), E'\\n') || ';'
        from pg_proc join pg_namespace n on n.oid = pronamespace
        where prokind in ('f', 'p') and {_ours("pg_proc")}
        order by n.nspname, pg_proc.oid::regprocedure::text
    """,
    "triggers": f"""
        select pg_get_triggerdef(pg_trigger.oid) || ';'
        from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace n on n.oid = relnamespace
        where not tgisinternal and tgparentid = 0 and {_ours("pg_class")}
        union all
        select format('create event trigger %I on %s execute function %s();', evtname, evtevent, evtfoid::regproc)
          || case evtenabled when 'A' then format(' alter event trigger %I enable always;', evtname) else '' end
        from pg_event_trigger
        where not exists (select from pg_depend where classid = 'pg_event_trigger'::regclass
          and objid = pg_event_trigger.oid and deptype = 'e')
        order by 1
    """,
    "policies": """
        select format('create policy %I on %I.%I as %s for %s to %s%s%s;', policyname, schemaname, tablename,
          lower(permissive), lower(cmd), array_to_string(roles, ', '),
          coalesce(' using ' || qual, ''), coalesce(' with check ' || with_check, ''))
        from pg_policies
        order by schemaname, tablename, policyname
    """,
    "grants": f"""
        with relations as (
          select relowner as owner, relacl as acl,
            case relkind when 'S' then 'sequence ' else '' end || pg_class.oid::regclass::text as target,
            case relkind when 'S' then 3 else 7 end as everything, null as columns
          from pg_class join pg_namespace n on n.oid = relnamespace
          where relacl is not null and relkind in ('r', 'p', 'v', 'm', 'S') and {_ours("pg_class")}
        ), columns as (
          select relowner, attacl, pg_class.oid::regclass::text, null::int, quote_ident(attname), attnum
          from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace n on n.oid = relnamespace
          where attacl is not null and not attisdropped and {_ours("pg_class")}
        ), schemas as (
          select nspowner, nspacl, 'schema ' || quote_ident(nspname), null::int
          from pg_namespace n where nspacl is not null and nspname !~ '^pg_' and nspname <> 'information_schema'
        ), functions as (
          select proowner, proacl, 'function ' || pg_proc.oid::regprocedure::text, null::int
          from pg_proc join pg_namespace n on n.oid = pronamespace where proacl is not null and {_ours("pg_proc")}
        ), types as (
          select typowner, typacl, 'type ' || format_type(pg_type.oid, null), null::int
          from pg_type join pg_namespace n on n.oid = typnamespace where typacl is not null and {_ours("pg_type")}
        ), grants (owner, acl, target, everything, detail, place) as (
          select owner, acl, target, everything, columns::text, 0 from relations
          union all select * from columns
          union all select *, null, 0 from schemas
          union all select *, null, 0 from functions
          union all select *, null, 0 from types
        ), exploded as (
          select target, everything, detail, place, privilege_type,
            case grantee when 0 then 'public' else grantee::regrole::text end as grantee
          from grants cross join aclexplode(acl)
          where grantee <> owner and privilege_type in ({_PRIVILEGES}, 'USAGE', 'CREATE', 'EXECUTE')
        ), by_privilege as (
          select target, grantee, everything, privilege_type,
            string_agg(detail, ', ' order by place) as columns
          from exploded group by target, grantee, everything, privilege_type
        )
        select format('grant %s on %s to %s;',
          case when count(*) = everything then 'all'
            else string_agg(lower(privilege_type) || coalesce(' (' || columns || ')', ''), ', ' order by privilege_type)
          end, target, grantee)
        from by_privilege
        -- a dump's owner; it is the migrating role on some servers
        where grantee <> 'postgres'
          -- a service owns its schema where no superuser migrates
          and not (target ~ '^schema ' and grantee ~ '^supabase_.*_admin$')
        group by target, grantee, everything, columns is null
        order by target, grantee, 1
    """,
    "default privileges": """
        select format('alter default privileges%s grant %s on %s to %s;',
          coalesce(' in schema ' || quote_ident(nspname), ''),
          case when defaclobjtype in ('r', 'S') then 'all' else string_agg(lower(privilege_type), ', ') end,
          case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions'
            when 'T' then 'types' else 'schemas' end,
          case grantee when 0 then 'public' when defaclrole then 'their owner alone' else grantee::regrole::text end)
        from pg_default_acl left join pg_namespace on pg_namespace.oid = defaclnamespace
        cross join aclexplode(defaclacl)
        where pg_get_userbyid(defaclrole) <> 'postgres' or defaclrole = current_user::regrole
        group by nspname, defaclobjtype, grantee, defaclrole
        order by 1
    """,
    "comments": f"""
        select format('comment on %s %s is %L;', kind, name, description)
        from (
          select 'table' as kind, pg_class.oid::regclass::text as name, description, 0 as place
          from pg_description join pg_class on pg_class.oid = objoid join pg_namespace n on n.oid = relnamespace
          where classoid = 'pg_class'::regclass and objsubid = 0 and relkind in ('r', 'p', 'v', 'm')
            and {_ours("pg_class")}
          union all
          select 'column', pg_class.oid::regclass::text || '.' || quote_ident(attname), description, attnum
          from pg_description join pg_class on pg_class.oid = objoid join pg_namespace n on n.oid = relnamespace
          join pg_attribute on attrelid = pg_class.oid and attnum = objsubid
          where classoid = 'pg_class'::regclass and objsubid > 0 and {_ours("pg_class")}
          union all
          select 'function', pg_proc.oid::regprocedure::text, description, 0
          from pg_description join pg_proc on pg_proc.oid = objoid join pg_namespace n on n.oid = pronamespace
          where classoid = 'pg_proc'::regclass and {_ours("pg_proc")}
          union all
          select case typtype when 'd' then 'domain' else 'type' end, format_type(pg_type.oid, null), description, 0
          from pg_description join pg_type on pg_type.oid = objoid join pg_namespace n on n.oid = typnamespace
          where classoid = 'pg_type'::regclass and {_ours("pg_type")}
        ) as comments
        order by name, kind, place
    """,
}


def snapshot(conn: Connection) -> str:
    """The text of `snapshot.sql` for this database, which must be migrated. Changes nothing."""
    conn.script("begin read only")
    try:
        # with no search path every name is written with its schema
        conn.script("set local search_path = ''")
        parts = [_HEADER]
        for title, query in _SECTIONS.items():
            statements = [str(text) for (text,) in conn.rows(query)]
            if statements:
                parts.append(f"-- {title}\n\n" + "\n".join(statements) + "\n")
    finally:
        conn.script("rollback")
    return "\n".join(parts)


def write_snapshot(conn: Connection, path: Path) -> None:
    """Rebuilds the file."""
    path.write_text(snapshot(conn), encoding="utf-8")
