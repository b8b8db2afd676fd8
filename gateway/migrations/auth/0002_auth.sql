-- Schema auth, column for column as hosted Supabase has it, so that the rows of a hosted dump restore and the
-- people in it sign in. Only supabase_auth_admin reaches the tables: row level security is on and no policy
-- opens them. The functions at the end are for everyone's policies.
--
-- Every object is made only where missing: a dump may have been restored before this file runs.
-- Tables of sign-in methods that the gateway does not offer (SAML, passkeys, acting as an OAuth server) are here
-- only to receive the rows of such a dump.

create schema if not exists auth;
grant usage on schema auth to anon, authenticated, service_role, postgres, dashboard_user;

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('aal_level', array['aal1', 'aal2', 'aal3']),
      ('code_challenge_method', array['s256', 'plain']),
      ('factor_status', array['unverified', 'verified']),
      ('factor_type', array['totp', 'webauthn', 'phone']),
      ('one_time_token_type', array['confirmation_token', 'reauthentication_token', 'recovery_token',
        'email_change_token_new', 'email_change_token_current', 'phone_change_token']),
      ('oauth_authorization_status', array['pending', 'approved', 'denied', 'expired']),
      ('oauth_client_type', array['public', 'confidential']),
      ('oauth_registration_type', array['dynamic', 'manual']),
      ('oauth_response_type', array['code'])
    ) as types (name, labels)
    where to_regtype('auth.' || name) is null
  loop
    execute format('create type auth.%I as enum (%s)', wanted.name,
      (select string_agg(quote_literal(label), ', ' order by place)
       from unnest(wanted.labels) with ordinality as labels (label, place)));
  end loop;
end
$$;

-- people ------------------------------------------------------------------------------------------------------

create table if not exists auth.users (
  instance_id uuid,
  id uuid not null constraint users_pkey primary key,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text default null constraint users_phone_key unique,
  phone_confirmed_at timestamptz,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255) default '',
  email_change_confirm_status smallint default 0
    constraint users_email_change_confirm_status_check check (email_change_confirm_status between 0 and 2),
  banned_until timestamptz,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false
);
comment on table auth.users is 'People who can sign in';
comment on column auth.users.is_sso_user is 'Accounts that come from single sign-on may share an e-mail address';

create unique index if not exists users_email_partial_key on auth.users (email) where not is_sso_user;
create index if not exists users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index if not exists users_instance_id_idx on auth.users (instance_id);
create index if not exists users_is_anonymous_idx on auth.users (is_anonymous);
-- only hashes are unique: an empty value or a one-time code in digits may repeat
create unique index if not exists confirmation_token_idx on auth.users (confirmation_token)
  where confirmation_token !~ '^[0-9 ]*$';
create unique index if not exists recovery_token_idx on auth.users (recovery_token)
  where recovery_token !~ '^[0-9 ]*$';
create unique index if not exists email_change_token_current_idx on auth.users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index if not exists email_change_token_new_idx on auth.users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index if not exists reauthentication_token_idx on auth.users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';

create table if not exists auth.identities (
  provider_id text not null,
  user_id uuid not null constraint identities_user_id_fkey references auth.users on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid not null default gen_random_uuid() constraint identities_pkey primary key,
  constraint identities_provider_id_provider_unique unique (provider_id, provider)
);
comment on table auth.identities is 'Ways of signing in that belong to a user';

create index if not exists identities_user_id_idx on auth.identities (user_id);
create index if not exists identities_email_idx on auth.identities (email text_pattern_ops);

create table if not exists auth.one_time_tokens (
  id uuid not null constraint one_time_tokens_pkey primary key,
  user_id uuid not null constraint one_time_tokens_user_id_fkey references auth.users on delete cascade,
  token_type auth.one_time_token_type not null,
  token_hash text not null constraint one_time_tokens_token_hash_check check (char_length(token_hash) > 0),
  relates_to text not null,
  created_at timestamp not null default now(),
  updated_at timestamp not null default now()
);
comment on table auth.one_time_tokens is 'Hashes of the codes and links that were mailed';

