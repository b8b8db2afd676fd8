"""From a visitor's submission to a stored lead: the same path for every form.

`{"ok": true}` is said only after lead and mails are committed (or were before, or a trap caught the submission);
every other answer is `{"ok": false, "error": sentence}`, with `fields` where fields were wrong. A call whose outcome
is unknown is made again under the same idempotency key, so it stores one lead.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import json
import os
import re
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from postgrest import APIError
from starlette.requests import Request

from functions.shared import company, cors, data, forms, lead_mails

BODY_LIMIT: Final = 64_000  # bytes; the largest form is a tenth of it
BUDGET: Final = 15.0  # seconds for all attempts: the function itself has 20, and must be left time to say so
PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 4.0)  # seconds between attempts to reach the tables API
KEY_LIMIT: Final = 100

_HEX: Final = re.compile("[0-9a-fA-F]{8}")
_UNSTORABLE: Final = re.compile(r"[\0\ud800-\udfff]")

Reply = tuple[dict[str, Any], int, dict[str, str]]

UNREADABLE: Final = "We could not read what your browser sent. Please reload the page and try again."
TOO_LARGE: Final = "That is more text than this form can take. Please shorten it and try again."
UNAVAILABLE: Final = (
    f"We could not save your request just now. Please try again in a minute, or call us at {company.PHONE}."
)


@dataclass(frozen=True, slots=True)
class Lead:
    """What is stored: columns of the form's table, and the mails that go with it."""

    columns: dict[str, Any]
    mails: list[lead_mails.Mail]


# Turns a form's clean values into a lead; the others are the address of the staff and the number of the request.
Prepare = Callable[[Mapping[str, Any], str, str], Lead]
# Says which form a body is of, and how it becomes a lead.
Choose = Callable[[Mapping[str, Any]], tuple[forms.Form, Prepare]]


def staff_address() -> str:
    """Who is told of leads."""
    return os.environ.get("LEADS_TO") or company.LEADS_TO


async def submit(request: Request, choose: Choose) -> Reply | Any:
    """Answer one call of a form's function."""
    if request.method == "OPTIONS":
        return cors.preflight(request.headers.get("access-control-request-headers"))
    if request.method != "POST":
        return refuse(405, "This address takes forms, sent by POST.", allow="POST, OPTIONS")
    body = await read_json(request)
    if isinstance(body, int):
        return refuse(body, TOO_LARGE if body == 413 else UNREADABLE)
    form, prepare = choose(body)
    key = idempotency_key(request.headers.get("idempotency-key"), form.name, body)
    address = request.headers.get("x-forwarded-for")
    if forms.trapped(form, body):
        reason = f"the hidden field “{form.honeypot}” was filled"
        return await store(
            "quarantine_lead",
            {"form": form.name, "payload": body, "reason": reason, "idempotency_key": key, "address": address},
        )
    errors = forms.validate(form, body)
    if errors:
        return refuse(422, next(iter(errors.values())), fields=errors)
    lead = prepare(forms.clean(form, body), staff_address(), request_number(key))
    return await store(
        "submit_lead",
        {
            "form": form.name,
            "lead": lead.columns,
            "mails": lead.mails,
            "idempotency_key": key,
            "address": counted_as(address),
            "payload": body,
        },
    )


def counted_as(address: str | None) -> str | None:
    """What an address is counted under: one household has a whole network of IPv6 addresses.

    >>> counted_as("2001:db8:1:2:3:4:5:6"), counted_as("203.0.113.9")
    ('2001:db8:1:2::/64', '203.0.113.9')
    """
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)


def reopen(choose: Choose, payload: Mapping[str, Any], staff: str, number: str = "") -> Lead | dict[str, str]:
    """The lead in a quarantined submission, or the faults for which it would have been turned away."""
    form, prepare = choose(payload)
    errors = forms.validate(form, payload)
    return errors or prepare(forms.clean(form, payload), staff, number)


async def store(function: str, arguments: dict[str, Any]) -> Reply:
    """Store through the database function and answer accordingly, within `BUDGET`."""
    try:
        async with asyncio.timeout(BUDGET):
            return await _store(function, arguments)
    except TimeoutError:
        print(f"not stored: the tables API gave no answer within {BUDGET:g} s", file=sys.stderr)
        return refuse(503, UNAVAILABLE, retry_after=30)


async def _store(function: str, arguments: dict[str, Any]) -> Reply:
    for pause in (*PAUSES, None):
        try:
            outcome = await data.call(function, arguments)
        except data.DataUnavailable as error:
            if pause is None:
                print(f"not stored: {error}", file=sys.stderr)
                return refuse(503, UNAVAILABLE, retry_after=30)
            await asyncio.sleep(pause)
            continue
        except APIError as error:
            print(f"not stored: {error.code} {error.message}", file=sys.stderr)
            return refuse(500, UNAVAILABLE)
        wait = outcome.get("retry_after")
        if wait:
            return refuse(429, too_many(int(wait)), retry_after=int(wait))
        return {"ok": True}, 200, dict(cors.HEADERS)
    raise AssertionError("the last attempt answers")


def refuse(
    status: int,
    error: str,
    *,
    fields: Mapping[str, str] | None = None,
    retry_after: int | None = None,
    allow: str | None = None,
) -> Reply:
    """An answer that says in a sentence why nothing was stored."""
    body: dict[str, Any] = {"ok": False, "error": error}
    if fields:
        body["fields"] = dict(fields)
    headers = dict(cors.HEADERS)
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    if allow is not None:
        headers["allow"] = allow
    return body, status, headers


def too_many(seconds: int) -> str:
    """The sentence for somebody who has sent too much.

    >>> too_many(30)[:66]
    'We have received several requests from you. Please wait a minute, '
    """
    minutes = max(1, -(-seconds // 60))
    span = "a minute" if minutes == 1 else f"{minutes} minutes"
    return f"We have received several requests from you. Please wait {span}, or call us at {company.PHONE}."


async def read_json(request: Request) -> dict[str, Any] | int:
    """The body as an object, or the status that refuses it: 413 too large, 400 unreadable."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_LIMIT:
            return 413
        chunks.append(chunk)
    try:
        body = storable(json.loads(b"".join(chunks), parse_constant=_no_constant))
    except (ValueError, RecursionError):
        return 400
    return body if isinstance(body, dict) else 400


def storable(value: Any) -> Any:
    r"""A JSON value without the characters that Postgres cannot hold: NUL and halves of surrogate pairs.

    >>> storable({"a\0": ["b\0", 1]})
    {'a': ['b', 1]}
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub("", value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value


def idempotency_key(given: str | None, form: str, body: Mapping[str, Any]) -> str:
    """The key under which a submission is stored once.

    The content is part of it: a key used again for something else must not swallow a lead.
    """
    if not given:
        return str(uuid.uuid4())
    content = json.dumps(body, sort_keys=True, ensure_ascii=True)
    digest = hashlib.sha256(f"{form}\n{content}".encode()).hexdigest()[:32]
    return f"{forms.clean_text(given, lines=False)[:KEY_LIMIT]}:{digest}"


def request_number(key: str) -> str:
    """The number under which a request can be spoken of; `web/src/features/forms/request-number.ts` says the same.

    >>> request_number("0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d:5e6f"), request_number("<b>")
    ('UMW-0B1C2D3E', 'UMW-507CA5A2')
    """
    start = key.replace("-", "")[:8]
    if not _HEX.fullmatch(start):  # not made by the site's form: its words are no part of a mail
        start = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"UMW-{start.upper()}"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
