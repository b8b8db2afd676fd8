-- Written by `python -m tests.ops.cut 0.6.0`.
-- refresh token: ALzRDZlr4UuQscrApZkhQ7YB84LfEHi-M-YJixUYD_quc5WiLYU
INSERT INTO auth.audit_log_entries VALUES
	('00000000-0000-0000-0000-000000000000', 'e31041a2-0a5c-4829-9e4d-dc8f94171917', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"user_signedup","log_type":"team","outcome":"success","request_id":"cli-29958","user_agent":"gateway","traits":{"user_id":"fb43adc9-27fd-45e2-9fb2-908199630415","user_email":"ruth@example.com"}}', '2026-11-22 16:36:29.52438+00', ''),
	('00000000-0000-0000-0000-000000000000', 'ae132c58-ba3f-4760-88ef-9c4cdb919eae', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"role_granted","log_type":"team","outcome":"success","request_id":"cli-29987","user_agent":"gateway","traits":{"user_id":"fb43adc9-27fd-45e2-9fb2-908199630415","user_email":"ruth@example.com","role":"admin"}}', '2026-11-22 16:36:31.378872+00', ''),
	('00000000-0000-0000-0000-000000000000', '5e3bcf4d-a45b-46a1-83f8-61ee9130d3da', '{"actor_id":"fb43adc9-27fd-45e2-9fb2-908199630415","actor_username":"ruth@example.com","actor_via_sso":false,"action":"login","log_type":"account","outcome":"success","request_id":"8a9b3b07-9c1fe2bb","user_agent":"python-httpx/0.28.1","traits":{"provider":"email"}}', '2026-11-22 16:36:35.87093+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', 'c85ca5c8-e7d7-489c-9699-fb8e16cbab48', '{"actor_id":"fb43adc9-27fd-45e2-9fb2-908199630415","actor_username":"ruth@example.com","actor_via_sso":false,"action":"token_refreshed","log_type":"token","outcome":"success","request_id":"8a9b3b07-9c1fe2c2","user_agent":"python-httpx/0.28.1","traits":{"session_id":"bcd10d99-6be1-4b90-b1ca-c0a5992143b6"}}', '2026-11-22 16:36:37.11935+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', '17a091d2-70bd-42bb-9d22-e68f95b96646', '{"actor_id":"fb43adc9-27fd-45e2-9fb2-908199630415","actor_username":"ruth@example.com","actor_via_sso":false,"action":"user_recovery_requested","log_type":"user","outcome":"success","request_id":"8a9b3b07-9c1fe2c1","user_agent":"python-httpx/0.28.1","traits":{"kind":"recovery"}}', '2026-11-22 16:36:37.096727+00', '127.0.0.1') ON CONFLICT DO NOTHING;
INSERT INTO auth.users VALUES
	('00000000-0000-0000-0000-000000000000', 'fb43adc9-27fd-45e2-9fb2-908199630415', 'authenticated', 'authenticated', 'ruth@example.com', '$2b$10$sPMwdFF2pQO30STFwAuQd.mKcOcoHuZsVwmtREgpFXfo8G77okfEO', '2026-11-22 16:36:29.203567+00', NULL, '', NULL, 'k1:e5a4262f4b0f28856dac9d6156417ae8ac31f8151c6722a80c2ff1a351280192', '2026-11-22 16:36:37.096727+00', '', '', NULL, '2026-11-22 16:36:35.87093+00', '{"provider": "email", "providers": ["email"]}', '{"email_verified": true}', NULL, '2026-11-22 16:36:29.203567+00', '2026-11-22 16:36:37.096727+00', NULL, NULL, '', '', NULL, DEFAULT, '', 0, NULL, '', NULL, false, NULL, false) ON CONFLICT DO NOTHING;
