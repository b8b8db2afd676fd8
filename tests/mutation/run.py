"""Breaks a copy of the working tree, one change at a time, and asks the tests of the module.

    python -m tests.mutation [--each 15] [--seed 7] [PART OF A PATH …]

Prints how many of each module's mutants were noticed, and those that were not as differences.
"""

from __future__ import annotations

import argparse
import compileall
import difflib
import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final, NoReturn

import pytest

from tests.mutation import python, sql
from tests.mutation.equivalents import EQUIVALENTS
from tests.mutation.targets import TARGETS, Target

ROOT: Final = Path(__file__).parents[2]
SLOWER: Final = 4.0  # times as long as the whole tests may a mutant take; then it counts as noticed
OURS: Final = ("gateway", "functions", "functions_runner", "unitedmedicalwaste", "tests", "conftest")
WARM: Final = ("hypothesis", "psycopg", "jwt", "cryptography.fernet", "procrastinate", "starlette.routing", "httpx")
LINKED: Final = (".venv", "web/dist", "web/node_modules", "supabase-compat/node_modules")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("parts", nargs="*", help="parts of paths; all targets without one")
    parser.add_argument("--each", type=int, default=15, help="mutants of each module; 0 for all")
    parser.add_argument("--seed", type=int, default=7, help="which of them")
    given = parser.parse_args()
    chosen = [target for target in TARGETS if not given.parts or any(part in target.path for part in given.parts)]
    if not chosen:
        sys.exit("no such target")
    killed = made = 0
    load_what_is_not_ours()
    with tempfile.TemporaryDirectory(prefix="gw-mut-") as folder:
        tree = copy(Path(folder) / "tree")
        for target in chosen:
            noticed, all_of_them = attack(tree, target, given.each, given.seed)
            killed, made = killed + noticed, made + all_of_them
    print(f"{'all':<44} {killed:>4} of {made:<4} {killed / max(made, 1):.0%}")


def copy(tree: Path) -> Path:
    """The files that git knows or would take, as they are now, with what was installed beside them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    for name in LINKED:
        if (ROOT / name).exists():
            (tree / name).symlink_to(ROOT / name)
    # By hash, not by time: a mutant written within the second of its source must not be taken for it.
    compileall.compile_dir(tree, maxlevels=3, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    tree.parent.chmod(0o755)  # functions of a gateway that is root run as nobody
    return tree


def attack(tree: Path, target: Target, each: int, seed: int) -> tuple[int, int]:
    """How many mutants were noticed, and how many there were."""
    path = tree / target.path
    source = path.read_text()
    made = dict.fromkeys(mutants(path, source))  # a statement within another text is met twice
    found = [mutant for mutant in made if not is_equivalent(source, mutant, target.path)]
    if each and len(found) > each:
        found = random.Random(seed).sample(found, each)
    began = time.monotonic()
    whole = passes(tree, target, None)
    if not whole:
        print(f"{target.path:<44} its tests fail without any change")
        return 0, len(found)
    limit = SLOWER * (time.monotonic() - began) + 10
    noticed = 0
    for mutant in found:
        path.write_text(mutant)
        try:
            if passes(tree, target, limit):
                print(changed(source, mutant, target.path), flush=True)
            else:
                noticed += 1
        finally:
            path.write_text(source)
    print(f"{target.path:<44} {noticed:>4} of {len(found):<4} {noticed / max(len(found), 1):.0%}", flush=True)
    return noticed, len(found)


def mutants(path: Path, source: str) -> Iterator[str]:
    """All the ways to break a file."""
    if path.suffix != ".sql":
        return python.mutants(source)
    tree = next(parent for parent in path.parents if (parent / "pyproject.toml").exists())
    later = [other.read_text() for other in tree.glob("*/migrations/**/*.sql") if other.name > path.name]
    return sql.mutants(source, later)


def is_equivalent(source: str, mutant: str, path: str) -> bool:
    """Whether a change is known to change nothing."""
    known = EQUIVALENTS.get(path, ())
    if not known:
        return False
    pairs = zip(source.splitlines(), mutant.splitlines(), strict=False)
    line, broken = next(((before, after) for before, after in pairs if before != after), ("", ""))
    return any(line == each.line and broken in each.broken for each in known)


def passes(tree: Path, target: Target, limit: float | None) -> bool:
    """Whether the tests of a target pass; such that take too long do not."""
    child = os.fork()
    if child == 0:
        _ask(tree, target)
    end = time.monotonic() + (limit if limit is not None else float("inf"))
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    for sent in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(child, sent)
        for _ in range(1000):
            if os.waitpid(child, os.WNOHANG)[0]:
                return False
            time.sleep(0.02)
    return False


def _ask(tree: Path, target: Target) -> NoReturn:
    """Run the tests of a target in this process, whose modules of this project are those of the copy from here on."""
    os.setsid()
    os.chdir(tree)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    os.environ.update(PYTHONPATH=str(tree), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT)))]
    for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
        del sys.modules[name]
    status = 1
    try:
        # What is imported already is not rewritten for assertions, and need not be: it is no test.
        quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *quiet, *target.tests])
    finally:
        os._exit(status)


def load_what_is_not_ours() -> None:
    """Import once what every test run would import anew: that takes longer than most tests do."""
    for name in WARM:
        importlib.import_module(name)


def changed(source: str, mutant: str, path: str) -> str:
    """What nobody noticed."""
    lines = difflib.unified_diff(source.splitlines(), mutant.splitlines(), path, path, lineterm="", n=1)
    return "\n".join(["not noticed:", *lines])
