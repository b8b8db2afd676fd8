-- Lists of things to do: each person sees their own.
create table public.todos (
  id bigint generated always as identity primary key,
  title text not null,
  owner uuid references auth.users (id) on delete cascade default auth.uid()
);

alter table public.todos enable row level security;

create policy "People see and change their own" on public.todos
  for all to authenticated using ((select auth.uid()) = owner) with check ((select auth.uid()) = owner);

grant select, insert, update, delete on public.todos to authenticated, service_role;

create function public.handle_new_user() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.todos (title, owner) values ('Welcome; read the docs', new.id);
  return new;
end;
$$;

create trigger on_auth_user_created
  after insert on auth.users
  for each row execute function public.handle_new_user();
