-- Articles that can be reached, and pictures that can be seen.
--
-- A path of '.' or '..' is another path to every browser, so an article of that slug has no address. And the site's own
-- rules (Content-Security-Policy) keep a picture from being shown that is not asked for over TLS.

update public.blog_posts set slug = 'article-' || left(id::text, 8) where slug in ('.', '..');
alter table public.blog_posts
  add constraint blog_posts_slug_reachable_check check (slug not in ('.', '..'));

update public.blog_posts set featured_image_url = 'https:' || substr(featured_image_url, 6)
where featured_image_url ~* '^http:';
alter table public.blog_posts
  add constraint blog_posts_featured_image_url_secure_check check (featured_image_url !~* '^http:');
