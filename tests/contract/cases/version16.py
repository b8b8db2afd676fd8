"""What the newest version of the contract says in each answer: Vary and Server."""

from tests.contract.case import Case, refused

VARY = {"Vary": "Accept, Prefer, Range"}
NO_VARY = {"Vary": None}

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
    Case(
        "the connection names the version",
        "GET /rpc/setting?name=application_name",
        json="PostgREST 16.1",
    ),
]
