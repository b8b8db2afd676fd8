"""The page that says which methods of the official clients work, each with the id of a test that proves it.

As a pytest plugin this notes which methods of the official clients a test calls: the Python client's by wrapping them,
the JavaScript client's by a module loaded before it (`environment`). With PARITY_RESULTS set, a run leaves what its
passed tests called in that folder, beside the report of supabase-compat's scenarios. As a command it reads the folder:

    python -m tests.parity          write the page anew
    python -m tests.parity --check  fail where the page says what the results do not

The methods themselves are read off the official packages, so that a new one cannot be forgotten: it has a test, or a
reason in LEFT_OUT, or the page is refused.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "supabase-compat" / "PARITY.md"
PRELOAD = ROOT / "supabase-compat" / "test" / "preload.mjs"
PROPERTY = "official calls"  # of a test's report

OPTIONAL = "off unless settings ask for it, held by tests/gateway/auth/test_clients_features.py"
CHAINED = "changes the client itself"
# Parts and methods that are not served, with the reason; both clients' names.
LEFT_OUT = {
    "client.getChannels": "the client's own list",
    "client.get_channels": "the client's own list",
    "client.realtime": "its parts are used by channels",
    "client.removeAllChannels": "the client's own list",
    "client.remove_all_channels": "the client's own list",
    "storage.analytics": "another product",
    "storage.vectors": "another product",
    "storage.purgeBucketCache": "there is no CDN to be told",
    "storage.from(…).purgeCache": "there is no CDN to be told",
    "storage.setHeader": CHAINED,
    "storage.throwOnError": CHAINED,
    "storage.from(…).setHeader": CHAINED,
    "storage.from(…).throwOnError": CHAINED,
    "storage.from(…).toBase64": "the client's own",
    "auth.admin.customProviders.": OPTIONAL,
    "auth.admin.oauth.": OPTIONAL,
    "auth.admin.passkey.": OPTIONAL,
    "auth.mfa.webauthn.": OPTIONAL,
    "auth.oauth.": OPTIONAL,
    "auth.passkey.": OPTIONAL,
    "auth.registerPasskey": OPTIONAL,
    "auth.signInWithPasskey": OPTIONAL,
    "auth.signInWithWeb3": "needs a wallet",
}

# Methods of the clients for which the gateway has no server, with the reason.
NOT_SERVED = {"auth.signInWithSSO": "SAML is not served", "auth.sign_in_with_sso": "SAML is not served"}

# Proofs beside those that are noted: of channels and storage, which run in processes of their own.
CHANNELS = "tests/realtime/test_clients.py::test_the_javascript_client_finds_all_it_needs"
THIN_CHANNELS = "tests/realtime/test_clients.py::test_the_thin_client_finds_all_it_needs"
PYTHON_CHANNELS = "tests/realtime/test_clients.py::test_the_python_client_broadcasts"
PYTHON_STORAGE = "tests/storage/test_clients.py::test_the_python_client_uses_objects"
ELSEWHERE = {
    "client.channel": (CHANNELS, THIN_CHANNELS),
    "client.removeChannel": (CHANNELS, THIN_CHANNELS),
    "client.remove_channel": (PYTHON_CHANNELS, PYTHON_CHANNELS),
    "client.storage": (PYTHON_STORAGE, PYTHON_STORAGE),
}
"""By method: the test with the official client, and the one with the thin client."""

Proofs = Mapping[str, set[str]]
"""By method: the ids of the tests that called it and passed."""


@dataclass
class Results:
    """What the tests of a run proved."""

    javascript: dict[str, set[str]] = field(default_factory=dict)
    thin: dict[str, set[str]] = field(default_factory=dict)
    python: dict[str, set[str]] = field(default_factory=dict)
    javascript_methods: list[str] = field(default_factory=list)


# --- Python's client --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """Classes whose methods a user calls by one path, and what their names begin with inside."""

    path: str
    classes: tuple[type, ...]
    names_from: type | None = None  # where the classes keep the methods under other names
    prefix: str = ""

    def names(self) -> set[str]:
        sources = (self.names_from,) if self.names_from else self.classes
        return {name for source in sources for name in _public(source)}


def _public(kind: type) -> Iterator[str]:
    for owner in _own(kind):
        for name, value in vars(owner).items():
            if not name.startswith("_") and isinstance(value, FunctionType | property | classmethod | staticmethod):
                yield name


def _own(kind: type) -> Iterator[type]:
    """The class and its bases, as far as they are of the official packages."""
    for owner in kind.__mro__:
        if owner.__module__.split(".")[0] in PACKAGES:
            yield owner


PACKAGES = ("supabase", "supabase_auth", "supabase_functions", "postgrest", "storage3")
# What carries other parts, and what is no call of a user's.
ASIDE = {
    "client.create",
    "client.functions",
    "client.postgrest",
    "client.postgrest.aclose",
    "client.postgrest.from_table",
    "auth.close",
    "auth.admin.close",
    "auth.initialize_from_storage",
    "auth.initialize_from_url",
}


@functools.cache
def python_parts() -> tuple[Part, ...]:
    import postgrest
    import storage3
    import supabase
    import supabase_auth as auth
    import supabase_functions as functions
    from postgrest._async import request_builder as asynchronous
    from postgrest._sync import request_builder as synchronous
    from storage3._async.file_api import AsyncBucketProxy
    from storage3._sync.file_api import SyncBucketProxy
    from supabase_auth._sync.gotrue_admin_mfa_api import SyncGoTrueAdminMFAAPI
    from supabase_auth._sync.gotrue_admin_oauth_api import SyncGoTrueAdminOAuthAPI
    from supabase_auth._sync.gotrue_mfa_api import SyncGoTrueMFAAPI

    tables = (synchronous.SyncRequestBuilder, asynchronous.AsyncRequestBuilder)
    queries = tuple(
        kind
        for module in (synchronous, asynchronous)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and kind not in tables
    )
    clients = (auth.SyncGoTrueClient, auth.AsyncGoTrueClient)
    admins = (auth.SyncGoTrueAdminAPI, auth.AsyncGoTrueAdminAPI)
    return (
        Part("client.", (supabase.Client, supabase.AsyncClient)),
        Part("client.postgrest.", (postgrest.SyncPostgrestClient, postgrest.AsyncPostgrestClient)),
        Part("from_(…).", tables),
        Part("from_(…)….", queries),
        Part("storage.", (storage3.SyncStorageClient, storage3.AsyncStorageClient)),
        Part("storage.from_(…).", (SyncBucketProxy, AsyncBucketProxy)),
        Part("functions.", (functions.SyncFunctionsClient, functions.AsyncFunctionsClient)),
        Part("auth.", clients),
        Part("auth.mfa.", clients, SyncGoTrueMFAAPI, "_"),
        Part("auth.admin.", admins),
        Part("auth.admin.mfa.", admins, SyncGoTrueAdminMFAAPI, "_"),
        Part("auth.admin.oauth.", admins, SyncGoTrueAdminOAuthAPI, "_"),
    )


def python_methods() -> list[str]:
    return sorted({part.path + name for part in python_parts() for name in part.names()} - ASIDE)


def _noting(function: Callable[..., Any], method: str) -> Callable[..., Any]:
    """The same function, which notes its calls but for those by the client itself."""

    @functools.wraps(function)
    def noting(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.split(".")[0] not in PACKAGES:
            _noted.add(("python", method, ""))
        return function(*args, **kwargs)

    return noting


def observe_python() -> None:
    """Wrap every method of the official Python client."""
    for part in python_parts():
        for kind in part.classes:
            for owner in _own(kind):
                for name in part.names():
                    value = vars(owner).get(part.prefix + name)
                    if isinstance(value, FunctionType):
                        setattr(owner, part.prefix + name, _noting(value, part.path + name))
                    elif isinstance(value, property) and value.fget is not None:
                        setattr(owner, name, property(_noting(value.fget, part.path + name)))


# --- The plugin -------------------------------------------------------------------------------------------------------

Call = tuple[str, str, str]
"""Client, method, and the title of the test inside the test, where there is one."""

_noted: set[Call] = set()
_passed: dict[str, list[Call]] = {}
_calls_file = Path(tempfile.gettempdir()) / f"official-calls-{os.getpid()}.jsonl"


def environment() -> dict[str, str]:
    """Variables for a Node process, so that the JavaScript client's calls count for the test that started it."""
    return {"NODE_OPTIONS": f"--import {PRELOAD.as_uri()}", "PARITY_CALLS": str(_calls_file)}


