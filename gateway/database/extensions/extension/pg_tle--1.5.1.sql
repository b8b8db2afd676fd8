-- Extensions whose scripts a project keeps in its own files. What they make are plain objects of the project: a server
-- looks for extensions in its own folders alone. `_make`, `_update` and `_drop` stand for `create extension`, `alter
-- extension … update` and `drop extension`, which the runner of a project's files asks for by these names.

create table pgtle._script (
  name text not null,
  from_version text not null default '',
  version text not null,
  body text not null,
  primary key (name, from_version, version)
);
create table pgtle._extension (
  name text primary key,
  default_version text not null,
  description text not null default '',
  requires text[] not null default '{}',
  schema text
);
-- `members`: type, names and arguments of each object, as pg_get_object_address takes them; they survive a dump.
create table pgtle._made (
  name text primary key,
  version text not null,
  schema text not null,
  members jsonb not null default '[]'
);
select pg_extension_config_dump('pgtle._script', '');
select pg_extension_config_dump('pgtle._extension', '');
select pg_extension_config_dump('pgtle._made', '');

create function pgtle._knows(extname text) returns boolean language sql stable
  as $$ select exists (select from pgtle._extension as e where e.name = extname) $$;

create function pgtle._serves(extname text) returns boolean language sql stable
  as $$ select exists (select from pg_catalog.pg_available_extensions as e where e.name = extname) $$;

create function pgtle._require(extname text) returns void language plpgsql as $$
begin
  if not pgtle._knows(extname) then
    raise undefined_object using message = format('extension "%s" does not exist', extname);
  end if;
end $$;

create function pgtle.install_extension(
  name text, version text, description text, ext text, requires text[] default null, schema text default null
) returns boolean language plpgsql as $$
#variable_conflict use_variable
begin
  if pgtle._serves(install_extension.name) then
    raise notice 'extension % is in this server: nothing is fetched', install_extension.name;
    return true;
  end if;
  if install_extension.name !~ '^[^/\\"[:cntrl:]-]([^/\\"[:cntrl:]]*[^/\\"[:cntrl:]-])?$' or install_extension.name like '%--%'
    or install_extension.version !~ '^[^/\\[:cntrl:]-]([^/\\[:cntrl:]]*[^/\\[:cntrl:]-])?$' then
    raise invalid_parameter_value using
      message = format('invalid name or version of an extension: "%s" "%s"', install_extension.name, version);
  end if;
  if pgtle._knows(install_extension.name) then
    raise duplicate_object using
      message = format('extension "%s" already installed', install_extension.name),
      hint = 'Use pgtle.install_extension_version_sql or pgtle.install_update_path for another version.';
  end if;
  insert into pgtle._extension values (
    install_extension.name, install_extension.version, coalesce(description, ''), coalesce(requires, '{}'),
    install_extension.schema);
  insert into pgtle._script (name, version, body) values (install_extension.name, install_extension.version, ext);
  return true;
end $$;

create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean
language plpgsql as $$
begin
  perform pgtle._require(install_extension_version_sql.name);
  insert into pgtle._script (name, version, body)
    values (install_extension_version_sql.name, install_extension_version_sql.version, ext);
  return true;
end $$;

create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text) returns boolean
language plpgsql as $$
begin
  if pgtle._serves(install_update_path.name) then
    return true;
  end if;
  perform pgtle._require(install_update_path.name);
  insert into pgtle._script values (install_update_path.name, fromvers, tovers, ext);
  return true;
end $$;

create function pgtle.set_default_version(name text, version text) returns boolean language plpgsql as $$
begin
  if pgtle._serves(set_default_version.name) then
    return true;
  end if;
  perform pgtle._require(set_default_version.name);
  update pgtle._extension as e set default_version = set_default_version.version
    where e.name = set_default_version.name;
  return true;
end $$;

create function pgtle.uninstall_extension(extname text) returns boolean language plpgsql as $$
begin
  perform pgtle._require(extname);
  delete from pgtle._script as s where s.name = extname;
  delete from pgtle._extension as e where e.name = extname;
  return true;
end $$;

create function pgtle.uninstall_extension(extname text, version text) returns boolean language plpgsql as $$
begin
  perform pgtle._require(extname);
  if exists (select from pgtle._extension as e where e.name = extname and e.default_version = $2) then
    raise object_not_in_prerequisite_state using message = 'the default version of an extension cannot be uninstalled';
  end if;
  delete from pgtle._script as s where s.name = extname and $2 in (s.version, s.from_version);
  return true;
