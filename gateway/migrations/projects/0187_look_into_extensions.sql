-- Whoever may use a column may run its default and the checks of its table, also where these call functions of an
-- extension. A function in C looks nothing up; one of SQL, as pgcrypto's are where the server has no real one, looks into
-- its schema as whoever runs it: a sign-up whose trigger fills such a column ended with 42501. There is nothing in the
-- schema but functions that everybody may call.
do $$
begin
  grant usage on schema extensions to public;
exception when insufficient_privilege then
  raise notice 'schema extensions is another''s: whoever may not look into it cannot use what calls its functions';
end
$$;
