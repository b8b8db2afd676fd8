-- Calls of functions that are made later: at the times of a schedule, and after a change of a table has been committed.
-- A call and its job are stored in one transaction with what caused them, so that neither exists without the other.

create table jobs.function_schedules (
  function text primary key,
  schedule text not null,
  timezone text not null,
  -- nothing before this is made up for: the schedule did not stand, or was paused
  since timestamptz not null default now(),
  paused boolean not null default false
);
comment on table jobs.function_schedules is 'Schedules as the job worker found them, and which of them somebody paused';
alter table jobs.function_schedules enable row level security;

create table jobs.function_calls (
  id bigint generated always as identity primary key,
  -- schedule: at its time; manual: asked for by a person; change: of a table, to a function; hook: likewise, to an address
  source text not null constraint function_calls_source_check check (source in ('schedule', 'manual', 'change', 'hook')),
  target text not null,
  slot timestamptz,
  method text not null default 'POST',
  headers jsonb not null default '{}',
  params jsonb not null default '{}',
  body jsonb,
  timeout_ms integer not null default 400000,
  retries integer not null default 3,
  -- waiting: for its first or next attempt; dead: given up; missed: nobody was there at its time; dismissed: dead, and seen
  state text not null default 'waiting' constraint function_calls_state_check
    check (state in ('waiting', 'succeeded', 'dead', 'missed', 'dismissed')),
  attempts integer not null default 0,
  status integer,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  job_id bigint,
  constraint function_calls_target_slot_key unique (target, slot)
);
comment on table jobs.function_calls is 'Each call that is made later, what became of it, and how often it was tried';
comment on column jobs.function_calls.target is 'Name of a function; the address where the source is hook';
alter table jobs.function_calls enable row level security;
create index function_calls_dead_idx on jobs.function_calls (ended_at) where state = 'dead';
create index function_calls_ended_idx on jobs.function_calls (ended_at) where state <> 'waiting';

-- The job of a stored call. Its transaction's commit wakes the worker.
create function jobs.enqueue_function_call(call bigint) returns void
language sql set search_path = jobs, pg_catalog, pg_temp as $$
  with job as (
    insert into procrastinate_jobs (queue_name, task_name, args)
    values ('functions', 'functions.call', jsonb_build_object('call', enqueue_function_call.call))
    returning id
  )
  update function_calls set job_id = job.id, state = 'waiting' from job
  where function_calls.id = enqueue_function_call.call
$$;
revoke execute on function jobs.enqueue_function_call(bigint) from public;

-- The calls of a schedule at these times, but those that somebody has stored already; how many there are now.
create function jobs.schedule_function_calls(function text, slots timestamptz[], body jsonb, retries integer, missed boolean)
returns integer
language plpgsql set search_path = jobs, pg_catalog, pg_temp as $$
declare
  call bigint;
  stored integer := 0;
begin
  if exists (
    select from function_schedules as known where known.function = schedule_function_calls.function and known.paused
  ) then
    return 0;
  end if;
  for call in
    insert into function_calls (source, target, slot, body, retries, state, ended_at)
    select 'schedule', schedule_function_calls.function, slot,
      schedule_function_calls.body || jsonb_build_object('slot', slot), schedule_function_calls.retries,
      case when missed then 'missed' else 'waiting' end, case when missed then clock_timestamp() end
    from unnest(slots) as slot order by slot
    on conflict (target, slot) do nothing
    returning id
  loop
    stored := stored + 1;
    if not missed then
      perform enqueue_function_call(call);
    end if;
  end loop;
  return stored;
end
$$;
revoke execute on function jobs.schedule_function_calls(text, timestamptz[], jsonb, integer, boolean) from public;

-- One call more: of a schedule by hand, or of one that was given up.
create function jobs.call_function_now(function text, body jsonb) returns bigint
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
declare
  call bigint;
begin
  insert into function_calls (source, target, body) values ('manual', call_function_now.function, call_function_now.body)
  returning id into call;
  perform enqueue_function_call(call);
  return call;
end
$$;
revoke execute on function jobs.call_function_now(text, jsonb) from public;

