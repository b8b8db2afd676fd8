-- Run at each start of the embedded server. The role of whoever owns the project is there before any migration; once the
-- platform's migrations are, so is the function that puts all roles right, for a copy or an upgrade may have brought others.

drop role if exists gateway_adopting; -- left by a start that was killed

do $$
begin
  if not exists (select from pg_roles where rolname = 'postgres') then
    create role postgres login;
  elsif (select rolsuper from pg_roles where rolname = 'postgres') then
    alter role postgres nosuperuser; -- left by a restore that was killed
  end if;
  if to_regprocedure('gateway.prepare_roles()') is not null then
    perform gateway.prepare_roles();
  end if;
end
$$;
