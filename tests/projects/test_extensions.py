"""Extensions that projects ask for: those of the server, those in SQL, and those that are missing and say so."""

from __future__ import annotations

import hashlib
import hmac
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import bcrypt
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gateway.database import SyncConnection
from gateway.database.placeholders import PLACEHOLDERS
from gateway.operations.extensions import IN_SQL, MISSING, REAL, kinds
from gateway.projects.advice import need_of
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded, refused, rolled_back

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


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


def one(connection: SyncConnection, sql: str, *params: str) -> str:
    """The only value."""
    ((value,),) = connection.rows(sql, *params)
    return str(value)


def test_what_hosted_projects_have_is_there(project: SyncConnection) -> None:
    assert project.rows(
        "select extname from pg_extension where extnamespace = 'extensions'::regnamespace order by 1"
    ) == [("pg_stat_statements",), ("pgcrypto",), ("uuid-ossp",)]
    project.script("select uuid_generate_v4(), gen_random_bytes(8), digest('a', 'sha256')")
    project.script("set search_path = ''; select extensions.uuid_generate_v4(), extensions.digest('a', 'sha256')")


ASKED = {
    "hosted's, again": "create extension if not exists pgcrypto;"
    'create extension if not exists "uuid-ossp" with schema public',
    "citext": "create extension citext; create table t (name citext unique)",
    "pg_trgm": "create extension if not exists pg_trgm with schema extensions; create table t (name text);"
    "create index on t using gin (name extensions.gin_trgm_ops); select similarity('a', 'b')",
    "unaccent": "create extension unaccent schema extensions; select extensions.unaccent('é')",
    "vector": "create extension if not exists vector; create table t (v vector(3));"
    "create index on t using hnsw (v vector_l2_ops)",
    "vector elsewhere": "create extension vector with schema extensions; create table t (v extensions.vector(3))",
    "moddatetime": "create extension if not exists moddatetime schema extensions;"
    "create table t (updated_at timestamptz);"
    "create trigger u before update on t for each row execute procedure extensions.moddatetime(updated_at)",
    "pgsodium of old histories": "create extension if not exists pgsodium; create table t (note text, nonce bytea"
    " default pgsodium.crypto_aead_det_noncegen(), key_id uuid references pgsodium.key (id)"
    " default (pgsodium.create_key()).id); insert into t (note, nonce, key_id) values ('a', null, null)",
    "others": "create extension hstore; create extension ltree; create extension fuzzystrmatch;"
    "create extension btree_gin;"
    "create extension btree_gist; create extension tablefunc; create extension intarray; create extension cube;"
    "create extension earthdistance; create extension dblink; create extension pg_walinspect;"
    "create extension tsm_system_rows; create extension dict_xsyn",
}


@pytest.mark.parametrize("sql", ASKED.values(), ids=ASKED)
def test_a_migration_makes_it(project: SyncConnection, sql: str) -> None:
    project.script(sql)


def test_the_api_may_call_what_an_extension_brings(project: SyncConnection) -> None:
    """The functions of a migration are closed here; an extension's own are as its authors made them."""
    project.script("create extension pg_trgm; create extension citext with schema extensions; create extension dblink")
    project.script("create function public.closed() returns int language sql as 'select 1'; set local role anon")
    assert one(project, "select similarity('a', 'a') = 1 and 'A'::extensions.citext = 'a'") == "t"
    project.script("savepoint s")
    assert refused(project, "select dblink_connect_u('x')").sqlstate == "42501"
    project.script("rollback to s")
    assert refused(project, "select public.closed()").sqlstate == "42501"


# --- those that nobody can have --------------------------------------------------------------------------------------


WORKS = {each.name: each.works for each in PLACEHOLDERS}
FIXED = {each.name for each in PLACEHOLDERS if each.is_fixed}


@pytest.mark.parametrize("name", WORKS)
def test_a_missing_extension_loads_and_every_call_says_that_it_is_missing(project: SyncConnection, name: str) -> None:
    project.script(f"create extension if not exists {name}" + ("" if name in FIXED else " with schema extensions"))
    called = project.rows(
        "select oid::regproc, (select coalesce(string_agg('null::' || format_type(t, null), ', '), '')"
        "  from unnest(proargtypes) as t) from pg_proc join pg_depend on objid = oid and deptype = 'e'"
        " where refobjid = (select oid from pg_extension where extname = $1)",
        name,
    )
    working = set(re.findall(r"create function @extschema@\.(\w+)", WORKS[name]))
    for function, arguments in called:
        if str(function).rpartition(".")[2] in working:
            continue
        project.script("savepoint s")
        error = refused(project, f"select * from {function}({arguments})")
        assert error.sqlstate == "0A000" and name in error.message and error.hint
        project.script("rollback to s")


