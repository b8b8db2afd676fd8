"""Makes the calls that are stored in `jobs.function_calls`: of functions by the gateway, of hooks at their address.

A call is made at least once: one whose worker was killed is made again, under the same number (`x-call-id`), so that
who answers can tell. What fails is tried again with growing pauses as often as the call says, and is dead then, which
alarms. An answer of 4xx, but 408, 425 and 429, will be the same the next time and is final.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.jobs import Job

from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("gateway.jobs")

FIRST_PAUSE: Final = 5.0  # seconds
LONGEST_PAUSE: Final = 3600.0
AGAIN: Final = frozenset({408, 425, 429})
ERROR_LENGTH: Final = 500  # characters of an answer that are kept

BEGIN: Final = """
    update jobs.function_calls set attempts = attempts + 1, started_at = clock_timestamp()
    where id = $1 and state = 'waiting'
    returning source, target, method, headers::text, params::text, body::text, timeout_ms::text, attempts::text,
      retries::text
"""
END: Final = """
    update jobs.function_calls set state = $2, status = nullif($3, '')::integer, error = nullif($4, ''),
      ended_at = case when $2 <> 'waiting' then clock_timestamp() end
    where id = $1
"""


class CallFailed(Exception):
    """A call that is to be made again."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"attempt {attempts} failed")
        self.attempts = attempts


class CallRetry(BaseRetryStrategy):
    """When a call is made again; how often, its row says."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, CallFailed):
            return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=pause(exception.attempts)))
        # The queue's own fault, such as a database that went away: the row still waits.
        return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=FIRST_PAUSE))


def pause(attempts: int) -> float:
    """Seconds until the next attempt.

    >>> [pause(n) for n in (1, 2, 3, 30)]
    [5.0, 20.0, 80.0, 3600.0]
    """
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 4 ** min(attempts - 1, 10)))


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A row on its way."""

    id: int
    source: str
    target: str
    method: str
    headers: Mapping[str, str]
    params: Mapping[str, str]
    body: bytes | None
    timeout: float
    attempt: int
    retries: int


class Caller:
    """Makes stored calls; one in each job worker."""

    def __init__(self, settings: Settings, database: Database, keys: Callable[[], KeyRing]) -> None:
        self._settings = settings
        self._database = database
        self._keys = keys
        self._client: httpx.AsyncClient | None = None

    async def make(self, id: int) -> None:
        """Make one call, unless it has been. Raises CallFailed, and the database's errors."""
        rows = (await self._database.run(NO_SCOPE, Statement(BEGIN, (str(id),)))).rows
        if not rows:
            return
        call = _call(id, [None if value is None else value.decode() for value in rows[0]])
        status, error = await self._send(call)
        if error is None:
            await self._end(id, "succeeded", status, "")
            return
        final = status is not None and 400 <= status < 500 and status not in AGAIN
        if final or call.attempt > call.retries:
            await self._end(id, "dead", status, error)
            log.error("call %d of %s is given up after %d attempts: %s", id, call.target, call.attempt, error)
            return
        await self._end(id, "waiting", status, error)
        log.warning("call %d of %s failed and is made again: %s", id, call.target, error)
        raise CallFailed(call.attempt)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _end(self, id: int, state: str, status: int | None, error: str) -> None:
        values = (str(id), state, "" if status is None else str(status), error[:ERROR_LENGTH])
        await self._database.run(NO_SCOPE, Statement(END, values))

    async def _send(self, call: StoredCall) -> tuple[int | None, str | None]:
        """Status and fault of one attempt; no fault is None."""
        import httpx  # a worker that sends mails alone does without

        client = self._client
        if client is None:
            limits = httpx.Limits(max_connections=64)
            client = self._client = httpx.AsyncClient(trust_env=False, follow_redirects=True, limits=limits)
        try:
            address, headers = self._address(call)
            async with (
                asyncio.timeout(call.timeout),
                client.stream(
                    call.method,
                    address,
                    params={**httpx.URL(address).params, **call.params} or None,
                    content=call.body,
                    headers=headers,
                    timeout=call.timeout,
                ) as response,
            ):
                text = b""
                async for chunk in response.aiter_bytes():
                    if len(text) < ERROR_LENGTH:
                        text += chunk
        except TimeoutError:
            return None, f"no answer within {call.timeout:g} s"
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return None, f"{type(error).__name__}: {error}"
        if response.is_success:
            return response.status_code, None
        return response.status_code, f"{response.status_code} {text.decode('utf-8', 'replace')}".strip()

    def _address(self, call: StoredCall) -> tuple[str, dict[str, str]]:
        known = {"x-call-id": str(call.id), "x-call-attempt": str(call.attempt), "x-request-id": f"call-{call.id}"}
        if call.source == "hook":
            given = {name.lower(): str(value) for name, value in call.headers.items()}
            return call.target, {**known, **given}
        keys = self._keys()
        known |= {"authorization": f"Bearer {keys.service_role_jwt}", "apikey": keys.secret_key}
        address = f"{self._gateway()}{self._settings.functions_prefix}/{call.target}"
        return address, {**known, "content-type": "application/json", "x-call-source": call.source}

    def _gateway(self) -> str:
        """Where functions are called: as set, else the gateway that serves this data folder, else the settings'."""
        if self._settings.functions_call_url:
            return self._settings.functions_call_url.rstrip("/")
        try:
            note: dict[str, Any] = json.loads(Path(self._settings.data_dir, "serving.json").read_text())
            return f"http://127.0.0.1:{int(note['port'])}"
        except (OSError, ValueError, KeyError, TypeError):
            return self._settings.local_url


def _call(id: int, row: list[str | None]) -> StoredCall:
    source, target, method, headers, params, body, timeout, attempt, retries = row
    return StoredCall(
        id,
        source or "",
        target or "",
        method or "POST",
        json.loads(headers or "{}"),
        {name: str(value) for name, value in json.loads(params or "{}").items()},
        body.encode() if body is not None else None,
        int(timeout or 0) / 1000,
        int(attempt or 0),
        int(retries or 0),
    )
