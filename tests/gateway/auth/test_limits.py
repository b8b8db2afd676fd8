"""Limits of sign-in: by account and by address, over restarts and workers, with defaults."""

from __future__ import annotations

import asyncio

import pytest

from gateway.http.client_address import client_address, limit_subject, parse_networks
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth, serving

WRONG = "not-the-password"


async def guess(auth: Auth, times: int, email: str = "ada@example.com", client: str = "198.51.100.{}") -> list[int]:
    """Wrong passwords, each from another address; the statuses."""
    return [
        (await auth.password(email, WRONG, client=client.format(number % 250 + 1))).status for number in range(times)
    ]


def test_promise_29_wrong_passwords_slow_their_account_down_by_default(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        assert await guess(auth, 8) == [400] * 6 + [429] * 2
        blocked = await auth.password(client="198.51.100.99")
        assert (blocked.status, blocked.code) == (429, "over_request_rate_limit")
        assert blocked.body["message"] == "Request rate limit reached"
        auth.clock.move(3)
        assert (await auth.password(client="198.51.100.99")).status == 200

    with_auth(scenario)


def test_promise_29_an_unknown_account_is_slowed_down_alike(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        assert await guess(auth, 9, "nobody@example.com") == await guess(auth, 9)

    with_auth(scenario)


def test_promise_29_the_wait_grows_but_always_ends(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for _ in range(25):
            await guess(auth, 1)
            auth.clock.move(900)
        assert (await auth.password(client="198.51.100.250")).status == 200

    with_auth(scenario)


def test_promise_29_strangers_cannot_keep_the_owner_out(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        home = "203.0.113.77"
        await auth.sign_in(client=home)
        for _ in range(12):
            await guess(auth, 3)
            auth.clock.move(1)
        assert (await auth.password(client="198.51.100.240")).status == 429
        assert (await auth.password(client=home)).status == 200
        # Somebody at that address is slowed down like anybody else.
        statuses = [(await auth.password(password=WRONG, client=home)).status for _ in range(8)]
        assert statuses == [400] * 6 + [429] * 2

    with_auth(scenario)


def test_promise_29_limits_hold_over_restart_and_several_workers(database_url: str, tmp_path: object) -> None:
    async def run() -> None:
        async with serving(database_url, tmp_path) as first, serving(database_url, tmp_path) as second:
            await first.create()
            statuses = [(await auth.password(password=WRONG, client=f"198.51.100.{n}")).status
                        for n, auth in enumerate([first, second] * 4, 1)]  # fmt: skip
            assert statuses == [400] * 6 + [429] * 2
        async with serving(database_url, tmp_path) as restarted:
            assert (await restarted.password(client="198.51.100.9")).status == 429

    asyncio.run(run())


def test_promise_29_failures_of_one_address_are_limited_over_all_accounts(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        statuses = [(await auth.password(f"user{number}@example.com", WRONG)).status for number in range(33)]
        assert statuses == [400] * 30 + [429] * 3
        assert (await auth.password()).status == 429
        assert (await auth.password(client="198.51.100.1")).status == 200
        auth.clock.move(10)
        assert (await auth.password()).status == 200

    with_auth(scenario)


def test_promise_29_guesses_that_come_at_once_are_counted_one_by_one(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answers = await asyncio.gather(
            *(auth.password(password=WRONG, client=f"198.51.100.{number}") for number in range(1, 41))
        )
        refused = sum(answer.status == 400 for answer in answers)
        assert refused <= 6 + auth.service.context.guards.hasher.threads

    with_auth(scenario)


def test_an_office_behind_one_address_signs_in_freely(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answers = await asyncio.gather(*(auth.password() for _ in range(50)))
        assert {answer.status for answer in answers} == {200}

    with_auth(scenario)


def test_originals_behaviour_without_limits_by_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        statuses = {(await auth.password(password=WRONG)).status for _ in range(35)}
        assert statuses == {400}

    with_auth(scenario, auth_address_limits=False, auth_account_limits=False)


def test_limits_hold_no_address_and_no_e_mail(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.password(password=WRONG)
        await auth.sign_in()
        names = str(auth.rows("select name from gateway.throttle"))
        assert "ada" not in names and "203.0.113" not in names

    with_auth(scenario)


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        pytest.param("203.0.113.9", "198.51.100.1", "203.0.113.9", id="an untrusted peer says so"),
        pytest.param("203.0.113.9", None, "203.0.113.9", id="nothing is said"),
        pytest.param("10.1.2.3", "198.51.100.1", "198.51.100.1", id="a trusted proxy says so"),
        pytest.param("10.1.2.3", "6.6.6.6, 198.51.100.1", "198.51.100.1", id="the client lied to the proxy"),
        pytest.param("10.1.2.3", "198.51.100.1, 10.9.9.9", "198.51.100.1", id="two proxies"),
        pytest.param("10.1.2.3", "garbage", "10.1.2.3", id="garbage"),
        pytest.param("::ffff:203.0.113.9", None, "203.0.113.9", id="a mapped address"),
        pytest.param(None, "198.51.100.1", None, id="a socket without an address"),
    ],
)
def test_promise_30_only_a_named_proxy_may_say_the_address(
    peer: str | None, forwarded: str | None, counted: str | None
) -> None:
    assert client_address(peer, forwarded, parse_networks(["10.0.0.0/8"])) == counted


def test_promise_30_forwarded_header_of_a_stranger_does_not_change_the_count(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        statuses = []
        for number in range(32):
            headers = {"x-forwarded-for": f"198.51.100.{number}", "x-real-ip": "198.51.100.1"}
            answer = await auth.password(f"user{number}@example.com", PASSWORD, headers=headers)
            statuses.append(answer.status)
        assert statuses[-2:] == [429, 429]
        assert {row["ip"] for row in auth.audit()} == {"203.0.113.5"}

    with_auth(scenario)


def test_promise_30_named_proxy_is_believed_in_audit_and_session(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.sign_in(client="10.0.0.2", headers={"x-forwarded-for": "198.51.100.7"})
        assert auth.audit()[-1]["ip"] == "198.51.100.7"
        assert auth.rows("select host(ip) from auth.sessions") == [("198.51.100.7",)]

    with_auth(scenario, trusted_proxies=("10.0.0.0/8",))


def test_client_with_many_addresses_of_one_network_is_one_client() -> None:
    assert limit_subject("2001:db8:1:2::1") == limit_subject("2001:db8:1:2:ffff::9")
    assert limit_subject("2001:db8:1:2::1") != limit_subject("2001:db8:1:3::1")
