"""Extensions of the platform on a server of one's own, which cannot have them: a project's files get their objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.database.plain_extensions import MARKERS, asked_for
from gateway.jobs import cron, http_requests
from gateway.operations.extensions import IN_SQL, MISSING, PLAIN, REAL, expected, kinds
from gateway.projects.apply import StatementFailed
from gateway.projects.database import prepare
from tests.contract.debian import DebianPostgres, installed_versions
from tests.projects.conftest import Maker
from tests.projects.databases import refused

FILES = {
    "migrations/1_a.sql": """
create extension if not exists "pg_net" with schema "extensions" version '0.14.0';
create extension pg_cron with schema pg_catalog;
CREATE EXTENSION IF NOT EXISTS supabase_vault WITH SCHEMA vault CASCADE;
comment on extension pg_cron is 'jobs';
create extension if not exists pg_trgm with schema extensions;
select cron.schedule('nightly', '0 3 * * *', 'select 1');
select vault.create_secret('the secret', 'its name');
create function public.tell() returns bigint language sql as $$ select net.http_get('https://example.com/a') $$;
select public.tell();
""",
    "migrations/2_b.sql": """
do $$
begin
  if not exists (select from pg_namespace where nspname = 'pgmq') then
    create extension if not exists pgmq;
  end if;
  create extension if not exists pg_net;
end
$$;
select pgmq.create('letters');
select pgmq.send('letters', '{"a": 1}');
create table public.unqualified ();
create extension pg_tle;
select pgtle.install_extension('acme@marks', '1', 'Marks', 'create table marks ()');
create extension "acme@marks";
""",
}
NEEDED = "create view public.waiting as select id from net.http_request_queue; drop extension if exists pg_net"
NEEDED_BY_A_BODY = "do $$ begin drop extension if exists pg_net; end $$"
BODY = """do $$
begin
  -- drop extension pgmq cascade;
  if exists (select from pg_namespace where nspname = 'net') then
    DROP EXTENSION IF EXISTS "pg_net" CASCADE;
  end if;
  if false then drop extension pgmq; end if;
  raise notice 'drop extension pgmq;';
end
$$;
create extension pg_net;
"""
AGAIN = (
    "drop extension pg_net cascade; create extension pg_net with schema extensions; drop extension if exists pg_cron"
)


@pytest.fixture(scope="module", params=installed_versions())
def elsewhere(request: pytest.FixtureRequest) -> Iterator[SyncConnection]:
    """A database of Debian's with the platform's migrations."""
    postgres = DebianPostgres(request.param)
    postgres.start()
    try:
        with SyncConnection(postgres.url) as connection:
            migrations.migrate(connection, (migrations.platform(),))
            yield connection
    finally:
        postgres.stop()


def test_a_project_that_asks_for_them_loads_and_they_work(
    elsewhere: SyncConnection, project: Maker, tmp_path: Path
) -> None:
    prepare(elsewhere, elsewhere, project(FILES), lambda line: None, False)
    assert elsewhere.rows("select jobname, schedule, username = current_user from cron.job") == [
        ("nightly", "0 3 * * *", "t")
    ]
    assert elsewhere.rows("select decrypted_secret from vault.decrypted_secrets") == [("the secret",)]
    assert elsewhere.rows("select secret ~ 'secret' from vault.secrets") == [("f",)]
    assert elsewhere.rows("select method, url from net.http_request_queue") == [("GET", "https://example.com/a")]
    assert elsewhere.rows("select message from pgmq.read('letters', 30, 10)") == [('{"a": 1}',)]
    assert elsewhere.rows("select to_regclass('public.marks') is not null") == [("t",)]
    # the job worker takes them for its own
    assert elsewhere.rows(cron.IS_OURS.text) == elsewhere.rows(http_requests.IS_OURS.text) == [("t",)]
    assert elsewhere.rows("select to_regclass('public.unqualified') is not null") == [("t",)]
    assert elsewhere.rows(
        "select statements[1] ~ '^create extension' from supabase_migrations.schema_migrations where version = '1'"
    ) == [("t",)]
    # a function of the project is closed, and one of theirs is as in the extension
    assert elsewhere.rows(
        "select has_function_privilege('anon', 'net.http_get(text,jsonb,jsonb,integer)', 'execute'),"
        " has_function_privilege('anon', 'cron._store(text,text,text,text,text,text,boolean,bigint)', 'execute')"
    ) == [("t", "f")]
    for role in ("anon", "authenticated", "service_role"):
        elsewhere.script(f"set role {role}")
        assert refused(elsewhere, "select key from vault._sealing_key").sqlstate == "42501"
        assert refused(elsewhere, "select vault._key('sign')").sqlstate == "42501"
        elsewhere.script("reset role")
    found = {name: (kind, there) for name, kind, there in kinds(elsewhere, tmp_path / "supabase" / "migrations")}
    assert {name: found[name] for name in MARKERS} == dict.fromkeys(MARKERS, (PLAIN, True))
    assert found["pg_trgm"] == (REAL, True)
    with pytest.raises(StatementFailed, match=r"2BP01(.|\n)*view (public.)?waiting depends on it"):
        prepare(elsewhere, elsewhere, project({"migrations/3_c.sql": NEEDED}), lambda line: None, False)
    needed = NEEDED.partition(";")[0] + ";" + NEEDED_BY_A_BODY
    with pytest.raises(StatementFailed, match=r"cannot drop extension pg_net(.|\n)*2BP01"):
        prepare(elsewhere, elsewhere, project({"migrations/3_c.sql": needed}), lambda line: None, False)
    assert elsewhere.rows("select count(*) from net.http_request_queue") == [("1",)]
    prepare(elsewhere, elsewhere, project({"migrations/3_c.sql": BODY}), lambda line: None, False)
    assert elsewhere.rows(
        "select (select count(*) from net.http_request_queue), to_regclass('pgmq.meta') is not null"
    ) == [("0", "t")]
    prepare(elsewhere, elsewhere, project({"migrations/4_d.sql": AGAIN}), lambda line: None, False)
    assert elsewhere.rows("select (select count(*) from net.http_request_queue), to_regnamespace('cron')") == [
        ("0", None)
    ]
    prepare(elsewhere, elsewhere, project({"migrations/5_e.sql": "create extension pg_cron"}), lambda line: None, False)
    assert elsewhere.rows("select count(*) from cron.job") == [("0",)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("create extension pg_net", ("pg_net",)),
        ("create extension pg_network", ()),
        ("create extension if not exists pg_trgm", ()),
        ("select 'create extension pg_net'", ()),
        ("create table extension (pg_net text)", ()),
        ("do $$ begin create extension pgmq; create extension pg_cron; end $$", ("pgmq", "pg_cron")),
        ("comment on extension pg_net is 'it''s'", ("pg_net",)),
        ("drop extension if exists pg_net", ()),
    ],
)
def test_what_asks_for_one_is_found(words: str, names: tuple[str, ...]) -> None:
    assert asked_for(words) == names


def test_what_migrations_ask_for_is_told_before_there_is_a_server() -> None:
    texts = ["create extension pg_net; create extension citext;", "create extension if not exists postgis"]
    assert expected(texts, is_embedded=True) == {"citext": REAL, "pg_net": IN_SQL, "postgis": MISSING}
    assert expected(texts, is_embedded=False) == {"citext": REAL, "pg_net": f"{REAL}, else {PLAIN}", "postgis": REAL}
