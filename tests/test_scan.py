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
        "runner/functions_runner/runner.py": "import asyncio\nfrom starlette.requests import Request\n",
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


@pytest.mark.parametrize(
    "name",
    ["notes.md", ".env", "a/b/.hidden/key", "data.json", "x.lock", "no-suffix", "tests/fixtures/x.py", "a b/é.txt"],
)
def test_promise_60_a_secret_is_found_in_whatever_file_it_stands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them, in every line, beside bytes that are no text, and whether git was told of the file yet or not."""
    monkeypatch.setattr(scan, "ROOT", tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("ignored\n")
    (tmp_path / "ignored").write_text(PLANTED["a private key"])
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [text for kind in sorted(PLANTED) for text in ("\udcff", PLANTED[kind], PLANTED[kind])]
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    expected = sorted(
        f"{name}:{3 * place + line}: {kind}" for place, kind in enumerate(sorted(PLANTED)) for line in (2, 3)
    )
    for _ in ("not added", "added"):
        assert sorted(scan.secret_findings(scan.files())) == expected
        subprocess.run(["git", "-C", tmp_path, "add", "--all"], check=True)


def test_promise_60_a_large_file_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "ROOT", tmp_path)
    secret = PLANTED["a private key"]
    (tmp_path / "x").write_text("\n" * (scan.LARGEST - len(secret)) + secret)
    assert len(list(scan.secret_findings([tmp_path / "x"]))) == 1
    assert scan.LARGEST >= 2_000_000


@pytest.mark.parametrize("place", ["node_modules/clock", "node_modules/a/node_modules/clock", "node_modules/@a/clock"])
@pytest.mark.parametrize(
    "sort", [{}, {"dev": True}, {"optional": True}, {"peer": True}, {"optional": True, "cpu": ["x"]}]
)
def test_promise_60_no_sort_of_node_package_is_passed_over(place: str, sort: dict[str, Any]) -> None:
    package = {**PACKAGE, **sort, "license": "GPL-3.0-only"}
    (finding,) = scan.node_findings("web", {}, {"packages": {place: package}}, "")
    assert "has the licence 'GPL-3.0-only'" in finding
    bare = {"version": "1.0.0", "license": "MIT", **sort}
    found = list(scan.node_findings("web", {}, {"packages": {place: bare}}, ""))
    assert bool(found) != ("cpu" in sort), "what this machine does not fetch is locked without a hash"


@pytest.mark.parametrize("group", ["dependencies", "devDependencies"])
@pytest.mark.parametrize(
    "version", ["1", "1.0", "~1.0.0", ">=1.0.0", "latest", "*", "", "https://example.com/a.tgz", "1.0.x"]
)
def test_promise_60_a_node_package_is_pinned_whatever_it_is_for(group: str, version: str) -> None:
    found = list(scan.node_findings("web", {group: {"clock": version}}, {"packages": {}}, 'from "clock"'))
    assert found == [f"web/package.json: clock is not pinned: {version}"]


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True), ("(MIT)", True), ("MIT OR GPL-2.0-only", True), ("GPL-2.0-only OR MIT", True),
        ("(MIT AND BSD-3-Clause) OR GPL-2.0-only", True), ("MIT AND BSD-3-Clause", True), ("mit", False),
        ("GPL-2.0-only OR AGPL-3.0-only", False), ("(MIT AND GPL-2.0-only) OR AGPL-3.0-only", False),
        ("MIT AND MIT AND GPL-2.0-only", False), ("MIT WITH something", False), ("MITX", False), (" ", False),
    ],
)  # fmt: skip
def test_promise_60_a_licence_is_allowed_by_one_whole_choice(licence: str, allowed: bool) -> None:
    assert scan.is_allowed(licence) is allowed


class Said:
    """As much of an installed package as its licence takes."""

    def __init__(self, **said: object) -> None:
        self.metadata = self
        self.json = said


@pytest.mark.parametrize(
    ("said", "licence"),
    [
        ({"license_expression": "AGPL-3.0-only", "license": "MIT"}, "AGPL-3.0-only"),
        ({"license": " MIT "}, "MIT"),
        ({"classifier": ["License :: OSI Approved :: MIT License"], "license": "a long text"}, "MIT"),
        ({"classifier": ["License :: OSI Approved", "Topic :: X"], "license": "MIT"}, "MIT"),
        ({"classifier": ["License :: OSI Approved :: GNU Affero General Public License v3"]},
         "GNU Affero General Public License v3"),
        ({}, ""),
    ],
)  # fmt: skip
def test_promise_60_a_python_package_is_taken_at_its_plainest_word(said: dict[str, Any], licence: str) -> None:
    assert scan.licence_of(Said(**said)) == licence  # type: ignore[arg-type]
