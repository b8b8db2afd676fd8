-- What suites of pgTAP use to act as users of a project: the names and arguments of the package of database.dev that they
-- ask for, which cannot be fetched from there.

do $do$
declare
  wanted text;
begin
  foreach wanted in array array['tests', 'test_overrides'] loop
    if to_regnamespace(wanted) is null then
      execute format('create schema %I', wanted);
    end if;
    execute format('grant usage on schema %I to anon, authenticated, service_role', wanted);
  end loop;
end
$do$;

create function tests.create_supabase_user(
  identifier text, email text default null, phone text default null, metadata jsonb default null
) returns uuid language sql security definer set search_path = '' as $$
  insert into auth.users (id, email, phone, raw_user_meta_data, raw_app_meta_data, created_at, updated_at)
  select made, coalesce($2, made || '@test.com'), $3,
    jsonb_build_object('test_identifier', $1) || coalesce($4, '{}'), '{}', now(), now()
  from gen_random_uuid() as made
  returning id
$$;

create function tests.get_supabase_user(identifier text) returns json
language plpgsql security definer set search_path = '' as $$
declare
  found json;
begin
  select json_build_object('id', id, 'email', email, 'phone', phone, 'raw_user_meta_data', raw_user_meta_data,
    'raw_app_meta_data', raw_app_meta_data) into found
  from auth.users where raw_user_meta_data ->> 'test_identifier' = identifier limit 1;
  if found is null then
    raise exception 'User with identifier % not found', identifier;
  end if;
  return found;
end
$$;

create function tests.get_supabase_uid(identifier text) returns uuid
language sql security definer set search_path = '' as $$ select (tests.get_supabase_user($1) ->> 'id')::uuid $$;

create function tests.authenticate_as(identifier text) returns void language plpgsql as $$
declare
  person constant json := tests.get_supabase_user(identifier);
begin
  perform set_config('role', 'authenticated', true), set_config('request.jwt.claims', json_build_object(
    'sub', person -> 'id', 'email', person -> 'email', 'phone', person -> 'phone',
    'user_metadata', person -> 'raw_user_meta_data', 'app_metadata', person -> 'raw_app_meta_data')::text, true);
end
$$;

create function tests.authenticate_as_service_role() returns void language plpgsql as
  $$ begin perform set_config('role', 'service_role', true), set_config('request.jwt.claims', null, true); end $$;

create function tests.clear_authentication() returns void language plpgsql as
  $$ begin perform set_config('role', 'anon', true), set_config('request.jwt.claims', null, true); end $$;

-- pgTAP's `is` is found by the search path, wherever that is.
create function tests.rls_enabled(testing_schema text) returns text language plpgsql as $$
begin
  return is((select count(*)::integer from pg_class where relnamespace = to_regnamespace(quote_ident(testing_schema))
    and relkind in ('r', 'p') and not relrowsecurity), 0,
    'All tables in the' || testing_schema || ' schema should have row level security enabled');
end
$$;

create function tests.rls_enabled(testing_schema text, testing_table text) returns text language plpgsql as $$
begin
  return is((select count(*)::integer from pg_class where relnamespace = to_regnamespace(quote_ident(testing_schema))
    and relname = testing_table and relrowsecurity), 1,
    testing_table || 'table in the' || testing_schema || ' schema should have row level security enabled');
end
$$;

-- The time stands still for whoever finds this `now` before Postgres' own.
create function test_overrides.now() returns timestamptz language sql stable
  return coalesce(nullif(current_setting('tests.frozen_time', true), '')::timestamptz, pg_catalog.now());

create function tests.freeze_time(frozen_time timestamptz) returns void language plpgsql as $$
begin
  if current_setting('search_path') not like 'test_overrides,%' then
    perform set_config('tests.original_search_path', current_setting('search_path'), true);
    perform set_config('search_path', format('test_overrides,%s,pg_catalog', current_setting('search_path')), true);
  end if;
  perform set_config('tests.frozen_time', frozen_time::text, true);
end
$$;

create function tests.unfreeze_time() returns void language plpgsql as $$
begin
  perform set_config('tests.frozen_time', null, true);
  perform set_config('search_path', current_setting('tests.original_search_path'), true);
end
$$;

do $do$
begin
  execute 'revoke execute on all functions in schema tests, test_overrides from public';
  execute 'grant execute on all functions in schema tests, test_overrides to anon, authenticated, service_role';
end
$do$;
