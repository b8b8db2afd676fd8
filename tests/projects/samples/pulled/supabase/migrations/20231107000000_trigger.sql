-- Of a second pull: what a dump of `public` has not.
drop trigger if exists on_auth_user_created on auth.users;
CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION public.on_new_person();

create policy "Anybody looks" on "storage"."objects" as permissive for select to public using ((bucket_id = 'avatars'::text));
