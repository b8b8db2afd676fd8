"""Environments of packages: one for each set of requirements, shared by the functions that ask for the same.

A folder `KEY/` under the folder of environments holds an interpreter with its packages; `KEY/.ready` says that it is
whole. It is made once, under a lock, whichever process needs it first, and nothing is fetched for it afterwards.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import re
import shutil
import sys
import time
import venv
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from functions_runner import installing, requirements
from functions_runner.installing import InstallFailed, Work
from functions_runner.requirements import Requirements
from functions_runner.types import FunctionConfig

READY: Final = ".ready"
KEPT_FOR: Final = 86_400.0  # seconds that one is kept which no version asks for
NOTHING: Final = Path("/")

Account = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Environments:
    """The environments in one folder.

    `house` is a folder of wheels that is looked into first; with `offline` nothing else is. `account` gives the user
    that installs where the gateway is root. `hidden` is a folder that no installation may read.
    """

    folder: Path
    house: Path | None = None
    offline: bool = False
    account: Callable[[], Account | None] = lambda: None
    hidden: Path = NOTHING

    def place(self, wanted: Requirements) -> Path:
        """The folder of an environment, whether it is there or not."""
        return self.folder / wanted.key

    def is_ready(self, config: FunctionConfig) -> bool:
        """Whether the function can start without an installation. Raises FunctionConfigError."""
        wanted = requirements.wanted(config)
        return wanted is None or (self.place(wanted) / READY).is_file()

    def python(self, config: FunctionConfig, say: Callable[[str], None] = lambda text: None) -> str:
        """The interpreter that has the function's packages, which are installed if need be; empty for this one.

        `say` hears of an installation before it begins. Raises InstallFailed, FunctionConfigError.
        """
        own = config.folder / config.python
        if config.python and own.exists():
            return str(own)
        wanted = requirements.wanted(config)
        if wanted is None:
            if config.python:
                raise InstallFailed(f"there is no interpreter {config.python} in the function's folder")
            return ""
        place = self.place(wanted)
        if not (place / READY).is_file():
            with locked(self.folder, wanted.key):
                if not (place / READY).is_file():
                    say(f"installs its packages: {', '.join(requirements.declared(config))}")
                    self._install(wanted, config, place)
        return str(place / "bin" / "python")

    def _install(self, wanted: Requirements, config: FunctionConfig, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        account = self.account()
        try:
            venv.EnvBuilder(symlinks=True, with_pip=False).create(place)
            (place / "requirements.txt").write_text("\n".join(wanted.lines) + "\n")
            env = installing.environment(place)
            readable = [str(config.folder), *installing.settings_files(env)]
            if self.house is not None:
                readable.append(str(self.house.resolve()))
            command = _command(place, [*self._sources(config), *(["--require-hashes"] if wanted.locked else [])])
            installing.run(
                Work(command, str(config.folder), str(place), env, readable, str(self.hidden), account),
            )
            shutil.rmtree(env["TMPDIR"], ignore_errors=True)
            installing.take_back(place, account)
            (place / READY).write_text(json.dumps({"made": time.time()}))
        except InstallFailed as error:
            shutil.rmtree(place, ignore_errors=True)
            raise InstallFailed(f"its packages cannot be installed:\n{reason(error.report)}") from error
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise

    def fetch(self, line: str, place: Path) -> None:
        """Install one package, such as a program, into a folder. Raises InstallFailed."""
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        account = self.account()
        env = installing.environment(place)
        house = self.house.resolve() if self.house is not None else None
        sources = [*(["--no-index"] if self.offline else []), *(["--find-links", str(house)] if house else [])]
        target = ["--target", str(place), "--no-deps", "--only-binary", ":all:", *sources, line]
        tool = uv()
        command = [tool, "pip", "install", "-q"] if tool else [*_pip(), "install", "--quiet", "--no-cache-dir"]
        readable = [*installing.settings_files(env), *([str(house)] if house else [])]
        try:
            installing.run(Work([*command, *target], str(place), str(place), env, readable, str(self.hidden), account))
            shutil.rmtree(env["TMPDIR"], ignore_errors=True)
            installing.take_back(place, account)
        except BaseException as error:
            shutil.rmtree(place, ignore_errors=True)
            if isinstance(error, InstallFailed):
                raise InstallFailed(f"{line} cannot be fetched:\n{reason(error.report)}") from error
            raise

    def _sources(self, config: FunctionConfig) -> list[str]:
        """Where packages come from."""
        found = ["--no-index"] if self.offline else []
        for folder in (self.house, config.folder / requirements.WHEELS):
            if folder is not None and folder.is_dir():
                found += ["--find-links", str(folder.resolve())]
        return found

    def lock(self, config: FunctionConfig) -> Path | None:
        """Write the function's lock anew; None where it asks for nothing. Raises InstallFailed, FunctionConfigError."""
        asked = requirements.declared(config)
        if config.is_script or not asked:
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        spare = self.folder / f".lock-{os.getpid()}"
        spare.mkdir()
        account = self.account()
        try:
            listed = spare / "requirements.txt"
            listed.write_text("\n".join(requirements.with_runner(asked)) + "\n")
            env = installing.environment(spare)
            readable = [str(config.folder), *installing.settings_files(env)]
            if self.house is not None:
                readable.append(str(self.house.resolve()))
            sources = self._sources(config)
            tool = uv()
            if tool:
                command = [tool, "pip", "compile", "-q", "--universal", "--generate-hashes", "--no-header"]
                command += ["--no-annotate", "--no-emit-index-url", *sources, str(listed)]
            else:
                command = [*_pip(), "install", "--dry-run", "--ignore-installed", "--quiet", "--report"]
                command += [str(spare / "report.json"), *sources, "-r", str(listed)]
            said = installing.run(
                Work(command, str(config.folder), str(spare), env, readable, str(self.hidden), account)
            )
            lines = said.splitlines() if tool else _pinned(json.loads((spare / "report.json").read_text()))
            return requirements.write_lock(config, asked, lines)
        except InstallFailed as error:
            raise InstallFailed(f"its packages cannot be locked:\n{reason(error.report)}") from error
        finally:
            shutil.rmtree(spare, ignore_errors=True)

    def prune(self, configs: Collection[FunctionConfig], now: float | None = None) -> list[str]:
        """Remove environments that none of these asks for, a day after they were made; their names."""
        used: set[str] = set()
        for config in configs:
            with suppress(Exception):  # one that cannot be read asks for nothing
                wanted = requirements.wanted(config)
                used.update([wanted.key] if wanted is not None else [])
        gone = []
        for ready in self.folder.glob(f"*/{READY}"):
            place = ready.parent
            age = (time.time() if now is None else now) - ready.stat().st_mtime
            if re.fullmatch(r"[0-9a-f]{16}", place.name) and place.name not in used and age > KEPT_FOR:
                with locked(self.folder, place.name):
                    shutil.rmtree(place, ignore_errors=True)
                gone.append(place.name)
        return gone