INSTALLER = """
create extension if not exists http with schema extensions;
create extension if not exists pg_tle;
select extensions.http_set_curlopt('CURLOPT_TIMEOUT', '30');
select pgtle.uninstall_extension_if_exists('supabase-dbdev');
drop extension if exists "supabase-dbdev";
select pgtle.install_extension('supabase-dbdev', resp.contents ->> 'version', 'manager', resp.contents ->> 'sql')
from extensions.http((
  'GET', 'https://api.database.dev/rest/v1/package_versions?select=sql,version&limit=1',
  array[('apiKey', 'key')::extensions.http_header], null, null
)) as x, lateral (select ((row_to_json(x) -> 'content') #>> '{}')::json -> 0) as resp (contents);
create extension "supabase-dbdev";
select dbdev.install('supabase-dbdev');
drop extension if exists "supabase-dbdev";
create extension "supabase-dbdev";
select dbdev.install('basejump-supabase_test_helpers');
create extension "basejump-supabase_test_helpers";
"""


def test_packages_that_the_server_has_are_installed_and_others_refused(project: SyncConnection) -> None:
    project.script(INSTALLER)
    assert one(project, "select to_regprocedure('tests.authenticate_as(text)') is not null") == "t"
    project.script("savepoint s")
    for sql in (
        "select dbdev.install('somebody-package')",
        "select extensions.http(('GET', 'https://example.com', null, null, null))",
    ):
        assert refused(project, sql).sqlstate == "0A000"
        project.script("rollback to s")


def test_what_needs_no_client_of_http_works(project: SyncConnection) -> None:
    project.script("create extension http with schema extensions; set search_path = ''")
    assert project.rows(
        "select extensions.urlencode('it''s 50% & \u00fc/_-.~?'), "
        " extensions.urlencode('{\"a b\": \"c&d\", \"n\": 1}'::jsonb),"
        " extensions.http_headers('a', 'b', 'c', 'd')::text, extensions.http_reset_curlopt(),"
        " ('PUT'::extensions.http_method, 'http://x', array[extensions.http_header('a', 'b')], null, null)"
        "   ::extensions.http_request::text, extensions.bytea_to_text(extensions.text_to_bytea('\u00fc'))"
    ) == [
        (
            "it%27s+50%25+%26+%C3%BC%2F_-.~%3F", "n=1&a+b=c%26d", '{"(a,b)","(c,d)"}', "t",
            '(PUT,http://x,"{""(a,b)""}",,)', "\u00fc",
        )
    ]  # fmt: skip
    assert "not available for run-time" in refused(project, "select extensions.http_set_curlopt('x', '1')").message


NEEDS = {
    "create table t (at extensions.geography(point, 4326))": "extension postgis, which the embedded Postgres",
    "create function f() returns int language plv8 as 'return 1'": "extension plv8, which the embedded Postgres",
    "create collation c (provider = icu, locale = 'und-u-ks-level2', deterministic = false)": "extensions.citext",
    "\\set x 1": "gateway db psql -f FILE",
}


@pytest.mark.parametrize("sql", NEEDS)
def test_what_no_file_can_have_here_is_told_with_what_to_do(project: SyncConnection, sql: str) -> None:
    project.script("create extension postgis with schema extensions; create extension plv8 with schema extensions")
    assert NEEDS[sql] in str(need_of(refused(project, sql)))


def test_a_type_that_is_missing_fails_where_it_is_used(project: SyncConnection) -> None:
    project.script("create extension postgis")
    assert refused(project, "create table t (at geometry(point, 4326))").sqlstate == "42704"


def test_an_unknown_extension_is_refused(project: SyncConnection) -> None:
    assert refused(project, "create extension nobodys").sqlstate in ("0A000", "58P01")


# --- in SQL: uuid-ossp -----------------------------------------------------------------------------------------------

NAMESPACES = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200)


@FEW
@given(TEXT, st.sampled_from(sorted(NAMESPACES)))
@example("a" * 119, "dns")
@example("", "url")
def test_names_have_the_uuids_of_the_standard(owner: SyncConnection, name: str, space: str) -> None:
    found = owner.rows(f"select uuid_generate_v3(uuid_ns_{space}(), $1), uuid_generate_v5(uuid_ns_{space}(), $1)", name)
    assert found == [(str(uuid.uuid3(NAMESPACES[space], name)), str(uuid.uuid5(NAMESPACES[space], name)))]


