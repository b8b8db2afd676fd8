-- Things to do: each person sees and changes their own.
create table public.todos (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  title text not null check (char_length(title) between 1 and 200),
  done boolean not null default false,
  made_at timestamptz not null default now()
);

create index todos_owner on public.todos (owner);

alter table public.todos enable row level security;

create policy "People see their own" on public.todos
  for select to authenticated using ((select auth.uid()) = owner);
create policy "People add their own" on public.todos
  for insert to authenticated with check ((select auth.uid()) = owner);
create policy "People change their own" on public.todos
  for update to authenticated using ((select auth.uid()) = owner) with check ((select auth.uid()) = owner);
create policy "People remove their own" on public.todos
  for delete to authenticated using ((select auth.uid()) = owner);

grant select, insert, update, delete on public.todos to authenticated, service_role;
