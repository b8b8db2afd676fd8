-- The official reset of a remote database empties every table of auth as the project's role, and fails as a whole where one
-- refuses. The audit log lets that role empty it as a whole, in a server where it is no superuser; nobody changes or
-- deletes a row of it.

create or replace function auth.refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' and current_user = 'postgres'
    and not (select rolsuper from pg_roles where rolname = current_user) then
    return null;
  end if;
  raise exception 'rows of auth.audit_log_entries are never changed or deleted'
    using errcode = 'insufficient_privilege';
end
$$;
