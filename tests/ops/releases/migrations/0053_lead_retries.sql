-- Of several tries of one submission that arrive together the later ones wait for the first: each of them would else
-- count against what its sender may send, and the last be turned away although its lead is stored.

create or replace function public.submit_lead(
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
  if idempotency_key is not null then
    perform pg_advisory_xact_lock(hashtextextended('lead ' || form || ' ' || idempotency_key, 0));
  end if;
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
