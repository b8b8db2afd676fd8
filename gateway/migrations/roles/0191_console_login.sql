-- The console's login. What its connection may do, SQL of its page may do, so it is no superuser and cannot become one:
-- it is a member of roles that reach none. It reads everything, and writes as the owner of the project's tables
-- (`postgres`, where that is no superuser) and as the roles of the API.
--
-- Run here, and again when a gateway looks for the login, for roles belong to the server and not to this database.

create function gateway.prepare_console_login() returns void language plpgsql set search_path = '' as $roles$
declare
  wanted record;
begin
  if to_regrole('gateway_console') is null then
    begin
      create role gateway_console login inherit bypassrls;
    exception
      when insufficient_privilege then
        begin
          create role gateway_console login inherit;
          raise notice 'role gateway_console was made without bypassrls';
        exception
          when insufficient_privilege then
            raise notice 'role gateway_console cannot be made: the console has no login';
            return;
        end;
      when duplicate_object or unique_violation then
        null; -- another gateway was quicker
    end;
  end if;
  for wanted in
    select granted.rolname as granted
    from pg_catalog.pg_roles as granted
    where granted.rolname in (
      'anon', 'authenticated', 'service_role', 'postgres', 'pg_read_all_data', 'pg_monitor', 'pg_signal_backend'
    )
    and not exists (
      select from pg_catalog.pg_roles as mighty
      where (
        mighty.rolsuper
        or mighty.rolname in ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')
      )
      and pg_catalog.pg_has_role(granted.oid, mighty.oid, 'member')
    )
    -- before version 16 who may create roles may give himself any that is no superuser's, such as a server's files
    and not (granted.rolcreaterole and pg_catalog.current_setting('server_version_num')::integer < 160000)
    and not pg_catalog.pg_has_role('gateway_console', granted.oid, 'member')
  loop
    begin
      execute pg_catalog.format('grant %I to gateway_console', wanted.granted);
    exception when insufficient_privilege or invalid_grant_operation then
      raise notice 'the console''s login is not made a member of %', wanted.granted;
    end;
  end loop;
end
$roles$;
revoke execute on function gateway.prepare_console_login() from public;
select gateway.prepare_console_login();
