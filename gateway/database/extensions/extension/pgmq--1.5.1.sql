-- Message queues: a table for each, and one for what was archived. What is read is hidden for a while and comes again unless
-- it is deleted or archived in time.

do $$
begin
  if to_regnamespace('pgmq') is null then
    create schema pgmq;
  end if;
end
$$;

create table pgmq.meta (
  queue_name varchar unique not null,
  is_partitioned boolean not null,
  is_unlogged boolean not null,
  created_at timestamptz not null default now()
);
select pg_extension_config_dump('pgmq.meta', '');

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
);
create type pgmq.queue_record as (
  queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz
);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
  scrape_time timestamptz, queue_visible_length bigint
);

-- The table of a queue or of its archive.
create function pgmq.format_table_name(queue_name text, prefix text) returns text language plpgsql immutable as $$
begin
  if queue_name ~ '\$|;|--|''' then
    raise exception 'queue name contains invalid characters: $, ;, --, or \''';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq.validate_queue_name(queue_name text) returns void language plpgsql as $$
begin
  if length(queue_name) > 47 then
    raise exception 'queue name is too long, maximum length is 47 characters';
  end if;
end
$$;

-- making and dropping ------------------------------------------------------------------------------------------------

create function pgmq._create(queue_name text, unlogged boolean) returns void language plpgsql as $$
declare
  messages constant text := pgmq.format_table_name(queue_name, 'q');
  archived constant text := pgmq.format_table_name(queue_name, 'a');
begin
  perform pgmq.validate_queue_name(queue_name);
  perform pg_advisory_xact_lock(hashtext('pgmq.' || messages));
  execute format(
    'create %s table if not exists pgmq.%I (
      msg_id bigint primary key generated always as identity, read_ct integer not null default 0,
      enqueued_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb
    )', case when unlogged then 'unlogged' else '' end, messages);
  execute format(
    'create table if not exists pgmq.%I (
      msg_id bigint primary key, read_ct integer not null default 0, enqueued_at timestamptz not null default now(),
      archived_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb
    )', archived);
  execute format('create index if not exists %I on pgmq.%I (vt)', messages || '_vt_idx', messages);
  execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || substr(archived, 3), archived);
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (_create.queue_name, false, unlogged)
  on conflict do nothing;
end
$$;

create function pgmq.create_non_partitioned(queue_name text) returns void language sql
begin atomic
  select pgmq._create(queue_name, false);
end;
create function pgmq.create_unlogged(queue_name text) returns void language sql
begin atomic
  select pgmq._create(queue_name, true);
end;
create function pgmq.create(queue_name text) returns void language sql
begin atomic
  select pgmq._create(queue_name, false);
end;

create function pgmq.create_partitioned(
  queue_name text, partition_interval text default '10000', retention_interval text default '100000'
) returns void language plpgsql as $$
begin
  raise feature_not_supported using
    message = 'partitioned queues need the extension pg_partman, which is not available in this server',
    hint = 'Use pgmq.create.';
end
$$;

create function pgmq.drop_queue(queue_name text) returns boolean language plpgsql as $$
declare
  removed integer;
begin
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
  delete from pgmq.meta where meta.queue_name = drop_queue.queue_name;
  get diagnostics removed = row_count;
  return removed > 0;
end
$$;

-- An archive of its own table stays when the queue is dropped in the original; here it is the user's already.
create function pgmq.detach_archive(queue_name text) returns void language sql
begin atomic
  select null::void;
end;

create function pgmq.purge_queue(queue_name text) returns bigint language plpgsql as $$
declare
  removed bigint;
begin
  execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  get diagnostics removed = row_count;
  return removed;
end
$$;

create function pgmq.list_queues() returns setof pgmq.queue_record language sql stable
begin atomic
  select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta;
end;

-- sending ------------------------------------------------------------------------------------------------------------

