-- Leads are counted as they are stored. Rows themselves cannot tell, as people are erased.

create function private.count_leads() returns trigger
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

create trigger contact_messages_count after insert on public.contact_messages
  referencing new table as new_rows for each statement execute function private.count_leads('contact');
create trigger newsletter_subscriptions_count after insert on public.newsletter_subscriptions
  referencing new table as new_rows for each statement execute function private.count_leads('newsletter');
create trigger quote_requests_count after insert on public.quote_requests
  referencing new table as new_rows for each statement execute function private.count_leads('quote');

revoke execute on function private.count_leads() from public;

insert into gateway.tallies (name, labels, value)
select 'leads_total', jsonb_build_object('form', form), count(*)
from (
  select 'contact' as form from public.contact_messages
  union all select 'newsletter' from public.newsletter_subscriptions
  union all select case when quick_start_service then 'quick-start' else 'quote' end from public.quote_requests
) as leads
group by form;
