-- Erasing a person also where rows are kept beside their tables: in the console's audit log, which has values before and
-- after and the text of SQL, and in the stored calls of functions, which have the row that they are about.

create function gateway.address_in(content text, digests text[]) returns boolean
language sql immutable strict set search_path = '' as $$
  select exists (
    select from regexp_matches(
      replace(replace(content, '%40', '@'), '\u0040', '@'), '[^\s''"<>(),;:=&?/\\]+@[^\s''"<>(),;:=&?/\\]+', 'g'
    ) as found
    where gateway.email_digest(found[1]) = any (digests)
      or gateway.email_digest(rtrim(found[1], '.!')) = any (digests)
  )
$$;
comment on function gateway.address_in(text, text[]) is 'Whether a text has one of these addresses';

create function gateway.erase_from_console_audit(digests text[]) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint;
begin
  update gateway.console_audit as audit
  set detail = case when audit.detail is not null then '{"erased": true}'::jsonb end,
    target = case when gateway.address_in(audit.target, digests) then 'erased' else audit.target end
  where gateway.names_one_of(audit.detail, digests) or gateway.address_in(audit.detail::text, digests)
    or gateway.address_in(audit.target, digests);
  get diagnostics hits = row_count;
  return hits;
end
$$;
comment on function gateway.erase_from_console_audit(text[]) is
  'Takes what names people out of the console''s audit log, who did what and when stays; how many rows named them';

-- A call that waits is not made any more: there is nobody left whom it would be about.
create function gateway.erase_from_function_calls(digests text[]) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint;
begin
  update jobs.function_calls as call
  set body = case when call.body is not null then '{"erased": true}'::jsonb end, params = '{}', headers = '{}',
    error = case when call.error is not null then 'erased' end,
    state = case when call.state in ('waiting', 'dead', 'missed') then 'dismissed' else call.state end,
    ended_at = coalesce(call.ended_at, clock_timestamp())
  where gateway.names_one_of(to_jsonb(call), digests) or gateway.address_in(to_jsonb(call)::text, digests);
  get diagnostics hits = row_count;
  return hits;
end
$$;
comment on function gateway.erase_from_function_calls(text[]) is
  'Takes what names people out of the stored calls of functions; how many named them';

create or replace function gateway.erase_digests(digests text[], again boolean) returns jsonb
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
  counts := jsonb_build_object(
    'mails', hits, 'audit', gateway.erase_from_audit(digests),
    'console_audit', gateway.erase_from_console_audit(digests),
    'function_calls', gateway.erase_from_function_calls(digests)
  );
  for function in select * from gateway.hooked('erasure') loop
    execute format('select %s($1, $2, $3)', function) into counts using digests, counts, again;
  end loop;
  return counts;
end
$$;

revoke execute on function
  gateway.address_in(text, text[]), gateway.erase_from_console_audit(text[]),
  gateway.erase_from_function_calls(text[]) from public;
