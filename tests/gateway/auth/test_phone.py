"""Codes by text message: through a hook, for numbers with a fixed code, and where nothing can be sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.auth.outbound.sms import Messenger
from gateway.settings import Settings
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, LocalServer, local_server
from tests.gateway.auth.service import PASSWORD, Auth

PHONE = "15085550100"
OTHER = "15085550199"
SECRET = b"a secret of thirty-two characters"
ON: dict[str, Any] = {"phone_enabled": True, "disable_signup": False, "sms_test_otp": (f"{PHONE}:123456",)}


@pytest.fixture
def hook() -> Iterator[LocalServer]:
    """A hook that sends everything."""
    with local_server(lambda asked: (200, {})) as server:
        yield server


def hooked(server: LocalServer, **more: Any) -> dict[str, Any]:
    secrets = "v1,whsec_" + base64.b64encode(SECRET).decode()
    settings = {"phone_enabled": True, "disable_signup": False, "sms_hook": server.url, "sms_hook_secrets": secrets}
    return {**settings, **more}


def sent(server: LocalServer) -> dict[str, Any]:
    """The last message."""
    return dict(json.loads(server.asked[-1].raw))


async def verify(auth: Auth, token: str, phone: str = PHONE, kind: str = "sms") -> Any:
    return await auth.call("POST", "/verify", {"type": kind, "phone": phone, "token": token})


def test_code_of_a_message_signs_up_and_in(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/otp", {"phone": f"+{PHONE}", "data": {"name": "Ada"}})
        assert (answer.status, answer.body) == (200, {})
        message = sent(hook)
        assert message["sms"]["phone"] == message["user"]["phone"] == PHONE
        session = (await verify(auth, message["sms"]["otp"])).body
        assert session["user"]["phone"] == PHONE and session["user"]["phone_confirmed_at"]
        assert session["user"]["app_metadata"] == {"provider": "phone", "providers": ["phone"]}
        told = {"name": "Ada", "sub": session["user"]["id"], "phone": PHONE, "email_verified": False}
        assert session["user"]["user_metadata"] == {**told, "phone_verified": True}
        assert (await verify(auth, message["sms"]["otp"])).code == "otp_expired"
        auth.clock.move(61)
        assert (await auth.call("POST", "/otp", {"phone": PHONE, "create_user": False})).status == 200
        again = (await verify(auth, sent(hook)["sms"]["otp"])).body
        assert again["user"]["id"] == session["user"]["id"]

    with_auth(scenario, **hooked(hook))


def test_hook_can_tell_who_asks_it(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.call("POST", "/otp", {"phone": PHONE})
        asked = hook.asked[-1]
        signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.{asked.raw}"
        code = base64.b64encode(hmac.digest(SECRET, signed.encode(), "sha256")).decode()
        assert asked.headers["webhook-signature"] == f"v1,{code}"

    with_auth(scenario, **hooked(hook))


def test_hook_may_be_a_function_of_the_database(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        auth.script(
            "create table public.texts (event jsonb);"
            "create function public.send_text(event jsonb) returns jsonb language sql security definer as"
            " $$ insert into public.texts values (event); select case when event #>> '{sms,phone}' = '15085550199'"
            """ then '{"error": {"http_code": 500, "message": "no such line"}}'::jsonb else '{}' end $$;"""
            "grant execute on function public.send_text(jsonb) to supabase_auth_admin"
        )
        assert (await auth.call("POST", "/otp", {"phone": PHONE})).status == 200
        ((code,),) = auth.rows("select event #>> '{sms,otp}' from public.texts")
        assert (await verify(auth, code or "")).status == 200
        refused = await auth.call("POST", "/otp", {"phone": OTHER})
        assert (refused.status, refused.code) == (422, "sms_send_failed")
        assert "no such line" in refused.body["message"]

    with_fresh_auth(
        scenario, phone_enabled=True, disable_signup=False, sms_hook="pg-functions://postgres/public/send_text"
    )


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/otp", {"phone": OTHER}),
        ("POST", "/signup", {"phone": OTHER, "password": PASSWORD}),
        ("PUT", "/user", {"phone": OTHER}),
    ],
)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [(None, "no provider is configured"), ((503, "closed"), "status 503"), ((200, {"error": "line cut"}), "line cut")],
)
def test_message_that_cannot_be_sent_is_told_and_leaves_nothing(
    with_auth: WithAuth, method: str, path: str, body: dict[str, Any], answer: tuple[int, Any] | None, reason: str
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"] if path == "/user" else None
        for _ in range(2):  # what was not sent need not be waited for
            refused = await auth.call(method, path, body, token=token)
            assert (refused.status, refused.code) == (422, "sms_send_failed")
            assert reason in refused.body["message"]
        assert auth.rows("select count(*) from auth.users where phone is not null or phone_change <> ''") == [("0",)]
        assert auth.rows("select count(*) from auth.one_time_tokens") == [("0",)]

    with local_server(lambda asked: answer or (200, {})) as server:
        settings = hooked(server) if answer else {**ON, "sms_test_otp": ()}
        with_auth(scenario, **settings)


def test_number_with_a_fixed_code_gets_no_message(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        assert (await auth.call("POST", "/otp", {"phone": PHONE})).status == 200
        assert hook.asked == []
        assert (await verify(auth, "654321")).code == "otp_expired"
        assert (await verify(auth, "123456")).status == 200

    with_auth(scenario, **hooked(hook, sms_test_otp=(f"{PHONE}:123456",)))


def test_fixed_codes_end_when_settings_say_so() -> None:
    rows = {"GOTRUE_SMS_TEST_OTP": f"{PHONE}:123456", "GOTRUE_SMS_TEST_OTP_VALID_UNTIL": "2027-01-01T00:00:00Z"}
    messenger = Messenger.of(Settings.load(rows))
    end = 1_798_761_600.0
    assert messenger.fixed_code(PHONE, end) == "123456"
    assert messenger.fixed_code(PHONE, end + 1) is None


@pytest.mark.parametrize(
    "settings",
    [
        {"sms_hook": "http://hooks.example.com/"},
        {"sms_hook": "https://hooks.example.com/"},
        {"sms_hook": "https://hooks.example.com/", "sms_hook_secrets": "v1,whsec_%"},
        {"sms_hook": "pg-functions://postgres/one"},
        {"sms_test_otp": ("ada:1",)},
        {"sms_test_otp_valid_until": "tomorrow"},
    ],
)
def test_setting_that_cannot_work_stops_the_start(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"GOTRUE_|pg-functions"):
        Messenger.of(Settings.load({}, **settings))


def test_sign_up_with_a_number_waits_for_its_code(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        body = {"phone": PHONE, "password": PASSWORD}
        user = (await auth.call("POST", "/signup", body)).body
        assert "access_token" not in user and user["phone"] == PHONE and "phone_confirmed_at" not in user
        refused = await auth.call("POST", "/token?grant_type=password", body)
        assert (refused.status, refused.code) == (400, "phone_not_confirmed")
        too_soon = await auth.call("POST", "/resend", {"type": "sms", "phone": PHONE})
        assert (too_soon.status, too_soon.code) == (429, "over_sms_send_rate_limit")
        auth.clock.move(61)
        assert (await auth.call("POST", "/resend", {"type": "sms", "phone": PHONE})).status == 200
        assert (await verify(auth, "123456")).body["user"]["id"] == user["id"]
        assert (await auth.call("POST", "/token?grant_type=password", body)).status == 200
        auth.clock.move(61)
        fake = (await auth.call("POST", "/signup", body)).body
        assert fake["identities"] == [] and fake["id"] != user["id"] and fake["phone"] == PHONE

    with_auth(scenario, **ON)


def test_code_expires_with_its_own_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.call("POST", "/otp", {"phone": PHONE})
        auth.clock.move(31)
        assert (await verify(auth, "123456")).code == "otp_expired"

    with_auth(scenario, **ON, sms_otp_exp=30.0)


def test_new_number_takes_effect_when_its_code_comes_back(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        auth.clock.move(1)
        changed = (await auth.call("PUT", "/user", {"phone": PHONE}, token=token)).body
        assert (changed["phone"], changed["new_phone"]) == ("", PHONE)
        assert (await verify(auth, "123456", kind="sms")).code == "otp_expired"
        user = (await verify(auth, "123456", kind="phone_change")).body["user"]
        assert user["phone"] == PHONE and "new_phone" not in user
        assert user["app_metadata"]["providers"] == ["email", "phone"]
        assert [item["provider"] for item in user["identities"]] == ["email", "phone"]
        body = {"phone": PHONE, "password": PASSWORD}
        assert (await auth.call("POST", "/token?grant_type=password", body)).status == 200
        other = await auth.create("grace@example.com")
        token = (await auth.sign_in(other["email"]))["access_token"]
        assert (await auth.call("PUT", "/user", {"phone": PHONE}, token=token)).code == "phone_exists"

    with_auth(scenario, **ON)


def test_code_of_a_number_confirms_no_address_and_the_other_way_about(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.admin("POST", "/admin/users", {"email": "ada@example.com", "phone": PHONE, "password": PASSWORD})
        await auth.call("POST", "/otp", {"phone": PHONE})
        hashed = hashlib.sha224(f"{PHONE}123456".encode()).hexdigest()
        for body in (
            {"type": "signup", "phone": PHONE, "token": "123456"},
            {"type": "signup", "token_hash": hashed},
            {"type": "sms", "token_hash": hashed},
        ):
            refused = await auth.call("POST", "/verify", body)
            assert refused.code in ("otp_expired", "validation_failed"), body
            await auth.call("POST", "/otp", {"phone": PHONE})
        assert auth.rows("select email_confirmed_at from auth.users") == [(None,)]
        auth.clock.move(61)
        await auth.call("POST", "/signup", {"email": "ada@example.com", "password": PASSWORD})
        code = auth.mails()[-1]["text"]
        digits = next(word for word in code.split() if word.strip(".").isdigit() and len(word.strip(".")) == 6)
        body = {"type": "sms", "email": "ada@example.com", "token": digits.strip(".")}
        assert (await auth.call("POST", "/verify", body)).code == "otp_expired"
        assert auth.rows("select phone_confirmed_at from auth.users") == [(None,)]

    with_auth(scenario, **ON, smtp_max_frequency=0.0, sms_max_frequency=0.0)


def test_presence_is_proved_by_a_message_where_there_is_no_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.admin("POST", "/admin/users", {"phone": PHONE, "password": PASSWORD, "phone_confirm": True})
        body = {"phone": PHONE, "password": PASSWORD}
        token = (await auth.call("POST", "/token?grant_type=password", body)).body["access_token"]
        assert (await auth.call("GET", "/reauthenticate", token=token)).status == 200
        wrong = await auth.call("PUT", "/user", {"password": "another-lantern-5", "nonce": "654321"}, token=token)
        assert wrong.code == "reauthentication_not_valid"
        right = await auth.call("PUT", "/user", {"password": "another-lantern-5", "nonce": "123456"}, token=token)
        assert right.status == 200, right.body

    with_auth(scenario, **ON)


@pytest.mark.parametrize(
    ("path", "body", "settings", "status", "code"),
    [
        ("/otp", {"phone": PHONE}, {"phone_enabled": False}, 400, "phone_provider_disabled"),
        ("/otp", {"phone": PHONE}, {"disable_signup": True, "auth_reveal_accounts": True}, 422, "signup_disabled"),
        ("/otp", {"phone": PHONE, "create_user": False}, {"auth_reveal_accounts": True}, 422, "otp_disabled"),
        ("/otp", {"phone": PHONE, "channel": "pigeon"}, {}, 400, "validation_failed"),
        ("/otp", {"phone": "12x"}, {}, 400, "validation_failed"),
        ("/resend", {"type": "sms"}, {}, 400, "validation_failed"),
        ("/verify", {"type": "sms", "phone": "12x", "token": "123456"}, {}, 400, "validation_failed"),
        ("/verify", {"type": "sms", "phone": PHONE, "token": "123456"}, {}, 403, "otp_expired"),
    ],
)  # fmt: skip
def test_refusals_have_their_documented_codes(
    with_auth: WithAuth, path: str, body: dict[str, Any], settings: dict[str, Any], status: int, code: str
) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", path, body)
        assert (answer.status, answer.code) == (status, code), answer.body

    with_auth(scenario, **{**ON, **settings})


def test_all_messages_together_have_a_quota(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        for number, status in ((PHONE, 200), (OTHER, 429)):
            assert (await auth.call("POST", "/otp", {"phone": number})).status == status
        assert len(hook.asked) == 1

    with_auth(scenario, **hooked(hook, rate_limit_sms_sent=1.0))


def test_hook_may_answer_in_plain_text(with_auth: WithAuth) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        return 200, "sent"  # no JSON, but a good status

    async def scenario(auth: Auth) -> None:
        assert (await auth.call("POST", "/otp", {"phone": PHONE})).status == 200

    with local_server(answer) as server:
        with_auth(scenario, **hooked(server))
