-- What is kept for a time only. A kind of rows has functions (days integer, most integer) that remove what is older and
-- say how many rows; an application registers its own by `select gateway.retain(kind, function, days)`. The job worker
-- asks once an hour, with the days of the setting GATEWAY_<KIND>_DAYS, else with those of the registration, else never.
-- A call removes at most so many rows of a table that nobody waits for it; it is called until nothing is left.

create table gateway.retention (
  kind text not null constraint retention_kind_check check (kind ~ '^[a-z][a-z0-9_]*$'),
  function text not null,
  days integer constraint retention_days_check check (days > 0),
  constraint retention_pkey primary key (kind, function)
);
comment on table gateway.retention is 'What is kept for a time only, and what removes it; see gateway.retain()';
alter table gateway.retention enable row level security;

create function gateway.retain(kind text, function regprocedure, days integer default null) returns void
language plpgsql set search_path = '' as $$
begin
  if array(select unnest(proargtypes)::regtype::text from pg_catalog.pg_proc where oid = function)
    <> array['integer', 'integer'] then
    raise exception using errcode = '22023', message = 'a function that removes what is old takes (integer, integer)';
  end if;
  insert into gateway.retention (kind, function, days) values (kind, function::text, days)
  on conflict on constraint retention_pkey do update set days = excluded.days;
end
$$;
comment on function gateway.retain(text, regprocedure, integer) is
  'Has a function remove what is older than so many days; without days only where a setting names some';

-- The log is only ever added to, which a trigger holds owners to as well; to disable it takes the table's owner.
create function gateway.forget_audit(days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  hits bigint := 0;
begin
  if exists (select from auth.audit_log_entries where created_at < now() - make_interval(days => days)) then
    alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
    delete from auth.audit_log_entries where ctid in (
      select ctid from auth.audit_log_entries where created_at < now() - make_interval(days => days) limit most
    );
    get diagnostics hits = row_count;
    alter table auth.audit_log_entries enable trigger audit_log_entries_append_only;
  end if;
  return hits;
end
$$;

-- Mails that are done with. One that matters and was not delivered stays until somebody sees to it.
create function gateway.forget_mails(days integer, most integer) returns bigint
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

create or replace function gateway.forget(kind text, days integer, most integer) returns bigint
language plpgsql set search_path = '' as $$
declare
  function text;
  hits bigint;
  total bigint := 0;
begin
  if days < 1 then
    raise exception using errcode = '22023', message = 'nothing is forgotten within a day';
  end if;
  for function in
    select to_regprocedure(retention.function)::oid::regproc::text from gateway.retention
    where retention.kind = forget.kind and to_regprocedure(retention.function) is not null
    order by retention.function
  loop
    execute format('select %s($1, $2)', function) into hits using days, most;
    total := total + hits;
  end loop;
  return total;
end
$$;
comment on function gateway.forget(text, integer, integer) is
  'Removes what is older than so many days of a kind; how many rows, `most` of each table at once';

select gateway.retain('audit', 'gateway.forget_audit(integer, integer)');
select gateway.retain('mails', 'gateway.forget_mails(integer, integer)');

revoke execute on function
  gateway.retain(text, regprocedure, integer), gateway.forget_audit(integer, integer),
  gateway.forget_mails(integer, integer), gateway.forget(text, integer, integer)
from public;