INSERT INTO auth.identities VALUES
	('fb43adc9-27fd-45e2-9fb2-908199630415', 'fb43adc9-27fd-45e2-9fb2-908199630415', '{"sub": "fb43adc9-27fd-45e2-9fb2-908199630415", "email": "ruth@example.com", "email_verified": true, "phone_verified": false}', 'email', '2026-11-22 16:36:35.87093+00', '2026-11-22 16:36:29.203567+00', '2026-11-22 16:36:35.87093+00', DEFAULT, 'bdbfa0da-6e3c-4f8e-a50a-ccbfb351cc4b') ON CONFLICT DO NOTHING;
INSERT INTO auth.sessions VALUES
	('bcd10d99-6be1-4b90-b1ca-c0a5992143b6', 'fb43adc9-27fd-45e2-9fb2-908199630415', '2026-11-22 16:36:35.87093+00', '2026-11-22 16:36:37.11935+00', NULL, 'aal1', NULL, '2026-11-22 16:36:37.11935', 'python-httpx/0.28.1', '127.0.0.1', NULL, NULL, 'k1:LYMMPuZ1Y2YzcP_tOXL5FGw3Q-Ht0TAP7t6SvcJ9XI0', 1, NULL) ON CONFLICT DO NOTHING;
INSERT INTO auth.mfa_amr_claims VALUES
	('bcd10d99-6be1-4b90-b1ca-c0a5992143b6', '2026-11-22 16:36:35.87093+00', '2026-11-22 16:36:35.87093+00', 'password', '45960f86-45bf-4aea-bfd7-99a8a571cabe') ON CONFLICT DO NOTHING;
INSERT INTO auth.one_time_tokens VALUES
	('5245ee8b-54f9-4cc0-85c6-81c4a7982c7f', 'fb43adc9-27fd-45e2-9fb2-908199630415', 'recovery_token', 'k1:e5a4262f4b0f28856dac9d6156417ae8ac31f8151c6722a80c2ff1a351280192', 'ruth@example.com', '2026-11-22 16:36:37.096727', '2026-11-22 16:36:37.096727') ON CONFLICT DO NOTHING;
