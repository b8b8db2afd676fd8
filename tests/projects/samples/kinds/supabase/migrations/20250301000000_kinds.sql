-- Kinds of object that few applications have and every dump has to carry.
create extension if not exists pgmq;
create extension if not exists pg_cron;
create extension if not exists pg_net with schema extensions version '0.14.0';
create extension if not exists citext;
create extension if not exists pgjwt with schema extensions;
create extension if not exists wrappers with schema extensions;
create extension if not exists postgis;
create extension if not exists pg_trgm;
alter extension pg_trgm set schema extensions;

create schema api;
create type api.mood as enum ('calm', 'wild');
create domain api.address as citext check (value ~ '@');
create table api.visits (
  id bigint generated always as identity, at timestamptz not null, mail api.address, mood api.mood default 'calm'
) partition by range (at);
create table api.visits_2024 partition of api.visits for values from ('2024-01-01') to ('2025-01-01');
create table api.visits_later partition of api.visits default;
insert into api.visits (at, mail) values ('2024-05-05', 'a@example.com'), ('2026-01-01', 'C@example.com');
create materialized view api.counted as select count(*) as visits from api.visits;
create unique index on api.counted (visits);
create table public.papers (
  id uuid primary key default gen_random_uuid(), body text, owner uuid references auth.users on delete cascade,
  words tsvector generated always as (to_tsvector('english', body)) stored, ranges int4range[]
);
insert into public.papers (body, ranges) values (E'back\\slash\ttab', '{"[1,4)"}');
create index on public.papers using gin (words);
create index on public.papers using gin (body extensions.gin_trgm_ops);
alter table public.papers enable row level security;
create policy "own papers" on public.papers using ((select auth.uid()) = owner);

create publication everything for all tables;
create publication visits for tables in schema api;
create publication papers for table public.papers (id, body) where (body is not null);
create function public.note_change() returns event_trigger language plpgsql as $$ begin null; end $$;
create event trigger changes on ddl_command_end when tag in ('CREATE TABLE') execute function public.note_change();
create foreign data wrapper shop handler shop_fdw_handler validator shop_fdw_validator;
create server shop_server foreign data wrapper shop options (api_url 'http://127.0.0.1:9/');
create foreign table public.orders (id text) server shop_server options (object 'orders');

create text search configuration public.plain (copy = simple);
create collation public.bytes from "C";
create aggregate public.joined(text) (sfunc = textcat, stype = text, initcond = '');
create operator public.=== (leftarg = integer, rightarg = integer, function = int4eq);
create rule logged as on insert to api.visits_later do also nothing;
create statistics public.of_papers on id, body from public.papers;
create function public.one_more(n integer) returns integer language sql begin atomic select n + 1; end;
create procedure public.idle() language plpgsql as $$ begin null; end $$;
select lo_from_bytea(0, 'large');
select cron.schedule('idle', '0 3 * * *', 'call public.idle()');
select pgmq.create('letters');

create function public.on_sign_up() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.papers (owner, body) values (new.id, 'first');
  return new;
end $$;
create trigger on_sign_up after insert on auth.users for each row execute function public.on_sign_up();
insert into storage.buckets (id, name) values ('papers', 'papers');
create policy "papers are read" on storage.objects for select using (bucket_id = 'papers');
create policy "rooms are read" on realtime.messages for select to authenticated using (true);
create role reporter_of_kinds nologin;
grant select on public.papers to reporter_of_kinds;
alter default privileges in schema api grant select on tables to authenticated;
alter database postgres set app.kinds = 'many';
