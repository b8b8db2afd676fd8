ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA PUBLIC REVOKE EXECUTE ON FUNCTIONS FROM anon, authenticated;

create schema if not exists private;
create schema if not exists teams authorization postgres;
GRANT USAGE ON SCHEMA teams, private to authenticated, service_role;

create extension if not exists "uuid-ossp";
create extension if not exists citext with schema extensions;
create extension if not exists moddatetime schema extensions;
create extension if not exists unaccent;

DO
$$
    BEGIN
        IF NOT EXISTS(SELECT 1 FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
                      WHERE t.typname = 'invitation' AND n.nspname = 'teams') THEN
            CREATE TYPE teams.invitation AS ENUM ('one_time', '24_hour');
        end if;
    end;
$$;

create table teams.accounts (
  id uuid unique not null default extensions.uuid_generate_v4(),
  owner uuid references auth.users on delete restrict not null default auth.uid(),
  name text,
  slug citext unique,
  personal boolean default false not null,
  updated_at timestamptz,
  token text default encode(extensions.gen_random_bytes(32), 'hex'),
  primary key (id)
);
create unique index one_personal on teams.accounts (owner) where personal;
alter table teams.accounts
  add constraint slug_if_team check ((personal = true and slug is null) or (personal = false and slug is not null));
create trigger handle_updated_at before update on teams.accounts
  for each row execute procedure extensions.moddatetime(updated_at);

create or replace function teams.generate_token(length int) returns text as $$
select regexp_replace(replace(replace(encode(gen_random_bytes(length)::bytea, 'base64'), '/', ''), '\', ''),
                      E'[\\n\\r]+', '', 'g');
$$ LANGUAGE sql;
grant execute on function teams.generate_token(int) to authenticated;

create or replace function teams.hashed(word text) returns text language sql immutable as
$$ select encode(digest(unaccent(word), 'sha256'), 'hex') || encode(extensions.hmac(word, 'k', 'sha256'), 'hex') $$;

CREATE OR REPLACE FUNCTION public.run_new_user_setup() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
declare
  generated_user_name text;
begin
  if new.email is not null then
    generated_user_name := split_part(new.email, '@', 1);
  end if;
  insert into teams.accounts (name, owner, personal, id) values (generated_user_name, new.id, true, new.id);
  return new;
end;
$$;
create trigger on_auth_user_created after insert on auth.users for each row execute procedure public.run_new_user_setup();

alter table teams.accounts enable row level security;
create policy "Members see" on teams.accounts for select to authenticated using (owner = (select auth.uid()));
grant select, insert, update, delete on table teams.accounts to authenticated, service_role;

create or replace function public.is_member(topic uuid) returns boolean as $$
  select exists (select 1 from teams.accounts where id = is_member.topic and owner = auth.uid());
$$ language sql security definer;
create policy "Members listen" on realtime.messages for select using (is_member(realtime.topic()::uuid));
create policy "Members send" on realtime.messages for insert to authenticated
  with check (is_member(realtime.topic()::uuid) and realtime.messages.extension in ('broadcast', 'presence'));

create role reporter_of_teams nologin;
grant reporter_of_teams to postgres;
grant usage on schema teams to reporter_of_teams;
alter role authenticator set pgrst.db_schemas = 'public, graphql_public, teams';
notify pgrst, 'reload config';
notify pgrst, 'reload schema';
