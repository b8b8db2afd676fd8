-- What visitors send. Only functions (service_role) write here and only administrators read; the checks repeat the
-- rules of the forms, so that no other way in stores less than a form would. Lengths leave room above the forms'
-- own limits: a form may be widened without losing a lead to its table.
--
-- Every kind of lead has the same first columns:
--   idempotency_key  made by the browser for one submission; a retry of it stores nothing twice
--   status           new until an administrator has handled it
--   handled_at       follows status by itself

create function private.stamp_handled() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.handled_at := case when new.status = 'handled' then coalesce(new.handled_at, clock_timestamp()) end;
  return new;
end
$$;
comment on function private.stamp_handled() is 'Trigger: handled_at says since when status is handled';

create table public.newsletter_subscriptions (
  id uuid primary key default gen_random_uuid(),
  idempotency_key text constraint newsletter_subscriptions_idempotency_key_key unique
    constraint newsletter_subscriptions_idempotency_key_check check (char_length(idempotency_key) between 1 and 200),
  status text not null default 'new'
    constraint newsletter_subscriptions_status_check check (status in ('new', 'handled')),
  handled_at timestamptz,
  first_name text not null constraint newsletter_subscriptions_first_name_check
    check (first_name ~ '[^[:space:]]' and char_length(first_name) <= 200),
  last_name text not null constraint newsletter_subscriptions_last_name_check
    check (last_name ~ '[^[:space:]]' and char_length(last_name) <= 200),
  -- one address and no spaces: what a mail program would at least try
  email text not null constraint newsletter_subscriptions_email_check
    check (char_length(email) <= 320 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.newsletter_subscriptions is 'Newsletter sign-ups, one for each address';

-- one person, however the address is capitalised
create unique index newsletter_subscriptions_email_key on public.newsletter_subscriptions (lower(email));

create table public.quote_requests (
  id uuid primary key default gen_random_uuid(),
  idempotency_key text constraint quote_requests_idempotency_key_key unique
    constraint quote_requests_idempotency_key_check check (char_length(idempotency_key) between 1 and 200),
  status text not null default 'new' constraint quote_requests_status_check check (status in ('new', 'handled')),
  handled_at timestamptz,
  quick_start_service boolean not null default false,
  facility_name text not null constraint quote_requests_facility_name_check
    check (facility_name ~ '[^[:space:]]' and char_length(facility_name) <= 400),
  facility_type text not null constraint quote_requests_facility_type_check check (
    case when quick_start_service
      then facility_type in ('outpatient-clinic', 'medical-practice', 'dental-office', 'veterinary-clinic',
        'laboratory', 'long-term-care', 'other')
      else facility_type in ('hospital', 'outpatient-clinic', 'medical-practice', 'laboratory',
        'research-facility', 'long-term-care', 'government-facility', 'other')
    end
  ),
  contact_name text not null constraint quote_requests_contact_name_check
    check (contact_name ~ '[^[:space:]]' and char_length(contact_name) <= 400),
  -- one address and no spaces: what a mail program would at least try
  email text not null constraint quote_requests_email_check
    check (char_length(email) <= 320 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  phone text not null constraint quote_requests_phone_check check (phone ~ '[^[:space:]]' and char_length(phone) <= 80),
  address text constraint quote_requests_address_check check (char_length(address) <= 400),
  city text constraint quote_requests_city_check check (char_length(city) <= 200),
  state text constraint quote_requests_state_check check (
    case when quick_start_service then char_length(state) <= 80
      else state in ('ME', 'NH', 'VT', 'MA', 'RI', 'CT')
    end
  ),
  zip_code text constraint quote_requests_zip_code_check check (zip_code ~ '^[0-9]{5}(-[0-9]{4})?$'),
  services text[] not null constraint quote_requests_services_check check (
    cardinality(services) > 0
    and services <@ array['medical-waste', 'sharps', 'pharmaceutical', 'pathological', 'document-shredding',
      'training', 'emergency', 'consulting']
  ),
  -- The Quick Start page fills these two in by itself; what it says there binds nobody.
  waste_volume text not null constraint quote_requests_waste_volume_check check (
    case when quick_start_service then char_length(waste_volume) between 1 and 80
      else waste_volume in ('n/a', '1-2', '3-5', '6-10', '10+')
    end
  ),
  pickup_frequency text not null constraint quote_requests_pickup_frequency_check check (
    case when quick_start_service then char_length(pickup_frequency) between 1 and 80
      else pickup_frequency in ('n/a', 'annually', 'biannually', 'quarterly', 'every-two-months', 'monthly',
        'biweekly', 'weekly')
    end
  ),
  current_provider text constraint quote_requests_current_provider_check check (char_length(current_provider) <= 400),
  contact_priority text constraint quote_requests_contact_priority_check
    check (contact_priority in ('low', 'normal', 'high', 'urgent')),
  employee_count text constraint quote_requests_employee_count_check check (employee_count in ('1-10', '10+')),
  location text,
  service_location text constraint quote_requests_service_location_check check (char_length(service_location) <= 400),
  promotion_amount numeric(10, 2) constraint quote_requests_promotion_amount_check check (promotion_amount >= 0),
  message text constraint quote_requests_message_check check (char_length(message) <= 10000),
  formatted_message text
    constraint quote_requests_formatted_message_check check (char_length(formatted_message) <= 11000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- training and advice are priced by the number of people
  constraint quote_requests_services_employee_count_check check (
    quick_start_service or not services && array['training', 'consulting'] or employee_count is not null
  ),
  constraint quote_requests_location_check check (
    case when quick_start_service then location is not null and location ~ '[^[:space:]]' and char_length(location) <= 200
      else location is null
    end
  )
);
comment on table public.quote_requests is 'Requests for a quote, and for the Quick Start monthly service';
comment on column public.quote_requests.quick_start_service is 'True for the Quick Start form, false for the full one';
comment on column public.quote_requests.location is 'Quick Start: key of the service area, or what the visitor wrote';
comment on column public.quote_requests.promotion_amount is 'Quick Start: US dollars a month shown to the visitor';
comment on column public.quote_requests.formatted_message is 'Quick Start: one-line summary made by the page';

create table public.contact_messages (
  id uuid primary key default gen_random_uuid(),
  idempotency_key text constraint contact_messages_idempotency_key_key unique
    constraint contact_messages_idempotency_key_check check (char_length(idempotency_key) between 1 and 200),
  status text not null default 'new' constraint contact_messages_status_check check (status in ('new', 'handled')),
  handled_at timestamptz,
  name text not null constraint contact_messages_name_check check (name ~ '[^[:space:]]' and char_length(name) <= 400),
  -- one address and no spaces: what a mail program would at least try
  email text not null constraint contact_messages_email_check
    check (char_length(email) <= 320 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  phone text constraint contact_messages_phone_check check (char_length(phone) <= 80),
  company text constraint contact_messages_company_check check (char_length(company) <= 400),
  subject text not null
    constraint contact_messages_subject_check check (subject ~ '[^[:space:]]' and char_length(subject) <= 400),
  message text not null
    constraint contact_messages_message_check check (message ~ '[^[:space:]]' and char_length(message) <= 10000),
  priority text not null default 'normal'
    constraint contact_messages_priority_check check (priority in ('emergency', 'urgent', 'normal', 'low')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.contact_messages is 'Messages from the contact form';

-- Submissions a trap caught: kept, never mailed, released by hand when the trap was wrong.
create table public.quarantine (
  id uuid primary key default gen_random_uuid(),
  idempotency_key text constraint quarantine_idempotency_key_key unique
    constraint quarantine_idempotency_key_check check (char_length(idempotency_key) between 1 and 200),
  form text not null
    constraint quarantine_form_check check (form in ('contact', 'newsletter', 'quick-start', 'quote')),
  reason text not null constraint quarantine_reason_check check (reason ~ '[^[:space:]]' and char_length(reason) <= 1000),
  payload jsonb not null constraint quarantine_payload_check check (jsonb_typeof(payload) = 'object'),
  address inet,
  received_at timestamptz not null default now(),
  released_at timestamptz
);
comment on table public.quarantine is 'Submissions held back as probable spam';
comment on column public.quarantine.payload is 'The body as it was sent';
comment on column public.quarantine.address is 'Network address it came from';

create index quarantine_received_at_idx on public.quarantine (received_at desc);

do $$
declare
  lead text;
begin
  foreach lead in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format('create trigger %1$s_touch before update on public.%1$I
      for each row execute function private.touch_updated_at()', lead);
    execute format('create trigger %1$s_handled before insert or update on public.%1$I
      for each row execute function private.stamp_handled()', lead);
    -- the administrators' list, all of it or one status, newest first
    execute format('create index %1$s_created_at_idx on public.%1$I (created_at desc)', lead);
    execute format('create index %1$s_status_created_at_idx on public.%1$I (status, created_at desc)', lead);
    -- erasing a person; unique already for the newsletter
    if lead <> 'newsletter_subscriptions' then
      execute format('create index %1$s_email_idx on public.%1$I (lower(email))', lead);
    end if;
    execute format('grant update (status) on public.%I to authenticated', lead);
  end loop;
  execute 'grant update (released_at) on public.quarantine to authenticated';

  foreach lead in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages', 'quarantine'] loop
    execute format('alter table public.%I enable row level security', lead);
    execute format('grant select on public.%I to authenticated', lead);
    execute format('create policy %1$s_admin_read on public.%1$I
      for select to authenticated using ((select private.is_admin()))', lead);
    execute format('create policy %1$s_admin_update on public.%1$I
      for update to authenticated using ((select private.is_admin())) with check ((select private.is_admin()))', lead);
    execute format('create policy %1$s_service on public.%1$I
      for all to service_role using (true) with check (true)', lead);
  end loop;
end
$$;
