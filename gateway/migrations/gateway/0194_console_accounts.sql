-- Accounts of the console: who gets in by a name and a password, and what for.
--
-- The hash is of the password sealed with a secret that is not in the database (gateway/console/accounts.py), together
-- with the name and the kind: who reads the table has nothing to guess at, and who writes to it lets nobody in.

create table gateway.console_accounts (
  name text primary key,
  kind text not null constraint console_accounts_kind_check check (kind in ('all', 'read', 'records')),
  hash text not null,
  mark text not null,
  stamp uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
alter table gateway.console_accounts enable row level security;
comment on table gateway.console_accounts is
  'Accounts of the console; `mark` names the secret that the hash is sealed with, `stamp` is new with each password';
revoke all on gateway.console_accounts from public;

create function gateway.console_account(name text) returns setof gateway.console_accounts
language sql stable security definer set search_path = '' as $$
  select * from gateway.console_accounts as accounts where accounts.name = console_account.name
$$;

-- The same password, sealed with another secret.
create function gateway.console_account_sealed(name text, stamp uuid, hash text, mark text) returns void
language sql security definer set search_path = '' as $$
  update gateway.console_accounts as accounts
  set hash = console_account_sealed.hash, mark = console_account_sealed.mark
  where accounts.name = console_account_sealed.name and accounts.stamp = console_account_sealed.stamp
$$;

-- A session that holds; one of an account only while it has the password that it was begun with.
create function gateway.console_session_of(digest bytea, account text, stamp uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select sessions.id
  from gateway.console_sessions as sessions
  where sessions.digest = console_session_of.digest and sessions.expires_at > now()
    and (
      console_session_of.account is null
      or exists (
        select from gateway.console_accounts as accounts
        where accounts.name = console_session_of.account and accounts.stamp = console_session_of.stamp
      )
    )
$$;

revoke execute on function
  gateway.console_account(text), gateway.console_account_sealed(text, uuid, text, text),
  gateway.console_session_of(bytea, text, uuid)
from public;
grant execute on function
  gateway.console_account(text), gateway.console_account_sealed(text, uuid, text, text),
  gateway.console_session_of(bytea, text, uuid)
to supabase_auth_admin;
