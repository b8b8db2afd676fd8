"""Projects of our own with the kinds of statement that real ones have, loaded whole; and what becomes of a sign-up."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.projects.config import read_config
from gateway.projects.content import Content
from gateway.projects.folder import Project
from gateway.projects.scaffold import make
from tests.projects.conftest import Database, bring_up
from tests.projects.databases import refused
from tests.projects.sample_projects import SAMPLES, SIGN_UPS, loaded, sign_up


def test_what_a_new_project_begins_with_loads(database: Database, tmp_path: Path) -> None:
    make(tmp_path / "app")
    project = Project(tmp_path / "app")
    done = bring_up(database, Content(project, read_config(project, tmp_path, {})))
    assert (len(done.migrations), len(done.seeds)) == (1, 1)
    database.script("begin; set local role anon")
    assert refused(database, "select * from public.todos").sqlstate == "42501"


@pytest.mark.parametrize("name", SIGN_UPS)
def test_a_sample_loads_whole_and_its_trigger_runs_at_a_sign_up(name: str, database: Database, tmp_path: Path) -> None:
    with loaded(database, name, tmp_path):
        sign_up(database)
        assert database.rows(SIGN_UPS[name]) == [("1",)]


def test_every_sample_is_tried() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == SIGN_UPS.keys()
