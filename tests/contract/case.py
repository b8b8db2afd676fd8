"""One request and the reply it must get, as data."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

UNSET: Final = object()

OBJECT: Final = {"Accept": "application/vnd.pgrst.object+json"}
CSV: Final = {"Accept": "text/csv"}
RETURN: Final = {"Prefer": "return=representation"}


@dataclass(frozen=True)
class Case:
    """A row. What is left out is not looked at; an `error` lists the members of the envelope that matter."""

    title: str
    request: str
    status: int = 200
    json: Any = UNSET
    text: str | None = None
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    """Of the reply; None for one that must not be there."""
    send: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Text and bytes are sent as they are, anything else as JSON."""
    role: str | None = None
    claims: Mapping[str, Any] = field(default_factory=dict)
    """A token is signed when there is a role or a claim."""
    profile: str = "open"

    @property
    def method(self) -> str:
        return self.request.split(" ", 1)[0]

    @property
    def target(self) -> str:
        """Path and query; what a URL cannot hold is percent-encoded, what is encoded stays."""
        return quote(self.request.split(" ", 1)[1], safe="/?&=!*'(),:;@+$%-._~[]")

    @property
    def content(self) -> bytes | None:
        if self.body is None or isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else json_module.dumps(self.body).encode()


def ids(title: str, table: str, query: str, expected: list[int], **more: Any) -> Case:
    """A read that is told apart by the ids it finds."""
    return Case(title, f"GET /{table}?select=id&order=id&{query}", json=[{"id": n} for n in expected], **more)


def refused(title: str, request: str, status: int, code: str, **more: Any) -> Case:
    """A request that fails; `message`, `details` and `hint` are compared where given."""
    error = {"code": code} | {key: more.pop(key) for key in ("message", "details", "hint") if key in more}
    return Case(title, request, status=status, error=error, **more)
