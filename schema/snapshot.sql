-- The schema after all migrations. Rebuilt by `gateway db snapshot`; review its changes, never edit it.

-- schemas

create schema auth;
create schema extensions;
create schema gateway;
create schema graphql;
create schema graphql_public;
create schema jobs;
create schema pgsodium;
create schema private;
create schema realtime;
create schema realtime_private;
create schema storage;
create schema storage_private;
create schema supabase_functions;
create schema vault;

-- types

create domain public.html as text;
create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
create type auth.code_challenge_method as enum ('s256', 'plain');
create type auth.factor_status as enum ('unverified', 'verified');
create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
create type auth.oauth_client_type as enum ('public', 'confidential');
create type auth.oauth_registration_type as enum ('dynamic', 'manual');
create type auth.oauth_response_type as enum ('code');
create type auth.one_time_token_type as enum ('confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new', 'email_change_token_current', 'phone_change_token');
create type jobs.procrastinate_job_event_type as enum ('deferred', 'started', 'deferred_for_retry', 'failed', 'succeeded', 'cancelled', 'abort_requested', 'aborted', 'scheduled', 'retried');
create type jobs.procrastinate_job_status as enum ('todo', 'doing', 'succeeded', 'failed', 'cancelled', 'aborting', 'aborted');
create type jobs.procrastinate_job_to_defer_v1 as (queue_name character varying, task_name character varying, priority integer, lock text, queueing_lock text, args jsonb, scheduled_at timestamp with time zone);
create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
create type realtime.equality_op as enum ('eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct');
create type realtime.user_defined_filter as (column_name text, op realtime.equality_op, value text, negate boolean);
create type realtime.wal_column as (name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean);
create type realtime.wal_rls as (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);
create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

-- tables

