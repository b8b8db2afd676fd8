"""What the gateway is set to: every setting with its value, where that came from and what it does; never a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from inspect import get_annotations
from pathlib import Path
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.http.messages import Response
from gateway.settings import Settings

GROUPS: Final = {
    "ServerSettings": "Server",
    "DatabaseSettings": "Database",
    "TableSettings": "Tables API",
    "AuthSettings": "Authentication",
    "AuthFeatureSettings": "Authentication",
    "MailSettings": "Mail",
    "StorageSettings": "Storage",
    "RealtimeSettings": "Realtime",
    "ServiceSettings": "Services",
    "ConsoleSettings": "Console",
    "OperationsSettings": "Operations",
    "ApplicationSettings": "Functions and site",
}
_PASSWORD: Final = re.compile(r"(?<=://)([^/@\s:]*):[^/@]*@")


def _groups() -> dict[str, str]:
    """Field to its group: that of the class which declares it."""
    found: dict[str, str] = {}
    for kind in reversed(Settings.__mro__):
        group = GROUPS.get(kind.__name__, "Other")
        found.update(dict.fromkeys(get_annotations(kind), group))
    return found


def shown(value: Any) -> str:
    """A value as one would write it, without the password of an address; of a table its names alone, since the
    application's own settings may be secrets.

    >>> shown(("a", "b")), shown(None), shown("pg:" + "//ada:word@host/x")
    ('a,b', '', 'pg://ada:[hidden]@host/x')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list | set | frozenset):
        return ",".join(map(shown, value))
    if isinstance(value, Mapping):
        return ",".join(map(str, value))
    return _PASSWORD.sub(r"\1:[hidden]@", str(value) if isinstance(value, str | int | float | Path) else repr(value))


def described(settings: Settings) -> list[dict[str, Any]]:
    """A row for each variable; `value` is null for a secret, of which only whether it is set is said."""
    groups = _groups()
    return [_row(settings, row, groups) for row in fields(settings) if row.metadata["names"]]


def _row(settings: Settings, row: Field[Any], groups: dict[str, str]) -> dict[str, Any]:
    value = getattr(settings, row.name)
    default = (
        row.default if row.default is not MISSING else row.default_factory() if callable(row.default_factory) else ""
    )
    secret = bool(row.metadata["secret"])
    given = row.name in settings.given
    return {
        "name": row.metadata["names"][0],
        "group": groups.get(row.name, "Other"),
        "value": None if secret else shown(value),
        "default": None if secret else shown(default),
        "set": bool(value) if secret else value != default,
        "from": "environment" if given else "start" if value != default else "default",
        "help": row.metadata["help"],
    }


async def listed(call: ConsoleCall) -> Response:
    return answer_json({"settings": described(call.settings)})


ROUTES: Final = (ConsoleRoute("GET", "/settings", listed),)
