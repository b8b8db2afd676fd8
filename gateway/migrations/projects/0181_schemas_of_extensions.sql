-- Histories that were pulled from a hosted project begin with `create extension pgsodium with schema pgsodium` and
-- `create extension pg_graphql with schema graphql`, and Postgres makes no schema that an extension is put into. Both are
-- empty here.

do $$
declare
  wanted name;
begin
  foreach wanted in array array['pgsodium', 'graphql'] loop
    if to_regnamespace(wanted) is null then
      execute format('create schema %I', wanted);
      if exists (select from pg_roles where rolname = current_user and rolsuper)
        and to_regrole('supabase_admin') is not null then
        execute format('alter schema %I owner to supabase_admin', wanted);
      end if;
      if wanted = 'graphql' then
        grant usage on schema graphql to anon, authenticated, service_role;
      end if;
    end if;
  end loop;
end
$$;

-- No role of the API has rights to it; this closes it to whoever is given some.
alter table gateway.project_steps enable row level security;
