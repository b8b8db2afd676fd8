create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault with schema vault;
create extension if not exists pgmq;

grant usage on schema cron to postgres;
select vault.create_secret('http://localhost:54321', 'project_url');

create table public.orders (id bigserial primary key, note text, made_at timestamptz default now());

create or replace function public.tell() returns trigger language plpgsql security definer as $$
begin
  perform net.http_post(
    url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/tell',
    headers := jsonb_build_object('Content-Type', 'application/json'),
    body := jsonb_build_object('record', to_jsonb(new))
  );
  return new;
end;
$$;
create trigger tell after insert on public.orders for each row execute function public.tell();

select cron.schedule('nightly', '0 3 * * *', $$ delete from public.orders where made_at < now() - interval '30 days' $$);
select cron.schedule('each-minute', '* * * * *', 'select 1');
select cron.unschedule('each-minute');

select pgmq.create('jobs');
select pgmq.send('jobs', '{"id": 1}');
