"""The scan of `make check` finds what was planted, and nothing in the repository as it is."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import scan

LETTERS = "aB3" * 20
# Put together here, so that this file itself holds none.
PLANTED = {
    "a private key": "-----BEGIN EC " + "PRIVATE KEY-----",
    "the private half of a JWK": '{"kty": "EC", "d": "' + LETTERS[:43] + '"}',
    "a secret API key": "sb_" + "secret_" + LETTERS[:31],
    "a signed token": "eyJ" + LETTERS + ".eyJ" + LETTERS + "." + LETTERS,
    "a token of a code host": "ghp" + "_" + LETTERS[:36],
    "a token of a package registry": "npm" + "_" + LETTERS[:36],
    "a token of a cloud": "AK" + "IA" + "A1" * 8,
    "a password in an address": "postgresql://app:" + "Tr0ub4dor" + "@db.example.com/app",
}


@pytest.mark.parametrize("kind", scan.SECRETS)
def test_promise_60_a_planted_secret_is_found(kind: str) -> None:
    assert list(scan.secrets_in(f"first line\n{PLANTED[kind]}\n")) == [(2, kind)]


def test_promise_60_the_repository_is_clean() -> None:
    assert list(scan.scan()) == []


def test_promise_60_every_check_scans_for_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = re.search(r"^check:.*\n(?:[\t@].*\n)+", (scan.ROOT / "Makefile").read_text(), re.MULTILINE)
    assert check and "-m tests.scan" in check[0]
    monkeypatch.setattr(scan, "ROOT", tmp_path)
    monkeypatch.setattr(scan, "licence_of", lambda package: "AGPL-3.0-only")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    package = {"packages": {"node_modules/clock": {**PACKAGE, "license": "AGPL-3.0-only"}}}
    planted = {
        "notes.txt": PLANTED["a secret API key"],
        "pyproject.toml": '[project]\ndependencies = ["httpx>=0.28"]\n',
        **dict.fromkeys(scan.LOCKS, LOCK),
        **{f"{folder}/package.json": '{"scripts": {}}' for folder in scan.NODE},
        **{f"{folder}/package-lock.json": json.dumps(package) for folder in scan.NODE},
    }
    for name, text in planted.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(scan.scan()) == [
        "notes.txt:1: a secret API key",
        "pyproject.toml: nothing of the program imports httpx",
        "httpx has the licence 'AGPL-3.0-only'",
        *[f"{folder}/package-lock.json: clock has the licence 'AGPL-3.0-only'" for folder in scan.NODE],
    ]


def test_promise_60_what_a_function_needs_alone_is_declared(tmp_path: Path) -> None:
    planted = {
        "runner.py": "import asyncio\nfrom starlette.requests import Request\n",
        "shared/__init__.py": "",
        "shared/data.py": "from httpx import (\n    AsyncClient,\n    Timeout,\n)\n",
        "shared/other.py": "import nh3\n",
        "greet/main.py": "from functions.shared import data\n",
        "greet/pyproject.toml": '[project]\ndependencies = ["starlette>=1"]\n',
    }
    for name, text in planted.items():
        (tmp_path / "functions" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "functions" / name).write_text(text)
    findings = list(scan.function_findings(tmp_path / "functions"))
    assert findings == ["functions/greet/pyproject.toml: does not declare httpx, which data.py imports"]


PROJECT = {"dependencies": ["httpx>=0.28"], "optional-dependencies": {"dev": ["pytest>=9"]}}
LOCK = "httpx==0.28.1 \\\n    --hash=sha256:aa\n"
BOTH = LOCK + "pytest==9.2 \\\n    --hash=sha256:bb\n"
PROGRAM = frozenset({"httpx", "json"})
TESTS = frozenset({"pytest"})


@pytest.mark.parametrize(
    ("project", "run", "everything", "program", "tests", "finding"),
    [
        (PROJECT, LOCK, BOTH, PROGRAM, TESTS, None),
        (PROJECT, LOCK.replace("==", ">="), BOTH, PROGRAM, TESTS, "not pinned"),
        (PROJECT, LOCK, BOTH.replace("--hash=sha256:bb", ""), PROGRAM, TESTS, "pytest is not pinned"),
        (PROJECT, LOCK, BOTH.replace("0.28.1", "0.28.2"), PROGRAM, TESTS, "not the same in both locks"),
        (PROJECT, LOCK, BOTH.replace("9.2", "8.0"), PROGRAM, TESTS, "the lock has no pytest>=9"),
        (PROJECT, LOCK, LOCK, PROGRAM, TESTS, "the lock has no pytest>=9"),
        ({**PROJECT, "dependencies": ["httpx", "HTTPX"]}, LOCK, BOTH, PROGRAM, TESTS, "httpx is declared twice"),
        (PROJECT, LOCK, BOTH, frozenset({"json"}), TESTS | {"httpx"}, "nothing of the program imports httpx"),
        (PROJECT, LOCK, BOTH, PROGRAM, frozenset(), "nothing imports pytest"),
        (PROJECT, LOCK, BOTH, PROGRAM | {"orjson"}, TESTS | {"json5"}, "does not declare orjson, which the program"),
    ],
)  # fmt: skip
def test_promise_60_a_python_package_that_is_loose_or_idle_is_found(
    project: dict[str, Any],
    run: str,
    everything: str,
    program: frozenset[str],
    tests: frozenset[str],
    finding: str | None,
) -> None:
    found = list(scan.python_findings(project, {"run": run, "all": everything}, program, tests))
    assert any(finding in text for text in found) if finding else found == []


PACKAGE = {"version": "1.0.0", "integrity": "sha512-x", "license": "MIT"}


@pytest.mark.parametrize(
    ("version", "package", "finding"),
    [
        ("1.0.0", PACKAGE, None),
        ("^1.0.0", PACKAGE, "not pinned"),
        ("git+https://example.com/a.git", PACKAGE, "not pinned"),
        ("1.0.0", {**PACKAGE, "license": "AGPL-3.0-only"}, "AGPL-3.0-only"),
        ("1.0.0", {"version": "1.0.0", "license": "MIT"}, "no hash"),
        ("1.0.0", {**PACKAGE, "resolved": "https://registry.example/a.tgz"}, "names where it came from"),
    ],
)
def test_promise_60_a_node_package_that_is_loose_or_binds_is_found(
    version: str, package: dict[str, Any], finding: str | None
) -> None:
    lock = {"packages": {"": {}, "node_modules/clock": package}}
    found = list(scan.node_findings("web", {"dependencies": {"clock": version}}, lock, 'import x from "clock"'))
    assert any(finding in text for text in found) if finding else found == []


def test_promise_60_a_node_package_that_is_idle_is_found() -> None:
    lock = json.loads('{"packages": {}}')
    found = list(scan.node_findings("web", {"dependencies": {"clock": "1.0.0"}}, lock, 'import x from "clocks"'))
    assert found == ["web/package.json: nothing imports clock"]


@pytest.mark.parametrize("licence", ["GPL-3.0-or-later", "AGPL-3.0-only", "", "UNLICENSED", "MIT AND GPL-2.0-only"])
def test_promise_60_a_licence_that_binds_is_not_allowed(licence: str) -> None:
    assert not scan.is_allowed(licence)