def test_uuids_of_time_and_chance_are_of_their_version_and_differ(owner: SyncConnection) -> None:
    rows = owner.rows(
        "select uuid_generate_v1(), uuid_generate_v1mc(), uuid_generate_v4() from generate_series(1, 200)"
    )
    for made, version in zip(zip(*rows, strict=True), (1, 1, 4), strict=True):
        kinds = [uuid.UUID(value) for value in made]
        assert len(set(kinds)) == 200
        assert {(each.variant, each.version) for each in kinds} == {(uuid.RFC_4122, version)}
    first = uuid.UUID(rows[0][0])
    assert abs(first.time - uuid.uuid1().time) < 600 * 10_000_000, "the time is today's"
    assert one(owner, "select uuid_nil()") == "00000000-0000-0000-0000-000000000000"


# --- in SQL: pgcrypto ------------------------------------------------------------------------------------------------

HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")


@FEW
@given(st.binary(max_size=300), st.sampled_from(HASHES))
@example(b"\0" * 55, "sha1")
@example(b"\0" * 56, "sha1")
@example(b"\xff" * 64, "sha1")
def test_digests_are_those_of_the_standards(owner: SyncConnection, data: bytes, kind: str) -> None:
    found = one(owner, "select encode(digest($1::bytea, upper($2)), 'hex')", f"\\x{data.hex()}", kind)
    assert found == hashlib.new(kind, data).hexdigest()


@FEW
@given(st.binary(max_size=200), st.binary(max_size=200), st.sampled_from(HASHES))
@example(b"", b"", "sha512")
@example(b"x", b"k" * 129, "sha512")
def test_hmacs_are_those_of_the_standard(owner: SyncConnection, data: bytes, key: bytes, kind: str) -> None:
    found = one(
        owner, "select encode(hmac($1::bytea, $2::bytea, $3), 'hex')", f"\\x{data.hex()}", f"\\x{key.hex()}", kind
    )
    assert found == hmac.new(key, data, kind).hexdigest()


def test_text_is_hashed_as_its_bytes(owner: SyncConnection) -> None:
    assert one(owner, "select encode(digest('é', 'sha1'), 'hex')") == hashlib.sha1("é".encode()).hexdigest()
    assert one(owner, r"select encode(digest('\x41', 'md5'), 'hex')") == hashlib.md5(rb"\x41").hexdigest()
    assert one(owner, "select digest(null, 'md5') is null and hmac('a', null, 'md5') is null") == "t"


@settings(FEW, max_examples=12)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=90).filter(lambda t: len(t.encode()) <= 72)
)
@example("")
@example("p" * 72)
def test_passwords_are_checked_both_ways(owner: SyncConnection, password: str) -> None:
    """What the database makes signs in by auth, and what auth stored is checked in the database."""
    made = one(owner, "select crypt($1, gen_salt('bf', 4))", password)
    assert bcrypt.checkpw(password.encode(), made.encode())
    stored = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
    assert one(owner, "select crypt($1, $2) = $2", password, stored) == "t"
    assert one(owner, "select crypt($1, $2) = $2", f"x{password}"[:20], stored) == "f"


def test_salts_have_the_shape_of_their_kind(owner: SyncConnection) -> None:
    assert one(owner, "select gen_salt('bf') ~ '^\\$2a\\$06\\$[./A-Za-z0-9]{22}$'") == "t"
    assert (
        one(owner, "select gen_salt('bf', 10) ~ '^\\$2a\\$10\\$' and gen_salt('md5') ~ '^\\$1\\$[./A-Za-z0-9]{8}$'")
        == "t"
    )
    assert one(owner, "select count(distinct gen_salt('bf')) from generate_series(1, 50)") == "50"


# Made by the program of OpenSSL, `passwd -1`.
MD5_CRYPTS = {
    ("hello", "$1$abcdefgh$"): "$1$abcdefgh$rwnEbRiN0agqVgZBovWNQ/",
    ("", "$1$a$"): "$1$a$8CfZSfErbeskipdhZHtvu.",
    ("a longer password than sixteen bytes", "$1$12345678$"): "$1$12345678$erPGCeoHqOXai9DkQsnDh/",
}


