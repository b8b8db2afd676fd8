"""What names, sizes and types may be: object keys, bucket names, limits of buckets, MIME types. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from gateway.storage.errors import (
    INVALID_BUCKET_NAME,
    INVALID_KEY,
    INVALID_MIME,
    INVALID_PARAMETER,
    INVALID_ROBOTS,
    INVALID_TYPE_HEADER,
    StorageError,
)

MAX_BUCKET_NAME: Final = 100
PLACEHOLDER: Final = ".emptyFolderPlaceholder"
"""The object that makes an empty folder seen: of any type, and of no bytes."""

_KEY: Final = re.compile(r"[A-Za-z0-9_/!.*'() &$=@;:+,?-]+")
_BUCKET: Final = re.compile(r"[A-Za-z0-9_!.*'() &$=@;:+,?-]+")
_SIZE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(gb|mb|kb|b)", re.IGNORECASE)
_UNITS: Final = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}
_MIME: Final = re.compile(
    r"[\w.+-]+/[\w.+-]+(?:;\s*charset=[\w-]+)?|[ -~]*\*", re.ASCII
)  # all that ends in a star, too
_ROBOTS: Final = re.compile(
    r"all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex|noai|noimageai|noarchive|nocache"
    r"|index|follow|spc|max-snippet: ?-?\d+|max-image-preview: ?(?:none|standard|large)|max-video-preview: ?-?\d+"
    r"|unavailable_after: ?.+",
    re.IGNORECASE,
)


def check_key(key: str) -> None:
    """Refuse a key that is none. Raises StorageError.

    Segments of dots are refused too: whoever saves objects by their keys would leave his folder.
    """
    if not _KEY.fullmatch(key):
        raise StorageError(INVALID_KEY, key=key)
    if any(segment in (".", "..") for segment in key.split("/")):
        raise StorageError(INVALID_KEY, f"Invalid key: {key}: dot segments are not allowed")


def check_bucket_name(name: str) -> None:
    """Refuse a bucket's name that is none. Raises StorageError.

    >>> check_bucket_name("a b"), check_bucket_name("Avatars-2")
    (None, None)
    """
    right = 0 < len(name) <= MAX_BUCKET_NAME and _BUCKET.fullmatch(name) and name == name.strip(" ")
    if not right or name.endswith("--table-s3"):
        raise StorageError(INVALID_BUCKET_NAME)


def parse_size(value: int | float | str | None) -> int | None:
    """A bucket's limit in bytes; units are decimal, with three digits that count. Raises StorageError.

    >>> parse_size("1.5MB"), parse_size(10), parse_size(None), parse_size("1234kb"), parse_size("0b")
    (1500000, 10, None, 1230000, 0)
    """
    if value is None:
        return None
    if isinstance(value, str):
        found = _SIZE.fullmatch(value)
        if len(value) > 40 or (found is None and not (value.isascii() and value.isdecimal())):
            raise StorageError(INVALID_PARAMETER, name="file_size_limit")
        if found is None:
            return int(value)
        number = Decimal(f"{Decimal(found[1]):.3g}") if found[2].lower() != "b" else Decimal(found[1])
        return int(number * _UNITS[found[2].lower()])
    if value < 0 or value != int(value):
        raise StorageError(INVALID_PARAMETER, name="file_size_limit")
    return int(value)


def check_allowed_types(types: Sequence[str] | None) -> list[str] | None:
    """A bucket's list of types without the empty ones. Raises StorageError.

    >>> check_allowed_types(["image/*", ""]), check_allowed_types([]), check_allowed_types(None)
    (['image/*'], [], None)
    """
    if types is None:
        return None
    kept = [each for each in types if each]
    for each in kept:
        if len(each) > 1000 or not _MIME.fullmatch(each):
            raise StorageError(INVALID_MIME, mime=each[:200])
    return kept


def check_type(mime: str, allowed: Sequence[str] | None) -> None:
    """Refuse a type that a bucket does not take; parameters count. Raises StorageError.

    >>> check_type("image/png", ["image/*"]), check_type("text/plain", None)
    (None, None)
    """
    if "/" not in mime:
        raise StorageError(INVALID_TYPE_HEADER)
    if not allowed:
        return
    kind, _, subtype = mime.partition("/")
    for each in allowed:
        wanted_kind, _, wanted = each.partition("/")
        if each == "*" or wanted_kind == "*" or (kind == wanted_kind and wanted in ("*", subtype)):
            return
    raise StorageError(INVALID_MIME, mime=mime)


def check_robots(text: str | None) -> str | None:
    """A value for X-Robots-Tag: rules parted by commas, each list for one agent if it names it. Raises StorageError.

    >>> check_robots("noindex, nofollow"), check_robots("bot: none"), check_robots(None)
    ('noindex, nofollow', 'bot: none', None)
    """
    if text is None:
        return None
    rest = text.strip()
    if not rest or len(rest) > 1000:
        raise StorageError(INVALID_ROBOTS, reason="it must not be empty or long")
    for part in rest.split(","):
        rule = part.strip()
        if _ROBOTS.fullmatch(rule):
            continue
        agent, colon, named = rule.partition(":")
        if not colon or not re.fullmatch(r"[\w.-]+", agent.strip()) or not _ROBOTS.fullmatch(named.strip()):
            raise StorageError(INVALID_ROBOTS, reason=f"invalid rule {rule!r}")
    return rest