INSERT INTO gateway.migrations VALUES
	('0001_roles.sql', '588a9510525779747fd78b57db5be23994eb4aa38d81b89be0b8643070182b4e', '2026-11-22 16:36:26.13329+00'),
	('0002_auth.sql', '5c72a9381b594e5fe11fb9adc92269649eed755d1e21e15f645604e1690918c7', '2026-11-22 16:36:26.203598+00'),
	('0003_schema_reload.sql', '5592efc83e5725f395ad071a3330657dc03e8b1118bddb457c796d83a08bf03d', '2026-11-22 16:36:26.382378+00'),
	('0004_user_roles.sql', '5a3eb582b6ca088cac17bcf43bfd8033b07323d2cccd781c06be6ff83d8f9316', '2026-11-22 16:36:26.412106+00'),
	('0005_blog_posts.sql', '41a2cbfe56cbe4e7e78857482aaa81d4b10084dd112885a26b70eb2f6dc78d61', '2026-11-22 16:36:26.426511+00'),
	('0006_blog_history.sql', '6b39f7a646f0510adc7a84dce1b4f1a8a57e2f6b0c73fef0196feb6d91579bb0', '2026-11-22 16:36:26.450107+00'),
	('0007_leads.sql', 'ab472a9bf3a7221a48ae199a724e44779843819469fa32759e09cbffdba20fdb', '2026-11-22 16:36:26.466688+00'),
	('0020_auth_defence.sql', 'd7b9478fe58287e0ee97c69cae9bffec276cb5e879d4e7a00e8bad147837554f', '2026-11-22 16:36:26.571955+00'),
	('0021_api_key_uses.sql', 'c5a7fd55ca8ed89e7bfdfb4c84659ab4373b23377080329d40764fd34527bf7f', '2026-11-22 16:36:26.594377+00'),
	('0030_job_queue.sql', '6c826f8fd47b106cc6c1367053338d3bb73c7a84ae57877ce590b07c37f48a60', '2026-11-22 16:36:26.615111+00'),
	('0031_mail_jobs.sql', 'fc8e07806b7851194ae0e4867d8b2c29cc12c48d00cbc1fba661c2975fed7acf', '2026-11-22 16:36:26.670603+00'),
	('0032_submit_lead.sql', '9a5100e5fc085b623c6dcdb6880135feaab82fd9714f7e73b49d8352c191eb30', '2026-11-22 16:36:26.692772+00'),
	('0033_lead_care.sql', '80da415bd8828a998c4b6bd85fa90fe1eb8662efedc9d6a4c47ac1bd91792f9f', '2026-11-22 16:36:26.731173+00'),
	('0040_sent_auth_mails.sql', 'bf316d562324d429a0ccdaa8b20c3c0b3d209a171248924bd2880b5d8693d9e1', '2026-11-22 16:36:26.764071+00'),
	('0041_sealed_auth_mails.sql', '9d601d2bf4beffe775712709600ef459e815fedc1348622bc8b14fbaa6b921cd', '2026-11-22 16:36:26.776759+00'),
	('0050_metrics.sql', 'aa167660306f68f5aa8abf4b675768486dd0448e6c52a74690cb01677cb8947d', '2026-11-22 16:36:26.782185+00'),
	('0051_request_ids.sql', 'e618cff27907702a0df4a8b26556063061ffcd8615815113ddd34b5545780b42', '2026-11-22 16:36:26.79264+00'),
	('0052_tallies.sql', 'e61846014dddead321e5f6ff56fc24b63ea52cb83491d793a2166abfc0e7c0f6', '2026-11-22 16:36:26.796099+00'),
	('0053_lead_retries.sql', '99c3efc6f1e54abad52cfe75275a3353683e7c1ea5a310d2c304a10d90102913', '2026-11-22 16:36:26.815573+00'),
	('0060_clock_ahead.sql', 'dd3491ea2eccafaa08f34c86e23f1c9398e719bb1699990497ed588222832e82', '2026-11-22 16:36:26.819152+00'),
	('0061_unanswered_mail.sql', '3db5aa75e536a3b89bba8594638b65b625f88031dcd2c9b51d503d7ddabb9060', '2026-11-22 16:36:26.823905+00'),
	('0062_held_leads.sql', '6b9c774364819a10b5f09924e8588d49281f0ea3a3b0030121a6744660870cee', '2026-11-22 16:36:26.826605+00'),
	('0063_job_troubles.sql', '8cda4474aac2f1ecadeac9150b47730c9fc10bc776f195e485e85c647e5ecbc1', '2026-11-22 16:36:26.844542+00'),
	('0075_service_logins.sql', '311ab65498a1486f9b825ec24e7b247cf5084810f5905b533b9336de5dda1654', '2026-11-22 16:36:26.849553+00'),
	('0080_maintenance.sql', '41bc8c7f0485925c2195abb0a3a0b3b92ab0f03e04f651bb45545a4e85845614', '2026-11-22 16:36:26.868834+00'),
	('0081_erasure.sql', '264418e4b494e5e5f2aed8f7178c9065ac453080f98e58dcf27df327bc57c5af', '2026-11-22 16:36:26.874839+00'),
	('0082_retention.sql', 'a98abec5744389ba25dc8eccc7a52466634e72369d96130225de47162dcaae1c', '2026-11-22 16:36:26.877314+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.throttle VALUES
	('password:424e71421c57ddef06c4a3f6c1155e48', 30, '2026-11-22 16:36:35.87093+00', NULL),
	('known:place:089b6271afa5f8a56415604357a41a9f', 0, '2026-11-22 16:36:35.87093+00', NULL),
	('recover:424e71421c57ddef06c4a3f6c1155e48', 29, '2026-11-22 16:36:37.096727+00', NULL),
	('mail-recovery:48eeb7e5951adf52f3a63b6ac38f806f', 0, '2026-11-22 16:36:37.096727+00', NULL),
	('mail', 29, '2026-11-22 16:36:37.096727+00', NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_jobs VALUES
	(1, 'mail', 'mail.send', 50, NULL, NULL, '{"mail": {"to": ["leads@unitedmedicalwaste.example"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Contact message from Lena Okafor</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">Contact message from Lena Okafor</h1><p style=\"background:#B3261E;color:#fff;padding:8px 12px;font-weight:700\">URGENT</p><table cellspacing=''0''><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Priority</th><td style=\"padding:4px 0\">Urgent (same day)</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Name</th><td style=\"padding:4px 0\">Lena Okafor</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Email</th><td style=\"padding:4px 0\">lena@example.com</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Phone</th><td style=\"padding:4px 0\">(508) 555-0142</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Company</th><td style=\"padding:4px 0\">Okafor Dental</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Subject</th><td style=\"padding:4px 0\">Extra pickup</td></tr></table><p style=\"white-space:pre-wrap;border-left:3px solid #0F5D6B;padding-left:12px\">Two boxes are full.</p><p>Reply to this mail to answer lena@example.com.</p></div></div></body></html>", "kind": "contact-notice", "text": "[URGENT] Contact message from Lena Okafor\n\nPriority: Urgent (same day)\nName:     Lena Okafor\nEmail:    lena@example.com\nPhone:    (508) 555-0142\nCompany:  Okafor Dental\nSubject:  Extra pickup\n\nTwo boxes are full.\n\nReply to this mail to answer lena@example.com.\n", "headers": {"Importance": "high", "X-Priority": "1", "X-Lead-Kind": "contact"}, "request": "8a9b3b07-9c1fe2bf", "subject": "[URGENT] Contact: Extra pickup", "reply_to": "lena@example.com", "alarm_after": 600}, "queued_at": "2026-11-22T16:36:37.053328+00:00"}', 'todo', NULL, 0, false, NULL),
	(2, 'mail', 'mail.send', 0, NULL, NULL, '{"mail": {"to": ["lena@example.com"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>We have received your message</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">We have received your message</h1><p>Hello Lena Okafor,</p><p>Thank you for contacting us. We&#x27;ll respond within 24 hours.</p><p>You marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.</p><p>United Medical Waste<br>(508) 555-0142<br>service@unitedmedicalwaste.example</p></div></div></body></html>", "kind": "contact-confirmation", "text": "Hello Lena Okafor,\n\nThank you for contacting us. We''ll respond within 24 hours.\n\nYou marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.\n\nUnited Medical Waste\n(508) 555-0142\nservice@unitedmedicalwaste.example\n", "headers": {"Auto-Submitted": "auto-replied"}, "request": "8a9b3b07-9c1fe2bf", "subject": "We have received your message", "reply_to": "service@unitedmedicalwaste.example"}, "queued_at": "2026-11-22T16:36:37.053328+00:00"}', 'todo', NULL, 0, false, NULL),
	(3, 'mail', 'mail.send', 10, NULL, NULL, '{"mail": {"to": ["ruth@example.com"], "kind": "auth.recovery", "text": "What this mail says is sealed until it is sent.", "sealed": "gAAAAABrAxoVCyyNFXx5aiNie0hNpwiLG-6unaxR2y8VkbZjT56VpVHy6J6c1Lg4MoWviakQa-IsyRCmogkCoD_d0qCkldDBiu6Xe-KuXN9n4rTM62KD1YbJxk8hTxBCQQtBh8PqBRGfIP-sVG1AFOFiSvDoe_gf5k3Eh0K49wjAFZPeYAPJdCUJFcxAQMyHzqFVDCpLMtb2MnaemnjDH-UpqqODDTUr-PB67ZqzaEq1c3pCjXbNOGu9dtFAcqnNuc9p4hSAztQfyvohq1AXVU8_39FseLR-78ZoIYnyOOt5bpwnSv0Hyi1HOLoNN_m0Tr_fF-XD_DqZCi6NpLhdILu1f_0S1k7SeMGMf5ocSnIdDGjy-kBwUo_KMisgyEYRdY8zk-AwXSW7a2uC-QvDt3HX-5Jr22wOWnpT9DyhvmdhOAb-OB-3ok9U6dSOT9tSiS-lT9iDTenldm3JMAHzryF4cnL9JUcdi4fyAcN35GqSnQFClZdSHrhDRDXqmrzhfwUExa9xQGp7XEMD6egySJoZgKfKn8GmJW1S49NAoDP8iDsLYrktltqd3X5RZ96d1WYYG3SgsDlTa9bh5WmTFWWMbtpNCpXgHDzhkzWn9H6Ia6D1EJWAGh3mCeSbbxQns2eRmSmBFSReFizzY3xl53gFnsoIv__-y8Em_Mzly5x_D-Ijf7mbbDX7DWkQqLvvTkwt4yLkBZ6i-F2Anp-YaEau1ZhOJ43sdt0qSSwJgDdxK-6bUvmB48BRwVMM-xiJsNr2jJuDG-BWsfYyfZJS6BTG1pmjtt5npRcBD6rurQuLSbbdbqOJvCDp7oqDLUuZcJg_GNaFZ5MnttJHxQb26j6BIfcTIk1HQqWvk5horw54uGd9OHWzus9MMsMY1QT6pk_ZiPhHeEn2JyDCpTjbiuLaQrK4_9l7RvbclspSv7ZtIFQ2-QbMl7cLGexOWzQhG9XcN6YawUgeBnh8HkmwpR6FQYtzzOPnyE86DtEv7J9IM3TXgDIKxEcPaCmigLIdRSAcTVDR4BZOOQ7yEsG6bOXCKpWKbO7KTiyvSOe_DGSO12_7kDLFwKLrortEM4FLo0MmPgZMSxEGPG5dAfBWuWyGSBR0d71CCHIgZlTaLWYORFskmWWe7gmoi6Snzni0I3trE7iIf3h5fYpNeFSjeSXx3PxXBJqt8g8z6DJnTtoS2aOR4O-i0Awk7tpJ8Rw6iDHAoNswYBGIgvEqBw5Sy5pe7PPxh8MKV2clr5B5a-jE0EdA_qLDf8r7JnjtyCmhTZ8YgZldov968iUFxSN67dsvR0VQ6pN7AvqX3IGsAyMhXUIQDSLQarK_0-EPa3mbPsZShD26FR4JL-KuONVfDpC883v68Ubr8n_u4LwRWHQIuALPScMgyFrDlMY4PMrl1R-lSR70FVb1dp65DKur1lY2XGyIm_36WuxzOV2bWTXLJZH7vXNPLuyDB_5EuICKNIqSHD4iDYDXoIIPCKeYIfkc-yi95hJPnMvprYoUK0wI4YL_44z35go5eUH0QlgTtVc_u0udVBPdSPykbcLUhC2lu5zVPH561MKCSv9uErK5pr6zwI6OSqzEsbQom_coTb0zQ9FcLkSBnOmA78JI9eUOH_E0v2zfwW4i267TDyfzDA_8XuQvkyF7JZQxTJw9jgpDEaE7EcUakwm33_qJLR0r_SjtaiXMRfVp4LyYLPzf20BZrnF6v2uoM4mTcyhJ_0x-kRYYd67E0me5XjZtTr8MPUWatoiXK8KQ7Zek0Ee3EH1rxB9PWk68Ulsd4DUI5ObmgyxirasZomzO4wVp5k0Ul4AjjcYNv7GCKDulzYYSc48_EiZ0qSxEAy-98vxXqotufma51vf2sFEySR8GZZd4HcRoGHgIgCahO1kQy6yOwuumb2ij4komNlbfOqFERsGNKtAzcTWpQhDP2XShOmrvAZnTirHnDs4FUNkovgmbY3-D7VP4V8aeSs9SSdHFsIH6YFfarDe7TL9sLQk7ahmQsNau6_unApbl_dhY9UbyOJ9q6D2Bv77tYC27rdh3XSC31wk3oD1TuB6wU5EaXr1B9IBciJ7X5Ijqy1GhWa11qmIMpgxzTSXQ_JAWVFqT8Dq0WULkzI7uRHrO9PgQ-uJ4Rg-h8ag2vwOgaCsY0pOAfmNpUekI2M_zLxn7Rgg_Wgdifplvpw2r_ukHosKk6E_3Dhv_FbiRL4K_nh6ahyigRrSNsVKFDBOStNZusUHbf_iqx9Z5L0dAlE4Wei_WIsi8XKXT03CVFd7ldCioiHOXVZVLikenUy4AjfZAAgrjuJsLtS7744ChlIoLi4Z_m9DCds7Ouk2O8gfZ9jp86ZEp7SUyOYLN99xq5jCEA2bvsub52qrQyrj0H4MwfAWWQIKPAkPRHneeEZB8R480PGlZfRgRedlPcnu1C44My9g3tobNHFF0B4UJQGyR7uEDvtZtuCn4KX9x_vQIotvWcz0kL02hUBHWwpb_g4xztN-k_ZTK_WTLTuVxzsnjmXxcf0eNbXkS3BRdx2U62dvNo_r9bj4JqvNkMHagp-b2dQancLPOozJ-zYR9tquCJtP2UFQtmUPh8Q3rrVLY25wrXqiRjdkFpzwf7DMUlzdMXcnKDgHkqgkPUA1jmYYfxZke2h8qxpiElVrwltAYDxxuFU8Jc3HynxkeZw6ba0XYEW-q0vAkHwDReZNWTcX54WJL9_hZcDuzjhOie0-dc2Ois8cZBpKEBw1kBAdgS41iggkUiO4z_ME53wgUPWdwQgs0xMbSQbcbzHE0v8AGmjEEoL6ptcJsabeLvRWA0dBzSMNfsByBPFbBAYprOWBSoEhdCOE53bcnHK8W2O5x2qmovdvecZ8uhkHtDW_KnX4VLxpBuzbYs4He4rB8TLZuBWz0UshaSXgH9ZaUjETOxvfBBLHkGsqrY53MZkmgsPg8bHgVAP4oSXuWnYa-rQpgcPKPtTEI6n_aJ5_DEsS4gkh8zby6FCd909uAksxLzjNAM7tJKPb6QKDWEDxPOT-aDC2vXS1KiSYodkEWvydKukz6CxTJUeCrY7bwZm5fgVG4SCxmzhphswFwFAkrkZ4QirBkrB6J4BbKu5taUddZ8A9mdEF1QLklIi6lIMZ9lJCEBDPdyV6ToiOXVTQhRZQ3OLG6AFFvRhTrenjPIKrevrPUS-4wx4x50NEEdzLHVeCTKWQwfHI8zwLRfKCyKikEK8FExjcqTeKCtpLZVBOJYIomHTgWbewIfwvgCAPvV2nRkI5w9mvnWUGt4TTCb8gIyXcALHuc3EutaAYhsw==", "headers": {"Auto-Submitted": "auto-generated"}, "request": "8a9b3b07-9c1fe2c1", "subject": "Reset your password", "reply_to": null}, "queued_at": "2026-11-22T16:36:37.147594+00:00"}', 'todo', NULL, 0, false, NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_events VALUES
	(1, 1, 'deferred', '2026-11-22 16:36:37.053328+00'),
	(2, 2, 'deferred', '2026-11-22 16:36:37.053328+00'),
	(3, 3, 'deferred', '2026-11-22 16:36:37.147594+00') ON CONFLICT DO NOTHING;
INSERT INTO private.lead_counters VALUES
	('contact', 'address', '12ca17b49af2289436f303e0166030a21e525d266e209267433801a8fd4071a0', 19, '2026-11-22 16:36:37.055112+00'),
	('contact', 'email', '07a0a464fe3954d579bc1bc6c5d32dc7390b944e8fd1c77e24290f3f029528e1', 5, '2026-11-22 16:36:37.055983+00'),
	('contact', 'form', '093e7d5fdbaacfa92448861b11075b3fba532a07d945b49a44919252f5e830ad', 599, '2026-11-22 16:36:37.056289+00') ON CONFLICT DO NOTHING;
INSERT INTO private.lead_limits VALUES
	('contact', 'address', 20, 60),
	('contact', 'email', 6, 12),
	('contact', 'form', 600, 3600),
	('newsletter', 'address', 20, 60),
	('newsletter', 'email', 6, 12),
	('newsletter', 'form', 600, 3600),
	('quick-start', 'address', 20, 60),
	('quick-start', 'email', 6, 12),
	('quick-start', 'form', 600, 3600),
	('quote', 'address', 20, 60),
	('quote', 'email', 6, 12),
	('quote', 'form', 600, 3600),
	('contact', 'held', 5000, 5000),
	('newsletter', 'held', 5000, 5000),
	('quick-start', 'held', 5000, 5000),
	('quote', 'held', 5000, 5000) ON CONFLICT DO NOTHING;
INSERT INTO private.tallies VALUES
	('leads_total', '{"form": "contact"}', 1) ON CONFLICT DO NOTHING;
INSERT INTO public.blog_posts VALUES
	('247b0948-5787-4ed6-bf45-43b1a1879fe5', 'Draft', 'draft', 'Second', '<p>Draft</p>', NULL, 'United Medical Waste', '{}', false, NULL, 5, NULL, NULL, '2026-11-22 16:36:36.338547+00', '2026-11-22 16:36:36.338547+00'),
	('48759a77-fe14-4484-9bf3-19a6bdc9851b', 'Kept', 'kept', 'First, edited', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-22 16:36:36.318205+00', '2026-11-22 16:36:36.357117+00') ON CONFLICT DO NOTHING;
INSERT INTO public.blog_post_revisions VALUES
	('aa2c973d-8285-478a-a9d5-1ad5a57cb10c', '48759a77-fe14-4484-9bf3-19a6bdc9851b', 'Kept', 'kept', 'First', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-22 16:36:36.318205+00', '2026-11-22 16:36:36.357494+00', 'fb43adc9-27fd-45e2-9fb2-908199630415') ON CONFLICT DO NOTHING;
INSERT INTO public.contact_messages VALUES
	('2557b271-3c97-49ec-9120-28ef188147d3', 'a-lead-of-an-older-version:2ca4c259f1fe4d0481bd0334e9438fc1', 'new', NULL, 'Lena Okafor', 'lena@example.com', '(508) 555-0142', 'Okafor Dental', 'Extra pickup', 'Two boxes are full.', 'urgent', '2026-11-22 16:36:37.053328+00', '2026-11-22 16:36:37.053328+00') ON CONFLICT DO NOTHING;
INSERT INTO public.user_roles VALUES
	('5ee1cc2c-567e-4b39-9d97-6c943f13a504', 'fb43adc9-27fd-45e2-9fb2-908199630415', 'admin', '2026-11-22 16:36:31.375525+00') ON CONFLICT DO NOTHING;
SELECT pg_catalog.setval('auth.refresh_tokens_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.mail_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_events_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_jobs_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_periodic_defers_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_workers_id_seq', 1, false);
SELECT pg_catalog.setval('private.lead_audit_id_seq', 1, false);
