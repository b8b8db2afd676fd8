-- What an operator does with leads: release from quarantine, erase a person, and the record of both. Commands of the
-- gateway call these as the schema's owner; no API role can.

create table private.lead_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null default session_user,
  action text not null constraint lead_audit_action_check check (action in ('release', 'erase', 'export')),
  detail jsonb not null default '{}'
);
comment on table private.lead_audit is 'Who released, erased or exported leads; names nobody who was erased';
alter table private.lead_audit enable row level security;

create table private.erasures (
  digest text primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table private.erasures is
  'Digests of erased e-mail addresses: after a restore `gateway leads erase --again` removes them once more';
alter table private.erasures enable row level security;

create function private.keep_audit() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'audit rows are never changed';
end
$$;
create trigger lead_audit_keep before update or delete or truncate on private.lead_audit
  for each statement execute function private.keep_audit();

create function private.email_digest(email text) returns text
language sql immutable strict set search_path = '' as $$
  select encode(sha256(convert_to(lower(btrim(email)), 'UTF8')), 'hex')
$$;

create function private.release_lead(quarantined uuid, lead jsonb, mails jsonb) returns uuid
language plpgsql set search_path = '' as $$
declare
  kept public.quarantine;
  stored uuid;
  mail jsonb;
begin
  select * into kept from public.quarantine where id = quarantined for update;
  if not found then
    raise exception using errcode = 'P0002', message = 'there is no such submission in quarantine';
  end if;
  if kept.released_at is not null then
    raise exception using errcode = '55000', message = 'this submission was released before';
  end if;
  stored := private.store_lead(kept.form, lead, kept.idempotency_key, kept.received_at);
  if stored is not null then
    for mail in select value from jsonb_array_elements(mails) loop
      perform jobs.enqueue_mail(mail - 'priority', coalesce((mail ->> 'priority')::integer, 0));
    end loop;
  end if;
  update public.quarantine set released_at = clock_timestamp() where id = quarantined;
  insert into private.lead_audit (action, detail)
  values ('release', jsonb_build_object('quarantine', quarantined, 'form', kept.form, 'lead', stored));
  return stored;
end
$$;
comment on function private.release_lead(uuid, jsonb, jsonb) is
  'Stores a quarantined submission with its original time; null where the subscriber was there already';

create function private.erase_digest(digest text) returns jsonb
language plpgsql set search_path = '' as $$
declare
  counts jsonb := '{}';
  hits bigint;
  leads text;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format('delete from public.%I where private.email_digest(email) = $1', leads) using digest;
    get diagnostics hits = row_count;
    counts := counts || jsonb_build_object(leads, hits);
  end loop;

  delete from public.quarantine where private.email_digest(payload ->> 'email') = digest;
  get diagnostics hits = row_count;
  counts := counts || jsonb_build_object('quarantine', hits);

  -- A mail that is leaving at this moment keeps its job, without its words.
  with written as (
    select id, status from jobs.procrastinate_jobs as mail
    where mail.task_name = 'mail.send' and (
      private.email_digest(mail.args #>> '{mail,reply_to}') = digest
      or exists (
        select from jsonb_array_elements_text(mail.args #> '{mail,to}') as recipient
        where private.email_digest(recipient) = digest
      )
    )
  ), blanked as (
    update jobs.procrastinate_jobs as mail set args = '{"mail": {"kind": "erased", "to": []}}'
    from written where written.id = mail.id and written.status = 'doing'
    returning mail.id
  ), removed as (
    delete from jobs.procrastinate_jobs as mail using written
    where written.id = mail.id and written.status <> 'doing'
    returning mail.id
  )
  select (select count(*) from blanked) + (select count(*) from removed) into hits;
  counts := counts || jsonb_build_object('mails', hits);

  delete from private.lead_counters where kind = 'email' and subject = digest;
  return counts;
end
$$;

create function private.erase_person(email text) returns jsonb
language plpgsql set search_path = '' as $$
declare
  digest text := private.email_digest(email);
  counts jsonb;
begin
  counts := private.erase_digest(digest);
  insert into private.erasures (digest) values (digest)
  on conflict on constraint erasures_pkey do update set at = clock_timestamp();
  insert into private.lead_audit (action, detail) values ('erase', counts);
  return counts;
end
$$;
comment on function private.erase_person(text) is 'Removes a person from leads, quarantine and mails; how many of each';

create function private.erase_again() returns jsonb
language plpgsql set search_path = '' as $$
declare
  counts jsonb := '{}';
  one jsonb;
  erased record;
begin
  for erased in select digest from private.erasures order by at loop
    one := private.erase_digest(erased.digest);
    select jsonb_object_agg(key, coalesce((counts ->> key)::bigint, 0) + value::bigint) into counts
    from jsonb_each_text(one);
  end loop;
  if counts <> '{}' then
    insert into private.lead_audit (action, detail) values ('erase', counts || '{"again": true}');
  end if;
  return counts;
end
$$;
comment on function private.erase_again() is 'Erases everyone on the list once more, as is due after a restore';

create function jobs.resend_mail(job_id bigint) returns bigint
language plpgsql set search_path = jobs, pg_catalog, pg_temp as $$
declare
  job jobs.procrastinate_jobs;
begin
  select * into job from jobs.procrastinate_jobs where id = job_id and task_name = 'mail.send' for update;
  if not found then
    raise exception using errcode = 'P0002', message = format('there is no mail %s', job_id);
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
comment on function jobs.resend_mail(bigint) is 'Sends a mail again: what waits or failed at once, what was sent as a copy';

revoke execute on function
  private.keep_audit(), private.email_digest(text), private.release_lead(uuid, jsonb, jsonb),
  private.erase_digest(text), private.erase_person(text), private.erase_again(), jobs.resend_mail(bigint)
from public;
