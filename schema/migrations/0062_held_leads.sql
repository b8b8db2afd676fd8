-- A flood that comes from everywhere closes no form. What a form as a whole is above its limit is held in quarantine
-- and the visitor is thanked: thirty-three addresses could otherwise use up what everybody may send, and the leads of
-- that hour were turned away. Whoever runs the gateway is told that leads are held and releases those that are real.

alter table private.lead_limits drop constraint lead_limits_kind_check;
alter table private.lead_limits add constraint lead_limits_kind_check
  check (kind in ('address', 'email', 'form', 'held'));
insert into private.lead_limits (form, kind, burst, per_hour)
select form, 'held', 5000, 5000 from unnest(array['contact', 'newsletter', 'quick-start', 'quote']) as form;
comment on table private.lead_limits is
  'How many submissions a form takes at once, and how many more each hour: from one address, one e-mail, altogether,'
  ' and how many above that it holds in quarantine';

alter table public.quarantine add column held boolean not null default false;
comment on column public.quarantine.held is 'Whether it is held for a flood that it came in, and not as spam';

drop function private.lead_wait(text, text, text);

create function private.sender_wait(form text, address text, email text) returns numeric
language plpgsql set search_path = '' as $$
declare
  wait numeric := private.take_lead_token(form, 'address', address);
begin
  if wait = 0 then
    wait := private.take_lead_token(form, 'email', email);
  end if;
  return wait;
end
$$;
comment on function private.sender_wait(text, text, text) is
  'Counts a submission against its sender; 0, or the seconds the sender has to wait';

create function private.is_held(form text, idempotency_key text) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.quarantine as kept
    where kept.idempotency_key = is_held.idempotency_key and kept.form = is_held.form and kept.held
  )
$$;
comment on function private.is_held(text, text) is 'Whether this submission was held before';

drop function public.submit_lead(text, jsonb, jsonb, text, text);

create function public.submit_lead(
  form text,
  lead jsonb,
  mails jsonb default '[]',
  idempotency_key text default null,
  address text default null,
  payload jsonb default null
) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  stored uuid;
  wait numeric;
  mail jsonb;
begin
  if idempotency_key is not null then
    perform pg_advisory_xact_lock(hashtextextended('lead ' || form || ' ' || idempotency_key, 0));
  end if;
  if private.is_stored(form, idempotency_key) or private.is_held(form, idempotency_key) then
    return jsonb_build_object('stored', false, 'duplicate', true);
  end if;
  wait := private.sender_wait(form, address, lead ->> 'email');
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
  end if;
  wait := private.take_lead_token(form, 'form', form);
  if wait > 0 then
    if payload is null or private.take_lead_token(form, 'held', form) > 0 then
      return jsonb_build_object('stored', false, 'retry_after', wait);
    end if;
    insert into public.quarantine (form, payload, reason, idempotency_key, address, held)
    values (
      form, payload, 'the form took more submissions than its limit', idempotency_key, private.inet_of(address), true
    );
    return jsonb_build_object('stored', true, 'held', true);
  end if;
  stored := private.store_lead(form, lead, idempotency_key, now());
  if stored is null then
    return jsonb_build_object('stored', false, 'duplicate', true);
  end if;
  for mail in select value from jsonb_array_elements(mails) loop
    perform jobs.enqueue_mail(mail - 'priority', coalesce((mail ->> 'priority')::integer, 0));
  end loop;
  return jsonb_build_object('stored', true, 'id', stored);
end
$$;
comment on function public.submit_lead(text, jsonb, jsonb, text, text, jsonb) is
  'Stores a lead and queues its mails: {stored, id}, {stored, held}, {stored: false, duplicate} or {stored: false,'
  ' retry_after}; without the payload, the body as it was sent, nothing can be held';

create function private.inet_of(address text) returns inet
language plpgsql immutable set search_path = '' as $$
begin
  return address::inet;
exception when invalid_text_representation then
  return null;
end
$$;
comment on function private.inet_of(text) is 'An address, or null where the text is none';

create or replace function public.quarantine_lead(
  form text, payload jsonb, reason text, idempotency_key text default null, address text default null
) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  -- A flood of what a trap catches must neither fill the disk nor use up what real senders may send.
  wait numeric := private.take_lead_token(form, 'address', 'quarantine ' || address);
begin
  if wait = 0 then
    wait := private.take_lead_token(form, 'form', 'quarantine');
  end if;
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
  end if;
  insert into public.quarantine (form, payload, reason, idempotency_key, address)
  values (form, payload, left(reason, 1000), idempotency_key, private.inet_of(address))
  on conflict on constraint quarantine_idempotency_key_key do nothing;
  return jsonb_build_object('stored', true);
end
$$;

revoke execute on function public.submit_lead(text, jsonb, jsonb, text, text, jsonb) from public, anon, authenticated;
grant execute on function public.submit_lead(text, jsonb, jsonb, text, text, jsonb) to service_role;
