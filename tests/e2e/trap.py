"""Reads the mail trap."""

from __future__ import annotations

import time
from typing import Any

import httpx

from tests.fixtures.server import LiveGateway

LIMIT = 60.0  # seconds; a mail takes one or two
PAUSE = 0.1


def caught(site: LiveGateway, to: str) -> list[dict[str, Any]]:
    """Mails to one address, oldest first."""
    mails: list[dict[str, Any]] = (
        httpx.get(f"{site.url}/_mail/messages.json", headers={"apikey": site.trap_key}).raise_for_status().json()
    )
    return [mail for mail in reversed(mails) if to in mail["to"]]


def expect_mail(site: LiveGateway, to: str, subject: str) -> dict[str, Any]:
    """The mail with this subject, once it has arrived; there must be one only."""
    deadline = time.monotonic() + LIMIT
    while True:
        found = [mail for mail in caught(site, to) if mail["subject"] == subject]
        if found:
            assert len(found) == 1
            return found[0]
        if time.monotonic() > deadline:
            raise AssertionError(f"no mail {subject!r} to {to}; there are {[m['subject'] for m in caught(site, to)]}")
        time.sleep(PAUSE)
