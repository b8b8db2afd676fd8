"""What hosted projects have in the schema `realtime`, and migrations, policies and dumps name."""

from __future__ import annotations

import pytest

from tests.projects.conftest import Database, Maker, bring_up
from tests.projects.databases import refused

MACHINERY = (
    'apply_rls"("wal" "jsonb", "max_record_bytes" integer)',
    'list_changes"("publication" "name", "slot_name" "name", "max_changes" integer, "max_record_bytes" integer)',
    'build_prepared_statement_sql"("prepared_statement_name" "text", "entity" "regclass", '
    '"columns" "realtime"."wal_column"[])',
    'cast"("val" "text", "type_" "regtype")',
    'check_equality_op"("op" "realtime"."equality_op", "type_" "regtype", "val_1" "text", "val_2" "text")',
    'is_visible_through_filters"("columns" "realtime"."wal_column"[], "filters" "realtime"."user_defined_filter"[])',
    'quote_wal2json"("entity" "regclass")',
    'subscription_check_filters"()',
    'to_regrole"("role_name" "text")',
)
TOUCHED = f"""
alter table realtime.subscription enable row level security;
create policy listeners on realtime.subscription for select to authenticated
  using (claims ->> 'sub' = auth.uid()::text);
alter policy listeners on realtime.subscription using (false);
create index if not exists by_time on realtime.subscription (created_at);
create view public.listening as select subscription_id, entity, filters, claims_role, created_at, action_filter
  from realtime.subscription;
create function public.kind() returns realtime.action language sql as $$ select 'INSERT'::realtime.action $$;
CREATE TRIGGER "tr_check_filters" BEFORE INSERT OR UPDATE ON "realtime"."subscription" FOR EACH ROW
  EXECUTE FUNCTION "realtime"."subscription_check_filters"();
GRANT ALL ON TABLE "realtime"."subscription" TO "postgres";
REVOKE ALL ON TABLE "realtime"."subscription" FROM "anon";
GRANT SELECT ON TABLE "realtime"."schema_migrations" TO "anon";
GRANT USAGE ON SEQUENCE "realtime"."subscription_id_seq" TO "anon";
alter publication supabase_realtime add table realtime.subscription;
{"".join(f'GRANT ALL ON FUNCTION "realtime"."{each} TO "anon";' for each in MACHINERY)}
"""


def test_migrations_touch_what_hosted_has_in_realtime(database: Database, project: Maker) -> None:
    bring_up(
        database, project({"migrations/1_a.sql": TOUCHED, "migrations/2_b.sql": "select * from public.listening;"})
    )
    assert database.rows(
        "select polname, polroles::regrole[]::text from pg_policy where polrelid = 'realtime.subscription'::regclass"
    ) == [("listeners", "{authenticated}")]
    assert database.rows("select count(*) from realtime.subscription") == [("0",)]
    assert database.rows("select count(*) from pg_trigger where tgrelid = 'realtime.subscription'::regclass") == [
        ("1",)
    ]
    assert database.rows(
        "select attname, format_type(atttypid, atttypmod), attnotnull, attgenerated from pg_attribute"
        " where attrelid = 'realtime.subscription'::regclass and attnum > 0 order by attnum"
    ) == [
        ("id", "bigint", "t", ""),
        ("subscription_id", "uuid", "t", ""),
        ("entity", "regclass", "t", ""),
        ("filters", "realtime.user_defined_filter[]", "t", ""),
        ("claims", "jsonb", "t", ""),
        ("claims_role", "regrole", "t", "s"),
        ("created_at", "timestamp without time zone", "t", ""),
        ("action_filter", "text", "f", ""),
        ("selected_columns", "text[]", "f", ""),
    ]


@pytest.mark.parametrize(
    "call",
    [
        "select * from realtime.list_changes('p', 's', 1, 1)",
        "select * from realtime.apply_rls('{}')",
        "insert into realtime.subscription (subscription_id, entity, claims)"
        " values (gen_random_uuid(), 'auth.users', '{\"role\": \"anon\"}')",
    ],
)
def test_what_would_read_the_log_says_that_it_does_not(database: Database, call: str) -> None:
    error = refused(database, call)
    assert (error.sqlstate, error.hint) == (
        "0A000",
        "Listen by a channel of the realtime API, or read the log by a replication slot.",
    )


def test_it_belongs_to_the_platform(database: Database) -> None:
    assert database.rows(
        "select distinct pg_get_userbyid(owner) from (select relowner as owner from pg_class where relnamespace ="
        " 'realtime'::regnamespace and relname in ('subscription', 'schema_migrations', 'subscription_id_seq')"
        " union all select proowner from pg_proc where pronamespace = 'realtime'::regnamespace and proname in"
        " ('list_changes', 'to_regrole', 'subscription_check_filters') union all select typowner from pg_type where"
        " typnamespace = 'realtime'::regnamespace and typname in ('action', 'wal_rls')) as owned"
    ) == [("supabase_realtime_admin",)]
