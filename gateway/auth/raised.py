"""What is answered when the database refuses a step: above all what triggers of the application raise.

The step that failed names the failure (contract section 18). Clients that send a dated API version learn no more than
that. Older ones are told the application's own words where the SQLSTATE says that they are meant to be read: an
exception that was raised, a broken rule of integrity, or `PTnnn`, which sets the status, too. The operator's log has
them always.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from gateway.auth import errors
from gateway.auth.store.violations import step_of
from gateway.database import DatabaseError
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

RAISED: Final = "P0001"
_INTEGRITY: Final = frozenset({"23000", "23001", "23502", "23503", "23505", "23514", "23P01"})
_PICKED: Final = re.compile(r"PT([0-9]{3})")
# A body cannot go with these, and what is below 200 is no answer.
_BODILESS: Final = frozenset({204, 205, 304})


@dataclass(frozen=True, slots=True)
class Step:
    """How a step is called when it fails; whether the database's own words may be told."""

    text: str
    public: bool = True


SAVING: Final = Step("Database error saving new user")
CREATING: Final = Step("Database error creating new user")
UPDATING: Final = Step("Error updating user")
CONFIRMING: Final = Step("Error confirming user")
GRANTING: Final = Step("Database error granting user")
ANONYMOUS: Final = "anonymous sign-in"  # a place by itself on the route of all sign-ups

_STEPS: Final[Mapping[tuple[str, str], Step]] = {
    ("insert", "users"): SAVING,
    ("insert", "identities"): Step("Error creating identity"),
    ("insert", "sessions"): GRANTING,
    ("insert", "refresh_tokens"): GRANTING,
    ("insert", "mfa_amr_claims"): GRANTING,
    ("sign in", "users"): Step("Database error updating user's last_sign_in_at"),
    ("delete", "users"): Step("Database error deleting user"),
}
# Places that call a step otherwise. Where the original wraps an error twice, its words are told to nobody.
_PLACES: Final[Mapping[tuple[str, str, str], Step]] = {
    ("POST /admin/users", "insert", "users"): CREATING,
    ("POST /admin/users", "insert", "identities"): replace(CREATING, public=False),
    (ANONYMOUS, "insert", "users"): Step("Database error creating anonymous user", public=False),
    ("PUT /user", "update", "users"): UPDATING,
    ("PUT /admin/users/{user_id}", "update", "users"): UPDATING,
    ("GET /verify", "update", "users"): CONFIRMING,
    ("POST /verify", "update", "users"): CONFIRMING,
}


@dataclass(frozen=True, slots=True)
class Words:
    """What the database said, for those who may read it."""

    status: int
    code: str
    message: str
    hint: str | None
    detail: str | None

    @property
    def body(self) -> dict[str, str]:
        more = {"hint": self.hint, "detail": self.detail}
        return {"code": self.code, "message": self.message, **{name: text for name, text in more.items() if text}}


class RefusedByDatabase(ApiError):
    """A step that failed. `words` are for clients of the older API version; `wrapped`: the step has a name."""

    def __init__(self, step: Step | None, words: Words | None) -> None:
        if step is None:
            super().__init__(errors.UNEXPECTED_FAILURE)
        else:
            super().__init__(errors.STEP_FAILED, step=step.text)
        self.wrapped = step is not None
        self.words = words

    def public(self) -> Words | None:
        """The words that the body of an older client has; a step without a name tells them to nobody."""
        return self.words if self.wrapped else None


def failure_of(error: DatabaseError, place: str, request_id: str) -> ApiError:
    """The answer to a step that the database refused in a place (a route's method and path). Logs the cause."""
    step = step_of(error)
    named = None if step is None else _PLACES.get((place, *step)) or _STEPS.get(step)
    if named is None and error.sqlstate in ("55P03", "40001", "40P01"):
        return ApiError(errors.CONFLICT)
    if named is None and error.sqlstate == "57014":
        return ApiError(errors.REQUEST_TIMEOUT)
    log.error("%s, request %s: %s", place, request_id, _told(error))
    words = words_of(error) if named is None or named.public else None
    return RefusedByDatabase(named, words)


def words_of(error: DatabaseError) -> Words | None:
    """The database's own words where they are meant for whoever asked.

    >>> words_of(DatabaseError("PT403", "Not you")).status, words_of(DatabaseError("42501", "no"))
    (403, None)
    """
    picked = _PICKED.fullmatch(error.sqlstate)
    if picked is None and error.sqlstate != RAISED and error.sqlstate not in _INTEGRITY:
        return None
    status = 500 if picked is None else int(picked[1])
    if status == 0:
        return None
    if not 200 <= status <= 599 or status in _BODILESS:
        status = 500
    return Words(status, error.sqlstate, error.message, error.hint, error.detail)


def _told(error: DatabaseError) -> str:
    """An error for the log: all words of the application's; of a broken rule not its detail, which holds values."""
    parts = [str(error)]
    if error.detail and error.sqlstate not in _INTEGRITY:
        parts.append(f"detail: {error.detail}")
    if error.hint:
        parts.append(f"hint: {error.hint}")
    if error.constraint:
        parts.append(f"constraint {error.constraint} of {error.schema}.{error.table}")
    if error.context:
        parts.append(f"in {error.context}")
    return "; ".join(parts)
