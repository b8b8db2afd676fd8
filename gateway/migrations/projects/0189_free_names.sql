-- What a hosted project's role may and Postgres keeps for superusers, after 0182 and 0186: extensions that move to another
-- schema, options of publications that a superuser has to own, settings of any free name. The project's files call these in
-- place of the statements (gateway/projects/privileged.py). Where the owner of the schema is no superuser, Postgres refuses
-- them as it would the statements.

-- The project's role owns the extension, but what is in one of C belongs to the superuser that Postgres ran its script as.
create function gateway.move_extension(name text, schema text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_extension e join pg_catalog.pg_roles r on r.oid = e.extowner
    where e.extname = name and r.rolname <> 'postgres'
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of extension %s', name);
  end if;
  if pg_catalog.to_regnamespace(pg_catalog.quote_ident(schema)) is not null
    and not pg_catalog.has_schema_privilege('postgres', schema, 'create') then
    raise insufficient_privilege using message = pg_catalog.format('permission denied for schema %s', schema);
  end if;
  execute pg_catalog.format('alter extension %I set schema %I', name, schema);
end
$$;
revoke execute on function gateway.move_extension(text, text) from public;

-- Whether a publication is the project's though its owner is a superuser, as Postgres wants it of one of all tables or of
-- schemas.
create function gateway.is_wide_publication(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = p.pubowner
    where p.pubname = name and r.rolsuper and (p.puballtables or exists (
      select from pg_catalog.pg_publication_namespace n where n.pnpubid = p.oid))
  )
$$;
revoke execute on function gateway.is_wide_publication(text) from public;

-- Its options, or where these are null its owner, which stays who Postgres lets be one.
create function gateway.alter_publication(name text, options text[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if not gateway.is_wide_publication(name) and exists (
    select from pg_catalog.pg_publication where pubname = name and pubowner::regrole::text <> 'postgres'
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of publication %s', name);
  end if;
  if options is null then
    raise notice 'publication % stays with a superuser, as Postgres wants it', name;
  else
    execute pg_catalog.format('alter publication %I set (%s)', name, (
      select pg_catalog.string_agg(pg_catalog.format('%I = %L', pg_catalog.split_part(each, '=', 1),
        pg_catalog.substr(each, pg_catalog.strpos(each, '=') + 1)), ', ') from pg_catalog.unnest(options) as each));
  end if;
end
$$;
revoke execute on function gateway.alter_publication(text, text[]) from public;

-- As before (0186), but of what has a handler only with the validator that belongs to it: a validator is what keeps whoever
-- is no superuser from options that read files or log in without a password.
create or replace function gateway.make_wrapper(name text, handler text, validator text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  found regproc;
  checked regproc;
begin
  select pg_catalog.to_regproc(case when handler ~ '\.' then handler else 'extensions.' || handler end),
    pg_catalog.to_regproc(case when validator ~ '\.' then validator else 'extensions.' || validator end)
  into found, checked;
  found := coalesce(found, case when handler !~ '\.' then pg_catalog.to_regproc('public.' || handler) end);
  checked := coalesce(checked, case when validator !~ '\.' then pg_catalog.to_regproc('public.' || validator) end);
  if (handler is not null and found is null) or (validator is not null and checked is null) then
    if not exists (select from pg_catalog.pg_extension where extname = 'wrappers' and extversion = '0') then
      raise undefined_function using
        message = pg_catalog.format('function %s() does not exist', case when found is null then handler else validator end);
    end if;
    raise warning 'foreign data wrapper % has no handler: the extension wrappers is missing in this server', name
      using hint = 'Its servers and foreign tables are made; reading one of these tables is refused.';
    found := null;
    checked := null;
  end if;
  if found is not null and not exists (
    select from pg_catalog.pg_foreign_data_wrapper w where w.fdwhandler = found and w.fdwvalidator = checked
  ) and not exists (
    select from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on d.refclassid = 'pg_catalog.pg_extension'::regclass and e.oid = d.refobjid
    where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = found and d.deptype = 'e' and e.extname = 'wrappers'
  ) then
    raise insufficient_privilege using
      message = pg_catalog.format('permission denied to create foreign-data wrapper "%s"', name),
      hint = 'A handler goes with the validator of its extension, and that has to be made first.';
  end if;
  execute pg_catalog.format('create foreign data wrapper %I%s%s', name, ' handler ' || found, ' validator ' || checked);
  execute pg_catalog.format('grant usage on foreign data wrapper %I to postgres with grant option', name);
end
$$;

-- The project's are known by their owner and by being no extension's.
create function gateway.is_made_wrapper(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from pg_catalog.pg_foreign_data_wrapper w join pg_catalog.pg_roles r on r.oid = w.fdwowner
    where w.fdwname = name and r.rolsuper and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_foreign_data_wrapper'::regclass and d.objid = w.oid and d.deptype = 'e')
  )
$$;
revoke execute on function gateway.is_made_wrapper(text) from public;

create function gateway.own_foreign_data_wrapper(name text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if not gateway.is_made_wrapper(name) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of foreign-data wrapper %s', name);
  end if;
  raise notice 'foreign data wrapper % stays with a superuser, as Postgres wants it', name;
end
$$;
revoke execute on function gateway.own_foreign_data_wrapper(text) from public;

-- A setting that no library of this server defines has no effect but being read, so its name is free; of those that
-- libraries define, the ones that hosted projects may set.
create or replace function gateway.allow_setting(name text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  prefix text := pg_catalog.lower(pg_catalog.split_part(name, '.', 1));
begin
  if name !~ '^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+$' then
    return; -- Postgres refuses it in its own words
  end if;
  if prefix not in ('auto_explain', 'pg_net', 'pg_stat_statements', 'pgaudit', 'pgrst', 'plan_filter', 'safeupdate')
    and (
      prefix ~ '^(pg.*|pl(perl|python|pgsql|tcl).*|auth_delay|basic_archive|passwordcheck|sepgsql|gateway.*|request|response|storage|realtime|cron|vault|jobs)$'
      or exists (select from pg_catalog.pg_available_extensions e where e.name = prefix)
    ) then
    return;
  end if;
  execute pg_catalog.format('grant set on parameter %s to postgres', name);
end
$$;
revoke execute on function gateway.allow_setting(text) from public;

grant execute on function gateway.move_extension(text, text), gateway.is_wide_publication(text),
  gateway.alter_publication(text, text[]), gateway.is_made_wrapper(text), gateway.own_foreign_data_wrapper(text),
  gateway.allow_setting(text) to postgres;

-- Histories say `grant all on all functions in schema extensions to …`, which fails at the first that the role may not
-- pass on.
do $$
declare
  function regprocedure;
begin
  for function in
    select p.oid from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.pronamespace = 'extensions'::regnamespace and r.rolname <> 'postgres' and p.prorettype = 'event_trigger'::regtype
  loop
    execute format('grant execute on function %s to postgres with grant option', function);
  end loop;
exception when insufficient_privilege then
  raise notice 'functions of extensions stay with their owner';
end
$$;
