-- Counts that only grow, such as mails as they are tried, and the numbers of the admin port. Rows themselves cannot tell,
-- as people are erased and done jobs are cleared away. The gateway asks gateway.metrics().
--
-- Up to version 0.6 the counts stood in a schema that users make; from there they are carried over.

do $$
begin
  if obj_description(to_regclass('private.tallies'), 'pg_class') like '%see gateway.metrics()' then
    alter table private.tallies set schema gateway;
  else
    create table gateway.tallies (
      name text not null,
      labels jsonb not null,
      value bigint not null default 0,
      constraint tallies_pkey primary key (name, labels)
    );
    alter table gateway.tallies enable row level security;
    insert into gateway.tallies (name, labels, value)
    select
      'mail_attempts_total',
      jsonb_build_object('outcome', outcome, 'kind', coalesce(left(args #>> '{mail,kind}', 60), '')), count(*)
    from jobs.mail_attempts join jobs.procrastinate_jobs as job on job.id = job_id
    group by 2;
  end if;
end
$$;
comment on table gateway.tallies is 'How often something has happened since the beginning; see gateway.metrics()';

create function gateway.count_up(name text, labels jsonb, by bigint default 1) returns void
language sql set search_path = '' as $$
  insert into gateway.tallies as tallies (name, labels, value) values (name, labels, by)
  on conflict on constraint tallies_pkey do update set value = tallies.value + excluded.value
$$;
comment on function gateway.count_up(text, jsonb, bigint) is 'Counts what has happened';

-- What counts there yet goes on to count until its owner has changed it.
do $$
begin
  if obj_description(to_regprocedure('private.count_up(text, jsonb, bigint)'), 'pg_proc') = 'Counts what has happened' then
    create or replace function private.count_up(name text, labels jsonb, by bigint default 1) returns void
    language sql set search_path = '' as 'select gateway.count_up(name, labels, by)';
  end if;
end
$$;

create function gateway.count_mail_attempt() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform gateway.count_up('mail_attempts_total', jsonb_build_object(
    'outcome', new.outcome,
    'kind', coalesce((select left(args #>> '{mail,kind}', 60) from jobs.procrastinate_jobs where id = new.job_id), '')
  ));
  return null;
end
$$;
drop trigger if exists mail_attempts_count on jobs.mail_attempts;
create trigger mail_attempts_count after insert on jobs.mail_attempts
  for each row execute function gateway.count_mail_attempt();

-- A function of the application that fails hides none of the other numbers.
create or replace function gateway.metrics() returns table (name text, labels jsonb, value double precision)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  function text;
begin
  return query
  select 'jobs', jsonb_build_object('queue', queue_name, 'status', status), count(*)::double precision
  from jobs.procrastinate_jobs where status <> 'succeeded' group by queue_name, status
  union all
  select 'jobs_oldest_seconds', jsonb_build_object('queue', queues.name),
    coalesce(extract(epoch from now() - min(waiting.at)), 0)::double precision
  from (values ('mail')) as queues (name)
  left join (
    select job.queue_name, coalesce(job.scheduled_at, event.at) as at
    from jobs.procrastinate_jobs as job
    join jobs.procrastinate_events as event on event.job_id = job.id and event.type = 'deferred'
    where job.status = 'todo' and (job.scheduled_at is null or job.scheduled_at <= now())
  ) as waiting on waiting.queue_name = queues.name
  group by queues.name
  union all
  select tallies.name, tallies.labels, tallies.value from gateway.tallies;
  for function in select * from gateway.hooked('metrics') loop
    begin
      return query execute format('select name, labels, value::double precision from %s()', function);
    exception when others then
      raise warning '% cannot be asked for metrics: %', function, sqlerrm;
    end;
  end loop;
end
$$;
comment on function gateway.metrics() is 'Rows of the admin port''s metrics: a name, labels, a value; …_total only grows';

revoke execute on function
  gateway.count_up(text, jsonb, bigint), gateway.count_mail_attempt(), gateway.metrics()
from public;
grant execute on function gateway.metrics() to supabase_auth_admin;