end $$;

create function pgtle.uninstall_extension_if_exists(extname text) returns boolean language sql
  as $$ select case when pgtle._knows(extname) then pgtle.uninstall_extension(extname) else false end $$;

create function pgtle.uninstall_update_path(extname text, fromvers text, tovers text) returns boolean
language plpgsql as $$
begin
  delete from pgtle._script as s where s.name = extname and s.from_version = fromvers and s.version = tovers;
  if not found then
    raise undefined_object using message = format('extension "%s" has no such update path', extname);
  end if;
  return true;
end $$;

create function pgtle.uninstall_update_path_if_exists(extname text, fromvers text, tovers text) returns boolean
language plpgsql as $$
begin
  delete from pgtle._script as s where s.name = extname and s.from_version = fromvers and s.version = tovers;
  return found;
end $$;

create function pgtle.available_extensions(out name name, out default_version text, out comment text)
  returns setof record language sql stable
  as $$ select e.name::name, e.default_version, e.description from pgtle._extension as e order by 1 $$;

create function pgtle.available_extension_versions(
  out name name, out version text, out superuser boolean, out trusted boolean, out relocatable boolean,
  out schema name, out requires name[], out comment text
) returns setof record language sql stable as $$
  select e.name::name, v.version, false, false, false, e.schema::name, e.requires::name[], e.description
  from pgtle._extension as e join (select distinct s.name, s.version from pgtle._script as s) as v on v.name = e.name
  order by 1, 2
$$;

-- The scripts that lead from a version ('' is nothing) to another, fewest first; null where none do.
create function pgtle._path(extname text, fromvers text, tovers text) returns text[] language sql stable as $$
  with recursive ways (at, versions) as (
    select fromvers, array[fromvers]
    union all
    select s.version, w.versions || s.version from ways as w
    join pgtle._script as s on s.name = extname and s.from_version = w.at
    where not s.version = any (w.versions)
  )
  select versions from ways where at = tovers order by cardinality(versions) limit 1
$$;

create function pgtle.extension_update_paths(name name, out source text, out target text, out path text)
  returns setof record language sql stable as $$
  with versions as (
    select distinct s.version from pgtle._script as s where s.name = extension_update_paths.name::text
    union select s.from_version from pgtle._script as s where s.name = extension_update_paths.name::text and s.from_version <> ''
  )
  select a.version, b.version, array_to_string(pgtle._path(extension_update_paths.name::text, a.version, b.version), '--')
  from versions as a, versions as b where a.version <> b.version order by 1, 2
$$;

-- What there is that an extension's script may make.
create function pgtle._objects() returns table (classid oid, objid oid) language sql stable as $$
  select 'pg_catalog.pg_class'::regclass::oid, c.oid from pg_catalog.pg_class as c
    where c.oid >= 16384 and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and c.relpersistence <> 't'
      and c.relnamespace <> 'pg_toast'::regnamespace
  union all select 'pg_catalog.pg_type'::regclass, t.oid from pg_catalog.pg_type as t
    where t.oid >= 16384 and t.typtype in ('b', 'c', 'd', 'e', 'r') and t.typelem = 0
      and not exists (select from pg_catalog.pg_class as c where c.oid = t.typrelid and c.relkind <> 'c')
  union all select 'pg_catalog.pg_proc'::regclass, oid from pg_catalog.pg_proc where oid >= 16384
  union all select 'pg_catalog.pg_namespace'::regclass, oid from pg_catalog.pg_namespace
    where oid >= 16384 and nspname !~ '^pg_'
  union all select 'pg_catalog.pg_operator'::regclass, oid from pg_catalog.pg_operator where oid >= 16384
  union all select 'pg_catalog.pg_cast'::regclass, oid from pg_catalog.pg_cast where oid >= 16384
  union all select 'pg_catalog.pg_ts_config'::regclass, oid from pg_catalog.pg_ts_config where oid >= 16384
  union all select 'pg_catalog.pg_ts_dict'::regclass, oid from pg_catalog.pg_ts_dict where oid >= 16384
  union all select 'pg_catalog.pg_trigger'::regclass, oid from pg_catalog.pg_trigger
    where oid >= 16384 and not tgisinternal
  union all select 'pg_catalog.pg_policy'::regclass, oid from pg_catalog.pg_policy
