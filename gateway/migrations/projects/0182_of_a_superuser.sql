-- What a hosted project's role may and Postgres keeps for superusers: event triggers, publications of all tables, settings
-- of its own for a database or role. The project's files call these in place of the statements (gateway/projects/
-- privileged.py). Where the owner of the schema is no superuser, Postgres refuses them as it would the statements.
--
-- An event trigger runs as whoever changes the schema, a superuser among them. So its function is made to run as its
-- owner, who is none, and it is made so again whenever it is replaced.

create function gateway.confine_event_function(function regprocedure) returns void
language plpgsql security definer set search_path = '' as $$
declare
  is_definer boolean;
  has_path boolean;
begin
  select prosecdef, coalesce(proconfig::text, '') like '%search_path=%' into is_definer, has_path
  from pg_catalog.pg_proc where oid = function;
  if not (is_definer and has_path) then
    execute pg_catalog.format('alter function %s security definer %s', function,
      case when not has_path then 'set search_path = public, extensions, pg_temp' end);
  end if;
end
$$;
revoke execute on function gateway.confine_event_function(regprocedure) from public;

create function gateway.keep_event_functions() returns event_trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform gateway.confine_event_function(p.oid) from pg_catalog.pg_proc p
  join pg_catalog.pg_roles r on r.oid = p.proowner
  where not r.rolsuper and p.oid in (select evtfoid from pg_catalog.pg_event_trigger);
end
$$;
revoke execute on function gateway.keep_event_functions() from public;
do $$
begin
  create event trigger gateway_event_functions on ddl_command_end
    when tag in ('CREATE FUNCTION', 'ALTER FUNCTION', 'ALTER ROUTINE', 'ALTER EXTENSION', 'CREATE EXTENSION')
    execute function gateway.keep_event_functions();
  alter event trigger gateway_event_functions enable always;
exception when insufficient_privilege then
  raise notice 'no event triggers: only a superuser may make them';
end
$$;

create function gateway.make_event_trigger(name text, event text, tags text[], function regprocedure) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if event not in ('ddl_command_start', 'ddl_command_end', 'sql_drop', 'table_rewrite') then
    raise insufficient_privilege using message = pg_catalog.format('permission denied to create event trigger "%s"', name),
      hint = pg_catalog.format('A trigger on %s could shut everybody out.', event);
  end if;
  if (select rolsuper from pg_catalog.pg_proc join pg_catalog.pg_roles r on r.oid = proowner where pg_proc.oid = function)
  then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of function %s', function);
  end if;
  -- before there is a trigger, so that none fires of this
  perform gateway.confine_event_function(function);
  execute pg_catalog.format('create event trigger %I on %s %s execute function %s()', name, event,
    case when pg_catalog.cardinality(tags) > 0 then 'when tag in (' || (
      select pg_catalog.string_agg(pg_catalog.quote_literal(each), ', ') from pg_catalog.unnest(tags) as each) || ')' end,
    pg_catalog.regexp_replace(function::text, '\(\)$', ''));
end
$$;
revoke execute on function gateway.make_event_trigger(text, text, text[], regprocedure) from public;

create function gateway.drop_event_trigger(name text, if_exists boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger join pg_catalog.pg_proc p on p.oid = evtfoid
    join pg_catalog.pg_roles r on r.oid = p.proowner where evtname = name and r.rolsuper
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of event trigger %s', name);
  end if;
  execute pg_catalog.format('drop event trigger %s %I', case when if_exists then 'if exists' end, name);
end
$$;
revoke execute on function gateway.drop_event_trigger(text, boolean) from public;

-- Of all tables where `schemas` is null. Postgres wants a superuser for its owner.
create function gateway.make_publication(name text, schemas text[], options text[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  execute pg_catalog.format('create publication %I for %s%s', name,
    case when schemas is null then 'all tables' else 'tables in schema ' || (
      select pg_catalog.string_agg(pg_catalog.quote_ident(each), ', ') from pg_catalog.unnest(schemas) as each) end,
    ' with (' || (select pg_catalog.string_agg(pg_catalog.format('%I = %L', pg_catalog.split_part(each, '=', 1),
      pg_catalog.substr(each, pg_catalog.strpos(each, '=') + 1)), ', ') from pg_catalog.unnest(options) as each) || ')');
end
$$;
revoke execute on function gateway.make_publication(text, text[], text[]) from public;

create function gateway.drop_publication(name text, if_exists boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = pubowner
    where pubname = name and r.rolname <> 'postgres' and not (r.rolsuper and (puballtables or exists (
      select from pg_catalog.pg_publication_namespace where pnpubid = p.oid)))
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of publication %s', name);
  end if;
  execute pg_catalog.format('drop publication %s %I', case when if_exists then 'if exists' end, name);
end
$$;
revoke execute on function gateway.drop_publication(text, boolean) from public;

-- Postgres lets nobody but a superuser give a database or a role a setting that it has never heard of.
create function gateway.allow_setting(name text) returns void language plpgsql security definer set search_path = '' as $$
begin
  if name !~ '^(app|settings|my|custom|supabase)\.[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*$' then
    return; -- Postgres refuses it in its own words
  end if;
  execute pg_catalog.format('grant set on parameter %s to postgres', name);
end
$$;
revoke execute on function gateway.allow_setting(text) from public;

grant usage on schema gateway to postgres;
grant execute on function gateway.make_event_trigger(text, text, text[], regprocedure),
  gateway.drop_event_trigger(text, boolean), gateway.make_publication(text, text[], text[]),
  gateway.drop_publication(text, boolean), gateway.allow_setting(text) to postgres;
