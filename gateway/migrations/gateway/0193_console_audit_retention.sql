-- What was done in the console is kept as long as the audit log of accounts: for GATEWAY_AUDIT_DAYS.

create function gateway.forget_console_audit(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint;
begin
  delete from gateway.console_audit where id in (
    select id from gateway.console_audit where at < now() - make_interval(days => days) order by at limit most
  );
  get diagnostics hits = row_count;
  return hits;
end
$$;
revoke execute on function gateway.forget_console_audit(integer, integer) from public;

select gateway.retain('audit', 'gateway.forget_console_audit(integer, integer)');
