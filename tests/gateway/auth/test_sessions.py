"""What a presented refresh token is worth, over the whole table of what may be stored, to the second."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime

import pytest

from gateway.auth import errors
from gateway.auth.flows.rotation import Policy, RefreshOutcome, check, decide_counter, decide_row
from gateway.auth.types import Session, TableToken, User, moment_of

NOW = 1_000_000.0
AGES = (None, -5.0, 0.0, 9.5, 10.0, 10.5, 1000.0)  # seconds since a token was replaced
POLICIES = [
    Policy(rotation=rotation, allow_reuse=allow, reuse_interval=interval)
    for rotation, allow, interval in itertools.product((True, False), (True, False), (0, 10))
]


def at(age: float | None) -> datetime | None:
    return None if age is None else moment_of(NOW - age)


def spent(policy: Policy) -> RefreshOutcome:
    """What comes of a token that may not be used again."""
    return RefreshOutcome.REUSED if policy.rotation else RefreshOutcome.REFUSED


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("distance", [-2, -1, 0, 1, 2, 50])
def test_the_distance_of_counters_decides(distance: int, age: float | None, policy: Policy) -> None:
    found = decide_counter(100, 100 - distance, at(age), NOW, policy)
    recent = age is not None and policy.reuse_interval > 0 and age <= policy.reuse_interval
    if distance < 0:
        assert (found.outcome, found.causes) == (RefreshOutcome.FOREIGN, ())
    elif distance == 0:
        assert (found.outcome, found.causes) == (RefreshOutcome.ROTATE, ())
    else:
        causes = ["fail-to-save"] * (recent and distance == 1) + ["concurrent-refresh"] * recent
        causes += ["always-allow"] * policy.allow_reuse
        assert found.causes == tuple(causes)
        assert found.outcome is (RefreshOutcome.REPEAT if causes else spent(policy))


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("active", [None, "its successor", "another's successor"])
@pytest.mark.parametrize("revoked", [True, False])
def test_the_rows_of_table_tokens_decide(revoked: bool, active: str | None, age: float | None, policy: Policy) -> None:
    row = TableToken(1, "token", None, revoked, at(age))
    parent = {"its successor": "token", "another's successor": "other"}.get(active or "")
    found = decide_row(row, TableToken(2, "new", parent, False, None) if active else None, NOW, policy)
    recent = active is not None and age is not None and policy.reuse_interval > 0 and age <= policy.reuse_interval
    if not revoked:
        assert (found.outcome, found.causes) == (RefreshOutcome.ROTATE, ())
    elif recent and active == "its successor":
        assert (found.outcome, found.causes) == (RefreshOutcome.REPEAT, ("fail-to-save",))
    elif recent:
        assert (found.outcome, found.causes) == (RefreshOutcome.FURTHER, ("concurrent-refresh",))
    elif policy.allow_reuse:
        assert (found.outcome, found.causes) == (RefreshOutcome.FURTHER, ("always-allow",))
    else:
        assert (found.outcome, found.causes) == (spent(policy), ())


class Person:
    """As much of a user as a session's end depends on."""

    def __init__(self, has_verified_factor: bool = False, banned: bool = False) -> None:
        self.has_verified_factor, self._banned = has_verified_factor, banned

    def is_banned(self, now: float) -> bool:
        assert now == NOW
        return self._banned


def ended(
    policy: Policy,
    *,
    age: float = 0,
    idle: float | None = None,
    left: float | None = None,
    aal: str = "aal1",
    person: Person | None = None,
    has_newer: bool = False,
) -> object:
    """Why a session that began and was refreshed so many seconds ago may not be refreshed."""
    session = Session("s", "u", aal, (), moment_of(NOW - age), at(idle), None, None, None, None, None, None, None)
    if left is not None:
        session = replace(session, not_after=moment_of(NOW + left))
    user: User = person or Person()  # type: ignore[assignment]
    return check(session, user, NOW, policy, has_newer)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(ended(Policy(), age=1e6, idle=None, has_newer=True), None, id="without limits none ends"),
        pytest.param(ended(Policy(), person=Person(banned=True)), errors.REFRESH_BANNED, id="banned"),
        pytest.param(ended(Policy(), left=0.5), None, id="before its own end"),
        pytest.param(ended(Policy(), left=0), None, id="at its own end"),
        pytest.param(ended(Policy(), left=-0.5), errors.REFRESH_EXPIRED, id="after its own end"),
        pytest.param(ended(Policy(timebox=1), age=1), None, id="at the end of the time box"),
        pytest.param(ended(Policy(timebox=1), age=1.5), errors.REFRESH_EXPIRED, id="after the time box"),
        pytest.param(ended(Policy(inactivity=1), age=9, idle=1), None, id="active"),
        pytest.param(ended(Policy(inactivity=1), age=9, idle=1.5), errors.REFRESH_INACTIVE, id="inactive"),
        pytest.param(ended(Policy(inactivity=1), age=1.5), errors.REFRESH_INACTIVE, id="never refreshed"),
        pytest.param(ended(Policy(inactivity=1), age=1), None, id="never refreshed, young"),
        pytest.param(ended(Policy(low_aal=1), age=9), None, id="without a factor"),
        pytest.param(ended(Policy(low_aal=1), age=1, person=Person(True)), None, id="time left for the factor"),
        pytest.param(
            ended(Policy(low_aal=1), age=1.5, person=Person(True)), errors.REFRESH_LOW_AAL, id="factor not asked"
        ),
        pytest.param(ended(Policy(low_aal=1), age=9, aal="aal2", person=Person(True)), None, id="factor asked"),
        pytest.param(ended(Policy(low_aal=0), age=9, person=Person(True)), None, id="a factor is not asked for"),
        pytest.param(ended(Policy(single_per_user=True)), None, id="the newest"),
        pytest.param(ended(Policy(single_per_user=True), has_newer=True), errors.REFRESH_NEWER_LOGIN, id="an older"),
    ],
)
def test_a_session_ends_by_its_limits_and_no_sooner(found: object, expected: object) -> None:
    assert found is expected


def test_what_is_asked_for_unless_settings_say_otherwise() -> None:
    assert Policy() == Policy(True, 10, False, 0, 0, 0, False)
