-- Counts that only grow: leads as they are stored, mails as they are tried. Rows themselves cannot tell, as people are
-- erased and done jobs are cleared away.

create table private.tallies (
  name text not null,
  labels jsonb not null,
  value bigint not null default 0,
  constraint tallies_pkey primary key (name, labels)
);
comment on table private.tallies is 'How often something has happened since the beginning; see gateway.metrics()';
alter table private.tallies enable row level security;

create function private.count_up(name text, labels jsonb, by bigint default 1) returns void
language sql set search_path = '' as $$
  insert into private.tallies as tallies (name, labels, value) values (name, labels, by)
  on conflict on constraint tallies_pkey do update set value = tallies.value + excluded.value
$$;
comment on function private.count_up(text, jsonb, bigint) is 'Counts what has happened';

create function private.count_leads() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  form text;
  stored bigint;
begin
  for form, stored in
    select case when to_jsonb(lead) -> 'quick_start_service' = 'true' then 'quick-start' else tg_argv[0] end, count(*)
    from new_rows as lead group by 1 order by 1
  loop
    perform private.count_up('leads_total', jsonb_build_object('form', form), stored);
  end loop;
  return null;
end
$$;

create trigger contact_messages_count after insert on public.contact_messages
  referencing new table as new_rows for each statement execute function private.count_leads('contact');
create trigger newsletter_subscriptions_count after insert on public.newsletter_subscriptions
  referencing new table as new_rows for each statement execute function private.count_leads('newsletter');
create trigger quote_requests_count after insert on public.quote_requests
  referencing new table as new_rows for each statement execute function private.count_leads('quote');

create function private.count_mail_attempt() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_up('mail_attempts_total', jsonb_build_object(
    'outcome', new.outcome,
    'kind', coalesce((select left(args #>> '{mail,kind}', 60) from jobs.procrastinate_jobs where id = new.job_id), '')
  ));
  return null;
end
$$;

create trigger mail_attempts_count after insert on jobs.mail_attempts
  for each row execute function private.count_mail_attempt();

revoke execute on function
  private.count_up(text, jsonb, bigint), private.count_leads(), private.count_mail_attempt()
from public;

insert into private.tallies (name, labels, value)
select 'leads_total', jsonb_build_object('form', form), count(*)
from (
  select 'contact' as form from public.contact_messages
  union all select 'newsletter' from public.newsletter_subscriptions
  union all select case when quick_start_service then 'quick-start' else 'quote' end from public.quote_requests
) as leads
group by form
union all
select
  'mail_attempts_total',
  jsonb_build_object('outcome', outcome, 'kind', coalesce(left(args #>> '{mail,kind}', 60), '')), count(*)
from jobs.mail_attempts join jobs.procrastinate_jobs as job on job.id = job_id
group by 2;

create or replace function gateway.metrics() returns table (name text, labels jsonb, value double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
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
  select 'leads_total', jsonb_build_object('form', form), coalesce((
    select tallies.value from private.tallies
    where tallies.name = 'leads_total' and tallies.labels = jsonb_build_object('form', form)), 0)
  from unnest(array['contact', 'newsletter', 'quick-start', 'quote']) as form
  union all
  select tallies.name, tallies.labels, tallies.value from private.tallies where tallies.name <> 'leads_total'
  union all
  select 'quarantined_leads', '{}', count(*) from public.quarantine where released_at is null
$$;
