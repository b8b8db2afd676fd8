-- What the project's own role makes is as closed as what whoever migrates makes, until a project chooses another state
-- (gateway/operations/privileges.py). And the schema `extensions` is on the search path of every session of the database
-- that has none of its own.

do $$
begin
  if current_user <> 'postgres' and pg_has_role('postgres', 'usage') then
    alter default privileges for role postgres revoke execute on functions from public;
    alter default privileges for role postgres in schema extensions grant execute on functions to public;
    alter default privileges for role postgres in schema public grant all on tables to service_role;
    alter default privileges for role postgres in schema public grant all on sequences to service_role;
    alter default privileges for role postgres in schema public grant execute on functions to service_role;
  end if;
end
$$;

do $$
begin
  if not exists (
    select from pg_db_role_setting, unnest(setconfig) as setting
    where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())
      and setting like 'search\_path=%'
  ) then
    execute format('alter database %I set search_path = "$user", public, extensions', current_database());
  end if;
exception when insufficient_privilege then
  raise notice 'the search path is the server''s: % does not own the database', current_user;
end
$$;
