-- A page of Insights in one question, with topics of however many articles there are.
--
-- The page asked the tables API twice: for the articles with their count, and for the tags of all articles, to count them
-- itself. Of those an answer has as many as the API's limit of rows, so topics of older articles were missing or counted
-- short. Both functions have the caller's own rights: visitors are told of what the policies show them.

create function public.list_topics() returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(topic order by uses desc, lower(topic) collate "C", topic collate "C"), '{}')
  from (
    select unnest(tags) as topic, count(*) as uses from public.blog_posts where published group by 1
  ) as used
$$;
comment on function public.list_topics() is 'Every topic of the published articles, most used first';

-- The limit of rows does not hold for what is in one value, so a page is bounded here.
create function public.list_articles(
  search text default '', tag text default '', page integer default 1, size integer default 10
) returns json
language sql stable set search_path = '' as $$
  with found as not materialized (
    select id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes
    from public.blog_posts
    where published
      and (
        list_articles.search = ''
        or strpos(lower(title), lower(list_articles.search)) > 0
        or strpos(lower(excerpt), lower(list_articles.search)) > 0
      )
      and (list_articles.tag = '' or tags @> array[list_articles.tag])
  ),
  counted as (
    select count(*) as number, least(list_articles.size, 100) as size from found
  ),
  shown as (
    -- a page behind the last shows the first
    select
      number, size,
      case when list_articles.page > 1 and (list_articles.page - 1)::bigint * size < number
        then list_articles.page else 1 end as page
    from counted
  ),
  posts as (
    select found.* from found
    order by published_at desc
    limit (select size from shown) offset (select (page - 1)::bigint * size from shown)
  )
  select json_build_object(
    'posts', (select coalesce(json_agg(posts), '[]') from posts),
    'count', number,
    'page', page,
    'topics', public.list_topics()
  )
  from shown
$$;
comment on function public.list_articles(text, text, integer, integer) is
  'One page of the published articles that have the words in title or excerpt and the topic, newest first; how many there'
  ' are of them, which page it is, and every topic';

revoke execute on function public.list_topics(), public.list_articles(text, text, integer, integer) from public;
grant execute on function public.list_topics(), public.list_articles(text, text, integer, integer)
  to anon, authenticated, service_role;