create function jobs.retry_function_call(call bigint) returns boolean
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
begin
  update function_calls set state = 'waiting', attempts = 0, ended_at = null
  where id = retry_function_call.call and state in ('dead', 'missed', 'dismissed');
  if not found then
    return false;
  end if;
  perform enqueue_function_call(retry_function_call.call);
  return true;
end
$$;
revoke execute on function jobs.retry_function_call(bigint) from public;

grant execute on function jobs.call_function_now(text, jsonb), jobs.retry_function_call(bigint) to supabase_auth_admin;
grant select, update on jobs.function_schedules, jobs.function_calls to supabase_auth_admin;
-- As their owner and by no policy: the official reset of a remote database drops every policy there is (roles/0111).
grant create on schema jobs to supabase_auth_admin;
alter table jobs.function_schedules owner to supabase_auth_admin;
alter table jobs.function_calls owner to supabase_auth_admin;
revoke create on schema jobs from supabase_auth_admin;

-- What is wrong with the jobs: now calls that were given up as well. They are told of for a week, or until seen to.
create function jobs.troubles_of_calls() returns table (kind text, subject text, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'functions', target, format(
    '%s calls of %s were given up, the last (call %s) at %s: %s. `functions calls --dead` shows them, `functions retry ID`'
    ' makes one again, `functions dismiss %s` is enough of it.',
    count(*), target, max(id), to_char(max(ended_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"'),
    left((array_agg(coalesce(error, 'status ' || status, 'no answer') order by id desc))[1], 200), target
  )
  from jobs.function_calls
  where state = 'dead' and ended_at > now() - interval '7 days'
  group by target
$$;
revoke execute on function jobs.troubles_of_calls() from public;
grant execute on function jobs.troubles_of_calls() to supabase_auth_admin;

-- --- changes of tables ----------------------------------------------------------------------------------------------

-- `create trigger … execute function gateway.call_function('NAME')`, after a change of a row.
create function gateway.call_function() returns trigger
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
declare
  call bigint;
begin
  insert into function_calls (source, target, body, retries) values ('change', tg_argv[0], jsonb_build_object(
    'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema,
    'record', case when tg_op <> 'DELETE' then to_jsonb(new) end,
    'old_record', case when tg_op <> 'INSERT' then to_jsonb(old) end
  ), 8) returning id into call;
  perform enqueue_function_call(call);
  return null;
end
$$;
comment on function gateway.call_function() is 'Trigger: calls the function of its argument with the row, after the commit';

create function gateway.on_change(
  changed regclass, function text, events text[] default array['insert', 'update', 'delete']
) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  event text;
begin
  if on_change.function !~ '^[A-Za-z][A-Za-z0-9_-]{0,99}$' then
    raise exception using errcode = '22023', message = format('%L is no name of a function', on_change.function);
  end if;
  if coalesce(cardinality(events), 0) = 0 then
    raise exception using errcode = '22023', message = 'on_change needs one of insert, update, delete';
  end if;
  foreach event in array events loop
    if lower(event) not in ('insert', 'update', 'delete') then
      raise exception using errcode = '22023', message = format('%L is none of insert, update, delete', event);
    end if;
  end loop;
  execute format('create or replace trigger %I after %s on %s for each row execute function gateway.call_function(%L)',
    'call_' || on_change.function, array_to_string(events, ' or '), changed, on_change.function);
end
$$;
comment on function gateway.on_change(regclass, text, text[]) is
  'Have a function called with each row that is inserted, updated or deleted, after the commit';

create function gateway.off_change(changed regclass, function text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('drop trigger if exists %I on %s', 'call_' || off_change.function, changed);
end
$$;
comment on function gateway.off_change(regclass, text) is 'Call the function no more for this table';

revoke execute on function gateway.call_function(), gateway.on_change(regclass, text, text[]),
  gateway.off_change(regclass, text) from public;
grant usage on schema gateway to postgres;
grant execute on function gateway.call_function(), gateway.on_change(regclass, text, text[]),
  gateway.off_change(regclass, text) to postgres;

-- --- as hosted projects have it -------------------------------------------------------------------------------------

create schema if not exists supabase_functions;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;

create table if not exists supabase_functions.migrations (
  version text primary key,
  inserted_at timestamptz not null default now()
);
insert into supabase_functions.migrations (version) values ('initial'), ('20210809183423_update_grants')
on conflict do nothing;

create table if not exists supabase_functions.hooks (
  id bigserial primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);
comment on table supabase_functions.hooks is 'Supabase Functions Hooks: Audit trail for triggered hooks.';
create index if not exists supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index if not exists supabase_functions_hooks_h_table_id_h_name_idx
  on supabase_functions.hooks (hook_table_id, hook_name);

-- Stores the call of a webhook for whoever fires one; its number.
create function jobs.enqueue_hook(
  url text, method text, headers jsonb, params jsonb, timeout_ms integer, body jsonb
) returns bigint
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
declare
  call bigint;
begin
  insert into function_calls (source, target, method, headers, params, timeout_ms, body, retries)
  values ('hook', url, method, coalesce(enqueue_hook.headers, '{}'), coalesce(enqueue_hook.params, '{}'),
    enqueue_hook.timeout_ms, enqueue_hook.body, 8)
  returning id into call;
  perform enqueue_function_call(call);
  return call;
end
$$;
revoke execute on function jobs.enqueue_hook(text, text, jsonb, jsonb, integer, jsonb) from public;

create function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = supabase_functions, pg_temp as $$
declare
  request_id bigint;
  payload jsonb;
  url text := tg_argv[0]::text;
  method text := tg_argv[1]::text;
  headers jsonb := '{}';
  params jsonb := '{}';
  timeout_ms integer := 1000;
begin
  if url is null or url = 'null' then
    raise exception 'url argument is missing';
  end if;
  if method is null or method = 'null' then
    raise exception 'method argument is missing';
  end if;
  if tg_argv[2] is null or tg_argv[2] = 'null' then
    headers := '{"Content-Type": "application/json"}';
  else
    headers := tg_argv[2]::jsonb;
  end if;
  if tg_argv[3] is not null and tg_argv[3] <> 'null' then
    params := tg_argv[3]::jsonb;
  end if;
  if tg_argv[4] is not null and tg_argv[4] <> 'null' then
    timeout_ms := tg_argv[4]::integer;
  end if;
  case
    when method = 'GET' then
      payload := null;
    when method = 'POST' then
      payload := jsonb_build_object(
        'old_record', case when tg_op <> 'INSERT' then to_jsonb(old) end,
        'record', case when tg_op <> 'DELETE' then to_jsonb(new) end,
        'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema
      );
    else
      raise exception 'method argument % is invalid', method;
  end case;
  request_id := jobs.enqueue_hook(url, method, headers, params, timeout_ms, payload);
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid, tg_name, request_id);
  return new;
end
$$;
revoke execute on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;
grant usage on schema jobs to supabase_functions_admin;
grant execute on function jobs.enqueue_hook(text, text, jsonb, jsonb, integer, jsonb) to supabase_functions_admin;

-- Hosted projects have all of it belong to supabase_functions_admin. Whoever made that role may give it away, after a
-- grant to itself; where somebody else made it, they have to grant it, as the other services' roles.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user) and not exists (
    select from pg_auth_members as held
    where held.roleid = 'supabase_functions_admin'::regrole and held.member = current_user::regrole
      and coalesce((to_jsonb(held) ->> 'set_option')::boolean, true)
  ) then
    begin
      execute format('grant supabase_functions_admin to %I', current_user);
    exception when insufficient_privilege then
      raise exception using errcode = '42501',
        message = format('%s may not give objects to supabase_functions_admin', current_user),
        hint = format('As whoever made the role: grant supabase_functions_admin to %I', current_user);
    end;
  end if;
  grant create on schema supabase_functions to supabase_functions_admin;
  alter table supabase_functions.migrations owner to supabase_functions_admin;
  alter table supabase_functions.hooks owner to supabase_functions_admin;
  alter function supabase_functions.http_request() owner to supabase_functions_admin;
  alter schema supabase_functions owner to supabase_functions_admin;
end
$$;
