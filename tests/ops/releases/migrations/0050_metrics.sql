-- The application's own numbers on the admin port: how deep the job queue is, how old its oldest job, what became of
-- mails, how many leads came in. The gateway asks `gateway.metrics()` and knows none of the tables behind it.

create function gateway.metrics() returns table (name text, labels jsonb, value double precision)
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
  select 'mail_attempts_total', jsonb_build_object('outcome', outcome), count(*)
  from jobs.mail_attempts group by outcome
  union all
  select 'leads_total', jsonb_build_object('form', 'contact'), count(*) from public.contact_messages
  union all
  select 'leads_total', jsonb_build_object('form', 'newsletter'), count(*) from public.newsletter_subscriptions
  union all
  select 'leads_total', jsonb_build_object('form', 'quote'), count(*) from public.quote_requests
  union all
  select 'quarantined_leads', '{}', count(*) from public.quarantine where released_at is null
$$;
comment on function gateway.metrics() is 'Rows of the admin port''s metrics: a name, labels, a value; …_total only grows';

revoke execute on function gateway.metrics() from public;
grant execute on function gateway.metrics() to supabase_auth_admin;