create table auth.audit_log_entries (
  instance_id uuid,
  id uuid not null,
  payload json,
  created_at timestamp with time zone,
  ip_address character varying(64) default ''::character varying not null,
  constraint audit_log_entries_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.audit_log_entries enable row level security;
create table auth.custom_oauth_providers (
  id uuid default gen_random_uuid() not null,
  provider_type text not null,
  identifier text not null,
  name text not null,
  client_id text not null,
  client_secret text not null,
  acceptable_client_ids text[] default '{}'::text[] not null,
  scopes text[] default '{}'::text[] not null,
  pkce_enabled boolean default true not null,
  attribute_mapping jsonb default '{}'::jsonb not null,
  authorization_params jsonb default '{}'::jsonb not null,
  enabled boolean default true not null,
  email_optional boolean default false not null,
  issuer text,
  discovery_url text,
  skip_nonce_check boolean default false not null,
  cached_discovery jsonb,
  discovery_cached_at timestamp with time zone,
  authorization_url text,
  token_url text,
  userinfo_url text,
  jwks_uri text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  custom_claims_allowlist text[] default '{}'::text[] not null,
  constraint custom_oauth_providers_authorization_url_https CHECK ((authorization_url ~~ 'https://%'::text)),
  constraint custom_oauth_providers_authorization_url_length CHECK ((char_length(authorization_url) <= 2048)),
  constraint custom_oauth_providers_client_id_length CHECK (((char_length(client_id) >= 1) AND (char_length(client_id) <= 512))),
  constraint custom_oauth_providers_discovery_url_length CHECK ((char_length(discovery_url) <= 2048)),
  constraint custom_oauth_providers_identifier_format CHECK ((identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'::text)),
  constraint custom_oauth_providers_identifier_key UNIQUE (identifier),
  constraint custom_oauth_providers_issuer_length CHECK (((char_length(issuer) >= 1) AND (char_length(issuer) <= 2048))),
  constraint custom_oauth_providers_jwks_uri_https CHECK ((jwks_uri ~~ 'https://%'::text)),
  constraint custom_oauth_providers_jwks_uri_length CHECK ((char_length(jwks_uri) <= 2048)),
  constraint custom_oauth_providers_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint custom_oauth_providers_oauth2_requires_endpoints CHECK (((provider_type <> 'oauth2'::text) OR ((authorization_url IS NOT NULL) AND (token_url IS NOT NULL) AND (userinfo_url IS NOT NULL)))),
  constraint custom_oauth_providers_oidc_discovery_url_https CHECK (((provider_type <> 'oidc'::text) OR (discovery_url IS NULL) OR (discovery_url ~~ 'https://%'::text))),
  constraint custom_oauth_providers_oidc_issuer_https CHECK (((provider_type <> 'oidc'::text) OR (issuer IS NULL) OR (issuer ~~ 'https://%'::text))),
  constraint custom_oauth_providers_oidc_requires_issuer CHECK (((provider_type <> 'oidc'::text) OR (issuer IS NOT NULL))),
  constraint custom_oauth_providers_pkey PRIMARY KEY (id),
  constraint custom_oauth_providers_provider_type_check CHECK ((provider_type = ANY (ARRAY['oauth2'::text, 'oidc'::text]))),
  constraint custom_oauth_providers_token_url_https CHECK ((token_url ~~ 'https://%'::text)),
  constraint custom_oauth_providers_token_url_length CHECK ((char_length(token_url) <= 2048)),
  constraint custom_oauth_providers_userinfo_url_https CHECK ((userinfo_url ~~ 'https://%'::text)),
  constraint custom_oauth_providers_userinfo_url_length CHECK ((char_length(userinfo_url) <= 2048))
); -- owner supabase_auth_admin
alter table auth.custom_oauth_providers enable row level security;
create table auth.flow_state (
  id uuid not null,
  user_id uuid,
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  authentication_method text not null,
  auth_code_issued_at timestamp with time zone,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  email_optional boolean default false not null,
  constraint flow_state_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.flow_state enable row level security;
create table auth.identities (
  provider_id text not null,
  user_id uuid not null,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamp with time zone,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  email text generated always as (lower((identity_data ->> 'email'::text))) stored,
  id uuid default gen_random_uuid() not null,
  constraint identities_pkey PRIMARY KEY (id),
  constraint identities_provider_id_provider_unique UNIQUE (provider_id, provider),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.identities enable row level security;
create table auth.instances (
  id uuid not null,
  uuid uuid,
  raw_base_config text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  constraint instances_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.instances enable row level security;
create table auth.mfa_amr_claims (
  session_id uuid not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  authentication_method text not null,
  id uuid not null,
  constraint amr_id_pk PRIMARY KEY (id),
  constraint mfa_amr_claims_session_id_authentication_method_pkey UNIQUE (session_id, authentication_method),
  constraint mfa_amr_claims_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.mfa_amr_claims enable row level security;
create table auth.mfa_challenges (
  id uuid not null,
  factor_id uuid not null,
  created_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  ip_address inet not null,
  otp_code text,
  web_authn_session_data jsonb,
  constraint mfa_challenges_auth_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES auth.mfa_factors(id) ON DELETE CASCADE,
  constraint mfa_challenges_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.mfa_challenges enable row level security;
create table auth.mfa_factors (
  id uuid not null,
  user_id uuid not null,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  secret text,
  phone text,
  last_challenged_at timestamp with time zone,
  web_authn_credential jsonb,
  web_authn_aaguid uuid,
  last_webauthn_challenge_data jsonb,
  constraint mfa_factors_last_challenged_at_key UNIQUE (last_challenged_at),
  constraint mfa_factors_pkey PRIMARY KEY (id),
  constraint mfa_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.mfa_factors enable row level security;
create table auth.oauth_authorizations (
  id uuid not null,
  authorization_id text not null,
  client_id uuid not null,
  user_id uuid,
  redirect_uri text not null,
  scope text not null,
  state text,
  resource text,
  code_challenge text,
  code_challenge_method auth.code_challenge_method,
  response_type auth.oauth_response_type default 'code'::auth.oauth_response_type not null,
  status auth.oauth_authorization_status default 'pending'::auth.oauth_authorization_status not null,
  authorization_code text,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone default (now() + '00:03:00'::interval) not null,
  approved_at timestamp with time zone,
  nonce text,
  constraint oauth_authorizations_authorization_code_key UNIQUE (authorization_code),
  constraint oauth_authorizations_authorization_code_length CHECK ((char_length(authorization_code) <= 255)),
  constraint oauth_authorizations_authorization_id_key UNIQUE (authorization_id),
  constraint oauth_authorizations_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE,
  constraint oauth_authorizations_code_challenge_length CHECK ((char_length(code_challenge) <= 128)),
  constraint oauth_authorizations_expires_at_future CHECK ((expires_at > created_at)),
  constraint oauth_authorizations_nonce_length CHECK ((char_length(nonce) <= 255)),
  constraint oauth_authorizations_pkey PRIMARY KEY (id),
  constraint oauth_authorizations_redirect_uri_length CHECK ((char_length(redirect_uri) <= 2048)),
  constraint oauth_authorizations_resource_length CHECK ((char_length(resource) <= 2048)),
  constraint oauth_authorizations_scope_length CHECK ((char_length(scope) <= 4096)),
  constraint oauth_authorizations_state_length CHECK ((char_length(state) <= 4096)),
  constraint oauth_authorizations_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.oauth_authorizations enable row level security;
create table auth.oauth_client_states (
  id uuid not null,
  provider_type text not null,
  code_verifier text,
  created_at timestamp with time zone not null,
  constraint oauth_client_states_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.oauth_client_states enable row level security;
create table auth.oauth_clients (
  id uuid not null,
  client_secret_hash text,
  registration_type auth.oauth_registration_type not null,
  redirect_uris text not null,
  grant_types text not null,
  client_name text,
  client_uri text,
  logo_uri text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  client_type auth.oauth_client_type default 'confidential'::auth.oauth_client_type not null,
  token_endpoint_auth_method text not null,
  constraint oauth_clients_client_name_length CHECK ((char_length(client_name) <= 1024)),
  constraint oauth_clients_client_uri_length CHECK ((char_length(client_uri) <= 2048)),
  constraint oauth_clients_logo_uri_length CHECK ((char_length(logo_uri) <= 2048)),
  constraint oauth_clients_pkey PRIMARY KEY (id),
  constraint oauth_clients_token_endpoint_auth_method_check CHECK ((token_endpoint_auth_method = ANY (ARRAY['client_secret_basic'::text, 'client_secret_post'::text, 'none'::text])))
); -- owner supabase_auth_admin
alter table auth.oauth_clients enable row level security;
create table auth.oauth_consents (
  id uuid not null,
  user_id uuid not null,
  client_id uuid not null,
  scopes text not null,
  granted_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  constraint oauth_consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE,
  constraint oauth_consents_pkey PRIMARY KEY (id),
  constraint oauth_consents_revoked_after_granted CHECK (((revoked_at IS NULL) OR (revoked_at >= granted_at))),
  constraint oauth_consents_scopes_length CHECK ((char_length(scopes) <= 2048)),
  constraint oauth_consents_scopes_not_empty CHECK ((char_length(TRIM(BOTH FROM scopes)) > 0)),
  constraint oauth_consents_user_client_unique UNIQUE (user_id, client_id),
  constraint oauth_consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.oauth_consents enable row level security;
create table auth.one_time_tokens (
  id uuid not null,
  user_id uuid not null,
  token_type auth.one_time_token_type not null,
  token_hash text not null,
  relates_to text not null,
  created_at timestamp without time zone default now() not null,
  updated_at timestamp without time zone default now() not null,
  constraint one_time_tokens_pkey PRIMARY KEY (id),
  constraint one_time_tokens_token_hash_check CHECK ((char_length(token_hash) > 0)),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.one_time_tokens enable row level security;
create table auth.refresh_tokens (
  instance_id uuid,
  id bigint default nextval('auth.refresh_tokens_id_seq'::regclass) not null,
  token character varying(255),
  user_id character varying(255),
  revoked boolean,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  parent character varying(255),
  session_id uuid,
  constraint refresh_tokens_pkey PRIMARY KEY (id),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE,
  constraint refresh_tokens_token_unique UNIQUE (token)
); -- owner supabase_auth_admin
alter table auth.refresh_tokens enable row level security;
create table auth.saml_providers (
  id uuid not null,
  sso_provider_id uuid not null,
  entity_id text not null,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  name_id_format text,
  constraint "entity_id not empty" CHECK ((char_length(entity_id) > 0)),
  constraint "metadata_url not empty" CHECK (((metadata_url IS NULL) OR (char_length(metadata_url) > 0))),
  constraint "metadata_xml not empty" CHECK ((char_length(metadata_xml) > 0)),
  constraint saml_providers_entity_id_key UNIQUE (entity_id),
  constraint saml_providers_pkey PRIMARY KEY (id),
  constraint saml_providers_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.saml_providers enable row level security;
create table auth.saml_relay_states (
  id uuid not null,
  sso_provider_id uuid not null,
  request_id text not null,
  for_email text,
  redirect_to text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  flow_state_id uuid,
  constraint "request_id not empty" CHECK ((char_length(request_id) > 0)),
  constraint saml_relay_states_flow_state_id_fkey FOREIGN KEY (flow_state_id) REFERENCES auth.flow_state(id) ON DELETE CASCADE,
  constraint saml_relay_states_pkey PRIMARY KEY (id),
  constraint saml_relay_states_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.saml_relay_states enable row level security;
create table auth.schema_migrations (
  version character varying(255) not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
); -- owner supabase_auth_admin
alter table auth.schema_migrations enable row level security;
create table auth.sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  factor_id uuid,
  aal auth.aal_level,
  not_after timestamp with time zone,
  refreshed_at timestamp without time zone,
  user_agent text,
  ip inet,
  tag text,
  oauth_client_id uuid,
  refresh_token_hmac_key text,
  refresh_token_counter bigint,
  scopes text,
  constraint sessions_oauth_client_id_fkey FOREIGN KEY (oauth_client_id) REFERENCES auth.oauth_clients(id) ON DELETE CASCADE,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_scopes_length CHECK ((char_length(scopes) <= 4096)),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.sessions enable row level security;
create table auth.sso_domains (
  id uuid not null,
  sso_provider_id uuid not null,
  domain text not null,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  constraint "domain not empty" CHECK ((char_length(domain) > 0)),
  constraint sso_domains_pkey PRIMARY KEY (id),
  constraint sso_domains_sso_provider_id_fkey FOREIGN KEY (sso_provider_id) REFERENCES auth.sso_providers(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.sso_domains enable row level security;
create table auth.sso_providers (
  id uuid not null,
  resource_id text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  disabled boolean,
  constraint "resource_id not empty" CHECK (((resource_id IS NULL) OR (char_length(resource_id) > 0))),
  constraint sso_providers_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.sso_providers enable row level security;
create table auth.users (
  instance_id uuid,
  id uuid not null,
  aud character varying(255),
  role character varying(255),
  email character varying(255),
  encrypted_password character varying(255),
  email_confirmed_at timestamp with time zone,
  invited_at timestamp with time zone,
  confirmation_token character varying(255),
  confirmation_sent_at timestamp with time zone,
  recovery_token character varying(255),
  recovery_sent_at timestamp with time zone,
  email_change_token_new character varying(255),
  email_change character varying(255),
  email_change_sent_at timestamp with time zone,
  last_sign_in_at timestamp with time zone,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  phone text,
  phone_confirmed_at timestamp with time zone,
  phone_change text default ''::text,
  phone_change_token character varying(255) default ''::character varying,
  phone_change_sent_at timestamp with time zone,
  confirmed_at timestamp with time zone generated always as (LEAST(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current character varying(255) default ''::character varying,
  email_change_confirm_status smallint default 0,
  banned_until timestamp with time zone,
  reauthentication_token character varying(255) default ''::character varying,
  reauthentication_sent_at timestamp with time zone,
  is_sso_user boolean default false not null,
  deleted_at timestamp with time zone,
  is_anonymous boolean default false not null,
  constraint users_email_change_confirm_status_check CHECK (((email_change_confirm_status >= 0) AND (email_change_confirm_status <= 2))),
  constraint users_phone_key UNIQUE (phone),
  constraint users_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table auth.users enable row level security;
create table auth.webauthn_challenges (
  id uuid default gen_random_uuid() not null,
  user_id uuid,
  challenge_type text not null,
  session_data jsonb not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint webauthn_challenges_challenge_type_check CHECK ((challenge_type = ANY (ARRAY['signup'::text, 'registration'::text, 'authentication'::text]))),
  constraint webauthn_challenges_pkey PRIMARY KEY (id),
  constraint webauthn_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.webauthn_challenges enable row level security;
create table auth.webauthn_credentials (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  attestation_type text default ''::text not null,
  aaguid uuid,
  sign_count bigint default 0 not null,
  transports jsonb default '[]'::jsonb not null,
  backup_eligible boolean default false not null,
  backed_up boolean default false not null,
  friendly_name text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  constraint webauthn_credentials_pkey PRIMARY KEY (id),
  constraint webauthn_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
); -- owner supabase_auth_admin
alter table auth.webauthn_credentials enable row level security;
create table gateway.api_key_uses (
  id text not null,
  last_used_at timestamp with time zone not null,
  constraint api_key_uses_pkey PRIMARY KEY (id)
); -- owner supabase_auth_admin
alter table gateway.api_key_uses enable row level security;
create table gateway.application_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint application_migrations_pkey PRIMARY KEY (name)
);
alter table gateway.application_migrations enable row level security;
create table gateway.closed_functions (
  role name not null
);
alter table gateway.closed_functions enable row level security;
create table gateway.console_accounts (
  name text not null,
  kind text not null,
  hash text not null,
  mark text not null,
  stamp uuid default gen_random_uuid() not null,
  created_at timestamp with time zone default now() not null,
  changed_at timestamp with time zone default now() not null,
  constraint console_accounts_kind_check CHECK ((kind = ANY (ARRAY['all'::text, 'read'::text, 'records'::text]))),
  constraint console_accounts_pkey PRIMARY KEY (name)
);
alter table gateway.console_accounts enable row level security;
create table gateway.console_audit (
  id bigint generated always as identity not null,
  at timestamp with time zone default clock_timestamp() not null,
  session_id uuid,
  account text not null,
  address text,
  action text not null,
  target text not null,
  status integer,
  detail jsonb,
  constraint console_audit_pkey PRIMARY KEY (id)
);
alter table gateway.console_audit enable row level security;
create table gateway.console_codes (
  nonce text not null,
  expires_at timestamp with time zone not null,
  constraint console_codes_pkey PRIMARY KEY (nonce)
);
alter table gateway.console_codes enable row level security;
create table gateway.console_sessions (
  id uuid default gen_random_uuid() not null,
  digest bytea not null,
  account text not null,
  read_only boolean default false not null,
  address text,
  user_agent text,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint console_sessions_digest_key UNIQUE (digest),
  constraint console_sessions_pkey PRIMARY KEY (id)
);
alter table gateway.console_sessions enable row level security;
create table gateway.erasures (
  digest text not null,
  at timestamp with time zone default clock_timestamp() not null,
  constraint erasures_pkey PRIMARY KEY (digest)
);
alter table gateway.erasures enable row level security;
create table gateway.hooks (
  event text not null,
  function text not null,
  constraint hooks_event_check CHECK ((event = ANY (ARRAY['metrics'::text, 'alarms'::text, 'erasure'::text]))),
  constraint hooks_pkey PRIMARY KEY (event, function)
);
alter table gateway.hooks enable row level security;
create table gateway.maintenance (
  only_one boolean default true not null,
  kind text not null,
  reason text default ''::text not null,
  since timestamp with time zone default clock_timestamp() not null,
  stays boolean default false not null,
  constraint maintenance_kind_check CHECK ((kind = ANY (ARRAY['operator'::text, 'restore'::text]))),
  constraint maintenance_only_one_check CHECK (only_one),
  constraint maintenance_pkey PRIMARY KEY (only_one)
);
alter table gateway.maintenance enable row level security;
create table gateway.migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (name)
);
alter table gateway.migrations enable row level security;
create table gateway.project_steps (
  step text not null,
  done_at timestamp with time zone default now() not null,
  constraint project_steps_pkey PRIMARY KEY (step)
);
alter table gateway.project_steps enable row level security;
create table gateway.retention (
  kind text not null,
  function text not null,
  days integer,
  constraint retention_days_check CHECK ((days > 0)),
  constraint retention_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]*$'::text)),
  constraint retention_pkey PRIMARY KEY (kind, function)
);
alter table gateway.retention enable row level security;
create table gateway.roles_table (
  only_one boolean default true not null,
  name text not null,
  constraint roles_table_only_one_check CHECK (only_one),
  constraint roles_table_pkey PRIMARY KEY (only_one)
);
alter table gateway.roles_table enable row level security;
create table gateway.sight (
  at timestamp with time zone not null,
  gateway text not null,
  requests bigint not null,
  errors bigint not null,
  buckets bigint[] not null,
  connections integer not null,
  hits bigint not null,
  misses bigint not null,
  constraint sight_pkey PRIMARY KEY (at, gateway)
);
alter table gateway.sight enable row level security;
create table gateway.tallies (
  name text not null,
  labels jsonb not null,
  value bigint default 0 not null,
  constraint tallies_pkey PRIMARY KEY (name, labels)
);
alter table gateway.tallies enable row level security;
create table gateway.throttle (
  name text not null,
  level double precision not null,
  updated_at timestamp with time zone not null,
  blocked_until timestamp with time zone,
  constraint throttle_pkey PRIMARY KEY (name)
); -- owner supabase_auth_admin
alter table gateway.throttle enable row level security;
create table jobs.function_calls (
  id bigint generated always as identity not null,
  source text not null,
  target text not null,
  slot timestamp with time zone,
  method text default 'POST'::text not null,
  headers jsonb default '{}'::jsonb not null,
  params jsonb default '{}'::jsonb not null,
  body jsonb,
  timeout_ms integer default 400000 not null,
  retries integer default 3 not null,
  state text default 'waiting'::text not null,
  attempts integer default 0 not null,
  status integer,
  error text,
  created_at timestamp with time zone default clock_timestamp() not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  job_id bigint,
  constraint function_calls_pkey PRIMARY KEY (id),
  constraint function_calls_source_check CHECK ((source = ANY (ARRAY['schedule'::text, 'manual'::text, 'change'::text, 'hook'::text]))),
  constraint function_calls_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'succeeded'::text, 'dead'::text, 'missed'::text, 'dismissed'::text]))),
  constraint function_calls_target_slot_key UNIQUE (target, slot)
); -- owner supabase_auth_admin
alter table jobs.function_calls enable row level security;
create table jobs.function_schedules (
  function text not null,
  schedule text not null,
  timezone text not null,
  since timestamp with time zone default now() not null,
  paused boolean default false not null,
  constraint function_schedules_pkey PRIMARY KEY (function)
); -- owner supabase_auth_admin
alter table jobs.function_schedules enable row level security;
create table jobs.mail_attempts (
  id bigint generated always as identity not null,
  job_id bigint not null,
  at timestamp with time zone default clock_timestamp() not null,
  outcome text not null,
  reply text default ''::text not null,
  constraint mail_attempts_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs.procrastinate_jobs(id) ON DELETE CASCADE,
  constraint mail_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'refused'::text, 'deferred'::text, 'unreachable'::text, 'unanswered'::text]))),
  constraint mail_attempts_pkey PRIMARY KEY (id)
);
alter table jobs.mail_attempts enable row level security;
create table jobs.procrastinate_events (
  id bigint default nextval('jobs.procrastinate_events_id_seq'::regclass) not null,
  job_id bigint not null,
  type jobs.procrastinate_job_event_type,
  at timestamp with time zone default now(),
  constraint procrastinate_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs.procrastinate_jobs(id) ON DELETE CASCADE,
  constraint procrastinate_events_pkey PRIMARY KEY (id)
);
alter table jobs.procrastinate_events enable row level security;
create table jobs.procrastinate_jobs (
  id bigint default nextval('jobs.procrastinate_jobs_id_seq'::regclass) not null,
  queue_name character varying(128) not null,
  task_name character varying(128) not null,
  priority integer default 0 not null,
  lock text,
  queueing_lock text,
  args jsonb default '{}'::jsonb not null,
  status jobs.procrastinate_job_status default 'todo'::jobs.procrastinate_job_status not null,
  scheduled_at timestamp with time zone,
  attempts integer default 0 not null,
  abort_requested boolean default false not null,
  worker_id bigint,
  constraint check_not_todo_abort_requested CHECK ((NOT ((status = 'todo'::jobs.procrastinate_job_status) AND (abort_requested = true)))),
  constraint procrastinate_jobs_pkey PRIMARY KEY (id),
  constraint procrastinate_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES jobs.procrastinate_workers(id) ON DELETE SET NULL
);
alter table jobs.procrastinate_jobs enable row level security;
create table jobs.procrastinate_periodic_defers (
  id bigint default nextval('jobs.procrastinate_periodic_defers_id_seq'::regclass) not null,
  task_name character varying(128) not null,
  defer_timestamp bigint,
  job_id bigint,
  periodic_id character varying(128) default ''::character varying not null,
  constraint procrastinate_periodic_defers_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs.procrastinate_jobs(id),
  constraint procrastinate_periodic_defers_pkey PRIMARY KEY (id),
  constraint procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp)
);
alter table jobs.procrastinate_periodic_defers enable row level security;
create table jobs.procrastinate_workers (
  id bigint generated always as identity not null,
  last_heartbeat timestamp with time zone default now() not null,
  constraint procrastinate_workers_pkey PRIMARY KEY (id)
);
alter table jobs.procrastinate_workers enable row level security;
create table private.lead_audit (
  id bigint generated always as identity not null,
  at timestamp with time zone default clock_timestamp() not null,
  actor text default SESSION_USER not null,
  action text not null,
  detail jsonb default '{}'::jsonb not null,
  constraint lead_audit_action_check CHECK ((action = ANY (ARRAY['release'::text, 'erase'::text, 'export'::text]))),
  constraint lead_audit_pkey PRIMARY KEY (id)
);
alter table private.lead_audit enable row level security;
create table private.lead_counters (
  form text not null,
  kind text not null,
  subject text not null,
  tokens numeric not null,
  at timestamp with time zone not null,
  constraint lead_counters_pkey PRIMARY KEY (form, kind, subject)
);
alter table private.lead_counters enable row level security;
create table private.lead_limits (
  form text not null,
  kind text not null,
  burst integer not null,
  per_hour numeric not null,
  constraint lead_limits_burst_check CHECK ((burst > 0)),
  constraint lead_limits_form_check CHECK ((form = ANY (ARRAY['contact'::text, 'newsletter'::text, 'quick-start'::text, 'quote'::text]))),
  constraint lead_limits_kind_check CHECK ((kind = ANY (ARRAY['address'::text, 'email'::text, 'form'::text, 'held'::text]))),
  constraint lead_limits_per_hour_check CHECK ((per_hour > (0)::numeric)),
  constraint lead_limits_pkey PRIMARY KEY (form, kind)
);
alter table private.lead_limits enable row level security;
create table public.blog_post_revisions (
  id uuid default gen_random_uuid() not null,
  post_id uuid not null,
  title text not null,
  slug text not null,
  excerpt text,
  content public.html not null,
  featured_image_url text,
  author_name text not null,
  tags text[] not null,
  published boolean not null,
  published_at timestamp with time zone,
  reading_time_minutes integer not null,
  meta_title text,
  meta_description text,
  saved_at timestamp with time zone not null,
  replaced_at timestamp with time zone default clock_timestamp() not null,
  replaced_by uuid,
  constraint blog_post_revisions_pkey PRIMARY KEY (id),
  constraint blog_post_revisions_post_id_fkey FOREIGN KEY (post_id) REFERENCES public.blog_posts(id) ON DELETE CASCADE
);
alter table public.blog_post_revisions enable row level security;
create table public.blog_post_slugs (
  slug text not null,
  post_id uuid not null,
  retired_at timestamp with time zone default now() not null,
  constraint blog_post_slugs_pkey PRIMARY KEY (slug),
  constraint blog_post_slugs_post_id_fkey FOREIGN KEY (post_id) REFERENCES public.blog_posts(id) ON DELETE CASCADE
);
alter table public.blog_post_slugs enable row level security;
create table public.blog_posts (
  id uuid default gen_random_uuid() not null,
  title text not null,
  slug text not null,
  excerpt text,
  content public.html default ''::text not null,
  featured_image_url text,
  author_name text default 'United Medical Waste'::text not null,
  tags text[] default '{}'::text[] not null,
  published boolean default false not null,
  published_at timestamp with time zone,
  reading_time_minutes integer default 5 not null,
  meta_title text,
  meta_description text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  publish_at timestamp with time zone,
  constraint blog_posts_author_name_check CHECK ((char_length(author_name) <= 200)),
  constraint blog_posts_content_check CHECK ((char_length((content)::text) <= 1000000)),
  constraint blog_posts_excerpt_check CHECK ((char_length(excerpt) <= 2000)),
  constraint blog_posts_featured_image_url_check CHECK (((char_length(featured_image_url) <= 2048) AND (featured_image_url ~ '^(https?://[^[:space:]]+|/[^/[:space:]][^[:space:]]*)?$'::text))),
  constraint blog_posts_featured_image_url_secure_check CHECK ((featured_image_url !~* '^http:'::text)),
  constraint blog_posts_meta_description_check CHECK ((char_length(meta_description) <= 2000)),
  constraint blog_posts_meta_title_check CHECK ((char_length(meta_title) <= 500)),
  constraint blog_posts_pkey PRIMARY KEY (id),
  constraint blog_posts_published_at_check CHECK ((published = (published_at IS NOT NULL))),
  constraint blog_posts_reading_time_minutes_check CHECK (((reading_time_minutes >= 1) AND (reading_time_minutes <= 1000))),
  constraint blog_posts_slug_check CHECK (((slug <> ''::text) AND (char_length(slug) <= 400) AND (slug !~ '[[:space:][:cntrl:]/?#%\\]'::text))),
  constraint blog_posts_slug_key UNIQUE (slug),
  constraint blog_posts_slug_reachable_check CHECK ((slug <> ALL (ARRAY['.'::text, '..'::text]))),
  constraint blog_posts_tags_check CHECK (((cardinality(tags) <= 50) AND private.are_tags(tags))),
  constraint blog_posts_title_check CHECK (((title ~ '[^[:space:]]'::text) AND (char_length(title) <= 300)))
);
alter table public.blog_posts enable row level security;
create table public.contact_messages (
  id uuid default gen_random_uuid() not null,
  idempotency_key text,
  status text default 'new'::text not null,
  handled_at timestamp with time zone,
  name text not null,
  email text not null,
  phone text,
  company text,
  subject text not null,
  message text not null,
  priority text default 'normal'::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint contact_messages_company_check CHECK ((char_length(company) <= 400)),
  constraint contact_messages_email_check CHECK (((char_length(email) <= 320) AND (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text))),
  constraint contact_messages_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
  constraint contact_messages_idempotency_key_key UNIQUE (idempotency_key),
  constraint contact_messages_message_check CHECK (((message ~ '[^[:space:]]'::text) AND (char_length(message) <= 10000))),
  constraint contact_messages_name_check CHECK (((name ~ '[^[:space:]]'::text) AND (char_length(name) <= 400))),
  constraint contact_messages_phone_check CHECK ((char_length(phone) <= 80)),
  constraint contact_messages_pkey PRIMARY KEY (id),
  constraint contact_messages_priority_check CHECK ((priority = ANY (ARRAY['emergency'::text, 'urgent'::text, 'normal'::text, 'low'::text]))),
  constraint contact_messages_status_check CHECK ((status = ANY (ARRAY['new'::text, 'handled'::text]))),
  constraint contact_messages_subject_check CHECK (((subject ~ '[^[:space:]]'::text) AND (char_length(subject) <= 400)))
);
alter table public.contact_messages enable row level security;
create table public.newsletter_subscriptions (
  id uuid default gen_random_uuid() not null,
  idempotency_key text,
  status text default 'new'::text not null,
  handled_at timestamp with time zone,
  first_name text not null,
  last_name text not null,
  email text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint newsletter_subscriptions_email_check CHECK (((char_length(email) <= 320) AND (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text))),
  constraint newsletter_subscriptions_first_name_check CHECK (((first_name ~ '[^[:space:]]'::text) AND (char_length(first_name) <= 200))),
  constraint newsletter_subscriptions_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
  constraint newsletter_subscriptions_idempotency_key_key UNIQUE (idempotency_key),
  constraint newsletter_subscriptions_last_name_check CHECK (((last_name ~ '[^[:space:]]'::text) AND (char_length(last_name) <= 200))),
  constraint newsletter_subscriptions_pkey PRIMARY KEY (id),
  constraint newsletter_subscriptions_status_check CHECK ((status = ANY (ARRAY['new'::text, 'handled'::text])))
);
alter table public.newsletter_subscriptions enable row level security;
create table public.post_previews (
  token uuid default gen_random_uuid() not null,
  post_id uuid not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone default (now() + '7 days'::interval) not null,
  constraint post_previews_expires_at_check CHECK ((expires_at <= (created_at + '31 days'::interval))),
  constraint post_previews_pkey PRIMARY KEY (token),
  constraint post_previews_post_id_fkey FOREIGN KEY (post_id) REFERENCES public.blog_posts(id) ON DELETE CASCADE
);
alter table public.post_previews enable row level security;
create table public.quarantine (
  id uuid default gen_random_uuid() not null,
  idempotency_key text,
  form text not null,
  reason text not null,
  payload jsonb not null,
  address inet,
  received_at timestamp with time zone default now() not null,
  released_at timestamp with time zone,
  held boolean default false not null,
  constraint quarantine_form_check CHECK ((form = ANY (ARRAY['contact'::text, 'newsletter'::text, 'quick-start'::text, 'quote'::text]))),
  constraint quarantine_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
  constraint quarantine_idempotency_key_key UNIQUE (idempotency_key),
  constraint quarantine_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
  constraint quarantine_pkey PRIMARY KEY (id),
  constraint quarantine_reason_check CHECK (((reason ~ '[^[:space:]]'::text) AND (char_length(reason) <= 1000)))
);
alter table public.quarantine enable row level security;
create table public.quote_requests (
  id uuid default gen_random_uuid() not null,
  idempotency_key text,
  status text default 'new'::text not null,
  handled_at timestamp with time zone,
  quick_start_service boolean default false not null,
  facility_name text not null,
  facility_type text not null,
  contact_name text not null,
  email text not null,
  phone text not null,
  address text,
  city text,
  state text,
  zip_code text,
  services text[] not null,
  waste_volume text not null,
  pickup_frequency text not null,
  current_provider text,
  contact_priority text,
  employee_count text,
  location text,
  service_location text,
  promotion_amount numeric(10,2),
  message text,
  formatted_message text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint quote_requests_address_check CHECK ((char_length(address) <= 400)),
  constraint quote_requests_city_check CHECK ((char_length(city) <= 200)),
  constraint quote_requests_contact_name_check CHECK (((contact_name ~ '[^[:space:]]'::text) AND (char_length(contact_name) <= 400))),
  constraint quote_requests_contact_priority_check CHECK ((contact_priority = ANY (ARRAY['low'::text, 'normal'::text, 'high'::text, 'urgent'::text]))),
  constraint quote_requests_current_provider_check CHECK ((char_length(current_provider) <= 400)),
  constraint quote_requests_email_check CHECK (((char_length(email) <= 320) AND (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text))),
  constraint quote_requests_employee_count_check CHECK ((employee_count = ANY (ARRAY['1-10'::text, '10+'::text]))),
  constraint quote_requests_facility_name_check CHECK (((facility_name ~ '[^[:space:]]'::text) AND (char_length(facility_name) <= 400))),
  constraint quote_requests_facility_type_check CHECK (
CASE
    WHEN quick_start_service THEN (facility_type = ANY (ARRAY['outpatient-clinic'::text, 'medical-practice'::text, 'dental-office'::text, 'veterinary-clinic'::text, 'laboratory'::text, 'long-term-care'::text, 'other'::text]))
    ELSE (facility_type = ANY (ARRAY['hospital'::text, 'outpatient-clinic'::text, 'medical-practice'::text, 'laboratory'::text, 'research-facility'::text, 'long-term-care'::text, 'government-facility'::text, 'other'::text]))
END),
  constraint quote_requests_formatted_message_check CHECK ((char_length(formatted_message) <= 11000)),
  constraint quote_requests_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200))),
  constraint quote_requests_idempotency_key_key UNIQUE (idempotency_key),
  constraint quote_requests_location_check CHECK (
CASE
    WHEN quick_start_service THEN ((location IS NOT NULL) AND (location ~ '[^[:space:]]'::text) AND (char_length(location) <= 200))
    ELSE (location IS NULL)
END),
  constraint quote_requests_message_check CHECK ((char_length(message) <= 10000)),
  constraint quote_requests_phone_check CHECK (((phone ~ '[^[:space:]]'::text) AND (char_length(phone) <= 80))),
  constraint quote_requests_pickup_frequency_check CHECK (
CASE
    WHEN quick_start_service THEN ((char_length(pickup_frequency) >= 1) AND (char_length(pickup_frequency) <= 80))
    ELSE (pickup_frequency = ANY (ARRAY['n/a'::text, 'annually'::text, 'biannually'::text, 'quarterly'::text, 'every-two-months'::text, 'monthly'::text, 'biweekly'::text, 'weekly'::text]))
END),
  constraint quote_requests_pkey PRIMARY KEY (id),
  constraint quote_requests_promotion_amount_check CHECK ((promotion_amount >= (0)::numeric)),
  constraint quote_requests_service_location_check CHECK ((char_length(service_location) <= 400)),
  constraint quote_requests_services_check CHECK (((cardinality(services) > 0) AND (services <@ ARRAY['medical-waste'::text, 'sharps'::text, 'pharmaceutical'::text, 'pathological'::text, 'document-shredding'::text, 'training'::text, 'emergency'::text, 'consulting'::text]))),
  constraint quote_requests_services_employee_count_check CHECK ((quick_start_service OR (NOT (services && ARRAY['training'::text, 'consulting'::text])) OR (employee_count IS NOT NULL))),
  constraint quote_requests_state_check CHECK (
CASE
    WHEN quick_start_service THEN (char_length(state) <= 80)
    ELSE (state = ANY (ARRAY['ME'::text, 'NH'::text, 'VT'::text, 'MA'::text, 'RI'::text, 'CT'::text]))
END),
  constraint quote_requests_status_check CHECK ((status = ANY (ARRAY['new'::text, 'handled'::text]))),
  constraint quote_requests_waste_volume_check CHECK (
CASE
    WHEN quick_start_service THEN ((char_length(waste_volume) >= 1) AND (char_length(waste_volume) <= 80))
    ELSE (waste_volume = ANY (ARRAY['n/a'::text, '1-2'::text, '3-5'::text, '6-10'::text, '10+'::text]))
END),
  constraint quote_requests_zip_code_check CHECK ((zip_code ~ '^[0-9]{5}(-[0-9]{4})?$'::text))
);
alter table public.quote_requests enable row level security;
create table public.user_roles (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint user_roles_pkey PRIMARY KEY (id),
  constraint user_roles_role_check CHECK ((role = 'admin'::text)),
  constraint user_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint user_roles_user_id_role_key UNIQUE (user_id, role)
);
alter table public.user_roles enable row level security;
create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone default now() not null,
  inserted_at timestamp without time zone default now() not null,
  id uuid default gen_random_uuid() not null,
  binary_payload bytea,
  constraint messages_payload_exclusive CHECK (((payload IS NULL) OR (binary_payload IS NULL))),
  constraint messages_pkey PRIMARY KEY (id, inserted_at)
) partition by RANGE (inserted_at); -- owner supabase_realtime_admin
alter table realtime.messages enable row level security;
create table realtime.schema_migrations (
  version bigint not null,
  inserted_at timestamp(0) without time zone,
  constraint schema_migrations_pkey PRIMARY KEY (version)
); -- owner supabase_realtime_admin
create table realtime.subscription (
  id bigint generated always as identity not null,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] default '{}'::realtime.user_defined_filter[] not null,
  claims jsonb not null,
  claims_role regrole generated always as (realtime.to_regrole((claims ->> 'role'::text))) stored not null,
  created_at timestamp without time zone default timezone('utc'::text, now()) not null,
  action_filter text default '*'::text,
  selected_columns text[],
  constraint pk_subscription PRIMARY KEY (id),
  constraint subscription_action_filter_check CHECK ((action_filter = ANY (ARRAY['*'::text, 'INSERT'::text, 'UPDATE'::text, 'DELETE'::text])))
); -- owner supabase_realtime_admin
create table realtime_private.bus_messages (
  id bigint generated always as identity not null,
  inserted_at timestamp with time zone default now() not null,
  payload bytea not null,
  constraint bus_messages_pkey PRIMARY KEY (id)
); -- owner supabase_realtime_admin
create table realtime_private.bus_secret (
  only_one boolean default true not null,
  secret text default ((gen_random_uuid())::text || (gen_random_uuid())::text) not null,
  constraint bus_secret_only_one_check CHECK (only_one),
  constraint bus_secret_pkey PRIMARY KEY (only_one)
); -- owner supabase_realtime_admin
create table storage.buckets (
  id text not null,
  name text not null,
  owner uuid,
  created_at timestamp with time zone default now(),
  updated_at timestamp with time zone default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype default 'STANDARD'::storage.buckettype not null,
  versioning_status text default 'DISABLED'::text not null,
  constraint buckets_pkey PRIMARY KEY (id)
); -- owner supabase_storage_admin
alter table storage.buckets enable row level security;
create table storage.migrations (
  id integer not null,
  name character varying(100) not null,
  hash character varying(40) not null,
  executed_at timestamp without time zone default CURRENT_TIMESTAMP,
  constraint migrations_name_key UNIQUE (name),
  constraint migrations_pkey PRIMARY KEY (id)
); -- owner supabase_storage_admin
alter table storage.migrations enable row level security;
create table storage.objects (
  id uuid default gen_random_uuid() not null,
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamp with time zone default now(),
  updated_at timestamp with time zone default now(),
  last_accessed_at timestamp with time zone default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/'::text)) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamp with time zone,
  is_delete_marker boolean default false,
  is_versioned boolean default false,
  constraint "objects_bucketId_fkey" FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id),
  constraint objects_pkey PRIMARY KEY (id)
); -- owner supabase_storage_admin
alter table storage.objects enable row level security;
create table storage.s3_multipart_uploads (
  id text not null,
  in_progress_size bigint default 0 not null,
  upload_signature text not null,
  bucket_id text not null,
  key text not null,
  version text not null,
  owner_id text,
  created_at timestamp with time zone default now() not null,
  user_metadata jsonb,
  metadata jsonb,
  constraint s3_multipart_uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id),
  constraint s3_multipart_uploads_pkey PRIMARY KEY (id)
); -- owner supabase_storage_admin
alter table storage.s3_multipart_uploads enable row level security;
create table storage.s3_multipart_uploads_parts (
  id uuid default gen_random_uuid() not null,
  upload_id text not null,
  size bigint default 0 not null,
  part_number integer not null,
  bucket_id text not null,
  key text not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamp with time zone default now() not null,
  constraint s3_multipart_uploads_parts_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id),
  constraint s3_multipart_uploads_parts_pkey PRIMARY KEY (id),
  constraint s3_multipart_uploads_parts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES storage.s3_multipart_uploads(id) ON DELETE CASCADE
); -- owner supabase_storage_admin
alter table storage.s3_multipart_uploads_parts enable row level security;
create table storage_private.store (
  only_one boolean default true not null,
  id uuid not null,
  since timestamp with time zone default now() not null,
  constraint store_only_one_check CHECK (only_one),
  constraint store_pkey PRIMARY KEY (only_one)
); -- owner supabase_storage_admin
alter table storage_private.store enable row level security;
create table storage_private.trash (
  version text not null,
  since timestamp with time zone default now() not null,
  constraint trash_pkey PRIMARY KEY (version)
); -- owner supabase_storage_admin
alter table storage_private.trash enable row level security;
create table storage_private.tus_parts (
  upload_id text not null,
  start bigint not null,
  version text not null,
  size bigint not null,
  constraint tus_parts_pkey PRIMARY KEY (upload_id, start),
  constraint tus_parts_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES storage_private.tus_uploads(id) ON DELETE CASCADE
); -- owner supabase_storage_admin
alter table storage_private.tus_parts enable row level security;
create table storage_private.tus_uploads (
  id text not null,
  bucket_id text not null,
  name text not null,
  owner_id text,
  upsert boolean not null,
  length bigint,
  "offset" bigint default 0 not null,
  metadata jsonb default '{}'::jsonb not null,
  writer uuid,
  final_version text,
  finished boolean default false not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint tus_uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id) ON DELETE CASCADE,
  constraint tus_uploads_pkey PRIMARY KEY (id)
); -- owner supabase_storage_admin
alter table storage_private.tus_uploads enable row level security;
create table supabase_functions.hooks (
  id bigint default nextval('supabase_functions.hooks_id_seq'::regclass) not null,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamp with time zone default now() not null,
  request_id bigint,
  constraint hooks_pkey PRIMARY KEY (id)
); -- owner supabase_functions_admin
create table supabase_functions.migrations (
  version text not null,
  inserted_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (version)
); -- owner supabase_functions_admin

-- indexes

CREATE INDEX audit_log_entries_created_at_idx ON auth.audit_log_entries USING btree (created_at DESC);
CREATE INDEX audit_logs_instance_id_idx ON auth.audit_log_entries USING btree (instance_id);
CREATE INDEX custom_oauth_providers_created_at_idx ON auth.custom_oauth_providers USING btree (created_at);
CREATE INDEX custom_oauth_providers_enabled_idx ON auth.custom_oauth_providers USING btree (enabled);
CREATE INDEX custom_oauth_providers_identifier_idx ON auth.custom_oauth_providers USING btree (identifier);
CREATE INDEX custom_oauth_providers_provider_type_idx ON auth.custom_oauth_providers USING btree (provider_type);
CREATE INDEX flow_state_created_at_idx ON auth.flow_state USING btree (created_at DESC);
CREATE INDEX idx_auth_code ON auth.flow_state USING btree (auth_code);
CREATE INDEX idx_user_id_auth_method ON auth.flow_state USING btree (user_id, authentication_method);
CREATE INDEX identities_email_idx ON auth.identities USING btree (email text_pattern_ops);
CREATE INDEX identities_user_id_idx ON auth.identities USING btree (user_id);
CREATE INDEX mfa_challenge_created_at_idx ON auth.mfa_challenges USING btree (created_at DESC);
CREATE INDEX factor_id_created_at_idx ON auth.mfa_factors USING btree (user_id, created_at);
CREATE UNIQUE INDEX mfa_factors_user_friendly_name_unique ON auth.mfa_factors USING btree (friendly_name, user_id) WHERE (TRIM(BOTH FROM friendly_name) <> ''::text);
CREATE INDEX mfa_factors_user_id_idx ON auth.mfa_factors USING btree (user_id);
CREATE UNIQUE INDEX unique_phone_factor_per_user ON auth.mfa_factors USING btree (user_id, phone);
CREATE INDEX oauth_auth_pending_exp_idx ON auth.oauth_authorizations USING btree (expires_at) WHERE (status = 'pending'::auth.oauth_authorization_status);
CREATE INDEX idx_oauth_client_states_created_at ON auth.oauth_client_states USING btree (created_at);
CREATE INDEX oauth_clients_deleted_at_idx ON auth.oauth_clients USING btree (deleted_at);
CREATE INDEX oauth_consents_active_client_idx ON auth.oauth_consents USING btree (client_id) WHERE (revoked_at IS NULL);
CREATE INDEX oauth_consents_active_user_client_idx ON auth.oauth_consents USING btree (user_id, client_id) WHERE (revoked_at IS NULL);
CREATE INDEX oauth_consents_user_order_idx ON auth.oauth_consents USING btree (user_id, granted_at DESC);
CREATE INDEX one_time_tokens_relates_to_hash_idx ON auth.one_time_tokens USING hash (relates_to);
CREATE INDEX one_time_tokens_token_hash_hash_idx ON auth.one_time_tokens USING hash (token_hash);
CREATE UNIQUE INDEX one_time_tokens_user_id_token_type_key ON auth.one_time_tokens USING btree (user_id, token_type);
CREATE INDEX refresh_tokens_instance_id_idx ON auth.refresh_tokens USING btree (instance_id);
CREATE INDEX refresh_tokens_instance_id_user_id_idx ON auth.refresh_tokens USING btree (instance_id, user_id);
CREATE INDEX refresh_tokens_parent_idx ON auth.refresh_tokens USING btree (parent);
CREATE INDEX refresh_tokens_session_id_revoked_idx ON auth.refresh_tokens USING btree (session_id, revoked);
CREATE INDEX refresh_tokens_updated_at_idx ON auth.refresh_tokens USING btree (updated_at DESC);
CREATE INDEX saml_providers_sso_provider_id_idx ON auth.saml_providers USING btree (sso_provider_id);
CREATE INDEX saml_relay_states_created_at_idx ON auth.saml_relay_states USING btree (created_at DESC);
CREATE INDEX saml_relay_states_for_email_idx ON auth.saml_relay_states USING btree (for_email);
CREATE INDEX saml_relay_states_sso_provider_id_idx ON auth.saml_relay_states USING btree (sso_provider_id);
CREATE INDEX sessions_not_after_idx ON auth.sessions USING btree (not_after DESC);
CREATE INDEX sessions_oauth_client_id_idx ON auth.sessions USING btree (oauth_client_id);
CREATE INDEX sessions_user_id_idx ON auth.sessions USING btree (user_id);
CREATE INDEX user_id_created_at_idx ON auth.sessions USING btree (user_id, created_at);
CREATE UNIQUE INDEX sso_domains_domain_idx ON auth.sso_domains USING btree (lower(domain));
CREATE INDEX sso_domains_sso_provider_id_idx ON auth.sso_domains USING btree (sso_provider_id);
CREATE UNIQUE INDEX sso_providers_resource_id_idx ON auth.sso_providers USING btree (lower(resource_id));
CREATE INDEX sso_providers_resource_id_pattern_idx ON auth.sso_providers USING btree (resource_id text_pattern_ops);
CREATE UNIQUE INDEX confirmation_token_idx ON auth.users USING btree (confirmation_token) WHERE ((confirmation_token)::text !~ '^[0-9 ]*$'::text);
CREATE UNIQUE INDEX email_change_token_current_idx ON auth.users USING btree (email_change_token_current) WHERE ((email_change_token_current)::text !~ '^[0-9 ]*$'::text);
CREATE UNIQUE INDEX email_change_token_new_idx ON auth.users USING btree (email_change_token_new) WHERE ((email_change_token_new)::text !~ '^[0-9 ]*$'::text);
CREATE UNIQUE INDEX reauthentication_token_idx ON auth.users USING btree (reauthentication_token) WHERE ((reauthentication_token)::text !~ '^[0-9 ]*$'::text);
CREATE UNIQUE INDEX recovery_token_idx ON auth.users USING btree (recovery_token) WHERE ((recovery_token)::text !~ '^[0-9 ]*$'::text);
CREATE UNIQUE INDEX users_email_partial_key ON auth.users USING btree (email) WHERE (NOT is_sso_user);
CREATE INDEX users_instance_id_email_idx ON auth.users USING btree (instance_id, lower((email)::text));
CREATE INDEX users_instance_id_idx ON auth.users USING btree (instance_id);
CREATE INDEX users_is_anonymous_idx ON auth.users USING btree (is_anonymous);
CREATE INDEX webauthn_challenges_expires_at_idx ON auth.webauthn_challenges USING btree (expires_at);
CREATE INDEX webauthn_challenges_user_id_idx ON auth.webauthn_challenges USING btree (user_id);
CREATE UNIQUE INDEX webauthn_credentials_credential_id_key ON auth.webauthn_credentials USING btree (credential_id);
CREATE INDEX webauthn_credentials_user_id_idx ON auth.webauthn_credentials USING btree (user_id);
CREATE INDEX console_audit_action_idx ON gateway.console_audit USING btree (action, id);
CREATE INDEX console_audit_at_idx ON gateway.console_audit USING btree (at);
CREATE INDEX throttle_updated_at_idx ON gateway.throttle USING btree (updated_at);
CREATE INDEX function_calls_dead_idx ON jobs.function_calls USING btree (ended_at) WHERE (state = 'dead'::text);
CREATE INDEX function_calls_ended_idx ON jobs.function_calls USING btree (ended_at) WHERE (state <> 'waiting'::text);
CREATE INDEX mail_attempts_job_id_idx ON jobs.mail_attempts USING btree (job_id, id);
CREATE INDEX procrastinate_events_job_id_fkey_v1 ON jobs.procrastinate_events USING btree (job_id);
CREATE INDEX idx_procrastinate_jobs_worker_not_null ON jobs.procrastinate_jobs USING btree (worker_id) WHERE ((worker_id IS NOT NULL) AND (status = 'doing'::jobs.procrastinate_job_status));
CREATE INDEX procrastinate_jobs_alarm_idx ON jobs.procrastinate_jobs USING btree (id) WHERE (((task_name)::text = 'mail.send'::text) AND (status <> 'succeeded'::jobs.procrastinate_job_status));
CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON jobs.procrastinate_jobs USING btree (id, lock) WHERE (status = ANY (ARRAY['todo'::jobs.procrastinate_job_status, 'doing'::jobs.procrastinate_job_status]));
CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON jobs.procrastinate_jobs USING btree (lock) WHERE (status = 'doing'::jobs.procrastinate_job_status);
CREATE INDEX procrastinate_jobs_priority_idx_v1 ON jobs.procrastinate_jobs USING btree (priority DESC, id) WHERE (status = 'todo'::jobs.procrastinate_job_status);
CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON jobs.procrastinate_jobs USING btree (queue_name);
CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON jobs.procrastinate_jobs USING btree (queueing_lock) WHERE (status = 'todo'::jobs.procrastinate_job_status);
CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON jobs.procrastinate_periodic_defers USING btree (job_id);
CREATE INDEX idx_procrastinate_workers_last_heartbeat ON jobs.procrastinate_workers USING btree (last_heartbeat);
CREATE INDEX lead_counters_at_idx ON private.lead_counters USING btree (at);
CREATE INDEX blog_post_revisions_post_id_replaced_at_idx ON public.blog_post_revisions USING btree (post_id, replaced_at DESC);
CREATE INDEX blog_post_slugs_post_id_idx ON public.blog_post_slugs USING btree (post_id);
CREATE INDEX blog_posts_created_at_idx ON public.blog_posts USING btree (created_at DESC);
CREATE INDEX blog_posts_published_at_idx ON public.blog_posts USING btree (published_at DESC) INCLUDE (publish_at) WHERE published;
CREATE INDEX blog_posts_tags_idx ON public.blog_posts USING gin (tags);
CREATE INDEX contact_messages_created_at_idx ON public.contact_messages USING btree (created_at DESC);
CREATE INDEX contact_messages_email_idx ON public.contact_messages USING btree (lower(email));
CREATE INDEX contact_messages_status_created_at_idx ON public.contact_messages USING btree (status, created_at DESC);
CREATE INDEX newsletter_subscriptions_created_at_idx ON public.newsletter_subscriptions USING btree (created_at DESC);
CREATE UNIQUE INDEX newsletter_subscriptions_email_key ON public.newsletter_subscriptions USING btree (lower(email));
CREATE INDEX newsletter_subscriptions_status_created_at_idx ON public.newsletter_subscriptions USING btree (status, created_at DESC);
CREATE INDEX post_previews_post_id_idx ON public.post_previews USING btree (post_id);
CREATE INDEX quarantine_received_at_idx ON public.quarantine USING btree (received_at DESC);
CREATE INDEX quote_requests_created_at_idx ON public.quote_requests USING btree (created_at DESC);
CREATE INDEX quote_requests_email_idx ON public.quote_requests USING btree (lower(email));
CREATE INDEX quote_requests_status_created_at_idx ON public.quote_requests USING btree (status, created_at DESC);
CREATE INDEX messages_inserted_at_topic_index ON ONLY realtime.messages USING btree (inserted_at DESC, topic) WHERE ((extension = 'broadcast'::text) AND private);
CREATE INDEX ix_realtime_subscription_entity ON realtime.subscription USING btree (entity);
CREATE UNIQUE INDEX subscription_subscription_id_entity_filters_key ON realtime.subscription USING btree (subscription_id, entity, filters, action_filter, COALESCE(selected_columns, '{}'::text[]));
CREATE UNIQUE INDEX bname ON storage.buckets USING btree (name);
CREATE UNIQUE INDEX bucketid_objname ON storage.objects USING btree (bucket_id, name);
CREATE INDEX idx_objects_bucket_id_name ON storage.objects USING btree (bucket_id, name COLLATE "C");
CREATE INDEX idx_objects_bucket_id_name_lower ON storage.objects USING btree (bucket_id, lower(name) COLLATE "C") INCLUDE (name);
CREATE INDEX name_prefix_search ON storage.objects USING btree (name text_pattern_ops);
CREATE INDEX objects_version_idx ON storage.objects USING btree (version);
CREATE INDEX idx_multipart_uploads_list ON storage.s3_multipart_uploads USING btree (bucket_id, key, created_at);
CREATE INDEX s3_multipart_uploads_parts_upload_id_idx ON storage.s3_multipart_uploads_parts USING btree (upload_id, part_number);
CREATE INDEX trash_since_idx ON storage_private.trash USING btree (since);
CREATE INDEX tus_parts_version_idx ON storage_private.tus_parts USING btree (version);
CREATE INDEX tus_uploads_bucket_id_idx ON storage_private.tus_uploads USING btree (bucket_id);
CREATE INDEX tus_uploads_expires_at_idx ON storage_private.tus_uploads USING btree (expires_at);
CREATE INDEX supabase_functions_hooks_h_table_id_h_name_idx ON supabase_functions.hooks USING btree (hook_table_id, hook_name);
CREATE INDEX supabase_functions_hooks_request_id_idx ON supabase_functions.hooks USING btree (request_id);
CREATE UNIQUE INDEX secrets_name_idx ON vault.secrets USING btree (name) WHERE (name IS NOT NULL);

-- functions

CREATE OR REPLACE FUNCTION auth.email()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$function$;
CREATE OR REPLACE FUNCTION auth.jwt()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$function$;
CREATE OR REPLACE FUNCTION auth.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'TRUNCATE' and current_user = 'postgres'
    and not (select rolsuper from pg_roles where rolname = current_user) then
    return null;
  end if;
  raise exception 'rows of auth.audit_log_entries are never changed or deleted'
    using errcode = 'insufficient_privilege';
end
$function$;
CREATE OR REPLACE FUNCTION auth.role()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$function$;
CREATE OR REPLACE FUNCTION auth.uid()
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$function$;
CREATE OR REPLACE FUNCTION extensions.issue_extension_access()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  each name;
  maker constant name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  if tg_event = 'ddl_command_start' then
    for each in
      select pg_get_userbyid(defaclrole) from pg_default_acl
      where defaclnamespace = 0 and defaclobjtype = 'f'
        and not exists (select from aclexplode(defaclacl) where grantee = 0)
    loop
      insert into gateway.closed_functions (role) values (each);
      execute format('alter default privileges for role %I grant all on functions to public', each);
    end loop;
    return;
  end if;
  for each in delete from gateway.closed_functions returning role loop
    execute format('alter default privileges for role %I revoke all on functions from public', each);
  end loop;
  -- the wrapper is the superuser's; servers are made by whoever made the extension
  for each in
    select fdwname from pg_foreign_data_wrapper
    where fdwname in ('postgres_fdw', 'dblink_fdw') and maker <> current_user
      and not has_foreign_data_wrapper_privilege(maker, oid, 'usage')
  loop
    execute format('grant usage on foreign data wrapper %I to %I with grant option', each, maker);
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION extensions.pgrst_ddl_watch()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- temporary tables are no part of the served schema, and neither statistics nor an index' name change anything of it
  if exists (
    select from pg_event_trigger_ddl_commands()
    where schema_name is distinct from 'pg_temp'
      and command_tag not in ('ALTER INDEX', 'CREATE STATISTICS', 'REFRESH MATERIALIZED VIEW')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION extensions.pgrst_drop_watch()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from pg_event_trigger_dropped_objects()
    where not is_temporary and object_type not in ('index', 'statistics object', 'toast table')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.address_in(content text, digests text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE STRICT
 SET search_path TO ''
AS $function$
  select exists (
    select from regexp_matches(
      replace(replace(content, '%40', '@'), '\u0040', '@'), '[^\s''"<>(),;:=&?/\\]+@[^\s''"<>(),;:=&?/\\]+', 'g'
    ) as found
    where gateway.email_digest(found[1]) = any (digests)
      or gateway.email_digest(rtrim(found[1], '.!')) = any (digests)
  )
$function$;
CREATE OR REPLACE FUNCTION gateway.alarms()
 RETURNS TABLE(kind text, subject text, detail text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  function text;
begin
  for function in select * from gateway.hooked('alarms') loop
    begin
      return query execute format('select kind, subject, detail from %s()', function);
    exception when others then
      return query select 'hook', function, format('%s cannot be asked for alarms: %s', function, sqlerrm);
    end;
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.allow_setting(name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  prefix text := pg_catalog.lower(pg_catalog.split_part(name, '.', 1));
begin
  if name !~ '^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+$' then
    return; -- Postgres refuses it in its own words
  end if;
  if prefix not in ('auto_explain', 'pg_net', 'pg_stat_statements', 'pgaudit', 'pgrst', 'plan_filter', 'safeupdate')
    and (
      prefix ~ '^(pg.*|pl(perl|python|pgsql|tcl).*|auth_delay|basic_archive|passwordcheck|sepgsql|gateway.*|request|response|storage|realtime|cron|vault|jobs)$'
      or exists (select from pg_catalog.pg_available_extensions e where e.name = prefix)
    ) then
    return;
  end if;
  execute pg_catalog.format('grant set on parameter %s to postgres', name);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.alter_event_trigger(name text, becomes text, other text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform gateway.own_event_trigger(name);
  case becomes
    when 'enabled' then execute pg_catalog.format('alter event trigger %I enable', name);
    when 'disabled' then execute pg_catalog.format('alter event trigger %I disable', name);
    when 'always' then execute pg_catalog.format('alter event trigger %I enable always', name);
    when 'replica' then execute pg_catalog.format('alter event trigger %I enable replica', name);
    when 'renamed' then execute pg_catalog.format('alter event trigger %I rename to %I', name, other);
    when 'owned' then
      if other <> 'postgres' or not exists (select from pg_catalog.pg_event_trigger where evtname = name) then
        raise insufficient_privilege using
          message = pg_catalog.format('permission denied to change owner of event trigger "%s"', name),
          hint = 'Those of a project are its role''s, postgres.';
      end if;
  end case;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.alter_publication(name text, options text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not gateway.is_wide_publication(name) and exists (
    select from pg_catalog.pg_publication where pubname = name and pubowner::regrole::text <> 'postgres'
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of publication %s', name);
  end if;
  if options is null then
    raise notice 'publication % stays with a superuser, as Postgres wants it', name;
  else
    execute pg_catalog.format('alter publication %I set (%s)', name, (
      select pg_catalog.string_agg(pg_catalog.format('%I = %L', pg_catalog.split_part(each, '=', 1),
        pg_catalog.substr(each, pg_catalog.strpos(each, '=') + 1)), ', ') from pg_catalog.unnest(options) as each));
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.call_function()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  call bigint;
begin
  insert into function_calls (source, target, body, retries) values ('change', tg_argv[0], jsonb_build_object(
    'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema,
    'record', case when tg_op <> 'DELETE' then to_jsonb(new) end,
    'old_record', case when tg_op <> 'INSERT' then to_jsonb(old) end
  ), 8) returning id into call;
  perform enqueue_function_call(call);
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.comment_on_event_trigger(name text, words text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform gateway.own_event_trigger(name);
  execute pg_catalog.format('comment on event trigger %I is %L', name, words);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.confine_event_function(function regprocedure)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_definer boolean;
  has_path boolean;
begin
  select prosecdef, coalesce(proconfig::text, '') like '%search_path=%' into is_definer, has_path
  from pg_catalog.pg_proc where oid = function;
  if not (is_definer and has_path) then
    execute pg_catalog.format('alter function %s security definer %s', function,
      case when not has_path then 'set search_path = public, extensions, pg_temp' end);
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.console_account(name text)
 RETURNS SETOF gateway.console_accounts
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select * from gateway.console_accounts as accounts where accounts.name = console_account.name
$function$;
CREATE OR REPLACE FUNCTION gateway.console_account_sealed(name text, stamp uuid, hash text, mark text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update gateway.console_accounts as accounts
  set hash = console_account_sealed.hash, mark = console_account_sealed.mark
  where accounts.name = console_account_sealed.name and accounts.stamp = console_account_sealed.stamp
$function$;
CREATE OR REPLACE FUNCTION gateway.console_actions(action text, wanted integer)
 RETURNS SETOF gateway.console_audit
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select * from gateway.console_audit as audit
  where audit.action = console_actions.action
  order by audit.id desc limit wanted
$function$;
CREATE OR REPLACE FUNCTION gateway.console_enter(nonce text, nonce_expires_at timestamp with time zone, digest bytea, account text, read_only boolean, address text, user_agent text, lifetime interval)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  entered uuid;
begin
  delete from gateway.console_codes as codes where codes.expires_at < now();
  delete from gateway.console_sessions as sessions where sessions.expires_at < now();
  if console_enter.nonce is not null then
    insert into gateway.console_codes (nonce, expires_at)
    values (console_enter.nonce, console_enter.nonce_expires_at)
    on conflict do nothing;
    if not found then
      return null;
    end if;
  end if;
  insert into gateway.console_sessions (digest, account, read_only, address, user_agent, expires_at)
  values (
    console_enter.digest, console_enter.account, console_enter.read_only, console_enter.address,
    console_enter.user_agent, now() + console_enter.lifetime
  )
  returning id into entered;
  return entered;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.console_leave(digest bytea)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from gateway.console_sessions as sessions where sessions.digest = console_leave.digest
$function$;
CREATE OR REPLACE FUNCTION gateway.console_note(session_id uuid, account text, address text, action text, target text)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into gateway.console_audit (session_id, account, address, action, target)
  values (console_note.session_id, console_note.account, console_note.address, console_note.action, console_note.target)
  returning id
$function$;
CREATE OR REPLACE FUNCTION gateway.console_noted(id bigint, status integer, detail jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update gateway.console_audit as audit set status = console_noted.status, detail = console_noted.detail
  where audit.id = console_noted.id and audit.status is null
$function$;
CREATE OR REPLACE FUNCTION gateway.console_session(digest bytea)
 RETURNS TABLE(id uuid, account text, read_only boolean, expires_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select sessions.id, sessions.account, sessions.read_only, sessions.expires_at
  from gateway.console_sessions as sessions
  where sessions.digest = console_session.digest and sessions.expires_at > now()
$function$;
CREATE OR REPLACE FUNCTION gateway.console_session_of(digest bytea, account text, stamp uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select sessions.id
  from gateway.console_sessions as sessions
  where sessions.digest = console_session_of.digest and sessions.expires_at > now()
    and (
      console_session_of.account is null
      or exists (
        select from gateway.console_accounts as accounts
        where accounts.name = console_session_of.account and accounts.stamp = console_session_of.stamp
      )
    )
$function$;
CREATE OR REPLACE FUNCTION gateway.console_trail(before bigint, wanted integer)
 RETURNS SETOF gateway.console_audit
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select * from gateway.console_audit as audit
  where before is null or audit.id < before
  order by audit.id desc limit wanted
$function$;
CREATE OR REPLACE FUNCTION gateway.count_mail_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform gateway.count_up('mail_attempts_total', jsonb_build_object(
    'outcome', new.outcome,
    'kind', coalesce((select left(args #>> '{mail,kind}', 60) from jobs.procrastinate_jobs where id = new.job_id), '')
  ));
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.count_up(name text, labels jsonb, by bigint DEFAULT 1)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  insert into gateway.tallies as tallies (name, labels, value) values (name, labels, by)
  on conflict on constraint tallies_pkey do update set value = tallies.value + excluded.value
$function$;
CREATE OR REPLACE FUNCTION gateway.drop_event_trigger(name text, if_exists boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from pg_catalog.pg_event_trigger join pg_catalog.pg_proc p on p.oid = evtfoid
    join pg_catalog.pg_roles r on r.oid = p.proowner where evtname = name and r.rolsuper
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of event trigger %s', name);
  end if;
  execute pg_catalog.format('drop event trigger %s %I', case when if_exists then 'if exists' end, name);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.drop_publication(name text, if_exists boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = pubowner
    where pubname = name and r.rolname <> 'postgres' and not (r.rolsuper and (puballtables or exists (
      select from pg_catalog.pg_publication_namespace where pnpubid = p.oid)))
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of publication %s', name);
  end if;
  execute pg_catalog.format('drop publication %s %I', case when if_exists then 'if exists' end, name);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.drop_wrapper(name text, if_exists boolean, behaviour text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  execute pg_catalog.format('drop foreign data wrapper %s %I %s', case when if_exists then 'if exists' end, name,
    case when behaviour = 'cascade' then 'cascade' end);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.email_digest(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE STRICT
 SET search_path TO ''
AS $function$
  select encode(sha256(convert_to(lower(btrim(email)), 'UTF8')), 'hex')
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_again()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  everybody text[] := array(select digest from gateway.erasures);
begin
  return case when everybody <> '{}' then gateway.erase_digests(everybody, true) else '{}' end;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_digests(digests text[], again boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  counts jsonb;
  hits bigint;
  function text;
begin
  -- A mail that is leaving at this moment keeps its job, without its words.
  with written as (
    select id, status from jobs.procrastinate_jobs as mail
    where mail.task_name = 'mail.send' and gateway.names_one_of(mail.args, digests)
  ), blanked as (
    update jobs.procrastinate_jobs as mail set args = '{"mail": {"kind": "erased", "to": []}}'
    from written where written.id = mail.id and written.status = 'doing'
    returning mail.id
  ), unsaid as (
    update jobs.mail_attempts as attempt set reply = '' from blanked where blanked.id = attempt.job_id
  ), removed as (
    delete from jobs.procrastinate_jobs as mail using written
    where written.id = mail.id and written.status <> 'doing'
    returning mail.id
  )
  select (select count(*) from blanked) + (select count(*) from removed) into hits;
  counts := jsonb_build_object(
    'mails', hits, 'audit', gateway.erase_from_audit(digests),
    'console_audit', gateway.erase_from_console_audit(digests),
    'function_calls', gateway.erase_from_function_calls(digests)
  );
  for function in select * from gateway.hooked('erasure') loop
    execute format('select %s($1, $2, $3)', function) into counts using digests, counts, again;
  end loop;
  return counts;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_from_audit(digests text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint := 0;
  found record;
begin
  alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
  for found in
    select distinct entry.id, member::text as named
    from auth.audit_log_entries as entry, jsonb_path_query(entry.payload::jsonb, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and gateway.email_digest(member #>> '{}') = any (digests)
  loop
    update auth.audit_log_entries as entry
    set payload = replace(entry.payload::jsonb::text, found.named, '"erased"')::json
    where entry.id = found.id;
    hits := hits + 1;
  end loop;
  alter table auth.audit_log_entries enable trigger audit_log_entries_append_only;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_from_console_audit(digests text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
begin
  update gateway.console_audit as audit
  set detail = case when audit.detail is not null then '{"erased": true}'::jsonb end,
    target = case when gateway.address_in(audit.target, digests) then 'erased' else audit.target end
  where gateway.names_one_of(audit.detail, digests) or gateway.address_in(audit.detail::text, digests)
    or gateway.address_in(audit.target, digests);
  get diagnostics hits = row_count;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_from_function_calls(digests text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
begin
  update jobs.function_calls as call
  set body = case when call.body is not null then '{"erased": true}'::jsonb end, params = '{}', headers = '{}',
    error = case when call.error is not null then 'erased' end,
    state = case when call.state in ('waiting', 'dead', 'missed') then 'dismissed' else call.state end,
    ended_at = coalesce(call.ended_at, clock_timestamp())
  where gateway.names_one_of(to_jsonb(call), digests) or gateway.address_in(to_jsonb(call)::text, digests);
  get diagnostics hits = row_count;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.erase_person(email text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  digest text := gateway.email_digest(email);
  counts jsonb := gateway.erase_digests(array[digest], false);
begin
  insert into gateway.erasures (digest) values (digest)
  on conflict on constraint erasures_pkey do update set at = clock_timestamp();
  return counts;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.forget(kind text, days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  function text;
  hits bigint;
  total bigint := 0;
begin
  if days < 1 then
    raise exception using errcode = '22023', message = 'nothing is forgotten within a day';
  end if;
  for function in
    select to_regprocedure(retention.function)::oid::regproc::text from gateway.retention
    where retention.kind = forget.kind and to_regprocedure(retention.function) is not null
    order by retention.function
  loop
    execute format('select %s($1, $2)', function) into hits using days, most;
    total := total + hits;
  end loop;
  return total;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.forget_audit(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint := 0;
begin
  if exists (select from auth.audit_log_entries where created_at < now() - make_interval(days => days)) then
    alter table auth.audit_log_entries disable trigger audit_log_entries_append_only;
    delete from auth.audit_log_entries where ctid in (
      select ctid from auth.audit_log_entries where created_at < now() - make_interval(days => days) limit most
    );
    get diagnostics hits = row_count;
    alter table auth.audit_log_entries enable trigger audit_log_entries_append_only;
  end if;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.forget_console_audit(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
begin
  delete from gateway.console_audit where id in (
    select id from gateway.console_audit where at < now() - make_interval(days => days) order by at limit most
  );
  get diagnostics hits = row_count;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.forget_job(id bigint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  job procrastinate_jobs;
begin
  select * into job from procrastinate_jobs as known where known.id = forget_job.id for update;
  if not found then
    return null;
  elsif job.status = 'doing' then
    return 'running';
  elsif job.task_name = 'functions.call' then
    update function_calls as call set state = 'dismissed', ended_at = coalesce(call.ended_at, now())
    where call.id = (job.args ->> 'call')::bigint and call.state in ('waiting', 'dead', 'missed');
  end if;
  delete from procrastinate_jobs as known where known.id = job.id;
  return job.task_name;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.forget_mails(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
begin
  delete from jobs.procrastinate_jobs as job where job.id in (
    select ended.id
    from jobs.procrastinate_jobs as ended
    where (
        ended.status in ('succeeded', 'cancelled')
        or ended.status in ('failed', 'aborted') and ended.args #> '{mail,alarm_after}' is null
      )
      and not exists (
        select from jobs.procrastinate_events as event
        where event.job_id = ended.id and event.at >= now() - make_interval(days => days)
      )
    limit most
  );
  get diagnostics hits = row_count;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.hook(event text, function regprocedure)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  expected text[] := case event when 'erasure' then array['text[]', 'jsonb', 'boolean'] else '{}' end;
begin
  if array(select unnest(proargtypes)::regtype::text from pg_catalog.pg_proc where oid = function) <> expected then
    raise exception using errcode = '22023',
      message = pg_catalog.format('a function for %s takes (%s)', event, array_to_string(expected, ', '));
  end if;
  insert into gateway.hooks (event, function) values (event, function::text) on conflict do nothing;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.hooked(event text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select to_regprocedure(hooks.function)::oid::regproc::text from gateway.hooks
  where hooks.event = hooked.event and to_regprocedure(hooks.function) is not null
  order by hooks.function
$function$;
CREATE OR REPLACE FUNCTION gateway.is_made_wrapper(name text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (
    select from pg_catalog.pg_foreign_data_wrapper w join pg_catalog.pg_roles r on r.oid = w.fdwowner
    where w.fdwname = name and r.rolsuper and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_foreign_data_wrapper'::regclass and d.objid = w.oid and d.deptype = 'e')
  )
$function$;
CREATE OR REPLACE FUNCTION gateway.is_wide_publication(name text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = p.pubowner
    where p.pubname = name and r.rolsuper and (p.puballtables or exists (
      select from pg_catalog.pg_publication_namespace n where n.pnpubid = p.oid))
  )
$function$;
CREATE OR REPLACE FUNCTION gateway.keep_event_functions()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform gateway.confine_event_function(p.oid) from pg_catalog.pg_proc p
  join pg_catalog.pg_roles r on r.oid = p.proowner
  where not r.rolsuper and p.oid in (select evtfoid from pg_catalog.pg_event_trigger);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.keep_roles_in(relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (select count(*) from pg_catalog.pg_attribute
      where attrelid = relation and attname in ('user_id', 'role') and not attisdropped) <> 2 then
    raise exception using errcode = '22023', message = 'a table of roles has the columns user_id and role';
  end if;
  insert into gateway.roles_table (name) values (relation::text)
  on conflict on constraint roles_table_pkey do update set name = excluded.name;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.make_event_trigger(name text, event text, tags text[], function regprocedure)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if event not in ('ddl_command_start', 'ddl_command_end', 'sql_drop', 'table_rewrite') then
    raise insufficient_privilege using message = pg_catalog.format('permission denied to create event trigger "%s"', name),
      hint = pg_catalog.format('A trigger on %s could shut everybody out.', event);
  end if;
  if (select rolsuper from pg_catalog.pg_proc join pg_catalog.pg_roles r on r.oid = proowner where pg_proc.oid = function)
  then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of function %s', function);
  end if;
  -- before there is a trigger, so that none fires of this
  perform gateway.confine_event_function(function);
  execute pg_catalog.format('create event trigger %I on %s %s execute function %s()', name, event,
    case when pg_catalog.cardinality(tags) > 0 then 'when tag in (' || (
      select pg_catalog.string_agg(pg_catalog.quote_literal(each), ', ') from pg_catalog.unnest(tags) as each) || ')' end,
    pg_catalog.regexp_replace(function::text, '\(\)$', ''));
end
$function$;
CREATE OR REPLACE FUNCTION gateway.make_publication(name text, schemas text[], options text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  execute pg_catalog.format('create publication %I for %s%s', name,
    case when schemas is null then 'all tables' else 'tables in schema ' || (
      select pg_catalog.string_agg(pg_catalog.quote_ident(each), ', ') from pg_catalog.unnest(schemas) as each) end,
    ' with (' || (select pg_catalog.string_agg(pg_catalog.format('%I = %L', pg_catalog.split_part(each, '=', 1),
      pg_catalog.substr(each, pg_catalog.strpos(each, '=') + 1)), ', ') from pg_catalog.unnest(options) as each) || ')');
end
$function$;
CREATE OR REPLACE FUNCTION gateway.make_wrapper(name text, handler text, validator text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  found regproc;
  checked regproc;
begin
  select pg_catalog.to_regproc(case when handler ~ '\.' then handler else 'extensions.' || handler end),
    pg_catalog.to_regproc(case when validator ~ '\.' then validator else 'extensions.' || validator end)
  into found, checked;
  found := coalesce(found, case when handler !~ '\.' then pg_catalog.to_regproc('public.' || handler) end);
  checked := coalesce(checked, case when validator !~ '\.' then pg_catalog.to_regproc('public.' || validator) end);
  if (handler is not null and found is null) or (validator is not null and checked is null) then
    if not exists (select from pg_catalog.pg_extension where extname = 'wrappers' and extversion = '0') then
      raise undefined_function using
        message = pg_catalog.format('function %s() does not exist', case when found is null then handler else validator end);
    end if;
    raise warning 'foreign data wrapper % has no handler: the extension wrappers is missing in this server', name
      using hint = 'Its servers and foreign tables are made; reading one of these tables is refused.';
    found := null;
    checked := null;
  end if;
  if found is not null and not exists (
    select from pg_catalog.pg_foreign_data_wrapper w where w.fdwhandler = found and w.fdwvalidator = checked
  ) and not exists (
    select from pg_catalog.pg_depend d
    join pg_catalog.pg_extension e on d.refclassid = 'pg_catalog.pg_extension'::regclass and e.oid = d.refobjid
    where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = found and d.deptype = 'e' and e.extname = 'wrappers'
  ) then
    raise insufficient_privilege using
      message = pg_catalog.format('permission denied to create foreign-data wrapper "%s"', name),
      hint = 'A handler goes with the validator of its extension, and that has to be made first.';
  end if;
  execute pg_catalog.format('create foreign data wrapper %I%s%s', name, ' handler ' || found, ' validator ' || checked);
  execute pg_catalog.format('grant usage on foreign data wrapper %I to postgres with grant option', name);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.metrics()
 RETURNS TABLE(name text, labels jsonb, value double precision)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  function text;
begin
  return query
  select 'jobs', jsonb_build_object('queue', queue_name, 'status', status), count(*)::double precision
  from jobs.procrastinate_jobs where status <> 'succeeded' group by queue_name, status
  union all
  select 'jobs_oldest_seconds', jsonb_build_object('queue', queues.name),
    coalesce(extract(epoch from now() - min(waiting.at)), 0)::double precision
  from (values ('mail')) as queues (name)
  left join (
    select job.queue_name, coalesce(job.scheduled_at, event.at) as at
    from jobs.procrastinate_jobs as job
    join jobs.procrastinate_events as event on event.job_id = job.id and event.type = 'deferred'
    where job.status = 'todo' and (job.scheduled_at is null or job.scheduled_at <= now())
  ) as waiting on waiting.queue_name = queues.name
  group by queues.name
  union all
  select tallies.name, tallies.labels, tallies.value from gateway.tallies;
  for function in select * from gateway.hooked('metrics') loop
    begin
      return query execute format('select name, labels, value::double precision from %s()', function);
    exception when others then
      raise warning '% cannot be asked for metrics: %', function, sqlerrm;
    end;
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.move_extension(name text, schema text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from pg_catalog.pg_extension e join pg_catalog.pg_roles r on r.oid = e.extowner
    where e.extname = name and r.rolname <> 'postgres'
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of extension %s', name);
  end if;
  if pg_catalog.to_regnamespace(pg_catalog.quote_ident(schema)) is not null
    and not pg_catalog.has_schema_privilege('postgres', schema, 'create') then
    raise insufficient_privilege using message = pg_catalog.format('permission denied for schema %s', schema);
  end if;
  execute pg_catalog.format('alter extension %I set schema %I', name, schema);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.names_one_of(content jsonb, digests text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select exists (
    select from jsonb_path_query(content, 'strict $.**') as member
    where jsonb_typeof(member) = 'string' and gateway.email_digest(member #>> '{}') = any (digests)
  )
$function$;
CREATE OR REPLACE FUNCTION gateway.note_sight(at timestamp with time zone, gateway text, requests bigint, errors bigint, buckets bigint[], connections integer, hits bigint, misses bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from gateway.sight as old where old.at < now() - interval '1 day';
  insert into gateway.sight as known (at, gateway, requests, errors, buckets, connections, hits, misses)
  values (
    note_sight.at, note_sight.gateway, note_sight.requests, note_sight.errors, note_sight.buckets,
    note_sight.connections, note_sight.hits, note_sight.misses
  )
  on conflict on constraint sight_pkey do nothing;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.off_change(changed regclass, function text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  execute format('drop trigger if exists %I on %s', 'call_' || off_change.function, changed);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.on_change(changed regclass, function text, events text[] DEFAULT ARRAY['insert'::text, 'update'::text, 'delete'::text])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  event text;
begin
  if on_change.function !~ '^[A-Za-z][A-Za-z0-9_-]{0,99}$' then
    raise exception using errcode = '22023', message = format('%L is no name of a function', on_change.function);
  end if;
  if coalesce(cardinality(events), 0) = 0 then
    raise exception using errcode = '22023', message = 'on_change needs one of insert, update, delete';
  end if;
  foreach event in array events loop
    if lower(event) not in ('insert', 'update', 'delete') then
      raise exception using errcode = '22023', message = format('%L is none of insert, update, delete', event);
    end if;
  end loop;
  execute format('create or replace trigger %I after %s on %s for each row execute function gateway.call_function(%L)',
    'call_' || on_change.function, array_to_string(events, ' or '), changed, on_change.function);
end
$function$;
CREATE OR REPLACE FUNCTION gateway.own_event_trigger(name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from pg_catalog.pg_event_trigger join pg_catalog.pg_proc p on p.oid = evtfoid
    join pg_catalog.pg_roles r on r.oid = p.proowner where evtname = name and r.rolsuper
  ) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of event trigger %s', name);
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.own_foreign_data_wrapper(name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not gateway.is_made_wrapper(name) then
    raise insufficient_privilege using message = pg_catalog.format('must be owner of foreign-data wrapper %s', name);
  end if;
  raise notice 'foreign data wrapper % stays with a superuser, as Postgres wants it', name;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.prepare_console_login()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  wanted record;
begin
  if to_regrole('gateway_console') is null then
    begin
      create role gateway_console login inherit bypassrls;
    exception
      when insufficient_privilege then
        begin
          create role gateway_console login inherit;
          raise notice 'role gateway_console was made without bypassrls';
        exception
          when insufficient_privilege then
            raise notice 'role gateway_console cannot be made: the console has no login';
            return;
        end;
      when duplicate_object or unique_violation then
        null; -- another gateway was quicker
    end;
  end if;
  for wanted in
    select granted.rolname as granted
    from pg_catalog.pg_roles as granted
    where granted.rolname in (
      'anon', 'authenticated', 'service_role', 'postgres', 'pg_read_all_data', 'pg_monitor', 'pg_signal_backend'
    )
    and not exists (
      select from pg_catalog.pg_roles as mighty
      where (
        mighty.rolsuper
        or mighty.rolname in ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')
      )
      and pg_catalog.pg_has_role(granted.oid, mighty.oid, 'member')
    )
    -- before version 16 who may create roles may give himself any that is no superuser's, such as a server's files
    and not (granted.rolcreaterole and pg_catalog.current_setting('server_version_num')::integer < 160000)
    and not pg_catalog.pg_has_role('gateway_console', granted.oid, 'member')
  loop
    begin
      execute pg_catalog.format('grant %I to gateway_console', wanted.granted);
    exception when insufficient_privilege or invalid_grant_operation then
      raise notice 'the console''s login is not made a member of %', wanted.granted;
    end;
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.prepare_roles()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  wanted record;
begin
  -- any other server's roles are its own business
  if current_user <> 'supabase_admin' or current_user::regrole::oid <> 10 then
    return;
  end if;

  if exists (
    select from pg_roles where rolname = 'postgres'
      and not (rolcanlogin and rolinherit and rolcreaterole and rolcreatedb and rolreplication and rolbypassrls)
  ) then
    alter role postgres login inherit createrole createdb replication bypassrls;
  end if;

  for wanted in
    select granted.oid::regrole as granted, member.oid::regrole as member, wanted_members.admin
    from (values
      ('anon', 'postgres', true),
      ('authenticated', 'postgres', true),
      ('service_role', 'postgres', true),
      ('authenticator', 'postgres', true),
      ('pg_monitor', 'postgres', true),
      ('pg_read_all_data', 'postgres', true),
      ('pg_signal_backend', 'postgres', true),
      ('pg_create_subscription', 'postgres', false),
      ('supabase_privileged_role', 'postgres', false),
      -- hosted projects have a library that lets `postgres` do what owners may; here it is a member of them
      ('supabase_auth_admin', 'postgres', false),
      ('supabase_storage_admin', 'postgres', false),
      ('supabase_realtime_admin', 'postgres', false),
      ('supabase_functions_admin', 'postgres', false),
      ('pg_read_all_data', 'supabase_read_only_user', false),
      ('pg_read_all_data', 'supabase_etl_admin', false)
    ) as wanted_members (granted, member, admin)
    join pg_roles as granted on granted.rolname = wanted_members.granted
    join pg_roles as member on member.rolname = wanted_members.member
    where not exists (
      select from pg_auth_members as has
      where has.roleid = granted.oid and has.member = member.oid and (has.admin_option or not wanted_members.admin)
        and has.set_option and has.inherit_option
    )
  loop
    execute format('grant %s to %s with %s inherit true, set true', wanted.granted, wanted.member,
      case when wanted.admin then 'admin true,' else '' end);
  end loop;

  for wanted in
    select * from (values
      ('postgres', '"$user", public, extensions'),
      ('supabase_read_only_user', null)
    ) as settings (name, search_path)
    join pg_roles on rolname = name
    where not exists (select from pg_db_role_setting where setrole = pg_roles.oid and setdatabase = 0)
  loop
    if wanted.search_path is null then
      execute format('alter role %I set default_transaction_read_only = on', wanted.name);
    else
      execute format('alter role %I set search_path = %s', wanted.name, wanted.search_path);
    end if;
  end loop;

  -- What a project's migrations and dumps set although it is a superuser's to set. `app.*` are the names of old guides.
  for wanted in
    select name from unnest(array[
      'session_replication_role', 'log_min_duration_statement', 'log_min_messages', 'log_statement', 'log_lock_waits',
      'log_temp_files', 'track_io_timing', 'wal_compression', 'deadlock_timeout',
      'pgrst.db_schemas', 'pgrst.db_max_rows', 'pgrst.db_extra_search_path', 'pgrst.db_pre_request',
      'pgrst.db_aggregates_enabled', 'pgrst.db_plan_enabled', 'pgrst.db_tx_end', 'pgrst.server_timing_enabled',
      'pgrst.db_anon_role', 'pgrst.db_root_spec', 'pgrst.jwt_secret', 'pgrst.openapi_mode',
      'pg_net.batch_size', 'pg_net.ttl', 'cron.timezone', 'plan_filter.statement_cost_limit',
      'app.settings.jwt_secret', 'app.settings.jwt_exp', 'app.settings.supabase_url', 'app.settings.service_role_key',
      'app.settings.anon_key', 'app.settings.project_url', 'app.settings.site_url', 'app.settings.api_url',
      'app.settings.edge_function_url', 'app.jwt_secret', 'app.supabase_url', 'app.service_role_key'
    ]) as name
    where not has_parameter_privilege('postgres', name, 'set')
  loop
    execute format('grant set on parameter %s to postgres', wanted.name);
  end loop;

  if (select datdba from pg_database where datname = current_database()) <> 'postgres'::regrole then
    execute format('alter database %I owner to postgres', current_database());
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.publish_schemas(name text, change text, schemas text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (
    select from pg_catalog.pg_publication p join pg_catalog.pg_roles r on r.oid = pubowner
    where pubname = name and (r.rolname = 'postgres' or r.rolsuper and exists (
      select from pg_catalog.pg_publication_namespace where pnpubid = p.oid))
  ) then
    raise undefined_object using message = pg_catalog.format('publication "%s" does not exist', name);
  end if;
  execute pg_catalog.format('alter publication %I %s tables in schema %s', name,
    case change when 'add' then 'add' when 'set' then 'set' else 'drop' end,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(each), ', ') from pg_catalog.unnest(schemas) as each));
end
$function$;
CREATE OR REPLACE FUNCTION gateway.queue(state text, before bigint, most integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
  with states(status, name) as (
    values ('todo', 'waiting'), ('doing', 'running'), ('aborting', 'running'), ('succeeded', 'done'),
      ('cancelled', 'done'), ('failed', 'dead'), ('aborted', 'dead')
  ), counted as (
    select name, count(*) as number from procrastinate_jobs join states on states.status = procrastinate_jobs.status::text
    group by name
  ), chosen as (
    select job.*, states.name as state_name
    from procrastinate_jobs as job join states on states.status = job.status::text
    where (queue.state is null or states.name = queue.state) and (queue.before is null or job.id < queue.before)
    order by job.id desc limit queue.most
  )
  select jsonb_build_object(
    'counts', (select coalesce(jsonb_object_agg(name, number), '{}') from counted),
    'jobs', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', job.id, 'queue', job.queue_name, 'task', job.task_name, 'state', job.state_name,
        'attempts', coalesce(call.attempts, job.attempts), 'priority', job.priority, 'scheduled_at', job.scheduled_at,
        'queued_at', coalesce(job.args ->> 'queued_at', call.created_at::text),
        'about', case job.task_name
          when 'mail.send' then concat_ws(' to ', job.args #>> '{mail,kind}',
            (select string_agg(recipient, ', ') from jsonb_array_elements_text(
              case jsonb_typeof(job.args #> '{mail,to}') when 'array' then job.args #> '{mail,to}' else '[]' end
            ) as recipient))
          else call.target end,
        'call', call.id, 'call_state', call.state,
        'reason', coalesce(mail.outcome || ': ' || mail.reply, call.error, 'status ' || call.status)
      ) order by job.id desc), '[]')
      from chosen as job
      left join lateral (
        select outcome, reply from mail_attempts where job_id = job.id and outcome <> 'sent' order by id desc limit 1
      ) as mail on true
      left join function_calls as call
        on job.task_name = 'functions.call' and call.id = (job.args ->> 'call')::bigint
    )
  )
$function$;
CREATE OR REPLACE FUNCTION gateway.reset_session(seed double precision, given_sql boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  held refcursor;
  prepared text;
begin
  reset all;
  unlisten *;
  discard temp;
  discard sequences;
  perform pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed(seed);
  for held in select name from pg_catalog.pg_cursors where is_holdable loop
    close held;
  end loop;
  if given_sql then
    for prepared in select name from pg_catalog.pg_prepared_statements where from_sql loop
      execute pg_catalog.format('deallocate %I', prepared);
    end loop;
  end if;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.retain(kind text, function regprocedure, days integer DEFAULT NULL::integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array(select unnest(proargtypes)::regtype::text from pg_catalog.pg_proc where oid = function)
    <> array['integer', 'integer'] then
    raise exception using errcode = '22023', message = 'a function that removes what is old takes (integer, integer)';
  end if;
  insert into gateway.retention (kind, function, days) values (kind, function::text, days)
  on conflict on constraint retention_pkey do update set days = excluded.days;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.retry_job(id bigint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  job procrastinate_jobs;
begin
  select * into job from procrastinate_jobs as known where known.id = retry_job.id for update;
  if not found then
    return null;
  elsif job.status = 'doing' then
    return 'running';
  elsif job.task_name = 'mail.send' then
    perform resend_mail(job.id);
  elsif job.task_name = 'functions.call' then
    -- One that waits for its next attempt has it now; one that was given up is a call anew.
    if job.status = 'todo' then
      update procrastinate_jobs as known set scheduled_at = now() where known.id = job.id;
    elsif not retry_function_call((job.args ->> 'call')::bigint) then
      return null;
    end if;
  elsif job.status in ('failed', 'aborted', 'cancelled') then
    update procrastinate_jobs as known set status = 'todo', scheduled_at = now() where known.id = job.id;
  else
    return null;
  end if;
  return job.task_name;
end
$function$;
CREATE OR REPLACE FUNCTION gateway.sight_between(begins timestamp with time zone, ends timestamp with time zone)
 RETURNS SETOF gateway.sight
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select * from gateway.sight as row where row.at >= begins and row.at <= ends order by row.at, row.gateway
$function$;
CREATE OR REPLACE FUNCTION graphql_public.graphql("operationName" text DEFAULT NULL::text, query text DEFAULT NULL::text, variables jsonb DEFAULT NULL::jsonb, extensions jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
RETURN '{"errors": [{"message": "pg_graphql extension is not enabled."}]}'::jsonb;
CREATE OR REPLACE FUNCTION jobs.blank_auth_mail()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.args := jsonb_set(
    new.args, '{mail}', (new.args -> 'mail') - array['text', 'html', 'sealed'] || '{"blanked": true}'
  );
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.call_function_now(function text, body jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  call bigint;
begin
  insert into function_calls (source, target, body) values ('manual', call_function_now.function, call_function_now.body)
  returning id into call;
  perform enqueue_function_call(call);
  return call;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.enqueue_function_call(call bigint)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
  with job as (
    insert into procrastinate_jobs (queue_name, task_name, args)
    values ('functions', 'functions.call', jsonb_build_object('call', enqueue_function_call.call))
    returning id
  )
  update function_calls set job_id = job.id, state = 'waiting' from job
  where function_calls.id = enqueue_function_call.call
$function$;
CREATE OR REPLACE FUNCTION jobs.enqueue_hook(url text, method text, headers jsonb, params jsonb, timeout_ms integer, body jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  call bigint;
begin
  insert into function_calls (source, target, method, headers, params, timeout_ms, body, retries)
  values ('hook', url, method, coalesce(enqueue_hook.headers, '{}'), coalesce(enqueue_hook.params, '{}'),
    enqueue_hook.timeout_ms, enqueue_hook.body, 8)
  returning id into call;
  perform enqueue_function_call(call);
  return call;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.enqueue_mail(payload jsonb, priority integer DEFAULT 0, run_after timestamp with time zone DEFAULT now(), queueing_lock text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  job_id bigint;
begin
  if jsonb_typeof(payload -> 'to') is distinct from 'array' or jsonb_array_length(payload -> 'to') = 0 then
    raise exception using errcode = '22023', message = 'a mail needs at least one recipient in "to"';
  end if;
  if coalesce(payload ->> 'subject', '') = '' or coalesce(payload ->> 'text', payload ->> 'html', '') = '' then
    raise exception using errcode = '22023', message = 'a mail needs "subject" and "text" or "html"';
  end if;
  -- A mail that is sent again keeps the id that it had.
  if coalesce(current_setting('request.id', true), '') <> '' then
    payload := jsonb_build_object('request', current_setting('request.id', true)) || payload;
  end if;
  insert into jobs.procrastinate_jobs as waiting (queue_name, task_name, priority, queueing_lock, args, scheduled_at)
  values (
    'mail', 'mail.send', enqueue_mail.priority, enqueue_mail.queueing_lock, jsonb_build_object('mail', payload, 'queued_at', now()),
    case when run_after > now() then run_after end
  )
  on conflict (queueing_lock) where status = 'todo' do nothing
  returning waiting.id into job_id;
  if job_id is null then
    select id into job_id from jobs.procrastinate_jobs as waiting
    where waiting.queueing_lock = enqueue_mail.queueing_lock and waiting.status = 'todo';
  end if;
  return job_id;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_defer_jobs_v1(jobs jobs.procrastinate_job_to_defer_v1[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint)
 RETURNS jobs.procrastinate_jobs
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_finish_job_v1(job_id bigint, end_status jobs.procrastinate_job_status, delete_job boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_notify_queue_abort_job_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_notify_queue_job_inserted_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision)
 RETURNS TABLE(worker_id bigint)
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_register_worker_v1()
 RETURNS TABLE(worker_id bigint)
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_trigger_abort_requested_events_procedure_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_trigger_function_scheduled_events_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_trigger_function_status_events_insert_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_trigger_function_status_events_update_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_unlink_periodic_defers_v1()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_unregister_worker_v1(worker_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.procrastinate_update_heartbeat_v1(worker_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$function$;
CREATE OR REPLACE FUNCTION jobs.resend_mail(job_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  job jobs.procrastinate_jobs;
begin
  select * into job from jobs.procrastinate_jobs where id = job_id and task_name = 'mail.send' for update;
  if not found then
    raise exception using errcode = 'P0002', message = format('there is no mail %s', job_id);
  end if;
  if job.args #> '{mail,blanked}' is not null then
    raise exception using errcode = '55000',
      message = format('mail %s carried a link of the auth API, which is not kept: ask for a new one', job_id);
  end if;
  case job.status::text
    when 'todo' then
      update jobs.procrastinate_jobs set scheduled_at = null where id = job_id;
      return job_id;
    when 'failed', 'cancelled', 'aborted' then
      update jobs.procrastinate_jobs
      set status = 'todo', scheduled_at = null, attempts = 0, abort_requested = false, worker_id = null,
        args = args || jsonb_build_object('queued_at', now())
      where id = job_id;
      return job_id;
    when 'succeeded' then
      return jobs.enqueue_mail(job.args -> 'mail', job.priority);
    else
      raise exception using errcode = '55000', message = format('mail %s is being sent right now', job_id);
  end case;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.retry_function_call(call bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
begin
  update function_calls set state = 'waiting', attempts = 0, ended_at = null
  where id = retry_function_call.call and state in ('dead', 'missed', 'dismissed');
  if not found then
    return false;
  end if;
  perform enqueue_function_call(retry_function_call.call);
  return true;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.schedule_function_calls(function text, slots timestamp with time zone[], body jsonb, retries integer, missed boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'jobs', 'pg_catalog', 'pg_temp'
AS $function$
declare
  call bigint;
  stored integer := 0;
begin
  if exists (
    select from function_schedules as known where known.function = schedule_function_calls.function and known.paused
  ) then
    return 0;
  end if;
  for call in
    insert into function_calls (source, target, slot, body, retries, state, ended_at)
    select 'schedule', schedule_function_calls.function, slot,
      schedule_function_calls.body || jsonb_build_object('slot', slot), schedule_function_calls.retries,
      case when missed then 'missed' else 'waiting' end, case when missed then clock_timestamp() end
    from unnest(slots) as slot order by slot
    on conflict (target, slot) do nothing
    returning id
  loop
    stored := stored + 1;
    if not missed then
      perform enqueue_function_call(call);
    end if;
  end loop;
  return stored;
end
$function$;
CREATE OR REPLACE FUNCTION jobs.troubles()
 RETURNS TABLE(kind text, subject text, detail text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  with late as (
    select job.id, job.status, job.args #>> '{mail,kind}' as mail, event.at, attempt.outcome, attempt.reply
    from jobs.procrastinate_jobs as job
    join lateral (
      select min(at) as at from jobs.procrastinate_events where job_id = job.id and type = 'deferred'
    ) as event on true
    left join lateral (
      select outcome, reply from jobs.mail_attempts where job_id = job.id order by mail_attempts.id desc limit 1
    ) as attempt on true
    where job.task_name = 'mail.send' and job.status not in ('succeeded', 'cancelled') and job.args #> '{mail,alarm_after}' is not null
      and (
        job.status in ('failed', 'aborted')
        or event.at < now() - make_interval(secs => (job.args #>> '{mail,alarm_after}')::double precision)
      )
  )
  select 'mail', '', format(
    '%s mails that matter are not delivered, the oldest (mail %s, %s) since %s%s. `gateway mail list` shows them,'
    ' `gateway mail resend --failed --waiting` sends them again.',
    (select count(*) from late), id, mail, to_char(at at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"'),
    case when outcome is null then ': nobody tried' else format(': %s: %s', outcome, left(reply, 200)) end
  )
  from (select * from late order by at limit 1) as oldest
  union all
  select 'jobs', '', case when max(last_heartbeat) is null then 'No job worker runs: mails and clean-up wait.'
    else format('No job worker has been heard of since %s: mails and clean-up wait.',
      to_char(max(last_heartbeat) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS "UTC"')) end
  from jobs.procrastinate_workers
  having coalesce(max(last_heartbeat), '-infinity') < now() - interval '45 seconds'
$function$;
CREATE OR REPLACE FUNCTION jobs.troubles_of_calls()
 RETURNS TABLE(kind text, subject text, detail text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select 'functions', target, format(
    '%s calls of %s were given up, the last (call %s) at %s: %s. `functions calls --dead` shows them, `functions retry ID`'
    ' makes one again, `functions dismiss %s` is enough of it.',
    count(*), target, max(id), to_char(max(ended_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"'),
    left((array_agg(coalesce(error, 'status ' || status, 'no answer') order by id desc))[1], 200), target
  )
  from jobs.function_calls
  where state = 'dead' and ended_at > now() - interval '7 days'
  group by target
$function$;
CREATE OR REPLACE FUNCTION private.are_tags(tags text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select count(*) = count(distinct tag)
    and coalesce(bool_and(tag = btrim(tag) and tag <> '' and char_length(tag) <= 60), true)
  from unnest(tags) as tag
$function$;
CREATE OR REPLACE FUNCTION private.count_leads()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  form text;
  stored bigint;
begin
  for form, stored in
    select case when to_jsonb(lead) -> 'quick_start_service' = 'true' then 'quick-start' else tg_argv[0] end, count(*)
    from new_rows as lead group by 1 order by 1
  loop
    perform gateway.count_up('leads_total', jsonb_build_object('form', form), stored);
  end loop;
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION private.end_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not new.published or new.published_at is distinct from new.publish_at then
    new.publish_at := null;
  end if;
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION private.erase_leads(digests text[], counts jsonb, again boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
  leads text;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format('delete from public.%I where gateway.email_digest(email) = any ($1)', leads) using digests;
    get diagnostics hits = row_count;
    counts := counts || jsonb_build_object(leads, hits);
  end loop;
  delete from public.quarantine where gateway.names_one_of(payload, digests);
  get diagnostics hits = row_count;
  counts := counts || jsonb_build_object('quarantine', hits);
  delete from private.lead_counters where kind = 'email' and subject = any (digests);
  insert into private.lead_audit (action, detail)
  values ('erase', counts || case when again then '{"again": true}' else '{}' end::jsonb);
  return counts;
end
$function$;
CREATE OR REPLACE FUNCTION private.forget_lead_audit(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint := 0;
begin
  if exists (select from private.lead_audit where at < now() - make_interval(days => days)) then
    alter table private.lead_audit disable trigger lead_audit_keep;
    delete from private.lead_audit
    where ctid in (select ctid from private.lead_audit where at < now() - make_interval(days => days) limit most);
    get diagnostics hits = row_count;
    alter table private.lead_audit enable trigger lead_audit_keep;
  end if;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION private.forget_lead_counters(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hits bigint;
begin
  delete from private.lead_counters
  where ctid in (select ctid from private.lead_counters where at < now() - make_interval(days => days) limit most);
  get diagnostics hits = row_count;
  return hits;
end
$function$;
CREATE OR REPLACE FUNCTION private.forget_leads(days integer, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  leads text;
  hits bigint;
  total bigint := 0;
begin
  foreach leads in array array['newsletter_subscriptions', 'quote_requests', 'contact_messages'] loop
    execute format(
      'delete from public.%1$I where ctid in (select ctid from public.%1$I'
      ' where created_at < now() - make_interval(days => $1) limit $2)', leads
    ) using days, most;
    get diagnostics hits = row_count;
    total := total + hits;
  end loop;
  delete from public.quarantine
  where ctid in (select ctid from public.quarantine where received_at < now() - make_interval(days => days) limit most);
  get diagnostics hits = row_count;
  return total + hits;
end
$function$;
CREATE OR REPLACE FUNCTION private.forget_previews(days integer, most integer)
 RETURNS bigint
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  with gone as (
    delete from public.post_previews
    where token in (
      select token from public.post_previews where expires_at < now() - make_interval(days => days) limit most
    )
    returning 1
  )
  select count(*) from gone
$function$;
CREATE OR REPLACE FUNCTION private.inet_of(address text)
 RETURNS inet
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return address::inet;
exception when invalid_text_representation then
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION private.is_admin()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
$function$;
CREATE OR REPLACE FUNCTION private.is_held(form text, idempotency_key text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select exists (
    select from public.quarantine as kept
    where kept.idempotency_key = is_held.idempotency_key and kept.form = is_held.form and kept.held
  )
$function$;
CREATE OR REPLACE FUNCTION private.is_stored(form text, idempotency_key text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select idempotency_key is not null and (
    form = 'newsletter' and exists (
      select from public.newsletter_subscriptions as stored where stored.idempotency_key = is_stored.idempotency_key)
    or form = 'contact' and exists (
      select from public.contact_messages as stored where stored.idempotency_key = is_stored.idempotency_key)
    or form in ('quote', 'quick-start') and exists (
      select from public.quote_requests as stored where stored.idempotency_key = is_stored.idempotency_key)
  )
$function$;
CREATE OR REPLACE FUNCTION private.keep_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  raise exception using errcode = '42501', message = 'audit rows are never changed';
end
$function$;
CREATE OR REPLACE FUNCTION private.keep_revision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;
CREATE OR REPLACE FUNCTION private.keep_slug()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;
CREATE OR REPLACE FUNCTION private.lead_alarms()
 RETURNS TABLE(kind text, subject text, detail text)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'held leads', form, format(
    '%s submissions of the form %s wait in quarantine since %s: they came in a flood, and were not mailed. `gateway'
    ' leads quarantine` lists them, `gateway leads release ID` lets one out.',
    count(*), form, to_char(min(received_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"')
  )
  from public.quarantine where held and released_at is null group by form
$function$;
CREATE OR REPLACE FUNCTION private.lead_metrics()
 RETURNS TABLE(name text, labels jsonb, value double precision)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 'leads_total', jsonb_build_object('form', form), 0::double precision
  from unnest(array['contact', 'newsletter', 'quick-start', 'quote']) as form
  where not exists (
    select from gateway.tallies
    where tallies.name = 'leads_total' and tallies.labels = jsonb_build_object('form', form)
  )
  union all
  select 'quarantined_leads', '{}', count(*) from public.quarantine where released_at is null
$function$;
CREATE OR REPLACE FUNCTION private.lead_tokens(counter private.lead_counters, allowed private.lead_limits, moment timestamp with time zone)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select least(
    allowed.burst,
    counter.tokens + greatest(0, extract(epoch from moment - counter.at)) * allowed.per_hour / 3600
  )
$function$;
CREATE OR REPLACE FUNCTION private.release_lead(quarantined uuid, lead jsonb, mails jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept public.quarantine;
  stored uuid;
  mail jsonb;
begin
  select * into kept from public.quarantine where id = quarantined for update;
  if not found then
    raise exception using errcode = 'P0002', message = 'there is no such submission in quarantine';
  end if;
  if kept.released_at is not null then
    raise exception using errcode = '55000', message = 'this submission was released before';
  end if;
  stored := private.store_lead(kept.form, lead, kept.idempotency_key, kept.received_at);
  if stored is not null then
    for mail in select value from jsonb_array_elements(mails) loop
      perform jobs.enqueue_mail(mail - 'priority', coalesce((mail ->> 'priority')::integer, 0));
    end loop;
  end if;
  update public.quarantine set released_at = clock_timestamp() where id = quarantined;
  insert into private.lead_audit (action, detail)
  values ('release', jsonb_build_object('quarantine', quarantined, 'form', kept.form, 'lead', stored));
  return stored;
end
$function$;
CREATE OR REPLACE FUNCTION private.sender_wait(form text, address text, email text)
 RETURNS numeric
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  wait numeric := private.take_lead_token(form, 'address', address);
begin
  if wait = 0 then
    wait := private.take_lead_token(form, 'email', email);
  end if;
  return wait;
end
$function$;
CREATE OR REPLACE FUNCTION private.stamp_handled()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.handled_at := case when new.status = 'handled' then coalesce(new.handled_at, clock_timestamp()) end;
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION private.store_lead(form text, lead jsonb, idempotency_key text, received_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  id uuid;
  quote public.quote_requests := jsonb_populate_record(null::public.quote_requests, lead);
  message public.contact_messages := jsonb_populate_record(null::public.contact_messages, lead);
begin
  case form
    when 'newsletter' then
      insert into public.newsletter_subscriptions as stored (idempotency_key, first_name, last_name, email, created_at)
      values (store_lead.idempotency_key, lead ->> 'first_name', lead ->> 'last_name', lead ->> 'email', received_at)
      on conflict do nothing
      returning stored.id into id;
    when 'contact' then
      insert into public.contact_messages as stored
        (idempotency_key, name, email, phone, company, subject, message, priority, created_at)
      values (
        store_lead.idempotency_key, message.name, message.email, message.phone, message.company, message.subject,
        message.message, coalesce(message.priority, 'normal'), received_at
      )
      on conflict on constraint contact_messages_idempotency_key_key do nothing
      returning stored.id into id;
    else
      insert into public.quote_requests as stored (
        idempotency_key, quick_start_service, facility_name, facility_type, contact_name, email, phone, address, city,
        state, zip_code, services, waste_volume, pickup_frequency, current_provider, contact_priority, employee_count,
        location, service_location, promotion_amount, message, formatted_message, created_at
      )
      values (
        store_lead.idempotency_key, form = 'quick-start', quote.facility_name, quote.facility_type,
        quote.contact_name, quote.email, quote.phone, quote.address, quote.city, quote.state, quote.zip_code,
        quote.services, quote.waste_volume, quote.pickup_frequency, quote.current_provider, quote.contact_priority,
        quote.employee_count, quote.location, quote.service_location, quote.promotion_amount, quote.message,
        quote.formatted_message, received_at
      )
      on conflict on constraint quote_requests_idempotency_key_key do nothing
      returning stored.id into id;
  end case;
  return id;
end
$function$;
CREATE OR REPLACE FUNCTION private.take_lead_token(form text, kind text, subject text)
 RETURNS numeric
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  allowed private.lead_limits;
  digest text := encode(sha256(convert_to(lower(btrim(subject)), 'UTF8')), 'hex');
  moment timestamptz := clock_timestamp();
  left_over numeric;
begin
  select * into allowed from private.lead_limits as limits
  where limits.form = take_lead_token.form and limits.kind = take_lead_token.kind;
  if not found or subject is null then
    return 0;
  end if;
  -- The row lock makes concurrent submissions count one after the other. A refused one takes nothing.
  insert into private.lead_counters as counters (form, kind, subject, tokens, at)
  values (take_lead_token.form, take_lead_token.kind, digest, allowed.burst - 1, moment)
  on conflict on constraint lead_counters_pkey do update set
    tokens = private.lead_tokens(counters, allowed, moment) - 1,
    at = moment
  where private.lead_tokens(counters, allowed, moment) >= 1
  returning tokens into left_over;
  if found then
    return 0;
  end if;
  update private.lead_counters as counters set at = moment
  where counters.form = take_lead_token.form and counters.kind = take_lead_token.kind and counters.subject = digest
    and counters.at > moment;
  select private.lead_tokens(counters, allowed, moment)
  into left_over from private.lead_counters as counters
  where counters.form = take_lead_token.form and counters.kind = take_lead_token.kind and counters.subject = digest;
  return greatest(1, ceil((1 - left_over) * 3600 / allowed.per_hour));
end
$function$;
CREATE OR REPLACE FUNCTION private.touch_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.updated_at := clock_timestamp();
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION public.list_articles(search text DEFAULT ''::text, tag text DEFAULT ''::text, page integer DEFAULT 1, size integer DEFAULT 10)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
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
$function$;
CREATE OR REPLACE FUNCTION public.list_pictures(search text DEFAULT ''::text)
 RETURNS TABLE(folder text, address text, alt text, file_name text, bytes bigint, created_at timestamp with time zone, posts jsonb)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
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
$function$;
CREATE OR REPLACE FUNCTION public.list_topics()
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(array_agg(topic order by uses desc, lower(topic) collate "C", topic collate "C"), '{}')
  from (
    select unnest(tags) as topic, count(*) as uses from public.blog_posts where published group by 1
  ) as used
$function$;
CREATE OR REPLACE FUNCTION public.preview_post(token uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select to_jsonb(blog_posts) - 'publish_at'
  from public.post_previews
  join public.blog_posts on blog_posts.id = post_previews.post_id
  where post_previews.token = preview_post.token and post_previews.expires_at > now()
$function$;
CREATE OR REPLACE FUNCTION public.quarantine_lead(form text, payload jsonb, reason text, idempotency_key text DEFAULT NULL::text, address text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A flood of what a trap catches must neither fill the disk nor use up what real senders may send.
  wait numeric := private.take_lead_token(form, 'address', 'quarantine ' || address);
begin
  if wait = 0 then
    wait := private.take_lead_token(form, 'form', 'quarantine');
  end if;
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
  end if;
  insert into public.quarantine (form, payload, reason, idempotency_key, address)
  values (form, payload, left(reason, 1000), idempotency_key, private.inet_of(address))
  on conflict on constraint quarantine_idempotency_key_key do nothing;
  return jsonb_build_object('stored', true);
end
$function$;
CREATE OR REPLACE FUNCTION public.submit_lead(form text, lead jsonb, mails jsonb DEFAULT '[]'::jsonb, idempotency_key text DEFAULT NULL::text, address text DEFAULT NULL::text, payload jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  stored uuid;
  wait numeric;
  mail jsonb;
begin
  if idempotency_key is not null then
    perform pg_advisory_xact_lock(hashtextextended('lead ' || form || ' ' || idempotency_key, 0));
  end if;
  if private.is_stored(form, idempotency_key) or private.is_held(form, idempotency_key) then
    return jsonb_build_object('stored', false, 'duplicate', true);
  end if;
  wait := private.sender_wait(form, address, lead ->> 'email');
  if wait > 0 then
    return jsonb_build_object('stored', false, 'retry_after', wait);
  end if;
  wait := private.take_lead_token(form, 'form', form);
  if wait > 0 then
    if payload is null or private.take_lead_token(form, 'held', form) > 0 then
      return jsonb_build_object('stored', false, 'retry_after', wait);
    end if;
    insert into public.quarantine (form, payload, reason, idempotency_key, address, held)
    values (
      form, payload, 'the form took more submissions than its limit', idempotency_key, private.inet_of(address), true
    );
    return jsonb_build_object('stored', true, 'held', true);
  end if;
  stored := private.store_lead(form, lead, idempotency_key, now());
  if stored is null then
    return jsonb_build_object('stored', false, 'duplicate', true);
  end if;
  for mail in select value from jsonb_array_elements(mails) loop
    perform jobs.enqueue_mail(mail - 'priority', coalesce((mail ->> 'priority')::integer, 0));
  end loop;
  return jsonb_build_object('stored', true, 'id', stored);
end
$function$;
CREATE OR REPLACE FUNCTION realtime."cast"(val text, type_ regtype)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime."cast" is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.apply_rls(wal jsonb, max_record_bytes integer DEFAULT (1024 * 1024))
 RETURNS SETOF realtime.wal_rls
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.apply_rls is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text DEFAULT 'ROW'::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$function$;
CREATE OR REPLACE FUNCTION realtime.build_prepared_statement_sql(prepared_statement_name text, entity regclass, columns realtime.wal_column[])
 RETURNS text
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.build_prepared_statement_sql is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.check_equality_op is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.is_visible_through_filters(columns realtime.wal_column[], filters realtime.user_defined_filter[])
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.is_visible_through_filters is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.list_changes(publication name, slot_name name, max_changes integer, max_record_bytes integer)
 RETURNS SETOF realtime.wal_rls
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.list_changes is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.quote_wal2json(entity regclass)
 RETURNS text
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.quote_wal2json is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean DEFAULT true)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  message uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message,
    case when jsonb_typeof(payload) = 'object' and not payload ? 'id'
      then payload || jsonb_build_object('id', message) else payload end,
    event, topic, private, 'broadcast'
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$function$;
CREATE OR REPLACE FUNCTION realtime.send_binary(payload bytea, event text, topic text, private boolean DEFAULT true)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$function$;
CREATE OR REPLACE FUNCTION realtime.subscription_check_filters()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin
  raise feature_not_supported using
    message = 'realtime.subscription_check_filters is not available in this server', hint = 'Listen by a channel of the realtime API, or read the log by a replication slot.';
end $function$;
CREATE OR REPLACE FUNCTION realtime.to_regrole(role_name text)
 RETURNS regrole
 LANGUAGE sql
 IMMUTABLE
RETURN (role_name)::regrole;
CREATE OR REPLACE FUNCTION realtime.topic()
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN NULLIF(current_setting('realtime.topic'::text, true), ''::text);
CREATE OR REPLACE FUNCTION realtime.visible_changes(asked jsonb, transactions bigint[] DEFAULT '{}'::bigint[])
 RETURNS TABLE(place integer, part integer, state text, secured boolean, columns text[], visible integer[], fault text)
 LANGUAGE plpgsql
AS $function$
declare
  named record;
  one record;
  relation oid;
  key text[];
  condition text;
  arrays text;
  names text;
  sets text[];
  now_seen pg_snapshot;
  newest bigint;
begin
  for attempt in 1..2001 loop
    now_seen := pg_current_snapshot();
    newest := pg_snapshot_xmax(now_seen)::text::bigint;
    -- the log has the lower half of a transaction's number
    exit when not exists (
      select from unnest(transactions) as lower_half,
        lateral (select (newest >> 32 << 32) | lower_half as given) g
      where not pg_visible_in_snapshot(
        (case when given - newest > 2147483648 then given - 4294967296 else given end)::text::xid8, now_seen)
    );
    if attempt = 2001 then
      raise exception using errcode = '55P03', message = 'a transaction of the log cannot be seen yet';
    end if;
    perform pg_sleep(0.001);
  end loop;

  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  if exists (select from pg_catalog.pg_prepared_statements where name = '_realtime_visible') then
    deallocate _realtime_visible;
  end if;
  for named in
    select value as said, (ordinality - 1)::int as number from jsonb_array_elements(asked) with ordinality
  loop
    place := named.number;
    part := null; secured := null; columns := null; visible := null; fault := null; state := null;
    relation := (named.said ->> 'table')::oid;
    perform set_config('role', 'none', true);

    if not exists (select from pg_class where oid = relation) then
      state := 'gone';
      return next;
      continue;
    end if;
    begin
      perform set_config('role', named.said ->> 'role', true);
    exception when others then
      state := 'stranger';
      return next;
      continue;
    end;

    select relrowsecurity into secured from pg_class where oid = relation;
    select array_agg(a.attname::text order by k.place) into key
    from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = relation and i.indisprimary;
    select coalesce(array_agg(a.attname::text order by a.attnum), '{}') into columns
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
      and has_schema_privilege(c.relnamespace, 'usage') and has_column_privilege(relation, a.attnum, 'select');

    if coalesce(key, '{}') <> array(select jsonb_array_elements_text(named.said -> 'key')) then
      state := 'changed';
    elsif key is null then
      state := 'bare';
    elsif not key <@ columns then
      state := 'closed';
    elsif not row_security_active(relation) then
      state := 'open';
    else
      state := 'asked';
    end if;
    if state <> 'asked' then
      return next;
      continue;
    end if;

    select string_agg(format('$%s::text[]::%I.%I[]', k.place, n.nspname, t.typname), ', ' order by k.place),
      string_agg(format('k%s', k.place), ', ' order by k.place),
      string_agg(format('t.%I = k.k%s', a.attname, k.place), ' and ' order by k.place)
    into arrays, names, condition
    from unnest(key) with ordinality k (name, place)
    join pg_attribute a on a.attrelid = relation and a.attname = k.name
    join pg_type t on t.oid = a.atttypid join pg_namespace n on n.oid = t.typnamespace;
    begin
      execute (
        select format(
          'prepare _realtime_visible (%s, int[]) as select coalesce(array_agg(k.i), ''{}'')'
          ' from unnest(%s, $%s) as k (%s, i) join %I.%I t on %s',
          array_to_string(array_fill('text[]'::text, array[cardinality(key)]), ', '),
          arrays, cardinality(key) + 1, names, nspname, relname, condition
        )
        from pg_class join pg_namespace on pg_namespace.oid = relnamespace where pg_class.oid = relation
      );
    exception when others then
      state := 'fault';
      fault := format('%s: %s', sqlstate, sqlerrm);
    end;
    return next;
    continue when state = 'fault';

    state := null; secured := null; columns := null;
    select array_agg((
      select string_agg(quote_literal(literal), ', ' order by at)
      from jsonb_array_elements_text(each.value) with ordinality l (literal, at)
    ) order by each.ordinality) into sets
    from jsonb_array_elements(named.said -> 'sets') with ordinality as each;
    for one in
      select value ->> 0 as claims, (value ->> 1)::int as number, (ordinality - 1)::int as at
      from jsonb_array_elements(named.said -> 'asks') with ordinality
    loop
      part := one.at; visible := null; fault := null;
      begin
        perform set_config('role', named.said ->> 'role', true),
          set_config('request.jwt.claims', one.claims, true);
        execute 'execute _realtime_visible (' || sets[one.number + 1] || ')' into visible;
      exception when others then
        visible := null;
        fault := format('%s: %s', sqlstate, sqlerrm);
      end;
      return next;
    end loop;
    deallocate _realtime_visible;
  end loop;
  perform set_config('role', 'none', true);
end
$function$;
CREATE OR REPLACE FUNCTION realtime_private.keep_partitions(today date DEFAULT ((now() AT TIME ZONE 'utc'::text))::date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '3s'
AS $function$
declare
  day date;
  old record;
begin
  perform pg_advisory_xact_lock(hashtext('realtime.messages'));
  for day in select today + step from generate_series(-1, 3) as step loop
    if to_regclass('realtime.messages_' || to_char(day, 'YYYY_MM_DD')) is null then
      execute format(
        'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        'messages_' || to_char(day, 'YYYY_MM_DD'), day, day + 1
      );
      execute format('alter table realtime.%I enable row level security', 'messages_' || to_char(day, 'YYYY_MM_DD'));
    end if;
  end loop;
  for old in
    select relname from pg_catalog.pg_inherits join pg_catalog.pg_class on pg_class.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass and relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
    and to_date(right(relname, 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', old.relname);
  end loop;
  delete from realtime_private.bus_messages where inserted_at < now() - interval '1 minute';
end
$function$;
CREATE OR REPLACE FUNCTION realtime_private.tell()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('gateway_realtime', concat_ws(
    ' ', 'row', new.id, replace(new.inserted_at::text, ' ', 'T'), coalesce(new.private, false),
    case when octet_length(new.topic) < 7000 then new.topic end
  ));
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION storage.allow_any_operation(expected_operations text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN COALESCE((regexp_replace(storage.operation(), '^storage\.'::text, ''::text) = ANY (ARRAY(SELECT regexp_replace(wanted.wanted, '^storage\.'::text, ''::text) AS regexp_replace FROM unnest(allow_any_operation.expected_operations) wanted(wanted)))), false);
CREATE OR REPLACE FUNCTION storage.allow_only_operation(expected_operation text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN storage.allow_any_operation(ARRAY[expected_operation]);
CREATE OR REPLACE FUNCTION storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$function$;
CREATE OR REPLACE FUNCTION storage.enforce_bucket_name_length()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION storage.extension(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN split_part(split_part(name, '/'::text, '-1'::integer), '.'::text, '-1'::integer);
CREATE OR REPLACE FUNCTION storage.filename(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN split_part(name, '/'::text, '-1'::integer);
CREATE OR REPLACE FUNCTION storage.foldername(name text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN (string_to_array(name, '/'::text))[1:GREATEST((array_length(string_to_array(name, '/'::text), 1) - 1), 0)];
CREATE OR REPLACE FUNCTION storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN ((p_delimiter = ''::text) OR (POSITION((p_delimiter) IN (substr(p_key, (length(p_prefix) + 1)))) = 0)) THEN NULL::text ELSE "left"(p_key, (((length(p_prefix) + POSITION((p_delimiter) IN (substr(p_key, (length(p_prefix) + 1))))) + length(p_delimiter)) - 1)) END;
CREATE OR REPLACE FUNCTION storage.get_size_by_bucket()
 RETURNS TABLE(size bigint, bucket_id text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (sum(((objects.metadata ->> 'size'::text))::bigint))::bigint AS sum,
     objects.bucket_id
    FROM storage.objects
   GROUP BY objects.bucket_id;
END;
CREATE OR REPLACE FUNCTION storage.list_multipart_uploads_with_delimiter(bucket_id text, prefix_param text, delimiter_param text, max_keys integer DEFAULT 100, next_key_token text DEFAULT ''::text, next_upload_token text DEFAULT ''::text)
 RETURNS TABLE(key text, id text, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT entries.entry,
     entries.found_id,
     entries.moment
    FROM ( SELECT DISTINCT ON (COALESCE(storage.get_common_prefix(u.key, list_multipart_uploads_with_delimiter.prefix_param, list_multipart_uploads_with_delimiter.delimiter_param), ((u.key || '/'::text) || u.id))) COALESCE(storage.get_common_prefix(u.key, list_multipart_uploads_with_delimiter.prefix_param, list_multipart_uploads_with_delimiter.delimiter_param), u.key) AS entry,
             u.id AS found_id,
             u.created_at AS moment
            FROM storage.s3_multipart_uploads u
           WHERE ((u.bucket_id = list_multipart_uploads_with_delimiter.bucket_id) AND starts_with(u.key, list_multipart_uploads_with_delimiter.prefix_param) AND ((list_multipart_uploads_with_delimiter.next_key_token = ''::text) OR (ROW(u.key, u.id) > ROW((list_multipart_uploads_with_delimiter.next_key_token COLLATE "C"), list_multipart_uploads_with_delimiter.next_upload_token))))) entries
   ORDER BY (entries.entry COLLATE "C"), entries.found_id
  LIMIT list_multipart_uploads_with_delimiter.max_keys;
END;
CREATE OR REPLACE FUNCTION storage.list_objects_with_delimiter(_bucket_id text, prefix_param text, delimiter_param text, max_keys integer DEFAULT 100, start_after text DEFAULT ''::text, next_token text DEFAULT ''::text, sort_order text DEFAULT 'asc'::text)
 RETURNS TABLE(name text, id uuid, metadata jsonb, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  if delimiter_param <> '/' then
    raise invalid_parameter_value using message = 'the delimiter must be /';
  end if;
  return query
    select found.name, found.id, found.metadata, found.updated_at, found.created_at, found.last_accessed_at
    from storage.search_v2(
      prefix_param, _bucket_id, max_keys, 1, coalesce(nullif(next_token, ''), start_after), sort_order
    ) as found;
end
$function$;
CREATE OR REPLACE FUNCTION storage.operation()
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN NULLIF(current_setting('storage.operation'::text, true), ''::text);
CREATE OR REPLACE FUNCTION storage.prefix_end(prefix text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (prefix || '􏿿'::text);
CREATE OR REPLACE FUNCTION storage.protect_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), '') <> 'true' then
    raise insufficient_privilege using
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION storage.search(prefix text, bucketname text, limits integer DEFAULT 100, levels integer DEFAULT 1, offsets integer DEFAULT 0, search text DEFAULT ''::text, sortcolumn text DEFAULT 'name'::text, sortorder text DEFAULT 'asc'::text)
 RETURNS TABLE(name text, id uuid, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone, metadata jsonb)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
declare
  shown_after constant integer := length(coalesce(prefix, ''));
  wanted constant text := lower(coalesce(prefix, '') || coalesce(search, ''));
  in_folder constant text := repeat('_', length(wanted)) || '%/%';
  descending constant boolean := lower(coalesce(sortorder, 'asc')) = 'desc';
  most constant integer := least(coalesce(limits, 100), 1500);
  -- what is left lies between these two, and behind `beyond` where its lower case is that of the edge passed last
  low text := wanted;
  high text := storage.prefix_end(wanted);
  beyond text := '';
  skip integer := greatest(coalesce(offsets, 0), 0);
  given integer := 0;
  run integer := 1000;
  files integer;
  has_folder boolean;
  last text;
  folder text;
  object storage.objects;
  page refcursor;
begin
  if coalesce(sortcolumn, 'name') <> 'name' then
    return query select * from storage.search_by_timestamp(
      coalesce(prefix, ''), bucketname, most, skip, coalesce(search, ''), sortcolumn, sortorder
    );
    return;
  end if;

  -- A run of files is passed at once, up to the first folder in it. Where there is no folder, and no name like the last
  -- one in another case, the run need only be counted: that is the usual case, and three times as quick.
  while skip > 0 loop
    if beyond = '' then
      if descending then
        select count(*), min(key), coalesce(bool_or(key like in_folder), false) into files, last, has_folder from (
          select lower(o.name) collate "C" as key
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
          order by lower(o.name) collate "C" desc limit least(run, skip)
        ) as run_of_names;
      else
        select count(*), max(key), coalesce(bool_or(key like in_folder), false) into files, last, has_folder from (
          select lower(o.name) collate "C" as key
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
          order by lower(o.name) collate "C" limit least(run, skip)
        ) as run_of_names;
      end if;
      if files = 0 then
        return;
      end if;
      if not has_folder and (
        select count(*) = 1 from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" = last
      ) then
        skip := skip - files;
        run := run * 8;
        if descending then
          high := last;
        else
          low := last || chr(1);
        end if;
        continue;
      end if;
      run := least(run, 32);
    end if;
    if descending then
      select count(*) filter (where first is null or nth < first),
        (array_agg(found.name order by nth desc) filter (where first is null or nth < first))[1],
        max(found.name collate "C") filter (where nth = first)
      into files, last, folder
      from (
        select numbered.*, min(nth) filter (where is_folder) over () as first
        from (
          select o.name, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder,
            row_number() over (order by lower(o.name) collate "C" desc, o.name collate "C" desc) as nth
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
            and (lower(o.name) collate "C", o.name collate "C") < (high, beyond)
          order by lower(o.name) collate "C" desc, o.name collate "C" desc limit least(run, skip)
        ) as numbered
      ) as found;
    else
      select count(*) filter (where first is null or nth < first),
        (array_agg(found.name order by nth desc) filter (where first is null or nth < first))[1],
        max(found.name collate "C") filter (where nth = first)
      into files, last, folder
      from (
        select numbered.*, min(nth) filter (where is_folder) over () as first
        from (
          select o.name, position('/' in substr(o.name, length(wanted) + 1)) > 0 as is_folder,
            row_number() over (order by lower(o.name) collate "C", o.name collate "C") as nth
          from storage.objects as o
          where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" < high
            and (lower(o.name) collate "C", o.name collate "C") > (low, beyond)
          order by lower(o.name) collate "C", o.name collate "C" limit least(run, skip)
        ) as numbered
      ) as found;
    end if;
    if files = 0 and folder is null then
      return;
    end if;
    skip := skip - files;
    if folder is null then
      run := run * 4;
      beyond := last;
      last := lower(last);
    else
      skip := skip - 1;
      run := greatest(files, 8);
      beyond := '';
      last := storage.get_common_prefix(lower(folder), wanted, '/');
    end if;
    if descending then
      high := last;
    elsif folder is null then
      low := last;
    else
      low := storage.prefix_end(last);
    end if;
  end loop;

  while given < most loop
    folder := null;
    files := 0;
    if descending then
      open page for
        select o.* from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
          and (lower(o.name) collate "C", o.name collate "C") < (high, beyond)
        order by lower(o.name) collate "C" desc, o.name collate "C" desc limit most - given;
    else
      open page for
        select o.* from storage.objects as o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= low and lower(o.name) collate "C" <= high
          and (lower(o.name) collate "C", o.name collate "C") > (low, beyond)
        order by lower(o.name) collate "C", o.name collate "C" limit most - given;
    end if;
    loop
      fetch page into object;
      exit when not found;
      folder := storage.get_common_prefix(object.name, left(object.name, length(wanted)), '/');
      exit when folder is not null;
      files := files + 1;
      name := substr(object.name, shown_after + 1);
      id := object.id; updated_at := object.updated_at; created_at := object.created_at;
      last_accessed_at := object.last_accessed_at; metadata := object.metadata;
      return next;
    end loop;
    close page;
    exit when folder is null;
    given := given + files + 1;
    name := rtrim(substr(folder, shown_after + 1), '/');
    id := null; updated_at := null; created_at := null; last_accessed_at := null; metadata := null;
    return next;
    beyond := '';
    if descending then
      high := lower(folder);
    else
      low := storage.prefix_end(lower(folder));
    end if;
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION storage.search_by_timestamp(p_prefix text, p_bucket_id text, p_limit integer, p_offset integer, p_search text, p_sort_column text, p_sort_order text)
 RETURNS TABLE(name text, id uuid, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone, metadata jsonb)
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  full_prefix text := lower(p_prefix || p_search);
begin
  return query execute format(
    $q$
      with level as (
        select o.*, storage.get_common_prefix(o.name, left(o.name, length($2)), '/') as folder
        from storage.objects as o
        where o.bucket_id = $1 and lower(o.name) collate "C" >= $2 and lower(o.name) collate "C" < storage.prefix_end($2)
      ), entries as (
        select distinct on (lower(folder))
          0 as kind, rtrim(substr(folder, length($3) + 1), '/') as entry, lower(folder) collate "C" as position,
          null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
          null::timestamptz as last_accessed_at, null::jsonb as metadata, null::timestamptz as moment
        from level where folder is not null
        union all
        select 1, substr(level.name, length($3) + 1), lower(level.name) collate "C", level.id, level.updated_at,
          level.created_at, level.last_accessed_at, level.metadata, level.%1$I
        from level where folder is null
      )
      select entry, id, updated_at, created_at, last_accessed_at, metadata from entries
      order by kind, moment %2$s, position %2$s limit $4 offset $5
    $q$,
    case when p_sort_column in ('updated_at', 'created_at', 'last_accessed_at') then p_sort_column else 'created_at' end,
    case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end
  ) using p_bucket_id, full_prefix, p_prefix, p_limit, p_offset;
end
$function$;
CREATE OR REPLACE FUNCTION storage.search_v2(prefix text, bucket_name text, limits integer DEFAULT 100, levels integer DEFAULT 1, start_after text DEFAULT ''::text, sort_order text DEFAULT 'asc'::text, sort_column text DEFAULT 'name'::text, sort_column_after text DEFAULT ''::text)
 RETURNS TABLE(key text, name text, id uuid, updated_at timestamp with time zone, created_at timestamp with time zone, last_accessed_at timestamp with time zone, metadata jsonb)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
declare
  wanted constant text := coalesce(prefix, '');
  descending constant boolean := lower(coalesce(sort_order, 'asc')) = 'desc';
  most constant integer := least(coalesce(limits, 100), 1500);
  after constant text := coalesce(start_after, '');
  low text := coalesce(prefix, '');
  high text := storage.prefix_end(coalesce(prefix, ''));
  given integer := 0;
  folder text;
  files integer;
  object storage.objects;
begin
  if coalesce(sort_column, 'name') <> 'name' then
    return query execute format(
      $q$
        with level as (
          select o.*, storage.get_common_prefix(o.name, $2, '/') as folder, date_trunc('milliseconds', o.%1$I) as moment
          from storage.objects as o
          where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < storage.prefix_end($2)
        ), entries as (
          select distinct 0 as kind, rtrim(substr(folder, length($2) + 1), '/') as key, folder collate "C" as name,
            null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
            null::timestamptz as last_accessed_at, null::jsonb as metadata, null::timestamptz as moment
          from level where folder is not null
          union all
          select 1, substr(level.name, length($2) + 1), level.name collate "C", level.id, level.updated_at,
            level.created_at, level.last_accessed_at, level.metadata, moment
          from level where folder is null
        )
        select key, name, id, updated_at, created_at, last_accessed_at, metadata from entries
        where case
          when $3 = '' then true
          when $4 = '' then kind = 1 or name %3$s $3 collate "C"
          else kind = 1 and (moment, name) %3$s ($4::timestamptz, $3 collate "C")
        end
        order by kind, moment %2$s, name %2$s limit $5
      $q$,
      case when sort_column = 'updated_at' then 'updated_at' else 'created_at' end,
      case when descending then 'desc' else 'asc' end,
      case when descending then '<' else '>' end
    ) using bucket_name, wanted, after, coalesce(sort_column_after, ''), most;
    return;
  end if;

  if after <> '' and descending then
    high := least(high collate "C", after collate "C");
  elsif after <> '' then
    -- after a folder comes what is behind all that lies in it
    low := greatest(
      low collate "C", (case when right(after, 1) = '/' then storage.prefix_end(after) else after || chr(1) end) collate "C"
    );
  end if;
  while given < most loop
    folder := null;
    files := 0;
    for object in execute format(
      $q$
        select o.* from storage.objects as o
        where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $3
        order by o.name collate "C" %s limit $4
      $q$,
      case when descending then 'desc' else 'asc' end
    ) using bucket_name, low, high, most - given
    loop
      folder := storage.get_common_prefix(object.name, wanted, '/');
      exit when folder is not null;
      files := files + 1;
      key := substr(object.name, length(wanted) + 1); name := object.name;
      id := object.id; updated_at := object.updated_at; created_at := object.created_at;
      last_accessed_at := object.last_accessed_at; metadata := object.metadata;
      return next;
    end loop;
    exit when folder is null;
    given := given + files + 1;
    key := rtrim(substr(folder, length(wanted) + 1), '/'); name := folder;
    id := null; updated_at := null; created_at := null; last_accessed_at := null; metadata := null;
    return next;
    if descending then
      high := folder;
    else
      low := storage.prefix_end(folder);
    end if;
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION storage.update_updated_at_column()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at = now();
  return new;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.clean_session()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  prepared name;
begin
  -- the application may know what `random()` gives after its own `setseed`
  perform pg_catalog.pg_advisory_unlock_all(),
    pg_catalog.setseed(pg_catalog.hashtext(pg_catalog.gen_random_uuid()::text) / 2147483648::double precision);
  discard sequences;
  for prepared in select s.name from pg_catalog.pg_prepared_statements as s where s.from_sql loop
    execute pg_catalog.format('deallocate %I', prepared);
  end loop;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.let_go()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into storage_private.trash (version)
  select distinct old.version where old.version is not null on conflict do nothing;
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.probe_insert(_bucket_id text, _name text, _owner uuid, _owner_id text, _metadata jsonb, _user_metadata jsonb, _upsert boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if _upsert then
    insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
    values (_bucket_id, _name, _owner, _owner_id, _metadata, _user_metadata, '1')
    on conflict (bucket_id, name) do update set
      owner = excluded.owner, owner_id = excluded.owner_id, metadata = excluded.metadata,
      user_metadata = excluded.user_metadata, version = excluded.version;
  else
    insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
    values (_bucket_id, _name, _owner, _owner_id, _metadata, _user_metadata, '1');
  end if;
  raise sqlstate 'PT200';
exception
  when sqlstate 'PT200' then
    perform storage_private.clean_session();
  when others or query_canceled or assert_failure then
    perform storage_private.clean_session();
    raise;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.probe_move(_from_bucket text, _from text, _to_bucket text, _to text, _owner uuid, _owner_id text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  moved boolean;
begin
  update storage.objects set bucket_id = _to_bucket, name = _to, version = '1', owner = _owner, owner_id = _owner_id
  where bucket_id = _from_bucket and name = _from;
  moved := found;
  raise sqlstate 'PT200';
exception when sqlstate 'PT200' then
  return moved;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.tell_of_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  changed text;
begin
  if tg_table_name = 'objects' and tg_op <> 'TRUNCATE' then
    if not exists (select from before_change) then
      return null;
    end if;
    if not exists (select from before_change offset 50) then
      select pg_catalog.json_agg(pg_catalog.json_build_array(bucket_id, name))::text into changed from before_change;
    end if;
    if changed is null or pg_catalog.octet_length(changed) > 7000 then
      changed := '*';
    end if;
  else
    changed := '*';
  end if;
  perform pg_catalog.pg_notify('storage_rows', changed);
  return null;
end
$function$;
CREATE OR REPLACE FUNCTION storage_private.write_object(_caller text, _bucket_id text, _name text, _owner uuid, _owner_id text, _asked jsonb, _user_metadata jsonb, _version text, _metadata jsonb, _upsert boolean)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  writer constant name := current_user;
  written uuid;
begin
  perform set_config('role', _caller, true);
  if row_security_active('storage.objects') or not (
    has_table_privilege('storage.objects', 'select') and has_table_privilege('storage.objects', 'insert')
    and has_table_privilege('storage.objects', 'update')
  ) then
    perform storage_private.probe_insert(_bucket_id, _name, _owner, _owner_id, _asked, _user_metadata, _upsert);
  end if;
  perform set_config('role', writer, true);
  if _upsert then
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    on conflict (bucket_id, name) do nothing
    returning id into written;
    if written is null then
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
      on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
        version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata
      returning id into written;
    end if;
  else
    insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (_bucket_id, _name, _owner, _owner_id, _version, _metadata, _user_metadata)
    returning id into written;
  end if;
  return written;
end
$function$;
CREATE OR REPLACE FUNCTION supabase_functions.http_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'supabase_functions', 'pg_temp'
AS $function$
declare
  request_id bigint;
  payload jsonb;
  url text := tg_argv[0]::text;
  method text := tg_argv[1]::text;
  headers jsonb := '{}';
  params jsonb := '{}';
  timeout_ms integer := 1000;
begin
  if url is null or url = 'null' then
    raise exception 'url argument is missing';
  end if;
  if method is null or method = 'null' then
    raise exception 'method argument is missing';
  end if;
  if tg_argv[2] is null or tg_argv[2] = 'null' then
    headers := '{"Content-Type": "application/json"}';
  else
    headers := tg_argv[2]::jsonb;
  end if;
  if tg_argv[3] is not null and tg_argv[3] <> 'null' then
    params := tg_argv[3]::jsonb;
  end if;
  if tg_argv[4] is not null and tg_argv[4] <> 'null' then
    timeout_ms := tg_argv[4]::integer;
  end if;
  case
    when method = 'GET' then
      payload := null;
    when method = 'POST' then
      payload := jsonb_build_object(
        'old_record', case when tg_op <> 'INSERT' then to_jsonb(old) end,
        'record', case when tg_op <> 'DELETE' then to_jsonb(new) end,
        'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema
      );
    else
      raise exception 'method argument % is invalid', method;
  end case;
  request_id := jobs.enqueue_hook(url, method, headers, params, timeout_ms, payload);
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid, tg_name, request_id);
  return new;
end
$function$;

-- triggers

CREATE TRIGGER audit_log_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON auth.audit_log_entries FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_audit_change();
CREATE TRIGGER blank_auth_mail BEFORE UPDATE OF status ON jobs.procrastinate_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['succeeded'::jobs.procrastinate_job_status, 'failed'::jobs.procrastinate_job_status, 'cancelled'::jobs.procrastinate_job_status, 'aborted'::jobs.procrastinate_job_status])) AND ((new.task_name)::text = 'mail.send'::text) AND ((new.args #>> '{mail,kind}'::text[]) ~~ 'auth.%'::text))) EXECUTE FUNCTION jobs.blank_auth_mail();
CREATE TRIGGER blog_posts_end_schedule BEFORE INSERT OR UPDATE ON public.blog_posts FOR EACH ROW WHEN ((new.publish_at IS NOT NULL)) EXECUTE FUNCTION private.end_schedule();
CREATE TRIGGER blog_posts_keep_revision AFTER UPDATE ON public.blog_posts FOR EACH ROW WHEN (((((((((((old.title IS DISTINCT FROM new.title) OR (old.slug IS DISTINCT FROM new.slug)) OR (old.excerpt IS DISTINCT FROM new.excerpt)) OR ((old.content)::text IS DISTINCT FROM (new.content)::text)) OR (old.featured_image_url IS DISTINCT FROM new.featured_image_url)) OR (old.author_name IS DISTINCT FROM new.author_name)) OR (old.tags IS DISTINCT FROM new.tags)) OR (old.reading_time_minutes IS DISTINCT FROM new.reading_time_minutes)) OR (old.meta_title IS DISTINCT FROM new.meta_title)) OR (old.meta_description IS DISTINCT FROM new.meta_description))) EXECUTE FUNCTION private.keep_revision();
CREATE TRIGGER blog_posts_keep_slug AFTER INSERT OR UPDATE OF slug, published ON public.blog_posts FOR EACH ROW EXECUTE FUNCTION private.keep_slug();
CREATE TRIGGER blog_posts_touch BEFORE UPDATE ON public.blog_posts FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();
CREATE TRIGGER contact_messages_count AFTER INSERT ON public.contact_messages REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_leads('contact');
CREATE TRIGGER contact_messages_handled BEFORE INSERT OR UPDATE ON public.contact_messages FOR EACH ROW EXECUTE FUNCTION private.stamp_handled();
CREATE TRIGGER contact_messages_touch BEFORE UPDATE ON public.contact_messages FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();
CREATE TRIGGER enforce_bucket_name_length_trigger BEFORE INSERT OR UPDATE OF name ON storage.buckets FOR EACH ROW EXECUTE FUNCTION storage.enforce_bucket_name_length();
CREATE TRIGGER lead_audit_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON private.lead_audit FOR EACH STATEMENT EXECUTE FUNCTION private.keep_audit();
CREATE TRIGGER let_go_of_deleted AFTER DELETE ON storage.objects FOR EACH ROW WHEN ((old.version IS NOT NULL)) EXECUTE FUNCTION storage_private.let_go();
CREATE TRIGGER let_go_of_deleted AFTER DELETE ON storage.s3_multipart_uploads_parts FOR EACH ROW EXECUTE FUNCTION storage_private.let_go();
CREATE TRIGGER let_go_of_deleted AFTER DELETE ON storage_private.tus_parts FOR EACH ROW EXECUTE FUNCTION storage_private.let_go();
CREATE TRIGGER let_go_of_replaced AFTER UPDATE OF version ON storage.objects FOR EACH ROW WHEN (((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version))) EXECUTE FUNCTION storage_private.let_go();
CREATE TRIGGER mail_attempts_count AFTER INSERT ON jobs.mail_attempts FOR EACH ROW EXECUTE FUNCTION gateway.count_mail_attempt();
CREATE TRIGGER newsletter_subscriptions_count AFTER INSERT ON public.newsletter_subscriptions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_leads('newsletter');
CREATE TRIGGER newsletter_subscriptions_handled BEFORE INSERT OR UPDATE ON public.newsletter_subscriptions FOR EACH ROW EXECUTE FUNCTION private.stamp_handled();
CREATE TRIGGER newsletter_subscriptions_touch BEFORE UPDATE ON public.newsletter_subscriptions FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();
CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1 AFTER UPDATE OF abort_requested ON jobs.procrastinate_jobs FOR EACH ROW WHEN (((old.abort_requested = false) AND (new.abort_requested = true) AND (new.status = 'doing'::jobs.procrastinate_job_status))) EXECUTE FUNCTION jobs.procrastinate_notify_queue_abort_job_v1();
CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1 AFTER INSERT ON jobs.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::jobs.procrastinate_job_status)) EXECUTE FUNCTION jobs.procrastinate_notify_queue_job_inserted_v1();
CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1 AFTER UPDATE OF abort_requested ON jobs.procrastinate_jobs FOR EACH ROW WHEN ((new.abort_requested = true)) EXECUTE FUNCTION jobs.procrastinate_trigger_abort_requested_events_procedure_v1();
CREATE TRIGGER procrastinate_trigger_delete_jobs_v1 BEFORE DELETE ON jobs.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION jobs.procrastinate_unlink_periodic_defers_v1();
CREATE TRIGGER procrastinate_trigger_scheduled_events_v1 AFTER INSERT OR UPDATE ON jobs.procrastinate_jobs FOR EACH ROW WHEN (((new.scheduled_at IS NOT NULL) AND (new.status = 'todo'::jobs.procrastinate_job_status))) EXECUTE FUNCTION jobs.procrastinate_trigger_function_scheduled_events_v1();
CREATE TRIGGER procrastinate_trigger_status_events_insert_v1 AFTER INSERT ON jobs.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::jobs.procrastinate_job_status)) EXECUTE FUNCTION jobs.procrastinate_trigger_function_status_events_insert_v1();
CREATE TRIGGER procrastinate_trigger_status_events_update_v1 AFTER UPDATE OF status ON jobs.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION jobs.procrastinate_trigger_function_status_events_update_v1();
CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
CREATE TRIGGER protect_buckets_truncate BEFORE TRUNCATE ON storage.buckets FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
CREATE TRIGGER protect_objects_delete BEFORE DELETE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
CREATE TRIGGER protect_objects_truncate BEFORE TRUNCATE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
CREATE TRIGGER quote_requests_count AFTER INSERT ON public.quote_requests REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.count_leads('quote');
CREATE TRIGGER quote_requests_handled BEFORE INSERT OR UPDATE ON public.quote_requests FOR EACH ROW EXECUTE FUNCTION private.stamp_handled();
CREATE TRIGGER quote_requests_touch BEFORE UPDATE ON public.quote_requests FOR EACH ROW EXECUTE FUNCTION private.touch_updated_at();
CREATE TRIGGER tell AFTER INSERT ON realtime.messages FOR EACH ROW WHEN ((new.extension = 'broadcast'::text)) EXECUTE FUNCTION realtime_private.tell();
CREATE TRIGGER tell_of_changes AFTER DELETE OR UPDATE OR TRUNCATE ON storage.buckets FOR EACH STATEMENT EXECUTE FUNCTION storage_private.tell_of_changes();
CREATE TRIGGER tell_of_deletes AFTER DELETE ON storage.objects REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION storage_private.tell_of_changes();
CREATE TRIGGER tell_of_truncation AFTER TRUNCATE ON storage.objects FOR EACH STATEMENT EXECUTE FUNCTION storage_private.tell_of_changes();
CREATE TRIGGER tell_of_updates AFTER UPDATE ON storage.objects REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION storage_private.tell_of_changes();
CREATE TRIGGER tr_check_filters BEFORE INSERT OR UPDATE ON realtime.subscription FOR EACH ROW EXECUTE FUNCTION realtime.subscription_check_filters();
CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();
create event trigger gateway_event_functions on ddl_command_end execute function gateway.keep_event_functions(); alter event trigger gateway_event_functions enable always;
create event trigger gateway_extension_made on ddl_command_end execute function extensions.issue_extension_access();
create event trigger gateway_extension_starts on ddl_command_start execute function extensions.issue_extension_access();
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch(); alter event trigger pgrst_ddl_watch enable always;
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch(); alter event trigger pgrst_drop_watch enable always;

-- policies

create policy blog_post_revisions_admin on public.blog_post_revisions as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy blog_post_revisions_service on public.blog_post_revisions as permissive for all to service_role using true with check true;
create policy blog_post_slugs_admin on public.blog_post_slugs as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy blog_post_slugs_read_published on public.blog_post_slugs as permissive for select to anon, authenticated using (EXISTS ( SELECT
   FROM public.blog_posts
  WHERE ((blog_posts.id = blog_post_slugs.post_id) AND blog_posts.published AND ((blog_posts.publish_at IS NULL) OR (blog_posts.publish_at <= now())))));
create policy blog_post_slugs_service on public.blog_post_slugs as permissive for all to service_role using true with check true;
create policy blog_posts_admin on public.blog_posts as permissive for all to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy blog_posts_read_published on public.blog_posts as permissive for select to anon, authenticated using (published AND ((publish_at IS NULL) OR (publish_at <= now())));
create policy blog_posts_service on public.blog_posts as permissive for all to service_role using true with check true;
create policy contact_messages_admin_read on public.contact_messages as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy contact_messages_admin_update on public.contact_messages as permissive for update to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy contact_messages_service on public.contact_messages as permissive for all to service_role using true with check true;
create policy newsletter_subscriptions_admin_read on public.newsletter_subscriptions as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy newsletter_subscriptions_admin_update on public.newsletter_subscriptions as permissive for update to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy newsletter_subscriptions_service on public.newsletter_subscriptions as permissive for all to service_role using true with check true;
create policy post_previews_admin on public.post_previews as permissive for all to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy post_previews_service on public.post_previews as permissive for all to service_role using true with check true;
create policy quarantine_admin_read on public.quarantine as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy quarantine_admin_update on public.quarantine as permissive for update to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy quarantine_service on public.quarantine as permissive for all to service_role using true with check true;
create policy quote_requests_admin_read on public.quote_requests as permissive for select to authenticated using ( SELECT private.is_admin() AS is_admin);
create policy quote_requests_admin_update on public.quote_requests as permissive for update to authenticated using ( SELECT private.is_admin() AS is_admin) with check ( SELECT private.is_admin() AS is_admin);
create policy quote_requests_service on public.quote_requests as permissive for all to service_role using true with check true;
create policy user_roles_read_own on public.user_roles as permissive for select to authenticated using (user_id = ( SELECT auth.uid() AS uid));
create policy user_roles_service on public.user_roles as permissive for all to service_role using true with check true;
create policy pictures_admin_delete on storage.objects as permissive for delete to authenticated using ((bucket_id = 'pictures'::text) AND ( SELECT private.is_admin() AS is_admin));
create policy pictures_admin_insert on storage.objects as permissive for insert to authenticated with check ((bucket_id = 'pictures'::text) AND ( SELECT private.is_admin() AS is_admin));
create policy pictures_admin_select on storage.objects as permissive for select to authenticated using ((bucket_id = 'pictures'::text) AND ( SELECT private.is_admin() AS is_admin));
create policy pictures_admin_update on storage.objects as permissive for update to authenticated using ((bucket_id = 'pictures'::text) AND ( SELECT private.is_admin() AS is_admin)) with check ((bucket_id = 'pictures'::text) AND ( SELECT private.is_admin() AS is_admin));

-- grants

grant execute on function auth.email() to public;
grant execute on function auth.jwt() to public;
grant execute on function auth.role() to public;
grant execute on function auth.uid() to public;
grant execute on function extensions.pgrst_ddl_watch() to public;
grant execute on function extensions.pgrst_drop_watch() to public;
grant execute on function gateway.alarms() to supabase_auth_admin;
grant execute on function gateway.console_account(text) to supabase_auth_admin;
grant execute on function gateway.console_account_sealed(text,uuid,text,text) to supabase_auth_admin;
grant execute on function gateway.console_actions(text,integer) to supabase_auth_admin;
grant execute on function gateway.console_enter(text,timestamp with time zone,bytea,text,boolean,text,text,interval) to supabase_auth_admin;
grant execute on function gateway.console_leave(bytea) to supabase_auth_admin;
grant execute on function gateway.console_note(uuid,text,text,text,text) to supabase_auth_admin;
grant execute on function gateway.console_noted(bigint,integer,jsonb) to supabase_auth_admin;
grant execute on function gateway.console_session(bytea) to supabase_auth_admin;
grant execute on function gateway.console_session_of(bytea,text,uuid) to supabase_auth_admin;
grant execute on function gateway.console_trail(bigint,integer) to supabase_auth_admin;
grant execute on function gateway.forget_job(bigint) to supabase_auth_admin;
grant execute on function gateway.metrics() to supabase_auth_admin;
grant execute on function gateway.note_sight(timestamp with time zone,text,bigint,bigint,bigint[],integer,bigint,bigint) to supabase_auth_admin;
grant execute on function gateway.queue(text,bigint,integer) to supabase_auth_admin;
grant execute on function gateway.reset_session(double precision,boolean) to authenticator;
grant execute on function gateway.reset_session(double precision,boolean) to supabase_auth_admin;
grant execute on function gateway.reset_session(double precision,boolean) to supabase_realtime_admin;
grant execute on function gateway.reset_session(double precision,boolean) to supabase_storage_admin;
grant execute on function gateway.retry_job(bigint) to supabase_auth_admin;
grant execute on function gateway.sight_between(timestamp with time zone,timestamp with time zone) to supabase_auth_admin;
grant execute on function graphql_public.graphql(text,text,jsonb,jsonb) to anon;
grant execute on function graphql_public.graphql(text,text,jsonb,jsonb) to authenticated;
grant execute on function graphql_public.graphql(text,text,jsonb,jsonb) to service_role;
grant execute on function jobs.call_function_now(text,jsonb) to supabase_auth_admin;
grant execute on function jobs.enqueue_hook(text,text,jsonb,jsonb,integer,jsonb) to supabase_functions_admin;
grant execute on function jobs.enqueue_mail(jsonb,integer,timestamp with time zone,text) to service_role;
grant execute on function jobs.enqueue_mail(jsonb,integer,timestamp with time zone,text) to supabase_auth_admin;
grant execute on function jobs.retry_function_call(bigint) to supabase_auth_admin;
grant execute on function jobs.troubles() to supabase_auth_admin;
grant execute on function jobs.troubles_of_calls() to supabase_auth_admin;
grant execute on function private.are_tags(text[]) to authenticated;
grant execute on function private.are_tags(text[]) to service_role;
grant execute on function private.is_admin() to authenticated;
grant execute on function private.is_admin() to service_role;
grant execute on function public.list_articles(text,text,integer,integer) to anon;
grant execute on function public.list_articles(text,text,integer,integer) to authenticated;
grant execute on function public.list_articles(text,text,integer,integer) to service_role;
grant execute on function public.list_pictures(text) to authenticated;
grant execute on function public.list_pictures(text) to service_role;
grant execute on function public.list_topics() to anon;
grant execute on function public.list_topics() to authenticated;
grant execute on function public.list_topics() to service_role;
grant execute on function public.preview_post(uuid) to anon;
grant execute on function public.preview_post(uuid) to authenticated;
grant execute on function public.preview_post(uuid) to service_role;
grant execute on function public.quarantine_lead(text,jsonb,text,text,text) to service_role;
grant execute on function public.submit_lead(text,jsonb,jsonb,text,text,jsonb) to service_role;
grant execute on function realtime.broadcast_changes(text,text,text,text,text,record,record,text) to public;
grant execute on function realtime.send(jsonb,text,text,boolean) to public;
grant execute on function realtime.send_binary(bytea,text,text,boolean) to public;
grant execute on function realtime.topic() to public;
grant execute on function realtime.visible_changes(jsonb,bigint[]) to authenticator;
grant execute on function realtime.visible_changes(jsonb,bigint[]) to service_role;
grant execute on function realtime.visible_changes(jsonb,bigint[]) to supabase_realtime_admin;
grant execute on function storage.allow_any_operation(text[]) to public;
grant execute on function storage.allow_only_operation(text) to public;
grant execute on function storage.can_insert_object(text,text,uuid,jsonb) to public;
grant execute on function storage.extension(text) to public;
grant execute on function storage.filename(text) to public;
grant execute on function storage.foldername(text) to public;
grant execute on function storage.get_common_prefix(text,text,text) to public;
grant execute on function storage.get_size_by_bucket() to public;
grant execute on function storage.list_multipart_uploads_with_delimiter(text,text,text,integer,text,text) to public;
grant execute on function storage.list_objects_with_delimiter(text,text,text,integer,text,text,text) to public;
grant execute on function storage.operation() to public;
grant execute on function storage.prefix_end(text) to public;
grant execute on function storage.search(text,text,integer,integer,integer,text,text,text) to public;
grant execute on function storage.search_by_timestamp(text,text,integer,integer,text,text,text) to public;
grant execute on function storage.search_v2(text,text,integer,integer,text,text,text,text) to public;
grant execute on function storage_private.clean_session() to public;
grant execute on function storage_private.probe_insert(text,text,uuid,text,jsonb,jsonb,boolean) to public;
grant execute on function storage_private.probe_move(text,text,text,text,uuid,text) to public;
grant execute on function supabase_functions.http_request() to anon;
grant execute on function supabase_functions.http_request() to authenticated;
grant execute on function supabase_functions.http_request() to service_role;
grant select on public.blog_post_revisions to authenticated;
grant all on public.blog_post_revisions to service_role;
grant select on public.blog_post_slugs to anon;
grant select on public.blog_post_slugs to authenticated;
grant all on public.blog_post_slugs to service_role;
grant select on public.blog_posts to anon;
grant delete, select on public.blog_posts to authenticated;
grant insert (id, title, slug, excerpt, content, featured_image_url, author_name, tags, published, published_at, reading_time_minutes, meta_title, meta_description, publish_at), update (title, slug, excerpt, content, featured_image_url, author_name, tags, published, published_at, reading_time_minutes, meta_title, meta_description, publish_at) on public.blog_posts to authenticated;
grant all on public.blog_posts to service_role;
grant select on public.contact_messages to authenticated;
grant update (status) on public.contact_messages to authenticated;
grant all on public.contact_messages to service_role;
grant select on public.newsletter_subscriptions to authenticated;
grant update (status) on public.newsletter_subscriptions to authenticated;
grant all on public.newsletter_subscriptions to service_role;
grant delete, select on public.post_previews to authenticated;
grant insert (token, post_id) on public.post_previews to authenticated;
grant all on public.post_previews to service_role;
grant select on public.quarantine to authenticated;
grant update (released_at) on public.quarantine to authenticated;
grant all on public.quarantine to service_role;
grant select on public.quote_requests to authenticated;
grant update (status) on public.quote_requests to authenticated;
grant all on public.quote_requests to service_role;
grant select on public.user_roles to authenticated;
grant all on public.user_roles to service_role;
grant insert, select, update on realtime.messages to anon;
grant insert, select, update on realtime.messages to authenticated;
grant insert, select, update on realtime.messages to service_role;
grant all on realtime.schema_migrations to dashboard_user;
grant select on realtime.subscription to anon;
grant select on realtime.subscription to authenticated;
grant all on realtime.subscription to dashboard_user;
grant select on realtime.subscription to service_role;
grant usage on schema auth to anon;
grant usage on schema auth to authenticated;
grant usage on schema auth to dashboard_user;
grant usage on schema auth to service_role;
grant usage on schema extensions to anon;
grant usage on schema extensions to authenticated;
grant usage on schema extensions to dashboard_user;
grant usage on schema extensions to public;
grant usage on schema extensions to service_role;
grant usage on schema gateway to authenticator;
grant usage on schema graphql to anon;
grant usage on schema graphql to authenticated;
grant usage on schema graphql to service_role;
grant usage on schema graphql_public to anon;
grant usage on schema graphql_public to authenticated;
grant usage on schema graphql_public to service_role;
grant usage on schema jobs to service_role;
grant usage on schema private to anon;
grant usage on schema private to authenticated;
grant usage on schema private to service_role;
grant usage on schema public to anon;
grant usage on schema public to authenticated;
grant usage on schema public to public;
grant usage on schema public to service_role;
grant usage on schema realtime to anon;
grant usage on schema realtime to authenticated;
grant usage on schema realtime to authenticator;
grant usage on schema realtime to service_role;
grant usage on schema storage to anon;
grant usage on schema storage to authenticated;
grant usage on schema storage to dashboard_user;
grant usage on schema storage to service_role;
grant usage on schema storage_private to public;
grant usage on schema supabase_functions to anon;
grant usage on schema supabase_functions to authenticated;
grant usage on schema supabase_functions to service_role;
grant usage on schema vault to service_role;
grant all on sequence realtime.subscription_id_seq to dashboard_user;
grant delete, insert, select, update on storage.buckets to anon;
grant delete, insert, select, update on storage.buckets to authenticated;
grant delete, insert, select, update on storage.buckets to service_role;
grant delete, insert, select, update on storage.objects to anon;
grant delete, insert, select, update on storage.objects to authenticated;
grant delete, insert, select, update on storage.objects to service_role;
grant select on storage.s3_multipart_uploads to anon;
grant select on storage.s3_multipart_uploads to authenticated;
grant delete, insert, select, update on storage.s3_multipart_uploads to service_role;
grant select on storage.s3_multipart_uploads_parts to anon;
grant select on storage.s3_multipart_uploads_parts to authenticated;
grant delete, insert, select, update on storage.s3_multipart_uploads_parts to service_role;

-- default privileges

alter default privileges grant execute on functions to their owner alone;
alter default privileges in schema extensions grant execute on functions to public;
alter default privileges in schema public grant all on sequences to service_role;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant execute on functions to service_role;

-- comments

comment on table auth.audit_log_entries is 'Who did what to which account';
comment on function auth.email() is 'The e-mail address in the request''s token';
comment on table auth.flow_state is 'Sign-ins that were begun with a code challenge or at a provider';
comment on table auth.identities is 'Ways of signing in that belong to a user';
comment on function auth.jwt() is 'All claims of the request''s token';
comment on table auth.mfa_amr_claims is 'How the person of a session proved who they are';
comment on table auth.mfa_challenges is 'Questions put to a second factor';
comment on table auth.mfa_factors is 'Second factors of users';
comment on table auth.one_time_tokens is 'Hashes of the codes and links that were mailed';
comment on table auth.refresh_tokens is 'Each token works once; parent is the token it replaced';
comment on column auth.refresh_tokens.user_id is 'The id of the user as text';
comment on function auth.role() is 'The role the request runs as';
comment on table auth.schema_migrations is 'Versions of the hosted schema that this one has the shape of';
comment on table auth.sessions is 'One row for each sign-in that has not ended';
comment on column auth.sessions.not_after is 'The session has ended at this time even if it is refreshed';
comment on column auth.sessions.refreshed_at is 'UTC, without a zone';
comment on function auth.uid() is 'The id of the signed-in user, null for everyone else';
comment on table auth.users is 'People who can sign in';
comment on column auth.users.is_sso_user is 'Accounts that come from single sign-on may share an e-mail address';
comment on function gateway.address_in(text,text[]) is 'Whether a text has one of these addresses';
comment on function gateway.alarms() is 'What of the application whoever runs the gateway has to be told of: a kind, what it is about, a sentence';
comment on table gateway.api_key_uses is 'Last use of each API key, to the minute; ids as in `gateway keys list`';
comment on table gateway.application_migrations is 'Migrations of the application applied to this database; no API role reads it';
comment on function gateway.call_function() is 'Trigger: calls the function of its argument with the row, after the commit';
comment on table gateway.closed_functions is 'Roles whose functions are closed again once an extension is made';
comment on table gateway.console_accounts is 'Accounts of the console; `mark` names the secret that the hash is sealed with, `stamp` is new with each password';
comment on table gateway.console_audit is 'Each change that was asked for in the console: by whom, of what, its answer, the values before and after';
comment on table gateway.console_codes is 'One-time codes that were used and would else still hold';
comment on table gateway.console_sessions is 'Who has signed in to the console; the digest is of the cookie';
comment on function gateway.count_up(text,jsonb,bigint) is 'Counts what has happened';
comment on function gateway.email_digest(text) is 'What stands for an e-mail address in lists that name nobody';
comment on function gateway.erase_again() is 'Erases everyone on the list once more, as is due after a restore';
comment on function gateway.erase_digests(text[],boolean) is 'Removes people by the digests of their addresses; how many rows of each kind';
comment on function gateway.erase_from_audit(text[]) is 'Takes people out of the audit log; how many rows named them';
comment on function gateway.erase_from_console_audit(text[]) is 'Takes what names people out of the console''s audit log, who did what and when stays; how many rows named them';
comment on function gateway.erase_from_function_calls(text[]) is 'Takes what names people out of the stored calls of functions; how many named them';
comment on function gateway.erase_person(text) is 'Removes a person and remembers it; how many rows of each kind';
comment on table gateway.erasures is 'Digests of erased e-mail addresses: after a restore gateway.erase_again() removes them once more';
comment on function gateway.forget(text,integer,integer) is 'Removes what is older than so many days of a kind; how many rows, `most` of each table at once';
comment on function gateway.hook(text,regprocedure) is 'Has the gateway call a function at an event';
comment on function gateway.hooked(text) is 'Names of the functions to call at an event';
comment on table gateway.hooks is 'Functions of the application that the gateway calls; see gateway.hook()';
comment on function gateway.keep_roles_in(regclass) is 'Says which table has the roles of accounts';
comment on table gateway.maintenance is 'Why no writes are taken: by an operator or for a restore, which leaves it to an operator where it stays';
comment on function gateway.metrics() is 'Rows of the admin port''s metrics: a name, labels, a value; …_total only grows';
comment on table gateway.migrations is 'Migrations applied to this database; no API role reads it';
comment on function gateway.names_one_of(jsonb,text[]) is 'Whether a member of a document is one of these addresses';
comment on function gateway.off_change(regclass,text) is 'Call the function no more for this table';
comment on function gateway.on_change(regclass,text,text[]) is 'Have a function called with each row that is inserted, updated or deleted, after the commit';
comment on table gateway.project_steps is 'Steps of a project''s first start that are done; `gateway db reset` begins anew';
comment on function gateway.reset_session(double precision,boolean) is 'Takes away what a request may have left in its session; with the second, also what was prepared by SQL';
comment on function gateway.retain(text,regprocedure,integer) is 'Has a function remove what is older than so many days; without days only where a setting names some';
comment on table gateway.retention is 'What is kept for a time only, and what removes it; see gateway.retain()';
comment on table gateway.roles_table is 'The application''s table of the roles of accounts; see gateway.keep_roles_in()';
comment on table gateway.sight is 'Requests, errors and times of each gateway by the minute, for a day';
comment on table gateway.tallies is 'How often something has happened since the beginning; see gateway.metrics()';
comment on table gateway.throttle is 'Rate limits of the auth API';
comment on function jobs.blank_auth_mail() is 'Takes the words, and with them the link, out of an auth mail that is done with';
comment on function jobs.enqueue_mail(jsonb,integer,timestamp with time zone,text) is 'Queues {to, subject, text, html, reply_to, headers, kind}; the id of its job. A lock already queued is not queued twice';
comment on table jobs.function_calls is 'Each call that is made later, what became of it, and how often it was tried';
comment on column jobs.function_calls.target is 'Name of a function; the address where the source is hook';
comment on table jobs.function_schedules is 'Schedules as the job worker found them, and which of them somebody paused';
comment on table jobs.mail_attempts is 'What the mail server said at each attempt';
comment on function jobs.resend_mail(bigint) is 'Sends a mail again: what waits or failed at once, what was sent as a copy';
comment on function jobs.troubles() is 'What is wrong with mails and job workers: a kind, what it is about, a sentence';
comment on function private.are_tags(text[]) is 'Whether no tag is null, blank, padded, too long or there twice';
comment on function private.end_schedule() is 'Trigger: a time to appear at holds only as long as it is the time of publishing';
comment on function private.erase_leads(text[],jsonb,boolean) is 'Removes people from leads and quarantine by the digests of their addresses, and notes it';
comment on function private.forget_previews(integer,integer) is 'Removes preview links that expired so many days ago';
comment on function private.inet_of(text) is 'An address, or null where the text is none';
comment on function private.is_admin() is 'Whether the signed-in user is an administrator';
comment on function private.is_held(text,text) is 'Whether this submission was held before';
comment on function private.is_stored(text,text) is 'Whether this submission has been stored before';
comment on function private.keep_revision() is 'Trigger: keeps the version that an update replaced';
comment on function private.keep_slug() is 'Trigger: remembers the public addresses an article had';
comment on function private.lead_alarms() is 'Leads that are held for a flood, by form';
comment on table private.lead_audit is 'Who released, erased or exported leads; names nobody who was erased';
comment on table private.lead_counters is 'Submissions left to an address, an e-mail or a form, as of a time';
comment on column private.lead_counters.subject is 'Digest of the address or e-mail: nobody can be read out of it';
comment on table private.lead_limits is 'How many submissions a form takes at once, and how many more each hour: from one address, one e-mail, altogether, and how many above that it holds in quarantine';
comment on function private.lead_metrics() is 'Numbers of leads beside their tallies: forms without any, and quarantine';
comment on function private.lead_tokens(private.lead_counters,private.lead_limits,timestamp with time zone) is 'Submissions that a counter has left at a moment, which may lie before the counter''s own';
comment on function private.release_lead(uuid,jsonb,jsonb) is 'Stores a quarantined submission with its original time; null where the subscriber was there already';
comment on function private.sender_wait(text,text,text) is 'Counts a submission against its sender; 0, or the seconds the sender has to wait';
comment on function private.stamp_handled() is 'Trigger: handled_at says since when status is handled';
comment on function private.store_lead(text,jsonb,text,timestamp with time zone) is 'The id of the new row, or null where this submission or this subscriber is already there';
comment on function private.take_lead_token(text,text,text) is 'Counts one submission; 0, or the seconds to wait where there are too many';
comment on function private.touch_updated_at() is 'Trigger: stamps updated_at';
comment on table public.blog_post_revisions is 'Earlier versions of articles, written by a trigger';
comment on column public.blog_post_revisions.replaced_by is 'The user whose save replaced it, null for a program';
comment on column public.blog_post_revisions.saved_at is 'updated_at of that version';
comment on table public.blog_post_slugs is 'Addresses an article had earlier: old links still lead to it';
comment on table public.blog_posts is 'Articles of Insights';
comment on column public.blog_posts.publish_at is 'When a post that is published for later appears; null for at once';
comment on column public.blog_posts.published_at is 'Set while published, null for a draft';
comment on column public.blog_posts.updated_at is 'Changes with every save; filter an update on it to see a rival one';
comment on table public.contact_messages is 'Messages from the contact form';
comment on domain public.html is 'sanitized html';
comment on function public.list_articles(text,text,integer,integer) is 'One page of the published articles that have the words in title or excerpt and the topic, newest first; how many there are of them, which page it is, and every topic';
comment on function public.list_pictures(text) is 'Pictures for articles, newest first, and the posts that show each';
comment on function public.list_topics() is 'Every topic of the published articles, most used first';
comment on table public.newsletter_subscriptions is 'Newsletter sign-ups, one for each address';
comment on table public.post_previews is 'Links that show a post, published or not, to whoever has them';
comment on function public.preview_post(uuid) is 'The post that a preview link shows; null once the link has expired';
comment on table public.quarantine is 'Submissions held back as probable spam';
comment on column public.quarantine.address is 'Network address it came from';
comment on column public.quarantine.held is 'Whether it is held for a flood that it came in, and not as spam';
comment on column public.quarantine.payload is 'The body as it was sent';
comment on function public.quarantine_lead(text,jsonb,text,text,text) is 'Keeps a submission that a trap caught; it is never mailed until somebody releases it';
comment on table public.quote_requests is 'Requests for a quote, and for the Quick Start monthly service';
comment on column public.quote_requests.formatted_message is 'Quick Start: one-line summary made by the page';
comment on column public.quote_requests.location is 'Quick Start: key of the service area, or what the visitor wrote';
comment on column public.quote_requests.promotion_amount is 'Quick Start: US dollars a month shown to the visitor';
comment on column public.quote_requests.quick_start_service is 'True for the Quick Start form, false for the full one';
comment on function public.submit_lead(text,jsonb,jsonb,text,text,jsonb) is 'Stores a lead and queues its mails: {stored, id}, {stored, held}, {stored: false, duplicate} or {stored: false, retry_after}; without the payload, the body as it was sent, nothing can be held';
comment on table public.user_roles is 'Roles of users; only the system administrator gives them';
comment on table realtime.schema_migrations is 'The ledger of hosted''s server. The gateway''s own is in the schema gateway, and this one is empty';
comment on table realtime.subscription is 'Who listens to changes, at hosted projects. Here the gateway keeps that in its memory, and the table is empty';
comment on function realtime.topic() is 'The channel that a policy is asked about, without the prefix realtime:';
comment on function realtime.visible_changes(jsonb,bigint[]) is 'Which changed rows subscribers may see, by role and claims';
comment on column storage.buckets.owner is 'Deprecated: see owner_id';
comment on column storage.objects.owner is 'Deprecated: see owner_id';
comment on function storage.operation() is 'What the storage API is doing in this request, such as storage.object.upload';
comment on table storage_private.trash is 'Versions whose blobs no row names any more, until they are removed';
comment on table supabase_functions.hooks is 'Supabase Functions Hooks: Audit trail for triggered hooks.';
