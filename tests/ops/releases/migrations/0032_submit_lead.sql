-- How a form's function stores what a visitor sent: lead and mails in one transaction, once for each submission.
--
-- Only service_role calls this, through the tables API. It decides in this order: a submission that is already
-- stored is answered as before; one that a trap caught goes to quarantine; one above a limit is turned away; the
-- rest is stored and its mails are queued.

create table private.lead_limits (
  form text not null constraint lead_limits_form_check check (form in ('contact', 'newsletter', 'quick-start', 'quote')),
  kind text not null constraint lead_limits_kind_check check (kind in ('address', 'email', 'form')),
  burst integer not null constraint lead_limits_burst_check check (burst > 0),
  per_hour numeric not null constraint lead_limits_per_hour_check check (per_hour > 0),
  constraint lead_limits_pkey primary key (form, kind)
);
comment on table private.lead_limits is
  'How many submissions a form takes at once, and how many more each hour: from one address, one e-mail, altogether';
alter table private.lead_limits enable row level security;

-- A hospital's staff share one address; a person corrects a form a few times. The limit of the form as a whole only
-- stops a flood that comes from everywhere.
insert into private.lead_limits (form, kind, burst, per_hour)
select form, kind, burst, per_hour
from unnest(array['contact', 'newsletter', 'quick-start', 'quote']) as form
cross join (values ('address', 20, 60), ('email', 6, 12), ('form', 600, 3600)) as limits (kind, burst, per_hour);

create table private.lead_counters (
  form text not null,
  kind text not null,
  subject text not null,
  tokens numeric not null,
  at timestamptz not null,
  constraint lead_counters_pkey primary key (form, kind, subject)
);
comment on table private.lead_counters is 'Submissions left to an address, an e-mail or a form, as of a time';
comment on column private.lead_counters.subject is 'Digest of the address or e-mail: nobody can be read out of it';
alter table private.lead_counters enable row level security;
create index lead_counters_at_idx on private.lead_counters (at);

create function private.take_lead_token(form text, kind text, subject text) returns numeric
language plpgsql set search_path = '' as $$
declare
  allowed private.lead_limits;
  digest text := encode(sha256(convert_to(lower(btrim(subject)), 'UTF8')), 'hex');
  left_over numeric;
begin
  select * into allowed from private.lead_limits as limits
  where limits.form = take_lead_token.form and limits.kind = take_lead_token.kind;
  if not found or subject is null then
    return 0;
  end if;
  -- The row lock makes concurrent submissions count one after the other. A refused one takes nothing.
  insert into private.lead_counters as counters (form, kind, subject, tokens, at)
  values (take_lead_token.form, take_lead_token.kind, digest, allowed.burst - 1, clock_timestamp())
  on conflict on constraint lead_counters_pkey do update set
    tokens = least(
      allowed.burst,
      counters.tokens + extract(epoch from clock_timestamp() - counters.at) * allowed.per_hour / 3600
    ) - 1,
    at = clock_timestamp()
  where least(
      allowed.burst,
      counters.tokens + extract(epoch from clock_timestamp() - counters.at) * allowed.per_hour / 3600
    ) >= 1
  returning tokens into left_over;
  if found then
    return 0;
  end if;
  select counters.tokens + extract(epoch from clock_timestamp() - counters.at) * allowed.per_hour / 3600
  into left_over from private.lead_counters as counters
  where counters.form = take_lead_token.form and counters.kind = take_lead_token.kind and counters.subject = digest;
  return ceil((1 - left_over) * 3600 / allowed.per_hour);
end
$$;
comment on function private.take_lead_token(text, text, text) is
  'Counts one submission; 0, or the seconds to wait where there are too many';

create function private.lead_wait(form text, address text, email text) returns numeric
language plpgsql set search_path = '' as $$
declare
  wait numeric := private.take_lead_token(form, 'address', address);
begin
  -- The form's own count comes last: what one sender sends too much of must not close the form to everyone.
  if wait = 0 then
    wait := private.take_lead_token(form, 'email', email);
  end if;
  if wait = 0 then
    wait := private.take_lead_token(form, 'form', form);
  end if;
  return wait;
end
$$;
comment on function private.lead_wait(text, text, text) is 'Counts a submission; 0, or the seconds its sender has to wait';

create function private.store_lead(
  form text, lead jsonb, idempotency_key text, received_at timestamptz
) returns uuid
language plpgsql set search_path = '' as $$
declare
  id uuid;
  quote public.quote_requests := jsonb_populate_record(null::public.quote_requests, lead);
  message public.contact_messages := jsonb_populate_record(null::public.contact_messages, lead);