@contextmanager
def locked(folder: Path, key: str) -> Iterator[None]:
    """Alone with one environment, among all processes."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f".{key}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def uv() -> str:
    """The program uv where this machine has it."""
    places = (str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
    return shutil.which("uv", path=os.pathsep.join(places)) or ""


def _command(place: Path, options: list[str]) -> list[str]:
    """Install what `requirements.txt` in the environment's folder says."""
    python, listed = str(place / "bin" / "python"), str(place / "requirements.txt")
    tool = uv()
    if tool:
        options = ["-q", "--python", python, "--no-python-downloads", "--compile-bytecode", *options, "-r", listed]
        return [tool, "pip", "install", *options]
    return [*_pip(python), "install", "--quiet", "--no-cache-dir", "--no-warn-script-location", *options, "-r", listed]


def _pip(python: str = "") -> list[str]:
    if importlib.util.find_spec("pip") is None:
        raise InstallFailed("neither uv nor pip is there to install packages with")
    target = ["--python", python] if python else []
    return [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *target]


def _pinned(report: dict[str, list[dict[str, dict[str, dict[str, dict[str, str]]]]]]) -> list[str]:
    """Exact lines of what pip would install."""
    rows = []
    for row in report["install"]:
        metadata, hashes = row["metadata"], row["download_info"]["archive_info"]["hashes"]
        rows.append(f"{metadata['name']}=={metadata['version']} --hash=sha256:{hashes['sha256']}")
    return sorted(rows, key=str.lower)


def reason(report: str) -> str:
    """The tool's reason in what it printed.

    >>> reason("Looking in indexes: x\\nERROR: No matching distribution found for nothing\\n")
    'ERROR: No matching distribution found for nothing'
    """
    lines = [line for line in report.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?i)\s*(error|\u00d7|\u2570)", line)]
    return "\n".join((errors or lines)[-12:]) or "the tool ended without a word"
