"""Known vulnerabilities of what the locks pin, as far as the configured registries tell of them.

PyPI lists them in the JSON of a release, npm's registry answers `npm audit`. Both are asked where pip and npm are
configured to look, with short time-outs and side by side. A registry that cannot be reached, or does not serve this, as
many mirrors do not, is one line that says so and no fault: whoever works without a network can go on. pip-audit is not
used: it asks the public index whatever is configured, and would bring two dozen packages.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import httpx
from pip._internal.models.index import PyPI

PATIENCE: Final = 5.0  # seconds for one answer
LIMIT: Final = 20.0  # seconds for all of a registry's
AT_ONCE: Final = 16  # requests


@dataclass(frozen=True, slots=True)
class Accepted:
    """An advisory that does not concern us, why, and the day on which somebody is to look again."""

    reason: str
    until: date


# By the advisory's id, or any other name that it goes by.
ACCEPTED: Final[Mapping[str, Accepted]] = {}


@dataclass(frozen=True, slots=True)
class Advisory:
    """A known vulnerability of a pinned package; `names` are its ids, `mended` says in which versions it is not."""

    package: str
    version: str
    names: tuple[str, ...]
    mended: str

    def __str__(self) -> str:
        return f"{self.package} {self.version} is vulnerable: {', '.join(self.names)} ({self.mended})"


@dataclass(frozen=True, slots=True)
class Told:
    """What a registry tells, and the packages of which it did not."""

    found: list[Advisory]
    missed: list[str]


class NotServed(Exception):
    """The registry does not tell of advisories; the message says why."""


def is_accepted(advisory: Advisory, accepted: Mapping[str, Accepted], today: date) -> bool:
    """Whether somebody has said that an advisory may stand, and the day to look again has not come."""
    return any(name in accepted and today < accepted[name].until for name in advisory.names)


# --- Python -----------------------------------------------------------------------------------------------------------


def index_of(listing: str) -> tuple[str, str]:
    """Package index and certificate bundle that `pip config list` names; the environment counts before files.

    >>> index_of("global.cert='/ca.pem'\\nglobal.index-url='https://mirror.example/simple/'")
    ('https://mirror.example/simple', '/ca.pem')
    >>> index_of("") == (PyPI.simple_url, "")
    True
    """
    said = {(scope, name): value for scope, name, value in re.findall(r"^(\S+)\.([\w-]+)='(.*)'$", listing, re.M)}

    def find(name: str) -> str:
        return next((said[scope, name] for scope in (":env:", "install", "global") if (scope, name) in said), "")

    return (find("index-url") or PyPI.simple_url).rstrip("/"), find("cert")


def of_release(package: str, version: str, answer: Mapping[str, Any]) -> Iterator[Advisory]:
    """Advisories in the JSON of a release."""
    for row in answer["vulnerabilities"]:
        if not row.get("withdrawn"):
            mended = ", ".join(row.get("fixed_in") or ()) or "no version"
            yield Advisory(package, version, (row["id"], *row.get("aliases", ())), f"mended in {mended}")


async def python_advisories(pinned: Mapping[str, str], index: str, certificates: str = "") -> Told:
    """Advisories of Python packages, given version by name. The first answer tells whether the index serves them.

    Raises NotServed.
    """
    base = index.removesuffix("/simple")
    trust = ssl.create_default_context(cafile=certificates or None)
    turns = asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(verify=trust, timeout=PATIENCE, follow_redirects=True) as client:

        async def ask(package: str) -> list[Advisory]:
            async with turns:
                response = await client.get(f"{base}/pypi/{package}/{pinned[package]}/json")
            response.raise_for_status()
            return list(of_release(package, pinned[package], response.json()))

        first, *others = pinned
        try:
            found = await ask(first)
        except httpx.HTTPStatusError as error:
            raise NotServed(f"the package index answers {error.response.status_code}") from error
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise NotServed(f"the package index does not tell ({type(error).__name__})") from error
        asked = {asyncio.create_task(ask(package)): package for package in others}
        if asked:
            await asyncio.wait(asked, timeout=LIMIT)
        missed = []
        for task, package in asked.items():
            if not task.done() or isinstance(task.exception(), httpx.HTTPError | ValueError | KeyError):
                task.cancel()
                missed.append(package)
            else:
                found += task.result()
    return Told(found, missed)


# --- Node -------------------------------------------------------------------------------------------------------------


def of_audit(report: Mapping[str, Any], lock: Mapping[str, Any]) -> Iterator[Advisory]:
    """Advisories in a report of `npm audit --json`; what only stands on a vulnerable package is none itself."""
    for package, row in report["vulnerabilities"].items():
        versions = ", ".join(sorted({lock["packages"][node]["version"] for node in row["nodes"]}))
        for cause in row["via"]:
            if isinstance(cause, dict):
                name = cause["url"].rpartition("/")[2]
                yield Advisory(package, versions, (name,), f"of {cause['range']}: {cause['title']}")


def node_advisories(folder: Path) -> Told:
    """Advisories of a folder's package lock. Raises NotServed."""
    command = ["npm", "audit", "--json", "--package-lock-only", "--fetch-retries=0", "--fetch-timeout=5000"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        report = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise NotServed(f"npm does not tell ({type(error).__name__})") from error
    if "vulnerabilities" not in report:
        raise NotServed(f"npm's registry answers {report.get('statusCode') or 'nothing'}")
    return Told(list(of_audit(report, json.loads((folder / "package-lock.json").read_text()))), [])


# --- both -------------------------------------------------------------------------------------------------------------


def look(pinned: Mapping[str, str], folders: Mapping[str, Path]) -> tuple[list[str], list[str]]:
    """Findings, and a line for each registry that was not asked or did not tell.

    `pinned` is version by Python package, `folders` are those of Node packages by name.
    """
    listing = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout

    async def both() -> list[Told | BaseException]:
        return await asyncio.gather(
            python_advisories(pinned, *index_of(listing)),
            *(asyncio.to_thread(node_advisories, folder) for folder in folders.values()),
            return_exceptions=True,
        )

    found, silent = [], []
    for source, answer in zip(("Python", *folders), asyncio.run(both()), strict=True):
        if isinstance(answer, NotServed):
            silent.append(f"advisories of {source}: not reachable, not checked: {answer}")
        elif isinstance(answer, BaseException):
            raise answer
        else:
            found += [f"{source}: {one}" for one in answer.found if not is_accepted(one, ACCEPTED, date.today())]
            silent += [f"advisories of {source}: not told, not checked: {package}" for package in answer.missed]
    return found, silent
