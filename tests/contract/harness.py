"""Sends a case and holds the reply against it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import httpx
import jwt

from tests.contract.case import UNSET, Case

SECRET = "a secret of the contract's own, long enough for HS256"
ENVELOPE = {"code", "details", "hint", "message"}


@dataclass(frozen=True)
class Service:
    """Where the tables API is, without a trailing slash, and how it finds the role in a token."""

    url: str
    client: httpx.Client
    role_claim: tuple[str, ...] = ("role",)

    def send(self, case: Case) -> httpx.Response:
        headers = {"Accept": "*/*", **case.send}
        if case.body is not None and not isinstance(case.body, bytes):
            headers.setdefault("Content-Type", "application/json")
        if case.role is not None or case.claims:
            headers["Authorization"] = f"Bearer {self.token(case.role, **case.claims)}"
        url = httpx.URL(self.url)
        url = url.copy_with(raw_path=url.raw_path.rstrip(b"/") + case.target.encode("ascii"))
        encoded = {name.encode(): value.encode() for name, value in headers.items()}
        return self.client.request(case.method, url, headers=encoded, content=case.content)

    def token(self, role: str | None, **claims: Any) -> str:
        """A signed token; `role` goes where this service looks for it."""
        content: dict[str, Any] = {"exp": int(time.time()) + 3600, **claims}
        if role is not None:
            place = content
            for key in self.role_claim[:-1]:
                place = place.setdefault(key, {})
            key = self.role_claim[-1]
            place[key] = ["others", role] if key == "roles" else role
        return jwt.encode(content, SECRET, algorithm="HS256")


def check(case: Case, response: httpx.Response) -> None:
    """Raises AssertionError that shows the whole reply."""
    shown = f"\n{case.request}\n{response.status_code} {dict(response.headers)}\n{response.text[:2000]}"
    assert response.status_code == case.status, shown
    if case.error is not None:
        envelope = response.json()
        assert set(envelope) == ENVELOPE, shown
        assert {key: envelope[key] for key in case.error} == dict(case.error), shown
        assert response.headers["content-type"] == "application/json; charset=utf-8", shown
    if case.json is not UNSET:
        assert json.loads(response.text) == case.json, shown
    if case.text is not None:
        assert response.text == case.text, shown
    for name, value in case.headers.items():
        assert response.headers.get(name) == value, f"{name}: {shown}"
    if "content-length" in response.headers and case.method != "HEAD":
        assert int(response.headers["content-length"]) == len(response.content), shown
