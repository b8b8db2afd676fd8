"""A clock that ran ahead: once it is right, no row that it left holds anybody up for longer than any other would."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gateway.auth.store import limits
from gateway.database import SyncConnection
from gateway.database.statement import Statement
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import START, Auth
from tests.gateway.auth.test_links import LIMITS, code_of, link_of
from tests.gateway.auth.test_user import OTHER

AHEAD = [5.0, 61.0, 5 * 3600.0, 400 * 86_400.0]  # seconds
BUCKET = limits.per(3, 60, 3)


@dataclass(frozen=True)
class Limit:
    """A limit that is used up, asked again at a moment, and open again after `wait` seconds at most."""

    use_up: Callable[[float], list[Statement]]
    ask: Callable[[float], Statement]
    wait: float
    opens: bool = True  # a row says that it is open; False: that it is closed


def guesses(count: int) -> Callable[[float], list[Statement]]:
    return lambda now: [limits.guess("x", now) for _ in range(count)]


LIMITED = {
    "take": Limit(lambda now: [limits.take("x", BUCKET, now)] * 3, lambda now: limits.take("x", BUCKET, now), 20),
    "peek": Limit(
        lambda now: [limits.take("x", BUCKET, now)] * 3, lambda now: limits.peek("x", BUCKET, now), 20, False
    ),
    "take_interval": Limit(
        lambda now: [limits.take_interval("x", 60, now)], lambda now: limits.take_interval("x", 60, now), 60
    ),
    "guess": Limit(guesses(6), lambda now: limits.guess("x", now), 2),
    "guess, the longest wait": Limit(
        lambda now: [statement for n in range(20) for statement in guesses(1)(now + n * 1000)],
        lambda now: limits.guess("x", now),
        limits.LONGEST_WAIT,
    ),
}
# What holds nobody up: it only adds to the others, or forgets, or is shown to be harmless by a test of its own.
OTHERS = {"per", "moment_of", "present", "give_back", "age", "use_step", "remember", "remembered", "forget", "holds"}


def test_every_limit_is_tried_with_rows_from_the_future() -> None:
    public = {name for name, _ in inspect.getmembers(limits, inspect.isfunction) if not name.startswith("_")}
    named = {name.partition(",")[0] for name in LIMITED}
    # `array_literal`, `dataclass` and the like come from elsewhere.
    assert {name for name in public if getattr(limits, name).__module__ == limits.__name__} <= named | OTHERS


def is_open(connection: SyncConnection, limit: Limit, now: float) -> bool:
    connection.run(limits.present("x", now))
    return limits.holds(connection.run(limit.ask(now))) == limit.opens


@pytest.mark.parametrize("ahead", AHEAD)
@pytest.mark.parametrize("limit", LIMITED.values(), ids=LIMITED)
def test_row_from_the_future_holds_nobody_up(auth_database: str, limit: Limit, ahead: float) -> None:
    with SyncConnection(auth_database) as connection:
        connection.script("truncate gateway.throttle")
        for statement in limit.use_up(START):
            connection.run(statement)
        ((last,),) = connection.rows("select max(extract(epoch from updated_at))::text from gateway.throttle")
        now = float(last or 0)
        connection.script(
            f"update gateway.throttle set updated_at = updated_at + interval '{ahead} s',"
            f" blocked_until = blocked_until + interval '{ahead} s'"
        )
        assert not is_open(connection, limit, now), "the limit is still one"
        assert is_open(connection, limit, now + limit.wait + 1)


@pytest.mark.parametrize("ahead", [0.005, 0.5])
@pytest.mark.parametrize("limit", LIMITED.values(), ids=LIMITED)
def test_two_clocks_that_differ_a_little_give_no_more(auth_database: str, limit: Limit, ahead: float) -> None:
    """Two gateways on one database: asking them in turn is no way round a limit."""
    with SyncConnection(auth_database) as connection:
        connection.script("truncate gateway.throttle")
        for statement in limit.use_up(START):
            connection.run(statement)
        ((last,),) = connection.rows("select max(extract(epoch from updated_at))::text from gateway.throttle")
        now = float(last or 0)
        assert not any(is_open(connection, limit, now + (ahead if turn % 2 else 0)) for turn in range(50))


@pytest.mark.parametrize("ahead", AHEAD)
def test_mail_can_be_asked_for_after_its_usual_wait(with_auth: WithAuth, ahead: float) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(ahead)
        assert (await auth.call("POST", "/recover", {"email": "ada@example.com"})).status == 200
        auth.clock.move(-ahead)
        soon = await auth.call("POST", "/recover", {"email": "ada@example.com"})
        assert soon.body["message"] == "For security purposes, you can only request this after 60 seconds."
        auth.clock.move(60)
        assert (await auth.call("POST", "/recover", {"email": "ada@example.com"})).status == 200

    with_auth(scenario)


@pytest.mark.parametrize("ahead", AHEAD)
def test_guessing_while_the_clock_ran_ahead_locks_no_account_for_longer(with_auth: WithAuth, ahead: float) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(ahead)
        for number in range(40):
            await auth.password(password="wrong", client=f"198.51.100.{number}")
            await auth.password(f"{number}@example.com", "wrong")
        auth.clock.move(-ahead)
        statuses: list[int] = []
        while len(statuses) < 10 and 200 not in statuses:  # each of its two limits is met once
            auth.clock.move(3)
            statuses.append((await auth.password()).status)
        assert statuses[-1] == 200

    with_auth(scenario)


@pytest.mark.parametrize("ahead", [120.0, 5 * 3600.0])
def test_link_sent_by_a_clock_that_ran_ahead_does_not_last_longer(with_auth: WithAuth, ahead: float) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(ahead)
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        (mail,) = auth.mails()
        auth.clock.move(-ahead)
        assert (await auth.call("GET", link_of(mail))).fragment["error_code"] == "otp_expired"
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        body = {"type": "recovery", "email": "ada@example.com", "token": code_of(auth.mails()[-1])}
        assert (await auth.call("POST", "/verify", body)).status == 200

    with_auth(scenario, **LIMITS)


def test_session_begun_by_a_clock_that_ran_ahead_ends_no_later_one(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(5 * 3600)
        await auth.sign_in()
        auth.clock.move(-5 * 3600)
        later = await auth.sign_in()
        for _ in range(3):
            auth.clock.move(60)
            answer = await auth.refresh(later["refresh_token"])
            assert answer.status == 200, answer.body
            later = answer.body

    with_auth(scenario, sessions_single_per_user=True)


@pytest.mark.parametrize("version", [1, 2])
def test_session_from_the_future_lasts_no_longer_once_it_is_met(with_auth: WithAuth, version: int) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(100 * 86_400)
        session = await auth.sign_in()
        auth.clock.move(-100 * 86_400)
        session = (await auth.refresh(session["refresh_token"])).body
        for _ in range(9):
            auth.clock.move(1000)
            session = (await auth.refresh(session["refresh_token"])).body
        auth.clock.move(1001)
        answer = await auth.refresh(session["refresh_token"])
        assert (answer.status, answer.code) == (400, "session_expired")

    with_auth(scenario, refresh_token_version=version, sessions_timebox=10_000.0)


@pytest.mark.parametrize("version", [1, 2])
def test_token_replaced_by_a_clock_that_ran_ahead_works_no_longer_than_any(with_auth: WithAuth, version: int) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(5 * 3600)
        old = (await auth.sign_in())["refresh_token"]
        await auth.refresh(old)
        auth.clock.move(-5 * 3600)
        assert (await auth.refresh(old)).status == 200  # the answer was lost: once more, as of now
        auth.clock.move(11)
        assert (await auth.refresh(old)).code == "refresh_token_already_used"

    with_auth(scenario, refresh_token_version=version)


def test_new_password_needs_proof_in_a_session_that_is_old_by_any_clock(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.clock.move(30 * 86_400)
        token = (await auth.sign_in())["access_token"]
        auth.clock.move(-20)  # its signature says that it was issued in the future; a little of that is borne
        auth.script("update auth.sessions set created_at = created_at + interval '30 days'")
        answer = await auth.call("PUT", "/user", {"password": OTHER}, token=token)
        assert (answer.status, answer.code) == (400, "reauthentication_needed")

    with_auth(scenario)
