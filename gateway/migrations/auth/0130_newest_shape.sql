-- Schema auth as hosted projects have it since their version 20260625000000. Dumps name the columns of their rows, so
-- one that is missing here fails a whole file.
--
-- A database that was moved here as a whole may have the shape of an older version: what later ones added is added
-- here where it is missing. Nothing is made anew, so triggers and policies of the application stay.

alter table auth.sso_providers add column if not exists disabled boolean;
alter table auth.mfa_factors add column if not exists last_webauthn_challenge_data jsonb;
alter table auth.sessions
  add column if not exists oauth_client_id uuid
    constraint sessions_oauth_client_id_fkey references auth.oauth_clients on delete cascade,
  add column if not exists refresh_token_hmac_key text,
  add column if not exists refresh_token_counter bigint,
  add column if not exists scopes text constraint sessions_scopes_length check (char_length(scopes) <= 4096);
alter table auth.oauth_authorizations
  add column if not exists nonce text
    constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255);
alter table auth.flow_state
  add column if not exists invite_token text,
  add column if not exists referrer text,
  add column if not exists oauth_client_state_id uuid,
  add column if not exists linking_target_id uuid,
  add column if not exists email_optional boolean not null default false,
  alter column auth_code drop not null,
  alter column code_challenge drop not null,
  alter column code_challenge_method drop not null;
alter table auth.custom_oauth_providers
  add column if not exists custom_claims_allowlist text[] not null default '{}';

create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);
create index if not exists custom_oauth_providers_identifier_idx on auth.custom_oauth_providers (identifier);

-- How a client authenticates is older projects' by its kind.
do $$
begin
  if not exists (
    select from pg_attribute
    where attrelid = 'auth.oauth_clients'::regclass and attname = 'token_endpoint_auth_method' and not attisdropped
  ) then
    alter table auth.oauth_clients add column token_endpoint_auth_method text
      constraint oauth_clients_token_endpoint_auth_method_check
        check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none'));
    update auth.oauth_clients
    set token_endpoint_auth_method = case client_type when 'public' then 'none' else 'client_secret_basic' end;
    alter table auth.oauth_clients alter column token_endpoint_auth_method set not null;
  end if;
end
$$;

-- The versions that make this shape, for tools that ask which one it is.
insert into auth.schema_migrations (version) values
  ('20171026211738'), ('20171026211808'), ('20171026211834'), ('20180103212743'), ('20180108183307'),
  ('20180119214651'), ('20180125194653'), ('00'), ('20210710035447'), ('20210722035447'),
  ('20210730183235'), ('20210909172000'), ('20210927181326'), ('20211122151130'), ('20211124214934'),
  ('20211202183645'), ('20220114185221'), ('20220114185340'), ('20220224000811'), ('20220323170000'),
  ('20220429102000'), ('20220531120530'), ('20220614074223'), ('20220811173540'), ('20221003041349'),
  ('20221003041400'), ('20221011041400'), ('20221020193600'), ('20221021073300'), ('20221021082433'),
  ('20221027105023'), ('20221114143122'), ('20221114143410'), ('20221125140132'), ('20221208132122'),
  ('20221215195500'), ('20221215195800'), ('20221215195900'), ('20230116124310'), ('20230116124412'),
  ('20230131181311'), ('20230322519590'), ('20230402418590'), ('20230411005111'), ('20230508135423'),
  ('20230523124323'), ('20230818113222'), ('20230914180801'), ('20231027141322'), ('20231114161723'),
  ('20231117164230'), ('20240115144230'), ('20240214120130'), ('20240306115329'), ('20240314092811'),
  ('20240427152123'), ('20240612123726'), ('20240729123726'), ('20240802193726'), ('20240806073726'),
  ('20241009103726'), ('20250717082212'), ('20250731150234'), ('20250804100000'), ('20250901200500'),
  ('20250903112500'), ('20250904133000'), ('20250925093508'), ('20251007112900'), ('20251104100000'),
  ('20251111201300'), ('20251201000000'), ('20260115000000'), ('20260121000000'), ('20260219120000'),
  ('20260302000000'), ('20260625000000')
on conflict (version) do nothing;

comment on table auth.schema_migrations is 'Versions of the hosted schema that this one has the shape of';
