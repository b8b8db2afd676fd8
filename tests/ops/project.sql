set role postgres;
-- A project in a database that has the platform: what applications make, with all that makes a dump hard to read.
create schema app;
grant usage on schema app to anon, authenticated;
create type public.mood as enum ('sad', 'ok');
create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  name text not null unique, feeling public.mood default 'ok', tags text[] default '{}'
);
alter table public.profiles enable row level security;
create policy "own; rows" on public.profiles for select to authenticated using ((select auth.uid()) = id);
grant select on public.profiles to anon, authenticated;
create table app.notes (id bigint generated always as identity primary key, body text, made timestamptz default now());
comment on table app.notes is 'Notes; all';
insert into app.notes (body)
values ('a;b'), (E'tab\tand \\ backslash'), (null), ('quote '' " $$ '), (E'line\nbreak\n\\.\nend');
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, name) values (new.id, coalesce(new.raw_user_meta_data ->> 'name', new.id::text));
  return new;
end; $$;
create trigger on_auth_user_created after insert on auth.users
  for each row execute function public.handle_new_user();
create function public.atomic(a int) returns int language sql
begin atomic select case when a > 1 then 1 else 2 end; select 3; end;
create view app.loud with (security_invoker) as select upper(body) as body from app.notes;
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true);
create policy "Avatars; are public" on storage.objects for select using (bucket_id = 'avatars');
insert into auth.users (id, email, encrypted_password, email_confirmed_at, raw_user_meta_data, aud, role)
values (
  '11111111-1111-1111-1111-111111111111', 'ada@example.com', '$2a$10$hash', now(), '{"name": "Ada"}',
  'authenticated', 'authenticated'
);
insert into auth.identities (id, user_id, provider_id, provider, identity_data)
values (
  gen_random_uuid(), '11111111-1111-1111-1111-111111111111', '11111111-1111-1111-1111-111111111111', 'email',
  '{"email": "ada@example.com"}'
);
alter publication supabase_realtime add table app.notes;
reset role;
