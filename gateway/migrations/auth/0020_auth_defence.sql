-- What the auth API keeps besides the hosted schema: limits that hold over restarts and several workers, and an
-- audit log that nobody rewrites.

-- One row for each thing that is limited: a bucket of tokens, or a count of wrong passwords. Names carry keyed
-- hashes of addresses and e-mails, never the things themselves.
create table gateway.throttle (
  name text primary key,
  level double precision not null,
  updated_at timestamptz not null,
  blocked_until timestamptz
);
alter table gateway.throttle enable row level security;
comment on table gateway.throttle is 'Rate limits of the auth API';
create index throttle_updated_at_idx on gateway.throttle (updated_at);

grant usage on schema gateway to supabase_auth_admin;
grant select, insert, update, delete on gateway.throttle to supabase_auth_admin;
create policy throttle_auth_all on gateway.throttle to supabase_auth_admin using (true) with check (true);

-- Audit rows are only ever added. A trigger rather than grants alone, so that it also holds for owners and for
-- roles that pass row level security; whoever must delete old rows disables it in the same transaction, as owner.
create function auth.refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of auth.audit_log_entries are never changed or deleted'
    using errcode = 'insufficient_privilege';
end
$$;
alter function auth.refuse_audit_change() owner to supabase_auth_admin;

create trigger audit_log_entries_append_only
  before update or delete or truncate on auth.audit_log_entries
  for each statement execute function auth.refuse_audit_change();

create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at desc);
