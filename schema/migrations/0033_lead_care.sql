-- What an operator does with leads: release from quarantine, and the record of it. Commands call these as the schema's
-- owner; no API role can.

create table private.lead_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null default session_user,
  action text not null constraint lead_audit_action_check check (action in ('release', 'erase', 'export')),
  detail jsonb not null default '{}'
);
comment on table private.lead_audit is 'Who released, erased or exported leads; names nobody who was erased';
alter table private.lead_audit enable row level security;

create function private.keep_audit() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'audit rows are never changed';
end
$$;
create trigger lead_audit_keep before update or delete or truncate on private.lead_audit
  for each statement execute function private.keep_audit();

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

revoke execute on function private.keep_audit(), private.release_lead(uuid, jsonb, jsonb) from public;
