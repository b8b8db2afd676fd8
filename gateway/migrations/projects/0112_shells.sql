-- What migrations of hosted projects expect to find: extensions in the schema `extensions`, the publication that realtime
-- listens to, the function of GraphQL. Nothing of it needs a superuser; what a server does not let its owner make is
-- left out with a notice.

-- extensions ---------------------------------------------------------------------------------------------------------

-- Functions made by whoever migrates are closed to PUBLIC (roles/0001). An extension's are not: its authors count on
-- Postgres' own default and close what is to be closed. So that default is back for as long as an extension is made.
create table gateway.closed_functions (
  role name not null
);
alter table gateway.closed_functions enable row level security;
comment on table gateway.closed_functions is 'Roles whose functions are closed again once an extension is made';

create function extensions.issue_extension_access() returns event_trigger
language plpgsql security definer set search_path = '' as $$
declare
  each name;
  maker constant name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  if tg_event = 'ddl_command_start' then
    for each in
      select pg_get_userbyid(defaclrole) from pg_default_acl
      where defaclnamespace = 0 and defaclobjtype = 'f'
        and not exists (select from aclexplode(defaclacl) where grantee = 0)
    loop
      insert into gateway.closed_functions (role) values (each);
      execute format('alter default privileges for role %I grant all on functions to public', each);
    end loop;
    return;
  end if;
  for each in delete from gateway.closed_functions returning role loop
    execute format('alter default privileges for role %I revoke all on functions from public', each);
  end loop;
  -- the wrapper is the superuser's; servers are made by whoever made the extension
  for each in
    select fdwname from pg_foreign_data_wrapper
    where fdwname in ('postgres_fdw', 'dblink_fdw') and maker <> current_user
      and not has_foreign_data_wrapper_privilege(maker, oid, 'usage')
  loop
    execute format('grant usage on foreign data wrapper %I to %I with grant option', each, maker);
  end loop;
end
$$;
revoke execute on function extensions.issue_extension_access() from public;

do $$
begin
  drop event trigger if exists gateway_extension_starts;
  drop event trigger if exists gateway_extension_made;
  create event trigger gateway_extension_starts on ddl_command_start when tag in ('CREATE EXTENSION', 'ALTER EXTENSION')
    execute function extensions.issue_extension_access();
  create event trigger gateway_extension_made on ddl_command_end when tag in ('CREATE EXTENSION', 'ALTER EXTENSION')
    execute function extensions.issue_extension_access();
exception when insufficient_privilege then
  raise notice 'no event triggers: only a superuser may make them';
end
$$;

do $$
declare
  wanted text;
begin
  -- The project's role owns them where there is one beside the superuser, so that it may comment on them or drop them.
  if current_user = 'supabase_admin' and (select rolsuper from pg_roles where rolname = current_user) then
    set local role postgres;
  end if;
  foreach wanted in array array['pgcrypto', 'uuid-ossp', 'pg_stat_statements'] loop
    begin
      execute format('create extension if not exists %I with schema extensions', wanted);
    exception when others then
      raise notice 'extension % is not there: %', wanted, sqlerrm;
    end;
  end loop;
end
$$;
reset role;

-- realtime's publication ---------------------------------------------------------------------------------------------

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  if (select rolsuper from pg_roles where rolname = current_user)
    and has_database_privilege('postgres', current_database(), 'create') then
    alter publication supabase_realtime owner to postgres;
  end if;
exception when insufficient_privilege then
  raise notice 'no publication supabase_realtime: % may not create in this database', current_user;
end
$$;

-- GraphQL ------------------------------------------------------------------------------------------------------------

create or replace function graphql_public.graphql(
  "operationName" text default null, query text default null, variables jsonb default null, extensions jsonb default null
) returns jsonb language sql stable
  return '{"errors": [{"message": "pg_graphql extension is not enabled."}]}'::jsonb;
grant execute on function graphql_public.graphql(text, text, jsonb, jsonb) to postgres, anon, authenticated, service_role;
