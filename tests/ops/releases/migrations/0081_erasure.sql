-- Erasing a person reaches the audit log too, and every mail and quarantined submission that names her in any member,
-- not only where a form or a mail usually does. Everyone on the list is looked for in one pass over each table.

create function private.names_one_of(content jsonb, digests text[]) returns boolean
language sql immutable set search_path = '' as $$
  select exists (
    select from jsonb_path_query(content, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and private.email_digest(member #>> '{}') = any (digests)
  )
$$;
comment on function private.names_one_of(jsonb, text[]) is 'Whether a member of a document is one of these addresses';

-- The log is only ever added to, which a trigger holds owners to as well; to disable it takes the table's owner.
create function private.erase_from_audit(digests text[]) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint := 0;
  found record;
begin
  alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
  for found in
    select distinct entry.id, member::text as named
    from auth.audit_log_entries as entry, jsonb_path_query(entry.payload::jsonb, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and private.email_digest(member #>> '{}') = any (digests)
  loop
    update auth.audit_log_entries as entry
    set payload = replace(entry.payload::jsonb::text, found.named, '"erased"')::json
    where entry.id = found.id;
    hits := hits + 1;
  end loop;
  alter table auth.audit_log_entries enable trigger audit_log_entries_append_only;
  return hits;
end
$$;
comment on function private.erase_from_audit(text[]) is 'Takes people out of the audit log; how many rows named them';

drop function private.erase_digest(text);

create function private.erase_digests(digests text[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  counts jsonb := '{}';
  hits bigint;
  leads text;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format('delete from public.%I where private.email_digest(email) = any ($1)', leads) using digests;
    get diagnostics hits = row_count;
    counts := counts || jsonb_build_object(leads, hits);
  end loop;

  delete from public.quarantine where private.names_one_of(payload, digests);
  get diagnostics hits = row_count;
  counts := counts || jsonb_build_object('quarantine', hits);

  -- A mail that is leaving at this moment keeps its job, without its words.
  with written as (
    select id, status from jobs.procrastinate_jobs as mail
    where mail.task_name = 'mail.send' and private.names_one_of(mail.args, digests)
  ), blanked as (
    update jobs.procrastinate_jobs as mail set args = '{"mail": {"kind": "erased", "to": []}}'
    from written where written.id = mail.id and written.status = 'doing'
    returning mail.id
  ), unsaid as (
    update jobs.mail_attempts as attempt set reply = '' from blanked where blanked.id = attempt.job_id
  ), removed as (
    delete from jobs.procrastinate_jobs as mail using written
    where written.id = mail.id and written.status <> 'doing'
    returning mail.id
  )
  select (select count(*) from blanked) + (select count(*) from removed) into hits;
  counts := counts || jsonb_build_object('mails', hits);

  delete from private.lead_counters where kind = 'email' and subject = any (digests);
  return counts || jsonb_build_object('audit', private.erase_from_audit(digests));
end
$$;
comment on function private.erase_digests(text[]) is 'Removes people by the digests of their addresses; how many rows';

create or replace function private.erase_person(email text) returns jsonb
language plpgsql set search_path = '' as $$
declare
  digest text := private.email_digest(email);
  counts jsonb;
begin
  counts := private.erase_digests(array[digest]);
  insert into private.erasures (digest) values (digest)
  on conflict on constraint erasures_pkey do update set at = clock_timestamp();
  insert into private.lead_audit (action, detail) values ('erase', counts);
  return counts;
end
$$;

create or replace function private.erase_again() returns jsonb
language plpgsql set search_path = '' as $$
declare
  everybody text[] := array(select digest from private.erasures);
  counts jsonb := '{}';
begin
  if everybody <> '{}' then
    counts := private.erase_digests(everybody);
    insert into private.lead_audit (action, detail) values ('erase', counts || '{"again": true}');
  end if;
  return counts;
end
$$;

revoke execute on function
  private.names_one_of(jsonb, text[]), private.erase_from_audit(text[]), private.erase_digests(text[])
from public;

-- Whoever was erased before is taken out of what was not reached then.
select private.erase_again();
