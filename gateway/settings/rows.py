"""One row per variable: how it is declared, and how the text of a variable becomes a value of its type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import Field, field
from pathlib import Path
from typing import Any, Final, NewType

# A length of time; settings take `24h`, `1h30m`, `90s` or a plain number of seconds.
Seconds = NewType("Seconds", float)


MAX_FILE: Final = 1_000_000  # bytes of a file that holds a setting


class FileFault(ValueError):
    """A file that should hold a setting cannot be read. What is said names the file alone, so it may be shown."""


class SettingsError(Exception):
    """One line per bad variable."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


def setting(
    default: Any,
    help: str,
    *names: str,
    secret: bool = False,
    choices: tuple[str, ...] = (),
    parse: Callable[[Any], Any] | None = None,
    file: bool = False,
) -> Any:
    """A row: its default, what it does, the variables that set it (first is the documented one).

    `parse` takes the place of what reads the row's type; it raises ValueError. With `file`, `@PATH` stands for what
    that file holds, and never for itself.
    """
    metadata = {"help": help, "names": names, "secret": secret, "choices": choices, "parse": parse, "file": file}
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), repr=not secret, metadata=metadata)
    return field(default=default, repr=not secret, metadata=metadata)


class ConfigFault(ValueError):
    """A value of the tables API that must not give way to the default. What is said names the original's option."""


def beside(help: str, default: Any = ...) -> Any:
    """A field that no variable sets; a dictionary where no default is given."""
    metadata = {"help": help, "names": (), "secret": True, "choices": (), "parse": None, "file": False}
    if default is ...:
        return field(default_factory=dict, repr=False, metadata=metadata)
    return field(default=default, repr=False, metadata=metadata)


_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def from_file(row: Field[Any], kind: Any, path: str) -> Any:
    """What a file holds, less one line break at its end. Raises FileFault, and ValueError as `_parse` does."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_FILE + 1)
        text = content.decode()
    except OSError as error:
        raise FileFault(f"the file {path!r} cannot be read: {error.strerror}") from None
    except ValueError:
        raise FileFault(f"the file {path!r} is no text") from None
    text = text.removesuffix("\n")
    if not text.strip():
        raise FileFault(f"the file {path!r} is empty")
    if len(content) > MAX_FILE:
        raise FileFault(f"the file {path!r} is longer than {MAX_FILE} bytes")
    return text if row.metadata["parse"] is None and kind is str else parse_row(row, kind, text)


def parse_row(row: Field[Any], kind: Any, raw: Any) -> Any:
    if isinstance(raw, str):
        raw = raw.strip()
        choices: tuple[str, ...] = row.metadata["choices"]
        if choices and raw not in choices:
            raise ValueError(f"{raw!r} is not one of {', '.join(choices)}")
    if kind == int | None or kind == bool | None:
        if raw == "":
            return None
        kind = int if kind == int | None else bool
    parser = row.metadata["parse"] or _PARSERS.get(str(kind), _PARSERS.get(getattr(kind, "__name__", "")))
    if parser is None:
        raise ValueError(f"cannot be set to {raw!r}")
    return parser(raw)


def _parse_bool(raw: Any) -> bool:
    word = str(raw).lower()
    if word in ("true", "1", "yes", "on"):
        return True
    if word in ("false", "0", "no", "off", ""):
        return False
    if word.removeprefix("-").isdecimal():
        return int(word) > 0
    raise ValueError(f"{raw!r} is neither true nor false")


def parse_int(raw: Any) -> int:
    try:
        return int(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a whole number") from None


def _parse_float(raw: Any) -> float:
    try:
        return float(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a number") from None


def parse_duration(text: str) -> float:
    """Seconds of a duration. Raises ValueError.

    >>> parse_duration("1h30m"), parse_duration("90"), parse_duration("250ms")
    (5400.0, 90.0, 0.25)
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        parts = _DURATION.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text.lstrip("+-"):
            raise ValueError(f"{text!r} is not a duration such as 24h or 90s") from None
        total = sum(float(number) * _UNITS[unit] for number, unit in parts)
        return -total if text.startswith("-") else total


def parse_list(raw: Any) -> tuple[str, ...]:
    items = raw if isinstance(raw, list) else str(raw).split(",")
    return tuple(str(item).strip() for item in items if str(item).strip())


def _parse_dict(raw: Any) -> dict[str, str]:
    if isinstance(raw, dict):
        return {str(key): str(value) for key, value in raw.items()}
    pairs = (item.split("=", 1) for item in str(raw).split(",") if item.strip())
    try:
        return {key.strip(): value.strip() for key, value in pairs}
    except ValueError:
        raise ValueError(f"{raw!r} is not a list of name=value") from None


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "str": str,
    "bool": _parse_bool,
    "int": parse_int,
    "float": _parse_float,
    "Seconds": lambda raw: parse_duration(str(raw)),
    "Path": lambda raw: Path(str(raw)),
    "tuple[str, ...]": parse_list,
    "dict[str, str]": _parse_dict,
}
