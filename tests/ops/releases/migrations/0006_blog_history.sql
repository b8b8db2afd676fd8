-- What an article was before: every earlier text, and every address it was published at.

create table public.blog_post_revisions (
  id uuid primary key default gen_random_uuid(),
  post_id uuid not null references public.blog_posts on delete cascade,
  title text not null,
  slug text not null,
  excerpt text,
  content public.html not null,
  featured_image_url text,
  author_name text not null,
  tags text[] not null,
  published boolean not null,
  published_at timestamptz,
  reading_time_minutes integer not null,
  meta_title text,
  meta_description text,
  saved_at timestamptz not null,
  replaced_at timestamptz not null default clock_timestamp(),
  replaced_by uuid
);
comment on table public.blog_post_revisions is 'Earlier versions of articles, written by a trigger';
comment on column public.blog_post_revisions.saved_at is 'updated_at of that version';
comment on column public.blog_post_revisions.replaced_by is 'The user whose save replaced it, null for a program';

create index blog_post_revisions_post_id_replaced_at_idx
  on public.blog_post_revisions (post_id, replaced_at desc);

alter table public.blog_post_revisions enable row level security;
grant select on public.blog_post_revisions to authenticated;
create policy blog_post_revisions_admin on public.blog_post_revisions
  for select to authenticated using ((select private.is_admin()));
create policy blog_post_revisions_service on public.blog_post_revisions
  for all to service_role using (true) with check (true);

-- Runs as its owner: who may change an article need not be allowed to write its history.
create function private.keep_revision() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.blog_post_revisions (
    post_id, title, slug, excerpt, content, featured_image_url, author_name, tags, published, published_at,
    reading_time_minutes, meta_title, meta_description, saved_at, replaced_by
  ) values (
    old.id, old.title, old.slug, old.excerpt, old.content, old.featured_image_url, old.author_name, old.tags,
    old.published, old.published_at, old.reading_time_minutes, old.meta_title, old.meta_description,
    old.updated_at, auth.uid()
  );
  return null;
end
$$;
comment on function private.keep_revision() is 'Trigger: keeps the version that an update replaced';

-- publishing and saving unchanged text replace no version
create trigger blog_posts_keep_revision after update on public.blog_posts
  for each row when (
    (old.title, old.slug, old.excerpt, old.content::text, old.featured_image_url, old.author_name, old.tags,
      old.reading_time_minutes, old.meta_title, old.meta_description)
    is distinct from
    (new.title, new.slug, new.excerpt, new.content::text, new.featured_image_url, new.author_name, new.tags,
      new.reading_time_minutes, new.meta_title, new.meta_description)
  )
  execute function private.keep_revision();

create table public.blog_post_slugs (
  slug text primary key,
  post_id uuid not null references public.blog_posts on delete cascade,
  retired_at timestamptz not null default now()
);
comment on table public.blog_post_slugs is 'Addresses an article had earlier: old links still lead to it';

create index blog_post_slugs_post_id_idx on public.blog_post_slugs (post_id);

alter table public.blog_post_slugs enable row level security;
grant select on public.blog_post_slugs to anon, authenticated;
create policy blog_post_slugs_read_published on public.blog_post_slugs
  for select to anon, authenticated
  using (exists (select from public.blog_posts where blog_posts.id = post_id and blog_posts.published));
create policy blog_post_slugs_admin on public.blog_post_slugs
  for select to authenticated using ((select private.is_admin()));
create policy blog_post_slugs_service on public.blog_post_slugs
  for all to service_role using (true) with check (true);

-- An address enters the history when the article leaves it (another slug, or no longer published), and leaves the
-- history when a published article takes it: no row ever competes with a live article. The address of a draft was
-- never public and is not kept.
create function private.keep_slug() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.published and (old.slug <> new.slug or not new.published) then
    insert into public.blog_post_slugs (slug, post_id) values (old.slug, new.id)
    on conflict (slug) do update set post_id = excluded.post_id, retired_at = excluded.retired_at;
  end if;
  if new.published then
    delete from public.blog_post_slugs where slug = new.slug;
  end if;
  return null;
end
$$;
comment on function private.keep_slug() is 'Trigger: remembers the public addresses an article had';

create trigger blog_posts_keep_slug after insert or update of slug, published on public.blog_posts
  for each row execute function private.keep_slug();
