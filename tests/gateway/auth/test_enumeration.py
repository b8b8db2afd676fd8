"""Nobody learns who has an account: not from an answer, nor from what is done before it is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gateway.database.statement import Statement
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import LocalServer, local_server
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_mfa_phone import on

NUMBERS = {"unknown": "15085550101", "known": "15085550102", "waiting": "15085550103", "banned": "15085550104"}
STATES = ("unknown", "known", "waiting", "banned", "changing", "sso")


async def make(auth: Auth, state: str) -> str:
    """Somebody in a state; their address."""
    email = f"{state}@example.com"
    if state == "unknown":
        return email
    more: dict[str, Any] = {"phone": NUMBERS[state], "phone_confirm": state != "waiting"} if state in NUMBERS else {}
    if state == "banned":
        more["ban_duration"] = "24h"
    user = await auth.create(email, email_confirm=state != "waiting", **more)
    if state == "changing":
        auth.script(f"update auth.users set email_change = 'new@example.com', phone_change = '15085550109'"
                    f" where id = '{user['id']}'")  # fmt: skip
    if state == "sso":
        auth.script(f"update auth.users set is_sso_user = true where id = '{user['id']}'")
    return email


@pytest.fixture
def hook() -> Iterator[LocalServer]:
    with local_server(lambda asked: (200, {})) as server:
        yield server


MAILED: dict[str, tuple[str, dict[str, Any]]] = {
    "recover": ("/recover", {}),
    "recover with PKCE": ("/recover", {"code_challenge": "x" * 43, "code_challenge_method": "s256"}),
    "otp": ("/otp", {}),
    "otp without sign-up": ("/otp", {"create_user": False}),
    "magic link": ("/magiclink", {}),
    "resent confirmation": ("/resend", {"type": "signup"}),
    "resent change": ("/resend", {"type": "email_change"}),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "sign-up is off": {"disable_signup": True},
    "sign-up is on": {"disable_signup": False},
    "addresses are not confirmed": {"disable_signup": False, "mailer_autoconfirm": True},
}


async def ask(auth: Auth, path: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """An answer, and every statement that was run before it was given."""
    ran: list[str] = []
    database = auth.service.context.db
    genuine = database.run_all

    async def seen(scope: Any, *statements: Statement) -> Any:
        ran.extend(statement.text for statement in statements)
        return await genuine(scope, *statements)

    with monkeypatch.context() as patched:
        patched.setattr(database, "run_all", seen)
        patched.setattr(database, "transaction", None)
        auth.settles = False
        answer = await auth.call("POST", path, body)
        before = tuple(ran)
    await auth.service.settle()
    auth.settles = True
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    return answer.status, answer.raw, tuple(sorted(headers.items())), before


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize(("path", "body"), MAILED.values(), ids=MAILED)
def test_promise_31_answer_and_work_before_it_are_the_same_for_any_address(
    with_auth: WithAuth,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    body: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.service.context.messages.demand_queue()  # looked for once in a worker's life
        for times in range(2):  # the second comes too soon
            seen = {}
            for state in STATES:
                email = await make(auth, state) if not times else f"{state}@example.com"
                seen[state] = await ask(auth, path, {**body, "email": email}, monkeypatch)
            assert len(set(seen.values())) == 1
            assert seen["known"][0] == (429 if times else 200)

    with_auth(scenario, **settings)


@pytest.mark.parametrize(
    ("path", "body", "settings"),
    [
        ("/otp", {"create_user": False}, {"disable_signup": False}),
        ("/otp", {}, {"disable_signup": True}),
        ("/resend", {"type": "sms"}, {}),
        ("/resend", {"type": "phone_change"}, {}),
    ],
)
def test_promise_31_answer_and_work_before_it_are_the_same_for_any_number(
    with_auth: WithAuth,
    monkeypatch: pytest.MonkeyPatch,
    hook: LocalServer,
    path: str,
    body: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    async def scenario(auth: Auth) -> None:
        for times in range(2):
            seen = {}
            for state, number in NUMBERS.items():
                if not times:
                    await make(auth, state)
                seen[state] = await ask(auth, path, {**body, "phone": number}, monkeypatch)
            assert len(set(seen.values())) == 1
            assert seen["known"][0] == (429 if times else 200)

    with_auth(scenario, **{**on(hook), "phone_enabled": True, **settings})


def test_quota_of_all_mails_tells_nothing_either(with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(auth: Auth) -> None:
        emails = {state: await make(auth, state) for state in STATES}
        await auth.create("first@example.com")
        assert (await auth.call("POST", "/recover", {"email": "first@example.com"})).status == 200
        seen = {state: await ask(auth, "/recover", {"email": email}, monkeypatch) for state, email in emails.items()}
        assert {answer[0] for answer in seen.values()} == {429} and len(set(seen.values())) == 1

    with_auth(scenario, rate_limit_email_sent=1.0)


def test_sign_up_with_an_address_that_is_taken_has_the_status_of_one_that_is_free(with_auth: WithAuth) -> None:
    """What its body tells (no identities) is the contract's; how often and in which order one asks tells no more."""

    async def scenario(auth: Auth) -> None:
        for state in ("known", "banned", "changing"):
            await make(auth, state)
        for _ in range(2):
            statuses = {}
            for state in ("unknown", "known", "banned", "changing"):
                answer = await auth.call("POST", "/signup", {"email": f"{state}@example.com", "password": PASSWORD})
                statuses[state] = (answer.status, answer.code if answer.status != 200 else set(answer.body))
            assert len({str(statuses[state]) for state in ("known", "banned", "changing")}) == 1
            assert {status for status, _ in statuses.values()} in ({200}, {429})

    with_auth(scenario, disable_signup=False)


def test_what_is_left_to_do_is_done_before_the_service_ends(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.settles = False
        answers = [await auth.call("POST", "/recover", {"email": "ada@example.com"})]
        assert answers[0].status == 200
        await auth.service.settle()
        assert len(auth.mails()) == 1

    with_auth(scenario)


def test_more_than_may_be_left_to_do_is_done_before_the_answer(
    with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        monkeypatch.setattr("gateway.auth.service.LATER", 0)
        auth.settles = False
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        assert len(auth.mails()) == 1

    with_auth(scenario)
