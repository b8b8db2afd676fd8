-- Two things that a small upload's row does not need: the question to the policies where none apply to the caller, and
-- the triggers of an update where nothing was there to be replaced.

create or replace function storage_private.write_object(
  _caller text, _bucket_id text, _name text, _owner uuid, _owner_id text, _asked jsonb, _user_metadata jsonb,
  _version text, _metadata jsonb, _upsert boolean
) returns uuid language plpgsql as $$
declare
  writer constant name := current_user;
  written uuid;
begin
  perform set_config('role', _caller, true);
  if row_security_active('storage.objects') or not (
    has_table_privilege('storage.objects', 'select') and has_table_privilege('storage.objects', 'insert')
    and has_table_privilege('storage.objects', 'update')
  ) then
    perform storage_private.probe_insert(_bucket_id, _name, _owner, _owner_id, _asked, _user_metadata, _upsert);
  end if;
  perform set_config('role', writer, true);
  if _upsert then
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    on conflict (bucket_id, name) do nothing
    returning id into written;
    if written is null then
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
      on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
        version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata
      returning id into written;
    end if;
  else
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    returning id into written;
  end if;
  return written;
end
$$;
