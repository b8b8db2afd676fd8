"""Finding a project, and the order of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.projects import ledger
from gateway.projects.errors import ProjectError
from gateway.projects.folder import MigrationFile, Project, find


def project(root: Path, *migrations: str) -> Project:
    folder = root / "supabase" / "migrations"
    folder.mkdir(parents=True)
    for name in migrations:
        (folder / name).write_text("select 1")
    return Project(root)


def test_a_project_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    project(tmp_path)
    below = tmp_path / "app" / "src"
    below.mkdir(parents=True)
    assert find(below, {}) == Project(tmp_path)
    assert find(below, {"SUPABASE_WORKDIR": str(tmp_path)}) == Project(tmp_path)
    assert find(below, {}, "../..") == Project(tmp_path)


def test_a_folder_named_that_is_no_project_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="has no folder supabase"):
        find(tmp_path, {"SUPABASE_WORKDIR": str(tmp_path)})


def test_an_application_of_another_kind_within_a_project_is_not_the_project(tmp_path: Path) -> None:
    project(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / ".gateway.toml").touch()
    assert find(other, {}) is None


def test_files_run_in_the_order_of_their_names_and_others_are_told(tmp_path: Path) -> None:
    found = project(
        tmp_path, "9_a.sql", "10_b.sql", "x.sql", "20210101000000_init.sql", "20240101000000_a b-c.sql", "notes.md"
    ).migrations()
    (tmp_path / "supabase" / "migrations" / "20250101000000_dir.sql").mkdir()
    assert [file.version for file in found.files] == ["10", "20210101000000", "20240101000000", "9"]
    assert found.files[2].name == "a b-c"
    assert [line.split()[0] for line in found.skipped] == ["supabase/migrations/notes.md", "supabase/migrations/x.sql"]


def test_an_old_first_file_is_skipped_with_a_word(tmp_path: Path) -> None:
    found = project(tmp_path, "20210101000000_init.sql", "20240101000000_a.sql").migrations()
    assert [file.version for file in found.files] == ["20240101000000"]
    assert len(found.skipped) == 1


def files(*versions: str) -> list[MigrationFile]:
    return [MigrationFile(version, "x", Path(f"{version}_x.sql")) for version in versions]


def test_the_ledger_is_compared_with_the_files() -> None:
    compared = ledger.compare(files("1", "2", "3", "4"), ["1", "3"])
    assert [file.version for file in compared.between] == ["2"]
    assert [file.version for file in compared.pending] == ["4"]
    assert ledger.compare(files("1", "2"), ["1", "5"]).unknown == ("5",)
    assert [file.version for file in ledger.compare(files("1", "2"), ["1", "5"]).between] == ["2"]
    assert ledger.compare(files("1"), []).pending == tuple(files("1"))