create unique index if not exists one_time_tokens_user_id_token_type_key
  on auth.one_time_tokens (user_id, token_type);
create index if not exists one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create index if not exists one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);

-- sessions ----------------------------------------------------------------------------------------------------

create table if not exists auth.oauth_clients (
  id uuid not null constraint oauth_clients_pkey primary key,
  client_secret_hash text,
  registration_type auth.oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text constraint oauth_clients_client_name_length check (char_length(client_name) <= 1024),
  client_uri text constraint oauth_clients_client_uri_length check (char_length(client_uri) <= 2048),
  logo_uri text constraint oauth_clients_logo_uri_length check (char_length(logo_uri) <= 2048),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  client_type auth.oauth_client_type not null default 'confidential',
  token_endpoint_auth_method text not null constraint oauth_clients_token_endpoint_auth_method_check
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none'))
);
create index if not exists oauth_clients_deleted_at_idx on auth.oauth_clients (deleted_at);

create table if not exists auth.sessions (
  id uuid not null constraint sessions_pkey primary key,
  user_id uuid not null constraint sessions_user_id_fkey references auth.users on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal auth.aal_level,
  not_after timestamptz,
  refreshed_at timestamp,
  user_agent text,
  ip inet,
  tag text,
  oauth_client_id uuid
    constraint sessions_oauth_client_id_fkey references auth.oauth_clients on delete cascade,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text constraint sessions_scopes_length check (char_length(scopes) <= 4096)
);
comment on table auth.sessions is 'One row for each sign-in that has not ended';
comment on column auth.sessions.not_after is 'The session has ended at this time even if it is refreshed';
comment on column auth.sessions.refreshed_at is 'UTC, without a zone';

create index if not exists sessions_user_id_idx on auth.sessions (user_id);
create index if not exists user_id_created_at_idx on auth.sessions (user_id, created_at);
create index if not exists sessions_not_after_idx on auth.sessions (not_after desc);
create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);

create table if not exists auth.refresh_tokens (
  instance_id uuid,
  id bigserial not null constraint refresh_tokens_pkey primary key,
  token varchar(255) constraint refresh_tokens_token_unique unique,
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid constraint refresh_tokens_session_id_fkey references auth.sessions on delete cascade
);
comment on table auth.refresh_tokens is 'Each token works once; parent is the token it replaced';
comment on column auth.refresh_tokens.user_id is 'The id of the user as text';

create index if not exists refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index if not exists refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index if not exists refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index if not exists refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index if not exists refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

create table if not exists auth.mfa_amr_claims (
  session_id uuid not null constraint mfa_amr_claims_session_id_fkey references auth.sessions on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid not null constraint amr_id_pk primary key,
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);
comment on table auth.mfa_amr_claims is 'How the person of a session proved who they are';

create table if not exists auth.flow_state (
  id uuid not null constraint flow_state_pkey primary key,
  user_id uuid,
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  email_optional boolean not null default false
);
comment on table auth.flow_state is 'Sign-ins that were begun with a code challenge or at a provider';

create index if not exists idx_auth_code on auth.flow_state (auth_code);
create index if not exists idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
create index if not exists flow_state_created_at_idx on auth.flow_state (created_at desc);

-- second factors ----------------------------------------------------------------------------------------------

create table if not exists auth.mfa_factors (
  id uuid not null constraint mfa_factors_pkey primary key,
  user_id uuid not null constraint mfa_factors_user_id_fkey references auth.users on delete cascade,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  phone text,
  last_challenged_at timestamptz constraint mfa_factors_last_challenged_at_key unique,
  web_authn_credential jsonb,
  web_authn_aaguid uuid,
  last_webauthn_challenge_data jsonb
);
comment on table auth.mfa_factors is 'Second factors of users';

create index if not exists mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create index if not exists factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index if not exists mfa_factors_user_friendly_name_unique
  on auth.mfa_factors (friendly_name, user_id) where trim(friendly_name) <> '';
create unique index if not exists unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);

