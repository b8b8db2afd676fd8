SET session_replication_role = replica;

--
-- PostgreSQL database dump
--

-- \restrict 8xWq0ZkYp2mVd6JtRb4uNc1sHf3gLa9e

-- Dumped from database version 17.4
-- Dumped by pg_dump version 17.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: audit_log_entries; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."audit_log_entries" ("instance_id", "id", "payload", "created_at", "ip_address") FROM stdin;
00000000-0000-0000-0000-000000000000	5a0e7a0c-93de-4f5e-8c2b-3f1f6c1f0b01	{"action":"login","actor_id":"3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10","actor_username":"ruth@reading.example","actor_via_sso":false,"log_type":"account","traits":{"provider":"email"}}	2026-02-14 09:12:44.103871+00	
\.


--
-- Data for Name: flow_state; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."flow_state" ("id", "user_id", "auth_code", "code_challenge_method", "code_challenge", "provider_type", "provider_access_token", "provider_refresh_token", "created_at", "updated_at", "authentication_method", "auth_code_issued_at") FROM stdin;
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."users" ("instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "invited_at", "confirmation_token", "confirmation_sent_at", "recovery_token", "recovery_sent_at", "email_change_token_new", "email_change", "email_change_sent_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "is_super_admin", "created_at", "updated_at", "phone", "phone_confirmed_at", "phone_change", "phone_change_token", "phone_change_sent_at", "email_change_token_current", "email_change_confirm_status", "banned_until", "reauthentication_token", "reauthentication_sent_at", "is_sso_user", "deleted_at", "is_anonymous") FROM stdin;
00000000-0000-0000-0000-000000000000	3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	authenticated	authenticated	ruth@reading.example	$2a$10$IT6q53Dcp9id5YcvKU2F0.0RmYqdZKauTBs0AYoan8npo/adAJwMu	2025-06-03 15:40:11.905012+00	\N		\N		\N			\N	2026-02-14 09:12:44.10601+00	{"provider": "email", "providers": ["email"]}	{"name": "Ruth Alder", "email_verified": true}	\N	2025-06-03 15:40:11.905012+00	2026-02-14 09:12:44.10601+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311	authenticated	authenticated	omar@reading.example	$2a$10$trXLBJnYhtKolMXd39HmjuNMDBawCfa5ESuNv15MMlqWHOjpfewbq	2025-06-02 08:01:55.31+00	\N		\N		\N			\N	2026-02-10 18:30:02.774519+00	{"staff": true, "provider": "email", "providers": ["email"]}	{"name": "Omar Quill", "email_verified": true}	\N	2025-06-02 08:01:55.31+00	2026-02-10 18:30:02.774519+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02	authenticated	authenticated	lina@reading.example		2025-11-20 20:20:20+00	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{}	\N	2025-11-20 20:20:20+00	2025-11-20 20:20:20+00	\N	\N			\N		0	\N		\N	f	\N	f
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."identities" ("provider_id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at", "id") FROM stdin;
3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	{"sub": "3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10", "email": "ruth@reading.example", "email_verified": true, "phone_verified": false}	email	2025-06-03 15:40:11.92+00	2025-06-03 15:40:11.92+00	2025-06-03 15:40:11.92+00	e1f9b1a6-2a56-4c0f-8a57-8fd0d2d6c101
b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311	b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311	{"sub": "b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311", "email": "omar@reading.example", "email_verified": true, "phone_verified": false}	email	2025-06-02 08:01:55.33+00	2025-06-02 08:01:55.33+00	2025-06-02 08:01:55.33+00	e1f9b1a6-2a56-4c0f-8a57-8fd0d2d6c102
0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02	0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02	{"sub": "0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02", "email": "lina@reading.example", "email_verified": true, "phone_verified": false}	email	2025-11-20 20:20:20+00	2025-11-20 20:20:20+00	2025-11-20 20:20:20+00	e1f9b1a6-2a56-4c0f-8a57-8fd0d2d6c103
\.


--
-- Data for Name: instances; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."instances" ("id", "uuid", "raw_base_config", "created_at", "updated_at") FROM stdin;
\.


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."sessions" ("id", "user_id", "created_at", "updated_at", "factor_id", "aal", "not_after", "refreshed_at", "user_agent", "ip", "tag") FROM stdin;
7d1c3c55-0f0e-4e57-9c7b-5a3a6f1be901	3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	2026-02-14 09:12:44.106+00	2026-02-14 09:12:44.106+00	\N	aal1	\N	\N	Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0	198.51.100.24	\N
\.


--
-- Data for Name: mfa_amr_claims; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."mfa_amr_claims" ("session_id", "created_at", "updated_at", "authentication_method", "id") FROM stdin;
7d1c3c55-0f0e-4e57-9c7b-5a3a6f1be901	2026-02-14 09:12:44.11+00	2026-02-14 09:12:44.11+00	password	2b6d0f34-19d5-4ad5-9a10-8f2f0e4a3c01
\.


--
-- Data for Name: refresh_tokens; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY "auth"."refresh_tokens" ("instance_id", "id", "token", "user_id", "revoked", "created_at", "updated_at", "parent", "session_id") FROM stdin;
00000000-0000-0000-0000-000000000000	57	vq3m8k2x7c1d	3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	f	2026-02-14 09:12:44.107+00	2026-02-14 09:12:44.107+00	\N	7d1c3c55-0f0e-4e57-9c7b-5a3a6f1be901
\.


--
-- Data for Name: rooms; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY "public"."rooms" ("id", "name", "seats") FROM stdin;
1	Harbour room	12
2	Attic	4
\.


--
-- Data for Name: bookings; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY "public"."bookings" ("id", "room_id", "user_id", "held_on", "state", "created_at") FROM stdin;
91a4c1f6-7a54-4b1e-8e2b-0a6f7c3d1e01	1	3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	2026-03-02	confirmed	2026-02-14 09:13:20.5+00
91a4c1f6-7a54-4b1e-8e2b-0a6f7c3d1e02	2	b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311	2026-03-02	asked	2026-02-10 18:31:00+00
91a4c1f6-7a54-4b1e-8e2b-0a6f7c3d1e03	2	0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02	2026-03-09	cancelled	2026-01-05 10:00:00+00
\.


--
-- Data for Name: profiles; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY "public"."profiles" ("id", "display_name") FROM stdin;
3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10	Ruth Alder
b6f2c9d4-0d57-4a34-8a7f-51c2a9e0d311	Omar Quill
0c9a7d3e-58b1-4c2f-a6a4-7be21c7f9d02	lina
\.


--
-- Name: refresh_tokens_id_seq; Type: SEQUENCE SET; Schema: auth; Owner: supabase_auth_admin
--

SELECT pg_catalog.setval('"auth"."refresh_tokens_id_seq"', 57, true);


--
-- Name: rooms_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('"public"."rooms_id_seq"', 2, true);


--
-- PostgreSQL database dump complete
--

-- \unrestrict 8xWq0ZkYp2mVd6JtRb4uNc1sHf3gLa9e

RESET ALL;