def javascript_calls() -> list[tuple[str, str]]:
    """Methods and titles of the calls since it was last asked; those of a process that has ended."""
    if not _calls_file.exists():
        return []
    lines = _calls_file.read_text().splitlines()
    _calls_file.unlink()
    return [(method, title) for method, title in map(json.loads, lines)]


def note_javascript(method: str, title: str = "") -> None:
    """A call that a test learnt of by itself."""
    _noted.add(("javascript", method, title))


def pytest_configure() -> None:
    observe_python()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    for method, title in javascript_calls():
        note_javascript(method, title)
    if _noted:
        item.user_properties.append((PROPERTY, sorted(_noted)))
        _noted.clear()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        _passed[report.nodeid] = []
    if report.when == "teardown" and report.nodeid in _passed:
        calls = dict(report.user_properties).get(PROPERTY, [])
        assert isinstance(calls, list)
        _passed[report.nodeid] = calls


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder = os.environ.get("PARITY_RESULTS")
    if folder and not hasattr(session.config, "workerinput"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        calls = {node: calls for node, calls in _passed.items() if calls}
        (Path(folder) / f"pytest-{os.getpid()}.json").write_text(json.dumps(calls))


# --- The page ---------------------------------------------------------------------------------------------------------


def read_results(folder: Path) -> Results:
    results = Results()
    for file in sorted(folder.glob("pytest-*.json")):
        for node, calls in json.loads(file.read_text()).items():
            for client, method, title in calls:
                proofs = results.javascript if client == "javascript" else results.python
                proofs.setdefault(method, set()).add(f"{node} > {title}" if title else node)
    for test in scenario_results(folder / "scenarios.json"):
        if test["status"] == "passed":
            for method in test["meta"].get("calls", []):
                results.thin.setdefault(method, set()).add(test["title"])
            results.javascript_methods += test["meta"].get("methods", [])
    return results


def scenario_results(report: Path) -> Iterator[dict[str, Any]]:
    """The tests in vitest's report."""
    for file in json.loads(report.read_text())["testResults"]:
        yield from file["assertionResults"]


def left_out(method: str, column: str) -> str | None:
    """Why a method is not served."""
    for name, reason in (LEFT_OUT | NOT_SERVED if column == GATEWAY else LEFT_OUT).items():
        if method == name or (name.endswith(".") and method.startswith(name)):
            return reason
    return None


def choose(method: str, found: Iterable[str], before: str) -> str:
    """One of the tests: the one of the page as it is, if it still proves the method; else one that names it.

    >>> choose("auth.signUp", ["b.py::test_all", "c.py::test_sign[signUp]"], "")
    'c.py::test_sign[signUp]'
    >>> choose("auth.signUp", ["b.py::test_all", "c.py::test_sign[signUp]"], "b.py::test_all")
    'b.py::test_all'
    """
    # The servers of another machine are others.
    candidates = sorted(test for test in found if "debian" not in test)
    if before in candidates:
        return before
    named = re.compile(rf"(?<![A-Za-z]){re.escape(method.rpartition('.')[2].strip('_'))}(?![A-Za-z])")
    return min(candidates, key=lambda test: (not named.search(test), test), default="")


@dataclass(frozen=True)
class Table:
    """One table of the page: a row for each method, a column for each kind of proof."""

    methods: list[str]
    columns: dict[str, Proofs]

    def faults(self) -> Iterator[str]:
        for method in self.methods:
            for column, proofs in self.columns.items():
                if not left_out(method, column) and method not in proofs and method not in ELSEWHERE:
                    yield f"{method} has no test ({column})"

    def text(self, before: Mapping[tuple[str, str], str]) -> str:
        """The table; `before` has the tests of the page as it is."""
        lines = [f"| Method | {' | '.join(self.columns)} |", "| --- |" + " --- |" * len(self.columns)]
        for method in self.methods:
            cells = [self._cell(method, column, proofs, before) for column, proofs in self.columns.items()]
            lines.append(f"| `{method}` | {' | '.join(cells)} |")
        return "\n".join(lines)

    def _cell(self, method: str, column: str, proofs: Proofs, before: Mapping[tuple[str, str], str]) -> str:
        if method in ELSEWHERE and method not in proofs:
            return f"yes: {ELSEWHERE[method][column == THIN]}"
        test = choose(method, proofs.get(method, ()), before.get((method, column), "")).replace("|", "\\|")
        if reason := left_out(method, column):
            return f"no, {reason}" + (f"; how it is refused: {test}" if test else "")
        return f"yes: {test}" if test else "**unproven**"


GATEWAY = "Official client, this gateway"
THIN = "This client, same requests"


def tables(results: Results) -> dict[str, Table]:
    return {
        "JavaScript: `@supabase/supabase-js`": Table(
            sorted(results.javascript_methods),
            {GATEWAY: results.javascript, THIN: results.thin},
        ),
        "Python: `supabase`": Table(python_methods(), {GATEWAY: results.python}),
    }


def read_page(text: str) -> dict[tuple[str, str], str]:
    """The test of each method and column in a page."""
    found: dict[tuple[str, str], str] = {}
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.replace("\\|", "|") for cell in re.split(r" (?<!\\)\| ", line.strip("| "))]
        if cells[0] == "Method":
            columns = cells[1:]
        for column, cell in zip(columns, cells[1:], strict=False):
            found[cells[0].strip("`"), column] = re.sub(r"^(yes|no, .*; how it is refused): ", "", cell)
    return found


def page(results: Results, before: str) -> str:
    tests = read_page(before)
    parts = [f"## {title}\n\n{table.text(tests)}\n" for title, table in tables(results).items()]
    return (
        "# Parity with the official clients\n\n"
        "Written by `make parity` from the results of `make test`, never by hand: a row for each method that the\n"
        "official package has, with a test that called it and passed. A test of pytest runs the unmodified official\n"
        "client against a live gateway; the title behind `>` is that of the test inside. A scenario runs this package\n"
        "and the official one side by side and compares requests, byte for byte, and results\n"
        "(`test/scenarios.test.ts`).\n\n" + "\n".join(parts)
    )


def main(arguments: list[str]) -> int:
    results = read_results(Path(os.environ.get("PARITY_RESULTS", ROOT / ".parity")))
    before = PAGE.read_text() if PAGE.exists() else ""
    after = page(results, before)
    faults = [fault for table in tables(results).values() for fault in table.faults()]
    for fault in faults:
        print(f"parity: {fault}", file=sys.stderr)
    if "--check" not in arguments:
        PAGE.write_text(after)
    elif after != before:
        print("parity: supabase-compat/PARITY.md is not what the tests say; `make parity` writes it", file=sys.stderr)
        faults.append("page")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
