"""The extensions in SQL beside the real ones of Debian's contrib, in one database: same input, same answer."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from gateway.database import SyncConnection
from gateway.database.extension_files import SQL_ONLY
from gateway.database.statement import quote_literal
from tests.contract.debian import DebianPostgres, installed_versions

# Each example is some hundred calls in one statement; what differs is named in full, so that none is made smaller.
FEW = settings(
    max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate)
)
BOTH = ("pgcrypto", "uuid-ossp")

# What a call answers as text, or its error: state and words.
TRIED = """
create function public.tried(place text, call text) returns text language plpgsql as $$
declare
  found text;
begin
  execute format('set local search_path = %I, pg_catalog', place);
  execute 'select (' || call || ')::text' into found;
  return coalesce(found, 'null');
exception when others then
  return sqlstate || ' ' || sqlerrm;
end
$$;
"""
COMPARE = """
  select call, public.tried('real', call), public.tried('ours', call)
  from jsonb_array_elements_text($1::jsonb) as calls (call)
"""


@pytest.fixture(scope="module", params=installed_versions())
def debian(request: pytest.FixtureRequest) -> Iterator[SyncConnection]:
    """A database with the real extensions in schema `real` and the objects of ours in schema `ours`."""
    postgres = DebianPostgres(request.param)
    postgres.start()
    try:
        with SyncConnection(postgres.url) as connection:
            connection.script("create schema real; create schema ours; " + TRIED)
            for name in (*BOTH, "pgjwt"):
                if name in BOTH:
                    connection.script(f'create extension "{name}" with schema real')
                (script,) = (SQL_ONLY / "extension").glob(f"{name}--*.sql")
                text = script.read_text().replace("@extschema@", "ours").replace("@extschema:pgcrypto@", "ours")
                connection.script(f"set search_path = ours; {text}")
            yield connection
    finally:
        postgres.stop()


def compare(debian: SyncConnection, calls: list[str]) -> None:
    """All of them in one statement."""
    rows = debian.rows(COMPARE, json.dumps(calls))
    assert len(rows) == len(calls)
    assert [row for row in rows if row[1] != row[2]] == []


def call(name: str, *arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*arguments).map(lambda given: f"{name}({', '.join(given)})")


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=150).map(quote_literal)
ASCII = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=30)
BYTES = st.binary(max_size=300).map(lambda data: f"'\\x{data.hex()}'::bytea")
BITS = ("224", "256", "384", "512")
HASH = st.sampled_from(
    [
        "md5",
        "sha1",
        "sha-1",
        "SHA256",
        "sha",
        "sha2",
        "sha-2",
        "sha2-1",
        "",
        "md5 ",
        "nobodys",
        *(f"sha{b}" for b in BITS),
    ]
    + [f"{kind}{bits}" for kind in ("sha-", "SHA2-") for bits in BITS]
).map(quote_literal)
RADIX = st.text("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", min_size=20, max_size=24)
ROUNDS = st.sampled_from(["04", "04", "04", "05", "03", "32", "4", "xx", ""])
SALT = st.one_of(
    st.tuples(ROUNDS, RADIX).map(lambda parts: f"$2a${parts[0]}${parts[1]}"),
    ASCII.map(lambda text: f"$1${text}"),
    ASCII.map(lambda text: f"$2a$04${text}"),
    st.sampled_from(["", "$", "a", "_", "_J9..", "$1$", "$1$$"]),
).map(quote_literal)
UUID = st.uuids().map(lambda value: f"'{value}'::uuid")
KIND = st.sampled_from(["'bf'", "'BF'", "'md5'", "'none'", "''", "null"])
COUNT = st.integers(-1, 40).map(str)
CALL = st.one_of(
    call("digest", TEXT, HASH),
    call("digest", BYTES, HASH),
    call("hmac", TEXT, TEXT, HASH),
    call("hmac", BYTES, BYTES, HASH),
    call("crypt", TEXT, SALT),
    call("uuid_generate_v3", UUID, TEXT),
    call("uuid_generate_v5", UUID, TEXT),
    # what is random has the same length, or the same error
    st.one_of(call("gen_salt", KIND), call("gen_salt", KIND, COUNT)).map(lambda text: f"length({text})"),
    call("gen_random_bytes", st.integers(-1, 1100).map(str)).map(lambda text: f"length({text})"),
)


@FEW
@given(st.lists(CALL, min_size=60, max_size=120))
@example([f"uuid_{name}()" for name in ("nil", "ns_dns", "ns_url", "ns_oid", "ns_x500")])
@example([f"{name}(null, null)" for name in ("crypt", "uuid_generate_v5", "decrypt_iv", "pgp_sym_decrypt")])
def test_the_same_input_has_the_same_answer(debian: SyncConnection, calls: list[str]) -> None:
    compare(debian, calls)


def test_uuids_of_time_are_made_of_the_same_parts(debian: SyncConnection) -> None:
    """Version, variant and, of a random node, the bits that say so; the moment is now."""
    found = debian.rows(
        "select distinct place, substr(made, 15, 1), ('x' || substr(made, 20, 1))::bit(4) & b'1100',"
        " name = 'v1' or ('x' || substr(made, 25, 2))::bit(8) & b'00000011' = b'00000011',"
        " abs((('x0' || substr(made, 16, 3) || substr(made, 10, 4) || substr(made, 1, 8))::bit(64)::bigint"
        " - 122192928000000000) / 1e7 - extract(epoch from clock_timestamp())) < 60"
        " from unnest(array['real', 'ours']) as place, unnest(array['v1', 'v1mc']) as name, generate_series(1, 20),"
        " public.tried(place, 'uuid_generate_' || name || '()') as made order by 1"
    )
    assert found == [(place, "1", "1000", "t", "t") for place in ("ours", "real")]


def test_each_function_is_declared_as_the_real_one(debian: SyncConnection) -> None:
    """So that what may stand in an index or a generated column here may there."""
    declared = (
        "select proname, oidvectortypes(proargtypes), pg_get_function_result(oid), provolatile, proisstrict,"
        " proparallel from pg_proc where pronamespace = $1::regnamespace and proname !~ '^_'"
        " and proname <> all ($2::text[]) order by 1, 2"
    )
    newer = "{fips_mode,url_encode,url_decode,algorithm_sign,sign,verify,try_cast_double}"  # of 18, and pgjwt's
    assert debian.rows(declared, "ours", newer) == debian.rows(declared, "real", newer)


CLAIMS = st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), st.integers())


@FEW
@given(st.lists(st.tuples(CLAIMS, TEXT, st.sampled_from(["HS256", "HS384", "HS512"])), min_size=20, max_size=40))
def test_tokens_are_signed_by_the_real_pgcrypto_alike(
    debian: SyncConnection, tokens: list[tuple[dict[str, int], str, str]]
) -> None:
    """pgjwt is none of Debian's: its signatures are held against the real hmac, and its tokens verify."""
    calls = [
        f"select ours.sign({quote_literal(json.dumps(claims))}::json, {secret}, '{kind}') as token, {secret} as secret,"
        f" '{kind}' as kind, {quote_literal(json.dumps(claims))} as claims"
        for claims, secret, kind in tokens
    ]
    found = debian.rows(
        "select ours.url_decode(parts[3]) = real.hmac(parts[1] || '.' || parts[2], secret, 'sha' || substr(kind, 3)),"
        " token !~ '[^A-Za-z0-9_.-]', (read.payload)::text = claims, read.valid,"
        " (ours.verify(token, secret || 'x', kind)).valid"
        f" from ({' union all '.join(calls)}) as made, string_to_array(token, '.') as parts,"
        " ours.verify(token, secret, kind) as read"
    )
    assert found == [("t", "t", "t", "t", "f")] * len(calls)