$$;

-- Runs the scripts of a path as an extension's are run, and returns what they made.
create function pgtle._run(extname text, versions text[], target text) returns jsonb language plpgsql as $$
declare
  had constant text[] := (select array_agg(o.classid || '/' || o.objid) from pgtle._objects() as o);
  before constant text := current_setting('search_path');
  checks constant text := current_setting('check_function_bodies');
  words text;
  needed text;
  path text := quote_ident(target);
begin
  for needed in
    select distinct coalesce((select m.schema from pgtle._made as m where m.name = r),
      (select n.nspname from pg_catalog.pg_extension as x join pg_catalog.pg_namespace as n on n.oid = x.extnamespace
       where x.extname = r))
    from pgtle._extension as e, unnest(e.requires) as r where e.name = extname
  loop
    path := concat_ws(', ', path, quote_ident(needed));
  end loop;
  perform set_config('search_path', path, true), set_config('check_function_bodies', 'off', true);
  for i in 2 .. cardinality(versions) loop
    select s.body into strict words from pgtle._script as s
      where s.name = extname and s.from_version = versions[i - 1] and s.version = versions[i];
    words := regexp_replace(words, '^\\echo[^\n]*$', '', 'gn');
    -- (written apart: the server puts pg_tle's own schema for the whole words in this script)
    words := replace(words, '@' || 'extschema@', quote_ident(target));
    words := replace(words, '@' || 'extowner@', quote_ident(current_user));
    execute words;
  end loop;
  perform set_config('search_path', before, true), set_config('check_function_bodies', checks, true);
  return coalesce((
    select jsonb_agg(jsonb_build_array(a.type, a.object_names, a.object_args) order by o.objid)
    from pgtle._objects() as o, lateral pg_catalog.pg_identify_object_as_address(o.classid, o.objid, 0) as a
    where o.classid || '/' || o.objid <> all (coalesce(had, '{}'))
  ), '[]');
end $$;

create function pgtle._make(extname text, target text, version text, is_optional boolean, is_cascade boolean)
returns void language plpgsql as $$
declare
  known pgtle._extension;
  place text;
  versions text[];
  needed text;
begin
  if exists (select from pgtle._made as m where m.name = extname)
    or exists (select from pg_catalog.pg_extension as e where e.extname = _make.extname) then
    if not is_optional then
      raise duplicate_object using message = format('extension "%s" already exists', extname);
    end if;
    raise notice 'extension "%" already exists, skipping', extname;
    return;
  end if;
  perform pgtle._require(extname);
  select * into known from pgtle._extension as e where e.name = extname;
  versions := pgtle._path(extname, '', coalesce(version, known.default_version));
  if versions is null then
    raise invalid_parameter_value using
      message = format('extension "%s" has no installation script nor update path for version "%s"',
        extname, coalesce(version, known.default_version));
  end if;
  foreach needed in array known.requires loop
    if exists (select from pg_catalog.pg_extension as e where e.extname = needed)
      or exists (select from pgtle._made as m where m.name = needed) then
      continue;
    elsif not is_cascade then
      raise undefined_object using message = format('required extension "%s" is not installed', needed),
        hint = 'Use CREATE EXTENSION ... CASCADE to install required extensions too.';
    elsif pgtle._knows(needed) then
      perform pgtle._make(needed, target, null, true, true);
    else
      execute format('create extension %I', needed);
    end if;
  end loop;
  place := coalesce(known.schema, target, (current_schemas(false))[1]);
  if to_regnamespace(quote_ident(place)) is null then
    if known.schema is null then
      raise invalid_schema_name using message = format('schema "%s" does not exist', place);
    end if;
    execute format('create schema %I', place);
  end if;
  insert into pgtle._made values (
    extname, coalesce(version, known.default_version), place, pgtle._run(extname, versions, place));
end $$;

create function pgtle._update(extname text, version text) returns void language plpgsql as $$
declare
  made pgtle._made;
  wanted text;
  versions text[];
begin
  select * into made from pgtle._made as m where m.name = extname for update;
  if not found then
    raise undefined_object using message = format('extension "%s" does not exist', extname);
  end if;
  wanted := coalesce(version, (select e.default_version from pgtle._extension as e where e.name = extname));
  if wanted = made.version then
    raise notice 'version "%" of extension "%" is already installed', wanted, extname;
    return;
  end if;
  versions := pgtle._path(extname, made.version, wanted);
  if versions is null then
    raise invalid_parameter_value using
      message = format('extension "%s" has no update path from version "%s" to version "%s"', extname, made.version, wanted);
  end if;
  update pgtle._made as m set version = wanted, members = made.members || pgtle._run(extname, versions, made.schema)
    where m.name = extname;
end $$;

create function pgtle._drop(extname text, is_optional boolean, is_cascade boolean) returns void language plpgsql as $$
declare
  member jsonb;
  place record;
  gone record;
  addresses text[] := '{}';
  user_ text;
begin
  if not exists (select from pgtle._made as m where m.name = extname) then
    if not is_optional then
      raise undefined_object using message = format('extension "%s" does not exist', extname);
    end if;
    raise notice 'extension "%" does not exist, skipping', extname;
    return;
  end if;
  for member in select e from pgtle._made as m, jsonb_array_elements(m.members) with ordinality as x (e, i)
    where m.name = extname order by i desc
  loop
    begin
      select * into place from pg_catalog.pg_get_object_address(
        member ->> 0, array(select jsonb_array_elements_text(member -> 1)), array(select jsonb_array_elements_text(member -> 2)));
      addresses := addresses || (place.classid || '/' || place.objid);
    exception when others then
      null;  -- it is gone
    end;
  end loop;
  if not is_cascade then
    select pg_catalog.pg_describe_object(n.classid, n.objid, 0) into user_ from (
      select case when r.oid is not null then 'pg_catalog.pg_class'::regclass::oid else d.classid end as classid,
        coalesce(r.ev_class, t.tgrelid, p.polrelid, a.adrelid, nullif(c.conrelid, 0), d.objid) as objid,
        d.classid as by_class, d.objid as by_id
      from pg_catalog.pg_depend as d
      left join pg_catalog.pg_rewrite as r on d.classid = 'pg_catalog.pg_rewrite'::regclass and r.oid = d.objid
      left join pg_catalog.pg_trigger as t on d.classid = 'pg_catalog.pg_trigger'::regclass and t.oid = d.objid
      left join pg_catalog.pg_policy as p on d.classid = 'pg_catalog.pg_policy'::regclass and p.oid = d.objid
      left join pg_catalog.pg_attrdef as a on d.classid = 'pg_catalog.pg_attrdef'::regclass and a.oid = d.objid
      left join pg_catalog.pg_constraint as c on d.classid = 'pg_catalog.pg_constraint'::regclass and c.oid = d.objid
      where d.deptype = 'n' and d.refclassid || '/' || d.refobjid = any (addresses)
    ) as n
    where n.by_class || '/' || n.by_id <> all (addresses)
      and not exists (select from unnest(addresses) as m where split_part(m, '/', 2) = n.objid::text)
      and not exists (
        select from pg_catalog.pg_depend as i where (i.classid, i.objid) = (n.by_class, n.by_id)
          and i.deptype in ('i', 'a') and i.refclassid || '/' || i.refobjid = any (addresses))
    limit 1;
    if user_ is not null then
      raise dependent_objects_still_exist using
        message = format('cannot drop extension %s because other objects depend on it', extname),
        detail = format('%s depends on it', user_),
        hint = 'Use DROP ... CASCADE to drop the dependent objects too.';
    end if;
  end if;
  for member in select e from pgtle._made as m, jsonb_array_elements(m.members) with ordinality as x (e, i)
    where m.name = extname order by i desc
  loop
    begin
      select * into place from pg_catalog.pg_get_object_address(
        member ->> 0, array(select jsonb_array_elements_text(member -> 1)), array(select jsonb_array_elements_text(member -> 2)));
    exception when others then
      continue;  -- one before it took it away
    end;
    select o.type, o.identity into gone from pg_catalog.pg_identify_object(place.classid, place.objid, 0) as o;
    execute format('drop %s if exists %s cascade', case gone.type when 'composite type' then 'type' else gone.type end,
      gone.identity);
  end loop;
  delete from pgtle._made as m where m.name = extname;
end $$;
