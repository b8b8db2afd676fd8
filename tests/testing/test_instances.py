"""Instances of a project for tests: fresh, apart from each other, and gone with whoever asked for them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gateway.testing.client import InstanceFault, Keeper, TestInstance, project_of

MIGRATION = """
create table public.notes (
  id bigint generated always as identity primary key, body text not null, owner uuid default auth.uid()
);
alter table public.notes enable row level security;
create policy own on public.notes using (auth.uid() = owner) with check (auth.uid() = owner);
grant all on public.notes to anon, authenticated, service_role;
"""
SUITE = """
import pytest

@pytest.mark.parametrize("number", range(2))
def test_rows_are_private(supabase, number):
    assert [row["body"] for row in supabase.service.get("/rest/v1/notes").json()] == ["seeded"]
    ada, bea = supabase.user("ada@example.com"), supabase.user("bea@example.com")
    assert ada.post("/rest/v1/notes", json={"body": "mine"}).status_code == 201
    assert bea.get("/rest/v1/notes").json() == []

def test_two(new_supabase):
    first, second = new_supabase(), new_supabase(variables={"GOTRUE_DISABLE_SIGNUP": "true"})
    body = {"email": "a@example.com", "password": "a password for tests"}
    assert first.client().post("/auth/v1/signup", json=body).status_code == 200
    assert second.client().post("/auth/v1/signup", json=body).status_code == 422
"""


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gw-inst-"))  # a short path: a socket's may not be long
    migrations = folder / "supabase" / "migrations"
    migrations.mkdir(parents=True)
    (migrations / "20260101000000_notes.sql").write_text(
        f"{MIGRATION}\nalter database postgres set app.kind = 'a ''sample''';\n"
    )
    (folder / "supabase" / "seed.sql").write_text("insert into public.notes (body) values ('seeded');")
    (folder / "test_suite.py").write_text(SUITE)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def keeper(project: Path) -> Iterator[Keeper]:
    made = Keeper(project)
    yield made
    made.close()


@pytest.fixture
def instance(keeper: Keeper) -> Iterator[TestInstance]:
    with keeper.instance() as made:
        yield made


def bodies(instance: TestInstance) -> list[str]:
    return [row["body"] for row in instance.service.get("/rest/v1/notes").json()]


def until(check: object, what: str) -> None:
    deadline = time.monotonic() + 30
    while not check():  # type: ignore[operator]
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_each_instance_begins_with_the_seeded_template(keeper: Keeper) -> None:
    with keeper.instance() as first, keeper.instance() as second:
        assert first.user("ada@example.com").post("/rest/v1/notes", json={"body": "new"}).status_code == 201
        assert sorted(bodies(first)) == ["new", "seeded"]
        assert bodies(second) == ["seeded"]
        assert second.sql("select count(*) from auth.users") == [("0",)]
        assert second.sql("show app.kind") == [("a 'sample'",)]
        assert first.variables()["SUPABASE_URL"] != second.variables()["SUPABASE_URL"]


def test_whom_a_client_is_decides_what_it_sees(instance: TestInstance) -> None:
    ada = instance.user("ada@example.com", name="Ada")
    assert ada.get("/auth/v1/user").json()["user_metadata"]["name"] == "Ada"
    assert ada.post("/rest/v1/notes", json={"body": "mine"}).status_code == 201
    assert [row["body"] for row in ada.get("/rest/v1/notes").json()] == ["mine"]
    assert instance.user("bea@example.com").get("/rest/v1/notes").json() == []
    assert instance.client().get("/rest/v1/notes").json() == []
    assert instance.user("ada@example.com").get("/rest/v1/notes").json() != []


def test_its_clock_can_be_moved(instance: TestInstance, keeper: Keeper) -> None:
    ada = instance.user("ada@example.com")
    with keeper.instance() as other:
        bea = other.user("bea@example.com")
        assert ada.get("/rest/v1/notes").status_code == 200
        instance.clock.move(3700)
        assert ada.get("/rest/v1/notes").status_code == 401
        assert ada.get("/auth/v1/user").status_code == 403
        assert bea.get("/rest/v1/notes").status_code == 200
        assert instance.user("ada@example.com").get("/auth/v1/user").status_code == 200


def test_mails_are_caught(instance: TestInstance) -> None:
    instance.user("ada@example.com")
    assert instance.client().post("/auth/v1/recover", json={"email": "ada@example.com"}).status_code == 200
    mail = instance.mail("ada@example.com")
    assert f"{instance.url}/auth/v1/verify?token=" in mail["text"]
    with pytest.raises(InstanceFault, match="no mail to bea"):
        instance.mail("bea@example.com", seconds=0)


def test_nothing_is_left_of_one_that_has_ended(keeper: Keeper) -> None:
    with keeper.instance() as made:
        url, folder = made.url, made.folder
        assert folder.is_dir()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)
    assert not folder.exists()
    with keeper.instance() as other:
        name = folder.name
        assert other.sql("select count(*) from pg_database where datname = $1", name) == [("0",)]


def test_what_a_killed_run_has_started_ends(keeper: Keeper, project: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from gateway.testing.client import Keeper\n"
        "with Keeper(Path(sys.argv[1])).instance() as made: print(made.url, flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(project)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        url = run.stdout.readline().strip()
        assert httpx.get(f"{url}/auth/v1/health", trust_env=False).status_code in (200, 401)
        run.kill()

    def is_gone() -> bool:
        try:
            httpx.get(url, trust_env=False, timeout=2)
        except httpx.HTTPError:
            return True
        return False

    until(is_gone, "the instance ends")


def test_suites_share_a_keeper_through_the_plugin(keeper: Keeper, project: Path) -> None:
    """In processes of their own, as parallel workers are."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"],
            cwd=project,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""},
        )
        for _ in range(2)
    ]
    for run in runs:
        said, _ = run.communicate(timeout=120)
        assert run.returncode == 0 and "3 passed" in said, said


