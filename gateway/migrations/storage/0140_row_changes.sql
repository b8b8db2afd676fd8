-- Gateways remember rows of buckets and of public objects. They are told, with the commit, which of these are others now,
-- whoever changed them: the API, SQL or a restore (the triggers are `always`). New rows are not told of: nobody remembers
-- that there was none. What a probe writes and takes back is not told of either: a notification goes with its
-- subtransaction.

create function storage_private.tell_of_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  changed text;
begin
  if tg_table_name = 'objects' and tg_op <> 'TRUNCATE' then
    if not exists (select from before_change) then
      return null;
    end if;
    if not exists (select from before_change offset 50) then
      select pg_catalog.json_agg(pg_catalog.json_build_array(bucket_id, name))::text into changed from before_change;
    end if;
    if changed is null or pg_catalog.octet_length(changed) > 7000 then
      changed := '*';
    end if;
  else
    changed := '*';
  end if;
  perform pg_catalog.pg_notify('storage_rows', changed);
  return null;
end
$$;
revoke execute on function storage_private.tell_of_changes() from public;
alter function storage_private.tell_of_changes() owner to supabase_storage_admin;

create trigger tell_of_updates after update on storage.objects referencing old table as before_change
  for each statement execute function storage_private.tell_of_changes();
create trigger tell_of_deletes after delete on storage.objects referencing old table as before_change
  for each statement execute function storage_private.tell_of_changes();
create trigger tell_of_truncation after truncate on storage.objects
  for each statement execute function storage_private.tell_of_changes();
create trigger tell_of_changes after update or delete or truncate on storage.buckets
  for each statement execute function storage_private.tell_of_changes();
alter table storage.objects enable always trigger tell_of_updates;
alter table storage.objects enable always trigger tell_of_deletes;
alter table storage.objects enable always trigger tell_of_truncation;
alter table storage.buckets enable always trigger tell_of_changes;
