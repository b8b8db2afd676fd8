-- The queue as the console shows it: what waits, runs, is done or was given up (a dead letter), and the two things that
-- are done about a job there. Bodies of mails are not told: they hold links that let people in.

create function gateway.queue(state text, before bigint, most integer) returns jsonb
language sql stable security definer set search_path = jobs, pg_catalog, pg_temp as $$
  with states(status, name) as (
    values ('todo', 'waiting'), ('doing', 'running'), ('aborting', 'running'), ('succeeded', 'done'),
      ('cancelled', 'done'), ('failed', 'dead'), ('aborted', 'dead')
  ), counted as (
    select name, count(*) as number from procrastinate_jobs join states on states.status = procrastinate_jobs.status::text
    group by name
  ), chosen as (
    select job.*, states.name as state_name
    from procrastinate_jobs as job join states on states.status = job.status::text
    where (queue.state is null or states.name = queue.state) and (queue.before is null or job.id < queue.before)
    order by job.id desc limit queue.most
  )
  select jsonb_build_object(
    'counts', (select coalesce(jsonb_object_agg(name, number), '{}') from counted),
    'jobs', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', job.id, 'queue', job.queue_name, 'task', job.task_name, 'state', job.state_name,
        'attempts', coalesce(call.attempts, job.attempts), 'priority', job.priority, 'scheduled_at', job.scheduled_at,
        'queued_at', coalesce(job.args ->> 'queued_at', call.created_at::text),
        'about', case job.task_name
          when 'mail.send' then concat_ws(' to ', job.args #>> '{mail,kind}',
            (select string_agg(recipient, ', ') from jsonb_array_elements_text(
              case jsonb_typeof(job.args #> '{mail,to}') when 'array' then job.args #> '{mail,to}' else '[]' end
            ) as recipient))
          else call.target end,
        'call', call.id, 'call_state', call.state,
        'reason', coalesce(mail.outcome || ': ' || mail.reply, call.error, 'status ' || call.status)
      ) order by job.id desc), '[]')
      from chosen as job
      left join lateral (
        select outcome, reply from mail_attempts where job_id = job.id and outcome <> 'sent' order by id desc limit 1
      ) as mail on true
      left join function_calls as call
        on job.task_name = 'functions.call' and call.id = (job.args ->> 'call')::bigint
    )
  )
$$;

-- The job's task, empty where there is nothing to be done again, `running` while it is being done.
create function gateway.retry_job(id bigint) returns text
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
declare
  job procrastinate_jobs;
begin
  select * into job from procrastinate_jobs as known where known.id = retry_job.id for update;
  if not found then
    return null;
  elsif job.status = 'doing' then
    return 'running';
  elsif job.task_name = 'mail.send' then
    perform resend_mail(job.id);
  elsif job.task_name = 'functions.call' then
    -- One that waits for its next attempt has it now; one that was given up is a call anew.
    if job.status = 'todo' then
      update procrastinate_jobs as known set scheduled_at = now() where known.id = job.id;
    elsif not retry_function_call((job.args ->> 'call')::bigint) then
      return null;
    end if;
  elsif job.status in ('failed', 'aborted', 'cancelled') then
    update procrastinate_jobs as known set status = 'todo', scheduled_at = now() where known.id = job.id;
  else
    return null;
  end if;
  return job.task_name;
end
$$;

-- The task of the job that was taken out of the queue, as above.
create function gateway.forget_job(id bigint) returns text
language plpgsql security definer set search_path = jobs, pg_catalog, pg_temp as $$
declare
  job procrastinate_jobs;
begin
  select * into job from procrastinate_jobs as known where known.id = forget_job.id for update;
  if not found then
    return null;
  elsif job.status = 'doing' then
    return 'running';
  elsif job.task_name = 'functions.call' then
    update function_calls as call set state = 'dismissed', ended_at = coalesce(call.ended_at, now())
    where call.id = (job.args ->> 'call')::bigint and call.state in ('waiting', 'dead', 'missed');
  end if;
  delete from procrastinate_jobs as known where known.id = job.id;
  return job.task_name;
end
$$;

revoke execute on function
  gateway.queue(text, bigint, integer), gateway.retry_job(bigint), gateway.forget_job(bigint) from public;
grant execute on function
  gateway.queue(text, bigint, integer), gateway.retry_job(bigint), gateway.forget_job(bigint) to supabase_auth_admin;