def test_other_languages_ask_by_command(keeper: Keeper, project: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "gateway", "testing", "start", "--set", "PGRST_DB_MAX_ROWS=1"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdin is not None and run.stdout is not None
    made = json.loads(run.stdout.readline())
    headers = {"apikey": made["SUPABASE_SERVICE_ROLE_KEY"]}
    with httpx.Client(base_url=made["SUPABASE_URL"], headers=headers, trust_env=False) as client:
        assert [row["body"] for row in client.get("/rest/v1/notes").json()] == ["seeded"]
        client.post("/rest/v1/notes", json={"body": "second"})
        assert len(client.get("/rest/v1/notes").json()) == 1
    run.stdin.write("60\n")
    run.stdin.flush()
    assert json.loads(run.stdout.readline()) == {}
    run.communicate(timeout=30)
    assert run.returncode == 0


def test_a_changed_migration_makes_a_new_template_and_a_wrong_one_is_named(keeper: Keeper, project: Path) -> None:
    late = project / "supabase" / "migrations" / "20260102000000_more.sql"
    try:
        late.write_text("alter table public.notes add column mood text default 'ok';")
        with keeper.instance() as made:
            assert made.service.get("/rest/v1/notes").json()[0]["mood"] == "ok"
        late.write_text("alter table public.nothing add column x text;")
        with pytest.raises(InstanceFault, match=r"20260102000000_more\.sql.*nothing"), keeper.instance():
            pass
    finally:
        late.unlink()
    with keeper.instance() as made:
        assert bodies(made) == ["seeded"]


def test_a_keeper_that_was_killed_is_followed_by_another(project: Path) -> None:
    apart = Path(tempfile.mkdtemp(prefix="gw-inst-"))
    lock = apart / ".gateway" / "testing" / "lock"
    shutil.copytree(project / "supabase", apart / "supabase")
    first = Keeper(apart)
    try:
        with pytest.raises(InstanceFault, match="gone"), first.instance() as made:
            assert bodies(made) == ["seeded"]
            os.kill(int(json.loads(lock.read_text())["pid"]), signal.SIGKILL)
        second = Keeper(apart)
        try:
            with second.instance() as other:
                assert bodies(other) == ["seeded"]
        finally:
            second.close()
            os.kill(int(json.loads(lock.read_text())["pid"]), signal.SIGKILL)
    finally:
        first.close()
        shutil.rmtree(apart, ignore_errors=True)


LEAVING = """
import select, socket, sys, time
from pathlib import Path
from gateway.database.embedded import DataLock
folder = Path(sys.argv[1])
lock, listening = DataLock(folder, 0), socket.socket(socket.AF_UNIX)
listening.bind(str(folder / "keeper.sock"))
listening.listen(64)
print("here", flush=True)
select.select([listening], [], [])
if sys.argv[2] == "accepted":
    listening.accept()[0].close()
listening.close()
time.sleep(0.5)  # as one does that stops its Postgres
"""


@pytest.mark.parametrize("how", ["accepted", "not accepted"])
def test_a_keeper_that_is_about_to_end_is_followed_by_another(project: Path, how: str) -> None:
    """One can still connect to it, and it holds the folder for a while."""
    apart = Path(tempfile.mkdtemp(prefix="gw-inst-"))
    folder = apart / ".gateway" / "testing"
    folder.mkdir(parents=True)
    shutil.copytree(project / "supabase", apart / "supabase")
    with subprocess.Popen([sys.executable, "-c", LEAVING, str(folder), how], stdout=subprocess.PIPE, text=True) as old:
        assert old.stdout is not None and old.stdout.readline() == "here\n"
        keeper = Keeper(apart)
        try:
            with keeper.instance() as made:
                assert bodies(made) == ["seeded"]
        finally:
            keeper.close()
            os.kill(int(json.loads((folder / "lock").read_text())["pid"]), signal.SIGKILL)
            shutil.rmtree(apart, ignore_errors=True)


def test_a_project_is_found_from_within_it(project: Path) -> None:
    assert project_of(project / "supabase" / "migrations") == project
    assert project_of(project) == project
