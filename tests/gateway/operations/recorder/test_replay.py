"""How a request is asked again: by whom, in which values, and when not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from gateway.operations.recorder.exchange import Caller, Exchange, Message
from gateway.operations.recorder.replay import Outcome, ReplayTarget, missing, replay

HOME = "https://project.example"
TOKEN = "/auth/v1/token"
ADA = "ada@example.test"
KEY = Caller("publishable", "publishable")
USER = Caller("publishable", "user", ADA, "0123456789abcdef")
SESSION = {"access_token": "<redacted access_token 0123456789abcdef>", "user": {"email": ADA}}
MASKED = {"email": ADA, "password": "<redacted password>"}

Handler = Callable[[httpx.Request], httpx.Response]


def message(body: Any = "", **headers: str) -> Message:
    if isinstance(body, str):
        return Message(headers, body)
    return Message({"content-type": "application/json", **headers}, json.dumps(body))


def exchange(
    method: str = "GET", path: str = "/rest/v1/notes", query: str = "", *, by: Caller = KEY, sent: Any = "",
    status: int = 200, answer: Any = "",
) -> Exchange:  # fmt: skip
    return Exchange("", by, method, path, query, message(sent), status, message(answer))


def again(handler: Handler, *exchanges: Exchange, waits: list[float] | None = None, **passwords: str) -> list[Outcome]:
    server = ReplayTarget(HOME, "sb_publishable_x", "sb_secret_x", {ADA: "ada's own", **passwords})
    with httpx.Client(transport=httpx.MockTransport(handler)) as client:
        lines = list(enumerate(exchanges, 1))
        return list(replay(lines, server, client, sleep=(waits if waits is not None else []).append))


def seen_by(*exchanges: Exchange, answers: dict[str, Any] | None = None) -> list[httpx.Request]:
    """The requests that a server gets; it answers by path, else with nothing."""
    requests: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        given = (answers or {}).get(request.url.path)
        return httpx.Response(200, json=given) if given is not None else httpx.Response(200)

    again(handler, *exchanges)
    return requests


def test_keys_are_those_of_the_new_server() -> None:
    public, secret, nobody, odd = seen_by(
        exchange(), exchange(by=Caller("secret", "secret")), exchange(by=Caller()), exchange(by=Caller("unknown", ""))
    )
    assert (public.headers["apikey"], public.headers["authorization"]) == (
        "sb_publishable_x",
        "Bearer sb_publishable_x",
    )
    assert (secret.headers["apikey"], secret.headers["authorization"]) == ("sb_secret_x", "Bearer sb_secret_x")
    assert "apikey" not in nobody.headers and "authorization" not in nobody.headers
    assert odd.headers["apikey"] == "not-a-key" and "authorization" not in odd.headers


def test_a_user_is_signed_in_once_with_the_given_password() -> None:
    sign_in, first, second = seen_by(
        exchange(by=USER), exchange(by=USER), answers={TOKEN: {"access_token": "t1", "user": {"email": ADA}}}
    )
    assert json.loads(sign_in.content) == {"email": ADA, "password": "ada's own"}
    assert first.headers["authorization"] == second.headers["authorization"] == "Bearer t1"


def test_a_recorded_sign_in_is_made_again_and_its_token_used() -> None:
    signing_in = exchange("POST", TOKEN, "grant_type=password", sent=MASKED, answer=SESSION)
    answers = {TOKEN: {"access_token": "eyJ0eXAiOjF9.eyJzdWIiOjF9.x", "user": {"email": ADA}}}
    sign_in, read = seen_by(signing_in, exchange(by=USER), answers=answers)
    assert json.loads(sign_in.content)["password"] == "ada's own"
    assert read.headers["authorization"] == f"Bearer {answers[TOKEN]['access_token']}"


def test_a_recorded_wrong_password_is_wrong_again() -> None:
    (guess,) = seen_by(exchange("POST", TOKEN, "grant_type=password", sent=MASKED, status=400))
    assert json.loads(guess.content)["password"] not in ("ada's own", "<redacted password>", "")


def test_who_signed_up_in_the_recording_has_one_password_throughout() -> None:
    new = {"email": "new@example.test", "password": "<redacted password>"}
    sign_up, sign_in = seen_by(
        exchange("POST", "/auth/v1/signup", sent=new), exchange("POST", TOKEN, "grant_type=password", sent=new)
    )
    made = json.loads(sign_up.content)["password"]
    assert len(made) > 12 and json.loads(sign_in.content)["password"] == made


def test_a_user_who_cannot_be_signed_in_is_a_difference() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        return httpx.Response(400, text="Invalid login credentials")

    (outcome,) = again(refuse, exchange(by=USER))
    assert [(d.place, d.recorded, d.replayed) for d in outcome.differences] == [
        ("sign-in", ADA, "400 Invalid login credentials")
    ]


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        (exchange("PUT", "/auth/v1/user", sent={"password": "<redacted password>"}), "it would change a password"),
        (exchange("POST", "/auth/v1/verify", sent={"token": "<redacted token>"}),
         "it carries a token that the recording does not hold"),
        (exchange(query="code=%3Credacted+code%3E"), "it carries a code that the recording does not hold"),
        (exchange(by=Caller("publishable", "expired", ADA, "0")), "its token had run out"),
        (exchange(status=429), "a rate limit refused it"),
        (Exchange("", KEY, "POST", "/functions/v1/f", "", Message({}, size=999_999), 200, Message()),
         "its body was not kept"),
    ],
    ids=["new password", "mailed token", "code", "expired", "limited", "too long"],
)  # fmt: skip
def test_what_cannot_be_asked_again_is_left_out_and_says_why(left_out: Exchange, reason: str) -> None:
    def never(request: httpx.Request) -> httpx.Response:
        raise AssertionError(request.url)

    (outcome,) = again(never, left_out)
    assert outcome.left_out == reason


def test_a_rate_limit_is_waited_for() -> None:
    answers = iter([httpx.Response(429, headers={"retry-after": "7"}), httpx.Response(200)])
    waits: list[float] = []
    (outcome,) = again(lambda _: next(answers), exchange(), waits=waits)
    assert waits == [7.0]
    assert outcome.differences == ()


def test_a_query_keeps_its_spelling_where_nothing_changes() -> None:
    (request,) = seen_by(exchange(query="select=a,b&or=(a.eq.1,b.like.*x%25)&limit=1"))
    assert request.url.query == b"select=a,b&or=(a.eq.1,b.like.*x%25)&limit=1"


def test_what_a_replay_lacks_is_told_beforehand() -> None:
    bea = "bea@example.test"
    signing_in = exchange("POST", TOKEN, "grant_type=password", sent=MASKED | {"email": bea}, answer=SESSION)
    lines = list(enumerate([exchange(by=Caller("secret", "secret")), signing_in, exchange(by=USER)], 1))
    assert missing(lines, ReplayTarget(HOME, "k")) == [
        "the recording has requests with the secret key: give --secret-key",
        f"the recording has requests of {bea}: give --user {bea}",
    ]
    assert missing(lines, ReplayTarget(HOME, "k", "s", {bea: "p"})) == []
    assert missing(lines[2:], ReplayTarget(HOME, "k")) == [f"the recording has requests of {ADA}: give --user {ADA}"]
