-- Jobs are rows that the gateway's job worker runs by the clock, each as the role that made it (gateway/jobs/cron.py).

do $$
begin
  if to_regnamespace('cron') is null then
    create schema cron;
  end if;
end
$$;
grant usage on schema cron to postgres with grant option;

create table cron.job (
  jobid bigserial primary key,
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default 5432,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
create table cron.job_run_details (
  jobid bigint,
  runid bigserial primary key,
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
-- When each job began last, so that of several workers one runs it.
create table cron._turns (
  jobid bigint primary key references cron.job on delete cascade,
  turn timestamptz not null
);
select pg_extension_config_dump('cron.job', '');
select pg_extension_config_dump('cron.job_jobid_seq', '');
select pg_extension_config_dump('cron.job_run_details', '');
select pg_extension_config_dump('cron.job_run_details_runid_seq', '');

alter table cron.job enable row level security;
alter table cron.job_run_details enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);
grant select on cron.job to postgres with grant option;
grant select, insert, update, delete, truncate, references on cron.job_run_details to postgres with grant option;
revoke all on cron._turns from public;

-- Whether the worker understands a schedule: five fields, a word for them, or a number of seconds.
create function cron._is_schedule(schedule text) returns boolean language plpgsql immutable as $$
declare
  fields text[] := regexp_split_to_array(lower(btrim(schedule)), '\s+');
  least constant integer[] := '{0,0,1,1,0}';
  most constant integer[] := '{59,23,31,12,7}';
  names constant text[] := array[
    null, null, null, 'jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec', 'sun,mon,tue,wed,thu,fri,sat'
  ];
  part text;
  found text[];
  low integer;
  high integer;
begin
  if schedule ~* '^\s*([1-9]|[1-5]\d)\s+seconds?\s*$'
    or fields in (array['@yearly'], array['@annually'], array['@monthly'], array['@weekly'], array['@daily'],
      array['@midnight'], array['@hourly']) then
    return true;
  end if;
  if cardinality(fields) <> 5 then
    return false;
  end if;
  for place in 1 .. 5 loop
    foreach part in array string_to_array(fields[place], ',') loop
      continue when place = 3 and part = '$';
      found := regexp_match(part, '^(\*|\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?(?:/(\d{1,2}))?$');
      if found is null or (found[1] = '*' and found[2] is not null) or found[3]::integer = 0 then
        return false;
      end if;
      continue when found[1] = '*';
      low := cron._number(found[1], names[place], least[place]);
      high := cron._number(coalesce(found[2], found[1]), names[place], least[place]);
      if low is null or high is null or low < least[place] or high > most[place] or low > high then
        return false;
      end if;
    end loop;
  end loop;
  return true;
end
$$;

create function cron._number(word text, names text, first integer) returns integer language sql immutable
  return case when word ~ '^\d+$' then word::integer
    else array_position(string_to_array(names, ','), word) - 1 + first end;

-- As whom jobs may run: what the project's role may be, and anybody if a superuser is here.
create function cron._runners() returns text[] language sql stable security definer set search_path = ''
  return array(
    select rolname::text from pg_roles
    where pg_has_role('postgres', oid, 'member')
      or (select rolsuper from pg_roles as here where here.rolname = session_user)
  );

-- Everything that changes jobs goes through here. `maker` is who called; nobody but the project's role and superusers may
-- call it, and a job runs as a role that these may be.
create function cron._store(
  maker text, name text, timing text, statement text, place text, runner text, is_active boolean, id bigint
) returns bigint language plpgsql security definer set search_path = '' as $$
declare
  stored bigint;
begin
  if id is null and (timing is null or statement is null) then
    raise null_value_not_allowed using message = 'schedule and command must not be null';
  end if;
  if timing is not null and not cron._is_schedule(timing) then
    raise invalid_parameter_value using
      message = format('invalid schedule: %s', timing),
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
  if place is not null and place <> current_database() then
    raise feature_not_supported using message = format('jobs run in the database %s alone', current_database());
  end if;
  if runner is not null then
    if not exists (select from pg_roles where rolname = runner) then
      raise undefined_object using message = format('role "%s" does not exist', runner);
    elsif not (select rolcanlogin from pg_roles where rolname = runner) then
      raise insufficient_privilege using message = format('role "%s" can not log in', runner);
    elsif runner <> all (cron._runners()) then
      raise insufficient_privilege using message = format('a job cannot run as %s', runner);
    end if;
  end if;
  if id is not null then
    update cron.job set
      schedule = coalesce(timing, schedule), command = coalesce(statement, command),
      username = coalesce(runner, username), active = coalesce(is_active, active)
    where jobid = id and username = any (cron._runners())
    returning jobid into stored;
    if stored is null then
      raise exception 'Job % does not exist or you don''t own it', id;
    end if;
    return stored;
  end if;
  insert into cron.job (schedule, command, username, active, jobname)
  values (timing, statement, runner, coalesce(is_active, true), name)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, active = excluded.active
  returning jobid into stored;
  return stored;
end
$$;
revoke execute on function cron._store(text, text, text, text, text, text, boolean, bigint) from public;
grant execute on function cron._store(text, text, text, text, text, text, boolean, bigint) to postgres;

create function cron._remove(maker text, id bigint, name text) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  delete from cron.job
  where username = maker and username = any (cron._runners()) and (jobid = id or jobname = name);
  if not found then
    raise exception 'could not find valid entry for job %', coalesce(id::text, quote_literal(name));
  end if;
  return true;
end
$$;
revoke execute on function cron._remove(text, bigint, text) from public;
grant execute on function cron._remove(text, bigint, text) to postgres;

create function cron.schedule(schedule text, command text) returns bigint language sql volatile
  return cron._store(current_user::text, null, schedule, command, null, current_user::text, true, null);

create function cron.schedule(job_name text, schedule text, command text) returns bigint language plpgsql as $$
begin
  if job_name is null then
    raise null_value_not_allowed using message = 'job_name can not be NULL';
  end if;
  return cron._store(current_user::text, job_name, schedule, command, null, current_user::text, true, null);
end
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint language sql volatile
  return cron._store(
    current_user::text, job_name, schedule, command, database, coalesce(username, current_user::text), active, null
  );

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active boolean default null
) returns void language plpgsql as $$
begin
  perform cron._store(current_user::text, null, schedule, command, database, username, active, job_id);
end
$$;
revoke execute on function
  cron.schedule_in_database(text, text, text, text, text, boolean),
  cron.alter_job(bigint, text, text, text, text, boolean)
from public;
grant execute on function
  cron.schedule_in_database(text, text, text, text, text, boolean),
  cron.alter_job(bigint, text, text, text, text, boolean)
to postgres;

create function cron.unschedule(job_id bigint) returns boolean language sql volatile
  return cron._remove(current_user::text, job_id, null);
create function cron.unschedule(job_name text) returns boolean language sql volatile
  return cron._remove(current_user::text, null, job_name);
