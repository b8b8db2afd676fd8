"""What a mail server says at any step, and what comes of the mail."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import aiosmtplib
import pytest
from procrastinate.jobs import Job

from gateway.jobs.worker import GIVE_UP_AFTER, MailRetry
from gateway.mail import delivery
from gateway.mail.delivery import DeliveryFailed, Server, deliver
from gateway.mail.message import BadMail, Sender, build_message

STEPS = ("greeting", "mail", "rcpt", "data", "text")
USUAL = {"greeting": "220 ready", "ehlo": "250 here", "data": "354 go on", "quit": "221 bye"}


def outcome(step: str, reply: str) -> tuple[str, str, int]:
    """Send one mail to a server that says `reply` at one step (nothing: it hangs up); how often it had the text."""
    had = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal had
        now = "greeting"
        while True:
            if now == "text":
                while (await reader.readline()).strip() != b".":
                    pass
                had += 1
            said = reply if now == step else USUAL.get(now, "250 fine")
            if not said:
                break
            writer.write(said.encode() + b"\r\n")
            if now == "data" and said.startswith("354"):
                now = "text"
                continue
            line = await reader.readline()
            now = line.split(b" ")[0].strip().decode().lower()
            if not line:
                break
        writer.close()

    async def main() -> tuple[str, str]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        mail = {"to": ["a@example.test"], "subject": "x", "text": "y"}
        async with server:
            try:
                message = build_message(mail, 1, Sender("b@example.test", ""))
                return "sent", await deliver(message, Server("127.0.0.1", port, trusted=True))
            except DeliveryFailed as error:
                return error.outcome, error.reply

    return (*asyncio.run(asyncio.wait_for(main(), 60)), had)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("500 what", "refused"),
        ("550 not here", "refused"),
        ("554 never", "refused"),
        ("499 later", "deferred"),
        ("451 later", "deferred"),
        ("421 closing", "deferred"),
    ],
)
def test_promise_46_a_server_s_word_counts_at_every_step(step: str, reply: str, expected: str) -> None:
    found, said, _ = outcome(step, reply)
    assert found == expected
    assert reply.split(" ", 1)[1] in said, "its reason is kept"


@pytest.mark.parametrize("step", [*STEPS, "quit"])
def test_promise_46_a_server_that_hangs_up_gets_another_try_unless_it_has_the_text(step: str) -> None:
    found, _, had = outcome(step, "")
    expected = {"text": "unanswered", "quit": "sent"}.get(step, "unreachable")
    assert had == (step in ("text", "quit"))
    assert found in (("unanswered", "unreachable") if step == "data" else (expected,))


@pytest.mark.parametrize("priority", [0, 10, 100])
@pytest.mark.parametrize("attempts", [0, 1, 5, 100, 10_000])
@pytest.mark.parametrize("kind", ["deferred", "unreachable", "unanswered", "another error"])
def test_promise_46_what_may_yet_be_taken_is_tried_again_for_five_days(kind: str, attempts: int, priority: int) -> None:
    def again(error: Exception, age: timedelta) -> bool:
        queued = (datetime.now(UTC) - age).isoformat()
        job = Job(
            id=1, queue="mail", lock=None, queueing_lock=None, task_name="mail.send", attempts=attempts,
            priority=priority, task_kwargs={"queued_at": queued, "mail": {}},
        )  # fmt: skip
        found = MailRetry().get_retry_decision(exception=error, job=job)
        if found is not None:
            assert found.retry_at is not None
            assert datetime.now(UTC) < found.retry_at < datetime.now(UTC) + timedelta(days=1, minutes=1)
        return found is not None

    error = OSError("x") if kind == "another error" else DeliveryFailed(kind, "x")
    assert again(error, timedelta(0)) and again(error, GIVE_UP_AFTER - timedelta(minutes=1))
    assert not again(error, GIVE_UP_AFTER + timedelta(minutes=1))
    assert not again(DeliveryFailed("refused", "x"), timedelta(0)) and not again(BadMail("x"), timedelta(0))


class Connection:
    """Keeps what a connection is asked for, and ends there."""

    asked: ClassVar[dict[str, Any]] = {}

    def __init__(self, **options: Any) -> None:
        type(self).asked = options
        self.is_connected, self.handed_over = False, False

    async def connect(self, timeout: float) -> None:
        self.asked["connect"] = timeout
        raise OSError("nobody there")

    def close(self) -> None:
        self.asked["closed"] = True


@pytest.mark.parametrize(
    ("server", "use_tls", "start_tls"),
    [
        pytest.param(Server("h", 465), True, False, id="TLS from the first byte"),
        pytest.param(Server("h", 587), False, None, id="STARTTLS where it is offered"),
        pytest.param(Server("h", 25), False, None, id="the old port"),
        pytest.param(Server("h", 2525, trusted=True), False, False, id="the trap"),
        pytest.param(Server("h", 464), False, None, id="a neighbour"),
    ],
)
@pytest.mark.parametrize(("user", "password"), [("", ""), ("ada", "secret"), ("ada", "")])
def test_a_connection_is_encrypted_and_signed_in_as_the_server_asks(
    server: Server, use_tls: bool, start_tls: bool | None, user: str, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "_Client", Connection)
    message = build_message({"to": ["a@example.test"], "subject": "x", "text": "y"}, 1, Sender("b@example.test", ""))
    with pytest.raises(DeliveryFailed) as caught:
        asyncio.run(deliver(message, replace(server, user=user, password=password)))
    assert (caught.value.outcome, caught.value.reply) == ("unreachable", "nobody there")
    assert Connection.asked == {
        "hostname": "h", "port": server.port, "username": user or None, "password": password or None,
        "use_tls": use_tls, "start_tls": start_tls, "timeout": 300.0, "connect": 60.0, "closed": True,
    }  # fmt: skip


def test_promise_46_what_one_of_several_recipients_is_refused_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail that some of its recipients get is sent; the server's word on the others is kept."""

    async def answers(refused: dict[str, Any]) -> str:
        class Partly(Connection):
            async def connect(self, timeout: float) -> None: ...

            async def send_message(self, message: object) -> tuple[dict[str, Any], str]:
                return refused, "250 fine"

        monkeypatch.setattr(delivery, "_Client", Partly)
        mail = {"to": ["a@example.test", "c@example.test"], "subject": "x", "text": "y"}
        return await deliver(build_message(mail, 1, Sender("b@example.test", "")), Server("h", 25))

    assert asyncio.run(answers({})) == "250 fine"
    refused = {
        "a@example.test": aiosmtplib.SMTPResponse(550, "no"),
        "c@example.test": aiosmtplib.SMTPResponse(451, "x"),
    }
    assert asyncio.run(answers(refused)) == "250 fine; refused for a@example.test: 550 no; c@example.test: 451 x"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((550, 551), "refused"),
        ((500, 599), "refused"),
        ((550, 451), "deferred"),
        ((451, 450), "deferred"),
        ((499,), "deferred"),
    ],
)
def test_promise_46_a_mail_is_given_up_only_when_every_recipient_is_refused_for_good(
    codes: tuple[int, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing(Connection):
        async def connect(self, timeout: float) -> None:
            raise aiosmtplib.SMTPRecipientsRefused(
                [aiosmtplib.SMTPRecipientRefused(code, "no", f"{code}@example.test") for code in codes]
            )

    monkeypatch.setattr(delivery, "_Client", Refusing)
    message = build_message({"to": ["a@example.test"], "subject": "x", "text": "y"}, 1, Sender("b@example.test", ""))
    with pytest.raises(DeliveryFailed) as caught:
        asyncio.run(deliver(message, Server("h", 25)))
    assert caught.value.outcome == expected
    assert caught.value.reply == "; ".join(f"{code}@example.test: {code} no" for code in codes)


@pytest.mark.parametrize("error", [aiosmtplib.SMTPAuthenticationError(535, "wrong"), ssl.SSLError("x"), TimeoutError()])
def test_promise_46_wrong_credentials_and_certificates_wait_for_the_operator(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Connection):
        async def connect(self, timeout: float) -> None:
            raise error

    monkeypatch.setattr(delivery, "_Client", Failing)
    message = build_message({"to": ["a@example.test"], "subject": "x", "text": "y"}, 1, Sender("b@example.test", ""))
    with pytest.raises(DeliveryFailed) as caught:
        asyncio.run(deliver(message, Server("h", 25)))
    assert not caught.value.permanent and caught.value.reply
    assert caught.value.outcome == (
        "deferred" if isinstance(error, aiosmtplib.SMTPAuthenticationError) else "unreachable"
    )


def test_the_longest_waits_are_those_of_the_standard() -> None:
    assert (delivery.STEP, delivery.ACCEPT) == (300.0, 600.0), "RFC 5321 section 4.5.3.2"
