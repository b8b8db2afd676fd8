"""The audit log: one row for each success and each failure, with address, agent and request id; never changed.

The payload is the original's, with `outcome`, `error_code`, `request_id` and `user_agent` added.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.auth.store.users import NO_INSTANCE
from gateway.auth.types import moment_of
from gateway.database.statement import Statement

LOG_TYPES: Final[Mapping[str, str]] = {
    "login": "account",
    "logout": "account",
    "invite_accepted": "account",
    "user_signedup": "team",
    "user_invited": "team",
    "user_deleted": "team",
    "user_modified": "user",
    "user_recovery_requested": "user",
    "user_reauthenticate_requested": "user",
    "user_confirmation_requested": "user",
    "user_repeated_signup": "user",
    "user_updated_password": "user",
    "token_revoked": "token",
    "token_refreshed": "token",
    "token_reused": "token",
    "factor_in_progress": "factor",
    "factor_unenrolled": "factor",
    "challenge_created": "factor",
    "verification_attempted": "factor",
    "factor_deleted": "factor",
    "factor_updated": "factor",
    "identity_linked": "user",
    "identity_unlinked": "user",
    "link_generated": "team",
    "role_granted": "team",
    "role_revoked": "team",
    "key_created": "team",
    "key_rotated": "team",
    "key_revoked": "team",
    "database_restored": "team",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from."""

    address: str | None = None
    agent: str | None = None
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a user, an API key, or whoever gave a name that may not exist."""

    id: str = NO_INSTANCE
    name: str = ""
    via_sso: bool = False


def record(
    action: str,
    actor: Actor,
    origin: Origin,
    now: float,
    *,
    outcome: str = "success",
    error_code: str | None = None,
    traits: Mapping[str, Any] | None = None,
) -> Statement:
    """A row of the log. `traits` say what was done to whom and hold no secrets."""
    payload: dict[str, Any] = {
        "actor_id": actor.id,
        "actor_username": actor.name[:320],
        "actor_via_sso": actor.via_sso,
        "action": action,
        "log_type": LOG_TYPES.get(action, "account"),
        "outcome": outcome,
        "request_id": origin.request_id,
        "user_agent": (origin.agent or "")[:500],
    }
    if error_code is not None:
        payload["error_code"] = error_code
    if traits:
        payload["traits"] = dict(traits)
    text = orjson.dumps(payload).decode()
    return Statement(
        "insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)"
        " values ($1, $2, $3, $4, $5)",
        (NO_INSTANCE, str(uuid.uuid4()), text, moment_of(now).isoformat(), origin.address or ""),
    )
