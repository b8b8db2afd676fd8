-- A clock that ran ahead leaves counters that lie in the future. Time that seems to have passed backwards took the
-- tokens of everybody who shares the counter, so that a form stayed closed until the clock came by again.
--
-- Time never counts as negative, and a counter from the future is set back to the present as soon as it is met.

create function private.lead_tokens(
  counter private.lead_counters, allowed private.lead_limits, moment timestamptz
) returns numeric
language sql immutable set search_path = '' as $$
  select least(
    allowed.burst,
    counter.tokens + greatest(0, extract(epoch from moment - counter.at)) * allowed.per_hour / 3600
  )
$$;
comment on function private.lead_tokens(private.lead_counters, private.lead_limits, timestamptz) is
  'Submissions that a counter has left at a moment, which may lie before the counter''s own';

create or replace function private.take_lead_token(form text, kind text, subject text) returns numeric
language plpgsql set search_path = '' as $$
declare
  allowed private.lead_limits;
  digest text := encode(sha256(convert_to(lower(btrim(subject)), 'UTF8')), 'hex');
  moment timestamptz := clock_timestamp();
  left_over numeric;
begin
  select * into allowed from private.lead_limits as limits
  where limits.form = take_lead_token.form and limits.kind = take_lead_token.kind;
  if not found or subject is null then
    return 0;
  end if;
  -- The row lock makes concurrent submissions count one after the other. A refused one takes nothing.
  insert into private.lead_counters as counters (form, kind, subject, tokens, at)
  values (take_lead_token.form, take_lead_token.kind, digest, allowed.burst - 1, moment)
  on conflict on constraint lead_counters_pkey do update set
    tokens = private.lead_tokens(counters, allowed, moment) - 1,
    at = moment
  where private.lead_tokens(counters, allowed, moment) >= 1
  returning tokens into left_over;
  if found then
    return 0;
  end if;
  update private.lead_counters as counters set at = moment
  where counters.form = take_lead_token.form and counters.kind = take_lead_token.kind and counters.subject = digest
    and counters.at > moment;
  select private.lead_tokens(counters, allowed, moment)
  into left_over from private.lead_counters as counters
  where counters.form = take_lead_token.form and counters.kind = take_lead_token.kind and counters.subject = digest;
  return greatest(1, ceil((1 - left_over) * 3600 / allowed.per_hour));
end
$$;
