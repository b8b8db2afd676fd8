-- What else of the schema hosted projects have, and their migrations, policies and dumps name: the table of who listens to
-- changes, its types, the server's own ledger, and functions that only rights are given to. The gateway keeps who listens
-- in its own memory and reads the log itself (realtime.visible_changes): both tables stay empty, and a function of
-- hosted's that would read the log ends with 0A000 instead of answering what is not true.

create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
create type realtime.equality_op as enum (
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct'
);
create type realtime.user_defined_filter as (column_name text, op realtime.equality_op, value text, negate boolean);
create type realtime.wal_column as (
  name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean
);
create type realtime.wal_rls as (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);

-- Immutable, as the generated column wants it: a role keeps its number while its name is the same.
create function realtime.to_regrole(role_name text) returns regrole language sql immutable
  return role_name::regrole;

create table realtime.subscription (
  id bigint generated always as identity constraint pk_subscription primary key,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] not null default '{}',
  claims jsonb not null,
  claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at timestamp not null default timezone('utc', now()),
  action_filter text default '*' check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE')),
  selected_columns text[]
);
create unique index subscription_subscription_id_entity_filters_key on realtime.subscription
  (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'));
create index ix_realtime_subscription_entity on realtime.subscription (entity);
comment on table realtime.subscription is
  'Who listens to changes, at hosted projects. Here the gateway keeps that in its memory, and the table is empty';

create table realtime.schema_migrations (version bigint primary key, inserted_at timestamp(0));
comment on table realtime.schema_migrations is
  'The ledger of hosted''s server. The gateway''s own is in the schema gateway, and this one is empty';

-- Rights are given to these and taken back in dumps, by name and arguments.
do $do$
declare
  signature text;
begin
  foreach signature in array array[
    'apply_rls(wal jsonb, max_record_bytes integer default 1024 * 1024) returns setof realtime.wal_rls',
    'list_changes(publication name, slot_name name, max_changes integer, max_record_bytes integer)'
      ' returns setof realtime.wal_rls',
    'build_prepared_statement_sql(prepared_statement_name text, entity regclass, columns realtime.wal_column[])'
      ' returns text',
    'check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text) returns boolean',
    'is_visible_through_filters(columns realtime.wal_column[], filters realtime.user_defined_filter[]) returns boolean',
    '"cast"(val text, type_ regtype) returns jsonb',
    'quote_wal2json(entity regclass) returns text',
    'subscription_check_filters() returns trigger'
  ] loop
    execute format(
      'create function realtime.%s language plpgsql as $body$ begin
  raise feature_not_supported using
    message = %L, hint = ''Listen by a channel of the realtime API, or read the log by a replication slot.'';
end $body$',
      signature, format('realtime.%s is not available in this server', split_part(signature, '(', 1))
    );
  end loop;
end
$do$;

create trigger tr_check_filters before insert or update on realtime.subscription
  for each row execute function realtime.subscription_check_filters();

grant select on realtime.subscription to anon, authenticated, service_role;
grant all on realtime.subscription, realtime.schema_migrations, realtime.subscription_id_seq to postgres, dashboard_user;

do $$
declare
  part record;
begin
  execute format('grant create on database %I to supabase_realtime_admin', current_database());
  if not has_schema_privilege('supabase_realtime_admin', 'realtime', 'create') then
    grant create on schema realtime to supabase_realtime_admin;
  end if;
  for part in
    select format('%s %s', case when relkind = 'r' then 'table' else 'sequence' end, oid::regclass) as name from pg_class
    where oid in ('realtime.subscription'::regclass, 'realtime.schema_migrations'::regclass)
    union all select format('type %s', oid::regtype) from pg_type
    where typnamespace = 'realtime'::regnamespace
    and typname in ('action', 'equality_op', 'user_defined_filter', 'wal_column', 'wal_rls')
    union all select format('function %s', oid::regprocedure) from pg_proc
    where pronamespace = 'realtime'::regnamespace and proname in (
      'to_regrole', 'apply_rls', 'list_changes', 'build_prepared_statement_sql', 'check_equality_op',
      'is_visible_through_filters', 'cast', 'quote_wal2json', 'subscription_check_filters'
    )
  loop
    execute format('alter %s owner to supabase_realtime_admin', part.name);
    if part.name like 'function %' then
      execute format('revoke execute on %s from public', part.name);
    end if;
  end loop;
  execute format('revoke create on database %I from supabase_realtime_admin', current_database());
end
$$;
