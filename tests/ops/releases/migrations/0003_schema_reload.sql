-- Tells the gateway that the schema changed, so that it never serves from an old picture of the tables.
--
-- The names, channel and payload are those of hosted Supabase. Only a superuser may make event triggers; without
-- them whoever changes the schema says `notify pgrst, 'reload schema'`.

create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  -- temporary tables are no part of the served schema, and index or statistics work does not change its shape
  if exists (
    select from pg_event_trigger_ddl_commands()
    where schema_name is distinct from 'pg_temp'
      and command_tag not in ('CREATE INDEX', 'ALTER INDEX', 'CREATE STATISTICS', 'REFRESH MATERIALIZED VIEW')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_event_trigger_dropped_objects()
    where not is_temporary and object_type not in ('index', 'statistics object', 'toast table')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

do $$
begin
  drop event trigger if exists pgrst_ddl_watch;
  drop event trigger if exists pgrst_drop_watch;
  create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
exception when insufficient_privilege then
  raise notice 'no event triggers: only a superuser may make them';
end
$$;
