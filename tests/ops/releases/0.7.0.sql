-- Written by `python -m tests.ops.cut 0.7.0`.
-- refresh token: ALpdJ-fHR0nZtfAbtM__JnIBfMLH9b8P9G_CL0bj1etMLWLOKSE
INSERT INTO auth.audit_log_entries VALUES
	('00000000-0000-0000-0000-000000000000', '5f5b911a-be6f-4f47-ab63-4ff32d3ae8c0', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"user_signedup","log_type":"team","outcome":"success","request_id":"cli-4249","user_agent":"gateway","traits":{"user_id":"3d856b10-8187-49cb-93fc-f2ec821fd27d","user_email":"ruth@example.com"}}', '2026-11-22 19:43:44.312827+00', ''),
	('00000000-0000-0000-0000-000000000000', 'b47d3fa9-e4bf-4b6d-bca9-a9feec0b26d3', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"role_granted","log_type":"team","outcome":"success","request_id":"cli-4251","user_agent":"gateway","traits":{"user_id":"3d856b10-8187-49cb-93fc-f2ec821fd27d","user_email":"ruth@example.com","role":"admin"}}', '2026-11-22 19:43:44.694714+00', ''),
	('00000000-0000-0000-0000-000000000000', '341a2605-4e90-481f-9aa7-a47a7c5b77a3', '{"actor_id":"3d856b10-8187-49cb-93fc-f2ec821fd27d","actor_username":"ruth@example.com","actor_via_sso":false,"action":"login","log_type":"account","outcome":"success","request_id":"c3753010-f7b4cad8","user_agent":"python-httpx/0.28.1","traits":{"provider":"email"}}', '2026-11-22 19:43:45.712753+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', 'ae58cb78-83e4-4443-b6c1-bca329a6dc00', '{"actor_id":"3d856b10-8187-49cb-93fc-f2ec821fd27d","actor_username":"ruth@example.com","actor_via_sso":false,"action":"user_recovery_requested","log_type":"user","outcome":"success","request_id":"c3753010-f7b4cadd","user_agent":"python-httpx/0.28.1","traits":{"kind":"recovery"}}', '2026-11-22 19:43:45.942586+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', '83e37a12-d663-4e7c-b74f-d8f5fc962634', '{"actor_id":"3d856b10-8187-49cb-93fc-f2ec821fd27d","actor_username":"ruth@example.com","actor_via_sso":false,"action":"token_refreshed","log_type":"token","outcome":"success","request_id":"c3753010-f7b4cade","user_agent":"python-httpx/0.28.1","traits":{"session_id":"ba5d27e7-c747-49d9-b5f0-1bb4cfff2672"}}', '2026-11-22 19:43:45.949641+00', '127.0.0.1') ON CONFLICT DO NOTHING;
INSERT INTO auth.users VALUES
	('00000000-0000-0000-0000-000000000000', '3d856b10-8187-49cb-93fc-f2ec821fd27d', 'authenticated', 'authenticated', 'ruth@example.com', '$2b$10$w92SHMh7pn6lNpCLFzmnTe..a18UrBLI.c028PZskwiO8UKxperTe', '2026-11-22 19:43:44.255669+00', NULL, '', NULL, 'k1:4ef86ed78588698ae947e3e8abfc432bb7ed2bb0c4e134e628673b0cf1f580de', '2026-11-22 19:43:45.942586+00', '', '', NULL, '2026-11-22 19:43:45.712753+00', '{"provider": "email", "providers": ["email"]}', '{"email_verified": true}', NULL, '2026-11-22 19:43:44.255669+00', '2026-11-22 19:43:45.942586+00', NULL, NULL, '', '', NULL, DEFAULT, '', 0, NULL, '', NULL, false, NULL, false) ON CONFLICT DO NOTHING;
INSERT INTO auth.identities VALUES
	('3d856b10-8187-49cb-93fc-f2ec821fd27d', '3d856b10-8187-49cb-93fc-f2ec821fd27d', '{"sub": "3d856b10-8187-49cb-93fc-f2ec821fd27d", "email": "ruth@example.com", "email_verified": true, "phone_verified": false}', 'email', '2026-11-22 19:43:45.712753+00', '2026-11-22 19:43:44.255669+00', '2026-11-22 19:43:45.712753+00', DEFAULT, 'b5f5f5b0-b393-4fd1-819e-c99b32ce096d') ON CONFLICT DO NOTHING;
