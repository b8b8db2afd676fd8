"""Which statements of a dump are taken, by statements as pg_dump, pg_dumpall and the official CLI write them."""

from __future__ import annotations

import pytest

from gateway.operations.transfer.rules import PLATFORM, RESERVED, Destination, judge, table_of, wants_rows
from gateway.projects.privileged import rewritten


def place() -> Destination:
    policies = {("storage.objects", "there")}
    return Destination({*RESERVED, "supabase_admin"}, {"citext", "pgcrypto"}, {"public"}, policies)


TAKEN = [
    'CREATE TABLE IF NOT EXISTS "public"."users" (\n    "id" "uuid" NOT NULL\n);',
    'ALTER TABLE ONLY "public"."users"\n    ADD CONSTRAINT "fk" FOREIGN KEY ("id") REFERENCES "auth"."users"("id");',
    'CREATE OR REPLACE TRIGGER "made" AFTER INSERT ON "auth"."users" FOR EACH ROW EXECUTE FUNCTION "public"."f"();',
    "CREATE TRIGGER made AFTER UPDATE OF email ON auth.users FOR EACH ROW WHEN ((old.email IS DISTINCT FROM new.email))"
    " EXECUTE FUNCTION private.f();",
    'CREATE POLICY "Avatars; all" ON "storage"."objects" FOR SELECT USING (("bucket_id" = \'avatars\'::"text"));',
    'CREATE POLICY "mine" ON "realtime"."messages" FOR SELECT USING (true);',
    'ALTER PUBLICATION "supabase_realtime" ADD TABLE ONLY "public"."posts";',
    'GRANT ALL ON TABLE "public"."posts" TO "anon";',
    'GRANT USAGE ON SCHEMA "app" TO "authenticated";',
    'GRANT "reader" TO "authenticator";',
    'ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT ALL ON TABLES  TO "anon";',
    'ALTER ROLE "authenticated" SET "statement_timeout" TO \'5s\';',
    'ALTER ROLE "authenticator" SET "pgrst.db_aggregates_enabled" TO \'true\';',
    'CREATE FUNCTION "auth"."is_admin"() RETURNS boolean\n    LANGUAGE "sql" AS $$ select true $$;',
    "SELECT pg_catalog.setval('\"auth\".\"refresh_tokens_id_seq\"', 5, true);",
    "SELECT pg_catalog.setval('public.posts_id_seq', 5, true);",
    "SELECT pg_catalog.set_config('search_path', '', false);",
    "COMMENT ON TABLE public.posts IS 'CREATE TABLE auth.users';",
    "CREATE INDEX posts_at ON public.posts USING btree (at);",
    "SET check_function_bodies = false;",
]  # fmt: skip
LEFT = [
    'CREATE SCHEMA IF NOT EXISTS "auth";', 'CREATE SCHEMA "public";',
    'ALTER SCHEMA "storage" OWNER TO "supabase_admin";',
    "CREATE TABLE auth.users (\n    id uuid NOT NULL\n);", 'ALTER TABLE "auth"."users" OWNER TO "supabase_auth_admin";',
    "ALTER TABLE ONLY auth.users REPLICA IDENTITY FULL;", "ALTER TABLE auth.users ENABLE ROW LEVEL SECURITY;",
    "CREATE UNIQUE INDEX users_email_partial_key ON auth.users USING btree (email);",
    "CREATE FUNCTION auth.uid() RETURNS uuid\n LANGUAGE sql AS $$ select null $$;",
    'CREATE FUNCTION "storage"."foldername"("name" "text") RETURNS "text"[] LANGUAGE plpgsql AS $$ begin end $$;',
    "CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects FOR EACH ROW"
    " EXECUTE FUNCTION storage.update_updated_at_column();",
    'CREATE POLICY "there" ON "storage"."objects" FOR SELECT USING (true);',
    "CREATE POLICY cron_job_policy ON cron.job USING (true);",
    "CREATE PUBLICATION supabase_realtime WITH (publish = 'insert, update, delete, truncate');",
    "CREATE PUBLICATION supabase_realtime_messages_publication FOR TABLE ONLY realtime.messages;",
    "ALTER PUBLICATION supabase_realtime_messages_publication ADD TABLE ONLY realtime.messages;",
    "CREATE EVENT TRIGGER pgrst_ddl_watch ON ddl_command_end EXECUTE FUNCTION extensions.pgrst_ddl_watch();",
    'CREATE EVENT TRIGGER "ensure_rls" ON "ddl_command_end"\n   EXECUTE FUNCTION "public"."rls"();',
    "COMMENT ON EXTENSION citext IS 'x';", 'CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";',
    "GRANT USAGE ON SCHEMA auth TO anon;", "GRANT ALL ON TABLE auth.users TO postgres;",
    "GRANT ALL ON FUNCTION auth.email() TO dashboard_user;", "GRANT ALL ON TABLE public.t TO nobody_here;",
    "REVOKE ALL ON FUNCTION extensions.digest(text, text) FROM postgres;",
    'ALTER DEFAULT PRIVILEGES FOR ROLE "supabase_admin" IN SCHEMA "public" GRANT ALL ON TABLES  TO "anon";',
    "ALTER DEFAULT PRIVILEGES FOR ROLE supabase_auth_admin IN SCHEMA auth GRANT ALL ON TABLES  TO postgres;",
    "CREATE ROLE anon;", "ALTER ROLE anon WITH NOSUPERUSER INHERIT NOCREATEROLE NOLOGIN;",
    "ALTER ROLE supabase_admin WITH SUPERUSER LOGIN PASSWORD 'SCRAM-SHA-256$x';",
    'GRANT "anon" TO "authenticator" GRANTED BY "supabase_admin";', "GRANT pg_read_all_data TO nobody_here;",
    "SET session_replication_role = replica;", "RESET ALL;", "SET transaction_timeout = 0;", "BEGIN;", "COMMIT;",
    "SET default_transaction_read_only = off;", "CREATE DATABASE x;", "ALTER TABLE public.t OWNER TO supabase_admin;",
    "ALTER TABLE public.t OWNER TO nobody_here;", "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (a 'b');",
    "SELECT pg_catalog.setval('cron.jobid_seq', 5, true);", "SECURITY LABEL FOR pgsodium ON TABLE x IS 'y';",
    "COMMENT ON COLUMN auth.users.id IS 'x';", "CREATE TYPE auth.aal_level AS ENUM ('aal1');",
]  # fmt: skip


