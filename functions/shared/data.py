"""The data client: the tables API through the official Python client, as service_role or as any visitor.

A client is made once per process and keeps its connection. `SUPABASE_URL` and the keys are injected.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final

import httpx
from functions_runner.logs import request_id
from postgrest import APIError, AsyncPostgrestClient

TIMEOUT: Final = 10.0  # seconds


class DataUnavailable(Exception):
    """The tables API cannot be reached or cannot reach its database; the same call may work a moment later."""


@cache
def secret_key() -> str:
    """The secret key; the legacy service key where there is none."""
    keys: dict[str, str] = json.loads(os.environ.get("SUPABASE_SECRET_KEYS") or "{}")
    return keys.get("default") or os.environ["SUPABASE_SERVICE_ROLE_KEY"]


@cache
def client() -> AsyncPostgrestClient:
    """The client, acting as service_role."""
    return _client(secret_key())


@cache
def reader() -> AsyncPostgrestClient:
    """The client, acting as any visitor."""
    keys: dict[str, str] = json.loads(os.environ.get("SUPABASE_PUBLISHABLE_KEYS") or "{}")
    return _client(keys.get("default") or os.environ["SUPABASE_ANON_KEY"])


def _client(key: str) -> AsyncPostgrestClient:
    url = os.environ["SUPABASE_URL"].rstrip("/") + "/rest/v1"
    # Reading certificates takes longer than the whole call; on plain HTTP nobody looks at them.
    session = httpx.AsyncClient(
        base_url=url,
        timeout=TIMEOUT,
        verify=url.startswith("https:"),
        trust_env=False,
        event_hooks={"request": [_trace]},
    )
    headers = {"apikey": key, "authorization": f"Bearer {key}"}
    return AsyncPostgrestClient(url, headers=headers, http_client=session, retry_enabled=False)


async def _trace(request: httpx.Request) -> None:
    """What a visitor's request writes bears that request's id; reads are remembered by their headers, so not those."""
    id = request_id.get()
    if id is not None and request.method != "GET":
        request.headers["x-request-id"] = id


async def call(function: str, arguments: dict[str, Any]) -> Any:
    """Result of a database function. Raises DataUnavailable, APIError."""
    try:
        return (await client().rpc(function, arguments).execute()).data
    except httpx.HTTPError as error:
        raise DataUnavailable(str(error) or type(error).__name__) from error
    except APIError as error:
        if is_transient(error.code):
            raise DataUnavailable(f"{error.code}: {error.message}") from error
        raise


def is_transient(code: str | None) -> bool:
    """Whether an error says nothing about the call itself: connection trouble, shutdown, deadlock, overload.

    >>> is_transient("PGRST000"), is_transient("23514")
    (True, False)
    """
    code = code or ""
    return code in ("maintenance", "PGRST000", "PGRST001", "PGRST002", "PGRST003", "502", "503", "504") or (
        len(code) == 5 and code.startswith(("08", "40", "53", "57P"))
    )
