-- The words of an auth mail are sealed while they wait (gateway/sealing.py); once the mail is done with they go too.

create or replace function jobs.blank_auth_mail() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.args := jsonb_set(
    new.args, '{mail}', (new.args -> 'mail') - array['text', 'html', 'sealed'] || '{"blanked": true}'
  );
  return new;
end
$$;
