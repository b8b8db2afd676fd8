"""What a mail server says at any step, and what comes of the mail."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from procrastinate.jobs import Job

from gateway.jobs.worker import GIVE_UP_AFTER, MailRetry
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
    [("550 not here", "refused"), ("554 never", "refused"), ("451 later", "deferred"), ("421 closing", "deferred")],
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
