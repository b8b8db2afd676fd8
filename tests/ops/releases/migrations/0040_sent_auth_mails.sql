-- A mail of the auth API carries a link that signs in. Once its job is over the link has no business in the queue,
-- where a dump of the database would find it; who and when stay for the operator to see.

create function jobs.blank_auth_mail() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.args := jsonb_set(new.args, '{mail}', (new.args -> 'mail') - array['text', 'html'] || '{"blanked": true}');
  return new;
end
$$;
comment on function jobs.blank_auth_mail() is 'Takes the words, and with them the link, out of an auth mail that is done with';

create trigger blank_auth_mail before update of status on jobs.procrastinate_jobs
  for each row when (
    new.status in ('succeeded', 'failed', 'cancelled', 'aborted')
    and new.task_name = 'mail.send'
    and new.args #>> '{mail,kind}' like 'auth.%'
  )
  execute function jobs.blank_auth_mail();

update jobs.procrastinate_jobs set status = status
where status in ('succeeded', 'failed', 'cancelled', 'aborted')
  and task_name = 'mail.send' and args #>> '{mail,kind}' like 'auth.%';

create or replace function jobs.resend_mail(job_id bigint) returns bigint
language plpgsql set search_path = jobs, pg_catalog, pg_temp as $$
declare
  job jobs.procrastinate_jobs;
begin
  select * into job from jobs.procrastinate_jobs where id = job_id and task_name = 'mail.send' for update;
  if not found then
    raise exception using errcode = 'P0002', message = format('there is no mail %s', job_id);
  end if;
  if job.args #> '{mail,blanked}' is not null then
    raise exception using errcode = '55000',
      message = format('mail %s carried a link of the auth API, which is not kept: ask for a new one', job_id);
  end if;
  case job.status::text
    when 'todo' then
      update jobs.procrastinate_jobs set scheduled_at = null where id = job_id;
      return job_id;
    when 'failed', 'cancelled', 'aborted' then
      update jobs.procrastinate_jobs
      set status = 'todo', scheduled_at = null, attempts = 0, abort_requested = false, worker_id = null,
        args = args || jsonb_build_object('queued_at', now())
      where id = job_id;
      return job_id;
    when 'succeeded' then
      return jobs.enqueue_mail(job.args -> 'mail', job.priority);
    else
      raise exception using errcode = '55000', message = format('mail %s is being sent right now', job_id);
  end case;
end
$$;

revoke execute on function jobs.blank_auth_mail() from public;