@pytest.mark.parametrize(("given_salt", "expected"), MD5_CRYPTS.items())
def test_the_older_passwords_are_those_of_the_system(
    owner: SyncConnection, given_salt: tuple[str, str], expected: str
) -> None:
    assert one(owner, "select crypt($1, $2)", *given_salt) == expected


def test_random_bytes_are_as_many_as_asked_and_spread(owner: SyncConnection) -> None:
    assert owner.rows("select n from generate_series(1, 1024) as n where length(gen_random_bytes(n)) <> n") == []
    # every bit is set about half of the time: none is one of a UUID's fixed ones
    raw = bytes.fromhex(
        one(owner, "select string_agg(encode(gen_random_bytes(28), 'hex'), '') from generate_series(1, 800)")
    )
    for place in range(28 * 8):
        ones = sum(raw[row * 28 + place // 8] >> place % 8 & 1 for row in range(800))
        assert 280 < ones < 520, place


REFUSALS = {
    "select digest('a', 'sha3')": ("22023", 'Cannot use "sha3"'),
    "select gen_random_bytes(0)": ("39000", "Length not in range"),
    "select gen_random_bytes(1025)": ("39000", "Length not in range"),
    "select gen_salt('none')": ("22023", "Unknown salt algorithm"),
    "select gen_salt('bf', 3)": ("22023", "Incorrect number of rounds"),
    "select gen_salt('bf', 32)": ("22023", "Incorrect number of rounds"),
    "select crypt('a', '')": ("22023", "invalid salt"),
    "select crypt('a', '$2a$06$short')": ("22023", "invalid salt"),
    "select gen_salt('des')": ("0A000", "des is not available"),
    "select crypt('a', 'ab')": ("0A000", "only bf and md5"),
    "select pgp_sym_encrypt('a', 'b')": ("0A000", "pgp_sym_encrypt is not available"),
    "select encrypt('a', 'b', 'aes')": ("0A000", "encrypt is not available"),
    "select armor('a')": ("0A000", "armor is not available"),
}


@pytest.mark.parametrize("sql", REFUSALS)
def test_what_it_cannot_do_is_said(owner: SyncConnection, sql: str) -> None:
    error = refused(owner, sql)
    assert error.sqlstate == REFUSALS[sql][0] and REFUSALS[sql][1] in error.message


# --- what the doctor says --------------------------------------------------------------------------------------------


def test_each_extension_is_called_what_it_is(project: SyncConnection, tmp_path: Path) -> None:
    (tmp_path / "1_a.sql").write_text("create extension if not exists nobodys;\n-- create extension unheard;\n")
    (tmp_path / "2_b.sql").write_text('CREATE EXTENSION "postgis" WITH SCHEMA extensions; create extension pg_trgm;')
    project.script("create extension vector; create extension hypopg")
    found = {name: (kind, there) for name, kind, there in kinds(project, tmp_path)}
    assert found == {
        "hypopg": (MISSING, True),
        "nobodys": (MISSING, False),
        "pg_stat_statements": (REAL, True),
        "pg_trgm": (REAL, False),
        "pgcrypto": (IN_SQL, True),
        "postgis": (MISSING, False),
        "supabase_vault": (IN_SQL, True),
        "uuid-ossp": (IN_SQL, True),
        "vector": (REAL, True),
    }


@pytest.mark.parametrize(
    "value",
    [
        "extensions.hmac('a', 'key', 'sha256')",
        "extensions.digest('a', 'md5')",
        "extensions.crypt('a', extensions.gen_salt('bf', 4))",
        "extensions.gen_random_bytes(4)",
        "extensions.uuid_generate_v5(extensions.uuid_ns_url(), 'a')",
        "extensions.uuid_generate_v4()",
        "extensions.sign('{}', 'key')",
    ],
)
def test_a_default_is_run_by_any_role_that_may_write(owner: SyncConnection, value: str) -> None:
    """As by a trigger of a sign-up, which the auth API's role runs."""
    with rolled_back(owner) as connection:
        connection.script(
            "create extension if not exists pgjwt schema extensions;"
            "create role of_test_extensions; grant of_test_extensions to postgres;"
            f"create table public.made (id int, filled text default ({value})::text);"
            "grant insert on public.made to of_test_extensions, supabase_auth_admin"
        )
        for role in ("of_test_extensions", "supabase_auth_admin"):
            connection.script(f"set local role {role}; insert into public.made (id) values (1); reset role")
        assert connection.rows("select count(filled) from public.made") == [("2",)]
