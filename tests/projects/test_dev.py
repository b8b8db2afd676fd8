"""`gateway dev` in a folder with `supabase/`: the project as it stands, by every way that its people use."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gateway.database import DatabaseUnavailable, SyncConnection
from tests.projects.running import Running, command, start

TODO = Path(__file__).parent / "samples" / "todo"


def short_folder() -> Path:
    """A socket's path may not be long."""
    return Path(tempfile.mkdtemp(prefix="gw-proj-"))


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    folder = short_folder()
    shutil.copytree(TODO, folder, dirs_exist_ok=True)
    gateway = start(folder / "app" / "src")
    yield Running(folder, gateway.process, gateway.output)
    gateway.stop()
    shutil.rmtree(folder, ignore_errors=True)


def sign_up(running: Running, email: str) -> httpx.Response:
    return httpx.post(
        f"{running.row('API URL')}/auth/v1/signup",
        headers={"apikey": running.row("Publishable key")},
        json={"email": email, "password": "password"},
    )


def test_a_sign_up_runs_the_projects_trigger_and_its_policies_hold(running: Running) -> None:
    signed_up = sign_up(running, "ada@example.com")
    assert signed_up.status_code == 200, signed_up.text
    todos = httpx.get(
        f"{running.row('API URL')}/rest/v1/todos?select=title",
        headers={
            "apikey": running.row("Publishable key"),
            "authorization": f"Bearer {signed_up.json()['access_token']}",
        },
    )
    assert todos.json() == [{"title": "Welcome; read the docs"}]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/index.html", "/unknown/v1/x"])
def test_a_project_without_a_site_answers_other_paths_as_hosted_does(running: Running, method: str, path: str) -> None:
    answer = httpx.request(method, f"{running.row('API URL')}{path}")
    assert (answer.status_code, answer.json()) == (404, {"error": "requested path is invalid"})


def test_data_and_keys_are_in_the_projects_folder_and_git_does_not_see_them(running: Running) -> None:
    data = running.folder / ".gateway"
    assert (data / "postgres").is_dir() and not (running.folder / "app" / "src" / ".gateway").exists()
    assert (data / ".gitignore").read_text() == "*\n"
    assert stat.S_IMODE((data / "db-password").stat().st_mode) == 0o600


def test_tools_reach_the_database_on_loopback_with_the_password_alone(running: Running) -> None:
    url = running.row("Database")
    assert url.startswith("postgresql://postgres:") and "@127.0.0.1:" in url and url.endswith("?sslmode=disable")
    with SyncConnection(url) as connection:
        assert connection.rows("select current_user, inet_server_addr()::text") == [("postgres", "127.0.0.1/32")]
        assert connection.rows("show listen_addresses") == [("127.0.0.1",)]
        assert connection.rows("select version from supabase_migrations.schema_migrations order by 1")[0] == (
            "20240101000000",
        )
    password = url.split(":")[2].split("@")[0]
    for wrong in (url.replace(password, "wrong"), url.replace("postgres:" + password, "authenticator")):
        with pytest.raises(DatabaseUnavailable):
            SyncConnection(wrong)


def test_variables_are_printed_under_the_names_that_applications_read(running: Running) -> None:
    keys = running.keys
    assert keys["SUPABASE_URL"] == keys["API_URL"] == running.row("API URL")
    assert keys["DB_URL"] == running.row("Database")
    assert f'SUPABASE_ANON_KEY="{keys["ANON_KEY"]}"' in command(running.folder, "keys", "env").stdout.splitlines()
    for name in ("ANON_KEY", "PUBLISHABLE_KEY", "SERVICE_ROLE_KEY", "SECRET_KEY"):
        answer = httpx.get(f"{keys['SUPABASE_URL']}/rest/v1/todos", headers={"apikey": keys[f"SUPABASE_{name}"]})
        assert answer.status_code in (200, 401), (name, answer.text)


def test_buckets_of_the_configuration_are_made_and_filled(running: Running) -> None:
    keys = running.keys
    url = f"{keys['API_URL']}/storage/v1/object/public/images/sub/dot.txt"
    deadline = time.monotonic() + 30
    while (answer := httpx.get(url)).status_code != 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert answer.text == "dot\n"


