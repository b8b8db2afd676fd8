-- What is wrong with the jobs, for whoever runs the gateway: a mail that matters and is not delivered, and workers that
-- have fallen silent. A mail was refused for good, and nobody heard of it.

create function jobs.troubles() returns table (kind text, subject text, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with late as (
    select job.id, job.status, job.args #>> '{mail,kind}' as mail, event.at, attempt.outcome, attempt.reply
    from jobs.procrastinate_jobs as job
    join lateral (
      select min(at) as at from jobs.procrastinate_events where job_id = job.id and type = 'deferred'
    ) as event on true
    left join lateral (
      select outcome, reply from jobs.mail_attempts where job_id = job.id order by mail_attempts.id desc limit 1
    ) as attempt on true
    where job.task_name = 'mail.send' and job.status not in ('succeeded', 'cancelled') and job.args #> '{mail,alarm_after}' is not null
      and (
        job.status in ('failed', 'aborted')
        or event.at < now() - make_interval(secs => (job.args #>> '{mail,alarm_after}')::double precision)
      )
  )
  select 'mail', '', format(
    '%s mails that matter are not delivered, the oldest (mail %s, %s) since %s%s. `gateway mail list` shows them,'
    ' `gateway mail resend --failed --waiting` sends them again.',
    (select count(*) from late), id, mail, to_char(at at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"'),
    case when outcome is null then ': nobody tried' else format(': %s: %s', outcome, left(reply, 200)) end
  )
  from (select * from late order by at limit 1) as oldest
  union all
  select 'jobs', '', case when max(last_heartbeat) is null then 'No job worker runs: mails and clean-up wait.'
    else format('No job worker has been heard of since %s: mails and clean-up wait.',
      to_char(max(last_heartbeat) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS "UTC"')) end
  from jobs.procrastinate_workers
  having coalesce(max(last_heartbeat), '-infinity') < now() - interval '45 seconds'
$$;
comment on function jobs.troubles() is 'What is wrong with mails and job workers: a kind, what it is about, a sentence';
create index procrastinate_jobs_alarm_idx on jobs.procrastinate_jobs (id)
  where task_name = 'mail.send' and status <> 'succeeded';
revoke execute on function jobs.troubles() from public;
grant execute on function jobs.troubles() to supabase_auth_admin;
