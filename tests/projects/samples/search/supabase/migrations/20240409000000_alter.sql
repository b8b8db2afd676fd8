create type public.state as enum ('new');
alter type public.state add value if not exists 'old' before 'new';
alter table public.documents add column state public.state not null default 'new', add column tags text[] default '{}';
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_state ON public.documents (state);
comment on function public.twice is '@graphql({"name": "twice"})';