create function pgmq._send(queue_name text, msgs jsonb[], headers jsonb[], visible timestamptz) returns setof bigint
language plpgsql as $$
begin
  if headers is not null and cardinality(headers) <> cardinality(msgs) then
    raise exception 'there must be as many headers as messages';
  end if;
  return query execute format(
    'insert into pgmq.%I (vt, message, headers)
     select $2, $1[n], $3[n] from generate_subscripts($1, 1) as n order by n returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using msgs, visible, headers;
end
$$;

create function pgmq.send(queue_name text, msg jsonb) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], null, clock_timestamp());
end;
create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], null, clock_timestamp() + make_interval(secs => delay));
end;
create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], null, delay);
end;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], array[headers], clock_timestamp());
end;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], array[headers], clock_timestamp() + make_interval(secs => delay));
end;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send.queue_name, array[msg], array[headers], delay);
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, null, clock_timestamp());
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, null, clock_timestamp() + make_interval(secs => delay));
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, null, delay);
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, headers, clock_timestamp());
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, headers, clock_timestamp() + make_interval(secs => delay));
end;
create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint language sql volatile
begin atomic
  select pgmq._send(send_batch.queue_name, msgs, headers, delay);
end;

-- reading ------------------------------------------------------------------------------------------------------------

create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}')
returns setof pgmq.message_record language plpgsql as $$
begin
  return query execute format(
    'with found as (
       select msg_id from pgmq.%1$I
       where vt <= clock_timestamp() and ($3 = ''{}''::jsonb or message @> $3)
       order by msg_id limit $2 for update skip locked
     )
     update pgmq.%1$I as q set vt = clock_timestamp() + make_interval(secs => $1), read_ct = read_ct + 1
     from found where q.msg_id = found.msg_id
     returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using vt, qty, conditional;
end
$$;

create function pgmq.read_with_poll(
  queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100,
  conditional jsonb default '{}'
) returns setof pgmq.message_record language plpgsql as $$
declare
  until constant timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    if found or clock_timestamp() >= until then
      return;
    end if;
    perform pg_sleep(poll_interval_ms / 1000.0);
  end loop;
end
$$;

create function pgmq.pop(queue_name text) returns setof pgmq.message_record language plpgsql as $$
begin
  return query execute format(
    'delete from pgmq.%1$I where msg_id = (
       select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked
     ) returning msg_id, read_ct, enqueued_at, vt, message, headers', pgmq.format_table_name(queue_name, 'q')
  );
end
$$;

create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record
language plpgsql as $$
begin
  return query execute format(
    'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $2) where msg_id = $1
     returning msg_id, read_ct, enqueued_at, vt, message, headers', pgmq.format_table_name(queue_name, 'q')
  ) using msg_id, vt;
end
$$;

-- done with ----------------------------------------------------------------------------------------------------------

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
begin
  return query execute format(
    'delete from pgmq.%I where msg_id = any ($1) returning msg_id', pgmq.format_table_name(queue_name, 'q')
  ) using msg_ids;
end
$$;

create function pgmq.delete(queue_name text, msg_id bigint) returns boolean language sql
begin atomic
  select exists (select from pgmq.delete(queue_name, array[msg_id]));
end;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
begin
  return query execute format(
    'with gone as (
       delete from pgmq.%I where msg_id = any ($1) returning msg_id, read_ct, enqueued_at, vt, message, headers
     )
     insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers) select * from gone returning msg_id',
    pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')
  ) using msg_ids;
end
$$;

create function pgmq.archive(queue_name text, msg_id bigint) returns boolean language sql
begin atomic
  select exists (select from pgmq.archive(queue_name, array[msg_id]));
end;

-- figures ------------------------------------------------------------------------------------------------------------

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result language plpgsql as $$
declare
  messages constant text := pgmq.format_table_name(queue_name, 'q');
  found pgmq.metrics_result;
begin
  execute format(
    'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer,
       extract(epoch from now() - min(enqueued_at))::integer,
       (select case when is_called then last_value else 0 end from %s), now(),
       count(*) filter (where vt <= clock_timestamp())
     from pgmq.%I', pg_get_serial_sequence(format('pgmq.%I', messages), 'msg_id'), messages
  ) into found using queue_name;
  return found;
end
$$;

create function pgmq.metrics_all() returns setof pgmq.metrics_result language sql
begin atomic
  select (pgmq.metrics(queue_name)).* from pgmq.meta;
end;
