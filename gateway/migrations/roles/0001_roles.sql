-- Roles and the ground rules of access.
--
-- The names are those of hosted Supabase, so that policies and dumps move both ways. The gateway logs in as
-- authenticator (or as a role that may become the ones below) and takes on one role for each request.
-- Everything created after this file is closed to anon and authenticated until a migration opens it.
--
-- Roles belong to the whole server. They are created only where missing, and their settings are given only at
-- that moment, so what an operator changed stays changed. The migrating role need not be a superuser; where it
-- may not grant BYPASSRLS, service_role is made without it and relies on the policies each table has for it.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit', '3s'),
      ('authenticated', 'nologin noinherit', '8s'),
      ('service_role', 'nologin noinherit bypassrls', null),
      ('authenticator', 'login noinherit', '8s'),
      ('supabase_auth_admin', 'nologin noinherit', null),
      -- owners and grantees named in a hosted dump
      ('postgres', 'nologin', null),
      ('supabase_admin', 'nologin', null),
      ('supabase_storage_admin', 'nologin noinherit', null),
      ('supabase_realtime_admin', 'nologin noinherit', null),
      ('dashboard_user', 'nologin', null)
    ) as roles (name, options, statement_timeout)
    where not exists (select from pg_roles where rolname = roles.name)
  loop
    begin
      execute format('create role %I %s', wanted.name, wanted.options);
    exception when insufficient_privilege then
      if wanted.options !~ 'bypassrls' then
        raise;
      end if;
      execute format('create role %I %s', wanted.name, replace(wanted.options, 'bypassrls', ''));
      raise notice 'role % was made without bypassrls', wanted.name;
    end;
    if wanted.statement_timeout is not null then
      execute format('alter role %I set statement_timeout = %L', wanted.name, wanted.statement_timeout);
    end if;
  end loop;
end
$$;

-- Memberships: what authenticator may become, and, for a migrating role that is no superuser, what it must be
-- able to become in order to hand schema auth to its owner.
do $$
declare
  wanted record;
begin
  for wanted in
    select granted.rolname as granted, member.rolname as member
    from pg_roles as granted, pg_roles as member
    where (
      granted.rolname in ('anon', 'authenticated', 'service_role') and member.rolname = 'authenticator'
      or granted.rolname in ('anon', 'authenticated', 'service_role', 'supabase_auth_admin')
        and member.rolname = current_user and not member.rolsuper
    )
    and not exists (
      select from pg_auth_members where roleid = granted.oid and pg_auth_members.member = member.oid
      -- since version 16 the maker of a role is a member that may not yet become it
      and coalesce((to_jsonb(pg_auth_members) ->> 'set_option')::boolean, true)
    )
  loop
    execute format('grant %I to %I', wanted.granted, wanted.member);
  end loop;
end
$$;

revoke create on schema public from public;
grant usage on schema public to anon, authenticated, service_role;

-- hosted projects serve this schema next to public; empty here
create schema if not exists graphql_public;
grant usage on schema graphql_public to anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;

-- Postgres lets everyone execute a new function; that default can only be taken back for all schemas at once
alter default privileges revoke execute on functions from public;
alter default privileges in schema extensions grant execute on functions to public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant all on sequences to service_role;
alter default privileges in schema public grant execute on functions to service_role;
