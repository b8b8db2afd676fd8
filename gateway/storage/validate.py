"""Bodies and queries against what a route takes, faults in Ajv's words (as the original's framework sends them).

Text is taken for a number or a boolean where it reads as one; what is not named is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.storage.errors import INVALID_REQUEST, StorageError


class _Wrong(Exception):
    """A value that does not fit; what is said comes after its path."""


@dataclass(frozen=True, slots=True)
class Field:
    """One property: `read` gives its value or raises _Wrong."""

    read: Callable[[Any], Any]
    required: bool = False
    default: Any = None


def text(least: int = 0, choices: tuple[str, ...] = ()) -> Callable[[Any], str]:
    """A string."""

    def read(value: Any) -> str:
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, int | float):
            value = str(value)
        if not isinstance(value, str):
            raise _Wrong(" must be string")
        if len(value) < least:
            raise _Wrong(f" must NOT have fewer than {least} characters")
        if choices and value not in choices:
            raise _Wrong(" must be equal to one of the allowed values")
        return value

    return read


def whole(least: int | None = None, most: int | None = None) -> Callable[[Any], int]:
    """A whole number."""

    def read(value: Any) -> int:
        if isinstance(value, str):
            try:
                value = float(value) if value.strip() else None
            except ValueError:
                value = None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise _Wrong(" must be integer")
        number = int(value)
        if least is not None and number < least:
            raise _Wrong(f" must be >= {least}")
        if most is not None and number > most:
            raise _Wrong(f" must be <= {most}")
        return number

    return read


def share(value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise _Wrong(" must be number")
    if not 0 <= value <= 1:
        raise _Wrong(" must be >= 0" if value < 0 else " must be <= 1")
    return float(value)


def boolean(value: Any) -> bool:
    """A boolean."""
    if isinstance(value, bool):
        return value
    if value in ("true", 1):
        return True
    if value in ("false", 0):
        return False
    raise _Wrong(" must be boolean")


def nullable(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Null, or something else."""
    return lambda value: None if value is None else read(value)


def size_limit(value: Any) -> int | float | str:
    """A bucket's limit, as a number or with a unit."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _Wrong(" must be integer")
    if not isinstance(value, str) and (value < 0 or value != value // 1):
        raise _Wrong(" must be >= 0" if value < 0 else " must be integer")
    return value


def array(read: Callable[[Any], Any], least: int = 0, most: int | None = None) -> Callable[[Any], list[Any]]:
    """A list."""

    def read_all(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _Wrong(" must be array")
        if len(value) < least:
            raise _Wrong(f" must NOT have fewer than {least} items")
        if most is not None and len(value) > most:
            raise _Wrong(f" must NOT have more than {most} items")
        result = []
        for index, item in enumerate(value):
            try:
                result.append(read(item))
            except _Wrong as wrong:
                raise _Wrong(f"/{index}{wrong}") from None
        return result

    return read_all


def shape(fields: Mapping[str, Field]) -> Callable[[Any], dict[str, Any]]:
    """An object."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _Wrong(" must be object")
        result: dict[str, Any] = {}
        for name, field in fields.items():
            if name not in value:
                if field.required:
                    raise _Wrong(f" must have required property '{name}'")
                if field.default is not None:
                    result[name] = field.default
                continue
            try:
                result[name] = field.read(value[name])
            except _Wrong as wrong:
                raise _Wrong(f"/{name}{wrong}") from None
        return result

    return read


def check(where: str, fields: Mapping[str, Field], value: Any) -> dict[str, Any]:
    """What was given of the named properties, and the defaults of others. Raises StorageError.

    >>> check("querystring", {"limit": Field(whole(1))}, {"limit": "7", "other": 1})
    {'limit': 7}
    """
    try:
        return shape(fields)(value)
    except _Wrong as wrong:
        raise StorageError(INVALID_REQUEST, f"{where}{wrong}") from None


EMPTY: Final[Mapping[str, Field]] = {}
