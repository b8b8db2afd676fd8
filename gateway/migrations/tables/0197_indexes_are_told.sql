-- An index tells the gateway more than it did: one of an expression may run the application's code in each insert, and
-- one of trigrams changes how searches are planned. So a new one is announced like any other change of the schema.

create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  -- temporary tables are no part of the served schema, and neither statistics nor an index' name change anything of it
  if exists (
    select from pg_event_trigger_ddl_commands()
    where schema_name is distinct from 'pg_temp'
      and command_tag not in ('ALTER INDEX', 'CREATE STATISTICS', 'REFRESH MATERIALIZED VIEW')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;
