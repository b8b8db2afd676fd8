"""Limits that hold over restarts and several workers: rows of `gateway.throttle`.

A bucket holds `burst` requests and refills evenly. Sign-in with a password only empties it when it fails, so that an
office behind one address signs in freely while somebody who guesses is stopped.

Whoever guesses a secret is slowed down, too: after `FREE_MISSES` each further guess doubles the wait, up to
`LONGEST_WAIT`. A guess is counted before it is compared, in one statement under the lock of its row, and only the
`Permit` that comes of it lets anything be compared: however many come at once, no more than are allowed are tried.
What was right is forgotten. Sign-in with a password counts an address from which the account was signed in to before
on its own, so strangers cannot lock its owner out; and the wait always ends.

Time never counts as negative: a row that a clock which ran ahead left in the future is set back to the present when it
is met (`present`), so that it holds nobody up for longer than any other row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pypika import Table

from gateway.auth.types import moment_of
from gateway.database import Result
from gateway.database.sql import Fragment, catalogued, parameter, render, select_from, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, array_literal

FREE_MISSES: Final = 5
LONGEST_WAIT: Final = 900  # seconds
MISSES_FORGOTTEN: Final = 3600  # seconds after the last one
STEPS_AHEAD: Final = 2  # of 30 s each: an app's clock may be one ahead of ours while it is one behind
KNOWN_ADDRESS: Final = 90 * 86_400  # seconds that a place of sign-in is remembered


@dataclass(frozen=True, slots=True)
class TokenBucket:
    """`burst` requests at once, `rate` a second afterwards."""

    burst: float
    rate: float


def per(count: float, seconds: float, burst: float | None = None) -> TokenBucket:
    """`count` requests in `seconds`; the burst is all of them up to 30 unless given."""
    return TokenBucket(max(1.0, min(count, 30.0) if burst is None else burst), count / seconds)


_THROTTLE: Final = Table("throttle", schema="gateway")
_T: Final = _THROTTLE.as_("t")
_NAME: Final = parameter("name")
_NOW: Final = sql(parameter("now"), "::timestamptz")
_BURST: Final = sql(parameter("burst"), "::float8")


def _seconds(number: int) -> Fragment:
    return sql("interval '", catalogued(str(number)), " s'")


def _wait_at(level: Fragment) -> Fragment:
    """How long the guess that made a level makes the next one wait; null while guesses are free."""
    free, longest = catalogued(str(FREE_MISSES)), catalogued(str(LONGEST_WAIT))
    seconds = sql("least(", longest, ", power(2, least(30, ", level, " - ", free, ")))")
    return sql("case when ", level, " > ", free, " then make_interval(secs => ", seconds, ") end")


_LATEST_END: Final = sql(_NOW, " + ", _wait_at(sql("t.level")))
_PRESENT: Final = template(
    sql(
        "update gateway.throttle t set updated_at = least(t.updated_at, ", _NOW, "),"
        " blocked_until = least(t.blocked_until, ", _LATEST_END, ") where name = ", _NAME,
        " and (t.updated_at > ", _NOW,
        " or t.blocked_until > ", _LATEST_END, ")",
    )
)  # fmt: skip


def present(name: str, now: float) -> Statement:
    """Set a row from the future back to the present; it comes before whatever reads the row."""
    return _PRESENT.fill(name=name, now=moment_of(now).isoformat())


_FILLED: Final = sql(
    "least(", _BURST, ", t.level + ", parameter("rate"),
    "::float8 * greatest(0, extract(epoch from ", _NOW, " - t.updated_at)))",
)  # fmt: skip
_INSERT: Final = sql("insert into gateway.throttle as t (name, level, updated_at) values (", _NAME, ", ")
_TAKE: Final = template(
    sql(
        _INSERT, _BURST, " - 1, ", _NOW, ") on conflict (name) do update set updated_at = ", _NOW,
        ", level = ", _FILLED, " - 1 where ", _FILLED, " >= 1 returning level",
    )
)  # fmt: skip
_GIVE_BACK: Final = template(
    update_of(_THROTTLE).set(_THROTTLE.level, sql("least(", _BURST, ", level + 1)")).where(_THROTTLE.name == _NAME)
)
_PEEK: Final = template(select_from(_T).select(_T.name).where(_T.name == _NAME).where(sql(_FILLED, " < 1")))
_TAKE_INTERVAL: Final = template(
    sql(
        _INSERT, "0, ", _NOW, ") on conflict (name) do update set updated_at = excluded.updated_at"
        " where extract(epoch from ", _NOW, " - t.updated_at) >= ", parameter("seconds"), "::float8 returning level",
    )
)  # fmt: skip
_AGE: Final = template(
    select_from(_THROTTLE)
    .select(sql("extract(epoch from ", _NOW, " - updated_at)::float8"))
    .where(_THROTTLE.name == _NAME)
)


def take(name: str, bucket: TokenBucket, now: float) -> Statement:
    """Take one request from a bucket: a row comes back when there was one."""
    return _TAKE.fill(name=name, burst=repr(bucket.burst), rate=repr(bucket.rate), now=moment_of(now).isoformat())


def give_back(name: str, bucket: TokenBucket) -> Statement:
    """Put one request back."""
    return _GIVE_BACK.fill(name=name, burst=repr(bucket.burst))


def peek(name: str, bucket: TokenBucket, now: float) -> Statement:
    """Whether a bucket holds a request: a row comes back when it does not."""
    return _PEEK.fill(name=name, burst=repr(bucket.burst), rate=repr(bucket.rate), now=moment_of(now).isoformat())


def take_interval(name: str, seconds: float, now: float) -> Statement:
    """Once in `seconds`: a row comes back when enough time has passed; the time starts anew then."""
    return _TAKE_INTERVAL.fill(name=name, seconds=repr(seconds), now=moment_of(now).isoformat())


def age(name: str, now: float) -> Statement:
    """Seconds since a name was last taken."""
    return _AGE.fill(name=name, now=moment_of(now).isoformat())


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to compare one guess with a secret. What compares asks for one; `Guards.permit` gives them."""

    names: tuple[str, ...]

    def right(self) -> Statement:
        """The guess was right: forget the wrong ones."""
        return forget(self.names)


