"""The official JavaScript client, unmodified, makes every call of the site against the whole product."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, LiveGateway

PASSWORD = "granite-and-harbour-light-9"


@pytest.fixture(scope="module")
def outcome(site: LiveGateway) -> dict[str, Any]:
    """What the script saw."""
    email = f"official-{uuid.uuid4().hex[:8]}@umw.example"
    for command, text in (
        (("users", "create", email, "--password-stdin"), PASSWORD),
        (("users", "grant", email, "admin"), ""),
    ):
        done = site.command(*command, input=text)
        assert done.returncode == 0, done.stderr
    script = Path(__file__).with_name("supabase_js.mjs")
    arguments = [site.url, site.publishable_key, email, PASSWORD, str(ROOT / "supabase-compat")]
    done = subprocess.run(["node", str(script), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**seen, "email": email}


def test_the_list_is_filtered_counted_and_paged(outcome: dict[str, Any]) -> None:
    found = outcome["list"]
    assert (found["error"], found["rows"]) == (None, 2)
    assert found["count"] > 2 and found["status"] == 206
    assert all("Compliance" in tags for tags in found["tags"])


def test_a_missing_article_is_pgrst116(outcome: dict[str, Any]) -> None:
    assert outcome["missing"] == {"code": "PGRST116", "status": 406}


def test_the_anonymous_role_writes_nothing_and_reads_no_lead(outcome: dict[str, Any]) -> None:
    for attempt in ("denied", "leads", "untouched"):
        assert outcome[attempt] == {"code": "42501", "status": 401}, attempt


def test_signing_in_needs_the_right_password_and_refreshing_rotates(outcome: dict[str, Any]) -> None:
    assert outcome["wrong"] == {"code": "invalid_credentials", "message": "Invalid login credentials", "status": 400}
    assert outcome["signedIn"] == {"email": outcome["email"], "error": None}
    assert outcome["refreshed"] == {"rotated": True, "error": None}
    assert outcome["role"] == {"role": "admin"}


def test_an_administrator_writes_cleaned_html_and_publishes(outcome: dict[str, Any]) -> None:
    assert outcome["inserted"] == {"status": 201, "content": "<p>Hello</p>", "published": False, "error": None}
    assert outcome["hidden"] == 0
    assert outcome["updated"] == [{"published": True}]
    assert outcome["shown"] is True
    assert (outcome["deleted"], outcome["gone"]) == (204, [])


def test_functions_answer_and_fail_in_the_clients_terms(outcome: dict[str, Any], site: LiveGateway) -> None:
    assert outcome["invoked"] == {"data": {"ok": True}, "error": None}
    assert outcome["refused"] == {"name": "FunctionsHttpError", "ok": False}
    assert outcome["absent"]["status"] == 404
    with SyncConnection(site.database_url) as rows:
        kept = rows.rows(
            "select first_name from public.newsletter_subscriptions where email = $1", outcome["subscriber"]
        )
    assert kept == [("Ada",)]


def test_signing_out_ends_the_session(outcome: dict[str, Any]) -> None:
    assert outcome["ended"] == {"error": None, "session": None}
