-- The other roles of hosted projects, so that dumps and migrations that name them load. Nobody logs in as one of them
-- until an operator gives it a password. What is there already stays as it is.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('supabase_functions_admin', 'nologin noinherit'),
      ('supabase_replication_admin', 'nologin'),
      ('supabase_read_only_user', 'nologin'),
      ('supabase_etl_admin', 'nologin'),
      ('supabase_privileged_role', 'nologin'),
      ('pgbouncer', 'nologin')
    ) as roles (name, options)
    where not exists (select from pg_roles where rolname = roles.name)
  loop
    execute format('create role %I %s', wanted.name, wanted.options);
  end loop;
end
$$;
