"""What a history that was pulled says of the platform's own is passed over; of the project's own it counts."""

from __future__ import annotations

import pytest

from gateway.projects.apply import StatementFailed
from tests.projects.conftest import Database, Maker, bring_up

PASSED = """
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS "pgsodium" WITH SCHEMA "pgsodium";
CREATE EXTENSION IF NOT EXISTS "pg_cron" WITH SCHEMA "pg_catalog";
CREATE EXTENSION IF NOT EXISTS "postgis" WITH SCHEMA "public";
CREATE EXTENSION IF NOT EXISTS "postgis_tiger_geocoder" WITH SCHEMA "tiger";
CREATE EXTENSION IF NOT EXISTS "postgis_topology" WITH SCHEMA "topology";
CREATE EXTENSION IF NOT EXISTS "pgtap" WITH SCHEMA "public";
CREATE EXTENSION IF NOT EXISTS "citext" WITH SCHEMA "public";
COMMENT ON SCHEMA "auth" IS 'theirs';
COMMENT ON EXTENSION "plpgsql" IS 'theirs';
COMMENT ON EXTENSION "pg_graphql" IS 'not there';
GRANT "supabase_auth_admin" TO "postgres";
grant supabase_storage_admin to postgres with admin option;
COMMENT ON FUNCTION "extensions"."grant_pg_cron_access"() IS 'theirs';
CREATE TABLE "public"."kept" ("id" bigint NOT NULL);
ALTER TABLE "public"."kept" OWNER TO "supabase_admin";
CREATE FUNCTION "public"."kept_too"() RETURNS int LANGUAGE sql AS 'select 1';
ALTER FUNCTION "public"."kept_too"() OWNER TO "supabase_admin";
ALTER FUNCTION "extensions"."grant_pg_net_access"() OWNER TO "supabase_admin";
CREATE PUBLICATION "supabase_realtime_messages_publication_v2_34_2" WITH (publish = 'insert');
ALTER PUBLICATION "supabase_realtime_messages_publication_v2_34_2" OWNER TO "supabase_admin";
GRANT USAGE ON SCHEMA "cron" TO "postgres" WITH GRANT OPTION;
GRANT ALL ON FUNCTION "cron"."job_cache_invalidate"() TO "postgres" WITH GRANT OPTION;
GRANT ALL ON FUNCTION "pgsodium"."crypto_aead_det_keygen"() TO "service_role";
GRANT ALL ON SEQUENCE "pgsodium"."key_key_id_seq" TO "pgsodium_keyiduser";
REVOKE ALL ON FUNCTION "extensions"."algorithm_sign"("signables" "text", "secret" "text") FROM "postgres";
GRANT ALL ON FUNCTION "extensions"."armor"("bytea") TO "dashboard_user";
GRANT ALL ON FUNCTION "graphql"."comment_directive"("comment_" "text") TO "anon";
GRANT ALL ON SEQUENCE "graphql"."seq_schema_version" TO "anon";
GRANT ALL ON TABLE "vault"."secrets" TO "postgres" WITH GRANT OPTION;
GRANT ALL ON TABLE "net"."_http_response" TO "anon";
GRANT USAGE ON SCHEMA "repack" TO "postgres";
GRANT ALL ON FUNCTION "public"."geometry"("public"."geometry", integer, boolean) TO "anon";
GRANT ALL ON FUNCTION "public"."_add"("text", integer) TO "anon";
GRANT ALL ON FUNCTION "public"."citextin"("cstring") TO "anon";
GRANT ALL ON TABLE "public"."spatial_ref_sys" TO "anon";
ALTER DEFAULT PRIVILEGES FOR ROLE "supabase_admin" IN SCHEMA "public" GRANT ALL ON TABLES TO "postgres";
alter default privileges in schema public for role supabase_admin revoke all on tables from anon;
GRANT SELECT ON TABLE "public"."kept" TO "anon";
RESET ALL;
"""


def test_lines_about_the_platforms_own_are_passed_over(database: Database, project: Maker) -> None:
    bring_up(
        database, project({"migrations/1_pulled.sql": PASSED, "migrations/2_b.sql": "alter table kept add a int;"})
    )
    assert database.rows(
        "select pg_get_userbyid(relowner), has_table_privilege('anon', oid, 'select') from pg_class"
        " where oid = 'public.kept'::regclass"
    ) == [("postgres", "t")]
    assert database.rows("select pg_get_userbyid(proowner) from pg_proc where proname = 'kept_too'") == [("postgres",)]
    assert database.rows(
        "select cardinality(statements) from supabase_migrations.schema_migrations where version = '1'"
    ) == [(str(PASSED.count(";")),)], "the ledger has the author's words"


@pytest.mark.parametrize(
    ("statement", "state", "need"),
    [
        ("grant all on function public.nothing() to anon", "42883", ""),
        ("alter table public.nothing owner to supabase_admin", "42P01", ""),
        ("grant select on public.kept to nobody_here", "42704", "roles.sql"),
        ("grant select on storage.objects to nobody_here", "42704", "roles.sql"),
        ("alter table public.kept owner to nobody_here", "42704", "roles.sql"),
        ("insert into vault.secrets (secret) values ('x')", "42501", "vault.create_secret"),
        ("create extension pg_cron; delete from cron.job", "42501", "cron.unschedule"),
        ("grant supabase_admin to postgres", "42501", ""),
        ('create table public.b (c text collate "de-x-icu")', "42704", "with ICU"),
        ("create extension pgroonga; create index on public.kept using pgroonga (id)", "42704", "extension pgroonga"),
    ],
)
def test_what_would_be_lost_is_refused(
    database: Database, project: Maker, statement: str, state: str, need: str
) -> None:
    with pytest.raises(StatementFailed) as failed:
        bring_up(database, project({"migrations/1_a.sql": "create table public.kept (id int);\n" + statement}))
    assert (failed.value.sqlstate, failed.value.line) == (state, 2)
    assert need in str(failed.value)
    assert database.rows("select to_regclass('public.kept')") == [(None,)]


def test_settings_of_the_transaction_live_on_where_one_is_passed_over(database: Database, project: Maker) -> None:
    text = """
    set local app.kept = 'yes';
    GRANT ALL ON FUNCTION "graphql"."nothing"() TO "anon";
    create table public.said as select current_setting('app.kept', true) as it;
    """
    bring_up(database, project({"migrations/1_a.sql": text}))
    assert database.rows("select it from public.said") == [("yes",)]
