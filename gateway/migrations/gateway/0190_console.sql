-- The console: who has signed in, which one-time codes were used, and what was done in it.
--
-- Its SQL page runs what anybody writes there, with rights of its own login (see 0191). So what keeps the door and what
-- remembers stands behind functions: a session cannot be read back to a cookie, and what was noted is neither changed
-- nor taken away by any of them.

create table gateway.console_sessions (
  id uuid primary key default gen_random_uuid(),
  digest bytea not null constraint console_sessions_digest_key unique,
  account text not null,
  read_only boolean not null default false,
  address text,
  user_agent text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
alter table gateway.console_sessions enable row level security;
comment on table gateway.console_sessions is 'Who has signed in to the console; the digest is of the cookie';

create table gateway.console_codes (
  nonce text primary key,
  expires_at timestamptz not null
);
alter table gateway.console_codes enable row level security;
comment on table gateway.console_codes is 'One-time codes that were used and would else still hold';

create table gateway.console_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  session_id uuid,
  account text not null,
  address text,
  action text not null,
  target text not null,
  status integer,
  detail jsonb
);
alter table gateway.console_audit enable row level security;
create index console_audit_at_idx on gateway.console_audit (at);
comment on table gateway.console_audit is
  'Each change that was asked for in the console: by whom, of what, its answer, the values before and after';

revoke all on gateway.console_sessions, gateway.console_codes, gateway.console_audit from public;

-- A session of a code (`nonce`) or of a key (null); null where the code was used before.
create function gateway.console_enter(
  nonce text, nonce_expires_at timestamptz, digest bytea, account text, read_only boolean, address text,
  user_agent text, lifetime interval
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  entered uuid;
begin
  delete from gateway.console_codes as codes where codes.expires_at < now();
  delete from gateway.console_sessions as sessions where sessions.expires_at < now();
  if console_enter.nonce is not null then
    insert into gateway.console_codes (nonce, expires_at)
    values (console_enter.nonce, console_enter.nonce_expires_at)
    on conflict do nothing;
    if not found then
      return null;
    end if;
  end if;
  insert into gateway.console_sessions (digest, account, read_only, address, user_agent, expires_at)
  values (
    console_enter.digest, console_enter.account, console_enter.read_only, console_enter.address,
    console_enter.user_agent, now() + console_enter.lifetime
  )
  returning id into entered;
  return entered;
end
$$;

create function gateway.console_session(digest bytea)
returns table (id uuid, account text, read_only boolean, expires_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select sessions.id, sessions.account, sessions.read_only, sessions.expires_at
  from gateway.console_sessions as sessions
  where sessions.digest = console_session.digest and sessions.expires_at > now()
$$;

create function gateway.console_leave(digest bytea) returns void
language sql security definer set search_path = '' as $$
  delete from gateway.console_sessions as sessions where sessions.digest = console_leave.digest
$$;

create function gateway.console_note(
  session_id uuid, account text, address text, action text, target text
) returns bigint language sql security definer set search_path = '' as $$
  insert into gateway.console_audit (session_id, account, address, action, target)
  values (console_note.session_id, console_note.account, console_note.address, console_note.action, console_note.target)
  returning id
$$;

-- What came of it; said once.
create function gateway.console_noted(id bigint, status integer, detail jsonb) returns void
language sql security definer set search_path = '' as $$
  update gateway.console_audit as audit set status = console_noted.status, detail = console_noted.detail
  where audit.id = console_noted.id and audit.status is null
$$;

create function gateway.console_trail(before bigint, wanted integer) returns setof gateway.console_audit
language sql stable security definer set search_path = '' as $$
  select * from gateway.console_audit as audit
  where before is null or audit.id < before
  order by audit.id desc limit wanted
$$;

revoke execute on function
  gateway.console_enter(text, timestamptz, bytea, text, boolean, text, text, interval),
  gateway.console_session(bytea), gateway.console_leave(bytea),
  gateway.console_note(uuid, text, text, text, text), gateway.console_noted(bigint, integer, jsonb),
  gateway.console_trail(bigint, integer)
from public;
grant execute on function
  gateway.console_enter(text, timestamptz, bytea, text, boolean, text, text, interval),
  gateway.console_session(bytea), gateway.console_leave(bytea),
  gateway.console_note(uuid, text, text, text, text), gateway.console_noted(bigint, integer, jsonb),
  gateway.console_trail(bigint, integer)
to supabase_auth_admin;
