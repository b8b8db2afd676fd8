-- Whose the platform's schemas are. As on hosted projects they are supabase_admin's, not the role's that a project's
-- migrations run as: what drops all that this role owns, as the official `db reset` of a remote database does, spares
-- them. The services keep what is in their schemas.
--
-- Only where a superuser migrates. On a server where a plain owner does, all is his, and nothing changes.

-- Roles of the embedded server, as hosted projects have them. Run here, and at each start of that server, so that what a
-- restored copy or an upgrade brought is put right; changes nothing where all is in place.
--
-- supabase_admin is the superuser and owns what the platform makes. `postgres` is whoever owns the project: it owns the
-- database and what the project's migrations make, and may do to auth, storage and realtime what their owners may. It
-- is no superuser: its functions run with its rights, and a superuser's reach the machine.
create function gateway.prepare_roles() returns void language plpgsql set search_path = '' as $roles$
declare
  wanted record;
begin
  -- any other server's roles are its own business
  if current_user <> 'supabase_admin' or current_user::regrole::oid <> 10 then
    return;
  end if;

  if exists (
    select from pg_roles where rolname = 'postgres'
      and not (rolcanlogin and rolinherit and rolcreaterole and rolcreatedb and rolreplication and rolbypassrls)
  ) then
    alter role postgres login inherit createrole createdb replication bypassrls;
  end if;

  for wanted in
    select granted.oid::regrole as granted, member.oid::regrole as member, wanted_members.admin
    from (values
      ('anon', 'postgres', true),
      ('authenticated', 'postgres', true),
      ('service_role', 'postgres', true),
      ('authenticator', 'postgres', true),
      ('pg_monitor', 'postgres', true),
      ('pg_read_all_data', 'postgres', true),
      ('pg_signal_backend', 'postgres', true),
      ('pg_create_subscription', 'postgres', false),
      ('supabase_privileged_role', 'postgres', false),
      -- hosted projects have a library that lets `postgres` do what owners may; here it is a member of them
      ('supabase_auth_admin', 'postgres', false),
      ('supabase_storage_admin', 'postgres', false),
      ('supabase_realtime_admin', 'postgres', false),
      ('supabase_functions_admin', 'postgres', false),
      ('pg_read_all_data', 'supabase_read_only_user', false),
      ('pg_read_all_data', 'supabase_etl_admin', false)
    ) as wanted_members (granted, member, admin)
    join pg_roles as granted on granted.rolname = wanted_members.granted
    join pg_roles as member on member.rolname = wanted_members.member
    where not exists (
      select from pg_auth_members as has
      where has.roleid = granted.oid and has.member = member.oid and (has.admin_option or not wanted_members.admin)
        and has.set_option and has.inherit_option
    )
  loop
    execute format('grant %s to %s with %s inherit true, set true', wanted.granted, wanted.member,
      case when wanted.admin then 'admin true,' else '' end);
  end loop;

  for wanted in
    select * from (values
      ('postgres', '"$user", public, extensions'),
      ('supabase_read_only_user', null)
    ) as settings (name, search_path)
    join pg_roles on rolname = name
    where not exists (select from pg_db_role_setting where setrole = pg_roles.oid and setdatabase = 0)
  loop
    if wanted.search_path is null then
      execute format('alter role %I set default_transaction_read_only = on', wanted.name);
    else
      execute format('alter role %I set search_path = %s', wanted.name, wanted.search_path);
    end if;
  end loop;

  -- What a project's migrations and dumps set although it is a superuser's to set. `app.*` are the names of old guides.
  for wanted in
    select name from unnest(array[
      'session_replication_role', 'log_min_duration_statement', 'log_min_messages', 'log_statement', 'log_lock_waits',
      'log_temp_files', 'track_io_timing', 'wal_compression', 'deadlock_timeout',
      'pgrst.db_schemas', 'pgrst.db_max_rows', 'pgrst.db_extra_search_path', 'pgrst.db_pre_request',
      'pgrst.db_aggregates_enabled', 'pgrst.db_plan_enabled', 'pgrst.db_tx_end', 'pgrst.server_timing_enabled',
      'pgrst.db_anon_role', 'pgrst.db_root_spec', 'pgrst.jwt_secret', 'pgrst.openapi_mode',
      'pg_net.batch_size', 'pg_net.ttl', 'cron.timezone', 'plan_filter.statement_cost_limit',
      'app.settings.jwt_secret', 'app.settings.jwt_exp', 'app.settings.supabase_url', 'app.settings.service_role_key',
      'app.settings.anon_key', 'app.settings.project_url', 'app.settings.site_url', 'app.settings.api_url',
      'app.settings.edge_function_url', 'app.jwt_secret', 'app.supabase_url', 'app.service_role_key'
    ]) as name
    where not has_parameter_privilege('postgres', name, 'set')
  loop
    execute format('grant set on parameter %s to postgres', wanted.name);
  end loop;

  if (select datdba from pg_database where datname = current_database()) <> 'postgres'::regrole then
    execute format('alter database %I owner to postgres', current_database());
  end if;
end
$roles$;
revoke execute on function gateway.prepare_roles() from public;
select gateway.prepare_roles();

do $$
declare
  wanted record;
  databases name[];
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    raise notice 'the schemas of the platform stay with %', current_user;
    return;
  end if;

  -- The embedded server's superuser was called `postgres` up to version 0.7, and copies of that time bring its objects.
  -- They stay a superuser's: what they do they could do until now.
  if current_user = 'supabase_admin' and current_user::regrole::oid = 10 then
    databases := array(select datname from pg_database where datdba = 'postgres'::regrole);
    reassign owned by postgres to supabase_admin;
    for at in 1 .. cardinality(databases) loop
      execute format('alter database %I owner to postgres', databases[at]); -- other projects' on this server
    end loop;
    perform gateway.prepare_roles();
    alter schema extensions owner to postgres;
  end if;

  for wanted in
    select * from (values
      ('auth', 'supabase_auth_admin'),
      ('storage', 'supabase_storage_admin'),
      ('storage_private', 'supabase_storage_admin'),
      ('graphql_public', null),
      ('gateway', null),
      ('jobs', null)
    ) as schemas (name, service)
    where to_regnamespace(name) is not null
  loop
    if (select nspowner from pg_namespace where nspname = wanted.name) <> 'supabase_admin'::regrole then
      execute format('alter schema %I owner to supabase_admin', wanted.name);
    end if;
    if wanted.service is not null then
      execute format('grant usage, create on schema %I to %I', wanted.name, wanted.service);
    end if;
  end loop;
end
$$;

-- That reset also drops every policy, and fails as a whole on one that it may not. What the auth API reaches in the
-- platform's own schema it reaches as the tables' owner instead.
grant create on schema gateway to supabase_auth_admin;
alter table gateway.throttle owner to supabase_auth_admin;
alter table gateway.api_key_uses owner to supabase_auth_admin;
revoke create on schema gateway from supabase_auth_admin;
drop policy if exists throttle_auth_all on gateway.throttle;
drop policy if exists api_key_uses_auth_all on gateway.api_key_uses;

-- A project's own role: histories also make functions and tables in these schemas, and grant the use of them.
grant usage, create on schema auth, storage to postgres with grant option;
grant usage on schema auth, storage to dashboard_user;
grant usage on schema graphql_public to postgres with grant option;
grant usage, create on schema extensions to postgres with grant option;
grant usage on schema extensions to dashboard_user;
