-- A small upload's row in one trip: the caller's policies are asked, and the owner writes, in the same transaction. The
-- bytes lie in the store by then. Where the policies refuse, nothing is written, and the bytes are removed.
--
-- Policies run code of the application, which may leave things in the session. A probe is taken back, and with it what
-- such code has set, created, declared or listened to; what outlives that is taken away here, so that the session need
-- not be reset (gateway/database/session_reset.py has the whole list).

create function storage_private.clean_session() returns void language plpgsql as $$
declare
  prepared name;
begin
  -- the application may know what `random()` gives after its own `setseed`
  perform pg_catalog.pg_advisory_unlock_all(),
    pg_catalog.setseed(pg_catalog.hashtext(pg_catalog.gen_random_uuid()::text) / 2147483648::double precision);
  discard sequences;
  for prepared in select s.name from pg_catalog.pg_prepared_statements as s where s.from_sql loop
    execute pg_catalog.format('deallocate %I', prepared);
  end loop;
end
$$;

create or replace function storage_private.probe_insert(
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
exception
  when sqlstate 'PT200' then
    perform storage_private.clean_session();
  when others or query_canceled or assert_failure then
    perform storage_private.clean_session();
    raise;
end
$$;

create function storage_private.write_object(
  _caller text, _bucket_id text, _name text, _owner uuid, _owner_id text, _asked jsonb, _user_metadata jsonb,
  _version text, _metadata jsonb, _upsert boolean
) returns uuid language plpgsql as $$
declare
  writer constant name := current_user;
  written uuid;
begin
  perform set_config('role', _caller, true);
  perform storage_private.probe_insert(_bucket_id, _name, _owner, _owner_id, _asked, _user_metadata, _upsert);
  perform set_config('role', writer, true);
  if _upsert then
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
      version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata
    returning id into written;
  else
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    returning id into written;
  end if;
  return written;
end
$$;

revoke execute on function
  storage_private.clean_session(),
  storage_private.write_object(text, text, text, uuid, text, jsonb, jsonb, text, jsonb, boolean)
from public;
grant execute on function storage_private.clean_session() to public;
alter function storage_private.clean_session() owner to supabase_storage_admin;
alter function storage_private.write_object(text, text, text, uuid, text, jsonb, jsonb, text, jsonb, boolean)
  owner to supabase_storage_admin;
