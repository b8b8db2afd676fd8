-- Pictures of articles: a public bucket, in which only administrators write.
--
-- A picture is a folder of the bucket, `NAME/WIDTHxHEIGHT.EXTENSION` with smaller versions beside it: its address alone
-- says how large it is, so that a page keeps its place before a byte of it is there, and the objects' rows are the only
-- list of pictures. Its alternative text and the name of the file it came from are the object's own words
-- (`user_metadata`).

do $$
begin
  insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
    ('pictures', 'pictures', true, 10485760, '{image/jpeg,image/png,image/webp,image/gif,image/avif}')
  on conflict do nothing;

  -- who may see a list of them is another question than who may see one
  create policy pictures_admin_select on storage.objects for select to authenticated
    using (bucket_id = 'pictures' and (select private.is_admin()));
  create policy pictures_admin_insert on storage.objects for insert to authenticated
    with check (bucket_id = 'pictures' and (select private.is_admin()));
  create policy pictures_admin_update on storage.objects for update to authenticated
    using (bucket_id = 'pictures' and (select private.is_admin()))
    with check (bucket_id = 'pictures' and (select private.is_admin()));
  create policy pictures_admin_delete on storage.objects for delete to authenticated
    using (bucket_id = 'pictures' and (select private.is_admin()));
exception when insufficient_privilege then
  raise notice 'articles have no pictures of their own: %', sqlerrm;
end
$$;

-- In the caller's own rights: whoever may not read the objects gets none. Each post is read once for all pictures, so that the
-- time grows with both and not with their product.
create function public.list_pictures(search text default '')
returns table (
  folder text, address text, alt text, file_name text, bytes bigint, created_at timestamptz, posts jsonb
)
language sql stable set search_path = '' as $$
  with pictures as (
    select
      split_part(objects.name, '/', 1) as folder,
      sum((objects.metadata ->> 'size')::bigint) as bytes,
      min(objects.created_at) as created_at,
      -- the largest, under its measures; smaller ones are named by their width alone
      max(objects.name) filter (where objects.name ~ '/[0-9]+x[0-9]+\.[a-z]+$') as address,
      max(objects.user_metadata ->> 'alt') as alt,
      max(objects.user_metadata ->> 'name') as file_name
    from storage.objects
    where objects.bucket_id = 'pictures'
    group by 1
  ),
  shown as (
    select distinct blog_posts.id, blog_posts.title, found.parts[1] as folder
    from public.blog_posts,
      regexp_matches(
        blog_posts.content || ' ' || coalesce(blog_posts.featured_image_url, ''), '/pictures/([A-Za-z0-9_-]+)/', 'g'
      ) as found (parts)
  ),
  posts as (
    select shown.folder, jsonb_agg(jsonb_build_object('id', shown.id, 'title', shown.title) order by shown.title) as list
    from shown group by shown.folder
  )
  select
    pictures.folder, pictures.address, coalesce(pictures.alt, ''), coalesce(pictures.file_name, pictures.folder),
    pictures.bytes, pictures.created_at, coalesce(posts.list, '[]')
  from pictures left join posts on posts.folder = pictures.folder
  where pictures.address is not null
    and (
      list_pictures.search = ''
      or strpos(lower(coalesce(pictures.alt, '') || ' ' || coalesce(pictures.file_name, '')), lower(list_pictures.search)) > 0
    )
  order by pictures.created_at desc, pictures.folder
$$;
comment on function public.list_pictures(text) is 'Pictures for articles, newest first, and the posts that show each';
revoke execute on function public.list_pictures(text) from public;
grant execute on function public.list_pictures(text) to authenticated, service_role;
