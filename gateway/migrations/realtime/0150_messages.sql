-- The realtime API's schema, as hosted projects have it. Policies on realtime.messages decide who may read from and write
-- to a private channel; what the database sends (realtime.send, realtime.broadcast_changes, a plain insert) is a row
-- there, which is kept for three days. No policy exists at first: private channels are closed to all but the service role.
--
-- supabase_realtime_admin owns everything here and is the login of the realtime API. It becomes whatever role a channel's
-- token names, as far as authenticator may.

do $$
declare
  wanted record;
begin
  for wanted in
    select granted.rolname as granted, member.rolname as member
    from pg_roles as granted, pg_roles as member
    where (
      granted.rolname = 'authenticator' and member.rolname = 'supabase_realtime_admin'
      -- a project's owner makes policies on realtime.messages
      or granted.rolname = 'supabase_realtime_admin' and member.rolname = 'postgres' and not member.rolsuper
      or granted.rolname = 'supabase_realtime_admin' and member.rolname = current_user and not member.rolsuper
    )
    and not exists (
      select from pg_auth_members where roleid = granted.oid and pg_auth_members.member = member.oid
      and coalesce((to_jsonb(pg_auth_members) ->> 'set_option')::boolean, true)
    )
  loop
    begin
      execute format('grant %I to %I', wanted.granted, wanted.member);
    exception when insufficient_privilege then
      if wanted.granted = 'supabase_realtime_admin' and wanted.member = current_user then
        raise insufficient_privilege using
          message = format('%s must be able to become supabase_realtime_admin', current_user),
          hint = format('As whoever made the role: grant supabase_realtime_admin to %I', current_user);
      end if;
      -- whose roles are kept by the server's host has realtime log in as himself, and is granted them
      raise notice '% cannot become %', wanted.member, wanted.granted;
    end;
  end loop;
end
$$;

create schema if not exists realtime;
grant usage on schema realtime to anon, authenticated, service_role;

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);
create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private;
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant all on realtime.messages to postgres;
grant usage on schema realtime to postgres;

-- what projects call ---------------------------------------------------------------------------------------------

create function realtime.topic() returns text language sql stable
  return nullif(current_setting('realtime.topic', true), '');
comment on function realtime.topic() is 'The channel that a policy is asked about, without the prefix realtime:';

-- A message never makes its transaction fail: what is wrong with it is a warning.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql as $$
declare
  message uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message,
    case when jsonb_typeof(payload) = 'object' and not payload ? 'id'
      then payload || jsonb_build_object('id', message) else payload end,
    event, topic, private, 'broadcast'
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
  level text default 'ROW'
) returns void
language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

grant execute on function
  realtime.topic(), realtime.send(jsonb, text, text, boolean), realtime.send_binary(bytea, text, text, boolean),
  realtime.broadcast_changes(text, text, text, text, text, record, record, text)
to public;

-- what the gateway uses ------------------------------------------------------------------------------------------

create schema realtime_private;
revoke all on schema realtime_private from public;

-- Gateways tell each other's messages from what anybody can say by NOTIFY: they bear a mark made with this.
create table realtime_private.bus_secret (
  only_one boolean primary key default true check (only_one),
  secret text not null default gen_random_uuid()::text || gen_random_uuid()::text
);
insert into realtime_private.bus_secret default values;

-- What is too long for NOTIFY lies here for a minute. It is not unlogged: a server that is killed right after it gave such a
-- table up finds a file of it in its way and starts no more.
create table realtime_private.bus_messages (
  id bigint generated always as identity primary key,
  inserted_at timestamptz not null default now(),
  payload bytea not null
);

-- One partition a UTC day, from yesterday to three days ahead; those that ended more than three days ago are dropped.
create function realtime_private.keep_partitions(today date default (now() at time zone 'utc')::date) returns void
language plpgsql security definer set search_path = '' set lock_timeout = '3s' as $$
declare
  day date;
  old record;
begin
  perform pg_advisory_xact_lock(hashtext('realtime.messages'));
  for day in select today + step from generate_series(-1, 3) as step loop
    if to_regclass('realtime.messages_' || to_char(day, 'YYYY_MM_DD')) is null then
      execute format(
        'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        'messages_' || to_char(day, 'YYYY_MM_DD'), day, day + 1
      );
      execute format('alter table realtime.%I enable row level security', 'messages_' || to_char(day, 'YYYY_MM_DD'));
    end if;
  end loop;
  for old in
    select relname from pg_catalog.pg_inherits join pg_catalog.pg_class on pg_class.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass and relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
    and to_date(right(relname, 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', old.relname);
  end loop;
  delete from realtime_private.bus_messages where inserted_at < now() - interval '1 minute';
end
$$;
revoke execute on function realtime_private.keep_partitions(date) from public;

-- Tells the gateways of a row once its transaction has committed: which one it is, and of whom it may be. They read it.
create function realtime_private.tell() returns trigger language plpgsql as $$
begin
  perform pg_notify('gateway_realtime', concat_ws(
    ' ', 'row', new.id, replace(new.inserted_at::text, ' ', 'T'), coalesce(new.private, false),
    case when octet_length(new.topic) < 7000 then new.topic end
  ));
  return null;
end
$$;
revoke execute on function realtime_private.tell() from public;
create trigger tell after insert on realtime.messages
  for each row when (new.extension = 'broadcast') execute function realtime_private.tell();

-- ownership ------------------------------------------------------------------------------------------------------

do $$
declare
  part record;
begin
  execute format('grant create on database %I to supabase_realtime_admin', current_database());
  alter schema realtime owner to supabase_realtime_admin;
  alter schema realtime_private owner to supabase_realtime_admin;
  for part in
    select oid::regclass as name from pg_class
    where relnamespace in ('realtime'::regnamespace, 'realtime_private'::regnamespace) and relkind in ('r', 'p')
  loop
    execute format('alter table %s owner to supabase_realtime_admin', part.name);
  end loop;
  for part in
    select oid::regprocedure as name from pg_proc
    where pronamespace in ('realtime'::regnamespace, 'realtime_private'::regnamespace)
  loop
    execute format('alter function %s owner to supabase_realtime_admin', part.name);
  end loop;
  execute format('revoke create on database %I from supabase_realtime_admin', current_database());
  -- what drops all that a project's role may drop spares schemas of this owner (roles/0111)
  if (select rolsuper from pg_roles where rolname = current_user) then
    alter schema realtime owner to supabase_admin;
    alter schema realtime_private owner to supabase_admin;
    grant usage, create on schema realtime, realtime_private to supabase_realtime_admin;
    grant usage on schema realtime to postgres with grant option;
  end if;
end
$$;

select realtime_private.keep_partitions();
