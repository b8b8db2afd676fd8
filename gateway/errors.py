"""Errors as data: one catalogue row per code, raised as `ApiError`, shaped by each family's render.

Families and the body each sends:
  tables      gateway/rest/errors.py       {"code", "details", "hint", "message"}
  auth        gateway/auth/errors.py       {"code", "error_code", "msg"} or {"code", "message"} by API version
  functions   gateway/functions/errors.py  {"code", "message"}
  edge        below                        {"message", "hint"}

A row's texts are safe to show; the cause (`raise ApiError(...) from cause`) is for the log only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A catalogue row. Texts are `str.format` templates filled from the fields given when it is raised."""

    code: str
    status: int
    message: str
    details: str | None = None
    hint: str | None = None


class ApiError(Exception):
    """A catalogue row with its fields filled in.

    `details` and `hint` may be given ready made (computed hints, or a list of details) and then win over the row's.
    """

    def __init__(
        self,
        row: ErrorRow,
        *,
        details: Any = None,
        hint: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        **fields: object,
    ) -> None:
        self.row = row
        self.code = row.code
        self.status = row.status
        self.message = row.message.format(**fields) if fields else row.message
        self.details = details if details is not None else _fill(row.details, fields)
        self.hint = hint if hint is not None else _fill(row.hint, fields)
        self.headers = headers
        super().__init__(f"{row.code}: {self.message}")


def _fill(template: str | None, fields: dict[str, object]) -> str | None:
    return template.format(**fields) if template is not None and fields else template


NO_API_KEY = ErrorRow(
    "no_api_key",
    401,
    "No API key found in request",
    hint="No `apikey` request header or url param was found.",
)
INVALID_API_KEY = ErrorRow(
    "invalid_api_key",
    401,
    "Invalid API key",
    hint="Double check your Supabase `anon` or `service_role` API key.",
)
URL_TOO_LONG = ErrorRow("url_too_long", 414, "The request URL is longer than {limit} bytes")
HEADER_TOO_LONG = ErrorRow("header_too_long", 431, "The {header} header is longer than {limit} bytes")
BODY_TOO_LARGE = ErrorRow("body_too_large", 413, "The request body is larger than {limit} bytes")
BODIES_FULL = ErrorRow("bodies_full", 503, "Too many large requests at once, try again in a moment")
INTERNAL = ErrorRow("internal_error", 500, "Unexpected failure, please check server logs for more information")
NOT_SERVED = ErrorRow("not_served", 404, "no Route matched with those values", hint="{path} is not served here")
TOO_MANY = ErrorRow("too_many_requests", 429, "Too many requests, try again in {seconds} s")
