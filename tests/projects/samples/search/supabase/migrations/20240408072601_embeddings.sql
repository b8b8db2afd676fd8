create extension if not exists vector with schema extensions;
create extension if not exists pg_trgm;
create extension if not exists btree_gist;

create table public.documents (
  id bigint primary key generated always as identity,
  content text not null,
  embedding vector(4),
  words tsvector generated always as (to_tsvector('english', content)) stored
);
create index on public.documents using hnsw (embedding vector_ip_ops);
create index documents_words on public.documents using gin (words);
create index documents_content on public.documents using gin (content gin_trgm_ops);

create function public.match(wanted vector(4), threshold float, count int) returns setof public.documents
language sql stable as $$
  select * from documents where embedding <#> wanted < -threshold order by embedding <#> wanted limit least(count, 200);
$$;

create table public.bookings (room int, during tstzrange, exclude using gist (room with =, during with &&));

create view public.recent with (security_invoker = on) as select id, content from public.documents;
create materialized view public.counts as select count(*) as n from public.documents;
create unique index on public.counts (n);
refresh materialized view concurrently public.counts;

create function public.twice(n int) returns int language sql immutable begin atomic
  select case when n > 0 then n * 2 else 0 end;
end;

create procedure public.clean() language plpgsql as $$ begin delete from public.documents where false; end $$;
call public.clean();
