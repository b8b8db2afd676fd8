-- What is kept for a time only: the job worker asks for it once an hour, with the days of the settings. A pass removes
-- at most so many rows of each kind that nobody waits for it; what is left goes with the next one.

create function private.forget_leads(days integer, most integer) returns bigint
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

-- The logs are only ever added to, which a trigger holds owners to as well; to disable it takes the table's owner.
create function private.forget_audit(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint := 0;
  more bigint;
begin
  if exists (select from auth.audit_log_entries where created_at < now() - make_interval(days => days)) then
    alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
    delete from auth.audit_log_entries where ctid in (
      select ctid from auth.audit_log_entries where created_at < now() - make_interval(days => days) limit most
    );
    get diagnostics hits = row_count;
    alter table auth.audit_log_entries enable trigger audit_log_entries_append_only;
  end if;
  if exists (select from private.lead_audit where at < now() - make_interval(days => days)) then
    alter table private.lead_audit disable trigger lead_audit_keep;
    delete from private.lead_audit
    where ctid in (select ctid from private.lead_audit where at < now() - make_interval(days => days) limit most);
    get diagnostics more = row_count;
    alter table private.lead_audit enable trigger lead_audit_keep;
    hits := hits + more;
  end if;
  return hits;
end
$$;

-- Mails that are done with. One that matters and was not delivered stays until somebody sees to it.
create function private.forget_mails(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint;
begin
  delete from jobs.procrastinate_jobs as job where job.id in (
    select ended.id
    from jobs.procrastinate_jobs as ended
    where (
        ended.status in ('succeeded', 'cancelled')
        or ended.status in ('failed', 'aborted') and ended.args #> '{mail,alarm_after}' is null
      )
      and not exists (
        select from jobs.procrastinate_events as event
        where event.job_id = ended.id and event.at >= now() - make_interval(days => days)
      )
    limit most
  );
  get diagnostics hits = row_count;
  return hits;
end
$$;

create function gateway.forget(kind text, days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
begin
  if days < 1 then
    raise exception using errcode = '22023', message = 'nothing is forgotten within a day';
  end if;
  case kind
    when 'leads' then return private.forget_leads(days, most);
    when 'audit' then return private.forget_audit(days, most);
    when 'mails' then return private.forget_mails(days, most);
  end case;
end
$$;
comment on function gateway.forget(text, integer, integer) is
  'Removes what is older than so many days, of leads, audit or mails; how many rows, `most` of each table at once';

revoke execute on function
  private.forget_leads(integer, integer), private.forget_audit(integer, integer),
  private.forget_mails(integer, integer), gateway.forget(text, integer, integer)
from public;
