"""The folders of tests: what runs as another user gets into them, whoever else runs tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fixtures.folders import KEPT, PREFIX, ROOT_OF_FOLDERS, remove_old
from tests.fixtures.server import ROOT

TEST = """
def test_of_another_run(tmp_path):
    assert tmp_path.exists()
"""


def test_another_run_closes_no_folder_of_this_one(tmp_path: Path) -> None:
    above = [path for path in tmp_path.parents if path.stat().st_uid == os.getuid() and path != Path(path.root)]
    for path in above:
        path.chmod(path.stat().st_mode | 0o001)  # as a server does that runs as somebody else
    other = tmp_path / "test_other.py"
    other.write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), str(other)]
    plugin = ["-p", "tests.fixtures.folders", "-c", str(ROOT / "pyproject.toml")]
    own = {name: value for name, value in os.environ.items() if name != ROOT_OF_FOLDERS and "PYTEST" not in name}
    done = subprocess.run([*command, *plugin], cwd=ROOT, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert [path for path in above if not path.stat().st_mode & 0o001] == []


def test_what_failed_runs_left_is_kept_for_a_day(tmp_path: Path) -> None:
    for name in (f"{PREFIX}old", f"{PREFIX}new", "old of somebody else"):
        (tmp_path / name / "inside").mkdir(parents=True)
        os.utime(tmp_path / name, (0, 1 if name.endswith("new") else 0))
    remove_old(tmp_path, KEPT + 0.5)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{PREFIX}new", "old of somebody else"]
