-- Schemas that dumps of hosted projects name in `create extension … with schema`, which makes none.

create schema if not exists graphql;
grant usage on schema graphql to anon, authenticated, service_role;
grant usage on schema graphql to postgres with grant option;
create schema if not exists pgsodium;
grant usage on schema pgsodium to postgres with grant option;
comment on schema pgsodium is 'Empty: for histories of projects that had the extension';
