-- The vault of hosted projects. Where a server has no such extension there is a notice, and no vault.

create schema if not exists vault;
grant usage on schema vault to service_role;
grant usage on schema vault to postgres with grant option;

do $$
begin
  if current_user = 'supabase_admin' and (select rolsuper from pg_roles where rolname = current_user) then
    set local role postgres;
  end if;
  create extension if not exists supabase_vault with schema vault;
exception when others then
  raise notice 'extension supabase_vault is not there: %', sqlerrm;
end
$$;
reset role;
