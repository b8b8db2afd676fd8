"""Projects of our own with the kinds of statement that real ones have, loaded whole; and what becomes of a sign-up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gateway.projects.config import read_config
from gateway.projects.database import Content
from gateway.projects.folder import Project
from gateway.projects.scaffold import make
from tests.projects.conftest import Database, bring_up
from tests.projects.databases import refused

SAMPLES = Path(__file__).parent / "samples"
# What a sign-up leaves behind in each.
SIGN_UPS = {
    "todo": "select count(*) from public.todos where owner is not null",
    "pulled": "select count(*) from public.people where name = 'Ada'",
    "chat": "select count(*) from public.users where username = 'ada@example.com'",
    "profiles": "select count(*) from public.profiles where username = 'ada-l'",
    "teams": "select count(*) from teams.accounts where name = 'ada'",
    "automation": "select 1",
    "search": "select 1",
}


def load(database: Database, name: str, folder: Path) -> None:
    shutil.copytree(SAMPLES / name, folder, dirs_exist_ok=True)
    project = Project(folder)
    content = Content(project, read_config(project, folder, {}))
    assert not content.config.warnings
    done = bring_up(database, content)
    assert len(done.migrations) == len(project.migrations().files) and not done.warnings


def test_what_a_new_project_begins_with_loads(database: Database, tmp_path: Path) -> None:
    make(tmp_path / "app")
    project = Project(tmp_path / "app")
    done = bring_up(database, Content(project, read_config(project, tmp_path, {})))
    assert (len(done.migrations), len(done.seeds)) == (1, 1)
    database.script("begin; set local role anon")
    assert refused(database, "select * from public.todos").sqlstate == "42501"


@pytest.mark.parametrize("name", SIGN_UPS)
def test_a_sample_loads_whole_and_its_trigger_runs_at_a_sign_up(name: str, database: Database, tmp_path: Path) -> None:
    try:
        load(database, name, tmp_path)
        database.script(
            "begin; set local role supabase_auth_admin;"
            " insert into auth.users (id, email, raw_user_meta_data, aud, role) values (gen_random_uuid(),"
            " 'ada@example.com', '{\"name\": \"Ada\", \"username\": \"ada-l\"}', 'authenticated', 'authenticated');"
            " commit"
        )
        assert database.rows(SIGN_UPS[name]) == [("1",)]
    finally:
        if name == "teams":  # roles and their settings are the server's, and outlive the database
            database.script(
                "drop owned by reporter_of_teams; drop role reporter_of_teams;"
                " alter role authenticator reset pgrst.db_schemas"
            )


def test_every_sample_is_tried() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == SIGN_UPS.keys()
