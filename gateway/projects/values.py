"""config.toml's values: `env(NAME)`, `.env` files, SUPABASE_… overrides, durations and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_ENV: Final = re.compile(r"env\((.*)\)", re.DOTALL)
_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*[=:]\s*(.*)", re.DOTALL)
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def environment(folder: Path, start: Path, process: Mapping[str, str]) -> dict[str, str]:
    """The variables for a project: the process's own, then those of its `.env` files, the first that has one.

    The files are looked for in each folder from `supabase/` up to where the command was started.
    """
    which = process.get("SUPABASE_ENV") or "development"
    names = [f".env.{which}.local", *([".env.local"] if which != "test" else []), f".env.{which}", ".env"]
    found = dict(process)
    for place in _from_to(folder.resolve(), start.resolve()):
        for name in names:
            for key, value in read_env(place / name).items():
                found.setdefault(key, value)
    return found


def _from_to(folder: Path, start: Path) -> Iterator[Path]:
    """`supabase/`, the folder above it, and no further than where the command was started."""
    yield folder
    if folder != start:
        yield folder.parent


def read_env(path: Path) -> dict[str, str]:
    """Variables of a `.env` file; none where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        match = _LINE.fullmatch(text[at:end].rstrip("\r"))
        if match is None or match[0].lstrip().startswith("#"):
            at = end + 1
            continue
        raw = match[2].strip()
        if raw[:1] in ("'", '"'):
            begin = text.index(raw[0], at + match.start(2))
            value, end = _quoted(text, begin)
        else:
            value = re.split(r"\s+#", raw, maxsplit=1)[0].strip() if not raw.startswith("#") else ""
        found[match[1]] = value
        at = end + 1
    return found


def _quoted(text: str, begin: int) -> tuple[str, int]:
    """A quoted value, which may go over lines, and the end of its last line."""
    quote, at = text[begin], begin + 1
    value: list[str] = []
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" and quote == '"' and at + 1 < len(text):
            value.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
            continue
        value.append(text[at])
        at += 1
    end = text.find("\n", at)
    return "".join(value), len(text) if end < 0 else end


def resolve(value: Any, environ: Mapping[str, str], key: str, unset: list[tuple[str, str]]) -> Any:
    """A value with `env(NAME)` replaced wherever it is a whole string.

    What names a variable that is unset is listed with its key, and left out: the original passes on the text
    `env(NAME)`, which is no address, secret or number.
    """
    if isinstance(value, dict):
        whole = {name: resolve(each, environ, f"{key}.{name}" if key else name, unset) for name, each in value.items()}
        return {name: each for name, each in whole.items() if each is not None}
    if isinstance(value, list):
        return [each for each in (resolve(each, environ, key, unset) for each in value) if each is not None]
    if isinstance(value, str) and (found := _ENV.fullmatch(value)) is not None:
        if given := environ.get(found[1]):
            return given
        unset.append((key, found[1]))
        return None
    return value


def override(table: dict[str, Any], environ: Mapping[str, str], keys: Mapping[str, type]) -> None:
    """Lay SUPABASE_AUTH_SITE_URL over `auth.site_url`, for the keys that there are and those that `keys` knows."""
    for key, kind in {**dict.fromkeys(_leaves(table), str), **keys}.items():
        raw = environ.get("SUPABASE_" + re.sub(r"[.-]", "_", key).upper())
        if raw is None:
            continue
        *path, last = key.split(".")
        place = table
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                break
        else:
            place[last] = [each.strip() for each in raw.split(",") if each.strip()] if kind is list else raw


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def is_true(value: Any) -> bool:
    """A boolean, or a text that stands for one. Raises ValueError.

    >>> is_true(True), is_true("false"), is_true("1")
    (True, False, True)
    """
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("true", "t", "1", "yes", "on"):
        return True
    if word in ("false", "f", "0", "no", "off", ""):
        return False
    raise ValueError(f"{value!r} is neither true nor false")


def bytes_of(value: Any) -> int:
    """Bytes of a size. Raises ValueError.

    >>> bytes_of("50MiB"), bytes_of("500KB"), bytes_of(12)
    (52428800, 512000, 12)
    """
    found = _SIZE.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(f"{value!r} is not a size such as 50MiB")
    return int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " "))
