"""net, cron, vault, pgmq and pgjwt: the names and rules of the originals, on what the platform has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest

from gateway.database import SyncConnection
from gateway.database.embedded import VAULT_KEY
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded, refused, rolled_back


@pytest.fixture(scope="module")
def owner(server: Server) -> Iterator[SyncConnection]:
    with (
        embedded(server) as ours,
        database(ours) as name,
        SyncConnection(ours.database(name, "postgres")) as connection,
    ):
        yield connection


@pytest.fixture
def project(owner: SyncConnection) -> Iterator[SyncConnection]:
    with rolled_back(owner):
        yield owner


def one(connection: SyncConnection, sql: str, *params: str) -> str | None:
    ((value,),) = connection.rows(sql, *params)
    return value


MAKES = (
    "create extension pg_net; create extension pg_cron; create extension pgmq",
    "create extension if not exists pg_net with schema extensions; create extension pg_cron with schema pg_catalog",
    'create schema if not exists net; create extension "pg_net" schema net;'
    "create schema cron; create extension pg_cron",
    "create schema pgmq; create extension pgmq with schema pgmq",
    # as a dump has it, whose search path is empty
    'set local search_path = \'\'; create extension if not exists "pgmq"; create extension if not exists "pg_tle";'
    'create extension if not exists "pgsodium"',
    "create extension if not exists supabase_vault with schema vault cascade;"
    "create extension pgjwt with schema extensions",
)


@pytest.mark.parametrize("sql", MAKES)
def test_they_are_made_in_the_forms_that_histories_have(project: SyncConnection, sql: str) -> None:
    project.script(sql)
    project.script("drop extension if exists pg_net cascade; drop extension if exists pg_cron cascade")
    assert project.rows("select to_regclass('cron.job'), to_regclass('net.http_request_queue')") == [(None, None)]


# --- net -------------------------------------------------------------------------------------------------------------


def test_a_request_is_a_row_until_it_is_sent(project: SyncConnection) -> None:
    project.script("create extension pg_net; set local role anon")
    assert one(project, "select net.http_get('http://a.example/b?x=1', '{\"ä b\": \"c&d\"}')") == "1"
    assert one(project, "select net.http_post(url := 'http://a.example', body := '{\"a\": 1}')") == "2"
    assert one(project, "select net.http_delete('http://a.example', timeout_milliseconds := 10)") == "3"
    assert project.rows(
        "select method, url, headers::text, convert_from(body, 'UTF8'), timeout_milliseconds"
        " from net.http_request_queue"
    ) == [
        ("GET", "http://a.example/b?x=1&%C3%A4%20b=c%26d", "{}", None, "5000"),
        ("POST", "http://a.example", '{"Content-Type": "application/json"}', '{"a": 1}', "5000"),
        ("DELETE", "http://a.example", "{}", None, "10"),
    ]
    assert one(project, "select status from net._http_collect_response(1)") == "PENDING"
    assert one(project, "select message from net._http_collect_response(99)") == "request matching request_id not found"
    error = refused(project, "select net.http_post('http://a', headers := '{\"content-type\": \"text/plain\"}')")
    assert (error.sqlstate, error.message) == ("P0001", 'Content-Type header must be "application/json"')


# --- cron ------------------------------------------------------------------------------------------------------------


def test_jobs_are_kept_under_their_names(project: SyncConnection) -> None:
    project.script("create extension pg_cron")
    first = one(project, "select cron.schedule('nightly', '0 3 * * *', 'select 1')")
    assert one(project, "select cron.schedule('nightly', '30 seconds', 'select 2')") == first
    other = one(project, "select cron.schedule('*/5 * * * *', 'select 3')")
    assert project.rows("select jobid, schedule, command, username, active, jobname from cron.job order by 1") == [
        (first, "30 seconds", "select 2", "postgres", "t", "nightly"),
        (other, "*/5 * * * *", "select 3", "postgres", "t", None),
    ]
    project.rows("select cron.alter_job($1::bigint, active := false)", other)
    assert one(project, "select active from cron.job where jobid = $1::bigint", str(other)) == "f"
    assert one(project, "select cron.unschedule('nightly')") == "t"
    assert one(project, "select cron.unschedule($1::bigint)", str(other)) == "t"
    assert project.rows("select * from cron.job") == []


GOOD = [
    "* * * * *", "*/15 0-5,22 $ jan-mar mon-fri", "0 0 1,15 * 7", "5/10 * * * *", "1 second", "59 seconds", "@hourly",
    "@daily",
]  # fmt: skip
BAD = [
    "60 * * * *", "* * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *", "5-1 * * * *", "0 seconds",
    "60 seconds", "@reboot", "x",
]  # fmt: skip


@pytest.mark.parametrize("schedule", GOOD)
def test_a_schedule_is_taken(project: SyncConnection, schedule: str) -> None:
    project.script("create extension pg_cron")
    project.rows("select cron.schedule($1, 'select 1')", schedule)


@pytest.mark.parametrize("schedule", BAD)
def test_a_bad_schedule_is_refused(project: SyncConnection, schedule: str) -> None:
    project.script("create extension pg_cron")
    error = refused(project, f"select cron.schedule('{schedule}', 'select 1')")
    assert (error.sqlstate, error.message) == ("22023", f"invalid schedule: {schedule}")
    assert error.hint and "[1-59] seconds" in error.hint


REFUSED = {
    "select cron.schedule(null, '* * * * *', 'select 1')": "22004",
    "select cron.schedule('a', null, 'select 1')": "22004",
    "select cron.unschedule('nothing')": "P0001",
    "select cron.unschedule(77)": "P0001",
    "select cron.schedule_in_database('a', '@daily', 'select 1', 'other')": "0A000",
    "select cron.schedule_in_database('a', '@daily', 'select 1', current_database(), 'anon')": "42501",
    "select cron.schedule_in_database('a', '@daily', 'select 1', current_database(), 'supabase_admin')": "42501",
    "select cron._store('supabase_admin', 'a', '@daily', 'select 1', null, 'supabase_admin', true, null)": "42501",
    "insert into cron.job (schedule, command, username) values ('@daily', 'select 1', 'supabase_admin')": "42501",
    "update cron.job set username = 'supabase_admin'": "42501",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_no_job_runs_as_somebody_else(project: SyncConnection, sql: str) -> None:
    project.script("create extension pg_cron")
    assert refused(project, sql).sqlstate == REFUSED[sql]


def test_a_superusers_job_is_not_for_the_project_to_change(server: Server) -> None:
    with embedded(server) as ours, database(ours) as name, SyncConnection(ours.database(name)) as admin:
        admin.script("create extension pg_cron")
        job = one(admin, "select cron.schedule('kept', '@daily', 'select 1')")
        with SyncConnection(ours.database(name, "postgres")) as owner:
            for call in (
                f"select cron.alter_job({job}, command := 'select 2')",
                f"select cron._store('supabase_admin', null, null, 'select 2', null, null, null, {job})",
                f"select cron._remove('supabase_admin', {job}, null)",
                f"select cron.unschedule({job})",
            ):
                assert refused(owner, call).sqlstate == "P0001"


def test_the_api_reaches_neither_jobs_nor_their_functions(project: SyncConnection) -> None:
    project.script("create extension pg_cron; set local role service_role")
    assert refused(project, "select cron.schedule('* * * * *', 'select 1')").sqlstate == "42501"


# --- vault -----------------------------------------------------------------------------------------------------------


def test_a_secret_is_read_back_and_lies_sealed(project: SyncConnection) -> None:
    for words in ("", "short", "ä secret of more than one block of the cipher, which has thirty-two bytes", "x" * 5000):
        made = str(one(project, "select vault.create_secret($1)", words))
        stored, read = project.rows(
            "select secret, decrypted_secret from vault.decrypted_secrets where id = $1::uuid", made
        )[0]
        assert read == words
        assert not words or words not in str(one(project, "select decode($1, 'base64')::text", str(stored)))


def test_secrets_have_names_and_change(project: SyncConnection) -> None:
    made = str(one(project, "select vault.create_secret('one', 'key', 'what for')"))
    before = one(project, "select secret from vault.secrets")
    project.rows("select vault.update_secret($1::uuid, 'two')", made)
    assert project.rows("select name, description, decrypted_secret from vault.decrypted_secrets") == [
        ("key", "what for", "two")
    ]
    assert one(project, "select secret from vault.secrets") != before
    assert refused(project, "select vault.create_secret('three', 'key')").sqlstate == "23505"


def test_a_secret_that_was_changed_by_hand_is_refused(server: Server) -> None:
    with embedded(server) as ours, database(ours) as name, SyncConnection(ours.database(name)) as admin:
        admin.script("select vault.create_secret('one', 'key'); select vault.create_secret('two', 'other')")
        admin.script(
            "update vault.secrets set (secret, nonce) ="
            " (select secret, nonce from vault.secrets where name = 'other') where name = 'key'"
        )
        assert refused(admin, "select decrypted_secret from vault.decrypted_secrets").sqlstate == "XX001"


@pytest.mark.parametrize(
    "sql",
    [
        "insert into vault.secrets (secret) values ('x')",
        "update vault.secrets set name = 'x'",
        "select vault._key('encrypt')",
        "set local role authenticated; select * from vault.decrypted_secrets",
        "set local role anon; select vault.create_secret('x')",
    ],
)
def test_the_vault_is_closed(project: SyncConnection, sql: str) -> None:
    assert refused(project, sql).sqlstate == "42501"


def test_the_service_role_reads_secrets(project: SyncConnection) -> None:
    project.script("select vault.create_secret('one', 'key'); set local role service_role")
    assert one(project, "select decrypted_secret from vault.decrypted_secrets") == "one"


def test_the_vaults_key_is_in_no_database_and_its_owners_alone(project: SyncConnection) -> None:
    folder = Path(
        str(
            one(
                project, "select substr(setting, 1, length(setting) - 9) from pg_settings where name = 'data_directory'"
            )
        )
    )
    key = folder / VAULT_KEY
    assert key.stat().st_mode & 0o777 == 0o600 and len(key.read_text()) == 64


# --- pgjwt -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["HS256", "HS384", "HS512"])
def test_tokens_are_those_of_everybody(project: SyncConnection, kind: str) -> None:
    project.script("create extension pgjwt with schema extensions")
    secret = "a secret that is long enough for each of them, which is more than sixty-four bytes"
    token = str(one(project, 'select sign(\'{"sub": "ä"}\', $1, $2)', secret, kind))
    assert jwt.decode(token, secret, [kind]) == {"sub": "ä"}
    theirs = jwt.encode({"sub": "b", "exp": 4102444800}, secret, kind)
    assert project.rows("select payload ->> 'sub', valid from verify($1, $2, $3)", theirs, secret, kind) == [("b", "t")]
    assert one(project, "select valid from verify($1, 'another', $2)", theirs, kind) == "f"
    late = jwt.encode({"exp": 1}, secret, kind)
    assert one(project, "select valid from verify($1, $2, $3)", late, secret, kind) == "f"


# --- pgmq ------------------------------------------------------------------------------------------------------------


def test_a_message_is_hidden_for_a_time_and_comes_again(project: SyncConnection) -> None:
    project.script("create extension pgmq; select pgmq.create('Jobs'); select pgmq.create('Jobs')")
    assert one(project, "select pgmq.send('Jobs', '{\"a\": 1}')") == "1"
    assert project.rows("select pgmq.send_batch('Jobs', array['{\"a\": 2}', '{\"a\": 3}']::jsonb[])") == [
        ("2",),
        ("3",),
    ]
    assert one(project, "select pgmq.send('Jobs', '{}', '{\"h\": 1}'::jsonb, 60)") == "4"
    assert project.rows("select msg_id, read_ct, message from pgmq.read('Jobs', 30, 2)") == [
        ("1", "1", '{"a": 1}'),
        ("2", "1", '{"a": 2}'),
    ]
    assert project.rows("select msg_id from pgmq.read('Jobs', 30, 10, '{\"a\": 9}')") == []
    assert project.rows("select msg_id from pgmq.read('Jobs', 30, 10)") == [("3",)]
    assert project.rows("select msg_id from pgmq.read_with_poll('Jobs', 30, 10, 0)") == []
    project.rows("select pgmq.set_vt('Jobs', 2, 0)")
    assert project.rows("select msg_id, read_ct, headers from pgmq.read('Jobs', 0, 10)") == [("2", "2", None)]
    assert project.rows("select msg_id from pgmq.pop('Jobs')") == [("2",)]


def test_messages_are_archived_deleted_and_counted(project: SyncConnection) -> None:
    project.script("create extension pgmq; select pgmq.create_unlogged('q')")
    project.script("select pgmq.send_batch('q', array_fill('{}'::jsonb, array[5]))")
    assert one(project, "select pgmq.archive('q', 1)") == "t" and one(project, "select pgmq.archive('q', 1)") == "f"
    assert project.rows("select pgmq.archive('q', array[2, 99])") == [("2",)]
    assert one(project, "select pgmq.delete('q', 3)") == "t"
    assert project.rows("select pgmq.delete('q', array[4, 98])") == [("4",)]
    assert project.rows("select msg_id from pgmq.a_q order by 1") == [("1",), ("2",)]
    assert project.rows("select queue_length, total_messages, queue_visible_length from pgmq.metrics('q')") == [
        ("1", "5", "1")
    ]
    assert project.rows("select queue_name, is_unlogged from pgmq.list_queues()") == [("q", "t")]
    assert one(project, "select pgmq.purge_queue('q')") == "1"
    assert one(project, "select pgmq.drop_queue('q')") == "t" and one(project, "select pgmq.drop_queue('q')") == "f"
    project.script("savepoint s")
    for name in ("a;b", "a$b", "a--b", "a''b"):
        assert "invalid characters" in refused(project, f"select pgmq.create('{name}')").message
        project.script("rollback to s")
    assert "too long" in refused(project, f"select pgmq.create('{'q' * 48}')").message
