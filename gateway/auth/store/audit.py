"""The audit log: one row for each success and each failure, with address, agent and request id; never changed.

The payload is the original's, with `outcome`, `error_code`, `request_id` and `user_agent` added.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.auth.store.tables import AUDIT_LOG, NO_INSTANCE, insert_row
from gateway.auth.types import moment_of
from gateway.database.sql import parameter, select_from, sql, template
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
    "passkey_created": "user",
    "passkey_updated": "user",
    "passkey_deleted": "user",
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


_INSERT: Final = template(insert_row(AUDIT_LOG, "instance_id", "id", "payload", "created_at", "ip_address"))


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
    return _INSERT.fill(
        instance_id=NO_INSTANCE,
        id=str(uuid.uuid4()),
        payload=text,
        created_at=moment_of(now).isoformat(),
        ip_address=origin.address or "",
    )


_E: Final = AUDIT_LOG.as_("e")
_ASKED_FOR: Final = sql(
    "(", parameter("words"), " = '' or e.payload ->> ", parameter("field"), " ilike '%' || ", parameter("words"),
    " || '%')",
)  # fmt: skip
_DOCUMENT: Final = sql(
    "jsonb_build_object('id', e.id, 'payload', e.payload, 'created_at', e.created_at, 'ip_address', e.ip_address)"
)
_PAGE: Final = template(
    sql(
        select_from(_E).select(_DOCUMENT).where(_ASKED_FOR),
        " order by e.created_at desc, e.id limit ",
        parameter("limit"),
        "::bigint offset ",
        parameter("offset"),
        "::bigint",
    )
)
_COUNT: Final = template(select_from(_E).select(sql("count(*)")).where(_ASKED_FOR))


def page(field: str, words: str, limit: int, offset: int) -> tuple[Statement, Statement]:
    """Statements for one page of the log, newest first, and for how many rows there are: those whose payload has words
    in a field. `words` may be empty."""
    return (
        _PAGE.fill(field=field, words=words, limit=str(limit), offset=str(offset)),
        _COUNT.fill(field=field, words=words),
    )
