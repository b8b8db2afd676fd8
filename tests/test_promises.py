"""The page of promises: each has a test, and every test that it names is there."""

from __future__ import annotations

import re

import pytest

from tests import promises
from tests.promises import PAGE, PARTS, Promise


def test_every_promise_has_a_test() -> None:
    assert list(promises.faults()) == []
    assert [number for part in PARTS.values() for number in part] == list(range(1, 70))


def test_the_page_says_what_is_so() -> None:
    text = PAGE.read_text()
    shown = set(re.findall(r"`(tests/[\w/]+\.py::\w+)`", text))
    assert shown <= promises.tests(), "run `python -m tests.promises`"
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \| .+ \|$", text, re.MULTILINE))
    for part in PARTS.values():
        for number, promise in part.items():
            assert rows[str(number)].startswith(promise.text), "run `python -m tests.promises`"


@pytest.mark.parametrize(
    ("number", "promise", "fault"),
    [
        (98, Promise("Nothing shows this"), "promise 98 has no test"),
        (98, Promise("Nor this", ("tests/test_docs.py::test_none",)), "promise 98 names tests/test_docs.py::test_none"),
    ],
)
def test_a_promise_that_nothing_shows_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, number: int, promise: Promise, fault: str
) -> None:
    monkeypatch.setattr(promises, "PARTS", {**PARTS, "More": {number: promise}})
    (found,) = promises.faults()
    assert found.startswith(fault)
