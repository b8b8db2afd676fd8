-- Who may see which changed rows, asked once for many subscribers: a loop over claims within the server, where a statement
-- for each subscriber would cost a round trip each. And a login that may read the log.

create schema if not exists realtime;
grant usage on schema realtime to anon, authenticated, service_role, authenticator, supabase_realtime_admin;

-- `asked` is an array of groups: {"table": oid, "role": name, "key": [columns], "sets": [[array literal of each key column
-- …, array literal of numbers] …], "asks": [[claims, number of a set] …]}. A row comes back for each group, with `part`
-- null, and one for each of its asks, with the numbers of the rows that are seen.
--
-- The state of a group: gone (no such table), stranger (no such role, or none that this login may take on), changed (the
-- primary key is another), bare (there is none), closed (the role may not read it), open (row level security does not
-- hold the role), fault (`fault` says what), asked. `secured` says whether the table has row level security; the columns
-- are those that the role may read.
--
-- `transactions` are those that the rows are of. The log tells of a commit a moment before other sessions see it, so the
-- function waits until they would; where that takes two seconds, as with a standby that does not answer, it gives up.
--
-- It runs with the rights of who calls it and takes on each role in turn, which Postgres allows the roles of the login
-- alone. What a policy raises refuses that one ask. Every ask sets role and claims anew, so that nothing of one reaches
-- the next.
create function realtime.visible_changes(asked jsonb, transactions bigint[] default '{}')
returns table (place int, part int, state text, secured boolean, columns text[], visible int[], fault text)
language plpgsql
as $function$
declare
  named record;
  one record;
  relation oid;
  key text[];
  condition text;
  arrays text;
  names text;
  sets text[];
  now_seen pg_snapshot;
  newest bigint;
begin
  for attempt in 1..2001 loop
    now_seen := pg_current_snapshot();
    newest := pg_snapshot_xmax(now_seen)::text::bigint;
    -- the log has the lower half of a transaction's number
    exit when not exists (
      select from unnest(transactions) as lower_half,
        lateral (select (newest >> 32 << 32) | lower_half as given) g
      where not pg_visible_in_snapshot(
        (case when given - newest > 2147483648 then given - 4294967296 else given end)::text::xid8, now_seen)
    );
    if attempt = 2001 then
      raise exception using errcode = '55P03', message = 'a transaction of the log cannot be seen yet';
    end if;
    perform pg_sleep(0.001);
  end loop;

  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  if exists (select from pg_catalog.pg_prepared_statements where name = '_realtime_visible') then
    deallocate _realtime_visible;
  end if;
  for named in
    select value as said, (ordinality - 1)::int as number from jsonb_array_elements(asked) with ordinality
  loop
    place := named.number;
    part := null; secured := null; columns := null; visible := null; fault := null; state := null;
    relation := (named.said ->> 'table')::oid;
    perform set_config('role', 'none', true);

    if not exists (select from pg_class where oid = relation) then
      state := 'gone';
      return next;
      continue;
    end if;
    begin
      perform set_config('role', named.said ->> 'role', true);
    exception when others then
      state := 'stranger';
      return next;
      continue;
    end;

    select relrowsecurity into secured from pg_class where oid = relation;
    select array_agg(a.attname::text order by k.place) into key
    from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = relation and i.indisprimary;
    select coalesce(array_agg(a.attname::text order by a.attnum), '{}') into columns
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
      and has_schema_privilege(c.relnamespace, 'usage') and has_column_privilege(relation, a.attnum, 'select');

    if coalesce(key, '{}') <> array(select jsonb_array_elements_text(named.said -> 'key')) then
      state := 'changed';
    elsif key is null then
      state := 'bare';
    elsif not key <@ columns then
      state := 'closed';
    elsif not row_security_active(relation) then
      state := 'open';
    else
      state := 'asked';
    end if;
    if state <> 'asked' then
      return next;
      continue;
    end if;

    select string_agg(format('$%s::text[]::%I.%I[]', k.place, n.nspname, t.typname), ', ' order by k.place),
      string_agg(format('k%s', k.place), ', ' order by k.place),
      string_agg(format('t.%I = k.k%s', a.attname, k.place), ' and ' order by k.place)
    into arrays, names, condition
    from unnest(key) with ordinality k (name, place)
    join pg_attribute a on a.attrelid = relation and a.attname = k.name
    join pg_type t on t.oid = a.atttypid join pg_namespace n on n.oid = t.typnamespace;
    begin
      execute (
        select format(
          'prepare _realtime_visible (%s, int[]) as select coalesce(array_agg(k.i), ''{}'')'
          ' from unnest(%s, $%s) as k (%s, i) join %I.%I t on %s',
          array_to_string(array_fill('text[]'::text, array[cardinality(key)]), ', '),
          arrays, cardinality(key) + 1, names, nspname, relname, condition
        )
        from pg_class join pg_namespace on pg_namespace.oid = relnamespace where pg_class.oid = relation
      );
    exception when others then
      state := 'fault';
      fault := format('%s: %s', sqlstate, sqlerrm);
    end;
    return next;
    continue when state = 'fault';

    state := null; secured := null; columns := null;
    select array_agg((
      select string_agg(quote_literal(literal), ', ' order by at)
      from jsonb_array_elements_text(each.value) with ordinality l (literal, at)
    ) order by each.ordinality) into sets
    from jsonb_array_elements(named.said -> 'sets') with ordinality as each;
    for one in
      select value ->> 0 as claims, (value ->> 1)::int as number, (ordinality - 1)::int as at
      from jsonb_array_elements(named.said -> 'asks') with ordinality
    loop
      part := one.at; visible := null; fault := null;
      begin
        perform set_config('role', named.said ->> 'role', true),
          set_config('request.jwt.claims', one.claims, true);
        execute 'execute _realtime_visible (' || sets[one.number + 1] || ')' into visible;
      exception when others then
        visible := null;
        fault := format('%s: %s', sqlstate, sqlerrm);
      end;
      return next;
    end loop;
    deallocate _realtime_visible;
  end loop;
  perform set_config('role', 'none', true);
end
$function$;

comment on function realtime.visible_changes(jsonb, bigint[]) is 'Which changed rows subscribers may see, by role and claims';
revoke execute on function realtime.visible_changes(jsonb, bigint[]) from public;
grant execute on function realtime.visible_changes(jsonb, bigint[]) to authenticator, service_role, supabase_realtime_admin;

-- The reader of the log logs in as supabase_replication_admin and runs nothing else: no policy and no code of the
-- application ever runs in that session, which may read every table's changes. Only a superuser, or since version 16 who
-- has it too, gives the right.
do $$
begin
  if exists (
    select from pg_roles where rolname = 'supabase_replication_admin' and not (rolreplication and rolcanlogin)
  ) then
    alter role supabase_replication_admin login replication;
  end if;
exception when insufficient_privilege then
  raise notice 'supabase_replication_admin may not replicate: changes of tables are read by the login of DATABASE_URL';
end
$$;

-- Hosted projects have this publication from the beginning; the project adds its tables to it.
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
exception when insufficient_privilege then
  raise notice 'the publication supabase_realtime is missing: changes of tables are not sent until it is made';
end
$$;
