"""The catalogue of errors, and what becomes of Postgres's own."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gateway.database import DatabaseError
from gateway.errors import ApiError, ErrorRow
from gateway.rest import errors
from gateway.rest.errors import render_database_error, render_error

ROWS = [value for value in vars(errors).values() if isinstance(value, ErrorRow)]


def test_codes_are_unique_and_statuses_are_errors() -> None:
    codes = [row.code for row in ROWS]
    assert len(set(codes)) == len(codes)
    assert all(row.status >= 300 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row.code for row in ROWS])
def test_every_row_renders_the_one_envelope(row: ErrorRow) -> None:
    names = (
        "command message method schema schemas types name rows origin target preferences function candidates column"
        " table"
    )
    fields: dict[str, Any] = dict.fromkeys(names.split(), "x")
    response = render_error(ApiError(row, **fields))
    assert list(orjson.loads(response.body)) == ["code", "details", "hint", "message"]
    assert "{" not in orjson.loads(response.body)["message"]
    headers = dict(response.headers)
    assert headers[b"proxy-status"] == b"PostgREST; error=" + row.code.encode()
    assert (b"www-authenticate" in headers) == (row.status == 401)


STATUSES = [
    ("08006", "x", 503), ("09000", "x", 500), ("0L000", "x", 403), ("0P000", "x", 403),
    ("21000", "UPDATE requires a WHERE clause", 400), ("21000", "more than one row", 500),
    ("22023", 'role "x" does not exist', 401), ("22023", "x", 400), ("22P02", "x", 400),
    ("23503", "x", 409), ("23505", "x", 409), ("23514", "x", 400), ("25006", "x", 405), ("25001", "x", 500),
    ("28000", "x", 403), ("2D000", "x", 500), ("38000", "x", 500), ("39000", "x", 500), ("3B000", "x", 500),
    ("40001", "x", 500), ("53400", "x", 500), ("53300", "x", 503), ("54001", "x", 500), ("55000", "x", 500),
    ("57014", "x", 500), ("57P01", "x", 503), ("58000", "x", 500), ("F0000", "x", 500), ("HV000", "x", 500),
    ("P0001", "x", 400), ("P0002", "x", 500), ("XX000", "x", 500), ("42883", "function f() does not exist", 404),
    ("42883", "function xmlagg(text) does not exist", 406), ("42P01", "x", 404), ("42P17", "x", 500),
    ("42703", "x", 400), ("42P10", "x", 400), ("PT402", "x", 402), ("PT4", "x", 500), ("PTABC", "x", 500),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "status"), STATUSES, ids=[f"{row[0]}-{row[2]}" for row in STATUSES])
def test_sqlstates_have_their_status(code: str, message: str, status: int) -> None:
    response = render_database_error(DatabaseError(code, message, "d", "h"), anonymous=False)
    assert response.status == status
    assert orjson.loads(response.body) == {"code": code, "details": "d", "hint": "h", "message": message}


def test_a_refusal_means_another_thing_to_the_anonymous() -> None:
    error = DatabaseError("42501", "permission denied")
    assert render_database_error(error, anonymous=False).status == 403
    response = render_database_error(error, anonymous=True)
    assert (response.status, dict(response.headers)[b"www-authenticate"]) == (401, b"Bearer")


def test_a_raised_status_brings_its_reason() -> None:
    assert render_database_error(DatabaseError("PT402", "Pay\r\nnow"), False).reason == "Pay  now"


def _raised(message: str, detail: str | None) -> tuple[int, str | None, dict[str, object], dict[bytes, bytes]]:
    response = render_database_error(DatabaseError("PGRST", message, detail), False)
    return response.status, response.reason, orjson.loads(response.body), dict(response.headers)


def test_a_raised_response_is_followed() -> None:
    status, reason, body, headers = _raised(
        '{"code":"c","message":"m","details":"d","hint":"h"}',
        '{"status":418,"status_text":"Tea","headers":{"X-Tea":"green","Content-Type":"text/x"}}',
    )
    assert (status, reason) == (418, "Tea")
    assert body == {"code": "c", "details": "d", "hint": "h", "message": "m"}
    assert headers[b"X-Tea"] == b"green"
    assert b"content-type" not in headers and headers[b"Content-Type"] == b"text/x"


@pytest.mark.parametrize(
    ("message", "detail", "details"),
    [
        ("nope", "{}", "Invalid JSON value for MESSAGE: 'nope'"),
        ('{"code":"c"}', "{}", 'Invalid JSON value for MESSAGE: \'{"code":"c"}\''),
        ('{"code":"c","message":"m"}', None, "DETAIL is missing in the RAISE statement"),
        ('{"code":"c","message":"m"}', "[]", "Invalid JSON value for DETAIL: '[]'"),
        ('{"code":"c","message":"m"}', '{"status":200}', "Invalid JSON value for DETAIL: '{\"status\":200}'"),
        (
            '{"code":"c","message":"m"}',
            '{"status":200,"headers":{"a":1}}',
            'Invalid JSON value for DETAIL: \'{"status":200,"headers":{"a":1}}\'',
        ),
    ],
)
def test_a_malformed_one_is_explained(message: str, detail: str | None, details: str) -> None:
    status, _, body, _ = _raised(message, detail)
    assert (status, body["code"], body["details"]) == (500, "PGRST121", details)
