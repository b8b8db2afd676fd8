"""Requests to other services: sign-in providers, CAPTCHA, leak check, message hook.

The one room of the HTTP client, which is loaded with the first request: most processes never make one, and it would
be a good part of their start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson


class WebError(Exception):
    """A service cannot be asked; the text says why."""


class WebTimeout(WebError):
    """A service did not answer in time."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a service answered, whatever its status. Names of headers are looked up in lower case."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def table(self) -> dict[str, Any]:
        """The JSON object of a good answer. Raises WebError for anything else."""
        if not self.ok:
            raise WebError(f"status {self.status}")
        try:
            value = orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise WebError("the answer is no JSON") from error
        if not isinstance(value, dict):
            raise WebError("the answer is no JSON object")
        return value


async def ask(
    method: str,
    url: str,
    *,
    timeout: float,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
    content: bytes | None = None,
    basic: tuple[str, str] | None = None,
) -> HttpReply:
    """One request; `timeout` is in seconds. Raises WebError."""
    import httpx

    try:
        async with httpx.AsyncClient(timeout=timeout) as client:
            answer = await client.request(method, url, headers=headers, data=form, content=content, auth=basic)
    except httpx.TimeoutException as error:
        raise WebTimeout(f"no answer within {timeout:g} s") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise WebError(str(error) or type(error).__name__) from error
    return HttpReply(answer.status_code, answer.content, answer.headers)
