-- What of the leads the gateway counts, tells, erases and removes in time, it hears of by the functions registered here
-- (gateway/migrations/gateway/0090_hooks.sql); it knows none of the tables. Up to version 0.6 this schema also held what
-- is the gateway's own now, in schema `gateway`: that goes.

create or replace function private.count_leads() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  form text;
  stored bigint;
begin
  for form, stored in
    select case when to_jsonb(lead) -> 'quick_start_service' = 'true' then 'quick-start' else tg_argv[0] end, count(*)
    from new_rows as lead group by 1 order by 1
  loop
    perform gateway.count_up('leads_total', jsonb_build_object('form', form), stored);
  end loop;
  return null;
end
$$;

create function private.lead_metrics() returns table (name text, labels jsonb, value double precision)
language sql stable set search_path = '' as $$
  select 'leads_total', jsonb_build_object('form', form), 0::double precision
  from unnest(array['contact', 'newsletter', 'quick-start', 'quote']) as form
  where not exists (
    select from gateway.tallies
    where tallies.name = 'leads_total' and tallies.labels = jsonb_build_object('form', form)
  )
  union all
  select 'quarantined_leads', '{}', count(*) from public.quarantine where released_at is null
$$;
comment on function private.lead_metrics() is 'Numbers of leads beside their tallies: forms without any, and quarantine';

create function private.lead_alarms() returns table (kind text, subject text, detail text)
language sql stable set search_path = '' as $$
  select 'held leads', form, format(
    '%s submissions of the form %s wait in quarantine since %s: they came in a flood, and were not mailed. `gateway'
    ' leads quarantine` lists them, `gateway leads release ID` lets one out.',
    count(*), form, to_char(min(received_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"')
  )
  from public.quarantine where held and released_at is null group by form
$$;
comment on function private.lead_alarms() is 'Leads that are held for a flood, by form';

create function private.erase_leads(digests text[], counts jsonb, again boolean) returns jsonb
language plpgsql set search_path = '' as $$
declare
  hits bigint;
  leads text;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format('delete from public.%I where gateway.email_digest(email) = any ($1)', leads) using digests;
    get diagnostics hits = row_count;
    counts := counts || jsonb_build_object(leads, hits);
  end loop;
  delete from public.quarantine where gateway.names_one_of(payload, digests);
  get diagnostics hits = row_count;
  counts := counts || jsonb_build_object('quarantine', hits);
  delete from private.lead_counters where kind = 'email' and subject = any (digests);
  insert into private.lead_audit (action, detail)
  values ('erase', counts || case when again then '{"again": true}' else '{}' end::jsonb);
  return counts;
end
$$;
comment on function private.erase_leads(text[], jsonb, boolean) is
  'Removes people from leads and quarantine by the digests of their addresses, and notes it';

create or replace function private.forget_leads(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  leads text;
  hits bigint;
  total bigint := 0;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format(
      'delete from public.%1$I where ctid in (select ctid from public.%1$I'
      ' where created_at < now() - make_interval(days => $1) limit $2)', leads
    ) using days, most;
    get diagnostics hits = row_count;
    total := total + hits;
  end loop;
  delete from public.quarantine
  where ctid in (select ctid from public.quarantine where received_at < now() - make_interval(days => days) limit most);
  get diagnostics hits = row_count;
  return total + hits;
end
$$;

-- The log is only ever added to, which a trigger holds owners to as well; to disable it takes the table's owner.
create function private.forget_lead_audit(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint := 0;
begin
  if exists (select from private.lead_audit where at < now() - make_interval(days => days)) then
    alter table private.lead_audit disable trigger lead_audit_keep;
    delete from private.lead_audit
    where ctid in (select ctid from private.lead_audit where at < now() - make_interval(days => days) limit most);
    get diagnostics hits = row_count;
    alter table private.lead_audit enable trigger lead_audit_keep;
  end if;
  return hits;
end
$$;

-- Every counter is full again long before.
create function private.forget_lead_counters(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint;
begin
  delete from private.lead_counters
  where ctid in (select ctid from private.lead_counters where at < now() - make_interval(days => days) limit most);
  get diagnostics hits = row_count;
  return hits;
end
$$;

revoke execute on function
  private.lead_metrics(), private.lead_alarms(), private.erase_leads(text[], jsonb, boolean),
  private.forget_leads(integer, integer), private.forget_lead_audit(integer, integer),
  private.forget_lead_counters(integer, integer)
from public;

select gateway.hook('metrics', 'private.lead_metrics()');
select gateway.hook('alarms', 'private.lead_alarms()');
select gateway.hook('erasure', 'private.erase_leads(text[], jsonb, boolean)');
select gateway.retain('leads', 'private.forget_leads(integer, integer)');
select gateway.retain('audit', 'private.forget_lead_audit(integer, integer)');
select gateway.retain('lead_counters', 'private.forget_lead_counters(integer, integer)', 2);

-- Whoever was erased before version 0.6 is taken out of what was not reached then.
do $$
begin
  if to_regprocedure('private.erase_digests(text[])') is null then
    perform gateway.erase_again();
  end if;
end
$$;

drop function if exists
  private.count_up(text, jsonb, bigint), private.count_mail_attempt(), private.erase_again(), private.erase_person(text),
  private.erase_digest(text), private.erase_digests(text[]), private.erase_from_audit(text[]),
  private.names_one_of(jsonb, text[]), private.email_digest(text), private.forget_audit(integer, integer),
  private.forget_mails(integer, integer);
