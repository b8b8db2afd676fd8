-- Articles: published ones are public, everything else is the administrators'.

-- The gateway cleans values of this type when they are written. It is text to every operator and function.
create domain public.html as text;
comment on domain public.html is 'sanitized html';

create function private.are_tags(tags text[]) returns boolean
language sql immutable set search_path = '' as $$
  select count(*) = count(distinct tag)
    and coalesce(bool_and(tag = btrim(tag) and tag <> '' and char_length(tag) <= 60), true)
  from unnest(tags) as tag
$$;
comment on function private.are_tags(text[]) is 'Whether no tag is null, blank, padded, too long or there twice';
grant execute on function private.are_tags(text[]) to authenticated, service_role;

create table public.blog_posts (
  id uuid primary key default gen_random_uuid(),
  title text not null
    constraint blog_posts_title_check check (title ~ '[^[:space:]]' and char_length(title) <= 300),
  -- one segment of a path; longer than a title, because bulk upload appends a timestamp to a slug in use
  slug text not null constraint blog_posts_slug_key unique constraint blog_posts_slug_check
    check (slug <> '' and char_length(slug) <= 400 and slug !~ '[[:space:][:cntrl:]/?#%\\]'),
  excerpt text constraint blog_posts_excerpt_check check (char_length(excerpt) <= 2000),
  content public.html not null default ''
    constraint blog_posts_content_check check (char_length(content) <= 1000000),
  -- blank, an address of this site, or one of another
  featured_image_url text constraint blog_posts_featured_image_url_check check (
    char_length(featured_image_url) <= 2048
    and featured_image_url ~ '^(https?://[^[:space:]]+|/[^/[:space:]][^[:space:]]*)?$'
  ),
  author_name text not null default 'United Medical Waste'
    constraint blog_posts_author_name_check check (char_length(author_name) <= 200),
  tags text[] not null default '{}'
    constraint blog_posts_tags_check check (cardinality(tags) <= 50 and private.are_tags(tags)),
  published boolean not null default false,
  published_at timestamptz
    constraint blog_posts_published_at_check check (published = (published_at is not null)),
  reading_time_minutes integer not null default 5
    constraint blog_posts_reading_time_minutes_check check (reading_time_minutes between 1 and 1000),
  -- 60 and 160 characters are hints of the editor, not rules
  meta_title text constraint blog_posts_meta_title_check check (char_length(meta_title) <= 500),
  meta_description text
    constraint blog_posts_meta_description_check check (char_length(meta_description) <= 2000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.blog_posts is 'Articles of Insights';
comment on column public.blog_posts.published_at is 'Set while published, null for a draft';
comment on column public.blog_posts.updated_at is 'Changes with every save; filter an update on it to see a rival one';

create trigger blog_posts_touch before update on public.blog_posts
  for each row execute function private.touch_updated_at();

-- the public list, newest first, and its count
create index blog_posts_published_at_idx on public.blog_posts (published_at desc) where published;
-- the administrators' list
create index blog_posts_created_at_idx on public.blog_posts (created_at desc);
-- one article by slug, and the slug check of bulk upload: blog_posts_slug_key

-- Articles of a topic, for programs that pass row security. For everyone else Postgres asks the policy before an
-- operator that could tell of a hidden row by its errors, and @> and ilike are such: their filters never become
-- index conditions, so a trigram index for search would only cost writes. Readers' filters walk the list's index.
create index blog_posts_tags_idx on public.blog_posts using gin (tags);

alter table public.blog_posts enable row level security;

grant select on public.blog_posts to anon;
grant select, delete on public.blog_posts to authenticated;
grant insert (
  id, title, slug, excerpt, content, featured_image_url, author_name, tags, published, published_at,
  reading_time_minutes, meta_title, meta_description
) on public.blog_posts to authenticated;
grant update (
  title, slug, excerpt, content, featured_image_url, author_name, tags, published, published_at,
  reading_time_minutes, meta_title, meta_description
) on public.blog_posts to authenticated;

create policy blog_posts_read_published on public.blog_posts
  for select to anon, authenticated using (published);
create policy blog_posts_admin on public.blog_posts
  for all to authenticated using ((select private.is_admin())) with check ((select private.is_admin()));
create policy blog_posts_service on public.blog_posts
  for all to service_role using (true) with check (true);
