-- Which table has the application's roles of accounts, for `gateway users grant`: one with the columns user_id and role,
-- which an application names by `select gateway.keep_roles_in('public.its_table')`.

create table gateway.roles_table (
  only_one boolean primary key default true constraint roles_table_only_one_check check (only_one),
  name text not null
);
comment on table gateway.roles_table is 'The application''s table of the roles of accounts; see gateway.keep_roles_in()';
alter table gateway.roles_table enable row level security;

create function gateway.keep_roles_in(relation regclass) returns void
language plpgsql set search_path = '' as $$
begin
  if (select count(*) from pg_catalog.pg_attribute
      where attrelid = relation and attname in ('user_id', 'role') and not attisdropped) <> 2 then
    raise exception using errcode = '22023', message = 'a table of roles has the columns user_id and role';
  end if;
  insert into gateway.roles_table (name) values (relation::text)
  on conflict on constraint roles_table_pkey do update set name = excluded.name;
end
$$;
comment on function gateway.keep_roles_in(regclass) is 'Says which table has the roles of accounts';

revoke execute on function gateway.keep_roles_in(regclass) from public;
