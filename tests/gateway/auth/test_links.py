"""Mailed codes and links: recovery, sign-in by mail, verification, PKCE, and how often."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway.auth.flows.verify import error_values
from gateway.errors import ApiError, ErrorRow
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth

VERIFIER = "a-verifier-that-is-long-enough-to-be-one-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "s256"}
LIMITS = {"smtp_max_frequency": 0.0}


def link_of(mail: dict[str, Any]) -> str:
    """Path and query of the link in a mail."""
    found = re.search(r"https://api\.example\.com/auth/v1(/verify\S+)", mail["text"])
    assert found is not None, mail["text"]
    return found[1]


def code_of(mail: dict[str, Any]) -> str:
    found = re.search(r"code: (\d{6})", mail["text"])
    assert found is not None, mail["text"]
    return found[1]


def test_recovery_link_signs_in_once_and_leads_to_the_site(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        answer = await auth.call(
            "POST", "/recover?redirect_to=https://app.example.com/reset", {"email": "ada@example.com"}
        )
        assert (answer.status, answer.body) == (200, {})
        (mail,) = auth.mails()
        assert mail["to"] == ["ada@example.com"]
        assert mail["kind"] == "auth.recovery"
        assert mail["request"] == "request-1"
        assert mail["subject"] == "Reset your password"
        assert code_of(mail) in mail["html"]
        followed = await auth.call("GET", link_of(mail))
        assert followed.status == 303
        assert followed.location.startswith("https://app.example.com/reset#")
        session = followed.fragment
        assert session["type"] == "recovery"
        assert session["token_type"] == "bearer"
        assert set(session) == {
            "access_token", "expires_at", "expires_in", "refresh_token", "sb", "token_type", "type",
        }  # fmt: skip
        me = await auth.call("GET", "/user", token=session["access_token"])
        assert me.body["id"] == user["id"]
        again = await auth.call("GET", link_of(mail))
        assert again.fragment["error_code"] == "otp_expired"
        assert again.fragment["error"] == "access_denied"
        assert again.fragment["error_description"] == "Email link is invalid or has expired"

    with_auth(scenario)


def test_promise_31_recovery_answers_the_same_for_known_and_unknown_addresses(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for _ in range(2):
            known = await auth.call("POST", "/recover", {"email": "ada@example.com"})
            unknown = await auth.call("POST", "/recover", {"email": "nobody@example.com"})
            assert (known.status, known.raw) == (unknown.status, unknown.raw)
        assert known.status == 429  # the second within a minute, for both
        assert known.body["message"] == "For security purposes, you can only request this after 60 seconds."
        assert len(auth.mails()) == 1

    with_auth(scenario)


def test_promise_31_link_expires_and_a_newer_one_replaces_it(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for _ in range(2):
            await auth.call("POST", "/recover", {"email": "ada@example.com"})
        older, newer = auth.mails()
        assert (await auth.call("GET", link_of(older))).fragment["error_code"] == "otp_expired"
        auth.clock.move(3601)
        assert (await auth.call("GET", link_of(newer))).fragment["error_code"] == "otp_expired"

    with_auth(scenario, **LIMITS)


def test_promise_31_two_requests_with_one_link_make_one_session(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        (mail,) = auth.mails()
        answers = await asyncio.gather(*(auth.call("GET", link_of(mail)) for _ in range(5)))
        assert sum("access_token" in answer.fragment for answer in answers) == 1

    with_auth(scenario)


def test_promise_31_stored_link_cannot_be_presented(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        ((stored,),) = auth.rows("select token_hash from auth.one_time_tokens")
        assert stored is not None and stored not in link_of(auth.mails()[0])
        body = {"type": "recovery", "token_hash": stored}
        assert (await auth.call("POST", "/verify", body)).code == "otp_expired"

    with_auth(scenario)


def test_link_stored_by_a_hosted_project_works(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        link = await auth.admin("POST", "/admin/generate_link", {"type": "recovery", "email": "ada@example.com"})
        hashed = link.body["hashed_token"]
        assert auth.rows("select token_hash, relates_to from auth.one_time_tokens") == [(hashed, "ada@example.com")]
        expected = hashlib.sha224(f"ada@example.com{link.body['email_otp']}".encode()).hexdigest()
        assert hashed == expected

    async def afterwards(auth: Auth) -> None:
        ((hashed,),) = auth.rows("select token_hash from auth.one_time_tokens")
        answer = await auth.call("POST", "/verify", {"type": "recovery", "token_hash": hashed})
        assert answer.status == 200

    with_auth(scenario, auth_plain_tokens=True)
    with_auth(afterwards)


def test_promise_31_pkce_link_works_only_for_the_client_that_asked(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com", **PKCE})
        followed = await auth.call("GET", link_of(auth.mails()[0]))
        assert followed.status == 303
        code = followed.location_query["code"]
        assert "#" not in followed.location
        wrong = await auth.call("POST", "/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER + "x"})
        assert (wrong.status, wrong.code) == (400, "bad_code_verifier")
        right = await auth.call("POST", "/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
        assert right.status == 200
        assert right.body["user"]["email"] == "ada@example.com"
        again = await auth.call("POST", "/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
        assert (again.status, again.code) == (404, "flow_state_not_found")

    with_auth(scenario)


def test_pkce_code_expires_five_minutes_after_the_link_was_followed(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/magiclink", {"email": "ada@example.com", **PKCE})
        auth.clock.move(1800)
        code = (await auth.call("GET", link_of(auth.mails()[0]))).location_query["code"]
        auth.clock.move(301)
        late = await auth.call("POST", "/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
        assert (late.status, late.code) == (422, "flow_state_expired")

    with_auth(scenario)


@pytest.mark.parametrize(
    "body",
    [
        {"code_challenge": CHALLENGE},
        {"code_challenge_method": "s256"},
        {"code_challenge": "short", "code_challenge_method": "s256"},
        {"code_challenge": CHALLENGE, "code_challenge_method": "md5"},
    ],
)
def test_half_a_code_challenge_is_refused(with_shared_auth: WithAuth, body: dict[str, str]) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/recover", {"email": "ada@example.com", **body})
        assert (answer.status, answer.code) == (400, "validation_failed")

    with_shared_auth(scenario)


def test_code_of_a_mail_signs_in_by_post(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answer = await auth.call("POST", "/otp", {"email": "ada@example.com", "create_user": False})
        assert (answer.status, answer.body) == (200, {})
        body = {"type": "email", "email": "ADA@example.com", "token": code_of(auth.mails()[0])}
        signed_in = await auth.call("POST", "/verify", body)
        assert signed_in.status == 200
        assert signed_in.body["user"]["email"] == "ada@example.com"
        again = await auth.call("POST", "/verify", body)
        assert (again.status, again.code) == (403, "otp_expired")
        assert again.body["message"] == "Token has expired or is invalid"

    with_auth(scenario)


def test_wrong_codes_are_slowed_down_by_address_of_the_mail(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/otp", {"email": "ada@example.com"})
        right = code_of(auth.mails()[0])
        wrong = f"{(int(right) + 1) % 1_000_000:06}"
        statuses = []
        for number in range(8):  # from everywhere, so that no address is at its limit
            body = {"type": "email", "email": "ada@example.com", "token": wrong}
            statuses.append((await auth.call("POST", "/verify", body, client=f"198.51.100.{number}")).status)
        assert statuses == [403] * 6 + [429] * 2

    with_auth(scenario)


def test_verify_asks_for_exactly_one_kind_of_token(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for body in (
            {"type": "email"},
            {"type": "email", "token": "123456"},
            {"type": "email", "token": "123456", "email": "a@b.co", "token_hash": "x"},
            {"type": "email", "token_hash": "x", "email": "a@b.co"},
            {"type": "email", "token_hash": "x", "phone": "15085550142"},
            {"type": "email", "token_hash": "x", "redirect_to": "https://app.example.com"},
            {"type": "telepathy", "token_hash": "x"},
            {"token_hash": "x"},
        ):
            answer = await auth.call("POST", "/verify", body)
            assert (answer.status, answer.code) == (400, "validation_failed"), body

    with_shared_auth(scenario)


def test_code_for_an_unknown_address_makes_no_account_while_sign_up_is_off(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for path in ("/otp", "/magiclink"):
            answer = await auth.call("POST", path, {"email": "new@example.com"})
            assert (answer.status, answer.body) == (200, {})
        answer = await auth.call("POST", "/otp", {"email": "new@example.com", "create_user": False})
        assert (answer.status, answer.body) == (200, {})
        assert auth.rows("select count(*) from auth.users") == [("0",)] and auth.mails() == []
        assert [row["error_code"] for row in auth.audit()] == ["signup_disabled", "signup_disabled", "otp_disabled"]

    async def original(auth: Auth) -> None:
        for path in ("/otp", "/magiclink"):
            answer = await auth.call("POST", path, {"email": "new@example.com"})
            assert (answer.status, answer.code) == (422, "signup_disabled")
        answer = await auth.call("POST", "/otp", {"email": "new@example.com", "create_user": False})
        assert (answer.status, answer.code) == (422, "otp_disabled")

    with_auth(scenario, **LIMITS)
    with_auth(original, auth_reveal_accounts=True)


def test_magic_link_makes_an_account_where_sign_up_is_on(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.call("POST", "/otp", {"email": "new@example.com", "data": {"name": "New"}})
        (mail,) = auth.mails()
        assert mail["kind"] == "auth.confirmation"
        body = {"type": "email", "email": "new@example.com", "token": code_of(mail)}
        signed_in = await auth.call("POST", "/verify", body)
        assert signed_in.body["user"]["user_metadata"]["name"] == "New"

    with_auth(scenario, disable_signup=False)


def test_resend_answers_the_same_when_there_is_nothing_to_send(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create("confirmed@example.com")
        await auth.create("waiting@example.com", email_confirm=False)
        answers = [
            await auth.call("POST", "/resend", {"type": "signup", "email": f"{name}@example.com"})
            for name in ("confirmed", "waiting", "nobody")
        ]
        assert {(answer.status, answer.raw) for answer in answers} == {(200, b"{}")}
        assert [mail["to"] for mail in auth.mails()] == [["waiting@example.com"]]
        bad = await auth.call("POST", "/resend", {"type": "nothing", "email": "a@b.co"})
        assert (bad.status, bad.code) == (400, "validation_failed")

    with_auth(scenario)


def test_all_mails_together_have_a_quota(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for number in range(4):
            await auth.create(f"user{number}@example.com")
        statuses = []
        for number in range(4):
            answer = await auth.call("POST", "/recover", {"email": f"user{number}@example.com"})
            statuses.append(answer.status)
        assert statuses == [200, 200, 200, 429]
        assert answer.body["message"] == "email rate limit exceeded"
        unknown = await auth.call("POST", "/recover", {"email": "nobody@example.com"})
        assert unknown.status == 429  # or the quota would tell who has an account
        auth.clock.move(1201)
        assert (await auth.call("POST", "/recover", {"email": "user3@example.com"})).status == 200

    with_auth(scenario, rate_limit_email_sent=3)


def test_promise_31_recovery_is_limited_by_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        statuses = [
            (await auth.call("POST", "/recover", {"email": f"nobody{number}@example.com"})).status
            for number in range(32)
        ]
        assert statuses == [200] * 30 + [429] * 2
        elsewhere = await auth.call("POST", "/recover", {"email": "n@example.com"}, client="198.51.100.1")
        assert elsewhere.status == 200

    with_auth(scenario)


def test_without_a_job_queue_a_mail_is_a_failure_and_not_a_promise(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.script("drop schema jobs cascade")
        answer = await auth.call("POST", "/recover", {"email": "ada@example.com"})
        assert (answer.status, answer.code) == (500, "unexpected_failure")

    with_fresh_auth(scenario)


def test_refused_redirect_is_silently_replaced_by_the_site(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        for given, used in (
            ("https://evil.example/x", "https://app.example.com"),
            ("https://app.example.com.evil.example/", "https://app.example.com"),
            ("https://preview-7.example.com/in", "https://preview-7.example.com/in"),
            ("umw://signed-in", "umw://signed-in"),
        ):
            body = {"type": "recovery", "email": "ada@example.com", "redirect_to": given}
            link = (await auth.admin("POST", "/admin/generate_link", body)).body
            assert parse_qs(urlsplit(link["action_link"]).query)["redirect_to"] == [used]

    with_auth(scenario, uri_allow_list=("https://preview-*.example.com/**", "umw://signed-in"))


def test_mail_failure_keeps_no_token(with_fresh_auth: WithAuth, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        auth.script(
            "create or replace function jobs.enqueue_mail(payload jsonb, priority integer default 0,"
            " run_after timestamptz default now(), queueing_lock text default null) returns bigint"
            " language plpgsql as $$ begin raise 'the queue is broken'; end $$"
        )
        answer = await auth.call("POST", "/recover", {"email": "ada@example.com"})
        assert (answer.status, answer.body) == (200, {})  # as for an address that nobody has
        assert "was answered but not finished" in caplog.text
        assert auth.rows("select count(*) from auth.one_time_tokens") == [("0",)]

    with_fresh_auth(scenario)


def test_templates_of_a_folder_replace_the_built_in_ones(with_auth: WithAuth, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("mails")
    (folder / "recovery.txt").write_text(
        "Subject: New password for {{ .Data.name }}\n\n{{ .TokenHash }} {{ .SiteURL }}"
    )

    async def scenario(auth: Auth) -> None:
        await auth.create(user_metadata={"name": "Ada <b>"})
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        (mail,) = auth.mails()
        assert mail["subject"] == "New password for Ada <b>"
        assert mail["text"].endswith(" https://app.example.com")
        assert "Choose a new password" in mail["html"]

    with_auth(scenario, mailer_templates=str(folder))


def test_account_without_a_password_is_recovered(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.admin("POST", "/invite", {"email": "ada@example.com"})
        assert (await auth.password()).status == 400
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        code = code_of(auth.mails()[1])
        body = {"type": "recovery", "email": "ada@example.com", "token": code}
        session = (await auth.call("POST", "/verify", body)).body
        changed = await auth.call("PUT", "/user", {"password": PASSWORD}, token=session["access_token"])
        assert changed.status == 200
        assert (await auth.password()).status == 200

    with_auth(scenario)


def test_promise_31_waiting_mail_holds_no_link_that_works(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com"})
        (mail,) = auth.mails()
        hashed = next(part for part in re.findall(r"token=([0-9a-f]+)", mail["text"]))
        code = next(iter(re.findall(r"\b\d{6}\b", mail["text"])))
        stored = "".join(str(row) for row in auth.rows("select args from jobs.procrastinate_jobs"))
        assert mail["to"] == ["ada@example.com"] and "ada@example.com" in stored
        assert hashed not in stored and code not in stored and "/verify" not in stored

    with_auth(scenario)


def test_refused_link_says_why_in_the_fragment_and_for_pkce_in_the_query(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        where = "redirect_to=https%3A%2F%2Fapp.example.com%2Fin%3Ferror%3Dold%26x%3D1"
        why = "error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired"
        plain = await auth.call("GET", f"/verify?token=none&type=recovery&{where}")
        assert (plain.status, plain.location) == (303, f"https://app.example.com/in?error=old&x=1#{why}&sb=")
        pkce = await auth.call("GET", f"/verify?token=pkce_none&type=recovery&{where}")
        assert pkce.location == f"https://app.example.com/in?x=1&{why}#{why}&sb="
        unknown = await auth.call("GET", "/verify?token=none&type=letter")
        assert unknown.fragment == {
            "error": "invalid_request",
            "error_code": "validation_failed",
            "error_description": "Invalid email verification type",
            "sb": "",
        }

    with_auth(scenario)


def test_link_of_either_kind_of_mail_may_say_email_and_tells_which_it_was(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.create("waiting@example.com", email_confirm=False)
        await auth.call("POST", "/magiclink", {"email": "ada@example.com"})
        await auth.call("POST", "/resend", {"type": "signup", "email": "waiting@example.com"})
        for mail, kind in zip(auth.mails(), ("magiclink", "signup"), strict=True):
            path = re.sub("type=[a-z]+", "type=email", link_of(mail))
            assert (await auth.call("GET", path)).fragment["type"] == kind

    with_auth(scenario, **LIMITS)


def test_too_many_followed_links_are_refused_without_a_redirect(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        answers = [await auth.call("GET", "/verify?token=none&type=recovery") for _ in range(2)]
        assert [answer.status for answer in answers] == [303, 429]
        assert answers[1].code == "over_request_rate_limit"

    with_auth(scenario, rate_limit_verify=1.0)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_refused_links_are_looked_at_again_after_five_minutes(with_auth: WithAuth, method: str) -> None:
    async def scenario(auth: Auth) -> None:
        async def follow() -> str:
            if method == "POST":
                return str((await auth.call("POST", "/verify", {"type": "recovery", "token_hash": "none"})).code)
            answer = await auth.call("GET", "/verify?token=none&type=recovery")
            return str(answer.fragment["error_code"] if answer.status == 303 else answer.code)

        assert await follow() == "otp_expired"
        auth.clock.move(299.5)
        assert await follow() == "over_request_rate_limit"
        auth.clock.move(1)
        assert await follow() == "otp_expired"

    with_auth(scenario, rate_limit_verify=1.0)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (400, "invalid_request"), (401, "unauthorized_client"), (403, "access_denied"), (422, None), (429, None),
        (500, "server_error"), (503, "temporarily_unavailable"),
    ],
)  # fmt: skip
def test_address_is_told_of_an_error_in_the_words_of_oauth(status: int, word: str | None) -> None:
    told = {"error_code": "a_code", "error_description": "What it says", "sb": ""}
    expected = told if word is None else {**told, "error": word}
    assert error_values(ApiError(ErrorRow("a_code", status, "What it says"))) == expected


def test_link_to_who_is_not_confirmed_is_a_sign_up(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create("waiting@example.com", email_confirm=False)
        for path in ("/otp", "/magiclink"):
            answer = await auth.call("POST", path, {"email": "waiting@example.com"})
            assert (answer.status, answer.code) == (422, "signup_disabled")

    with_auth(scenario, auth_reveal_accounts=True)


@pytest.mark.parametrize("asked", [{}, PKCE], ids=["implicit", "pkce"])
def test_link_cannot_be_computed_from_a_code_that_is_guessed(with_auth: WithAuth, asked: dict[str, str]) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.call("POST", "/recover", {"email": "ada@example.com", **asked})
        (mail,) = auth.mails()
        code = code_of(mail)
        hashed = hashlib.sha224(f"ada@example.com{code}".encode()).hexdigest()
        for guess in (hashed, f"pkce_{hashed}"):
            followed = await auth.call("GET", f"/verify?type=recovery&token={guess}")
            assert followed.fragment["error_code"] == "otp_expired"
            body = {"type": "recovery", "token_hash": guess}
            assert (await auth.call("POST", "/verify", body)).code == "otp_expired"
        right = {"type": "recovery", "email": "ada@example.com", "token": code}
        assert (await auth.call("POST", "/verify", right)).status == 200

    with_auth(scenario)
