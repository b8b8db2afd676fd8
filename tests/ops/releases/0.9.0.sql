-- Written by `python -m tests.ops.cut 0.9.0`.
-- refresh token: AJWt2LWT_0lGnCTej6JhPvoBcOJSGZabKYgI6NTyIbmC2RcCnv0
INSERT INTO auth.audit_log_entries VALUES
	('00000000-0000-0000-0000-000000000000', 'c46feaf7-04be-492c-9220-b9993a538ff6', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"user_signedup","log_type":"team","outcome":"success","request_id":"cli-5607","user_agent":"gateway","traits":{"user_id":"eef91064-5b99-45d2-a7c2-3f36470d5225","user_email":"ruth@example.com"}}', '2026-11-23 16:32:40.144822+00', ''),
	('00000000-0000-0000-0000-000000000000', 'cf02c152-25fb-474e-8992-64abe0e5a3f9', '{"actor_id":"00000000-0000-0000-0000-000000000000","actor_username":"root (command line)","actor_via_sso":false,"action":"role_granted","log_type":"team","outcome":"success","request_id":"cli-5609","user_agent":"gateway","traits":{"user_id":"eef91064-5b99-45d2-a7c2-3f36470d5225","user_email":"ruth@example.com","role":"admin"}}', '2026-11-23 16:32:40.493532+00', ''),
	('00000000-0000-0000-0000-000000000000', '0df1af0e-3674-4a15-91fe-bf13170a85a1', '{"actor_id":"eef91064-5b99-45d2-a7c2-3f36470d5225","actor_username":"ruth@example.com","actor_via_sso":false,"action":"login","log_type":"account","outcome":"success","request_id":"871b3af4-38cc2643","user_agent":"python-httpx/0.28.1","traits":{"provider":"email"}}', '2026-11-23 16:32:41.623605+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', '68ca3d36-ed2b-4805-b1d3-bed4673daaba', '{"actor_id":"eef91064-5b99-45d2-a7c2-3f36470d5225","actor_username":"ruth@example.com","actor_via_sso":false,"action":"user_recovery_requested","log_type":"user","outcome":"success","request_id":"871b3af4-38cc2648","user_agent":"python-httpx/0.28.1","traits":{"kind":"recovery"}}', '2026-11-23 16:32:41.944944+00', '127.0.0.1'),
	('00000000-0000-0000-0000-000000000000', 'da45b882-ddad-4b09-88fd-ff966e037ee8', '{"actor_id":"eef91064-5b99-45d2-a7c2-3f36470d5225","actor_username":"ruth@example.com","actor_via_sso":false,"action":"token_refreshed","log_type":"token","outcome":"success","request_id":"871b3af4-38cc2649","user_agent":"python-httpx/0.28.1","traits":{"session_id":"95add8b5-93ff-4946-9c24-de8fa2613efa"}}', '2026-11-23 16:32:41.951898+00', '127.0.0.1') ON CONFLICT DO NOTHING;
INSERT INTO auth.users VALUES
	('00000000-0000-0000-0000-000000000000', 'eef91064-5b99-45d2-a7c2-3f36470d5225', 'authenticated', 'authenticated', 'ruth@example.com', '$2b$10$tfxV34LOeaQoyzMt5Ek.w.FAmprA.bMynTA5BwQfW7RVLB4QZaF/u', '2026-11-23 16:32:40.082435+00', NULL, '', NULL, 'k1:d62e484c6d75c96b96d4e35d3595b9c3dee90a0f3e4253ac6d9e1de7b4f02c76', '2026-11-23 16:32:41.944944+00', '', '', NULL, '2026-11-23 16:32:41.623605+00', '{"provider": "email", "providers": ["email"]}', '{"email_verified": true}', NULL, '2026-11-23 16:32:40.082435+00', '2026-11-23 16:32:41.944944+00', NULL, NULL, '', '', NULL, DEFAULT, '', 0, NULL, '', NULL, false, NULL, false) ON CONFLICT DO NOTHING;
INSERT INTO auth.identities VALUES
	('eef91064-5b99-45d2-a7c2-3f36470d5225', 'eef91064-5b99-45d2-a7c2-3f36470d5225', '{"sub": "eef91064-5b99-45d2-a7c2-3f36470d5225", "email": "ruth@example.com", "email_verified": true, "phone_verified": false}', 'email', '2026-11-23 16:32:41.623605+00', '2026-11-23 16:32:40.082435+00', '2026-11-23 16:32:41.623605+00', DEFAULT, '1c3b6291-290d-43f9-9876-887fdc430f0c') ON CONFLICT DO NOTHING;
INSERT INTO auth.sessions VALUES
	('95add8b5-93ff-4946-9c24-de8fa2613efa', 'eef91064-5b99-45d2-a7c2-3f36470d5225', '2026-11-23 16:32:41.623605+00', '2026-11-23 16:32:41.951898+00', NULL, 'aal1', NULL, '2026-11-23 16:32:41.951898', 'python-httpx/0.28.1', '127.0.0.1', NULL, NULL, 'k1:9rkDflGG94HXjCF9LOFxOP58mxke89kAcmCGCxMXWPs', 1, NULL) ON CONFLICT DO NOTHING;
