-- What of one kind was done in the console: the history of its SQL page.

create index console_audit_action_idx on gateway.console_audit (action, id);

create function gateway.console_actions(action text, wanted integer) returns setof gateway.console_audit
language sql stable security definer set search_path = '' as $$
  select * from gateway.console_audit as audit
  where audit.action = console_actions.action
  order by audit.id desc limit wanted
$$;
revoke execute on function gateway.console_actions(text, integer) from public;
grant execute on function gateway.console_actions(text, integer) to supabase_auth_admin;
