"""Calls that the embedded server cannot answer are named before they run; what works, or is a file's own, is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.database.placeholders import PLACEHOLDERS
from gateway.operations.refused_calls import refused_calls
from gateway.projects.apply import StatementFailed
from tests.projects.conftest import Database, Maker, bring_up
from tests.projects.running import command

FILES = [
    ("1.sql", "create extension postgis with schema extensions;\n-- pgp_sym_decrypt('x')\ncreate extension http;"),
    ("2.sql", "create table places (\n  at extensions.geography(point, 4326)\n);\nselect pgp_sym_encrypt('a', 'b');"),
    ("3.sql", "select \"extensions\".\"pgp_sym_encrypt\" (a, b), http_post('https://x', '', ''), urlencode('x');"),
    ("4.sql", "select net.http_get('https://x'), digest('a', 'sha256'), st_distance(a, b), mine.armor(x) from t;"),
]


def test_each_name_is_told_once_with_its_first_place() -> None:
    assert [(call.file, call.line, call.name) for call in refused_calls(FILES)] == [
        ("2.sql", 2, "geography"),
        ("2.sql", 4, "pgp_sym_encrypt"),
        ("3.sql", 1, "http_post"),
    ]
    assert all("DATABASE_URL" in call.advice or "pg_net" in call.advice for call in refused_calls(FILES))


def test_what_the_files_define_themselves_is_theirs() -> None:
    own = (
        "create or replace function public.encrypt(t text) returns text language sql as 'select t'; select encrypt('a')"
    )
    assert list(refused_calls([("1.sql", own)])) == []


def test_of_extensions_only_those_that_are_asked_for_count() -> None:
    assert list(refused_calls([("1.sql", "select hypopg_reset()")])) == []
    (call,) = refused_calls([("1.sql", "create extension hypopg; select hypopg_reset()")])
    assert "hypopg" in call.advice


@pytest.mark.parametrize("name", [each.name for each in PLACEHOLDERS if each.functions])
def test_what_is_named_is_what_ends_with_0A000(name: str) -> None:
    (placeholder,) = (each for each in PLACEHOLDERS if each.name == name)
    schema = f"{placeholder.schema}." if placeholder.schema else ""
    names = {signature.partition("(")[0] for signature in placeholder.functions}
    sql = f"create extension {name}; " + "".join(f"select {schema}{function}(); " for function in sorted(names))
    assert {call.name for call in refused_calls([("1.sql", sql)])} == names


def test_the_check_of_a_project_names_them(tmp_path: Path) -> None:
    (tmp_path / "supabase" / "migrations").mkdir(parents=True)
    (tmp_path / "supabase" / "migrations" / "1_a.sql").write_text("select 1;\nselect pgp_sym_decrypt(a, 'k') from t;")
    assert "1_a.sql, line 2: pgp_sym_decrypt: keep secrets by" in command(tmp_path, "project", "check").stdout
    told = json.loads(command(tmp_path, "project", "check", "--json").stdout)
    assert [call["name"] for call in told["refused"]] == ["pgp_sym_decrypt"]


NEEDS = {
    "set role supabase_admin": "run it as postgres",
    "grant supabase_admin to postgres": "run it as postgres",
    "grant supabase_auth_admin to anon": "run it as postgres",
    "create role of_test_refused; drop owned by of_test_refused": "grant of_test_refused to postgres",
    "create role of_test_refused; reassign owned by of_test_refused to postgres": "grant of_test_refused to postgres",
    "create extension pg_partman; select create_parent('public.t', 'a')": "extension pg_partman, which the embedded",
}


@pytest.mark.parametrize(("sql", "words"), NEEDS.items(), ids=NEEDS)
def test_what_takes_the_platforms_roles_says_what_serves(
    database: Database, project: Maker, sql: str, words: str
) -> None:
    with pytest.raises(StatementFailed) as caught:
        bring_up(database, project({"migrations/1_a.sql": sql}))
    assert words in str(caught.value)