INSERT INTO auth.mfa_amr_claims VALUES
	('95add8b5-93ff-4946-9c24-de8fa2613efa', '2026-11-23 16:32:41.623605+00', '2026-11-23 16:32:41.623605+00', 'password', 'e17f4c92-4d1b-4b7b-a6b1-3b9ae0e73ce4') ON CONFLICT DO NOTHING;
INSERT INTO auth.one_time_tokens VALUES
	('497d942c-3a97-4768-82a4-577a3d588d88', 'eef91064-5b99-45d2-a7c2-3f36470d5225', 'recovery_token', 'k1:d62e484c6d75c96b96d4e35d3595b9c3dee90a0f3e4253ac6d9e1de7b4f02c76', 'ruth@example.com', '2026-11-23 16:32:41.944944', '2026-11-23 16:32:41.944944') ON CONFLICT DO NOTHING;
INSERT INTO auth.schema_migrations VALUES
	('20171026211738'),
	('20171026211808'),
	('20171026211834'),
	('20180103212743'),
	('20180108183307'),
	('20180119214651'),
	('20180125194653'),
	('00'),
	('20210710035447'),
	('20210722035447'),
	('20210730183235'),
	('20210909172000'),
	('20210927181326'),
	('20211122151130'),
	('20211124214934'),
	('20211202183645'),
	('20220114185221'),
	('20220114185340'),
	('20220224000811'),
	('20220323170000'),
	('20220429102000'),
	('20220531120530'),
	('20220614074223'),
	('20220811173540'),
	('20221003041349'),
	('20221003041400'),
	('20221011041400'),
	('20221020193600'),
	('20221021073300'),
	('20221021082433'),
	('20221027105023'),
	('20221114143122'),
	('20221114143410'),
	('20221125140132'),
	('20221208132122'),
	('20221215195500'),
	('20221215195800'),
	('20221215195900'),
	('20230116124310'),
	('20230116124412'),
	('20230131181311'),
	('20230322519590'),
	('20230402418590'),
	('20230411005111'),
	('20230508135423'),
	('20230523124323'),
	('20230818113222'),
	('20230914180801'),
	('20231027141322'),
	('20231114161723') ON CONFLICT DO NOTHING;
INSERT INTO auth.schema_migrations VALUES
	('20231117164230'),
	('20240115144230'),
	('20240214120130'),
	('20240306115329'),
	('20240314092811'),
	('20240427152123'),
	('20240612123726'),
	('20240729123726'),
	('20240802193726'),
	('20240806073726'),
	('20241009103726'),
	('20250717082212'),
	('20250731150234'),
	('20250804100000'),
	('20250901200500'),
	('20250903112500'),
	('20250904133000'),
	('20250925093508'),
	('20251007112900'),
	('20251104100000'),
	('20251111201300'),
	('20251201000000'),
	('20260115000000'),
	('20260121000000'),
	('20260219120000'),
	('20260302000000'),
	('20260625000000') ON CONFLICT DO NOTHING;
