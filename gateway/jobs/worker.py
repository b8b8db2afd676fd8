"""The worker: takes jobs from the queue in the same Postgres that stored them and carries them out.

Mail is tried until the server takes it, refuses it for good, or five days have passed; the pauses grow from 15
seconds to a day (ten minutes for urgent mail). When the server answers again after a time of silence, what waited
for it goes at once, unless the server has the text of it already. A job whose worker was killed is taken up again half
a minute later.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import procrastinate
from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.jobs import Job

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.encryption.values import NotOurs, unseal
from gateway.identity.keyring import KeyRing
from gateway.jobs.backup_schedule import keep_copies
from gateway.jobs.cron import CronRunner
from gateway.jobs.function_calls import Caller, CallRetry
from gateway.jobs.function_schedules import keep_schedules
from gateway.jobs.http_requests import HttpSender
from gateway.jobs.partitions import keep_partitions
from gateway.jobs.retention import keep_for_a_time
from gateway.jobs.storage_check import keep_storage_tidy
from gateway.jobs.unfinished import settle_restores
from gateway.mail import trap
from gateway.mail.delivery import DeliveryFailed, Server, deliver
from gateway.mail.message import BadMail, Sender, build_message
from gateway.operations.monitor.alarms import Alarm, News
from gateway.operations.monitor.channels import tell
from gateway.settings import Settings
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.jobs")

SCHEMA: Final = "jobs"
CONCURRENCY: Final = 4
# Jobs of each queue at once: a slow function keeps no mail from leaving.
QUEUES: Final = (("mail", CONCURRENCY), ("functions", 16))
FIRST_PAUSE: Final = 15.0  # seconds
LONGEST_PAUSE: Final = 86_400.0
LONGEST_URGENT: Final = 600.0
UNANSWERED_PAUSE: Final = 600.0  # seconds; the server may have taken the mail, so that another try may double it
GIVE_UP_AFTER: Final = timedelta(days=5)
STALLED_AFTER: Final = 30.0  # seconds without a sign of life from a job's worker
HOUSEKEEPING: Final = 10.0  # seconds
RECONNECT: Final = 2.0  # seconds
PATIENCE: Final = 3.0  # seconds for a connection to the queue; who is told to stop waits for it several times


class MailRetry(BaseRetryStrategy):
    """When a mail is tried again; never after a refusal."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, BadMail) or (isinstance(exception, DeliveryFailed) and exception.permanent):
            return None
        queued = job.task_kwargs.get("queued_at")
        if isinstance(queued, str) and datetime.now(UTC) - datetime.fromisoformat(queued) > GIVE_UP_AFTER:
            return None
        unanswered = isinstance(exception, DeliveryFailed) and exception.outcome == "unanswered"
        seconds = pause(job.attempts, job.priority, unanswered=unanswered)
        return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=seconds))


def pause(attempts: int, priority: int, *, unanswered: bool = False) -> float:
    """Seconds until the next attempt; `unanswered`: the server has the text and did not say what became of it.

    >>> [pause(n, 0) for n in (0, 1, 2, 20)]
    [15.0, 30.0, 60.0, 86400.0]
    >>> pause(20, 10)
    600.0
    >>> [pause(n, 10, unanswered=True) for n in (0, 1, 20)]
    [600.0, 1200.0, 86400.0]
    """
    if unanswered:
        return float(min(LONGEST_PAUSE, UNANSWERED_PAUSE * 2 ** min(attempts, 20)))
    longest = LONGEST_URGENT if priority > 0 else LONGEST_PAUSE
    return float(min(longest, FIRST_PAUSE * 2 ** min(attempts, 20)))


