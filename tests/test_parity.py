"""The page's methods are those of the installed packages, and it says yes only with a test."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

import pytest

from tests import parity
from tests.parity import GATEWAY, PAGE, THIN, Table


def test_every_method_of_the_python_client_has_a_row() -> None:
    rows = {method for method, _ in parity.read_page(PAGE.read_text())}
    assert set(parity.python_methods()) <= rows


def test_every_answer_is_a_test_or_a_reason() -> None:
    answers = [test for (method, _), test in parity.read_page(PAGE.read_text()).items() if method.strip("-")]
    assert len(answers) > 200
    for answer in answers:
        file = re.match(r"tests/[\w/]+\.py(?=::test_)", answer)
        assert answer.startswith("no, ") or "unproven" not in answer
        assert file is None or (parity.ROOT / file[0]).exists(), answer


def test_promise_04_a_method_without_a_test_is_a_fault() -> None:
    table = Table(["auth.signUp", "auth.passkey.list", "auth.signInWithSSO"], {GATEWAY: {}, THIN: {}})
    assert list(table.faults()) == [
        f"auth.signUp has no test ({GATEWAY})",
        f"auth.signUp has no test ({THIN})",
        f"auth.signInWithSSO has no test ({THIN})",
    ]


def test_what_is_not_served_says_why_and_how_it_is_refused() -> None:
    table = Table(["auth.signInWithSSO"], {GATEWAY: {"auth.signInWithSSO": {"a.py::test_sso"}}})
    assert list(table.faults()) == []
    row = "| `auth.signInWithSSO` | no, SAML is not served; how it is refused: a.py::test_sso |"
    text = table.text({})
    assert row in text
    assert parity.read_page(text)["auth.signInWithSSO", GATEWAY] == "a.py::test_sso"


def test_promise_04_a_test_that_failed_proves_nothing(tmp_path: Path) -> None:
    runs = [
        {"title": "one", "status": "passed", "meta": {"calls": ["auth.signUp"], "methods": ["auth.signUp"]}},
        *[
            {"title": status, "status": status, "meta": {"calls": ["auth.signOut"], "methods": ["auth.signOut"]}}
            for status in ("failed", "skipped", "pending", "todo", "disabled")
        ],
    ]
    (tmp_path / "scenarios.json").write_text(json.dumps({"testResults": [{"assertionResults": runs}]}))
    (tmp_path / "pytest-1.json").write_text(json.dumps({"a.py::test_x": [["javascript", "auth.signUp", "it | does"]]}))
    found = parity.read_results(tmp_path)
    assert (found.thin, found.javascript) == ({"auth.signUp": {"one"}}, {"auth.signUp": {"a.py::test_x > it | does"}})
    text = parity.page(found, "")
    assert "| `auth.signUp` | yes: a.py::test_x > it \\| does | yes: one |" in text
    assert parity.read_page(text)["auth.signUp", GATEWAY] == "a.py::test_x > it | does"


def test_promise_04_only_a_passed_test_leaves_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [("javascript", "auth.signUp", "")]
    passed: dict[str, object] = {}
    monkeypatch.setattr(parity, "_passed", passed)
    outcomes: tuple[Literal["passed", "failed", "skipped"], ...] = ("passed", "failed", "skipped")
    for outcome in outcomes:
        node, properties = f"a.py::test_that_{outcome}", [(parity.PROPERTY, calls)]
        called = pytest.TestReport(node, ("a.py", 1, node), {}, outcome, None, "call", user_properties=properties)
        ended = pytest.TestReport(node, ("a.py", 1, node), {}, "passed", None, "teardown", user_properties=properties)
        parity.pytest_runtest_logreport(called)
        parity.pytest_runtest_logreport(ended)
    assert passed == {"a.py::test_that_passed": calls}


def test_promise_04_what_a_client_calls_by_itself_is_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: set[parity.Call] = set()
    monkeypatch.setattr(parity, "_noted", noted)
    called = parity._noting(lambda: "done", "auth.sign_up")
    for package in parity.PACKAGES:
        exec("called()", {"called": called, "__name__": f"{package}.inner"})
    assert noted == set()
    assert called() == "done"
    assert noted == {("python", "auth.sign_up", "")}


def test_promise_04_the_page_changes_with_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARITY_RESULTS", str(tmp_path))
    monkeypatch.setattr(parity, "PAGE", tmp_path / "PAGE.md")
    monkeypatch.setattr(parity, "python_methods", list)
    run = {"title": "one", "status": "passed", "meta": {"calls": ["auth.signUp"], "methods": ["auth.signUp"]}}
    (tmp_path / "scenarios.json").write_text(json.dumps({"testResults": [{"assertionResults": [run]}]}))
    proofs = tmp_path / "pytest-1.json"
    proofs.write_text('{"a.py::test_x": [["javascript", "auth.signUp", ""]]}')
    assert parity.main(["--check"]) == 1, "there is no page"
    assert parity.main([]) == parity.main(["--check"]) == 0
    proofs.write_text('{"a.py::test_y": [["javascript", "auth.signUp", ""]]}')
    assert parity.main(["--check"]) == 1, "the page names a test that proved nothing"
    proofs.write_text("{}")
    assert parity.main([]) == 1, "nothing proves the method"
