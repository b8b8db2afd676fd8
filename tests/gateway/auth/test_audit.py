"""The audit log: every success and failure, with origin and request id; append-only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gateway.database import DatabaseError, SyncConnection
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth

Step = Callable[[Auth, dict[str, Any]], Awaitable[Any]]
NOBODY = "4f9c0f2e-5d0f-4b0e-9f11-0b8b7d1e2a3c"

# step: (action, outcome, error code)
STEPS: dict[str, tuple[Step, str, str, str | None]] = {
    "sign-in": (lambda a, s: a.password(), "login", "success", None),
    "wrong password": (lambda a, s: a.password(password="wrong"), "login", "failure", "invalid_credentials"),
    "unknown user": (lambda a, s: a.password("no@example.com"), "login", "failure", "invalid_credentials"),
    "broken body": (
        lambda a, s: a.call("POST", "/token?grant_type=password", raw=b"{"), "login", "failure", "bad_json",
    ),
    "refresh": (lambda a, s: a.refresh(s["refresh_token"]), "token_refreshed", "success", None),
    "bad refresh": (lambda a, s: a.refresh("k3v9x0q2m7ab"), "login", "failure", "refresh_token_not_found"),
    "sign-up refused": (
        lambda a, s: a.call("POST", "/signup", {"email": "x@y.co", "password": PASSWORD}),
        "user_signedup", "failure", "signup_disabled",
    ),
    "recovery": (
        lambda a, s: a.call("POST", "/recover", {"email": "ada@example.com"}),
        "user_recovery_requested", "success", None,
    ),
    "recovery of nobody": (
        lambda a, s: a.call("POST", "/recover", {"email": "no@example.com"}),
        "user_recovery_requested", "failure", "user_not_found",
    ),
    "bad link": (lambda a, s: a.call("GET", "/verify?type=recovery&token=x"), "login", "failure", "otp_expired"),
    "bad code": (
        lambda a, s: a.call("POST", "/verify", {"type": "email", "email": "ada@example.com", "token": "000000"}),
        "login", "failure", "otp_expired",
    ),
    "metadata": (
        lambda a, s: a.call("PUT", "/user", {"data": {"x": 1}}, token=s["access_token"]),
        "user_modified", "success", None,
    ),
    "weak password": (
        lambda a, s: a.call("PUT", "/user", {"password": "x"}, token=s["access_token"]),
        "user_modified", "failure", "weak_password",
    ),
    "a factor": (
        lambda a, s: a.call("POST", "/factors", {"factor_type": "totp"}, token=s["access_token"]),
        "factor_in_progress", "success", None,
    ),
    "sign-out": (lambda a, s: a.call("POST", "/logout", token=s["access_token"]), "logout", "success", None),
    "sign-out without a token": (lambda a, s: a.call("POST", "/logout"), "logout", "failure", "no_authorization"),
    "admin makes a user": (lambda a, s: a.create("new@example.com"), "user_signedup", "success", None),
    "admin changes a user": (
        lambda a, s: a.admin("PUT", f"/admin/users/{s['user']['id']}", {"ban_duration": "1h"}),
        "user_modified", "success", None,
    ),
    "admin deletes a user": (
        lambda a, s: a.admin("DELETE", f"/admin/users/{s['user']['id']}"), "user_deleted", "success", None,
    ),
    "admin deletes nobody": (
        lambda a, s: a.admin("DELETE", f"/admin/users/{NOBODY}"), "user_deleted", "failure", "user_not_found",
    ),
    "admin invites": (
        lambda a, s: a.admin("POST", "/invite", {"email": "new@example.com"}), "user_invited", "success", None,
    ),
    "admin makes a link": (
        lambda a, s: a.admin("POST", "/admin/generate_link", {"type": "recovery", "email": "ada@example.com"}),
        "link_generated", "success", None,
    ),
    "not an admin": (
        lambda a, s: a.call("POST", "/admin/users", {}, token=s["access_token"]),
        "user_signedup", "failure", "not_admin",
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", STEPS)
def test_promise_38_one_row_with_address_and_request_id(with_auth: WithAuth, title: str) -> None:
    step, action, outcome, code = STEPS[title]

    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        before = len(auth.audit())
        await step(auth, session)
        (row,) = auth.audit()[before:]
        assert (row["action"], row["outcome"], row.get("error_code")) == (action, outcome, code)
        assert (row["ip"], row["request_id"], row["user_agent"]) == ("203.0.113.5", "request-1", "tests")
        secrets = (session["access_token"], session["refresh_token"], PASSWORD, auth.keys.secret_key)
        assert not any(secret in str(row) for secret in secrets)

    with_auth(scenario)


@pytest.mark.parametrize("role", ["service_role", "supabase_auth_admin", "superuser"])
@pytest.mark.parametrize(
    "sql",
    [
        "update auth.audit_log_entries set payload = '{}'",
        "delete from auth.audit_log_entries",
        "truncate auth.audit_log_entries",
    ],
)
def test_promise_38_rows_cannot_be_changed_or_deleted(connection: SyncConnection, role: str, sql: str) -> None:
    connection.script("insert into auth.audit_log_entries (id, payload) values (gen_random_uuid(), '{}')")
    if role != "superuser":
        connection.script(f"set role {role}")
    with pytest.raises(DatabaseError) as refused:
        connection.script(sql)
    assert refused.value.sqlstate == "42501"
    connection.script("reset role")
    assert connection.rows("select count(*) from auth.audit_log_entries") == [("1",)]


def test_failure_of_sign_in_names_the_account_that_was_tried(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.password("target@example.com")
        (row,) = auth.audit()
        assert row["actor_username"] == "target@example.com"
        assert row["actor_id"] == "00000000-0000-0000-0000-000000000000"

    with_auth(scenario)