@pytest.mark.parametrize("text", TAKEN)
def test_what_is_the_project_s_is_taken_as_it_is(text: str) -> None:
    target = place()
    target.made.add("reader")
    assert judge(text, target).text == text


@pytest.mark.parametrize("text", LEFT)
def test_what_is_the_platform_s_is_left_out(text: str) -> None:
    assert judge(text, place()).text is None


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("CREATE SCHEMA app;", 'CREATE SCHEMA IF NOT EXISTS "app";'),
        ("CREATE EXTENSION citext WITH SCHEMA public;", "CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;"),
        ("GRANT reader TO authenticator GRANTED BY supabase_admin;", "GRANT reader TO authenticator;"),
        ("ALTER ROLE reader WITH NOSUPERUSER LOGIN PASSWORD 'x';", "ALTER ROLE reader WITH  LOGIN ;"),
    ],
)
def test_what_is_taken_in_other_words(text: str, becomes: str) -> None:
    target = place()
    target.made.add("reader")
    assert judge(text, target).text == becomes


OURS = [
    (
        'CREATE EVENT TRIGGER "ensure_rls" ON "ddl_command_end"\n   EXECUTE FUNCTION "public"."rls"();',
        "select gateway.make_event_trigger('ensure_rls', 'ddl_command_end', '{}', '\"public\".\"rls\"()');",
    ),
    ("CREATE PUBLICATION p FOR ALL TABLES;", "select gateway.make_publication('p', null, null);"),
    ("CREATE FOREIGN DATA WRAPPER w;", "select gateway.make_wrapper('w', null, null);"),
    ("CREATE SERVER s FOREIGN DATA WRAPPER w;", "CREATE SERVER s FOREIGN DATA WRAPPER w;"),
    ("CREATE FOREIGN TABLE public.t (id integer)\nSERVER s;", "CREATE FOREIGN TABLE public.t (id integer)\nSERVER s;"),
    ("ALTER EVENT TRIGGER ensure_rls OWNER TO supabase_admin;", None),
    ("ALTER PUBLICATION p OWNER TO postgres;", None),
    ("CREATE USER MAPPING FOR postgres SERVER s OPTIONS (password 'x');", None),
    ("CREATE EVENT TRIGGER theirs ON sql_drop EXECUTE FUNCTION extensions.theirs();", None),
    ("CREATE INDEX users_at ON auth.users USING btree (created_at);", None),
    ('CREATE EXTENSION IF NOT EXISTS "pgmq" WITH SCHEMA "pgmq";', 'CREATE EXTENSION IF NOT EXISTS "pgmq";'),
]


