"""The server's reading of the forms agrees with the browser's: both run the same tables of examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from functions.shared import forms

ROOT = Path(__file__).parents[2] / "functions"
PATHS = sorted(ROOT.glob("*/*.form.json"))


def rows() -> list[Any]:
    found = []
    for path in PATHS:
        cases = json.loads(path.with_name(path.name.replace(".form.", ".cases.")).read_text())
        found += [pytest.param(path, case, id=f"{path.name.split('.')[0]}: {case['title']}") for case in cases]
    return found


@pytest.mark.parametrize(("path", "case"), rows())
def test_an_example_has_exactly_its_errors(path: Path, case: dict[str, Any]) -> None:
    assert forms.validate(forms.load(path), case["input"]) == case["errors"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_sample_is_a_complete_submission(path: Path) -> None:
    form = forms.load(path)
    sample = json.loads((path.parent / "sample.json").read_text())
    if form.name != "quick-start":
        assert forms.validate(form, sample) == {}
        assert not forms.trapped(form, sample)


FORM = forms.Form(
    "test",
    "company",
    (
        {"name": "line", "type": "text", "required": True, "max": 20, "message": "A line."},
        {"name": "lines", "type": "textarea", "required": False, "max": 50, "message": "Lines."},
        {
            "name": "pick",
            "type": "choice",
            "required": False,
            "options": [{"value": "a", "label": "A"}],
            "default": "a",
        },
        {"name": "only", "type": "text", "required": True, "requiredWhen": {"pick": ["b"]}, "message": "Only."},
    ),
)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  a  ", "a"),
        ("a\r\nBcc: b", "a Bcc: b"),
        ("a\u2028b", "a b"),
        ("a\x00\x07b", "ab"),
        ("\ud800a", "a"),
    ],
    ids=["space around", "line break", "line separator", "control characters", "half a surrogate pair"],
)
def test_text_of_one_line_is_kept_to_one_line(given: str, kept: str) -> None:
    assert forms.clean(FORM, {"line": given})["line"] == kept


def test_line_breaks_of_a_message_stay() -> None:
    assert forms.clean(FORM, {"line": "a", "lines": "one\r\ntwo\rthree\n"})["lines"] == "one\ntwo\nthree"


def test_what_is_stored_has_defaults_and_no_strangers() -> None:
    assert forms.clean(FORM, {"line": "a", "pick": "", "only": "hidden", "role": "admin"}) == {"line": "a", "pick": "a"}


@pytest.mark.parametrize(
    ("value", "caught"), [("", False), ("  ", False), (None, False), ("x", True), (0, True), (False, True)]
)
def test_any_value_in_the_hidden_field_springs_the_trap(value: Any, caught: bool) -> None:
    assert forms.trapped(FORM, {"company": value}) is caught


@pytest.mark.parametrize(
    "amount", [10**400, -(10**400), float("inf"), float("nan"), True], ids=["large", "small", "infinite", "nan", "flag"]
)
def test_a_number_out_of_all_bounds_is_refused(amount: object) -> None:
    """Browsers cannot send a whole number of 400 digits, others can."""
    form = forms.load(ROOT / "submit-quote/quick-start.form.json")
    assert "promotionAmount" in forms.validate(form, {"promotionAmount": amount})
