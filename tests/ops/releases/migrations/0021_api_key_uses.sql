-- When each API key was last used, so that somebody can see which ones may go. The keys themselves are not here.
create table gateway.api_key_uses (
  id text primary key,
  last_used_at timestamptz not null
);
alter table gateway.api_key_uses enable row level security;
comment on table gateway.api_key_uses is 'Last use of each API key, to the minute; ids as in `gateway keys list`';
grant select, insert, update on gateway.api_key_uses to supabase_auth_admin;
create policy api_key_uses_auth_all on gateway.api_key_uses to supabase_auth_admin using (true) with check (true);
