"""The catalogue of errors: complete, fillable, each live code raised somewhere."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import pytest

import gateway.auth as auth_package
from gateway.auth import errors
from gateway.auth.flows.rotation import Policy, decide_counter
from gateway.errors import ApiError, ErrorRow

ROWS = {name: row for name, row in vars(errors).items() if isinstance(row, ErrorRow)}
SOURCES = "".join(
    path.read_text() for path in Path(auth_package.__file__).parent.rglob("*.py") if path.name != "errors.py"
)

DOCUMENTED = [
    "unexpected_failure",
    "validation_failed",
    "bad_json",
    "email_exists",
    "phone_exists",
    "bad_jwt",
    "not_admin",
    "no_authorization",
    "user_not_found",
    "session_not_found",
    "session_expired",
    "refresh_token_not_found",
    "refresh_token_already_used",
    "flow_state_not_found",
    "flow_state_expired",
    "flow_state_already_used",
    "signup_disabled",
    "user_banned",
    "email_provider_disabled",
    "phone_provider_disabled",
    "anonymous_provider_disabled",
    "unexpected_audience",
    "single_identity_not_deletable",
    "email_conflict_identity_not_deletable",
    "identity_already_exists",
    "too_many_enrolled_mfa_factors",
    "mfa_factor_name_conflict",
    "mfa_factor_not_found",
    "mfa_challenge_expired",
    "mfa_verification_failed",
    "mfa_verification_rejected",
    "mfa_ip_address_mismatch",
    "captcha_failed",
    "manual_linking_disabled",
    "email_not_confirmed",
    "phone_not_confirmed",
    "user_already_exists",
    "conflict",
    "user_sso_managed",
    "reauthentication_needed",
    "reauthentication_not_valid",
    "same_password",
    "current_password_required",
    "current_password_invalid",
    "otp_expired",
    "otp_disabled",
    "identity_not_found",
    "weak_password",
    "over_request_rate_limit",
    "over_email_send_rate_limit",
    "over_sms_send_rate_limit",
    "bad_code_verifier",
    "hook_timeout",
    "hook_timeout_after_retry",
    "hook_payload_over_size_limit",
    "hook_payload_invalid_content_type",
    "request_timeout",
    "invalid_credentials",
    "email_address_not_authorized",
    "email_address_invalid",
    "request_entity_too_large",
    "feature_disabled",
    "insufficient_aal",
    "mfa_phone_enroll_not_enabled",
    "mfa_phone_verify_not_enabled",
    "mfa_totp_enroll_not_enabled",
    "mfa_totp_verify_not_enabled",
    "mfa_webauthn_enroll_not_enabled",
    "mfa_webauthn_verify_not_enabled",
    "mfa_verified_factor_exists",
    "sms_send_failed",
]


@pytest.mark.parametrize("code", DOCUMENTED)
def test_documented_code_has_a_row_or_is_reserved(code: str) -> None:
    assert code in {row.code for row in ROWS.values()} or code in errors.RESERVED_CODES


def test_rows_of_one_code_differ_and_reserved_codes_have_none() -> None:
    shown = [(row.code, row.status, row.message) for row in ROWS.values()]
    assert len(set(shown)) == len(shown)
    assert {row.code for row in ROWS.values()}.isdisjoint(errors.RESERVED_CODES)


@pytest.mark.parametrize("name", ROWS)
def test_row_can_be_filled_and_rendered_in_both_bodies(name: str) -> None:
    row = ROWS[name]
    fields = {field for _, field, _, _ in string.Formatter().parse(row.message) if field}
    filled: dict[str, Any] = dict.fromkeys(fields, "x")
    error = ApiError(row, **filled)
    for dated in (True, False):
        response = errors.render_error(error, dated)
        assert response.status == row.status
        assert row.code.encode() in response.body


def test_every_row_is_raised_somewhere() -> None:
    used = set(re.findall(r"errors\.([A-Z][A-Z0-9_]+)", SOURCES)) | set(
        re.findall(r"ApiError\(([A-Z_]+)", Path(errors.__file__).read_text())
    )
    assert set(ROWS) - used == set()


def test_server_failure_carries_the_request_id() -> None:
    response = errors.render_error(ApiError(errors.UNEXPECTED_FAILURE), dated=False, request_id="abc")
    assert b'"error_id":"abc"' in response.body


@pytest.mark.parametrize(
    ("stored", "presented", "age", "outcome"),
    [
        (5, 5, 0, "ROTATE"),
        (5, 5, 99, "ROTATE"),
        (5, 4, 10, "REPEAT"),
        (5, 4, 11, "REUSED"),
        (5, 3, 9, "REPEAT"),
        (5, 3, 11, "REUSED"),
        (5, 0, 11, "REUSED"),
        (5, 6, 0, "FOREIGN"),
    ],
)
def test_distance_of_counters_decides(stored: int, presented: int, age: float, outcome: str) -> None:
    from gateway.auth.types import moment_of

    decision = decide_counter(stored, presented, moment_of(1000.0), 1000.0 + age, Policy())
    assert decision.outcome.name == outcome
