-- The client of database.dev, which cannot be reached from here: what this server has counts as installed.

create function install(package_name text) returns boolean language plpgsql as $$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = package_name) then
    return true;
  end if;
  raise feature_not_supported using
    message = format('package %s of database.dev is not in this server', package_name),
    hint = 'Put what its scripts make into a migration.';
end
$$;
