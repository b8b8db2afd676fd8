-- What the storage API keeps for itself. No API role reads any of it.
--
-- A blob, the bytes of one version of an object, is written whole before the row that names it commits. It is let go in
-- the other direction: whatever makes a row go or name another version, be it the API, a cascade or SQL, leaves the old
-- version in `trash` in the same transaction, and the blob is removed after it. So a crash can leave a blob without a
-- row, which is found and removed, but never a row without its blob.

create schema storage_private;
revoke all on schema storage_private from public;
grant usage on schema storage_private to public;

create table storage_private.trash (
  version text primary key,
  since timestamptz not null default now()
);
create index trash_since_idx on storage_private.trash (since);
alter table storage_private.trash enable row level security;
comment on table storage_private.trash is 'Versions whose blobs no row names any more, until they are removed';

-- The blob store that this database's rows are about: another one, such as an empty folder where a volume is not
-- mounted, would make every object look lost.
create table storage_private.store (
  only_one boolean primary key default true check (only_one),
  id uuid not null,
  since timestamptz not null default now()
);
alter table storage_private.store enable row level security;

create function storage_private.let_go() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into storage_private.trash (version)
  select distinct old.version where old.version is not null on conflict do nothing;
  return null;
end
$$;
create trigger let_go_of_deleted after delete on storage.objects
  for each row when (old.version is not null) execute function storage_private.let_go();
create trigger let_go_of_replaced after update of version on storage.objects
  for each row when (old.version is not null and old.version is distinct from new.version)
  execute function storage_private.let_go();
create trigger let_go_of_deleted after delete on storage.s3_multipart_uploads_parts
  for each row execute function storage_private.let_go();

-- Whether the caller's policies let a row be written is found out by writing it and taking that back. What is caught in
-- a block is undone with it.
create function storage_private.probe_insert(
  _bucket_id text, _name text, _owner uuid, _owner_id text, _metadata jsonb, _user_metadata jsonb, _upsert boolean
) returns void language plpgsql as $$
begin
  if _upsert then
    insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
    values (_bucket_id, _name, _owner, _owner_id, _metadata, _user_metadata, '1')
    on conflict (bucket_id, name) do update set
      owner = excluded.owner, owner_id = excluded.owner_id, metadata = excluded.metadata,
      user_metadata = excluded.user_metadata, version = excluded.version;
  else
    insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
    values (_bucket_id, _name, _owner, _owner_id, _metadata, _user_metadata, '1');
  end if;
  raise sqlstate 'PT200';
exception when sqlstate 'PT200' then
  return;
end
$$;

create function storage_private.probe_move(
  _from_bucket text, _from text, _to_bucket text, _to text, _owner uuid, _owner_id text
) returns boolean language plpgsql as $$
declare
  moved boolean;
begin
  update storage.objects set bucket_id = _to_bucket, name = _to, version = '1', owner = _owner, owner_id = _owner_id
  where bucket_id = _from_bucket and name = _from;
  moved := found;
  raise sqlstate 'PT200';
exception when sqlstate 'PT200' then
  return moved;
end
$$;

revoke execute on all functions in schema storage_private from public;
grant execute on function
  storage_private.probe_insert(text, text, uuid, text, jsonb, jsonb, boolean),
  storage_private.probe_move(text, text, text, text, uuid, text)
to public;

-- owner ----------------------------------------------------------------------------------------------------------

do $$
declare
  each record;
begin
  for each in
    select format('schema %I', nspname) as name from pg_namespace where nspname in ('storage', 'storage_private')
    union all
    select format('table %s', oid::regclass) from pg_class
    where relnamespace in ('storage'::regnamespace, 'storage_private'::regnamespace) and relkind = 'r'
    union all
    select format('type %s', oid::regtype) from pg_type
    where typnamespace = 'storage'::regnamespace and typtype = 'e'
    union all
    select format('function %s', oid::regprocedure) from pg_proc
    where pronamespace in ('storage'::regnamespace, 'storage_private'::regnamespace)
  loop
    execute format('alter %s owner to supabase_storage_admin', each.name);
  end loop;

  -- where the service role cannot bypass policies it gets its own
  if exists (select from pg_roles where rolname = 'service_role' and not rolbypassrls and not rolsuper) then
    create policy buckets_service_all on storage.buckets to service_role using (true) with check (true);
    create policy objects_service_all on storage.objects to service_role using (true) with check (true);
  end if;
end
$$;
