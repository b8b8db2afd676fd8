-- Resumable uploads (tus 1.0.0). What has arrived lies in parts, blobs of their own, until the object is whole; an upload
-- that is given up goes when it expires, and its parts with it. `writer` is whoever may add to it: a newcomer takes the
-- place of the one before, who then cannot commit what he has.

create table storage_private.tus_uploads (
  id text primary key,
  bucket_id text not null references storage.buckets (id) on delete cascade,
  name text not null,
  owner_id text,
  upsert boolean not null,
  length bigint,
  "offset" bigint not null default 0,
  metadata jsonb not null default '{}',
  writer uuid,
  final_version text,
  finished boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index tus_uploads_bucket_id_idx on storage_private.tus_uploads (bucket_id);
create index tus_uploads_expires_at_idx on storage_private.tus_uploads (expires_at);

create table storage_private.tus_parts (
  upload_id text not null references storage_private.tus_uploads (id) on delete cascade,
  start bigint not null,
  version text not null,
  size bigint not null,
  primary key (upload_id, start)
);
create index tus_parts_version_idx on storage_private.tus_parts (version);
create trigger let_go_of_deleted after delete on storage_private.tus_parts
  for each row execute function storage_private.let_go();

alter table storage_private.tus_uploads enable row level security;
alter table storage_private.tus_parts enable row level security;
alter table storage_private.tus_uploads owner to supabase_storage_admin;
alter table storage_private.tus_parts owner to supabase_storage_admin;
