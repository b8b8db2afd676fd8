-- More of what a hosted project's role may and Postgres keeps for superusers: foreign data wrappers, changes of its own
-- event triggers, schemas in a publication. The project's files call these in place of the statements (gateway/projects/
-- privileged.py). Where the owner of the schema is no superuser, Postgres refuses them as it would the statements.

-- An event trigger of the project's own: its function is nobody's who is a superuser.
create function gateway.own_event_trigger(name text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger join pg_catalog.pg_proc p on p.oid = evtfoid
    join pg_catalog.pg_roles r on r.oid = p.proowner where evtname = name and r.rolsuper
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of event trigger %s', name);
  end if;
end
$$;
revoke execute on function gateway.own_event_trigger(text) from public;

-- `becomes`: enabled, disabled, always, replica, renamed, owned. Its owner stays who Postgres lets be one.
create function gateway.alter_event_trigger(name text, becomes text, other text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform gateway.own_event_trigger(name);
  case becomes
    when 'enabled' then execute pg_catalog.format('alter event trigger %I enable', name);
    when 'disabled' then execute pg_catalog.format('alter event trigger %I disable', name);
    when 'always' then execute pg_catalog.format('alter event trigger %I enable always', name);
    when 'replica' then execute pg_catalog.format('alter event trigger %I enable replica', name);
    when 'renamed' then execute pg_catalog.format('alter event trigger %I rename to %I', name, other);
    when 'owned' then
      if other <> 'postgres' or not exists (select from pg_catalog.pg_event_trigger where evtname = name) then
        raise insufficient_privilege using
          message = pg_catalog.format('permission denied to change owner of event trigger "%s"', name),
          hint = 'Those of a project are its role''s, postgres.';
      end if;
  end case;
end
$$;
revoke execute on function gateway.alter_event_trigger(text, text, text) from public;

create function gateway.comment_on_event_trigger(name text, words text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform gateway.own_event_trigger(name);
  execute pg_catalog.format('comment on event trigger %I is %L', name, words);
end
$$;
revoke execute on function gateway.comment_on_event_trigger(text, text) from public;

-- `change`: add, set or drop.
create function gateway.publish_schemas(name text, change text, schemas text[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = pubowner
    where pubname = name and (r.rolname = 'postgres' or r.rolsuper and exists (
      select from pg_catalog.pg_publication_namespace where pnpubid = p.oid))
  ) then
    raise undefined_object using message = pg_catalog.format('publication "%s" does not exist', name);
  end if;
  execute pg_catalog.format('alter publication %I %s tables in schema %s', name,
    case change when 'add' then 'add' when 'set' then 'set' else 'drop' end,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(each), ', ') from pg_catalog.unnest(schemas) as each));
end
$$;
revoke execute on function gateway.publish_schemas(text, text, text[]) from public;

-- A wrapper whose handler only `wrappers` brings is declared without one: servers and foreign tables of it are made, and
-- what reads such a table is refused. Its owner stays a superuser, as Postgres wants it.
create function gateway.make_wrapper(name text, handler text, validator text) returns void
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
  execute pg_catalog.format('create foreign data wrapper %I%s%s', name, ' handler ' || found, ' validator ' || checked);
  execute pg_catalog.format('grant usage on foreign data wrapper %I to postgres with grant option', name);
end
$$;
revoke execute on function gateway.make_wrapper(text, text, text) from public;

create function gateway.drop_wrapper(name text, if_exists boolean, behaviour text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  execute pg_catalog.format('drop foreign data wrapper %s %I %s', case when if_exists then 'if exists' end, name,
    case when behaviour = 'cascade' then 'cascade' end);
end
$$;
revoke execute on function gateway.drop_wrapper(text, boolean, text) from public;

grant execute on function gateway.alter_event_trigger(text, text, text), gateway.comment_on_event_trigger(text, text),
  gateway.publish_schemas(text, text, text[]), gateway.make_wrapper(text, text, text),
  gateway.drop_wrapper(text, boolean, text) to postgres;

-- As at hosted projects, where the role that may look at all statements may forget them too.
do $$
begin
  if to_regproc('extensions.pg_stat_statements_reset') is not null then
    execute (select format('grant execute on function %s to postgres with grant option', oid::regprocedure)
      from pg_proc where oid = to_regproc('extensions.pg_stat_statements_reset'));
  end if;
exception when insufficient_privilege or undefined_object then
  raise notice 'pg_stat_statements_reset stays its owner''s';
end
$$;
