"""What the tests of the application's functions share: calling one over a live gateway, and its caught mails."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.fixtures.server import LiveGateway

LIMIT = 60.0  # seconds; generous, nothing is measured here


def invoke(gateway: LiveGateway, name: str, body: Any, key: str | None = None) -> httpx.Response:
    """Call a function as the site does: signed out, with the publishable key."""
    headers = {"apikey": gateway.publishable_key, "authorization": f"Bearer {gateway.publishable_key}"}
    if key is not None:
        headers["idempotency-key"] = key
    url = f"{gateway.url}/functions/v1/{name}"
    return httpx.post(url, json=body, headers=headers, timeout=LIMIT, trust_env=False)


def mails(gateway: LiveGateway) -> list[dict[str, Any]]:
    """Mails in the trap, newest first."""
    headers = {"apikey": gateway.trap_key}
    address = f"{gateway.url}/_mail/messages.json"
    found: list[dict[str, Any]] = httpx.get(address, headers=headers, trust_env=False).json()
    return found


def wait_for(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