begin
  case form
    when 'newsletter' then
      insert into public.newsletter_subscriptions as stored (idempotency_key, first_name, last_name, email, created_at)
      values (store_lead.idempotency_key, lead ->> 'first_name', lead ->> 'last_name', lead ->> 'email', received_at)
      on conflict do nothing
      returning stored.id into id;
    when 'contact' then
      insert into public.contact_messages as stored
        (idempotency_key, name, email, phone, company, subject, message, priority, created_at)
      values (
        store_lead.idempotency_key, message.name, message.email, message.phone, message.company, message.subject,
        message.message, coalesce(message.priority, 'normal'), received_at
      )
      on conflict on constraint contact_messages_idempotency_key_key do nothing
      returning stored.id into id;
    else
      insert into public.quote_requests as stored (
        idempotency_key, quick_start_service, facility_name, facility_type, contact_name, email, phone, address, city,
        state, zip_code, services, waste_volume, pickup_frequency, current_provider, contact_priority, employee_count,
        location, service_location, promotion_amount, message, formatted_message, created_at
      )
      values (
        store_lead.idempotency_key, form = 'quick-start', quote.facility_name, quote.facility_type,
        quote.contact_name, quote.email, quote.phone, quote.address, quote.city, quote.state, quote.zip_code,
        quote.services, quote.waste_volume, quote.pickup_frequency, quote.current_provider, quote.contact_priority,
        quote.employee_count, quote.location, quote.service_location, quote.promotion_amount, quote.message,
        quote.formatted_message, received_at
      )
      on conflict on constraint quote_requests_idempotency_key_key do nothing
      returning stored.id into id;
  end case;
  return id;
end
$$;
comment on function private.store_lead(text, jsonb, text, timestamptz) is
  'The id of the new row, or null where this submission or this subscriber is already there';

create function private.is_stored(form text, idempotency_key text) returns boolean
language sql stable set search_path = '' as $$
  select idempotency_key is not null and (
    form = 'newsletter' and exists (
      select from public.newsletter_subscriptions as stored where stored.idempotency_key = is_stored.idempotency_key)
    or form = 'contact' and exists (
      select from public.contact_messages as stored where stored.idempotency_key = is_stored.idempotency_key)
    or form in ('quote', 'quick-start') and exists (
      select from public.quote_requests as stored where stored.idempotency_key = is_stored.idempotency_key)
  )
$$;
comment on function private.is_stored(text, text) is 'Whether this submission has been stored before';

create function public.submit_lead(
  form text,
  lead jsonb,
  mails jsonb default '[]',
  idempotency_key text default null,
  address text default null
) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  stored uuid;
  wait numeric;
  mail jsonb;
begin
  if private.is_stored(form, idempotency_key) then
    return jsonb_build_object('stored', false, 'duplicate', true);
  end if;
  wait := private.lead_wait(form, address, lead ->> 'email');
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
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
comment on function public.submit_lead(text, jsonb, jsonb, text, text) is
  'Stores a lead and queues its mails: {stored, id}, {stored: false, duplicate} or {stored: false, retry_after}';

create function public.quarantine_lead(
  form text, payload jsonb, reason text, idempotency_key text default null, address text default null
) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  source inet;
  -- A flood of what a trap catches must neither fill the disk nor use up what real senders may send.
  wait numeric := private.take_lead_token(form, 'address', 'quarantine ' || address);
begin
  if wait = 0 then
    wait := private.take_lead_token(form, 'form', 'quarantine');
  end if;
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
  end if;
  begin
    source := address::inet;
  exception when invalid_text_representation then
    source := null;
  end;
  insert into public.quarantine (form, payload, reason, idempotency_key, address)
  values (form, payload, left(reason, 1000), idempotency_key, source)
  on conflict on constraint quarantine_idempotency_key_key do nothing;
  return jsonb_build_object('stored', true);
end
$$;
comment on function public.quarantine_lead(text, jsonb, text, text, text) is
  'Keeps a submission that a trap caught; it is never mailed until somebody releases it';

revoke execute on function public.submit_lead(text, jsonb, jsonb, text, text) from public, anon, authenticated;
revoke execute on function public.quarantine_lead(text, jsonb, text, text, text) from public, anon, authenticated;
grant execute on function public.submit_lead(text, jsonb, jsonb, text, text) to service_role;
grant execute on function public.quarantine_lead(text, jsonb, text, text, text) to service_role;
