"""What the newest version of the contract says in each answer: Vary and Server."""

from typing import Any

from tests.contract.case import RETURN, Case, refused

VARY = {"Vary": "Accept, Prefer, Range"}
NO_VARY = {"Vary": None}

# What is said, to which request, with which headers, and what is sent with it.
TERSE: list[tuple[str, str, int, str, str, dict[str, str], dict[str, Any]]] = [
    (
        "unknown table",
        "GET /shipz",
        404,
        "PGRST205",
        "Could not find the table 'harbor.shipz' in the schema cache",
        {"Proxy-Status": "PostgREST; error=PGRST205"},
        {},
    ),
    (
        "parse error",
        "GET /ships?id=zz",
        400,
        "PGRST100",
        '"failed to parse filter (zz)" (line 1, column 1)',
        {},
        {},
    ),
    (
        "ambiguous embed",
        "GET /ships?select=ports(id)",
        300,
        "PGRST201",
        "Could not embed because more than one relationship was found for 'ships' and 'ports'",
        {},
        {},
    ),
    (
        "token",
        "GET /ships",
        401,
        "PGRST301",
        "Expected 3 parts in JWT; got 1",
        {"WWW-Authenticate": 'Bearer error="invalid_token", error_description="Expected 3 parts in JWT; got 1"'},
        {"send": {"Authorization": "Bearer x"}},
    ),
    (
        "conflict",
        "POST /stamps",
        409,
        "23505",
        'duplicate key value violates unique constraint "stamps_pkey"',
        {},
        {"body": {"code": "a"}},
    ),
    (
        "error of one's own status",
        "POST /rpc/refuse_with",
        418,
        "PT418",
        "no",
        {},
        {"body": {"code": "PT418", "message": "no", "detail": "d", "hint": "h"}},
    ),
    (
        "error of one's own making",
        "POST /rpc/refuse_fully",
        402,
        "c",
        "m",
        {"x": "y"},
        {
            "body": {
                "message": '{"code":"c","message":"m","details":"d","hint":"h"}',
                "detail": '{"status":402,"headers":{"x":"y"}}',
            }
        },
    ),
    (
        "error that is none",
        "POST /rpc/refuse_fully",
        500,
        "PGRST121",
        "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error",
        {},
        {"body": {"message": "{"}},
    ),
    (
        "page beyond the rows",
        "GET /ships?offset=100",
        416,
        "PGRST103",
        "Requested range not satisfiable",
        {"Content-Range": "*/5"},
        {"send": {"Prefer": "count=exact"}},
    ),
]

