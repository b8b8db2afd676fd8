"""What is asked for in the measurements: the site's articles, a thousand of them, and a few tables beside them."""

from __future__ import annotations

FEW, MANY = 1_000, 200_000  # posts

LIST = (
    "/rest/v1/blog_posts?select=id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,"
    "reading_time_minutes&published=eq.true&order=published_at.desc&offset=0&limit=10"
)
UNORDERED = LIST.replace("blog_posts", "bench_posts")  # of which no index has the order
SEARCH = LIST + "&or=(title.ilike.*{0}*,excerpt.ilike.*{0}*)&tags=cs.%7B{1}%7D"
ONE = "/rest/v1/blog_posts?select=*&slug=eq.post-{0}&published=eq.true"
EMBED = "/rest/v1/blog_posts?select=id,title,bench_comments(id,body)&published=eq.true&order=published_at.desc&limit=10"
CALL = "/rest/v1/rpc/bench_latest?select=id,title,slug"
NOTES = "/rest/v1/bench_notes"
OBJECT = "application/vnd.pgrst.object+json"

POSTS = """
insert into public.blog_posts (title, slug, excerpt, content, tags, published, published_at, created_at)
select 'Post number ' || n || ' on ' || (array['sharps', 'training', 'audits', 'shipping'])[n % 4 + 1],
  'post-' || n, repeat('An excerpt of some words about topic ' || n % 50 || '. ', 3),
  '<p>' || repeat('Body text of ordinary length for an article. ', 60) || '</p>',
  array[(array['Sharps', 'Training', 'Audits', 'DOT'])[n % 4 + 1], 'Topic ' || n % 20],
  n % 10 <> 0, case when n % 10 <> 0 then timestamptz '2026-01-01' + n * interval '7 minutes' end,
  timestamptz '2026-01-01' + n * interval '7 minutes'
from generate_series(1, {posts}) as n"""
VACUUM = "vacuum analyze public.blog_posts"

# What the calls beside those of the site need.
EXTRAS = r"""
create table public.bench_notes (
  id bigint generated always as identity primary key,
  title text not null,
  body text,
  tags text[] not null default '{}',
  details jsonb,
  made timestamptz not null default now()
);
create table public.bench_comments (
  id bigint generated always as identity primary key,
  post_id uuid not null references public.blog_posts,
  body text
);
insert into public.bench_comments (post_id, body)
select id, 'A comment of some words, number ' || n from generate_series(1, 3) n, public.blog_posts
  where slug ~ '^post-\d{1,3}$';
create index on public.bench_comments (post_id);
create table public.bench_posts as select * from public.blog_posts order by created_at limit 1000;
alter table public.bench_posts add primary key (id);
alter table public.bench_posts enable row level security;
create policy readers on public.bench_posts for select to anon using (published);
grant select on public.bench_posts to anon;
create function public.bench_latest(many int) returns setof public.blog_posts stable language sql as
  $$ select * from public.blog_posts where published order by published_at desc limit many $$;
create function public.bench_wait(seconds float) returns void volatile language sql as $$ select pg_sleep(seconds) $$;
grant select, insert on public.bench_notes to service_role;
grant insert on public.bench_notes to authenticated;
grant select on public.bench_comments to anon, authenticated;
grant execute on function public.bench_latest, public.bench_wait to anon, authenticated;
analyze public.bench_comments, public.bench_posts;
notify pgrst;
"""
