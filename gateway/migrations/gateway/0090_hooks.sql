-- What an application adds to what the gateway tells and does: functions of its own schema that it registers here, by
-- `select gateway.hook(event, function)` in one of its migrations. The gateway calls them and knows nothing else of it.
--
--   metrics ()                           rows (name text, labels jsonb, value double precision) for the admin port
--   alarms ()                            rows (kind text, subject text, detail text): what has to be told
--   erasure (text[], jsonb, boolean)     removes the people of these digests; the counts so far, with its own; whether
--                                        this is done again after a restore

create table gateway.hooks (
  event text not null constraint hooks_event_check check (event in ('metrics', 'alarms', 'erasure')),
  function text not null,
  constraint hooks_pkey primary key (event, function)
);
comment on table gateway.hooks is 'Functions of the application that the gateway calls; see gateway.hook()';
alter table gateway.hooks enable row level security;

create function gateway.hook(event text, function regprocedure) returns void
language plpgsql set search_path = '' as $$
declare
  expected text[] := case event when 'erasure' then array['text[]', 'jsonb', 'boolean'] else '{}' end;
begin
  if array(select unnest(proargtypes)::regtype::text from pg_catalog.pg_proc where oid = function) <> expected then
    raise exception using errcode = '22023',
      message = pg_catalog.format('a function for %s takes (%s)', event, array_to_string(expected, ', '));
  end if;
  insert into gateway.hooks (event, function) values (event, function::text) on conflict do nothing;
end
$$;
comment on function gateway.hook(text, regprocedure) is 'Has the gateway call a function at an event';

-- A function that its application has dropped meanwhile is passed over.
create function gateway.hooked(event text) returns setof text
language sql stable set search_path = '' as $$
  select to_regprocedure(hooks.function)::oid::regproc::text from gateway.hooks
  where hooks.event = hooked.event and to_regprocedure(hooks.function) is not null
  order by hooks.function
$$;
comment on function gateway.hooked(text) is 'Names of the functions to call at an event';

-- One that fails is an alarm itself, and hides none of the others.
create or replace function gateway.alarms() returns table (kind text, subject text, detail text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  function text;
begin
  for function in select * from gateway.hooked('alarms') loop
    begin
      return query execute format('select kind, subject, detail from %s()', function);
    exception when others then
      return query select 'hook', function, format('%s cannot be asked for alarms: %s', function, sqlerrm);
    end;
  end loop;
end
$$;
comment on function gateway.alarms() is
  'What of the application whoever runs the gateway has to be told of: a kind, what it is about, a sentence';

revoke execute on function gateway.hook(text, regprocedure), gateway.hooked(text), gateway.alarms() from public;
grant execute on function gateway.alarms() to supabase_auth_admin;
