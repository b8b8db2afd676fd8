"""The Prefer header ↔ Preferences (contract section 10; RFC 7240).

>>> parse_prefer('return=representation, count=exact,count=planned').count
'exact'
>>> parse_prefer('handling=strict, anything').invalid
('anything',)
>>> applied(parse_prefer('count=exact, return=minimal'), ('representation', 'count'))
b'return=minimal, count=exact'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from gateway.rest.types import Preferences

# Field of Preferences → name of the preference, in the order in which they are shown as applied.
_NAMES: Final = {
    "resolution": "resolution",
    "missing": "missing",
    "representation": "return",
    "count": "count",
    "tx": "tx",
    "handling": "handling",
    "timezone": "timezone",
    "max_affected": "max-affected",
}
_CHOICES: Final = {
    "resolution": ("merge-duplicates", "ignore-duplicates"),
    "missing": ("default", "null"),
    "representation": ("representation", "minimal", "headers-only"),
    "count": ("exact", "planned", "estimated"),
    "tx": ("commit", "rollback"),
    "handling": ("strict", "lenient"),
}
_TOKENS: Final = {
    f"{_NAMES[kind]}={choice}": (kind, choice) for kind, choices in _CHOICES.items() for choice in choices
}
NONE: Final = Preferences()


def parse_prefer(header: str, tx_allowed: bool = True) -> Preferences:
    """Preferences of a header (several are joined by commas): the first of a kind wins.

    Without `tx_allowed` a `tx=` is known but ignored. Whether there is such a time zone is for Postgres to say.
    """
    found: dict[str, Any] = {}
    invalid: list[str] = []
    affected_seen = False
    for token in (part.strip() for part in header.split(",")):
        known = _TOKENS.get(token)
        if known is not None:
            kind, choice = known
            if kind != "tx" or tx_allowed:
                found.setdefault(kind, choice)
        elif token.startswith("timezone="):
            found.setdefault("timezone", token.removeprefix("timezone="))
        elif token.startswith("max-affected="):
            number = token.removeprefix("max-affected=").strip()
            if not affected_seen and number.removeprefix("-").isdecimal():
                found["max_affected"] = int(number)
            affected_seen = True
        else:
            invalid.append(token)
    return Preferences(**found, invalid=tuple(invalid))


def applied(preferences: Preferences, kinds: Iterable[str]) -> bytes | None:
    """Preference-Applied for the kinds that were honoured, or None."""
    shown = []
    wanted = frozenset(kinds)
    for kind, name in _NAMES.items():
        if kind not in wanted:
            continue
        value = getattr(preferences, kind)
        if value is None or (kind == "max_affected" and not preferences.strict):
            continue
        shown.append(f"{name}={value}")
    return ", ".join(shown).encode("latin-1", "replace") if shown else None
