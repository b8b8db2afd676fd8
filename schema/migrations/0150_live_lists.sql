-- The lists of the administration follow what is written: their tables are in the publication that the realtime API reads.
-- Who sees a row there is decided as everywhere, by its policies. Where the publication is missing, or is of all tables, or
-- belongs to somebody else, the lists are as they were, without a word of what is new.

do $$
declare
  listed text;
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime' and not puballtables) then
    raise notice 'the lists of the administration are not told of changes: there is no publication supabase_realtime';
    return;
  end if;
  foreach listed in array array[
    'contact_messages', 'newsletter_subscriptions', 'quote_requests', 'quarantine', 'blog_posts'
  ]
  loop
    if not exists (
      select from pg_publication_tables
      where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = listed
    ) then
      execute format('alter publication supabase_realtime add table public.%I', listed);
    end if;
  end loop;
exception when insufficient_privilege then
  raise notice 'the lists of the administration are not told of changes: %', sqlerrm;
end
$$;