class MailSender:
    """Sends mails and notes each attempt. `secrets` are those that open sealed mails, the current one first."""

    def __init__(
        self, database: Database, server: Server, sender: Sender, secrets: Callable[[], Sequence[bytes]]
    ) -> None:
        self._database = database
        self._server = server
        self._sender = sender
        self._secrets = secrets

    async def send(self, job: Job, payload: dict[str, Any]) -> None:
        """Send one mail. Raises DeliveryFailed, BadMail."""
        assert job.id is not None
        if await self._is_sent(job.id):  # by a worker that was killed before it could say so
            return
        try:
            message = build_message(self._opened(payload), job.id, self._sender)
            reply = await deliver(message, self._server)
        except BadMail as error:
            await self._note(job.id, "refused", str(error))
            log.error("mail %d cannot be sent: %s", job.id, error)
            raise
        except DeliveryFailed as error:
            await self._note(job.id, error.outcome, error.reply)
            level = logging.ERROR if error.permanent else logging.WARNING
            log.log(level, "mail %d was not taken: %s", job.id, error)
            raise
        await self._note(job.id, "sent", reply)
        await self._wake()

    def _opened(self, payload: dict[str, Any]) -> dict[str, Any]:
        """A mail with its words. Raises DeliveryFailed: whoever runs the worker may yet give it the secret."""
        sealed = payload.get("sealed")
        if not isinstance(sealed, str):
            return payload
        try:
            return {**payload, **unseal(self._secrets(), sealed)}
        except NotOurs as error:
            reason = "the mail is sealed with a session secret that this worker does not have"
            raise DeliveryFailed("deferred", reason) from error

    async def _is_sent(self, job_id: int) -> bool:
        text = "select exists (select from jobs.mail_attempts where job_id = $1 and outcome = 'sent')"
        return (await self._database.run(NO_SCOPE, Statement(text, (str(job_id),)))).value == b"t"

    async def _note(self, job_id: int, outcome: str, reply: str) -> None:
        """Write down an attempt; a database that is away must not make a sent mail look unsent."""
        text = "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, $2, $3)"
        try:
            await self._database.run(NO_SCOPE, Statement(text, (str(job_id), outcome, reply[:2000])))
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("the attempt at mail %d (%s) could not be noted: %s", job_id, outcome, error)

    async def _wake(self) -> None:
        """The server answers: what waits because it did not answer need not wait any longer."""
        text = (
            "update jobs.procrastinate_jobs set scheduled_at = now() where status = 'todo' and scheduled_at > now()"
            " and task_name = 'mail.send' and 'unreachable' = (select outcome from jobs.mail_attempts"
            " where job_id = procrastinate_jobs.id order by mail_attempts.id desc limit 1)"
        )
        with suppress(DatabaseError, DatabaseUnavailable, PoolTimeout):
            await self._database.run(NO_SCOPE, Statement(text))


def build_app(database_url: str, post: MailSender, caller: Caller | None = None) -> procrastinate.App:
    """The queue's application with its tasks."""
    connector = procrastinate.PsycopgConnector(
        conninfo=database_url,
        kwargs={"options": f"-c search_path={SCHEMA},public", "application_name": "gateway worker"},
        min_size=1,
        max_size=CONCURRENCY + 2 * len(QUEUES),
        timeout=PATIENCE,
    )
    app = procrastinate.App(connector=connector)

    @app.task(name="mail.send", queue="mail", pass_context=True, retry=MailRetry())
    async def send(context: JobContext, /, mail: dict[str, Any], **_: Any) -> None:
        assert context.job is not None
        await post.send(context.job, mail)

    @app.task(name="functions.call", queue="functions", retry=CallRetry())
    async def call(call: int, **_: Any) -> None:
        assert caller is not None
        await caller.make(call)

    return app