UNLIMITED: Final = Permit(())  # where settings ask for no limit


_IS_FORGOTTEN: Final = sql("t.updated_at < ", _NOW, " - ", _seconds(MISSES_FORGOTTEN))
_GUESS: Final = template(
    sql(
        _INSERT, "1, ", _NOW, ") on conflict (name) do update set updated_at = excluded.updated_at,"
        " level = case when ", _IS_FORGOTTEN, " then 1 else t.level + 1 end,"
        " blocked_until = case when ", _IS_FORGOTTEN, " then null else ", _NOW, " + ", _wait_at(sql("t.level + 1")),
        " end where t.blocked_until is null or t.blocked_until <= ", _NOW, " returning level",
    )
)  # fmt: skip
_USE_STEP: Final = template(
    sql(
        _INSERT, parameter("step"), "::float8, now()) on conflict (name) do update"
        " set level = excluded.level, updated_at = excluded.updated_at"
        " where t.level < excluded.level or t.level > excluded.level + ", catalogued(str(STEPS_AHEAD)),
        " returning level",
    )
)  # fmt: skip
_FORGET: Final = template(select_from(_THROTTLE).delete().where(sql("name = any(", parameter("names"), "::text[])")))
_REMEMBER: Final = template(
    sql(
        _INSERT, "0, ", _NOW, ") on conflict (name) do update set updated_at = excluded.updated_at"
        " where t.updated_at < excluded.updated_at - interval '1 day' or t.updated_at > excluded.updated_at",
    )
)  # fmt: skip
_REMEMBERED: Final = template(
    select_from(_THROTTLE)
    .select(_THROTTLE.name)
    .where(_THROTTLE.name == _NAME)
    .where(sql("updated_at > ", _NOW, " - ", _seconds(KNOWN_ADDRESS)))
)


def guess(name: str, now: float) -> Statement:
    """Count a guess, before anything is compared: a row comes back when it may be."""
    return _GUESS.fill(name=name, now=moment_of(now).isoformat())


def use_step(name: str, step: int) -> Statement:
    """Use up a step of a counter that only goes up: a row comes back when neither it nor a later one was used.

    A step further ahead than any that can be presented today was used by a clock that ran ahead.
    """
    return _USE_STEP.fill(name=name, step=str(step))


def forget(names: tuple[str, ...]) -> Statement:
    """Forget what was counted under names."""
    return _FORGET.fill(names=array_literal(names))


def remember(name: str, now: float) -> Statement:
    """Remember a name, such as a place from which an account was signed in to."""
    return _REMEMBER.fill(name=name, now=moment_of(now).isoformat())


def remembered(name: str, now: float) -> Statement:
    """A row when a name is remembered."""
    return _REMEMBERED.fill(name=name, now=moment_of(now).isoformat())


def holds(result: Result) -> bool:
    """Whether a statement gave a row."""
    return bool(result.rows)


CLEAN_UP: Final = render(
    sql(
        "delete from gateway.throttle where updated_at < now() - ", _seconds(KNOWN_ADDRESS),
        " or (name not like 'known:%' and updated_at < now() - interval '1 day')",
    )
)  # fmt: skip