create table if not exists auth.mfa_challenges (
  id uuid not null constraint mfa_challenges_pkey primary key,
  factor_id uuid not null
    constraint mfa_challenges_auth_factor_id_fkey references auth.mfa_factors on delete cascade,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null,
  otp_code text,
  web_authn_session_data jsonb
);
comment on table auth.mfa_challenges is 'Questions put to a second factor';

create index if not exists mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

-- records -----------------------------------------------------------------------------------------------------

create table if not exists auth.audit_log_entries (
  instance_id uuid,
  id uuid not null constraint audit_log_entries_pkey primary key,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default ''
);
comment on table auth.audit_log_entries is 'Who did what to which account';

create index if not exists audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

create table if not exists auth.instances (
  id uuid not null constraint instances_pkey primary key,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz
);

create table if not exists auth.schema_migrations (
  version varchar(255) not null constraint schema_migrations_pkey primary key
);
comment on table auth.schema_migrations is 'Hosted migrations of a restored dump; empty otherwise';

-- only for rows of a dump: single sign-on -----------------------------------------------------------------------

create table if not exists auth.sso_providers (
  id uuid not null constraint sso_providers_pkey primary key,
  resource_id text constraint "resource_id not empty" check (resource_id is null or char_length(resource_id) > 0),
  created_at timestamptz,
  updated_at timestamptz,
  disabled boolean
);
create unique index if not exists sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));
create index if not exists sso_providers_resource_id_pattern_idx
  on auth.sso_providers (resource_id text_pattern_ops);

create table if not exists auth.sso_domains (
  id uuid not null constraint sso_domains_pkey primary key,
  sso_provider_id uuid not null
    constraint sso_domains_sso_provider_id_fkey references auth.sso_providers on delete cascade,
  domain text not null constraint "domain not empty" check (char_length(domain) > 0),
  created_at timestamptz,
  updated_at timestamptz
);
create index if not exists sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);
create unique index if not exists sso_domains_domain_idx on auth.sso_domains (lower(domain));

create table if not exists auth.saml_providers (
  id uuid not null constraint saml_providers_pkey primary key,
  sso_provider_id uuid not null
    constraint saml_providers_sso_provider_id_fkey references auth.sso_providers on delete cascade,
  entity_id text not null constraint saml_providers_entity_id_key unique
    constraint "entity_id not empty" check (char_length(entity_id) > 0),
  metadata_xml text not null constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  metadata_url text
    constraint "metadata_url not empty" check (metadata_url is null or char_length(metadata_url) > 0),
  attribute_mapping jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  name_id_format text
);
create index if not exists saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);

create table if not exists auth.saml_relay_states (
  id uuid not null constraint saml_relay_states_pkey primary key,
  sso_provider_id uuid not null
    constraint saml_relay_states_sso_provider_id_fkey references auth.sso_providers on delete cascade,
  request_id text not null constraint "request_id not empty" check (char_length(request_id) > 0),
  for_email text,
  redirect_to text,
  created_at timestamptz,
  updated_at timestamptz,
  flow_state_id uuid
    constraint saml_relay_states_flow_state_id_fkey references auth.flow_state on delete cascade
);
create index if not exists saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
create index if not exists saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index if not exists saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);

-- only for rows of a dump: OAuth --------------------------------------------------------------------------------