async def run(settings: Settings, database_url: str, *, trap_port: int | None = None) -> None:
    """Work until SIGTERM or SIGINT; with `trap_port` catch mails there and deliver to it.

    A database that goes away is waited for.
    """
    # Both would write what a mail says, or to whom it goes, into the log.
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    # It tells of every attempt to reconnect; the loop below tells of the loss once.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stopping.set)
    async with AsyncExitStack() as stack:
        server = Server(settings.smtp_host, settings.smtp_port, settings.smtp_user, settings.smtp_password)
        if not settings.smtp_host:
            folder = settings.data_dir / "mail"
            port = settings.trap_port if trap_port is None else trap_port
            server = Server("127.0.0.1", port, trusted=True)
            if trap_port is not None:
                await stack.enter_async_context(trap.Trap(folder, "127.0.0.1", trap_port))
        database = Database(database_url, size=CONCURRENCY + 2, application_name="gateway worker")
        stack.push_async_callback(database.close)
        sender = Sender(settings.smtp_sender, settings.smtp_sender_name)
        keys = KeyRing.load(settings)

        def secrets() -> Sequence[bytes]:
            keys.poll(settings)
            return keys.session_secrets

        def current_keys() -> KeyRing:
            keys.poll(settings)
            return keys

        post = MailSender(database, server, sender, secrets)
        caller = Caller(settings, database, current_keys)
        stack.push_async_callback(caller.close)
        scheduling = asyncio.ensure_future(lasting(partial(keep_schedules, settings, database)))
        stack.callback(scheduling.cancel)
        settling = asyncio.ensure_future(lasting(partial(settle_restores, settings, database, database_url)))
        stack.callback(settling.cancel)
        forgetting = asyncio.ensure_future(lasting(partial(keep_for_a_time, settings, database)))
        partitioning = asyncio.ensure_future(lasting(partial(keep_partitions, database)))
        stack.callback(forgetting.cancel)
        stack.callback(partitioning.cancel)
        tidying = asyncio.ensure_future(lasting(partial(keep_storage_tidy, settings, database)))
        stack.callback(tidying.cancel)
        running = asyncio.ensure_future(lasting(CronRunner(database, database_url).run))
        stack.callback(running.cancel)
        requests = HttpSender(database, settings.port, settings.net_allow)
        sending = asyncio.ensure_future(lasting(partial(requests.run, database_url)))
        stack.callback(sending.cancel)
        if settings.backup_dir:

            async def failed(reason: str) -> None:
                alarm = Alarm("copies", "", f"The copy of the database failed: {reason}", time.time())
                await tell(settings, News((alarm,)))

            copies = asyncio.ensure_future(lasting(partial(keep_copies, settings, database_url, failed)))
            stack.callback(copies.cancel)
        while not stopping.is_set():
            work = asyncio.ensure_future(_work(database_url, post, caller, stopping))
            waiting = asyncio.ensure_future(stopping.wait())
            await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            try:
                await work
            except Exception as error:
                reason = error.__cause__ or error  # the queue's own errors say nothing
                log.warning("jobs wait for the database, next attempt in %.0f s: %s", RECONNECT, reason)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), RECONNECT)


async def _work(database_url: str, post: MailSender, caller: Caller, stopping: asyncio.Event) -> None:
    """Work over one connection to the queue until told to stop or until it breaks."""
    app = build_app(database_url, post, caller)
    try:
        if not await _unless(stopping, app.open_async()):
            return
        tasks = [
            *(
                asyncio.ensure_future(
                    app.run_worker_async(
                        queues=[queue],
                        concurrency=count,
                        install_signal_handlers=False,
                        delete_jobs="never",
                        fetch_job_polling_interval=2.0,
                        shutdown_graceful_timeout=20.0,
                        stalled_worker_timeout=STALLED_AFTER,
                    )
                )
                for queue, count in QUEUES
            ),
            asyncio.ensure_future(_forever(HOUSEKEEPING, lambda: _keep_house(app))),
            asyncio.ensure_future(stopping.wait()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await app.close_async()


async def _unless(stopping: asyncio.Event, work: Awaitable[object]) -> bool:
    """Do the work, whether it was done: it is given up when this process is told to stop."""
    doing, told = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    await asyncio.wait({doing, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if doing.done():
        await doing
        return True
    doing.cancel()
    await asyncio.wait({doing})
    return False


async def _forever(seconds: float, action: Callable[[], Awaitable[None]]) -> None:
    while True:
        await action()
        await asyncio.sleep(seconds)


async def _keep_house(app: procrastinate.App) -> None:
    """Take up jobs whose worker was killed."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_AFTER):
        log.warning("job %s was left by a worker that ended and is taken up again", job.id)
        await app.job_manager.retry_job(job)
