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

from gateway.auth.types import moment_of
from gateway.database import Result
from gateway.database.statement import Statement, array_literal

FREE_MISSES: Final = 5
LONGEST_WAIT: Final = 900  # seconds
MISSES_FORGOTTEN: Final = 3600  # seconds after the last one
STEPS_AHEAD: Final = 2  # of 30 s each: an app's clock may be one ahead of ours while it is one behind
KNOWN_ADDRESS: Final = 90 * 86_400  # seconds that a place of sign-in is remembered


@dataclass(frozen=True, slots=True)
class Bucket:
    """`burst` requests at once, `rate` a second afterwards."""

    burst: float
    rate: float


def per(count: float, seconds: float, burst: float | None = None) -> Bucket:
    """`count` requests in `seconds`; the burst is all of them up to 30 unless given."""
    return Bucket(max(1.0, min(count, 30.0) if burst is None else burst), count / seconds)


def present(name: str, now: float) -> Statement:
    """Set a row from the future back to the present; it comes before whatever reads the row."""
    return Statement(
        "update gateway.throttle t set updated_at = least(t.updated_at, $2::timestamptz),"
        f" blocked_until = least(t.blocked_until, $2::timestamptz + {_wait_at('t.level')})"
        f" where name = $1 and (t.updated_at > $2::timestamptz"
        f" or t.blocked_until > $2::timestamptz + {_wait_at('t.level')})",
        (name, moment_of(now).isoformat()),
    )


def take(name: str, bucket: Bucket, now: float) -> Statement:
    """Take one request from a bucket: a row comes back when there was one."""
    return Statement(
        "insert into gateway.throttle as t (name, level, updated_at) values ($1, $2::float8 - 1, $4::timestamptz)"
        " on conflict (name) do update set updated_at = $4::timestamptz, level = least($2::float8,"
        " t.level + $3::float8 * greatest(0, extract(epoch from $4::timestamptz - t.updated_at))) - 1"
        " where least($2::float8,"
        " t.level + $3::float8 * greatest(0, extract(epoch from $4::timestamptz - t.updated_at))) >= 1"
        " returning level",
        (name, repr(bucket.burst), repr(bucket.rate), moment_of(now).isoformat()),
    )


def give_back(name: str, bucket: Bucket) -> Statement:
    """Put one request back."""
    return Statement(
        "update gateway.throttle set level = least($2::float8, level + 1) where name = $1",
        (name, repr(bucket.burst)),
    )


def peek(name: str, bucket: Bucket, now: float) -> Statement:
    """Whether a bucket holds a request: a row comes back when it does not."""
    return Statement(
        "select from gateway.throttle t where t.name = $1 and least($2::float8,"
        " t.level + $3::float8 * greatest(0, extract(epoch from $4::timestamptz - t.updated_at))) < 1",
        (name, repr(bucket.burst), repr(bucket.rate), moment_of(now).isoformat()),
    )


def take_interval(name: str, seconds: float, now: float) -> Statement:
    """Once in `seconds`: a row comes back when enough time has passed; the time starts anew then."""
    return Statement(
        "insert into gateway.throttle as t (name, level, updated_at) values ($1, 0, $2::timestamptz)"
        " on conflict (name) do update set updated_at = excluded.updated_at"
        " where extract(epoch from $2::timestamptz - t.updated_at) >= $3::float8 returning level",
        (name, moment_of(now).isoformat(), repr(seconds)),
    )


def age(name: str, now: float) -> Statement:
    """Seconds since a name was last taken."""
    return Statement(
        "select extract(epoch from $2::timestamptz - updated_at)::float8 from gateway.throttle where name = $1",
        (name, moment_of(now).isoformat()),
    )


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to compare one guess with a secret. What compares asks for one; `Core.permit` gives them."""

    names: tuple[str, ...]

    def right(self) -> Statement:
        """The guess was right: forget the wrong ones."""
        return forget(self.names)


UNLIMITED: Final = Permit(())  # where settings ask for no limit


def guess(name: str, now: float) -> Statement:
    """Count a guess, before anything is compared: a row comes back when it may be."""
    return Statement(
        "insert into gateway.throttle as t (name, level, updated_at) values ($1, 1, $2::timestamptz)"
        " on conflict (name) do update set updated_at = excluded.updated_at,"
        f" level = case when t.updated_at < $2::timestamptz - interval '{MISSES_FORGOTTEN} s' then 1"
        " else t.level + 1 end,"
        f" blocked_until = case when t.updated_at < $2::timestamptz - interval '{MISSES_FORGOTTEN} s' then null"
        f" else $2::timestamptz + {_wait_at('t.level + 1')} end"
        " where t.blocked_until is null or t.blocked_until <= $2::timestamptz returning level",
        (name, moment_of(now).isoformat()),
    )


def _wait_at(level: str) -> str:
    """SQL: how long the guess that made a level makes the next one wait; null while guesses are free."""
    seconds = f"least({LONGEST_WAIT}, power(2, least(30, {level} - {FREE_MISSES})))"
    return f"case when {level} > {FREE_MISSES} then make_interval(secs => {seconds}) end"


def use_step(name: str, step: int) -> Statement:
    """Use up a step of a counter that only goes up: a row comes back when neither it nor a later one was used.

    A step further ahead than any that can be presented today was used by a clock that ran ahead.
    """
    return Statement(
        "insert into gateway.throttle as t (name, level, updated_at) values ($1, $2::float8, now())"
        " on conflict (name) do update set level = excluded.level, updated_at = excluded.updated_at"
        f" where t.level < excluded.level or t.level > excluded.level + {STEPS_AHEAD} returning level",
        (name, str(step)),
    )


def forget(names: tuple[str, ...]) -> Statement:
    """Forget what was counted under names."""
    return Statement("delete from gateway.throttle where name = any($1::text[])", (array_literal(names),))


def remember(name: str, now: float) -> Statement:
    """Remember a name, such as a place from which an account was signed in to."""
    return Statement(
        "insert into gateway.throttle (name, level, updated_at) values ($1, 0, $2::timestamptz)"
        " on conflict (name) do update set updated_at = excluded.updated_at"
        " where gateway.throttle.updated_at < excluded.updated_at - interval '1 day'"
        " or gateway.throttle.updated_at > excluded.updated_at",
        (name, moment_of(now).isoformat()),
    )


def remembered(name: str, now: float) -> Statement:
    """A row when a name is remembered."""
    return Statement(
        f"select from gateway.throttle where name = $1 and updated_at > $2::timestamptz - interval '{KNOWN_ADDRESS} s'",
        (name, moment_of(now).isoformat()),
    )


def holds(result: Result) -> bool:
    """Whether a statement gave a row."""
    return bool(result.rows)


CLEAN_UP: Final = Statement(
    f"delete from gateway.throttle where updated_at < now() - interval '{KNOWN_ADDRESS} s'"
    " or (name not like 'known:%' and updated_at < now() - interval '1 day')"
)
