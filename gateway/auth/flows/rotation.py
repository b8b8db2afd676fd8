"""Refresh rotation and reuse as pure decisions over rows: what was presented, what is stored, what the time is.

Two schemes live side by side. Counter tokens (the default) name a counter of their session; table tokens (the
original's first version, and rows restored from a hosted project) are rows that point at the row they replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from gateway.auth import errors
from gateway.auth.types import Session, TableToken, User
from gateway.errors import ErrorRow


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits of sessions, in seconds; 0 is no limit."""

    rotation: bool = True
    reuse_interval: float = 10
    allow_reuse: bool = False
    timebox: float = 0
    inactivity: float = 0
    low_aal: float = 0
    single_per_user: bool = False


class RefreshOutcome(Enum):
    """What to do with a presented refresh token."""

    ROTATE = "its successor is made"
    REPEAT = "the current token is returned once more"
    FURTHER = "a further token is made beside the current one"
    REUSED = "it was stolen or copied: the session ends"
    REFUSED = "it was used before; nothing else changes"
    FOREIGN = "this server cannot have made it"


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome and, for a repeat, why it is allowed (sent as a response header)."""

    outcome: RefreshOutcome
    causes: tuple[str, ...] = ()


def check(session: Session, user: User, now: float, policy: Policy, has_newer: bool) -> ErrorRow | None:
    """Why a session may no longer be refreshed, or None."""
    if user.is_banned(now):
        return errors.REFRESH_BANNED
    age = now - session.created_at.timestamp()
    if session.not_after is not None and now > session.not_after.timestamp():
        return errors.REFRESH_EXPIRED
    if policy.timebox and age > policy.timebox:
        return errors.REFRESH_EXPIRED
    if policy.inactivity and now - session.active_at.timestamp() > policy.inactivity:
        return errors.REFRESH_INACTIVE
    if policy.low_aal and user.has_verified_factor and session.aal == "aal1" and age > policy.low_aal:
        return errors.REFRESH_LOW_AAL
    if policy.single_per_user and has_newer:
        return errors.REFRESH_NEWER_LOGIN
    return None


def decide_counter(stored: int, presented: int, refreshed_at: datetime | None, now: float, policy: Policy) -> Decision:
    """What a counter token is worth: its distance from the session's counter decides."""
    distance = stored - presented
    if distance < 0:
        return Decision(RefreshOutcome.FOREIGN)
    if distance == 0:
        return Decision(RefreshOutcome.ROTATE)
    recent = _is_recent(refreshed_at, now, policy)
    named = (
        ("fail-to-save", distance == 1 and recent),
        ("concurrent-refresh", recent),
        ("always-allow", policy.allow_reuse),
    )
    causes = tuple(cause for cause, holds in named if holds)
    if causes:
        return Decision(RefreshOutcome.REPEAT, causes)
    return Decision(RefreshOutcome.REUSED if policy.rotation else RefreshOutcome.REFUSED)


def _is_recent(replaced_at: datetime | None, now: float, policy: Policy) -> bool:
    """Whether a token was replaced so lately that its client may not have heard of it. Without this end the token
    before the current one would be as good as the current one, for as long as nobody refreshes."""
    if replaced_at is None or not policy.reuse_interval:
        return False
    return now - replaced_at.timestamp() <= policy.reuse_interval


def decide_row(row: TableToken, active: TableToken | None, now: float, policy: Policy) -> Decision:
    """What a table token is worth; `active` is the newest unrevoked row of its session."""
    if not row.revoked:
        return Decision(RefreshOutcome.ROTATE)
    # Without an active token the session's tokens were all revoked, as they are when one was stolen.
    recent = active is not None and _is_recent(row.updated_at, now, policy)
    if recent and active is not None and active.parent == row.token:
        return Decision(RefreshOutcome.REPEAT, ("fail-to-save",))
    if recent:
        return Decision(RefreshOutcome.FURTHER, ("concurrent-refresh",))
    if policy.allow_reuse:
        return Decision(RefreshOutcome.FURTHER, ("always-allow",))
    return Decision(RefreshOutcome.REUSED if policy.rotation else RefreshOutcome.REFUSED)