INSERT INTO gateway.application_migrations VALUES
	('0001_private.sql', '354b9bb7cdb4cb9de8e6a752bcc8dfc729d9eb53d9e77f707bb69aeff9374495', '2026-11-23 16:32:39.451773+00'),
	('0004_user_roles.sql', '5a3eb582b6ca088cac17bcf43bfd8033b07323d2cccd781c06be6ff83d8f9316', '2026-11-23 16:32:39.45464+00'),
	('0005_blog_posts.sql', '41a2cbfe56cbe4e7e78857482aaa81d4b10084dd112885a26b70eb2f6dc78d61', '2026-11-23 16:32:39.460365+00'),
	('0006_blog_history.sql', '6b39f7a646f0510adc7a84dce1b4f1a8a57e2f6b0c73fef0196feb6d91579bb0', '2026-11-23 16:32:39.467938+00'),
	('0007_leads.sql', 'ab472a9bf3a7221a48ae199a724e44779843819469fa32759e09cbffdba20fdb', '2026-11-23 16:32:39.476958+00'),
	('0032_submit_lead.sql', '9a5100e5fc085b623c6dcdb6880135feaab82fd9714f7e73b49d8352c191eb30', '2026-11-23 16:32:39.494438+00'),
	('0033_lead_care.sql', '010dcdc6b75ab5391e8b79b69051ee2185512733be3f7fa2931f330052590dbc', '2026-11-23 16:32:39.502726+00'),
	('0052_lead_tallies.sql', '07ad4b7c75f3b3e03ca80f5e630dde16c8d798d881faca3b6111ec911f800649', '2026-11-23 16:32:39.506945+00'),
	('0053_lead_retries.sql', '99c3efc6f1e54abad52cfe75275a3353683e7c1ea5a310d2c304a10d90102913', '2026-11-23 16:32:39.510452+00'),
	('0060_clock_ahead.sql', 'dd3491ea2eccafaa08f34c86e23f1c9398e719bb1699990497ed588222832e82', '2026-11-23 16:32:39.512845+00'),
	('0062_held_leads.sql', 'dacdb7cdbf68085f6175dbf4574f8dd1d7d15a822ab6b2cdafc2a3da0399fbfc', '2026-11-23 16:32:39.515586+00'),
	('0090_hooks.sql', '5790accce5b80169741bee22eb86b8b51bebd383370d7e5c9aeaa27ace1bfb0e', '2026-11-23 16:32:39.519836+00'),
	('0091_roles_table.sql', 'c831b35d5ac5544076997a705d57ca96a9b0b176c326ec679c778e391ba6d456', '2026-11-23 16:32:39.524733+00'),
	('0092_reachable_posts.sql', '731a68f203888bd9b00979f523bcf5a49326921bc8a19b601a4305542eaa6f7e', '2026-11-23 16:32:39.527703+00'),
	('0093_editors_desk.sql', 'a7bf37579f9009c5c52c32c19f9adca8c0452275f2e48edd250ed63704a9ee5a', '2026-11-23 16:32:39.530926+00'),
	('0150_live_lists.sql', 'e791f198308fd58590f61b7d8aa6a117f37d6159a21f4b7c7eec4638388702d9', '2026-11-23 16:32:39.537468+00'),
	('0160_pictures.sql', 'b5898cea3be37655243638ba143fae2296ff89b2a03c12410bd6df24b8e1ea83', '2026-11-23 16:32:39.542591+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.hooks VALUES
	('metrics', 'private.lead_metrics()'),
	('alarms', 'private.lead_alarms()'),
	('erasure', 'private.erase_leads(text[],jsonb,boolean)') ON CONFLICT DO NOTHING;
INSERT INTO gateway.migrations VALUES
	('roles/0001_roles.sql', '207b2ac7728508c37f3d7e4fe527bde1254d1936fcd66d0643a8edff048810b2', '2026-11-23 16:32:39.090936+00'),
	('auth/0002_auth.sql', '5c72a9381b594e5fe11fb9adc92269649eed755d1e21e15f645604e1690918c7', '2026-11-23 16:32:39.102666+00'),
	('tables/0003_schema_reload.sql', '5592efc83e5725f395ad071a3330657dc03e8b1118bddb457c796d83a08bf03d', '2026-11-23 16:32:39.154288+00'),
	('auth/0020_auth_defence.sql', 'd7b9478fe58287e0ee97c69cae9bffec276cb5e879d4e7a00e8bad147837554f', '2026-11-23 16:32:39.158264+00'),
	('auth/0021_api_key_uses.sql', 'c5a7fd55ca8ed89e7bfdfb4c84659ab4373b23377080329d40764fd34527bf7f', '2026-11-23 16:32:39.162129+00'),
	('jobs/0030_job_queue.sql', '6c826f8fd47b106cc6c1367053338d3bb73c7a84ae57877ce590b07c37f48a60', '2026-11-23 16:32:39.164348+00'),
	('jobs/0031_mail_jobs.sql', 'fc8e07806b7851194ae0e4867d8b2c29cc12c48d00cbc1fba661c2975fed7acf', '2026-11-23 16:32:39.176808+00'),
	('jobs/0040_sent_auth_mails.sql', '0af4c736d007594a1f694cb474b27753a05c07a58f5df5f61f530cc5f4981371', '2026-11-23 16:32:39.180498+00'),
	('jobs/0041_sealed_auth_mails.sql', '9d601d2bf4beffe775712709600ef459e815fedc1348622bc8b14fbaa6b921cd', '2026-11-23 16:32:39.182846+00'),
	('jobs/0051_request_ids.sql', 'e618cff27907702a0df4a8b26556063061ffcd8615815113ddd34b5545780b42', '2026-11-23 16:32:39.18427+00'),
	('jobs/0061_unanswered_mail.sql', '3db5aa75e536a3b89bba8594638b65b625f88031dcd2c9b51d503d7ddabb9060', '2026-11-23 16:32:39.185493+00'),
	('jobs/0063_job_troubles.sql', '303c9b1e874d2176e1d179cd1f335301149e83f585e93d5e63f4328c2ecb32cc', '2026-11-23 16:32:39.187046+00'),
	('roles/0075_service_logins.sql', '311ab65498a1486f9b825ec24e7b247cf5084810f5905b533b9336de5dda1654', '2026-11-23 16:32:39.190295+00'),
	('gateway/0080_maintenance.sql', '41bc8c7f0485925c2195abb0a3a0b3b92ab0f03e04f651bb45545a4e85845614', '2026-11-23 16:32:39.193074+00'),
	('gateway/0090_hooks.sql', 'bd8f4de184648aeb99b6ab604a115f34c436968532ac01724a0afa8fcc375989', '2026-11-23 16:32:39.196969+00'),
	('gateway/0091_tallies.sql', '7b452ba0e869304e6b2f0c595182724ddc816ce59e8aa46c8ca2b49156144f08', '2026-11-23 16:32:39.200926+00'),
	('gateway/0092_erasure.sql', '4b32dc50cd7da8d587a97a554710ff9cb94b2182c2e22932cf4ba479782bddf3', '2026-11-23 16:32:39.205321+00'),
	('gateway/0093_retention.sql', '08d3c12298bcf59b6469647cb0e303a34967bb33a0eb338884a96f79c4b8edba', '2026-11-23 16:32:39.209145+00'),
	('gateway/0094_account_roles.sql', 'd11e45506d241656cc36563af2928e053d08489cbda45b605473209aaf9bc3f4', '2026-11-23 16:32:39.213096+00'),
	('storage/0100_buckets_and_objects.sql', '53e6c94920e3a84b222c117c06208f280b589ffb9854caf7622234ebc2ed2522', '2026-11-23 16:32:39.216275+00'),
	('storage/0101_listing.sql', 'f2983e997d1de91facbde538390ebe89b450df9120202529c11ba900727495ea', '2026-11-23 16:32:39.228258+00'),
	('storage/0102_blobs.sql', '4763ab6fe62d185d6f54589307c7dc63915495d77eaec9e3ac5ca023e901632c', '2026-11-23 16:32:39.232971+00'),
	('storage/0103_resumable_uploads.sql', '9345a2a7d3c907768b899d63f13ab0cdbf2ce6e82a470ba9bd479f3f308d1181', '2026-11-23 16:32:39.241396+00'),
	('roles/0110_hosted_roles.sql', '22ce8dfe5385bfa2069d88b1ebf606a8cddb9cf006d302b6cbb1ae1a8810fd57', '2026-11-23 16:32:39.247586+00'),
	('roles/0111_owners.sql', 'b0d190ec92b0d19d71c93bb9bdf5f393ab97bda6e601856f3d1752e6c9b97014', '2026-11-23 16:32:39.250206+00'),
	('projects/0112_shells.sql', 'd864a05c1000ec61e6c00463f70d2bbf2b12c0a963cd889686e000ffd4bb3412', '2026-11-23 16:32:39.259054+00'),
	('projects/0113_role_defaults.sql', 'a0d871aa61e9914dbfadd211ae6c5e4790f50b8533772b85b3c16006d1f0fbfe', '2026-11-23 16:32:39.285994+00'),
	('projects/0114_vault.sql', '4054461fe353b84104d092bcc7dc7bcbb21b4e992d0c32b78d393e2cde69bad6', '2026-11-23 16:32:39.288606+00'),
	('projects/0115_schemas.sql', 'ada4761dc714856392bbfb1cd5ddf30f87d73d7d3a5adad1cc3a66aaa5ae62e6', '2026-11-23 16:32:39.295772+00'),
	('projects/0116_reset.sql', '19da1450ee3862787c098ed43661d595fbc5785691a0f2e47cbfe10928347305', '2026-11-23 16:32:39.298258+00'),
	('auth/0130_newest_shape.sql', '3bfef72c90e52f907ad10b21f7ce88ea5b67c0414c2ccdaf34ee9a2be6caabc0', '2026-11-23 16:32:39.300719+00'),
	('storage/0140_row_changes.sql', '53fc4e3b8e43244667dda0ef221c8fca6b995fdd30cbcfe4c701c76062afefb5', '2026-11-23 16:32:39.304999+00'),
	('storage/0141_pages_for_less.sql', 'f002e3b5decc7aa8f7e741f86fd35e7fce696db4c6b8b9b8ebbce4a7cc491218', '2026-11-23 16:32:39.307825+00'),
	('storage/0142_write_at_once.sql', '79c7296a9db5962e0903f0144132b5280d0c372d91e590ea29e7bd5448783a89', '2026-11-23 16:32:39.310368+00'),
	('storage/0143_names_in_the_index.sql', 'e6c38e68b620c18aa0961d6f1777b650d464dbeaed0e4eb210abdd4c93828e2b', '2026-11-23 16:32:39.313468+00'),
	('storage/0144_no_probe_past_policies.sql', '9aa6a7ea90a3a80ceb574f8021c31333605c95f0dafb2b57a05c73d508806546', '2026-11-23 16:32:39.316766+00'),
	('realtime/0150_messages.sql', 'a7d7150f3bd8d5ac656fb813bc64a250abbdd7712238663d13adb5720ef78a7d', '2026-11-23 16:32:39.318871+00'),
	('realtime/0160_visible_changes.sql', '98bfba1a4c49cf4d88cf71c0d2e234cc638880934be07e47b62ab7e84175c99d', '2026-11-23 16:32:39.345208+00'),
	('realtime/0161_subscription.sql', '42ccc496ccb89443113cadbb4b40d3d9245a734717e5d97d076b6fd3deab8b9a', '2026-11-23 16:32:39.349486+00'),
	('functions/0170_function_calls.sql', 'e5e2f73bda98c76a7595ba9b054d4033b82da09fc67e5154e9d708053716bca8', '2026-11-23 16:32:39.35766+00'),
	('jobs/0176_console_queue.sql', '28d87e740c439a7d952376774b4284d58d960537629b4a6b8c3c92be966453f2', '2026-11-23 16:32:39.370118+00'),
	('gateway/0177_sight.sql', '9baa6dfc95ebfea474c74a0ef1ffb5a4ade2f17a52728e9a7f070abf7967fbeb', '2026-11-23 16:32:39.373503+00'),
	('gateway/0180_project_steps.sql', '9f0ef3e2273088048a261c9026a63d7868ac8b526741aa5e3e86dcad058420b9', '2026-11-23 16:32:39.377879+00'),
	('projects/0181_schemas_of_extensions.sql', 'aa57f00a299fc84d76c55e7a226efc1e40917a59dd4322127b8e02e6d6975ffe', '2026-11-23 16:32:39.38327+00'),
	('projects/0182_of_a_superuser.sql', '4480438b8de7a6f3c971cb8fc8497afb928dee5ad617cd712226c2ebb59f03cc', '2026-11-23 16:32:39.386081+00'),
	('projects/0186_more_of_a_superuser.sql', '73805c54ea4a4a65cfd96b7ad2078c22a5747f93cedb7f23e81b82e251ea192b', '2026-11-23 16:32:39.391488+00'),
	('projects/0187_look_into_extensions.sql', '454043111aa2df3aff7b829ca99303f8f72c99e6ed5b30eabe5b97c82338cdfb', '2026-11-23 16:32:39.397321+00'),
	('projects/0189_free_names.sql', '634e81dc0699b11f2293fad9542c5fcabb6839815a939feaf8dc6b0cd84459e9', '2026-11-23 16:32:39.400555+00'),
	('gateway/0190_console.sql', 'eb6f0f6a17e7816ff7d726d043f985d9fe3240800b5d88c28a7d5a17eb2edc2a', '2026-11-23 16:32:39.408453+00'),
	('roles/0191_console_login.sql', '8628ee05162b0a99759e5bae6bc4101a71b6776d1148be5372c5db16fa966c79', '2026-11-23 16:32:39.418575+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.migrations VALUES
	('gateway/0192_console_history.sql', '48b810e5ad6b4aaf5fc3534f8a829047a3c48f5c02e3d31686f696e6c9b24932', '2026-11-23 16:32:39.42301+00'),
	('gateway/0193_console_audit_retention.sql', '589212a72ecb7e8d5ba2e8ff63ede81c1cd4ce1247c9cc6dab02d75e752ae0b5', '2026-11-23 16:32:39.427029+00'),
	('gateway/0194_console_accounts.sql', 'aa3bce5bcda72b73078b0930767833b3cbd24c8a506efc1d4e031a80bcee0edf', '2026-11-23 16:32:39.430934+00'),
	('tables/0197_indexes_are_told.sql', '2870adc85f8aa5bd653cf2c47c692b99a75a0a3c618f97b172aa5aafe6257934', '2026-11-23 16:32:39.436392+00'),
	('gateway/0198_erasure_of_copies.sql', 'f51dbd8e22c46fea1dfdb0fdfeb7ab48f34afbb8ddcec477c8c2839e663e3c6e', '2026-11-23 16:32:39.439633+00'),
	('tables/0201_session_reset.sql', '5d49c81d2489dc7b763501ef2c62eb588d8c509a742115c2d48a7bcbe182fd53', '2026-11-23 16:32:39.44438+00'),
	('tables/0202_watched_in_any_session.sql', '322af78bf0b1deca810b89f906617ab72bc216668d7dacb75cdf89004f2db003', '2026-11-23 16:32:39.448831+00') ON CONFLICT DO NOTHING;
INSERT INTO gateway.retention VALUES
	('audit', 'gateway.forget_audit(integer,integer)', NULL),
	('mails', 'gateway.forget_mails(integer,integer)', NULL),
	('audit', 'gateway.forget_console_audit(integer,integer)', NULL),
	('leads', 'private.forget_leads(integer,integer)', NULL),
	('audit', 'private.forget_lead_audit(integer,integer)', NULL),
	('lead_counters', 'private.forget_lead_counters(integer,integer)', 2),
	('previews', 'private.forget_previews(integer,integer)', 1) ON CONFLICT DO NOTHING;
INSERT INTO gateway.roles_table VALUES
	(true, 'public.user_roles') ON CONFLICT DO NOTHING;
INSERT INTO gateway.tallies VALUES
	('leads_total', '{"form": "contact"}', 1) ON CONFLICT DO NOTHING;
INSERT INTO gateway.throttle VALUES
	('password:424e71421c57ddef06c4a3f6c1155e48', 30, '2026-11-23 16:32:41.623605+00', NULL),
	('known:place:089b6271afa5f8a56415604357a41a9f', 0, '2026-11-23 16:32:41.623605+00', NULL),
	('recover:424e71421c57ddef06c4a3f6c1155e48', 29, '2026-11-23 16:32:41.944944+00', NULL),
	('mail-recovery:48eeb7e5951adf52f3a63b6ac38f806f', 0, '2026-11-23 16:32:41.944944+00', NULL),
	('mail', 29, '2026-11-23 16:32:41.944944+00', NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_jobs VALUES
	(1, 'mail', 'mail.send', 50, NULL, NULL, '{"mail": {"to": ["leads@unitedmedicalwaste.example"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Contact message from Lena Okafor</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">Contact message from Lena Okafor</h1><p style=\"background:#B3261E;color:#fff;padding:8px 12px;font-weight:700\">URGENT</p><table cellspacing=''0''><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Request number</th><td style=\"padding:4px 0\">UMW-3E7325A5</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Priority</th><td style=\"padding:4px 0\">Urgent (same day)</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Name</th><td style=\"padding:4px 0\">Lena Okafor</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Email</th><td style=\"padding:4px 0\">lena@example.com</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Phone</th><td style=\"padding:4px 0\">(508) 555-0142</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Company</th><td style=\"padding:4px 0\">Okafor Dental</td></tr><tr><th align=\"left\" valign=\"top\" style=\"padding:4px 16px 4px 0;color:#4B5E67;font-weight:600\">Subject</th><td style=\"padding:4px 0\">Extra pickup</td></tr></table><p style=\"white-space:pre-wrap;border-left:3px solid #0F5D6B;padding-left:12px\">Two boxes are full.</p><p>Reply to this mail to answer lena@example.com.</p></div></div></body></html>", "kind": "contact-notice", "text": "[URGENT] Contact message from Lena Okafor\n\nRequest number: UMW-3E7325A5\nPriority:       Urgent (same day)\nName:           Lena Okafor\nEmail:          lena@example.com\nPhone:          (508) 555-0142\nCompany:        Okafor Dental\nSubject:        Extra pickup\n\nTwo boxes are full.\n\nReply to this mail to answer lena@example.com.\n", "headers": {"Importance": "high", "X-Priority": "1", "X-Lead-Kind": "contact"}, "request": "871b3af4-38cc2647", "subject": "[URGENT] Contact: Extra pickup", "reply_to": "lena@example.com", "alarm_after": 600}, "queued_at": "2026-11-23T16:32:41.92766+00:00"}', 'todo', NULL, 0, false, NULL),
	(2, 'mail', 'mail.send', 0, NULL, NULL, '{"mail": {"to": ["lena@example.com"], "html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>We have received your message</title></head><body style=\"margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif\"><div style=\"max-width:600px;margin:0 auto;padding:24px\"><p style=\"color:#0F5D6B;font-weight:700;margin:0 0 16px\">United Medical Waste</p><div style=\"background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px\"><h1 style=\"font-size:20px;margin:0 0 16px\">We have received your message</h1><p>Hello Lena Okafor,</p><p>Thank you for contacting us. We&#x27;ll respond within 24 hours.</p><p>You marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.</p><p>Your request number is UMW-3E7325A5. Say it when you call, and we have your request in front of us.</p><h2 style=\"font-size:16px;margin:24px 0 8px\">What happens next</h2><ol><li>Now: It is sorted by its priority. Emergencies are answered around the clock, urgent pickups on the same day.</li><li>Within 24 hours: We respond. By e-mail, or by phone if you gave us a number.</li></ol><p>United Medical Waste<br>(508) 555-0142<br>service@unitedmedicalwaste.example</p></div></div></body></html>", "kind": "contact-confirmation", "text": "Hello Lena Okafor,\n\nThank you for contacting us. We''ll respond within 24 hours.\n\nYou marked this as urgent: expect to hear from us today. You can also call (508) 555-0142.\n\nYour request number is UMW-3E7325A5. Say it when you call, and we have your request in front of us.\n\nWhat happens next\n1. Now: It is sorted by its priority. Emergencies are answered around the clock, urgent pickups on the same day.\n2. Within 24 hours: We respond. By e-mail, or by phone if you gave us a number.\n\nUnited Medical Waste\n(508) 555-0142\nservice@unitedmedicalwaste.example\n", "headers": {"Auto-Submitted": "auto-replied"}, "request": "871b3af4-38cc2647", "subject": "We have received your message", "reply_to": "service@unitedmedicalwaste.example"}, "queued_at": "2026-11-23T16:32:41.92766+00:00"}', 'todo', NULL, 0, false, NULL),
	(3, 'mail', 'mail.send', 10, NULL, NULL, '{"mail": {"to": ["ruth@example.com"], "kind": "auth.recovery", "text": "What this mail says is sealed until it is sent.", "sealed": "gAAAAABrBGqp4W8k7JTo7L2mStEE9nmvfvgKL92GBtp1Y0UZ8ovXy1hnpmkdpnumIl5Jb_AXW3KdeHxZ5sMIzHQyjVJNGydcqNeoruzcIVB5U6pAt-Eeytb8B3aRCXvGIRQ_llokoj5WP5aU2-l4B-zu5lKtFPigWpqjERPWXCg6-ZGXu1C_jBDUJi-RsmPOqHznhUOJ07IIvCrxki_qur7Ztl20kW2F1GrTjvOqSeWEv8loepalSE359lUjpiPcEDTc0FQNHMFEnBOEmL77ZwBBHDJucegsZhaxktH2TngkrY39hbrOQPovHOhl_0LhohhWfasVkxCbWpZv1VNm9jiF30vc_fLnf38wUXw-CGel3FhTYHi60EWQx2vZXuillH_3ADRT7nWZllKjd1T_PZML2IfHnRC7dLJ0jJLp2K2zC-jfAmudSFQGFbtsNOrqqP4EPRJd6M1ToiA_wPZcEQ8fLpE4FvHxgvHYNdF3IvYSIESB-rj9z1MflNiYipsFoYuTgwNF9vEuhlBPHetVCS4BO5bixJivc80sPzOsr85AP_bg7GArxRP3JQuPUlCoWB_IVeanIq0HUc0Us-z6pvPGh3ycsza0PSRo9Nmsr54uDuTL6huKxfWXBmVqqd05AoxfrW5iafPI9yPvekQRgUKN-pKmejrEzD1ujBMBQOjyypHsSQN03mYuo36c4UcDrbHLt7OKfuAX3WF-MkXkTpru4vFJhvPkxZKfXwxzDv1u_Uxi_tvZxtnXYt12KT1YaFTK8vILSc4moJ7vZGzhXFPoiLVd8bbiK0ykd8a93fY72SUS6K-eW-6B7n7ro7d1U2mMYDW5G1NW4RhFi7-40Ih3xbJf43BDQzlxNNuosMhoEv4jkOvykZVyfw2_yLk72yuQxvfCosK6QoIdaaKWRbHzdEAS47iax5uJpyr0S5ibnV3Y05pwBTcQ_3ZVRzbi03qEngWcV53aJQV8btGQU_mHC2u1kzq7n78TmRXVL6R-J4AyUxP9jPfOviz2xrGaCIjX4WgWi1Oibvhtflh_WfKREtdJmZGy3T56I6rYA2A_NDb2Z2KgmunmCr8koWwxB2QcRz6QXpYNB6IRLFZ2ogGsnKGkvW8lgadTUmBDhw9yhc_rWl24TVOdZI693FQKGMRjX6X_saHEdXyrK_Qzaf9d0wRavhp7SianE7I8dM0W-bkWwpmKUqfCR_UQ-AZNG8wz6_VaLsfQkriovBY7VsxVmDKwg28ymIZxSle71M6i7KYGJ240opHHUn9xW1wmbjgGVcVkWmiVSDByRg6j5n1EWwIF2WT-CqGHs_Qcz7fW92koq5A66ytI3sCY8xR7wMjfFDgLeiVPSQBCNiFlC7uV5_La41_LPB_aYSuXLUMrqCmj_kpl7Xl_YJMxYel5dkCIC2L5Le5t-3iWZIMMxpPQBjWldnOH0GcICG8Y5NYRoqql3NOAALyKOvbApjf_lPCc5FXYhHsSD3kIz-6dU6h6BE3ArEKHnsgQEFM-T_nJ6RFxuctqQH1wgBuY0N6UecI0hK1cBAlx5Rbs0OQUPfan0APEtcuGKd4oKmOtcMCcZ2E4H7ci02GBPz82gqe4Xxeg-8rx5EfHLIcQvlN1bWnp0emWu6odkaUPvWNahf-svSeFBhD9hMXeojO4ZFhuJVeuiONbsS_IJHNEuyrvTQ3m1XYBnv35FASalalNoIpuGl-n_AYn3OrrEyckvjfX2zveNd0NlgB7oBW1gzduBVWhPbg2vb7cu3dDP5enrEcNMnsM4ssYa6N4ZWXGydboRhAiapsiEVV2_LDuksqwl5muxHFA20ZQlAwGCmeDrvUGCdU3aSH2i6xEuCt2RCRR29Zq2eoQXwbzAr-WyP9Jet7vfN6PaNn9p4z146P2H1lcf6BxQTI052H8VM58X3t3xW2rfobygsA1XsQe3emlLSuo6UrRgf37hKTdk-CvxsCKvvcCxx6ylqXaX4j3mkYdsxY69NXFO4KsCY8vdUt_qbGuFVCDays-dnoStHPjUU9KkdsMzB8ChaDX_kW4Me-aQMFcu2ZQGdXykwoxBRy98mkMk47i9wyPxClsZeEUbTejLPd5JwOXFXM6nW7_niLdPVbSq6yIqzpp3wK5paDMj7JIqIsaDs4YjvkgDaytDqj4aPyYzmIdE4OeN5t9qliXpFrvt5XvWo-9x9MvSPKSXCJ4dCBYU2ziC7RR2-7ranO-YA3FZ4hbj0vw0-dvbJqmyQqtW7A1SmbS78BcNbHNvjGXD1GJo3cpYI8_kYkikuo9fPJowHxs7dkWVUGSbz1ArAsOIX8pguiLBCiHwgiYMRvgCGretVI0tYLMfIa3vP-CedFc7SUVR2Ok1-GVQYRUtmbXaSLi2XMibZ_uQnwAdqqS0K9PilQ5aiTU-M4fxawqMAuZXNpWzk8qw_Fjcx4ex2fo3bKsqgHT6VbtvcEAfsEARIUPIh5KJCq8aDtaVMIVthLm0QUz0zmm4iN8RQPUKHfhNC-x0zMnmvbtcHxGda5mq_tWCKHHTTmAaND4vWn68W6fA606h0K4iT4sobXqp2RM5AiuiPAXwDdmnAqMENgFRc_ctS-djEkAIKRmLGtA_SQni8jUAzooovhPFgvE2J3cVPUdgY2Q81U-iWm2VfqdnpzN0T-y6-ovN56Jeyh5fMUFfA6DuSYeGnagPkEjiFghWgDJOQ4v7kAz9-jYtk4Q2aIlo7MnmwpMhpUmBSTnyL8QoXw-wdS7hzZcLCLOiIObgmB1uILFQQ5N8r_HYiCTcgRoYszkHLKEUzbbSuCQKLA4nFChs46V7Wfo2rJLm5IGMXPHvvcipt6UVxsvDQwxN5A0HZnNCUmQ93xuM_6gJcS6GRjIRQ49fUoNXH_gH-nMfzBFmTU2VLlXdiVV30IDvsdXgCXNkQUhu2ZW2ZeXXMHpIceCUQkAkBykOFpf0U30NoBT4uPenEzURwu08okaTihBA52Ev-7AhW3bCB-tED8yaG5qa73NHYtfK-uAwaX-atw6tP0KIUGJ_KRV5nOH4JnwaPwj1n7EjOYGmj1v2WF1YQ-aZYcoygQNIcON7jvIDjhyHzXEkMf6b_WZ8Xpp9YV3irBZUJMGknju671SEnYNXx3dZ-bmEsxMADjFWq8TfdSEqWcdr1jWi8oG9D7HINwhNzhs8yc53uS-_07mSO41H6TTay1wsbotITjhtMEcT8Zn1O5mnkKLgDl43yJS8XBPDalKbyLHmSN86Rpd9ONhkzAJo6qaBCNE8iZuEDSO0fZRhcls-1cokZxL-ZYFcbBBLN8o6w==", "headers": {"Auto-Submitted": "auto-generated"}, "request": "871b3af4-38cc2648", "subject": "Reset your password", "reply_to": null}, "queued_at": "2026-11-23T16:32:41.956993+00:00"}', 'todo', NULL, 0, false, NULL) ON CONFLICT DO NOTHING;
INSERT INTO jobs.procrastinate_events VALUES
	(1, 1, 'deferred', '2026-11-23 16:32:41.92766+00'),
	(2, 2, 'deferred', '2026-11-23 16:32:41.92766+00'),
	(3, 3, 'deferred', '2026-11-23 16:32:41.956993+00') ON CONFLICT DO NOTHING;
INSERT INTO private.lead_counters VALUES
	('contact', 'address', '12ca17b49af2289436f303e0166030a21e525d266e209267433801a8fd4071a0', 19, '2026-11-23 16:32:41.930689+00'),
	('contact', 'email', '07a0a464fe3954d579bc1bc6c5d32dc7390b944e8fd1c77e24290f3f029528e1', 5, '2026-11-23 16:32:41.932151+00'),
	('contact', 'form', '093e7d5fdbaacfa92448861b11075b3fba532a07d945b49a44919252f5e830ad', 599, '2026-11-23 16:32:41.932432+00') ON CONFLICT DO NOTHING;
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
	('064b1bca-451b-4da8-b910-82a3a15ea01a', 'Draft', 'draft', 'Second', '<p>Draft</p>', NULL, 'United Medical Waste', '{}', false, NULL, 5, NULL, NULL, '2026-11-23 16:32:41.781993+00', '2026-11-23 16:32:41.781993+00', NULL),
	('f4fe08c8-1fd1-45bb-a003-4f2c2bba1f96', 'Kept', 'kept', 'First, edited', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-23 16:32:41.775863+00', '2026-11-23 16:32:41.785265+00', NULL) ON CONFLICT DO NOTHING;
INSERT INTO public.blog_post_revisions VALUES
	('c8f831a5-0563-4e17-a561-493ed426f8b7', 'f4fe08c8-1fd1-45bb-a003-4f2c2bba1f96', 'Kept', 'kept', 'First', '<p>Kept</p>', NULL, 'United Medical Waste', '{}', true, '2026-11-20 09:00:00+00', 5, NULL, NULL, '2026-11-23 16:32:41.775863+00', '2026-11-23 16:32:41.785752+00', 'eef91064-5b99-45d2-a7c2-3f36470d5225') ON CONFLICT DO NOTHING;
INSERT INTO public.contact_messages VALUES
	('4002e0b9-4fb7-4b76-b831-96d1262f6eaa', 'a-lead-of-an-older-version:2ca4c259f1fe4d0481bd0334e9438fc1', 'new', NULL, 'Lena Okafor', 'lena@example.com', '(508) 555-0142', 'Okafor Dental', 'Extra pickup', 'Two boxes are full.', 'urgent', '2026-11-23 16:32:41.92766+00', '2026-11-23 16:32:41.92766+00') ON CONFLICT DO NOTHING;
INSERT INTO public.user_roles VALUES
	('930b2542-caa0-47ac-844c-5564c7d9bdce', 'eef91064-5b99-45d2-a7c2-3f36470d5225', 'admin', '2026-11-23 16:32:40.492284+00') ON CONFLICT DO NOTHING;
INSERT INTO realtime_private.bus_secret VALUES
	(true, '079f10a3-c95d-4ed9-bc8e-69c259ddcf912d537dfd-0b30-4acc-bc8a-4db5522d1760') ON CONFLICT DO NOTHING;
INSERT INTO storage.buckets VALUES
	('pictures', 'pictures', NULL, '2026-11-23 16:32:39.542591+00', '2026-11-23 16:32:39.542591+00', true, false, 10485760, '{image/jpeg,image/png,image/webp,image/gif,image/avif}', NULL, 'STANDARD', 'DISABLED') ON CONFLICT DO NOTHING;
INSERT INTO supabase_functions.migrations VALUES
	('initial', '2026-11-23 16:32:39.35766+00'),
	('20210809183423_update_grants', '2026-11-23 16:32:39.35766+00') ON CONFLICT DO NOTHING;
SELECT pg_catalog.setval('auth.refresh_tokens_id_seq', 1, false);
SELECT pg_catalog.setval('gateway.console_audit_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.function_calls_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.mail_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_events_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_jobs_id_seq', 3, true);
SELECT pg_catalog.setval('jobs.procrastinate_periodic_defers_id_seq', 1, false);
SELECT pg_catalog.setval('jobs.procrastinate_workers_id_seq', 1, false);
SELECT pg_catalog.setval('private.lead_audit_id_seq', 1, false);
SELECT pg_catalog.setval('realtime.subscription_id_seq', 1, false);
SELECT pg_catalog.setval('realtime_private.bus_messages_id_seq', 1, false);
SELECT pg_catalog.setval('supabase_functions.hooks_id_seq', 1, false);