CASES = [
    Case("Vary on a read", "GET /ships?select=id&limit=1", headers={**VARY, "Server": "postgrest/16.1"}),
    Case("Vary on a HEAD", "HEAD /ships?select=id&limit=1", headers=VARY),
    Case("Vary on a page of a counted read", "GET /ships?limit=1", 206, send={"Prefer": "count=exact"}, headers=VARY),
    Case("Vary on an insert", "POST /scraps", 201, body={"value": "z"}, headers=VARY),
    Case("Vary on an update", "PATCH /scraps?value=eq.x", 204, body={"size": 2}, headers=VARY),
    Case("Vary on a delete", "DELETE /scraps?value=eq.x", 204, headers=VARY),
    Case("Vary on an upsert", "PUT /stamps?code=eq.a", 204, body={"code": "a", "label": "x"}, headers=VARY),
    Case("Vary on a call", "GET /rpc/greet", headers=VARY),
    Case("Vary on a call without a result", "POST /rpc/nothing", 204, body={}, headers=VARY),
    Case("Vary on the root", "GET /", headers=VARY),
    Case("Vary on OPTIONS of a table", "OPTIONS /ships", headers=VARY),
    Case("Vary on OPTIONS of the root", "OPTIONS /", headers=VARY),
    Case("Vary on a plan", "GET /ships", send={"Accept": "application/vnd.pgrst.plan+json"}, headers=VARY),
    Case(
        "Vary where the page lies beyond the rows",
        "GET /ships?offset=100",
        416,
        send={"Prefer": "count=exact"},
        headers=VARY,
    ),
    Case(
        "Vary of the request's own SQL replaces it",
        "POST /rpc/respond",
        body={"headers": '[{"VARY": "Cookie"}]'},
        headers={"Vary": "Cookie"},
    ),
    Case(
        "no Vary on a preflight",
        "OPTIONS /ships",
        send={"Origin": "https://a.example", "Access-Control-Request-Method": "GET"},
        headers=NO_VARY,
    ),
    *[
        refused(f"no Vary on an error of {code}", request, status, code, headers=NO_VARY, **more)
        for request, status, code, more in (
            ("GET /shipz", 404, "PGRST205", {}),
            ("GET /ships?id=zz", 400, "PGRST100", {}),
            ("GET /ships?id=eq.zz", 400, "22P02", {}),
            ("GET /ships", 406, "PGRST107", {"send": {"Accept": "image/png"}}),
            ("GET /ships", 406, "PGRST116", {"send": {"Accept": "application/vnd.pgrst.object+json"}}),
            ("GET /sealed", 401, "42501", {}),
            ("GET /ships", 401, "PGRST301", {"send": {"Authorization": "Bearer x"}}),
            ("POST /stamps", 409, "23505", {"body": {"code": "a"}}),
            ("GET /rpc/divide?a=1&b=0", 400, "22012", {}),
        )
    ],
    # names of embeds
    *[
        Case(
            f"a target's name beside its alias is warned of, in {what}",
            f"{request}&select=id,hands:sailors(id)",
            status,
            headers={
                "Warning": '299 PostgRESTv16.1 "Embedded resource was referenced by relation name even though it has an alias. '  # noqa: E501 - one line of the reply
                "This is deprecated and will stop working in a future release. "
                'Update `sailors` to `hands` in query string filters, orders or limits."'
            },
            **more,
        )
        for what, request, status, more in (
            ("a filter", "GET /ships?sailors.id=gt.1", 200, {}),
            ("a logic tree", "GET /ships?sailors.or=(id.eq.1,id.eq.2)", 200, {}),
            ("an order", "GET /ships?sailors.order=id", 200, {}),
            ("a limit", "GET /ships?sailors.limit=1", 200, {}),
            ("an offset", "HEAD /ships?sailors.offset=1", 200, {}),
            ("a write", "PATCH /ships?id=eq.1&sailors.id=gt.1", 200, {"body": {"built": 2000}, "send": RETURN}),
            ("a call", "GET /rpc/find_ships?term=o&sailors.id=gt.1", 200, {}),
            ("a counted page", "GET /ships?sailors.id=gt.1&limit=1", 206, {"send": {"Prefer": "count=exact"}}),
        )
    ],
    Case(
        "several names are listed in the order of the select",
        "GET /ships?select=id,hands:sailors(id,fleet:ships(id)),keeper:owners(id),ports!home_port(id)&owners.id=eq.1&sailors.ships.id=eq.1&ports.id=eq.1",  # noqa: E501 - one line of the request
        headers={
            "Warning": '299 PostgRESTv16.1 "Embedded resource was referenced by relation name even though it has an alias. '  # noqa: E501 - one line of the reply
            "This is deprecated and will stop working in a future release. "
            'Update `sailors` to `hands`, `ships` to `fleet`, `owners` to `keeper` in query string filters, orders or limits."'  # noqa: E501 - one line of the reply
        },
    ),
    Case(
        "an alias is not warned of",
        "GET /ships?select=id,hands:sailors(id),owners:owners(id)&hands.id=gt.1&owners.id=eq.1&order=owners(id)",
        headers={"Warning": None},
    ),
    refused(
        "an error is not warned of",
        "GET /ships?select=id,hands:sailors(id)&sailors.id=eq.x",
        400,
        "22P02",
        headers={"Warning": None},
    ),
    Case(
        "an answer beyond the rows is not warned of",
        "GET /ships?select=id,hands:sailors(id)&sailors.id=eq.1&offset=100",
        416,
        send={"Prefer": "count=exact"},
        headers={"Warning": None},
    ),
    Case(
        "one name alone: the alias",
        "GET /ships?select=id,hands:sailors(id)&hands.id=eq.1&id=eq.1",
        json=[{"id": 1, "hands": [{"id": 1}]}],
        headers={"Warning": None},
        profile="terse",
    ),
    Case(
        "one name alone: that of the embed without an alias",
        "GET /ships?select=id,hands:sailors(id),sailors(id)&sailors.id=eq.1&id=eq.1&hands.order=id",
        json=[{"id": 1, "hands": [{"id": 1}, {"id": 2}, {"id": 3}], "sailors": [{"id": 1}]}],
        profile="terse",
    ),
    *[
        Case(
            f"one name alone: a target that has an alias is refused in {what}",
            f"GET /ships?select=id,hands:sailors(id)&{parameter}",
            400,
            json={"code": "PGRST108", "message": "'sailors' is not an embedded resource in this request"},
            profile="terse",
        )
        for what, parameter in (
            ("a filter", "sailors.id=eq.1"),
            ("an order", "sailors.order=id"),
            ("a limit", "sailors.limit=1"),
            ("a logic tree", "sailors.or=(id.eq.1)"),
        )
    ],
    # how much errors say
    *[
        Case(
            f"a terse {what}",
            request,
            status,
            json={"code": code, "message": message},
            headers={"Content-Type": "application/json; charset=utf-8", **headers},
            profile="terse",
            **more,
        )
        for what, request, status, code, message, headers, more in TERSE
    ],
    # what is missing
    refused(
        "the nearest target of a table that has relationships",
        "GET /ships?select=id,sailor(id)",
        400,
        "PGRST200",
        hint="Perhaps you meant 'sailors' instead of 'sailor'.",
    ),
    refused(
        "no origin is suggested for a table that leads to hidden ones alone",
        "GET /storerooms?select=id,port(id)",
        400,
        "PGRST200",
        hint=None,
    ),
    refused(
        "a target that is there under another hint is not suggested",
        "GET /ships?select=id,Ports!nothing(id)",
        400,
        "PGRST200",
        hint=None,
    ),
    Case(
        "the connection names the version",
        "GET /rpc/setting?name=application_name",
        json="PostgREST 16.1",
    ),
]
