"""The statements of limits, each beside a model of it: every answer over a walk of time, and the rows that are left."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from gateway.auth.store import limits
from gateway.auth.store.limits import (
    FREE_MISSES,
    KNOWN_ADDRESS,
    LONGEST_WAIT,
    MISSES_FORGOTTEN,
    STEPS_AHEAD,
    TokenBucket,
)
from gateway.database import SyncConnection
from gateway.database.statement import Statement
from tests.fixtures.db import Server, clone

NOW = 1_700_000_000.0
BUCKETS = (TokenBucket(1, 0.5), TokenBucket(3, 1), TokenBucket(5, 0.25))
# Among them what meets the bounds exactly; the clock also goes back.
WALK = (0.0, 0.0, 0.25, 1.0, 2.0, 4.0, 8.0, 900.0, 3600.0, 3600.5, 86_400.0, -1.0, -500.0, -100_000.0)


@pytest.fixture(scope="module")
def database(server: Server, template: str) -> Iterator[SyncConnection]:
    """One database for all of them: each leaves rows of one table only."""
    name = f"throttle_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        yield connection
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def throttle(database: SyncConnection) -> SyncConnection:
    database.script("truncate gateway.throttle")
    return database


def holds(connection: SyncConnection, statement: Statement) -> bool:
    return limits.holds(connection.run(statement))


def row(connection: SyncConnection, name: str = "n") -> tuple[float, float, float | None] | None:
    """Level, time and end of the wait of a row, in epoch seconds."""
    found = connection.rows(
        "select level, extract(epoch from updated_at), extract(epoch from blocked_until) from gateway.throttle"
        " where name = $1",
        name,
    )
    if not found:
        return None
    level, at, blocked = found[0]
    return float(level or 0), float(at or 0), None if blocked is None else float(blocked)


@dataclass
class Filled:
    """A bucket as it is meant."""

    bucket: TokenBucket
    level: float
    at: float

    def at_moment(self, now: float) -> float:
        return min(self.bucket.burst, self.level + self.bucket.rate * max(0.0, now - self.at))

    def take(self, now: float) -> bool:
        level = self.at_moment(now)
        if level < 1:
            return False
        self.level, self.at = level - 1, now
        return True


@pytest.mark.parametrize("bucket", BUCKETS, ids=str)
def test_a_bucket_refills_evenly_and_never_over_its_brim(throttle: SyncConnection, bucket: TokenBucket) -> None:
    dice = random.Random(1)
    now, model = NOW, Filled(bucket, bucket.burst, NOW)
    assert not holds(throttle, limits.peek("n", bucket, now)), "nobody asked yet"
    for _ in range(120):
        now += dice.choice(WALK)
        if row(throttle) is not None:
            assert holds(throttle, limits.peek("n", bucket, now)) == (model.at_moment(now) < 1)
        if dice.random() < 0.2 and row(throttle) is not None:
            throttle.run(limits.give_back("n", bucket))
            model.level = min(bucket.burst, model.level + 1)
        else:
            assert holds(throttle, limits.take("n", bucket, now)) == model.take(now)
        found = row(throttle)
        assert found is not None and found[:2] == pytest.approx((model.level, model.at))


def test_a_bucket_is_its_names_alone(throttle: SyncConnection) -> None:
    one = TokenBucket(1, 0.001)
    assert holds(throttle, limits.take("n", one, NOW)) and holds(throttle, limits.take("m", one, NOW))
    throttle.run(limits.give_back("m", one))
    assert holds(throttle, limits.peek("n", one, NOW)) and not holds(throttle, limits.peek("m", one, NOW))


@pytest.mark.parametrize(
    ("count", "seconds", "burst", "expected"),
    [
        (10, 300, None, TokenBucket(10, 10 / 300)),
        (100, 300, None, TokenBucket(30, 100 / 300)),
        (0.5, 300, None, TokenBucket(1, 0.5 / 300)),
        (100, 300, 40, TokenBucket(40, 100 / 300)),
        (100, 300, 0.2, TokenBucket(1, 100 / 300)),
    ],
)
def test_a_rate_has_a_burst(count: float, seconds: float, burst: float | None, expected: TokenBucket) -> None:
    assert limits.per(count, seconds, burst) == expected


def wait_at(level: float) -> float | None:
    """Seconds that the guess which made a level makes the next one wait."""
    return min(LONGEST_WAIT, 2 ** (level - FREE_MISSES)) if level > FREE_MISSES else None


@pytest.mark.parametrize("seed", range(3))
def test_each_guess_doubles_the_wait_until_it_is_forgotten(throttle: SyncConnection, seed: int) -> None:
    dice = random.Random(seed)
    now, level, at, blocked = NOW, 0.0, NOW, None
    for _ in range(80):
        now += dice.choice((0.0, 0.5, 1.0, 2.0, 4.0, 16.0, 64.0, 900.0, 3600.0, 3600.5))
        allowed = blocked is None or blocked <= now
        assert holds(throttle, limits.guess("n", now)) == allowed
        if allowed:
            level = 1 if level == 0 or at < now - MISSES_FORGOTTEN else level + 1
            wait = wait_at(level)
            at, blocked = now, None if wait is None else now + wait
        assert row(throttle) == pytest.approx((level, at, blocked))


def test_five_guesses_are_free_and_the_longest_wait_is_a_quarter_of_an_hour(throttle: SyncConnection) -> None:
    waits, now = [], NOW
    for _ in range(40):
        assert holds(throttle, limits.guess("n", now))
        found = row(throttle)
        assert found is not None
        waits.append(0 if found[2] is None else found[2] - now)
        now += waits[-1]
    assert waits == pytest.approx([0] * 5 + [2, 4, 8, 16, 32, 64, 128, 256, 512] + [900] * 26)
    assert not holds(throttle, limits.guess("n", now - 0.5)) and holds(throttle, limits.guess("n", now))


def test_guesses_are_forgotten_after_an_hour_and_not_before(throttle: SyncConnection) -> None:
    levels, now = [], NOW
    for passed in (0, 1, 3600, 3600.5):
        now += passed
        assert holds(throttle, limits.guess("n", now))
        levels.append((row(throttle) or (0,))[0])
    assert levels == [1, 2, 3, 1]


@pytest.mark.parametrize("level", [1, 5, 6, 8, 14, 15, 40])
@pytest.mark.parametrize("ahead", [-10.0, 0.0, 10.0, 1e6])
@pytest.mark.parametrize("blocked", [None, -5.0, 0.5, 500.0, 1e6])
def test_a_row_from_the_future_is_set_back_and_no_other(
    throttle: SyncConnection, level: int, ahead: float, blocked: float | None
) -> None:
    throttle.rows(
        "insert into gateway.throttle values ('n', $1::float8, to_timestamp($2::float8), to_timestamp($3::float8)),"
        " ('m', 40, to_timestamp($2::float8), to_timestamp($3::float8))",
        str(level), repr(NOW + ahead), None if blocked is None else repr(NOW + blocked),
    )  # fmt: skip
    other = row(throttle, "m")
    throttle.run(limits.present("n", NOW))
    wait = wait_at(level)
    end = None if blocked is None else NOW + blocked
    if end is None:
        # Nothing waits in a row without a wait; where the level asks for one, setting it would be no harm.
        found = row(throttle)
        assert found is not None and found[1] == min(NOW, NOW + ahead)
        assert found[2] is None or (wait is not None and found[2] <= NOW + wait)
    elif wait is None:
        found = row(throttle)
        assert found is not None and found[:2] == (level, min(NOW, NOW + ahead))
    else:
        assert row(throttle) == pytest.approx((level, min(NOW, NOW + ahead), min(end, NOW + wait)))
    assert row(throttle, "m") == other


def test_an_interval_starts_anew_only_when_it_is_over(throttle: SyncConnection) -> None:
    assert throttle.run(limits.age("n", NOW)).rows == []
    assert holds(throttle, limits.take_interval("n", 60, NOW))
    assert not holds(throttle, limits.take_interval("n", 60, NOW + 59.5))
    assert throttle.run(limits.age("n", NOW + 59.5)).rows == [(b"59.5",)]
    assert holds(throttle, limits.take_interval("n", 60, NOW + 60))
    assert not holds(throttle, limits.take_interval("n", 60, NOW + 119)), "the time started anew"
    assert holds(throttle, limits.take_interval("m", 60, NOW))
    assert row(throttle, "m") == (0, NOW, None)


@pytest.mark.parametrize("used", [0, 1, 1000])
@pytest.mark.parametrize("distance", range(-4, 5))
def test_a_step_is_used_once_and_only_a_wrong_clock_is_forgiven(
    throttle: SyncConnection, used: int, distance: int
) -> None:
    used += 10
    assert holds(throttle, limits.use_step("n", used))
    good = distance > 0 or distance < -STEPS_AHEAD
    assert holds(throttle, limits.use_step("n", used + distance)) == good
    found = row(throttle)
    assert found is not None and found[0] == (used + distance if good else used)


@pytest.mark.parametrize(
    ("passed", "renewed"), [(0, False), (3600, False), (86_400, False), (86_401, True), (-1, True), (-1e6, True)]
)
def test_a_place_is_remembered_and_its_day_renewed(throttle: SyncConnection, passed: float, renewed: bool) -> None:
    throttle.run(limits.remember("n", NOW))
    assert row(throttle) == (0, NOW, None)
    throttle.run(limits.remember("n", NOW + passed))
    assert row(throttle) == (0, NOW + passed if renewed else NOW, None)


def test_a_place_is_remembered_for_ninety_days(throttle: SyncConnection) -> None:
    assert KNOWN_ADDRESS == 90 * 24 * 60 * 60
    throttle.run(limits.remember("n", NOW))
    assert holds(throttle, limits.remembered("n", NOW + KNOWN_ADDRESS - 1))
    assert not holds(throttle, limits.remembered("n", NOW + KNOWN_ADDRESS))
    assert not holds(throttle, limits.remembered("m", NOW))


def test_what_was_right_is_forgotten_under_its_names_alone(throttle: SyncConnection) -> None:
    for name in "abc":
        throttle.run(limits.remember(name, NOW))
    throttle.run(limits.Permit(("a", "c")).right())
    assert [row(throttle, name) is None for name in "abc"] == [True, False, True]
    throttle.run(limits.UNLIMITED.right())
    assert row(throttle, "b") is not None


def test_rows_go_after_a_day_and_places_after_ninety(throttle: SyncConnection) -> None:
    throttle.script(
        "insert into gateway.throttle (name, level, updated_at) values"
        " ('a', 0, now() - interval '23 hours'), ('b', 0, now() - interval '25 hours'),"
        " ('known:a', 0, now() - interval '25 hours'), ('known:b', 0, now() - interval '89 days'),"
        " ('known:c', 0, now() - interval '91 days')"
    )
    throttle.run(limits.CLEAN_UP)
    left = [name for (name,) in throttle.rows("select name from gateway.throttle order by name")]
    assert left == ["a", "known:a", "known:b"]