INSERT INTO auth.sessions VALUES
	('ba5d27e7-c747-49d9-b5f0-1bb4cfff2672', '3d856b10-8187-49cb-93fc-f2ec821fd27d', '2026-11-22 19:43:45.712753+00', '2026-11-22 19:43:45.949641+00', NULL, 'aal1', NULL, '2026-11-22 19:43:45.949641', 'python-httpx/0.28.1', '127.0.0.1', NULL, NULL, 'k1:mc3hamFKBV6x1GjuCtj8WneEgWWg45DdoHr8dQsjvg0', 1, NULL) ON CONFLICT DO NOTHING;
INSERT INTO auth.mfa_amr_claims VALUES
	('ba5d27e7-c747-49d9-b5f0-1bb4cfff2672', '2026-11-22 19:43:45.712753+00', '2026-11-22 19:43:45.712753+00', 'password', '7f271789-c3d3-493d-b3a2-f8d1e285f5ac') ON CONFLICT DO NOTHING;
INSERT INTO auth.one_time_tokens VALUES
	('a4ca04bf-5f35-4574-bc08-5119831b335c', '3d856b10-8187-49cb-93fc-f2ec821fd27d', 'recovery_token', 'k1:4ef86ed78588698ae947e3e8abfc432bb7ed2bb0c4e134e628673b0cf1f580de', 'ruth@example.com', '2026-11-22 19:43:45.942586', '2026-11-22 19:43:45.942586') ON CONFLICT DO NOTHING;
