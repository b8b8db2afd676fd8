"""The second try: what passes only alone is told and counted, what fails twice fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import second_try
from tests.fixtures.server import ROOT

TESTS = """
from pathlib import Path
import pytest

HERE = Path(__file__).parent

@pytest.mark.parametrize("word", {words!r})
def test_that_passes_at_its_second_run(word):
    tried = HERE / f"tried {{word.encode().hex()}}"
    known = tried.exists()
    tried.touch()
    assert known

def test_that_passes():
    (HERE / "passed").open("a").write("x")

@pytest.fixture
def broken_at_the_end():
    yield
    tried = HERE / "tried the end"
    known = tried.exists()
    tried.touch()
    assert known or not {at_the_end!r}

def test_of_the_fixture(broken_at_the_end):
    pass

def test_that_may_fail():
    assert not {fails!r}
"""


def tried(
    folder: Path, words: tuple[str, ...] = (), *options: str, fails: bool = False, at_the_end: bool = False
) -> subprocess.CompletedProcess[str]:
    """A run over a few tests; `words` fail once each."""
    (folder / "test_some.py").write_text(TESTS.format(words=words, fails=fails, at_the_end=at_the_end))
    (folder / "pytest.ini").write_text("[pytest]\n")
    own = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "tests.second_try", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env={**own, **variables, second_try.RECORD: str(folder / "record")},
        capture_output=True,
        text=True,
    )


def names(folder: Path) -> list[str]:
    record = folder / "record"
    return [line.rpartition("::")[2] for line in record.read_text().splitlines()] if record.exists() else []


def test_what_passes_at_once_leaves_no_record(tmp_path: Path) -> None:
    done = tried(tmp_path)
    assert (done.returncode, names(tmp_path)) == (0, []), done.stdout
    assert "second try" not in done.stdout


@pytest.mark.parametrize(
    "options", [(), ("-p", "xdist.plugin", "-n", "2", "--dist", "loadscope")], ids=["one process", "two processes"]
)
def test_what_passes_only_alone_is_recorded_and_printed(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = tried(tmp_path, ("a", "[b] :: é"), *options)
    expected = ["test_that_passes_at_its_second_run[a]"]
    assert done.returncode == 0, done.stdout
    assert expected[0] in names(tmp_path) and len(names(tmp_path)) == 2
    assert "passed only at the second try: 2 (at most 2 may)" in done.stdout
    assert done.stdout.count("configfile: pytest.ini") == 2, "both tries have one configuration"
    assert all(f"::{name}\n" in done.stdout for name in expected)
    assert (tmp_path / "passed").read_text() == "x", "what had passed is not asked again"


def test_more_than_two_fail_the_run(tmp_path: Path) -> None:
    done = tried(tmp_path, ("a", "b", "c"))
    assert done.returncode == 1
    assert "passed only at the second try: 3 (more than 2: there is a race to find)" in done.stdout


def test_runs_of_one_record_count_together(tmp_path: Path) -> None:
    assert tried(tmp_path, ("a", "b")).returncode == 0
    done = tried(tmp_path, ("c",))
    assert done.returncode == 1
    assert "second try: 3" in done.stdout


def test_what_fails_twice_fails_and_is_no_second_try(tmp_path: Path) -> None:
    done = tried(tmp_path, ("a",), fails=True)
    assert done.returncode == 1
    assert names(tmp_path) == ["test_that_passes_at_its_second_run[a]"]


def test_a_fixture_that_fails_once_at_its_end_counts(tmp_path: Path) -> None:
    assert tried(tmp_path, at_the_end=True).returncode == 0
    assert names(tmp_path) == ["test_of_the_fixture"]


def test_a_module_that_cannot_be_imported_has_no_second_try(tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    done = tried(tmp_path)
    assert done.returncode not in (0, second_try.TESTS_FAILED)
    assert "now alone" not in done.stdout


def test_every_run_of_make_has_the_record() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^define pytest\n\t\$\(BIN\)/python -m tests\.second_try .*\nendef", makefile, re.MULTILINE)
    assert re.search(r"^export SECOND_TRIES = ", makefile, re.MULTILINE)
    for target in ("test", "test-official", "test-ha"):
        recipe = makefile.partition(f"\n{target}: .venv/.dev")[2].partition("\n\n")[0]
        assert "$(call pytest" in recipe.partition("$(SECOND_TRIES)\n")[2]
