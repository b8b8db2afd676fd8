-- A mail's job says which request it is for: the id that the gateway gives to the transaction of a write or a call.

create or replace function jobs.enqueue_mail(
  payload jsonb, priority integer default 0, run_after timestamptz default now(), queueing_lock text default null
) returns bigint
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  job_id bigint;
begin
  if jsonb_typeof(payload -> 'to') is distinct from 'array' or jsonb_array_length(payload -> 'to') = 0 then
    raise exception using errcode = '22023', message = 'a mail needs at least one recipient in "to"';
  end if;
  if coalesce(payload ->> 'subject', '') = '' or coalesce(payload ->> 'text', payload ->> 'html', '') = '' then
    raise exception using errcode = '22023', message = 'a mail needs "subject" and "text" or "html"';
  end if;
  -- A mail that is sent again keeps the id that it had.
  if coalesce(current_setting('request.id', true), '') <> '' then
    payload := jsonb_build_object('request', current_setting('request.id', true)) || payload;
  end if;
  insert into jobs.procrastinate_jobs as waiting (queue_name, task_name, priority, queueing_lock, args, scheduled_at)
  values (
    'mail', 'mail.send', enqueue_mail.priority, enqueue_mail.queueing_lock, jsonb_build_object('mail', payload, 'queued_at', now()),
    case when run_after > now() then run_after end
  )
  on conflict (queueing_lock) where status = 'todo' do nothing
  returning waiting.id into job_id;
  if job_id is null then
    select id into job_id from jobs.procrastinate_jobs as waiting
    where waiting.queueing_lock = enqueue_mail.queueing_lock and waiting.status = 'todo';
  end if;
  return job_id;
end
$$;
