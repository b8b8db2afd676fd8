-- Each service logs in as a role of its own: tables as authenticator, auth as supabase_auth_admin. A superuser's session
-- that takes on a lesser role can be taken back by SQL (`set session authorization`), and functions with dynamic SQL hand
-- that to any visitor. Storage and realtime have their logins prepared. No password is written here: the gateway gives
-- the roles theirs (gateway/logins.py).
--
-- The API roles get the statement timeouts of hosted projects where they have none in this database. Those that an
-- operator or a project that moved in has given stay.

do $$
declare
  wanted record;
begin
  for wanted in
    select rolname from pg_roles
    where rolname in ('authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin')
      and not rolcanlogin
  loop
    begin
      execute format('alter role %I login', wanted.rolname);
    exception when insufficient_privilege then
      raise notice 'role % cannot be made a login', wanted.rolname;
    end;
  end loop;

  for wanted in
    select api.role, api.statement_timeout from (values
      ('anon', '3s'), ('authenticated', '8s'), ('authenticator', '8s')
    ) as api (role, statement_timeout)
    join pg_roles on rolname = api.role
    where not exists (
      select from pg_db_role_setting, unnest(setconfig) as given
      where setrole = pg_roles.oid and given like 'statement\_timeout=%'
        and setdatabase in (0, (select oid from pg_database where datname = current_database()))
    )
  loop
    begin
      execute format('alter role %I set statement_timeout = %L', wanted.role, wanted.statement_timeout);
    exception when insufficient_privilege then
      raise notice 'role % has no statement_timeout', wanted.role;
    end;
  end loop;
end
$$;
