-- Mails leave through the job queue: whoever stores something that somebody must hear of queues the mail in the same
-- transaction, so that neither exists without the other.

-- Each attempt to hand a mail to the mail server, so that a person can see what became of it. The job itself holds
-- the mail as it was written.
create table jobs.mail_attempts (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs.procrastinate_jobs on delete cascade,
  at timestamptz not null default clock_timestamp(),
  -- sent: the server took it; refused: it never will; deferred: it said to try again; unreachable: nobody answered
  outcome text not null
    constraint mail_attempts_outcome_check check (outcome in ('sent', 'refused', 'deferred', 'unreachable')),
  reply text not null default ''
);
comment on table jobs.mail_attempts is 'What the mail server said at each attempt';
alter table jobs.mail_attempts enable row level security;
create index mail_attempts_job_id_idx on jobs.mail_attempts (job_id, id);

create function jobs.enqueue_mail(
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
comment on function jobs.enqueue_mail(jsonb, integer, timestamptz, text) is
  'Queues {to, subject, text, html, reply_to, headers, kind}; the id of its job. A lock already queued is not queued twice';

revoke execute on function jobs.enqueue_mail(jsonb, integer, timestamptz, text) from public;
grant usage on schema jobs to supabase_auth_admin, service_role;
grant execute on function jobs.enqueue_mail(jsonb, integer, timestamptz, text) to supabase_auth_admin, service_role;
