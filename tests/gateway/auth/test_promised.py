"""Promises of the auth API over their whole class: every kind of session, secret, number, route and refusal, where the
tests beside their code show one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from ipaddress import ip_address
from typing import Any

import jwt
import pyotp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.auth.crypto import passwords
from gateway.auth.crypto.passwords import Rules
from gateway.auth.flows.rotation import Policy, RefreshOutcome, decide_counter
from gateway.auth.http.routes import ROUTES, Guard
from gateway.auth.types import moment_of
from gateway.http.client_address import client_address, parse_networks
from gateway.identity import tokens
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import LocalServer, local_server
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_links import LIMITS, PKCE, code_of, link_of
from tests.gateway.auth.test_mfa_phone import on, sent

EMAIL, PHONE, OTHER = "ada@example.com", "15085550100", "quiet-harbor-9-lamp"


@pytest.fixture
def hook() -> Iterator[LocalServer]:
    with local_server(lambda asked: (200, {})) as server:
        yield server


async def lifted(auth: Auth, token: str) -> dict[str, Any]:
    """The session of a token at aal2, by an app that is enrolled for it."""
    body = {"factor_type": "totp", "friendly_name": str(next(_names))}
    factor = (await auth.call("POST", "/factors", body, token=token)).body
    challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
    code = pyotp.TOTP(factor["totp"]["secret"]).at(moment_of(auth.clock.now))
    body = {"challenge_id": challenge["id"], "code": code}
    return dict((await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)).body)


_names = itertools.count()


# --- 23 and 24: refresh tokens ---------------------------------------------------------------------------------------


@given(
    stored=st.integers(1, 10**6),
    presented=st.integers(0, 10**6 + 5),
    age=st.floats(0, 10**7),
    interval=st.sampled_from([0.0, 10.0]),
)
def test_promise_23_any_former_counter_is_stolen_once_the_interval_is_over(
    stored: int, presented: int, age: float, interval: float
) -> None:
    decision = decide_counter(stored, presented, moment_of(1000), 1000 + age, Policy(reuse_interval=interval))
    if presented > stored:
        assert decision.outcome is RefreshOutcome.FOREIGN
    elif presented == stored:
        assert decision.outcome is RefreshOutcome.ROTATE
    else:
        assert (decision.outcome is RefreshOutcome.REPEAT) == (age <= interval and interval > 0)
        assert decision.outcome in (RefreshOutcome.REPEAT, RefreshOutcome.REUSED)


@pytest.mark.parametrize("version", [1, 2])
def test_promise_23_every_former_token_ends_the_session_and_is_noted(with_auth: WithAuth, version: int) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for back in range(1, 7):
            made = [(await auth.sign_in())["refresh_token"]]
            for _ in range(back):
                auth.clock.move(20)
                made.append((await auth.refresh(made[-1])).body["refresh_token"])
            auth.clock.move(20)
            assert (await auth.refresh(made[0])).code == "refresh_token_already_used"
            assert auth.audit()[-1]["action"] == "token_reused"
            assert (await auth.refresh(made[-1])).status == 400

    with_auth(scenario, refresh_token_version=version, auth_address_limits=False)


@pytest.mark.parametrize("version", [1, 2])
def test_promise_24_refreshes_at_once_leave_one_live_successor_whatever_is_refreshed(
    with_auth: WithAuth, version: int
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        for kind in ("aal1", "aal2"):
            if kind == "aal2":
                session = await lifted(auth, session["access_token"])
            answers = await asyncio.gather(*(auth.refresh(session["refresh_token"]) for _ in range(50)))
            assert {answer.status for answer in answers} == {200}
            assert len({answer.body["refresh_token"] for answer in answers}) == 1
            session = answers[0].body
            auth.clock.move(60)

    with_auth(scenario, refresh_token_version=version)


# --- 25 and 26: ends of sessions -------------------------------------------------------------------------------------

ENDINGS: dict[str, Callable[[Auth, str, str], Awaitable[Any]]] = {
    "sign-out": lambda auth, user, token: auth.call("POST", "/logout", token=token),
    "sign-out of this one": lambda auth, user, token: auth.call("POST", "/logout?scope=local", token=token),
    "ban": lambda auth, user, token: auth.admin("PUT", f"/admin/users/{user}", {"ban_duration": "24h"}),
    "deletion": lambda auth, user, token: auth.admin("DELETE", f"/admin/users/{user}"),
    "soft deletion": lambda auth, user, token: auth.admin(
        "DELETE", f"/admin/users/{user}", {"should_soft_delete": True}
    ),
    "a password by an admin": lambda auth, user, token: auth.admin("PUT", f"/admin/users/{user}", {"password": OTHER}),
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("aal", [1, 2])
@pytest.mark.parametrize("ending", ENDINGS)
def test_promise_25_an_ended_session_neither_refreshes_nor_reads(
    with_auth: WithAuth, version: int, aal: int, ending: str
) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session = await auth.sign_in()
        if aal == 2:
            session = await lifted(auth, session["access_token"])
        await ENDINGS[ending](auth, user["id"], session["access_token"])
        assert (await auth.refresh(session["refresh_token"])).status == 400
        assert (await auth.call("GET", "/user", token=session["access_token"])).status == 403

    with_auth(scenario, refresh_token_version=version)


def test_promise_25_others_are_signed_out_whatever_their_level(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = await lifted(auth, (await auth.sign_in())["access_token"])
        auth.clock.move(60)
        second, third = await auth.sign_in(), await auth.sign_in()
        await auth.call("POST", "/logout?scope=others", token=second["access_token"])
        statuses = [(await auth.refresh(session["refresh_token"])).status for session in (first, second, third)]
        assert statuses == [400, 200, 400]

    with_auth(scenario)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("aal", [1, 2])
def test_promise_26_every_session_ends_after_its_life_and_none_that_is_used_before(
    with_auth: WithAuth, version: int, aal: int
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        if aal == 2:
            session = await lifted(auth, session["access_token"])
        for _ in range(5):  # used, for longer than it may lie unused
            auth.clock.move(600)
            answer = await auth.refresh(session["refresh_token"])
            assert answer.status == 200, answer.body
            session = answer.body
        auth.clock.move(601)
        assert (await auth.refresh(session["refresh_token"])).code == "session_expired"

    with_auth(scenario, refresh_token_version=version, sessions_timebox=3600, sessions_inactivity=1000)


# --- 27: what is stored ----------------------------------------------------------------------------------------------


def test_promise_27_no_table_holds_anything_that_was_sent_or_given_out(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        given: dict[str, str] = {}
        await auth.create(phone=PHONE, phone_confirm=True)
        session = await auth.sign_in()
        token = session["access_token"]
        given["refresh token"] = session["refresh_token"]
        given["access token"] = token
        for name, method, path, body in (
            ("recovery", "POST", "/recover", {"email": EMAIL}),
            ("magic link", "POST", "/magiclink", {"email": EMAIL, **PKCE}),
            ("change", "PUT", "/user", {"email": "new@example.com"}),
            ("nonce", "GET", "/reauthenticate", None),
            ("sign-up", "POST", "/signup", {"email": "bob@example.com", "password": PASSWORD}),
            ("invitation", "POST", "/invite", {"email": "eve@example.com"}),
        ):
            call = auth.admin if path == "/invite" else auth.call
            more = {"token": token} if path in ("/user", "/reauthenticate") else {}
            answer = await call(method, path, body, **more)
            assert answer.status == 200, answer.body
            for mail in auth.mails():
                text = mail["text"].replace("go on:", "code:")
                given[f"{name}, code to {mail['to']}"] = code_of({"text": text})
                if "token=" in text:
                    given[f"{name}, link to {mail['to']}"] = link_of(mail).split("token=")[1].split("&")[0]
        made = await auth.admin("POST", "/admin/generate_link", {"type": "recovery", "email": EMAIL})
        given |= {"generated": made.body["hashed_token"], "generated code": made.body["email_otp"]}
        await auth.call("POST", "/otp", {"phone": PHONE})
        given["message"] = sent(hook)["sms"]["otp"]
        body = {"factor_type": "phone", "phone": "15085550111"}
        factor = (await auth.call("POST", "/factors", body, token=token)).body
        await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)
        given["second factor"] = sent(hook)["sms"]["otp"]
        given["password"] = PASSWORD
        tables = auth.rows(
            "select format('%I.%I', schemaname, tablename) from pg_tables where schemaname not like 'pg_%'"
            " and schemaname <> 'information_schema'"
        )
        for (table,) in tables:
            for (row,) in auth.rows(f"select t::text from {table} t"):
                words = set((row or "").replace('"', " ").replace(",", " ").replace("(", " ").replace(")", " ").split())
                found = [name for name, secret in given.items()
                         if secret in words or (len(secret) > 10 and secret in (row or ""))]  # fmt: skip
                assert not found, (table, found)

    with_auth(scenario, **{**LIMITS, **on(hook), "phone_enabled": True, "disable_signup": False})


# --- 28 to 30: guessing ----------------------------------------------------------------------------------------------

REFUSED: dict[str, dict[str, str]] = {
    "unknown": {"email": "nobody@example.com"},
    "unknown number": {"phone": "15085550999"},
    "no address": {"email": "no at sign"},
    "wrong": {"email": EMAIL},
    "wrong, by number": {"phone": PHONE},
    "banned": {"email": "banned@example.com"},
    "without a password": {"email": "invited@example.com"},
    "not confirmed": {"email": "waiting@example.com"},
    "single sign-on": {"email": "sso@example.com"},
    "deleted": {"email": "gone@example.com"},
    "too long": {"email": EMAIL, "password": "x" * 100},
    "empty": {"email": EMAIL, "password": ""},
}


def test_promise_28_every_refusal_costs_one_hash_and_says_the_same(
    with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(phone=PHONE, phone_confirm=True)
        await auth.create("banned@example.com", ban_duration="24h")
        await auth.create("waiting@example.com", email_confirm=False)
        await auth.create("sso@example.com")
        gone = await auth.create("gone@example.com")
        await auth.admin("POST", "/invite", {"email": "invited@example.com"})
        await auth.admin("DELETE", f"/admin/users/{gone['id']}", {"should_soft_delete": True})
        auth.script("update auth.users set is_sso_user = true where email = 'sso@example.com'")
        hashed: list[str] = []
        genuine = passwords.verify

        def counted(password: str, kept: str) -> bool:
            hashed.append(kept)
            return genuine(password, kept)

        monkeypatch.setattr(passwords, "verify", counted)
        seen = {}
        for name, body in REFUSED.items():
            hashed.clear()
            answer = await auth.call("POST", "/token?grant_type=password", {"password": "wrong", **body})
            seen[name] = (answer.status, answer.raw, len(hashed), {text[4:6] for text in hashed})
        assert len({str(value) for value in seen.values()}) == 1, seen

    with_auth(scenario, phone_enabled=True, auth_address_limits=False)


@pytest.mark.parametrize("body", [{"email": EMAIL}, {"phone": PHONE}, {"phone": f"+{PHONE}"}, {"email": EMAIL.upper()}])
def test_promise_29_an_account_is_slowed_down_by_whatever_name_it_is_guessed(
    with_auth: WithAuth, body: dict[str, str]
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(phone=PHONE, phone_confirm=True)
        statuses = [
            (await auth.call("POST", "/token?grant_type=password", {**body, "password": "wrong"},
                             client=f"198.51.100.{number}")).status
            for number in range(1, 9)
        ]  # fmt: skip
        assert statuses == [400] * 6 + [429] * 2

    with_auth(scenario, phone_enabled=True)


def test_promise_29_only_a_place_of_the_owners_own_is_counted_by_itself(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.create("mallory@example.com")
        for number in range(1, 9):  # who guesses has accounts of their own, at each of their addresses
            await auth.sign_in("mallory@example.com", client=f"198.51.100.{number}")
        guesses = [(await auth.password(password="wrong", client=f"198.51.100.{number}")).status
                   for number in range(1, 9)]  # fmt: skip
        assert guesses == [400] * 6 + [429] * 2

    with_auth(scenario)


ADDRESSES = st.sampled_from(["10.0.0.1", "10.9.9.9", "192.168.1.1", "127.0.0.1", "172.16.0.1", "198.51.100.7",
                             "203.0.113.9", "::1", "2001:db8::1", "::ffff:10.0.0.1"])  # fmt: skip


@given(peer=ADDRESSES, hops=st.lists(ADDRESSES, max_size=5))
def test_promise_30_only_an_unbroken_chain_of_named_proxies_is_believed(peer: str, hops: list[str]) -> None:
    proxies = parse_networks(["10.0.0.0/8"])

    def plain(text: str) -> str:
        address = ip_address(text)
        return str(getattr(address, "ipv4_mapped", None) or address)

    expected = plain(peer)
    for hop in reversed(hops):
        if not expected.startswith("10."):
            break
        expected = plain(hop)
    assert client_address(peer, ", ".join(hops) or None, proxies) == expected
    assert client_address(peer, ", ".join(hops) or None, ()) == plain(peer)


# --- 31 to 33: links, passwords, proof -------------------------------------------------------------------------------

WAYS = ("GET", "token_hash", "code")


async def follow(auth: Auth, mail: dict[str, Any], way: str) -> bool:
    """Whether what was mailed signs in."""
    if way == "GET":
        return "access_token" in (await auth.call("GET", link_of(mail))).fragment
    hashed = link_of(mail).split("token=")[1].split("&")[0]
    body = {"token_hash": hashed} if way == "token_hash" else {"email": EMAIL, "token": code_of(mail)}
    return (await auth.call("POST", "/verify", {"type": "recovery", **body})).status == 200


def test_promise_31_what_was_mailed_works_once_when_it_comes_in_all_ways_at_once(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for ways in (["GET"] * 5, ["token_hash"] * 5, ["code"] * 5, [*WAYS, *WAYS]):
            await auth.call("POST", "/recover", {"email": EMAIL})
            mail = auth.mails()[-1]
            assert sum(await asyncio.gather(*(follow(auth, mail, way) for way in ways))) == 1, ways
            auth.clock.move(60)

    with_auth(scenario)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("then", ["once more", *(f"by {way}" for way in WAYS), "expired"])
def test_promise_31_what_was_mailed_works_once_in_whichever_way_it_comes(
    with_auth: WithAuth, way: str, then: str
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": EMAIL})
        (mail,) = auth.mails()
        if then == "expired":
            auth.clock.move(3601)
            assert not await follow(auth, mail, way)
            return
        auth.clock.move(3600)
        assert await follow(auth, mail, way)
        assert not await follow(auth, mail, then.removeprefix("by ") if then != "once more" else way)

    with_auth(scenario)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_promise_32_length_is_counted_in_characters_of_any_script(password: str) -> None:
    assert ("length" in {reason for reason, _ in Rules().broken(password)}) == (len(password) < 8)


@pytest.mark.parametrize("long", ["x1-long-" * 9 + "y", "é" * 36 + "y", "🐙" * 18 + "y"])
def test_promise_32_no_route_takes_a_password_that_would_be_cut(with_auth: WithAuth, long: str) -> None:
    async def scenario(auth: Auth) -> None:
        assert len(long.encode()) == 73
        user = await auth.create()
        token = (await auth.sign_in())["access_token"]
        new = {"email": "new@example.com", "password": long}
        for answer in (
            await auth.call("POST", "/signup", new),
            await auth.call("PUT", "/user", {"password": long}, token=token),
            await auth.admin("POST", "/admin/users", new),
            await auth.admin("PUT", f"/admin/users/{user['id']}", {"password": long}),
            await auth.admin("POST", "/admin/generate_link", {"type": "signup", **new}),
        ):
            assert (answer.status, answer.code) == (400, "validation_failed"), answer.body
        assert auth.rows("select count(*)::text from auth.users") == [("1",)]

    with_auth(scenario, disable_signup=False)


def test_promise_33_refreshing_makes_no_session_fresh_and_nobody_elses_code_is_proof(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.create("mallory@example.com")
        other = (await auth.sign_in("mallory@example.com"))["access_token"]
        session = await auth.sign_in()
        for _ in range(3):
            auth.clock.move(30_000)
            session = (await auth.refresh(session["refresh_token"])).body
        token = session["access_token"]
        assert (await auth.call("PUT", "/user", {"password": OTHER}, token=token)).code == "reauthentication_needed"
        await auth.call("GET", "/reauthenticate", token=other)
        code = code_of({"text": auth.mails()[-1]["text"].replace("go on:", "code:")})
        answer = await auth.call("PUT", "/user", {"password": OTHER, "nonce": code}, token=token)
        assert answer.code == "reauthentication_not_valid"
        body = {"password": OTHER, "current_password": PASSWORD}
        assert (await auth.call("PUT", "/user", body, token=token)).status == 200
        assert [(mail["kind"], mail["to"]) for mail in auth.mails()][1:] == [("auth.password_changed", [EMAIL])]

    with_auth(scenario, jwt_exp=200_000)


# --- 34 and 35: who comes in -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("age", [31, 60, 600, 86_400])
def test_promise_34_token_is_stale_within_half_a_minute_and_names_its_own_session(
    with_auth: WithAuth, age: int
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.create("mallory@example.com")
        claims = jwt.decode((await auth.sign_in())["access_token"], options={"verify_signature": False})
        other = jwt.decode(
            (await auth.sign_in("mallory@example.com"))["access_token"], options={"verify_signature": False}
        )
        mixed = tokens.mint({**other, "session_id": claims["session_id"]}, auth.keys.signing)
        assert (await auth.call("GET", "/user", token=mixed)).code == "session_not_found"
        token = tokens.mint(claims, auth.keys.signing)
        auth.clock.move(3600)
        assert (await auth.call("GET", "/user", token=token)).status == 200
        auth.clock.move(age)
        assert (await auth.call("GET", "/user", token=token)).code == "bad_jwt"

    with_auth(scenario)


OPEN = sorted({(route.method, route.path) for route in ROUTES if route.guard is Guard.OPEN})
BODIES: tuple[dict[str, Any], ...] = (
    {"email": "new@example.com", "password": PASSWORD},
    {"phone": PHONE, "password": PASSWORD},
    {"data": {}},
    {"email": "new@example.com", "create_user": True},
    {"phone": PHONE, "create_user": True},
    {"type": "signup", "email": "new@example.com"},
    {"type": "sms", "phone": PHONE},
    {"type": "signup", "email": "new@example.com", "token": "123456"},
    {"provider": "google", "id_token": "x.y.z"},
)


@pytest.mark.parametrize("confirming", [True, False])
def test_promise_35_no_open_route_makes_an_account_while_sign_up_is_off(
    with_auth: WithAuth, hook: LocalServer, confirming: bool
) -> None:
    async def scenario(auth: Auth) -> None:
        for (method, path), body in itertools.product(OPEN, BODIES):
            for query in ("", "?grant_type=password", "?grant_type=id_token", "?grant_type=web3"):
                if query and path != "/token":
                    continue
                await auth.call(method, path + query, body)
        assert auth.rows("select count(*)::text from auth.users") == [("0",)]
        assert auth.mails() == [] and hook.asked == []

    with_auth(
        scenario,
        **{**LIMITS, **on(hook), "phone_enabled": True, "anonymous_users_enabled": True, "sms_max_frequency": 0.0},
        auth_address_limits=False,
        mailer_autoconfirm=not confirming,
        sms_autoconfirm=not confirming,
    )
