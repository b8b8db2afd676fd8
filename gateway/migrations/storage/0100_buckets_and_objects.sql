-- The storage API's schema, as hosted projects have it: buckets and objects are rows, and policies on them are the only
-- thing that decides who may do what. No policy exists at first: all but the service role can do nothing, except read
-- the files of public buckets. The bytes lie elsewhere, under the `version` of a row.
--
-- supabase_storage_admin owns everything here and is the login of the storage API. It becomes whatever role a request
-- names, as far as authenticator may.

do $$
declare
  wanted record;
begin
  for wanted in
    select granted.rolname as granted, member.rolname as member
    from pg_roles as granted, pg_roles as member
    where (
      granted.rolname = 'authenticator' and member.rolname = 'supabase_storage_admin'
      or granted.rolname = 'supabase_storage_admin' and member.rolname = current_user and not member.rolsuper
    )
    and not exists (
      select from pg_auth_members where roleid = granted.oid and pg_auth_members.member = member.oid
      and coalesce((to_jsonb(pg_auth_members) ->> 'set_option')::boolean, true)
    )
  loop
    begin
      execute format('grant %I to %I', wanted.granted, wanted.member);
    exception when insufficient_privilege then
      if wanted.granted = 'supabase_storage_admin' then
        raise insufficient_privilege using
          message = format('%s must be able to become supabase_storage_admin', current_user),
          hint = format('As whoever made the role: grant supabase_storage_admin to %I', current_user);
      end if;
      -- whose roles are kept by the server's host has storage log in as himself, and is granted them
      raise notice 'supabase_storage_admin cannot become what authenticator can';
    end;
  end loop;
end
$$;

create schema if not exists storage;
grant usage on schema storage to anon, authenticated, service_role;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED'
);
create unique index bname on storage.buckets (name);
comment on column storage.buckets.owner is 'Deprecated: see owner_id';

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean default false,
  is_versioned boolean default false,
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);
create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");
-- what the check asks for every blob that it finds
create index objects_version_idx on storage.objects (version);
comment on column storage.objects.owner is 'Deprecated: see owner_id';

create table storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);
create index s3_multipart_uploads_parts_upload_id_idx on storage.s3_multipart_uploads_parts (upload_id, part_number);

-- The table of that name tells projects that move in what the original had applied; nothing is applied by it here.
create table storage.migrations (
  id integer primary key,
  name varchar(100) not null unique,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);

-- what policies and queries use ----------------------------------------------------------------------------------

create function storage.foldername(name text) returns text[] language sql immutable
  return (string_to_array(name, '/'))[1 : greatest(array_length(string_to_array(name, '/'), 1) - 1, 0)];

create function storage.filename(name text) returns text language sql immutable
  return split_part(name, '/', -1);

create function storage.extension(name text) returns text language sql immutable
  return split_part(split_part(name, '/', -1), '.', -1);

create function storage.operation() returns text language sql stable
  return nullif(current_setting('storage.operation', true), '');
comment on function storage.operation() is 'What the storage API is doing in this request, such as storage.object.upload';

create function storage.allow_any_operation(expected_operations text[]) returns boolean language sql stable
  return coalesce(
    regexp_replace(storage.operation(), '^storage\.', '')
    = any (array(select regexp_replace(wanted, '^storage\.', '') from unnest(expected_operations) as wanted)),
    false
  );

create function storage.allow_only_operation(expected_operation text) returns boolean language sql stable
  return storage.allow_any_operation(array[expected_operation]);

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text) language sql stable
begin atomic
  select sum((metadata ->> 'size')::bigint)::bigint, objects.bucket_id from storage.objects group by objects.bucket_id;
end;

create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

-- triggers -------------------------------------------------------------------------------------------------------

create function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end
$$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

-- A row that goes by SQL would be missed by nobody but its bytes: they go with it only through the API, or where the
-- caller says that this is meant.
create function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), '') <> 'true' then
    raise insufficient_privilege using
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create trigger protect_objects_truncate before truncate on storage.objects
  for each statement execute function storage.protect_delete();
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create trigger protect_buckets_truncate before truncate on storage.buckets
  for each statement execute function storage.protect_delete();

create function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- rights ---------------------------------------------------------------------------------------------------------

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
alter table storage.migrations enable row level security;

-- (hosted projects grant truncate, references and trigger too, which no request can use)
grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated, service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;
grant select, insert, update, delete on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant execute on function
  storage.foldername(text), storage.filename(text), storage.extension(text), storage.operation(),
  storage.allow_any_operation(text[]), storage.allow_only_operation(text), storage.get_size_by_bucket(),
  storage.can_insert_object(text, text, uuid, jsonb)
to public;
