"""Responses and errors decided in SQL (sections 16 and 17), and domain representations."""

from typing import Any

from tests.contract.case import Case, refused

RETURN = {"Prefer": "return=representation"}


def raised(title: str, code: str, status: int, **more: Any) -> Case:
    return refused(title, "POST /rpc/refuse", status, code, body={"code": code}, **more)


CASES = [
    Case("a status", "POST /rpc/respond", status=202, body={"status": "202"}, json="done"),
    Case("a status that has no name", "POST /rpc/respond", status=499, body={"status": "499"}),
    refused(
        "a status that is no number",
        "POST /rpc/respond",
        500,
        "PGRST112",
        body={"status": "fine"},
        message="response.status guc must be a valid status code",
    ),
    Case("a header", "POST /rpc/respond", body={"headers": '[{"X-Harbour": "open"}]'}, headers={"X-Harbour": "open"}),
    Case(
        "a header of ours is replaced",
        "POST /rpc/respond",
        body={"headers": '[{"Content-Type": "text/x-mine"}]'},
        headers={"Content-Type": "text/x-mine"},
    ),
    Case(
        "cache control",
        "POST /rpc/respond",
        body={"headers": '[{"Cache-Control": "no-store"}, {"X-More": "1"}]'},
        headers={"Cache-Control": "no-store", "X-More": "1"},
    ),
    refused(
        "headers of the wrong shape",
        "POST /rpc/respond",
        500,
        "PGRST111",
        body={"headers": '{"X": "y"}'},
        message="response.headers guc must be a JSON array composed of objects with a single key and a string value",
    ),
    refused(
        "headers with values that are no text", "POST /rpc/respond", 500, "PGRST111", body={"headers": '[{"X": 1}]'}
    ),
    refused("headers that are no json", "POST /rpc/respond", 500, "PGRST111", body={"headers": "X: y"}),
    # raised errors
    refused(
        "a plain exception",
        "POST /rpc/refuse_plain",
        400,
        "P0001",
        body={},
        message="plain refusal",
        details=None,
        hint=None,
    ),
    refused(
        "a status in the code",
        "POST /rpc/refuse_with",
        402,
        "PT402",
        body={"code": "PT402", "message": "Pay first", "detail": "Quota", "hint": "Top up"},
        message="Pay first",
        details="Quota",
        hint="Top up",
    ),
    raised("a status in the code that is no number", "PTABC", 500),
    Case(
        "everything at once",
        "POST /rpc/refuse_fully",
        status=418,
        body={
            "message": '{"code":"123","message":"teapot","details":"short","hint":"stout"}',
            "detail": '{"status":418,"status_text":"Teapot","headers":{"X-Tea":"green"}}',
        },
        json={"code": "123", "message": "teapot", "details": "short", "hint": "stout"},
        headers={"X-Tea": "green"},
    ),
    Case(
        "everything at once, the least of it",
        "POST /rpc/refuse_fully",
        status=333,
        body={"message": '{"code":"123","message":"m"}', "detail": '{"status":333,"headers":{}}'},
        json={"code": "123", "message": "m", "details": None, "hint": None},
    ),
    refused(
        "everything at once, but no json",
        "POST /rpc/refuse_fully",
        500,
        "PGRST121",
        body={"message": "words", "detail": "{}"},
    ),
    refused(
        "everything at once, with an empty message",
        "POST /rpc/refuse_fully",
        500,
        "PGRST121",
        details="Invalid JSON value for MESSAGE: ''",
        body={"message": "", "detail": "{}"},
    ),
    Case(
        "a refusal with an empty message",
        "POST /rpc/refuse",
        status=400,
        body={"code": "P0001", "message": ""},
        json={"code": "P0001", "message": "", "details": None, "hint": None},
    ),
    refused(
        "everything at once without a detail",
        "POST /rpc/refuse_fully",
        500,
        "PGRST121",
        body={"message": '{"code":"1","message":"m"}'},
    ),
    refused(
        "everything at once without headers",
        "POST /rpc/refuse_fully",
        500,
        "PGRST121",
        body={"message": '{"code":"1","message":"m"}', "detail": '{"status":333}'},
    ),
    # states to statuses
    *[
        raised(f"{code} is {status}", code, status)
        for code, status in (
            ("08006", 503),
            ("09000", 500),
            ("0L000", 403),
            ("0P000", 403),
            ("21000", 500),
            ("22023", 400),
            ("22012", 400),
            ("23503", 409),
            ("23505", 409),
            ("23514", 400),
            ("25000", 500),
            ("25006", 405),
            ("28000", 403),
            ("2D000", 500),
            ("38000", 500),
            ("39000", 500),
            ("3B000", 500),
            ("40001", 500),
            ("42501", 401),
            ("42703", 400),
            ("42883", 404),
            ("42P01", 404),
            ("42P17", 500),
            ("53000", 503),
            ("53400", 500),
            ("54000", 500),
            ("55000", 500),
            ("57014", 500),
            ("57P01", 503),
            ("58000", 500),
            ("F0000", 500),
            ("HV000", 500),
            ("P0001", 400),
            ("P0002", 500),
            ("XX000", 500),
            ("12345", 400),
        )
    ],
    refused(
        "a refusal of rights to a member is no question of who",
        "POST /rpc/refuse",
        403,
        "42501",
        role="contract_member",
        body={"code": "42501"},
    ),
    refused(
        "an update without a where is the client's fault",
        "POST /rpc/refuse",
        400,
        "21000",
        body={"code": "21000", "message": "UPDATE requires a WHERE clause"},
    ),
    refused("a division by zero", "GET /rpc/divide?a=1&b=0", 400, "22012", message="division by zero"),
    # domain representations
    Case(
        "a domain on its way out",
        "GET /hulls?select=id,colour&order=id",
        json=[{"id": 1, "colour": "#0000ff"}, {"id": 2, "colour": "#ff0000"}, {"id": 3, "colour": None}],
    ),
    Case("a domain under a star", "GET /hulls?id=eq.1", json=[{"id": 1, "colour": "#0000ff", "name": "blue"}]),
    Case("a domain in a filter", "GET /hulls?select=id&colour=eq.%23ff0000", json=[{"id": 2}]),
    Case(
        "a domain in a list", "GET /hulls?select=id&colour=in.(%23ff0000,0000ff)&order=id", json=[{"id": 1}, {"id": 2}]
    ),
    Case("a domain with is", "GET /hulls?select=id&colour=is.null", json=[{"id": 3}]),
    Case(
        "a domain in a group",
        "GET /hulls?select=id&or=(colour.eq.%23ff0000,colour.is.null)&order=id",
        json=[{"id": 2}, {"id": 3}],
    ),
    Case(
        "a cast takes a domain's representation",
        "GET /hulls?select=colour::text&id=eq.1",
        json=[{"colour": '"#0000ff"'}],
    ),
    Case("a domain under an alias", "GET /hulls?select=paint:colour&id=eq.1", json=[{"paint": "#0000ff"}]),
    Case(
        "a domain on its way in",
        "POST /hulls",
        status=201,
        body={"id": 9, "colour": "#00ff00"},
        send=RETURN,
        json=[{"id": 9, "colour": "#00ff00", "name": None}],
    ),
    Case(
        "a domain in an update",
        "PATCH /hulls?id=eq.1&select=colour",
        status=200,
        body={"colour": "#00ff00"},
        send=RETURN,
        json=[{"colour": "#00ff00"}],
    ),
    Case(
        "a filter by a domain in an update",
        "PATCH /hulls?colour=eq.%230000ff&select=id",
        status=200,
        body={"name": "sea"},
        send=RETURN,
        json=[{"id": 1}],
    ),
]
