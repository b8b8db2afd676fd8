-- A dump is loaded in a session that fires no trigger (`session_replication_role = replica`), and no event trigger either
-- unless it always does: what was moved into a running gateway was unknown to it until something else changed.
do $$
begin
  alter event trigger pgrst_ddl_watch enable always;
  alter event trigger pgrst_drop_watch enable always;
exception when undefined_object or insufficient_privilege then
  raise notice 'no event triggers: only a superuser may change them';
end
$$;