@pytest.mark.parametrize(("text", "becomes"), OURS)
def test_what_superusers_make_is_made_by_calls_where_the_platform_has_them(text: str, becomes: str | None) -> None:
    target = place()
    target.as_calls, target.indexes, target.extensions = rewritten, {"users_at"}, {"pgmq"}
    verdict = judge(text, target)
    assert verdict.text == becomes
    assert becomes is not None or bool(verdict.note) is text.startswith("CREATE USER")


def test_elsewhere_foreign_tables_are_left_out_with_their_server() -> None:
    target = place()
    assert "server s is left out" in judge("CREATE SERVER s FOREIGN DATA WRAPPER w;", target).note
    assert "public.t is left out" in judge("CREATE FOREIGN TABLE public.t (id integer)\nSERVER s;", target).note
    for text in ("ALTER FOREIGN TABLE public.t OWNER TO postgres;", "GRANT ALL ON TABLE public.t TO anon;"):
        assert judge(text, target).text is None


def test_a_role_is_made_once_and_then_there() -> None:
    target = place()
    grant = "GRANT SELECT ON TABLE public.t TO reader;"
    assert judge(grant, target).text is None
    assert judge("CREATE ROLE reader;", target).text == "CREATE ROLE reader;"
    assert judge(grant, target).text == grant


def test_an_extension_that_a_project_is_made_with_is_asked_for_all_the_same() -> None:
    """Its objects would fail one by one without it: the server's own words come first."""
    verdict = judge("CREATE EXTENSION IF NOT EXISTS postgis WITH SCHEMA extensions;", place())
    assert verdict.text is not None and "postgis is not to be had here" in verdict.note


@pytest.mark.parametrize(
    ("head", "table", "taken"),
    [
        ("COPY auth.users (id) FROM stdin;\n", "auth.users", True),
        ('INSERT INTO "auth"."identities" ("id") VALUES\n', "auth.identities", True),
        ("COPY auth.schema_migrations (version) FROM stdin;\n", "auth.schema_migrations", False),
        ("COPY storage.objects (id) FROM stdin;\n", "storage.objects", True),
        ("COPY storage.migrations (id) FROM stdin;\n", "storage.migrations", False),
        ("COPY vault.secrets (id) FROM stdin;\n", "vault.secrets", False),
        ("COPY realtime.messages_2026_06_01 (id) FROM stdin;\n", "realtime.messages_2026_06_01", False),
        ('COPY "App Data"."My ""Table""" ("a") FROM stdin;\n', 'App Data.My "Table"', True),
        ("COPY Public.Posts (id) FROM stdin;\n", "public.posts", True),
        ("COPY supabase_migrations.seed_files (path) FROM stdin;\n", "supabase_migrations.seed_files", True),
    ],
)  # fmt: skip
def test_rows_that_move(head: str, table: str, taken: bool) -> None:
    assert table_of(head) == table
    assert wants_rows(table) is taken
    assert (judge(head, place()).text is not None) is taken


def test_public_is_nobody_s_platform() -> None:
    assert "public" not in PLATFORM and "supabase_migrations" not in PLATFORM
