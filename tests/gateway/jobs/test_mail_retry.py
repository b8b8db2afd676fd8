"""When a mail is tried again, and whom a server that answers again sets free: without a worker of its own."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any

import pytest
from procrastinate.jobs import Job

from gateway.database import Database, SyncConnection
from gateway.database.statement import Statement
from gateway.encryption.values import seal
from gateway.jobs import worker
from gateway.jobs.worker import MailRetry, MailSender
from gateway.mail.delivery import DeliveryFailed, Server
from gateway.mail.message import BadMail, Sender

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
DAYS = timedelta(days=5)
TICK = timedelta(microseconds=1)
AWAY = DeliveryFailed("unreachable", "nobody listens")
UNANSWERED = DeliveryFailed("unanswered", "it says nothing")
WRONG = RuntimeError("a fault of this program")


class Clock(datetime):
    """Stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return NOW


def job(*, attempts: int = 0, priority: int = 0, queued: object = None, id: int | None = None) -> Job:
    kwargs: dict[str, Any] = {} if queued is None else {"queued_at": queued}
    return Job(
        id=id, queue="mail", lock=None, queueing_lock=None, task_name="mail.send", task_kwargs=kwargs,
        attempts=attempts, priority=priority,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("exception", "tried", "seconds"),
    [
        (AWAY, job(), 15), (AWAY, job(attempts=1), 30), (AWAY, job(attempts=50), 86_400),
        (AWAY, job(attempts=50, priority=1), 600), (AWAY, job(attempts=50, priority=-1), 86_400),
        (UNANSWERED, job(), 600), (UNANSWERED, job(attempts=50, priority=1), 86_400),
        (WRONG, job(), 15),
        (DeliveryFailed("refused", "no"), job(), None), (BadMail("no recipient"), job(), None),
        (AWAY, job(queued=(NOW - DAYS).isoformat()), 15), (AWAY, job(queued=(NOW - DAYS - TICK).isoformat()), None),
        (UNANSWERED, job(queued=(NOW - DAYS - TICK).isoformat()), None), (AWAY, job(queued=7), 15),
    ],
    ids=str,
)  # fmt: skip
def test_a_mail_is_tried_again_after_its_pause_for_five_days(
    exception: Exception, tried: Job, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "datetime", Clock)
    decision = MailRetry().get_retry_decision(exception=exception, job=tried)
    assert (None if decision is None else decision.retry_at) == (
        None if seconds is None else NOW + timedelta(seconds=seconds)
    )


WAITING = {
    "never tried": (False, ()),
    "unreachable": (True, ("unreachable",)),
    "unreachable at last": (True, ("deferred", "unreachable")),
    "answered at last": (False, ("unreachable", "deferred")),
    "taken without an answer": (False, ("unreachable", "unanswered")),
}


def test_a_server_that_answers_sets_free_who_waited_for_it(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = {"to": ["staff@umw.example"], "subject": "s", "text": "t"}

    def enqueue(subject: str) -> str:
        raw = json.dumps({**mail, "subject": subject})
        ((id,),) = connection.rows("select jobs.enqueue_mail($1::jsonb)", raw)
        return str(id)

    def waits(subject: str, outcomes: tuple[str, ...]) -> str:
        id = enqueue(subject)
        connection.rows("update jobs.procrastinate_jobs set scheduled_at = now() + interval '1 h' where id = $1", id)
        for outcome in outcomes:
            connection.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, $2)", id, outcome)
        return id

    for subject, (_, outcomes) in WAITING.items():
        waits(subject, outcomes)
    for status in ("doing", "failed"):  # not its turn any more
        ended = waits(status, ("unreachable",))
        for step in ("doing", status):
            connection.rows(
                "update jobs.procrastinate_jobs set status = $2::jobs.procrastinate_job_status"
                " where id = $1 and status::text <> $2", ended, step,
            )  # fmt: skip
    other = waits("no mail", ("unreachable",))
    connection.rows("update jobs.procrastinate_jobs set task_name = 'another' where id = $1", other)
    sent = enqueue("goes")

    taken: list[str] = []

    async def deliver(message: Any, _: Server) -> str:
        taken.append(message["Subject"])
        return "x" * 3000

    async def send_twice() -> None:
        database = Database(database_url, size=1)
        try:
            for _ in range(2):  # once more, as after a worker that was killed before it could say so
                await post(database).send(job(id=int(sent)), {**mail, "subject": "goes"})
        finally:
            await database.close()

    monkeypatch.setattr(worker, "deliver", deliver)
    asyncio.run(send_twice())
    assert taken == ["goes"]
    attempts = connection.rows("select outcome, length(reply) from jobs.mail_attempts where job_id = $1", sent)
    assert attempts == [("sent", "2000")]
    free = connection.rows(
        "select args #>> '{mail,subject}' from jobs.procrastinate_jobs where scheduled_at <= now() order by id"
    )
    assert free == [(subject,) for subject, (is_free, _) in WAITING.items() if is_free]


class Notes:
    """A database in which no mail is sent yet, and that keeps what is noted."""

    def __init__(self) -> None:
        self.kept: list[tuple[object, ...]] = []

    async def run(self, _: object, statement: Statement) -> Any:
        if statement.text.startswith("insert"):
            self.kept.append(statement.params)
        return SimpleNamespace(value=b"f")


@pytest.mark.parametrize(
    ("failure", "noted", "level"),
    [
        (DeliveryFailed("refused", "no"), ("7", "refused", "no"), logging.ERROR),
        (DeliveryFailed("deferred", "later"), ("7", "deferred", "later"), logging.WARNING),
        (AWAY, ("7", "unreachable", "nobody listens"), logging.WARNING),
        (BadMail("no recipient"), ("7", "refused", "no recipient"), logging.ERROR),
    ],
    ids=str,
)
def test_each_attempt_that_failed_is_noted_and_said(
    failure: Exception,
    noted: tuple[str, ...],
    level: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def deliver(*_: object) -> str:
        raise failure

    monkeypatch.setattr(worker, "deliver", deliver)
    mail = {"to": ["staff@umw.example"], "subject": "s", "text": "t"}
    notes = Notes()
    with pytest.raises(type(failure)):
        asyncio.run(post(notes).send(job(id=7), mail))
    assert notes.kept == [noted]
    assert [record.levelno for record in caplog.records if record.name == "gateway.jobs"] == [level]


def test_a_mail_sealed_with_another_secret_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    with pytest.raises(DeliveryFailed) as failed:
        asyncio.run(post(notes).send(job(id=7), {"to": ["a@b.co"], "sealed": seal((b"x" * 32,), {"text": "t"})}))
    assert not failed.value.permanent
    assert [(id, outcome) for id, outcome, _ in notes.kept] == [("7", "deferred")]


def test_work_is_given_up_when_told_to_stop_and_not_before() -> None:
    async def main() -> None:
        stopping = asyncio.Event()
        assert await worker._unless(stopping, asyncio.sleep(0)) is True
        stopping.set()
        assert await worker._unless(stopping, asyncio.sleep(3600)) is False

    asyncio.run(asyncio.wait_for(main(), 60))


def post(database: Any) -> MailSender:
    return MailSender(database, Server("127.0.0.1", 1), Sender("no-reply@umw.example", "UMW"), lambda: (b"y" * 32,))