INSERT INTO gateway.application_migrations VALUES
	('0001_private.sql', '354b9bb7cdb4cb9de8e6a752bcc8dfc729d9eb53d9e77f707bb69aeff9374495', '2026-11-22 19:43:43.730881+00'),
	('0004_user_roles.sql', '5a3eb582b6ca088cac17bcf43bfd8033b07323d2cccd781c06be6ff83d8f9316', '2026-11-22 19:43:43.732852+00'),
	('0005_blog_posts.sql', '41a2cbfe56cbe4e7e78857482aaa81d4b10084dd112885a26b70eb2f6dc78d61', '2026-11-22 19:43:43.736349+00'),
	('0006_blog_history.sql', '6b39f7a646f0510adc7a84dce1b4f1a8a57e2f6b0c73fef0196feb6d91579bb0', '2026-11-22 19:43:43.741646+00'),
	('0007_leads.sql', 'ab472a9bf3a7221a48ae199a724e44779843819469fa32759e09cbffdba20fdb', '2026-11-22 19:43:43.747368+00'),
	('0032_submit_lead.sql', '9a5100e5fc085b623c6dcdb6880135feaab82fd9714f7e73b49d8352c191eb30', '2026-11-22 19:43:43.759975+00'),
	('0033_lead_care.sql', '010dcdc6b75ab5391e8b79b69051ee2185512733be3f7fa2931f330052590dbc', '2026-11-22 19:43:43.765519+00'),
	('0052_lead_tallies.sql', '07ad4b7c75f3b3e03ca80f5e630dde16c8d798d881faca3b6111ec911f800649', '2026-11-22 19:43:43.769274+00'),
	('0053_lead_retries.sql', '99c3efc6f1e54abad52cfe75275a3353683e7c1ea5a310d2c304a10d90102913', '2026-11-22 19:43:43.772552+00'),
	('0060_clock_ahead.sql', 'dd3491ea2eccafaa08f34c86e23f1c9398e719bb1699990497ed588222832e82', '2026-11-22 19:43:43.774726+00'),
	('0062_held_leads.sql', 'dacdb7cdbf68085f6175dbf4574f8dd1d7d15a822ab6b2cdafc2a3da0399fbfc', '2026-11-22 19:43:43.777141+00'),
	('0090_hooks.sql', '5790accce5b80169741bee22eb86b8b51bebd383370d7e5c9aeaa27ace1bfb0e', '2026-11-22 19:43:43.780831+00'),
	('0091_roles_table.sql', 'c831b35d5ac5544076997a705d57ca96a9b0b176c326ec679c778e391ba6d456', '2026-11-22 19:43:43.785155+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.hooks VALUES
	('metrics', 'private.lead_metrics()'),
	('alarms', 'private.lead_alarms()'),
	('erasure', 'private.erase_leads(text[],jsonb,boolean)') ON CONFLICT DO NOTHING;
INSERT INTO gateway.migrations VALUES
	('roles/0001_roles.sql', '207b2ac7728508c37f3d7e4fe527bde1254d1936fcd66d0643a8edff048810b2', '2026-11-22 19:43:43.587057+00'),
	('auth/0002_auth.sql', '5c72a9381b594e5fe11fb9adc92269649eed755d1e21e15f645604e1690918c7', '2026-11-22 19:43:43.599698+00'),
	('tables/0003_schema_reload.sql', '5592efc83e5725f395ad071a3330657dc03e8b1118bddb457c796d83a08bf03d', '2026-11-22 19:43:43.640347+00'),
	('auth/0020_auth_defence.sql', 'd7b9478fe58287e0ee97c69cae9bffec276cb5e879d4e7a00e8bad147837554f', '2026-11-22 19:43:43.643248+00'),
	('auth/0021_api_key_uses.sql', 'c5a7fd55ca8ed89e7bfdfb4c84659ab4373b23377080329d40764fd34527bf7f', '2026-11-22 19:43:43.647259+00'),
	('jobs/0030_job_queue.sql', '6c826f8fd47b106cc6c1367053338d3bb73c7a84ae57877ce590b07c37f48a60', '2026-11-22 19:43:43.649908+00'),
	('jobs/0031_mail_jobs.sql', 'fc8e07806b7851194ae0e4867d8b2c29cc12c48d00cbc1fba661c2975fed7acf', '2026-11-22 19:43:43.660904+00'),
	('jobs/0040_sent_auth_mails.sql', '0af4c736d007594a1f694cb474b27753a05c07a58f5df5f61f530cc5f4981371', '2026-11-22 19:43:43.664757+00'),
	('jobs/0041_sealed_auth_mails.sql', '9d601d2bf4beffe775712709600ef459e815fedc1348622bc8b14fbaa6b921cd', '2026-11-22 19:43:43.667616+00'),
	('jobs/0051_request_ids.sql', 'e618cff27907702a0df4a8b26556063061ffcd8615815113ddd34b5545780b42', '2026-11-22 19:43:43.669431+00'),
	('jobs/0061_unanswered_mail.sql', '3db5aa75e536a3b89bba8594638b65b625f88031dcd2c9b51d503d7ddabb9060', '2026-11-22 19:43:43.671631+00'),
	('jobs/0063_job_troubles.sql', '303c9b1e874d2176e1d179cd1f335301149e83f585e93d5e63f4328c2ecb32cc', '2026-11-22 19:43:43.674039+00'),
	('roles/0075_service_logins.sql', '311ab65498a1486f9b825ec24e7b247cf5084810f5905b533b9336de5dda1654', '2026-11-22 19:43:43.677167+00'),
	('gateway/0080_maintenance.sql', '41bc8c7f0485925c2195abb0a3a0b3b92ab0f03e04f651bb45545a4e85845614', '2026-11-22 19:43:43.679624+00'),
	('gateway/0090_hooks.sql', 'bd8f4de184648aeb99b6ab604a115f34c436968532ac01724a0afa8fcc375989', '2026-11-22 19:43:43.682621+00'),
	('gateway/0091_tallies.sql', '7b452ba0e869304e6b2f0c595182724ddc816ce59e8aa46c8ca2b49156144f08', '2026-11-22 19:43:43.686214+00'),
	('gateway/0092_erasure.sql', '4b32dc50cd7da8d587a97a554710ff9cb94b2182c2e22932cf4ba479782bddf3', '2026-11-22 19:43:43.690476+00'),
	('gateway/0093_retention.sql', '08d3c12298bcf59b6469647cb0e303a34967bb33a0eb338884a96f79c4b8edba', '2026-11-22 19:43:43.693856+00'),
	('gateway/0094_account_roles.sql', 'd11e45506d241656cc36563af2928e053d08489cbda45b605473209aaf9bc3f4', '2026-11-22 19:43:43.697523+00'),
	('storage/0100_buckets_and_objects.sql', '53e6c94920e3a84b222c117c06208f280b589ffb9854caf7622234ebc2ed2522', '2026-11-22 19:43:43.700215+00'),
	('storage/0101_listing.sql', 'f2983e997d1de91facbde538390ebe89b450df9120202529c11ba900727495ea', '2026-11-22 19:43:43.714148+00'),
	('storage/0102_blobs.sql', '4763ab6fe62d185d6f54589307c7dc63915495d77eaec9e3ac5ca023e901632c', '2026-11-22 19:43:43.718665+00'),
	('storage/0103_resumable_uploads.sql', '9345a2a7d3c907768b899d63f13ab0cdbf2ce6e82a470ba9bd479f3f308d1181', '2026-11-22 19:43:43.726074+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.retention VALUES
	('audit', 'gateway.forget_audit(integer,integer)', NULL),
	('mails', 'gateway.forget_mails(integer,integer)', NULL),
	('leads', 'private.forget_leads(integer,integer)', NULL),
	('audit', 'private.forget_lead_audit(integer,integer)', NULL),
	('lead_counters', 'private.forget_lead_counters(integer,integer)', 2) ON CONFLICT DO NOTHING;
INSERT INTO gateway.roles_table VALUES
	(true, 'public.user_roles') ON CONFLICT DO NOTHING;
INSERT INTO gateway.tallies VALUES
	('leads_total', '{"form": "contact"}', 1) ON CONFLICT DO NOTHING;
INSERT INTO gateway.throttle VALUES
	('password:424e71421c57ddef06c4a3f6c1155e48', 30, '2026-11-22 19:43:45.712753+00', NULL),
	('known:place:089b6271afa5f8a56415604357a41a9f', 0, '2026-11-22 19:43:45.712753+00', NULL),
	('recover:424e71421c57ddef06c4a3f6c1155e48', 29, '2026-11-22 19:43:45.942586+00', NULL),
	('mail-recovery:48eeb7e5951adf52f3a63b6ac38f806f', 0, '2026-11-22 19:43:45.942586+00', NULL),
	('mail', 29, '2026-11-22 19:43:45.942586+00', NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_jobs VALUES
	(1, 'mail', 'mail.send', 50, NULL, NULL, '{"mail": {"to": ["leads@unitedmedicalwaste.example"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Contact message from Lena Okafor</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">Contact message from Lena Okafor</h1><p style=\"background:#B3261E;color:#fff;padding:8px 12px;font-weight:700\">URGENT</p><table cellspacing=''0''><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Priority</th><td style=\"padding:4px 0\">Urgent (same day)</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Name</th><td style=\"padding:4px 0\">Lena Okafor</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Email</th><td style=\"padding:4px 0\">lena@example.com</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Phone</th><td style=\"padding:4px 0\">(508) 555-0142</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Company</th><td style=\"padding:4px 0\">Okafor Dental</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Subject</th><td style=\"padding:4px 0\">Extra pickup</td></tr></table><p style=\"white-space:pre-wrap;border-left:3px solid #0F5D6B;padding-left:12px\">Two boxes are full.</p><p>Reply to this mail to answer lena@example.com.</p></div></div></body></html>", "kind": "contact-notice", "text": "[URGENT] Contact message from Lena Okafor\n\nPriority: Urgent (same day)\nName:     Lena Okafor\nEmail:    lena@example.com\nPhone:    (508) 555-0142\nCompany:  Okafor Dental\nSubject:  Extra pickup\n\nTwo boxes are full.\n\nReply to this mail to answer lena@example.com.\n", "headers": {"Importance": "high", "X-Priority": "1", "X-Lead-Kind": "contact"}, "request": "c3753010-f7b4cadc", "subject": "[URGENT] Contact: Extra pickup", "reply_to": "lena@example.com", "alarm_after": 600}, "queued_at": "2026-11-22T19:43:45.93238+00:00"}', 'todo', NULL, 0, false, NULL),
	(2, 'mail', 'mail.send', 0, NULL, NULL, '{"mail": {"to": ["lena@example.com"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>We have received your message</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">We have received your message</h1><p>Hello Lena Okafor,</p><p>Thank you for contacting us. We&#x27;ll respond within 24 hours.</p><p>You marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.</p><p>United Medical Waste<br>(508) 555-0142<br>service@unitedmedicalwaste.example</p></div></div></body></html>", "kind": "contact-confirmation", "text": "Hello Lena Okafor,\n\nThank you for contacting us. We''ll respond within 24 hours.\n\nYou marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.\n\nUnited Medical Waste\n(508) 555-0142\nservice@unitedmedicalwaste.example\n", "headers": {"Auto-Submitted": "auto-replied"}, "request": "c3753010-f7b4cadc", "subject": "We have received your message", "reply_to": "service@unitedmedicalwaste.example"}, "queued_at": "2026-11-22T19:43:45.93238+00:00"}', 'todo', NULL, 0, false, NULL),
	(3, 'mail', 'mail.send', 10, NULL, NULL, '{"mail": {"to": ["ruth@example.com"], "kind": "auth.recovery", "text": "What this mail says is sealed until it is sent.", "sealed": "gAAAAABrA0XxgN6W9203tu8-9qIxrxcXbrVJon5CHrubmARxzotsMQS9ZSdLqQAGYvlywVBDc4n2_hRrablu0UXBh0b2pv_5iPOSr2WuJOzBiopr2_PAlTC9o4mXERopyuspcXvmpq4oVW6QRpgty19fcdRXKZDskKIv679FQsReGsm6S7C9MXFhfXo8e_lyIrUwYyROLCnAry92_7vmICFiDkcfCCSS3lrYbme2v36iA8ZgpqpfXak6WcKLS9CxBgeFUHRVN1VMco4pDV_hkmS6t6F7QefFPJTqIHhTnIXDcmgtYQB5nuMQCUhBbtWS_Il-kJjdVbaBX6g98JVU5Ry6pmDN0anSK1WZUMmtB1zX8Bc8yX_diC2xbZRGjuMhhpP7dfY4En7SXIOARM74m_3YaQZiKRhNFdtsgGYdAXMqOXSUwuZc0JqAfpXlncZsnuRY5bmAHZ_WPKpxgcMvWKz2KOwQ9YA8fuv3Sbjqi3BD-sjbdCoriD7GCjg7COW9zc0POoASKasuZCBDESd_qUVHjUNsRhbiszZHkiHUW0NwaoNMOLTwl-um7tPcwUbAvBGLNb-bOTgvEo8fEPvuf54Uwp-zWU-97fslbFAH5cVLbig3y5ZTnmMXII2CZ4M015-oHX7krFW1E92PlD0LxiX3Ph_GKnsDYnIvrHipzQsGoU3NnGuw9XiiGc1uSrXODXzEsELvSUAR39tearZaj-a0VOAJ7T22yCUxn-j0M9tP31pOI75cfKjIKXrlFIwDuk6YncPz97WKiZbWhJzIs2YGzssJvGlfWEw1LNgdsr_DdmQ4WBUhG80fRhjA9eMBUfExQi9wfC1IrTARFXhBacEG6pDacpHNcldv1utLBYtfkCp24izG2-F9LETwSWc8EbrIhrr7fxy8kT_EUz7yAvR4byZmoUqKNlKtY7QJD2Yue3uPwansYL8QU-7SzM8eVes9KqjwiJfyVPu4347xC7L1mUmQSp0wnZUuvqX9n1TY_-DZerIq84PHr1GsHT7XYr3qonkJIrwWr8q2Dfqpeyk7QDg7nbSZJHxj6AMaV7p0kRSFCxeldy0weGnE4aORnLf1GSxoFDIo4oCHkISQECsFAV4Jw2X0QipEwroHh64WVdEyxdokIVc5Oua8xsYH2xOiWzbENiQPPNCvk2lihLDVY2erzl81uvbAVp2bCPlJaVqV7DeYakW_ZuYArT3s1jR-9AkN3UzAv3SmtoaalWz_O5xPXqEaLlIJtmZt3Ws4vZwZCTAtX3GMJe2PXs_GmWx5uLYka1yRl58ewcmBxPUvuEMM4ezXCMw5iq83Y_UyXGXx4ZN19hlunc1vKXvDiaXa73gscaSrAvzLXSadpH_Bbidl_C10u1ei6Gv2I0viacPQHCTMliTIgJZ5F3CoOBYfoQKg7cNYHI4XGEzSwUKVWJg4qeEm2PYo_L3eBNPs6zrkibKGJp2DfD0vW-2ja9JC9hAfOz4iFNVr9WJ4hypDAzIDBNB1lCjNhlkSUeum_EQyikUf1HUBulPwgWhZdah-ta8U6PljnqmHky2ILGDWtPv7beSskiANtWLeB2PPLOMI_XmO8PFVD5QTF6lTsitCGMkUxLWAmJuiOpVdtd4OzURRHOf9TAQ_nYX9eu2-kUzliCsGyC6Cv69VYP0PMVXUFCb4vrPgR3l-_l89O76ifsGsgbEQyQXF0nHWNAKXlD4ZHyE5T7PCYobVPNX44_YqZ0_zBoUuqcvoOgZNAs_9g88ytZHXYR_rohRsuf_ov9-Bwl1myXNUcCCTfLVvCdqibcsWBFxhueycei9gMjscFJYnXM1nOwFlRgexSB7apP8fq3u-pypyJ9QmC3Xb5bei079yfJxZ3HxS1XSx98vyNksrR_ectiuwT-zkgRf_pFxsMvEbq0bONWWgEpLHlXwYCGb9D67KDhiyBxczHnfgqLshnHkp1kl-vV1KcQ-1bk6bAlXjpJLPn89HXoQarMnoovEAc3rpkk26TVTSXmwsqdByAUelJ6Z6fX7IOfipaYppTB-fIlZnYA2WngpP0c1ePk0fst-7GVhq63XWXb7GeZiv2kh3vddCJILM-JBzR9FT88N-tjl7QTprWEkJ1RZU7AnP2Z41vxsF-NaYc9YXM5PIujBQYR3pgimC25bAtZECYI4wiJnBd0s4iCZ3EJ-AyQ7K9LvLftkzkjhxYu7Y-jHTqGETyyYztz5cTSdHowFPm8BpxBa6AeUOcu4YfbtBajTd4QlEmDKpQf7UUbQl2hrjh_eIqERnUN3ATh5XqRm6swA-uNrn-eCZO1oY7JwPBORPOcYmCiLad4wp1brS4O6NwjPoqVZnEEVeX3omouWTRpFQ4qi_Lr5dXydzZ4-ALBj0PmpRp64-aBLLA4_sKu24g1Rio0FoNSzgIMPq7XCWSHuadNwjrOHnAiBRQ0wz-AwAXOScMxB3glNDBQYWB3LrImArbwmCr0flykJhsZm3gJCzOE5XgJyBJL6mCnUoGPt7-PC4-6fVsoP9oHZDZB1gRfLIhTPyBjXKSYrPETQbWSNlR2Pk96hzCA3MoMf7tbTky00ZXOFgrMZtr8PWi6UEeD8iL9DJZ3K-SOIMxIMorHfYJVpu65esEuXeDvHGZEaRYZmpzanlbe8prFOvU8n26SHWHeJ5i1xXrdkWwNhEp_IcWaayojSdi3MOJ4A4QlXxxtijKkmm4H8o5TWFQOMV7Znq90m2LkvKs_RuovEQcuS5tfvx8D7J_kmJoSx2UrvQ0D5jfOpVdz0wH0Tx4rezOUtIxH_ie3-lgUS-FW-Eft2Nf60ojApU6UMB6Cjll5uUTKzo6rc5sUdJXxf2c7xuUNI722th-coZ-4-Sn1FzUDKXoU1tVWad7rWDPYMXuJfmSz1XgmeyCtOKGZDaF3UExImxKMHw-smY0kctgyuBPZY3IxqYaXLI78fvJcZwXRkn5sgKPA0Qr0397L5cZinAIWhSJ6uj5QVCxzHe3pob00SZs_X5khNj2GgqifxdF59OFRcSvty49MhzEXHBSfrLu8dtEjekpY17vP7p9xKyqUO5Ty3e0XM7VldO7DeTAb_uE8wSAJkLjCfar1jzL3LvMFRpMMgnZXAITE7esIDqvrbBDHJieyJMQ3DCsBn7gdZq1g5ukAHfQ6WdiWH0SJhi5nLg_WLmTpy3VOtdRX_QlFA2h4aZACsOVaGM_9lKGQen5UYgTgue7lv6PXbe5hHGD6sWX0z_mwrTwEYO1jlTn8NCUiBoHC5emdNT-Wb-Ojz3VSs-EWmxm-eSFqitLL0WjilsvA==", "headers": {"Auto-Submitted": "auto-generated"}, "request": "c3753010-f7b4cadd", "subject": "Reset your password", "reply_to": null}, "queued_at": "2026-11-22T19:43:45.949323+00:00"}', 'todo', NULL, 0, false, NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_events VALUES
	(1, 1, 'deferred', '2026-11-22 19:43:45.93238+00'),
	(2, 2, 'deferred', '2026-11-22 19:43:45.93238+00'),
	(3, 3, 'deferred', '2026-11-22 19:43:45.949323+00') ON CONFLICT DO NOTHING;
INSERT INTO private.lead_counters VALUES
	('contact', 'address', '12ca17b49af2289436f303e0166030a21e525d266e209267433801a8fd4071a0', 19, '2026-11-22 19:43:45.933949+00'),
	('contact', 'email', '07a0a464fe3954d579bc1bc6c5d32dc7390b944e8fd1c77e24290f3f029528e1', 5, '2026-11-22 19:43:45.934552+00'),
	('contact', 'form', '093e7d5fdbaacfa92448861b11075b3fba532a07d945b49a44919252f5e830ad', 599, '2026-11-22 19:43:45.934686+00') ON CONFLICT DO NOTHING;
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
INSERT INTO public.blog_posts VALUES
	('069e51d1-b08d-4260-8651-750004ab162b', 'Draft', 'draft', 'Second', '<p>Draft</p>', NULL, 'United Medical Waste', '{}', false, NULL, 5, NULL, NULL, '2026-11-22 19:43:45.800959+00', '2026-11-22 19:43:45.800959+00'),
	('cf454840-c4e0-4817-977a-1922becbf61d', 'Kept', 'kept', 'First, edited', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-22 19:43:45.795385+00', '2026-11-22 19:43:45.80437+00') ON CONFLICT DO NOTHING;
INSERT INTO public.blog_post_revisions VALUES
	('f686b8ee-3144-4617-ac07-18232f38d696', 'cf454840-c4e0-4817-977a-1922becbf61d', 'Kept', 'kept', 'First', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-22 19:43:45.795385+00', '2026-11-22 19:43:45.804667+00', '3d856b10-8187-49cb-93fc-f2ec821fd27d') ON CONFLICT DO NOTHING;
INSERT INTO public.contact_messages VALUES
	('0312f2fb-ab52-4fe0-988f-7d26ae68d372', 'a-lead-of-an-older-version:2ca4c259f1fe4d0481bd0334e9438fc1', 'new', NULL, 'Lena Okafor', 'lena@example.com', '(508) 555-0142', 'Okafor Dental', 'Extra pickup', 'Two boxes are full.', 'urgent', '2026-11-22 19:43:45.93238+00', '2026-11-22 19:43:45.93238+00') ON CONFLICT DO NOTHING;
INSERT INTO public.user_roles VALUES
	('d8491744-1d6c-4d26-9f7a-b31d4b2a67de', '3d856b10-8187-49cb-93fc-f2ec821fd27d', 'admin', '2026-11-22 19:43:44.692697+00') ON CONFLICT DO NOTHING;
SELECT pg_catalog.setval('auth.refresh_tokens_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.mail_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_events_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_jobs_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_periodic_defers_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_workers_id_seq', 1, false);
SELECT pg_catalog.setval('private.lead_audit_id_seq', 1, false);
