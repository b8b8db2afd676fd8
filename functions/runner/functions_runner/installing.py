"""Runs a program that fetches packages, confined like a function: `python -m functions_runner.installing`.

A package that is built while it is installed runs code of its maker's. It reaches the folder that is filled, what it
needs to read, the system and the network, and nothing of the gateway; under a gateway that is root it runs as a user of
its own. The work is read from standard input as JSON (`Work`); what the program prints goes to standard output.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from functions_runner import confinement
from functions_runner.process import become, die_with

LIMIT: Final = 900.0  # seconds
# Where the tools read their settings: which registry, which certificates.
_SETTINGS: Final = ("/etc/pip.conf", "/etc/xdg/pip", "/etc/uv", "/etc/npmrc")
# What pip tells a registry of the system, and fails without where the file is there and closed.
_RELEASES: Final = ("/etc/debian_version", "/etc/lsb-release", "/etc/os-release", "/etc/redhat-release")
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_FAMILIES: Final = ("PIP_", "UV_", "NPM_CONFIG_", "DENO_TLS", "DENO_CERT", "DENO_AUTH_TOKENS", "JSR_")
_PROXIES: Final = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


class InstallFailed(Exception):
    """Packages could not be fetched; `report` is the tool's own reason."""

    def __init__(self, report: str) -> None:
        super().__init__(report)
        self.report = report


@dataclass(frozen=True, slots=True)
class Work:
    """What to run. `folder` is filled, `readable` may be read, `hidden` may not, whatever else would open it."""

    command: list[str]
    cwd: str
    folder: str
    env: dict[str, str]
    readable: list[str] = field(default_factory=list)
    hidden: str = "/"
    account: tuple[int, int] | None = None


def run(work: Work, limit: float = LIMIT) -> str:
    """Run it to its end; what it printed. Raises InstallFailed."""
    package = str(confinement.PACKAGE.parent)
    env = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": package}
    with subprocess.Popen(
        [sys.executable, "-m", "functions_runner.installing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=env,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as process:
        try:
            said, _ = process.communicate(json.dumps(asdict(work)), limit)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise InstallFailed(f"the packages were not there within {limit:g} s") from None
            raise
    if process.returncode != 0:
        raise InstallFailed(said.strip() or f"{work.command[0]} ended with {process.returncode}")
    return said


def environment(folder: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables of a tool: which registries and proxies this machine uses, and nothing else of the gateway's."""
    scratch = str(folder / ".tmp")
    kept = {
        name: value
        for name, value in environ.items()
        if name in _KEPT or name.startswith(_FAMILIES) or name.lower() in _PROXIES
    }
    return {"LANG": "C.UTF-8", **kept, "HOME": scratch, "TMPDIR": scratch, "XDG_CACHE_HOME": scratch}


def settings_files(env: Mapping[str, str]) -> list[str]:
    """Files and folders of this machine that the tools' variables and settings name."""
    found = [*_SETTINGS, *_RELEASES, *(env[name] for name in _KEPT[3:] if name in env)]
    for name, value in env.items():
        if name.startswith(_FAMILIES):
            found += [_local(word) for word in value.split()]
    texts = (Path(path).read_text(errors="replace") for path in _SETTINGS[:1] if Path(path).is_file())
    found += [_local(word) for text in texts for word in text.replace("=", " ").split()]
    return [path for path in found if len(Path(path).parts) > 2]


def _local(word: str) -> str:
    """The path in a word that is one, or a file address; else nothing."""
    word = word.strip("\"'")
    if word.startswith("file:"):
        return url2pathname(urlsplit(word).path)
    return word if word.startswith("/") else ""


def main() -> int:
    """Confine this process, then become the program."""
    parent = os.getppid()
    raw = json.load(sys.stdin)
    work = Work(**{**raw, "account": tuple(raw["account"]) if raw["account"] else None})
    Path(work.env["TMPDIR"]).mkdir(exist_ok=True)
    if work.account is not None:
        _give(Path(work.folder), work.account)
        become(*work.account)
    die_with(parent)
    os.umask(0o022)
    os.chdir(work.cwd)
    program = work.command[0]
    confinement.confine_installer(
        Path(work.folder), [Path(work.cwd), *map(Path, (*work.readable, *_prefixes(program)))], Path(work.hidden)
    )
    os.execve(program, work.command, work.env)


def _prefixes(program: str) -> Iterator[str]:
    yield program
    yield os.path.realpath(program)
    yield from {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}


def _give(folder: Path, account: tuple[int, int]) -> None:
    for path, folders, files in os.walk(folder):
        for name in ("", *folders, *files):
            os.lchown(os.path.join(path, name), *account)


def take_back(folder: Path, account: Sequence[int] | None) -> None:
    """What was installed belongs to whoever runs the gateway from now on, and everybody may read it."""
    if account is not None:
        _give(folder, (os.geteuid(), os.getegid()))
        for path, _, files in os.walk(folder):
            os.chmod(path, 0o755)
            for name in files:
                file = os.path.join(path, name)
                if not os.path.islink(file):
                    os.chmod(file, os.stat(file).st_mode & 0o777 | 0o444)


if __name__ == "__main__":
    sys.exit(main())
