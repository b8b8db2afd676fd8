-- Requests are rows that the gateway's job worker takes once they are committed (gateway/jobs/http_requests.py).

do $$
begin
  if to_regnamespace('net') is null then
    create schema net;
  end if;
end
$$;
grant usage on schema net to public;

create domain net.http_method as text check (value is null or lower(value) in ('get', 'post', 'delete'));
create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
create type net.http_response as (status_code integer, headers jsonb, body text);
create type net.http_response_result as (status net.request_status, message text, response net.http_response);

create table net.http_request_queue (
  id bigserial,
  method net.http_method not null,
  url text not null,
  headers jsonb not null,
  body bytea,
  timeout_milliseconds integer not null
);
create table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index _http_response_created_idx on net._http_response (created);
grant all on net.http_request_queue, net._http_response to public;
grant all on sequence net.http_request_queue_id_seq to public;

create function net._tell_gateway() returns trigger language plpgsql as $$
begin
  notify gateway_net; -- heard at the commit
  return null;
end
$$;
create trigger tell_gateway after insert on net.http_request_queue
  for each statement execute function net._tell_gateway();

create function net._urlencode_string(string text) returns text language sql immutable strict
  return (
    select coalesce(string_agg(
      case when byte ~ '^(3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|2d|2e|5f|7e)$'
        then convert_from(decode(byte, 'hex'), 'SQL_ASCII') else '%' || upper(byte) end, '' order by n), '')
    from (
      select n, substr(encode(convert_to(string, 'UTF8'), 'hex'), n * 2 + 1, 2) as byte
      from generate_series(0, octet_length(convert_to(string, 'UTF8')) - 1) as n
    ) as bytes
  );

create function net._with_params(url text, params jsonb) returns text language sql immutable
  return url || coalesce((
    select case when strpos(url, '?') > 0 then '&' else '?' end
      || string_agg(net._urlencode_string(key) || '=' || net._urlencode_string(value), '&')
    from jsonb_each_text(params)
    where value is not null
  ), '');

create function net.http_get(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000
) returns bigint language plpgsql as $$
declare
  made bigint;
begin
  insert into net.http_request_queue (method, url, headers, timeout_milliseconds)
  values ('GET', net._with_params(http_get.url, params), coalesce(http_get.headers, '{}'), http_get.timeout_milliseconds)
  returning id into made;
  return made;
end
$$;

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000
) returns bigint language plpgsql as $$
declare
  given jsonb := coalesce(http_post.headers, '{}');
  kind constant text := (select value from jsonb_each_text(given) where lower(key) = 'content-type' limit 1);
  made bigint;
begin
  if kind is null then
    given := given || '{"Content-Type": "application/json"}';
  elsif kind <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    'POST', net._with_params(http_post.url, params), given, convert_to(http_post.body::text, 'UTF8'),
    http_post.timeout_milliseconds
  )
  returning id into made;
  return made;
end
$$;

create function net.http_delete(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint language plpgsql as $$
declare
  made bigint;
begin
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (
    'DELETE', net._with_params(http_delete.url, params), coalesce(http_delete.headers, '{}'),
    convert_to(http_delete.body::text, 'UTF8'), http_delete.timeout_milliseconds
  )
  returning id into made;
  return made;
end
$$;

create function net._http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result language plpgsql as $$
declare
  answer net._http_response;
  until constant timestamptz := clock_timestamp() + interval '10 seconds';
begin
  loop
    select * into answer from net._http_response where id = request_id;
    exit when found or async or clock_timestamp() > until;
    perform pg_sleep(0.05);
  end loop;
  if answer.id is null then
    if exists (select from net.http_request_queue where id = request_id) then
      return ('PENDING', 'request is pending processing', null)::net.http_response_result;
    end if;
    return ('ERROR', 'request matching request_id not found', null)::net.http_response_result;
  end if;
  if answer.error_msg is not null then
    return ('ERROR', answer.error_msg, null)::net.http_response_result;
  end if;
  return (
    'SUCCESS', 'ok', (answer.status_code, answer.headers, answer.content)::net.http_response
  )::net.http_response_result;
end
$$;

create function net.http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result language plpgsql as $$
begin
  raise notice 'The net.http_collect_response function is deprecated.';
  return net._http_collect_response(request_id, async);
end
$$;

-- The worker is the gateway's: it needs no care from here.
create function net.worker_restart() returns boolean language sql return true;
create function net.wait_until_running() returns void language sql return null::void;
create function net.check_worker_is_up() returns void language sql return null::void;
create function net.wake() returns void language plpgsql as $$
begin
  notify gateway_net;
end
$$;
