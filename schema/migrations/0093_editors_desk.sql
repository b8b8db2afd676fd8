-- What the people who write articles need: a time at which a post appears, and links to show a draft to who has no
-- account.

-- A post that is published for later is published, and nobody sees it before its time: the policy asks the clock, so
-- nothing has to run at that moment, and nothing can fail to.
alter table public.blog_posts add column publish_at timestamptz;
comment on column public.blog_posts.publish_at is 'When a post that is published for later appears; null for at once';
grant insert (publish_at), update (publish_at) on public.blog_posts to authenticated;

-- What a visitor may see depends on it, so the index of the public list has it: a count reads no row.
drop index public.blog_posts_published_at_idx;
create index blog_posts_published_at_idx on public.blog_posts (published_at desc) include (publish_at) where published;

-- It goes with the time of publishing it was made for: whoever publishes anew, or takes a post back, ends it.
create function private.end_schedule() returns trigger
language plpgsql set search_path = '' as $$
begin
  if not new.published or new.published_at is distinct from new.publish_at then
    new.publish_at := null;
  end if;
  return new;
end
$$;
comment on function private.end_schedule() is 'Trigger: a time to appear at holds only as long as it is the time of publishing';
create trigger blog_posts_end_schedule before insert or update on public.blog_posts
  for each row when (new.publish_at is not null) execute function private.end_schedule();

alter policy blog_posts_read_published on public.blog_posts
  using (published and (publish_at is null or publish_at <= now()));

-- Old addresses of an article lead to it as long as it can be seen.
alter policy blog_post_slugs_read_published on public.blog_post_slugs
  using (exists (
    select from public.blog_posts
    where blog_posts.id = post_id and blog_posts.published
      and (blog_posts.publish_at is null or blog_posts.publish_at <= now())
  ));

create table public.post_previews (
  token uuid primary key default gen_random_uuid(),
  post_id uuid not null references public.blog_posts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days'
    constraint post_previews_expires_at_check check (expires_at <= created_at + interval '31 days')
);
comment on table public.post_previews is 'Links that show a post, published or not, to whoever has them';
create index post_previews_post_id_idx on public.post_previews (post_id);

alter table public.post_previews enable row level security;
grant select, delete on public.post_previews to authenticated;
grant insert (token, post_id) on public.post_previews to authenticated;
create policy post_previews_admin on public.post_previews
  for all to authenticated using ((select private.is_admin())) with check ((select private.is_admin()));
create policy post_previews_service on public.post_previews
  for all to service_role using (true) with check (true);

-- Runs as its owner: who has the link may read the post, and nothing else. A random token is not found by trying.
create function public.preview_post(token uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select to_jsonb(blog_posts) - 'publish_at'
  from public.post_previews
  join public.blog_posts on blog_posts.id = post_previews.post_id
  where post_previews.token = preview_post.token and post_previews.expires_at > now()
$$;
comment on function public.preview_post(uuid) is 'The post that a preview link shows; null once the link has expired';
revoke execute on function public.preview_post(uuid) from public;
grant execute on function public.preview_post(uuid) to anon, authenticated, service_role;

-- Links nobody can use any more.
create function private.forget_previews(days integer, most integer) returns bigint
language sql set search_path = '' as $$
  with gone as (
    delete from public.post_previews
    where token in (
      select token from public.post_previews where expires_at < now() - make_interval(days => days) limit most
    )
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_previews(integer, integer) is 'Removes preview links that expired so many days ago';
revoke execute on function private.forget_previews(integer, integer), private.end_schedule() from public;
select gateway.retain('previews', 'private.forget_previews(integer, integer)', 1);
