"""The official CLI's reset of a remote database, step for step as its contract tells it, spares the platform."""

from __future__ import annotations

from gateway import migrations
from gateway.database import SyncConnection
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded

KEPT = (
    "pg_graphql", "pg_net", "pg_stat_statements", "pgcrypto", "pgjwt", "pgsodium", "plpgsql", "supabase_vault",
    "uuid-ossp",
)  # fmt: skip
SPARED = (
    "information_schema", "pg\\_%", "\\_analytics", "\\_realtime", "\\_supavisor", "pgbouncer", "pgmq", "pgsodium",
    "pgtle", "supabase\\_migrations", "vault", "extensions", "public",
)  # fmt: skip
RESET = f"""
do $$
declare
  each record;
begin
  for each in
    select nspname as name from pg_namespace as n
    where nspowner::regrole::text <> 'supabase_admin' and not nspname like any (array{list(SPARED)!r})
      and not exists (select from pg_depend where classid = 'pg_namespace'::regclass and objid = n.oid)
  loop
    execute format('drop schema if exists %I cascade', each.name);
  end loop;
  for each in select extname as name from pg_extension where extname <> all (array{list(KEPT)!r}) loop
    execute format('drop extension if exists %I cascade', each.name);
  end loop;
  for each in select oid::regprocedure as name from pg_proc where pronamespace = 'public'::regnamespace loop
    execute format('drop routine if exists %s cascade', each.name);
  end loop;
  for each in
    select oid::regclass as name, relkind as kind from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'r', 'p')
  loop
    execute format('drop %s if exists %s cascade',
      case each.kind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, each.name);
  end loop;
  for each in
    select oid::regclass as name from pg_class
    where relnamespace = 'auth'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
  loop
    execute format('truncate %s restart identity cascade', each.name);
  end loop;
  for each in
    select oid::regtype as name from pg_type
    where typnamespace = 'public'::regnamespace and typtype <> 'b' and typrelid = 0
  loop
    execute format('drop type if exists %s cascade', each.name);
  end loop;
  for each in select policyname, schemaname, tablename from pg_policies loop
    execute format('drop policy if exists %I on %I.%I cascade', each.policyname, each.schemaname, each.tablename);
  end loop;
  for each in select pubname as name from pg_publication where pubname not like 'supabase\\_realtime%' loop
    execute format('drop publication if exists %I', each.name);
  end loop;
end
$$
"""
PROJECT = """
create schema app; create table app.t (); create type public.mood as enum ('a'); create domain public.d as text;
create extension citext; create extension pg_cron; create extension pgmq; create extension pg_net;
create extension vector; create extension http with schema extensions; create extension postgres_fdw;
create table public.profiles (id uuid primary key references auth.users on delete cascade, name citext);
create view public.v as select * from public.profiles; create materialized view public.m as select 1;
create function public.f() returns trigger language plpgsql as 'begin return new; end';
create trigger t after insert on auth.users for each row execute function public.f();
create policy p on storage.objects for select using (true); create policy q on public.profiles using (true);
alter publication supabase_realtime add table public.profiles; create publication mine;
insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com');
insert into storage.buckets (id, name) values ('a', 'a'); select pgmq.create('q'); select vault.create_secret('x', 'y');
select cron.schedule('a', '* * * * *', 'select 1')
"""
OBJECTS = """
  select 'table ' || oid::regclass from pg_class
  where relkind in ('r', 'p', 'v') and relnamespace::regnamespace::text in
    ('auth', 'storage', 'realtime', 'gateway', 'jobs', 'vault', 'storage_private', 'realtime_private')
    and relname !~ '^messages_\\d'
  union all
  select 'function ' || oid::regprocedure from pg_proc where pronamespace::regnamespace::text in
    ('auth', 'storage', 'realtime', 'gateway', 'jobs', 'vault', 'extensions', 'graphql_public')
    and proname !~ '^http|^urlencode'
  union all
  select 'trigger ' || tgname || tgrelid::regclass from pg_trigger
  where not tgisinternal and tgname <> 't' and tgrelid::regclass::text ~ '^(auth|storage|jobs|gateway)'
  order by 1
"""


def test_a_reset_as_the_projects_role_leaves_the_platform_whole(server: Server) -> None:
    with embedded(server) as ours, database(ours) as name:
        with SyncConnection(ours.database(name)) as admin:
            before = admin.rows(OBJECTS)
        with SyncConnection(ours.database(name, "postgres")) as owner:
            for _ in range(2):  # what the project made can be made again, and be dropped again
                owner.script(PROJECT)
                owner.script(RESET)
                assert owner.rows("select nspname from pg_namespace where nspname in ('app', 'cron')") == []
                # The schema is spared, as the extension's control file keeps it; so are queues, which are no members.
                assert owner.rows("select to_regclass('pgmq.meta') is null") == [("t",)]
                assert owner.rows("select count(*) from auth.users") == [("0",)]
                owner.script(
                    "set storage.allow_delete_query = 'true'; delete from storage.buckets; delete from vault.secrets;"
                    "drop extension pg_net cascade"
                )
        with SyncConnection(ours.database(name)) as admin:
            assert admin.rows(OBJECTS) == before
            assert migrations.pending(admin, (migrations.platform(),)) == []
            admin.script("select auth.uid(), storage.foldername('a/b')")
