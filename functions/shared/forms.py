"""The rules of `*.form.json` for the server; `web/src/features/forms/validate.ts` holds the same rules for the browser.

Both are tested with the same tables of examples (`*.cases.json`). `validate` says what is wrong in the form's own
sentences, `clean` gives what is to be stored: surrounding space off, hidden fields and unknown keys left out, control
characters gone, and text of one line kept to one line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

EMAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]{2,}")
TEL: Final = re.compile(r"[0-9+().\-/\s]+(?:(?:x|ext\.?)\s*[0-9]{1,6})?", re.IGNORECASE)
TEL_DIGITS: Final = range(10, 19)
ZIP: Final = re.compile(r"[0-9]{5}(-[0-9]{4})?")

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BREAKS: Final = re.compile(r"[\r\n\t\x85\u2028\u2029]+")

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """One form: its name, the name of the field that only robots fill, and its fields as the file has them."""

    name: str
    honeypot: str
    fields: tuple[Mapping[str, Any], ...]

    def label(self, field: str, value: str) -> str:
        """The label behind an option's value, or the value itself."""
        for row in self.fields:
            if row["name"] == field:
                return next((str(o["label"]) for o in row.get("options", ()) if o["value"] == value), value)
        return value


def load(path: Path) -> Form:
    """The form described by a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Form(content["form"], content["honeypot"], tuple(content["fields"]))


def validate(form: Form, values: Values) -> dict[str, str]:
    """Sentence per field that is missing or not acceptable; empty when the values may be stored."""
    return {
        field["name"]: field["message"]
        for field in form.fields
        if is_shown(field, values) and not _is_acceptable(field, values.get(field["name"]))
    }


def clean(form: Form, values: Values) -> dict[str, Any]:
    """What to store of acceptable values: empty fields take their default or are left out."""
    kept: dict[str, Any] = {}
    for field in form.fields:
        name = field["name"]
        if not is_shown(field, values):
            continue
        value = values.get(name)
        if _is_empty(value):
            value = field.get("default")
        if isinstance(value, str):
            value = clean_text(value, lines=field["type"] == "textarea")
        if not _is_empty(value):
            kept[name] = value
    return kept


def is_shown(field: Mapping[str, Any], values: Values) -> bool:
    """False while the condition of `requiredWhen` does not hold: the field is then ignored."""
    condition = field.get("requiredWhen")
    if not condition:
        return True
    for name, wanted in condition.items():
        held = values.get(name)
        if any(value in held if isinstance(held, list) else value == held for value in wanted):
            return True
    return False


def trapped(form: Form, values: Values) -> bool:
    """Whether the field that nobody sees has been filled."""
    return not _is_empty(values.get(form.honeypot))


def clean_text(text: str, *, lines: bool) -> str:
    """Text as it is stored; with `lines` its line breaks stay."""
    text = _CONTROL.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n") if lines else _BREAKS.sub(" ", text)
    return text.strip()


def _is_acceptable(field: Mapping[str, Any], value: Any) -> bool:
    if _is_empty(value):
        return not field["required"]
    match field["type"]:
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return _is_number(value) and field.get("min", -math.inf) <= value <= field.get("max", math.inf)
        case "choices":
            return (
                isinstance(value, list)
                and len(value) >= field.get("min", 0)
                and all(_is_option(field, item) for item in value)
            )
        case "choice":
            return _is_option(field, value)
        case kind:
            return isinstance(value, str) and _fits(kind, field, _visible(value))


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not _visible(value)
    return value is None or value == []


def _visible(text: str) -> str:
    """What is left of a text when it is stored, but for its line breaks."""
    return _CONTROL.sub("", text).strip()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf


def _is_option(field: Mapping[str, Any], value: Any) -> bool:
    return isinstance(value, str) and any(option["value"] == value for option in field.get("options", ()))


def _fits(kind: str, field: Mapping[str, Any], text: str) -> bool:
    if "max" in field and len(text) > field["max"]:
        return False
    if kind == "email":
        return EMAIL.fullmatch(text) is not None
    if kind == "tel":
        digits = sum(character in "0123456789" for character in text)
        return TEL.fullmatch(text) is not None and digits in TEL_DIGITS
    if kind == "zip":
        return ZIP.fullmatch(text) is not None
    return True