def test_a_reset_begins_anew_beside_a_gateway_that_serves(running: Running) -> None:
    assert sign_up(running, "grace@example.com").status_code == 200
    done = command(running.folder, "db", "reset", "--yes")
    assert done.returncode == 0, done.stderr
    assert "Seeding data from supabase/seed.sql..." in done.stdout
    deadline = time.monotonic() + 30
    while (again := sign_up(running, "grace@example.com")).status_code != 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert again.status_code == 200, again.text
    with SyncConnection(running.row("Database")) as connection:
        assert connection.rows("select count(*) from public.todos where owner is null") == [("1",)]


def test_a_second_project_takes_other_ports(running: Running) -> None:
    folder = short_folder()
    shutil.copytree(TODO, folder, dirs_exist_ok=True)
    try:
        other = start(folder)
        try:
            assert other.row("API URL") != running.row("API URL")
            assert other.row("Database").split("@")[1] != running.row("Database").split("@")[1]
        finally:
            assert other.stop() == 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_migrations_are_listed_and_checked_from_any_folder_of_the_project(running: Running) -> None:
    listed = command(running.folder / "app", "migration", "list")
    assert "20240101000000 | 20240101000000 | 2024-01-01 00:00:00" in listed.stdout, listed.stderr
    checked = command(Path("/"), "project", "check", "--workdir", str(running.folder))
    assert "auth.minimum_password_length = 7" in checked.stdout, checked.stderr
    assert "studio.enabled: there is no Studio here" in checked.stdout


def test_migrations_are_begun_applied_and_forgotten(running: Running) -> None:
    made = command(running.folder, "migration", "new", "more things", input="create table public.more (id int);\n")
    path = running.folder / made.stdout.split()[-1]
    assert path.read_text() == "create table public.more (id int);\n"
    try:
        assert "Would push" in command(running.folder, "db", "push", "--dry-run").stdout
        assert command(running.folder, "db", "push").returncode == 0
        assert "up to date" in command(running.folder, "migration", "up").stdout
        version = path.name.partition("_")[0]
        with SyncConnection(running.row("Database")) as connection:
            assert connection.rows("select tableowner from pg_tables where tablename = 'more'") == [("postgres",)]
            repaired = command(running.folder, "migration", "repair", "--status", "reverted", version)
            assert repaired.returncode == 0, repaired.stderr
            listed = connection.rows("select version from supabase_migrations.schema_migrations order by 1")
            assert version not in {row[0] for row in listed}
            connection.script("drop table public.more")
    finally:
        path.unlink()


TOOL = """#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in --from) from="$2" ;; --to) to="$2" ;; --output) out="$2" ;; esac
  shift
done
printf -- '-- %s\\n-- %s\\ncreate table public.found (id int);\\n' "$from" "$to" > "$out"
"""


def test_a_difference_is_asked_of_the_official_cli_with_a_shadow_database(running: Running) -> None:
    without = command(running.folder, "db", "diff", PATH="/usr/bin:/bin")
    assert without.returncode == 1 and "npm install --save-dev supabase" in without.stderr
    tool = running.folder / "node_modules" / ".bin" / "supabase"
    tool.parent.mkdir(parents=True)
    tool.write_text(TOOL)
    tool.chmod(0o755)
    shown = command(running.folder, "db", "diff")
    here = running.row("Database")
    assert shown.stdout.splitlines() == [
        f"-- {here.replace('/postgres?', '/gateway_shadow?')}", f"-- {here}", "create table public.found (id int);",
    ], shown.stderr  # fmt: skip
    with SyncConnection(here) as connection:
        assert connection.rows("select count(*) from pg_database where datname = 'gateway_shadow'") == [("0",)]
    assert command(running.folder, "link", "--db-url", here).returncode == 0
    pulled = command(running.folder, "db", "pull", "--yes")
    assert pulled.returncode == 0, pulled.stderr
    (path,) = (running.folder / "supabase" / "migrations").glob("*_remote_schema.sql")
    with SyncConnection(here) as connection:
        noted = connection.rows("select name from supabase_migrations.schema_migrations order by version desc limit 1")
    assert noted == [("remote_schema",)]
    repaired = command(running.folder, "migration", "repair", "--status", "reverted", path.name.partition("_")[0])
    assert repaired.returncode == 0
    path.unlink()


