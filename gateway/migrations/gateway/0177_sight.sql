-- What the workers of each gateway did, by the minute, kept for a day: the console's pictures. The first worker of a
-- gateway writes a row a minute; times are counted by the bounds that the metrics page has, so that any number of rows
-- can be added up before a percentile is taken.

create table gateway.sight (
  at timestamptz not null,
  gateway text not null,
  requests bigint not null,
  errors bigint not null,
  buckets bigint[] not null,
  connections integer not null,
  hits bigint not null,
  misses bigint not null,
  constraint sight_pkey primary key (at, gateway)
);
alter table gateway.sight enable row level security;
comment on table gateway.sight is 'Requests, errors and times of each gateway by the minute, for a day';
revoke all on gateway.sight from public;

create function gateway.note_sight(
  at timestamptz, gateway text, requests bigint, errors bigint, buckets bigint[], connections integer, hits bigint,
  misses bigint
) returns void language plpgsql security definer set search_path = '' as $$
begin
  delete from gateway.sight as old where old.at < now() - interval '1 day';
  insert into gateway.sight as known (at, gateway, requests, errors, buckets, connections, hits, misses)
  values (
    note_sight.at, note_sight.gateway, note_sight.requests, note_sight.errors, note_sight.buckets,
    note_sight.connections, note_sight.hits, note_sight.misses
  )
  on conflict on constraint sight_pkey do nothing;
end
$$;

create function gateway.sight_between(begins timestamptz, ends timestamptz) returns setof gateway.sight
language sql stable security definer set search_path = '' as $$
  select * from gateway.sight as row where row.at >= begins and row.at <= ends order by row.at, row.gateway
$$;

revoke execute on function
  gateway.note_sight(timestamptz, text, bigint, bigint, bigint[], integer, bigint, bigint),
  gateway.sight_between(timestamptz, timestamptz)
from public;
grant execute on function
  gateway.note_sight(timestamptz, text, bigint, bigint, bigint[], integer, bigint, bigint),
  gateway.sight_between(timestamptz, timestamptz)
to supabase_auth_admin;