create table if not exists auth.oauth_authorizations (
  id uuid not null constraint oauth_authorizations_pkey primary key,
  authorization_id text not null constraint oauth_authorizations_authorization_id_key unique,
  client_id uuid not null
    constraint oauth_authorizations_client_id_fkey references auth.oauth_clients on delete cascade,
  user_id uuid constraint oauth_authorizations_user_id_fkey references auth.users on delete cascade,
  redirect_uri text not null
    constraint oauth_authorizations_redirect_uri_length check (char_length(redirect_uri) <= 2048),
  scope text not null constraint oauth_authorizations_scope_length check (char_length(scope) <= 4096),
  state text constraint oauth_authorizations_state_length check (char_length(state) <= 4096),
  resource text constraint oauth_authorizations_resource_length check (char_length(resource) <= 2048),
  code_challenge text
    constraint oauth_authorizations_code_challenge_length check (char_length(code_challenge) <= 128),
  code_challenge_method auth.code_challenge_method,
  response_type auth.oauth_response_type not null default 'code',
  status auth.oauth_authorization_status not null default 'pending',
  authorization_code text constraint oauth_authorizations_authorization_code_key unique
    constraint oauth_authorizations_authorization_code_length check (char_length(authorization_code) <= 255),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default (now() + interval '3 minutes'),
  approved_at timestamptz,
  nonce text constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255),
  constraint oauth_authorizations_expires_at_future check (expires_at > created_at)
);
create index if not exists oauth_auth_pending_exp_idx on auth.oauth_authorizations (expires_at)
  where status = 'pending';

create table if not exists auth.oauth_consents (
  id uuid not null constraint oauth_consents_pkey primary key,
  user_id uuid not null constraint oauth_consents_user_id_fkey references auth.users on delete cascade,
  client_id uuid not null
    constraint oauth_consents_client_id_fkey references auth.oauth_clients on delete cascade,
  scopes text not null constraint oauth_consents_scopes_length check (char_length(scopes) <= 2048)
    constraint oauth_consents_scopes_not_empty check (char_length(trim(scopes)) > 0),
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint oauth_consents_user_client_unique unique (user_id, client_id),
  constraint oauth_consents_revoked_after_granted check (revoked_at is null or revoked_at >= granted_at)
);
create index if not exists oauth_consents_active_user_client_idx on auth.oauth_consents (user_id, client_id)
  where revoked_at is null;
create index if not exists oauth_consents_active_client_idx on auth.oauth_consents (client_id)
  where revoked_at is null;
create index if not exists oauth_consents_user_order_idx on auth.oauth_consents (user_id, granted_at desc);

create table if not exists auth.oauth_client_states (
  id uuid not null constraint oauth_client_states_pkey primary key,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null
);
create index if not exists idx_oauth_client_states_created_at on auth.oauth_client_states (created_at);

create table if not exists auth.custom_oauth_providers (
  id uuid not null default gen_random_uuid() constraint custom_oauth_providers_pkey primary key,
  provider_type text not null
    constraint custom_oauth_providers_provider_type_check check (provider_type in ('oauth2', 'oidc')),
  identifier text not null constraint custom_oauth_providers_identifier_key unique
    constraint custom_oauth_providers_identifier_format check (identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'),
  name text not null
    constraint custom_oauth_providers_name_length check (char_length(name) between 1 and 100),
  client_id text not null
    constraint custom_oauth_providers_client_id_length check (char_length(client_id) between 1 and 512),
  client_secret text not null,
  acceptable_client_ids text[] not null default '{}',
  scopes text[] not null default '{}',
  pkce_enabled boolean not null default true,
  attribute_mapping jsonb not null default '{}',
  authorization_params jsonb not null default '{}',
  enabled boolean not null default true,
  email_optional boolean not null default false,
  issuer text constraint custom_oauth_providers_issuer_length check (char_length(issuer) between 1 and 2048),
  discovery_url text
    constraint custom_oauth_providers_discovery_url_length check (char_length(discovery_url) <= 2048),
  skip_nonce_check boolean not null default false,
  cached_discovery jsonb,
  discovery_cached_at timestamptz,
  authorization_url text
    constraint custom_oauth_providers_authorization_url_https check (authorization_url like 'https://%')
    constraint custom_oauth_providers_authorization_url_length check (char_length(authorization_url) <= 2048),
  token_url text constraint custom_oauth_providers_token_url_https check (token_url like 'https://%')
    constraint custom_oauth_providers_token_url_length check (char_length(token_url) <= 2048),
  userinfo_url text constraint custom_oauth_providers_userinfo_url_https check (userinfo_url like 'https://%')
    constraint custom_oauth_providers_userinfo_url_length check (char_length(userinfo_url) <= 2048),
  jwks_uri text constraint custom_oauth_providers_jwks_uri_https check (jwks_uri like 'https://%')
    constraint custom_oauth_providers_jwks_uri_length check (char_length(jwks_uri) <= 2048),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint custom_oauth_providers_oidc_requires_issuer check (provider_type <> 'oidc' or issuer is not null),
  constraint custom_oauth_providers_oidc_issuer_https
    check (provider_type <> 'oidc' or issuer is null or issuer like 'https://%'),
  constraint custom_oauth_providers_oidc_discovery_url_https
    check (provider_type <> 'oidc' or discovery_url is null or discovery_url like 'https://%'),
  constraint custom_oauth_providers_oauth2_requires_endpoints check (
    provider_type <> 'oauth2'
    or authorization_url is not null and token_url is not null and userinfo_url is not null
  )
);
create index if not exists custom_oauth_providers_created_at_idx on auth.custom_oauth_providers (created_at);
create index if not exists custom_oauth_providers_enabled_idx on auth.custom_oauth_providers (enabled);
create index if not exists custom_oauth_providers_provider_type_idx
  on auth.custom_oauth_providers (provider_type);

-- only for rows of a dump: passkeys -----------------------------------------------------------------------------

create table if not exists auth.webauthn_credentials (
  id uuid not null default gen_random_uuid() constraint webauthn_credentials_pkey primary key,
  user_id uuid not null constraint webauthn_credentials_user_id_fkey references auth.users on delete cascade,
  credential_id bytea not null,
  public_key bytea not null,
  attestation_type text not null default '',
  aaguid uuid,
  sign_count bigint not null default 0,
  transports jsonb not null default '[]',
  backup_eligible boolean not null default false,
  backed_up boolean not null default false,
  friendly_name text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);
create unique index if not exists webauthn_credentials_credential_id_key
  on auth.webauthn_credentials (credential_id);
create index if not exists webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);