def test_a_lint_without_its_extension_says_so(running: Running) -> None:
    done = command(running.folder, "db", "lint")
    assert done.returncode == 0 or "plpgsql_check" in done.stderr


def test_a_new_project_has_everything_to_run_at_once(tmp_path: Path) -> None:
    made = command(tmp_path, "new", "my-app")
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "my-app"
    assert {path.name for path in folder.iterdir()} == {
        ".env.local", ".gateway", ".gitignore", "README.md", "index.html", "package.json", "src", "supabase", "tests",
    }  # fmt: skip
    assert "NAME" not in (folder / "package.json").read_text()
    variables = dict(line.split("=", 1) for line in (folder / ".env.local").read_text().splitlines())
    keys = json.loads((folder / ".gateway" / "keys.json").read_text())
    assert variables == {
        "VITE_SUPABASE_URL": "http://127.0.0.1:54321", "VITE_SUPABASE_ANON_KEY": keys["publishable_key"],
    }  # fmt: skip
    assert not json.loads(command(folder, "project", "check", "--json").stdout)["warnings"]
    again = command(tmp_path, "new", "my-app")
    assert again.returncode == 1 and "not empty" in again.stderr


def test_a_migration_that_fails_ends_the_start_with_its_place(tmp_path: Path) -> None:
    folder = short_folder()
    (folder / "supabase" / "migrations").mkdir(parents=True)
    (folder / "supabase" / "migrations" / "1_a.sql").write_text("select 1;\nselect nothing;\n")
    try:
        failed = command(folder, "dev")
        assert failed.returncode == 1
        assert "supabase/migrations/1_a.sql, line 2: " in failed.stderr
        assert not (folder / ".gateway" / "postgres" / "postmaster.pid").exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert os.listdir(tmp_path) == []


SUITE = """\\set who ada
begin;
create extension "basejump-supabase_test_helpers" version '0.0.6';
select plan(3);
select has_table('public', 'todos', 'there are todos');
select tests.create_supabase_user(:'who');
select tests.authenticate_as('ada');
select is(count(*), {count}::bigint, 'a new user has a todo') from todos;
select tests.clear_authentication();
select is_empty('select * from todos', 'nobody sees them');
select * from finish();
rollback;
"""


def test_suites_run_by_the_official_commands_name_and_leave_nothing(running: Running) -> None:
    folder = running.folder / "supabase" / "tests"
    assert command(running.folder, "test", "new", "first one").returncode == 0
    assert (folder / "first_one_test.sql").is_file()
    (folder / "database").mkdir()
    (folder / "database" / "01-todos.sql").write_text(SUITE.format(count=1))
    for words in (("test", "db"), ("db", "test")):
        done = command(running.folder, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        said = [line for line in done.stdout.splitlines() if line]
        assert said[:3] == [
            "supabase/tests/database/01-todos.sql .. ok",
            "supabase/tests/first_one_test.sql ..... ok",
            "All tests successful.",
        ]
        assert said[3].startswith("Files=2, Tests=4,") and said[4] == "Result: PASS"
    (folder / "database" / "01-todos.sql").write_text(SUITE.format(count=5))
    done = command(running.folder, "test", "db", "supabase/tests/database")
    assert done.returncode == 1 and "#         want: 5" in done.stdout and done.stdout.endswith("Result: FAIL\n")
    with SyncConnection(running.row("Database")) as connection:
        assert connection.rows("select extname from pg_extension where extname ~ 'tap|helpers'") == []
    shutil.rmtree(folder)


def test_languages_whose_types_another_tool_writes_are_named_with_its_command(tmp_path: Path) -> None:
    done = command(tmp_path, "gen", "types", "--lang", "swift")
    assert done.returncode == 1 and "unsupported_language" in done.stderr
    assert 'supabase gen types --lang swift --db-url "$DATABASE_URL"' in done.stderr
