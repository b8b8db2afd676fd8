create table profiles (
  id uuid references auth.users not null primary key,
  updated_at timestamp with time zone,
  username text unique,
  avatar_url text,
  constraint username_length check (char_length(username) >= 3)
);
alter table profiles enable row level security;
create policy "Profiles are public." on profiles for select using (true);
create policy "People make their own." on profiles for insert with check ((select auth.uid()) = id);

create function public.handle_new_user() returns trigger set search_path = '' as $$
begin
  insert into public.profiles (id, username, avatar_url)
  values (new.id, new.raw_user_meta_data->>'username', new.raw_user_meta_data->>'avatar_url');
  return new;
end;
$$ language plpgsql security definer;
create trigger on_auth_user_created after insert on auth.users
  for each row execute procedure public.handle_new_user();

insert into storage.buckets (id, name) values ('avatars', 'avatars');
insert into storage.buckets (id, name, public) values ('pictures', 'pictures', true) on conflict (id) do nothing;
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('documents', 'documents', false, 5242880, array['application/pdf', 'image/*'])
on conflict (id) do update set public = excluded.public, allowed_mime_types = excluded.allowed_mime_types;
insert into storage.buckets (id, name, owner, created_at) values ('old', 'old', null, now());
update storage.buckets set public = true where id = 'avatars';

alter table storage.objects enable row level security;
create policy "Avatars are public." on storage.objects for select using (bucket_id = 'avatars');
create policy "People write to their folder." on storage.objects for insert to authenticated
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text);
create policy "People change their own." on storage.objects for update
  using (auth.uid() = owner) with check (bucket_id = 'avatars');
create policy "Only pictures" on storage.objects for insert with check (
  bucket_id = 'pictures' and storage.extension(name) in ('png', 'jpg') and lower(storage.filename(name)) <> 'x'
  and auth.uid()::text = owner_id
);
create policy "Buckets are seen" on storage.buckets for select to anon, authenticated using (true);
drop policy if exists "Only pictures" on storage.objects;
alter policy "People change their own." on storage.objects rename to "Own ones";