create table if not exists auth.webauthn_challenges (
  id uuid not null default gen_random_uuid() constraint webauthn_challenges_pkey primary key,
  user_id uuid constraint webauthn_challenges_user_id_fkey references auth.users on delete cascade,
  challenge_type text not null constraint webauthn_challenges_challenge_type_check
    check (challenge_type in ('signup', 'registration', 'authentication')),
  session_data jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index if not exists webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);
create index if not exists webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);

-- what policies ask ---------------------------------------------------------------------------------------------

-- Each reads the older setting for one claim first and the JSON of all claims after it. Both are empty strings,
-- not null, once a session has set them in an earlier transaction.

create or replace function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;
comment on function auth.jwt() is 'All claims of the request''s token';

create or replace function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
comment on function auth.uid() is 'The id of the signed-in user, null for everyone else';

create or replace function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;
comment on function auth.role() is 'The role the request runs as';

create or replace function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;
comment on function auth.email() is 'The e-mail address in the request''s token';

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to public;

-- owner and locks -----------------------------------------------------------------------------------------------

do $$
declare
  relation record;
begin
  execute 'alter schema auth owner to supabase_auth_admin';
  for relation in
    select oid::regclass as name, relrowsecurity as is_locked, relowner = 'supabase_auth_admin'::regrole as is_owned
    from pg_class
    where relnamespace = 'auth'::regnamespace and relkind = 'r'
  loop
    if not relation.is_locked then
      execute format('alter table %s enable row level security', relation.name);
    end if;
    if not relation.is_owned then
      -- sequences of the columns go with their table
      execute format('alter table %s owner to supabase_auth_admin', relation.name);
    end if;
  end loop;
  for relation in
    select format('type %s', oid::regtype) as name
    from pg_type
    where typnamespace = 'auth'::regnamespace and typtype = 'e' and typowner <> 'supabase_auth_admin'::regrole
    union all
    select format('function %s', oid::regprocedure)
    from pg_proc
    where pronamespace = 'auth'::regnamespace and proowner <> 'supabase_auth_admin'::regrole
  loop
    execute format('alter %s owner to supabase_auth_admin', relation.name);
  end loop;
end
$$;
