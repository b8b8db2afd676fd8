"""pytest with a second try: what fails beside others is asked once more alone, and races are counted.

    python -m tests.second_try [arguments of pytest]

A small machine may be too busy for a test that waits, so what failed is asked again, by itself. What fails twice,
fails. What passes only then is printed and written to the file that SECOND_TRIES names; more than ALLOWED of those in
the file fail the run, since a test that passes now and then hides a race. `make` begins with no such file, so that all
runs of one `make test` count together.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

ALLOWED: Final = 2
RECORD: Final = "SECOND_TRIES"  # the variable that names the file
TESTS_FAILED: Final = int(pytest.ExitCode.TESTS_FAILED)

# --- the plugin -------------------------------------------------------------------------------------------------------


class Failures:
    """Writes the ids of tests that fail, in whichever phase."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with self.path.open("a") as file:
                file.write(f"{report.nodeid}\n")


class Selection:
    """Leaves those tests alone that are in a file, and demands each of them."""

    def __init__(self, path: Path) -> None:
        self.wanted = ids(path)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        rest = [item for item in items if item.nodeid not in self.wanted]
        items[:] = [item for item in items if item.nodeid in self.wanted]
        config.hook.pytest_deselected(items=rest)
        missing = self.wanted - {item.nodeid for item in items}
        if missing:
            raise pytest.UsageError(f"no such test at the second try: {', '.join(sorted(missing))}")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("second try")
    group.addoption("--write-failed", metavar="FILE", type=Path, help="write the ids of tests that fail")
    group.addoption("--only-from", metavar="FILE", type=Path, help="run the tests whose ids are in the file")


def pytest_configure(config: pytest.Config) -> None:
    # Under xdist the reports of all processes come together in the first one.
    if (path := config.getoption("--write-failed")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(path))
    if path := config.getoption("--only-from"):
        config.pluginmanager.register(Selection(path))


# --- the command ------------------------------------------------------------------------------------------------------


def ids(path: Path) -> set[str]:
    """The ids in a file; none where it is not there."""
    return set(path.read_text().splitlines()) if path.exists() else set()


def alone(arguments: Sequence[str]) -> list[str]:
    """The arguments without those that share the tests among processes.

    >>> alone(["-n", "3", "tests", "--dist", "loadscope", "-q"])
    ['tests', '-q']
    """
    left, rest = list[str](), iter(arguments)
    for argument in rest:
        if argument in ("-n", "--dist"):
            next(rest)
        else:
            left.append(argument)
    return left


def run(arguments: Sequence[str]) -> int:
    """Both tries; the exit status, and what the second was needed for is in the record."""
    pytest_ = [sys.executable, "-m", "pytest", "-p", "tests.second_try"]
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        # With `=`: pytest looks for its configuration beside whatever stands alone and is a path.
        status = subprocess.run([*pytest_, f"--write-failed={first}", *arguments]).returncode
        failed = ids(first)
        if status != TESTS_FAILED or not failed:
            return status
        print(f"\n{len(failed)} failed beside others, now alone\n", flush=True)
        again = [f"--only-from={first}", f"--write-failed={second}"]
        status = subprocess.run([*pytest_, *again, *alone(arguments)]).returncode
        if status in (0, TESTS_FAILED):
            with record().open("a") as file:
                file.writelines(f"{name}\n" for name in sorted(failed - ids(second)))
        return status


def record() -> Path:
    return Path(os.environ.get(RECORD) or ".second-tries")


def told(names: Sequence[str]) -> str:
    """What is printed of tests that passed at the second try."""
    verdict = f"more than {ALLOWED}: there is a race to find" if len(names) > ALLOWED else f"at most {ALLOWED} may"
    return "\n".join([f"passed only at the second try: {len(names)} ({verdict})", *(f"  {name}" for name in names)])


def main(arguments: Sequence[str]) -> int:
    status = run(arguments)
    names = sorted(ids(record()))
    if names:
        print(told(names), flush=True)
    return status or (TESTS_FAILED if len(names) > ALLOWED else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
