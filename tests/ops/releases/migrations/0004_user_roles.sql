-- Who is an administrator, and the helpers that policies and triggers of later files share.

create table public.user_roles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  role text not null constraint user_roles_role_check check (role in ('admin')),
  created_at timestamptz not null default now(),
  constraint user_roles_user_id_role_key unique (user_id, role)
);
comment on table public.user_roles is 'Roles of users; only the system administrator gives them';

alter table public.user_roles enable row level security;

grant select on public.user_roles to authenticated;

create policy user_roles_read_own on public.user_roles
  for select to authenticated using (user_id = (select auth.uid()));
create policy user_roles_service on public.user_roles
  for all to service_role using (true) with check (true);

-- Runs as its owner, so that a policy may ask it without opening user_roles. Policies write
-- (select private.is_admin()): as a subquery it is evaluated once a statement, not once a row.
create function private.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
$$;
comment on function private.is_admin() is 'Whether the signed-in user is an administrator';
grant execute on function private.is_admin() to authenticated, service_role;

-- clock_timestamp, not now: two saves in one transaction are two versions
create function private.touch_updated_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end
$$;
comment on function private.touch_updated_at() is 'Trigger: stamps updated_at';
