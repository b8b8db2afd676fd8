-- Takes away in one statement what the application's code may leave in a session, where the gateway would else send
-- seven (gateway/database/session_reset.py has the list and the reason). Whoever is connected may end it all by hand
-- too; the function only spares the trips. A gateway whose login may not call it sends the statements one by one.

-- It has no search path of its own: what it is to put back, the reset, would be undone at its end. So all is named in
-- full, and no operator is used.
create function gateway.reset_session(seed double precision, given_sql boolean) returns void
language plpgsql as $$
declare
  held refcursor;
  prepared text;
begin
  reset all;
  unlisten *;
  discard temp;
  discard sequences;
  perform pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed(seed);
  for held in select name from pg_catalog.pg_cursors where is_holdable loop
    close held;
  end loop;
  if given_sql then
    for prepared in select name from pg_catalog.pg_prepared_statements where from_sql loop
      execute pg_catalog.format('deallocate %I', prepared);
    end loop;
  end if;
end
$$;
comment on function gateway.reset_session(double precision, boolean) is
  'Takes away what a request may have left in its session; with the second, also what was prepared by SQL';

revoke all on function gateway.reset_session(double precision, boolean) from public;
do $$
declare
  login text;
begin
  foreach login in array array[
    'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'
  ] loop
    if exists (select from pg_roles where rolname = login) then
      execute format('grant usage on schema gateway to %I', login);
      execute format('grant execute on function gateway.reset_session(double precision, boolean) to %I', login);
    end if;
  end loop;
end
$$;
