-- Erasing a person by the digest of her e-mail address: from mails and the audit log, and from what the application's
-- own function reaches (gateway.hook). Who was erased is remembered, for a restore brings people back.
--
-- Up to version 0.6 the list stood in a schema that users make; from there it is carried over.

do $$
begin
  if obj_description(to_regclass('private.erasures'), 'pg_class') like 'Digests of erased e-mail addresses%' then
    alter table private.erasures set schema gateway;
  else
    create table gateway.erasures (
      digest text primary key,
      at timestamptz not null default clock_timestamp()
    );
    alter table gateway.erasures enable row level security;
  end if;
end
$$;
comment on table gateway.erasures is
  'Digests of erased e-mail addresses: after a restore gateway.erase_again() removes them once more';

create function gateway.email_digest(email text) returns text
language sql immutable strict set search_path = '' as $$
  select encode(sha256(convert_to(lower(btrim(email)), 'UTF8')), 'hex')
$$;
comment on function gateway.email_digest(text) is 'What stands for an e-mail address in lists that name nobody';

create function gateway.names_one_of(content jsonb, digests text[]) returns boolean
language sql immutable set search_path = '' as $$
  select exists (
    select from jsonb_path_query(content, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and gateway.email_digest(member #>> '{}') = any (digests)
  )
$$;
comment on function gateway.names_one_of(jsonb, text[]) is 'Whether a member of a document is one of these addresses';

-- The log is only ever added to, which a trigger holds owners to as well; to disable it takes the table's owner.
create function gateway.erase_from_audit(digests text[]) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint := 0;
  found record;
begin
  alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
  for found in
    select distinct entry.id, member::text as named
    from auth.audit_log_entries as entry, jsonb_path_query(entry.payload::jsonb, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and gateway.email_digest(member #>> '{}') = any (digests)
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
comment on function gateway.erase_from_audit(text[]) is 'Takes people out of the audit log; how many rows named them';

create function gateway.erase_digests(digests text[], again boolean) returns jsonb
language plpgsql set search_path = '' as $$
declare
  counts jsonb;
  hits bigint;
  function text;
begin
  -- A mail that is leaving at this moment keeps its job, without its words.
  with written as (
    select id, status from jobs.procrastinate_jobs as mail
    where mail.task_name = 'mail.send' and gateway.names_one_of(mail.args, digests)
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
  counts := jsonb_build_object('mails', hits, 'audit', gateway.erase_from_audit(digests));
  for function in select * from gateway.hooked('erasure') loop
    execute format('select %s($1, $2, $3)', function) into counts using digests, counts, again;
  end loop;
  return counts;
end
$$;
comment on function gateway.erase_digests(text[], boolean) is
  'Removes people by the digests of their addresses; how many rows of each kind';

create function gateway.erase_person(email text) returns jsonb
language plpgsql set search_path = '' as $$
declare
  digest text := gateway.email_digest(email);
  counts jsonb := gateway.erase_digests(array[digest], false);
begin
  insert into gateway.erasures (digest) values (digest)
  on conflict on constraint erasures_pkey do update set at = clock_timestamp();
  return counts;
end
$$;
comment on function gateway.erase_person(text) is 'Removes a person and remembers it; how many rows of each kind';

create function gateway.erase_again() returns jsonb
language plpgsql set search_path = '' as $$
declare
  everybody text[] := array(select digest from gateway.erasures);
begin
  return case when everybody <> '{}' then gateway.erase_digests(everybody, true) else '{}' end;
end
$$;
comment on function gateway.erase_again() is 'Erases everyone on the list once more, as is due after a restore';

revoke execute on function
  gateway.email_digest(text), gateway.names_one_of(jsonb, text[]), gateway.erase_from_audit(text[]),
  gateway.erase_digests(text[], boolean), gateway.erase_person(text), gateway.erase_again()
from public;
