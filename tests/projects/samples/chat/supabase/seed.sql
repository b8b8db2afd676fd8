-- Somebody who can sign in, as many seeds have it.
INSERT INTO auth.users (
  instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
  created_at, updated_at, confirmation_token, email_change, email_change_token_new, recovery_token
) VALUES (
  '00000000-0000-0000-0000-000000000000', 'a1b2c3d4-0000-4000-8000-000000000001', 'authenticated', 'authenticated',
  'seed@example.com', crypt('password123', gen_salt('bf')), current_timestamp,
  '{"provider":"email","providers":["email"]}', '{}', current_timestamp, current_timestamp, '', '', '', ''
);
INSERT INTO auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
VALUES (
  uuid_generate_v4(), 'a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000001',
  format('{"sub":"%s","email":"%s"}', 'a1b2c3d4-0000-4000-8000-000000000001', 'seed@example.com')::jsonb, 'email',
  current_timestamp, current_timestamp, current_timestamp
);
insert into public.channels (slug, created_by) values ('public', 'a1b2c3d4-0000-4000-8000-000000000001');
