"""Profiles, OPTIONS, CORS, the root and headers of every reply (section 14)."""

from tests.contract.case import Case, refused

EXPOSED = "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit"  # noqa: E501 - one line of the reply or request
ORIGIN = {"Origin": "https://elsewhere.example"}
PREFLIGHT = ORIGIN | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "Foo, Bar"}

CASES = [
    Case(
        "the first schema by default",
        "GET /ports?select=name&id=eq.1",
        json=[{"name": "Almouth"}],
        headers={"Content-Profile": "harbor"},
    ),
    Case(
        "another schema",
        "GET /ports",
        json=[{"code": "ALM", "label": "Almouth annex"}],
        send={"Accept-Profile": "annex"},
        headers={"Content-Profile": "annex"},
    ),
    Case(
        "HEAD in another schema", "HEAD /ports", send={"Accept-Profile": "annex"}, headers={"Content-Profile": "annex"}
    ),
    Case(
        "POST to another schema",
        "POST /ports",
        status=201,
        body={"code": "X"},
        send={"Content-Profile": "annex", "Prefer": "return=representation"},
        json=[{"code": "X", "label": None}],
        headers={"Content-Profile": "annex"},
    ),
    refused(
        "POST looks at Content-Profile only",
        "POST /sheds",
        404,
        "PGRST205",
        body={"id": 9},
        send={"Accept-Profile": "annex"},
    ),
    Case(
        "PATCH in another schema",
        "PATCH /ports?code=eq.ALM",
        status=200,
        body={"label": "L"},
        send={"Content-Profile": "annex", "Prefer": "return=representation"},
        json=[{"code": "ALM", "label": "L"}],
    ),
    Case("DELETE in another schema", "DELETE /sheds?id=eq.1", status=204, send={"Content-Profile": "annex"}),
    Case(
        "POST to a function of another schema",
        "POST /rpc/greet",
        body={},
        send={"Content-Profile": "annex"},
        json="hello from the annex",
    ),
    refused(
        "an unknown schema",
        "GET /ports",
        406,
        "PGRST106",
        send={"Accept-Profile": "vault"},
        message="Invalid schema: vault",
        hint="Only the following schemas are exposed: harbor, annex",
        details=None,
    ),
    refused("an unknown schema on POST", "POST /ports", 406, "PGRST106", body={}, send={"Content-Profile": "nope"}),
    Case(
        "a schema whose name needs care",
        "GET /längen?über=eq.alles",
        profile="guarded",
        role="contract_member",
        send={"Accept-Profile": 'Größe & "Maß"'},
        json=[{"id": 1, "über": "alles"}],
        headers={"Content-Profile": 'Größe & "Maß"'},
    ),
    Case(
        "a function of a schema whose name needs care",
        "POST /rpc/messen",
        profile="guarded",
        role="contract_member",
        body={},
        send={"Content-Profile": 'Größe & "Maß"'},
        json="gemessen",
    ),
    Case("one schema is not named", "GET /owners?limit=1", profile="hosted", headers={"Content-Profile": None}),
    Case(
        "one schema is named when asked for",
        "GET /owners?limit=1",
        profile="hosted",
        send={"Accept-Profile": "harbor"},
        headers={"Content-Profile": "harbor"},
    ),
    # OPTIONS
    Case(
        "OPTIONS of a table",
        "OPTIONS /ships",
        text="",
        headers={"Allow": "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE", "Access-Control-Allow-Origin": "*"},
    ),
    Case(
        "OPTIONS of a table without a key", "OPTIONS /scraps", headers={"Allow": "OPTIONS,GET,HEAD,POST,PATCH,DELETE"}
    ),
    Case("OPTIONS of a read-only view", "OPTIONS /fleet_sizes", headers={"Allow": "OPTIONS,GET,HEAD"}),
    Case(
        "OPTIONS of a simple view", "OPTIONS /ship_names", headers={"Allow": "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"}
    ),
    Case("OPTIONS of a materialized view", "OPTIONS /port_summary", headers={"Allow": "OPTIONS,GET,HEAD"}),
    Case(
        "OPTIONS of a partitioned table",
        "OPTIONS /readings",
        headers={"Allow": "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"},
    ),
    Case("OPTIONS of a stable function", "OPTIONS /rpc/greet", headers={"Allow": "OPTIONS,GET,HEAD,POST"}),
    Case("OPTIONS of a volatile function", "OPTIONS /rpc/read_only", headers={"Allow": "OPTIONS,POST"}),
    Case("OPTIONS of the root", "OPTIONS /", headers={"Allow": "OPTIONS,GET,HEAD"}),
    refused("OPTIONS of nothing", "OPTIONS /nope", 404, "PGRST205"),
    # CORS
    Case(
        "preflight",
        "OPTIONS /ships",
        text="",
        send=PREFLIGHT,
        headers={
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
            "Access-Control-Allow-Headers": "Authorization, Foo, Bar, Accept, Accept-Language, Content-Language",
            "Access-Control-Max-Age": "86400",
        },
    ),
    Case(
        "a request from elsewhere",
        "GET /owners?limit=1",
        send=ORIGIN,
        headers={
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": EXPOSED,
            "Access-Control-Allow-Credentials": None,
        },
    ),
    refused(
        "an error from elsewhere may be read",
        "GET /nope",
        404,
        "PGRST205",
        send=ORIGIN,
        headers={"Access-Control-Allow-Origin": "*"},
    ),
    Case(
        "a listed origin",
        "GET /owners?limit=1",
        send={"Origin": "https://a.example"},
        profile="guarded",
        role="contract_member",
        claims={"aud": "harbour"},
        headers={"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Allow-Credentials": "true"},
    ),
    Case(
        "an origin that is not listed",
        "GET /owners?limit=1",
        send=ORIGIN,
        profile="guarded",
        role="contract_member",
        claims={"aud": "harbour"},
        headers={"Access-Control-Allow-Origin": None},
    ),
    # the root
    Case("the root describes the API", "GET /", headers={"Content-Type": "application/openapi+json; charset=utf-8"}),
    Case(
        "the root as openapi",
        "GET /",
        send={"Accept": "application/openapi+json"},
        headers={"Content-Type": "application/openapi+json; charset=utf-8"},
    ),
    Case("the root as json", "GET /", send={"Accept": "application/json"}),
    refused("the root as csv", "GET /", 406, "PGRST107", send={"Accept": "text/csv"}),
    refused("POST to the root", "POST /", 405, "PGRST117", body={}),
    refused("DELETE of the root", "DELETE /", 405, "PGRST117"),
    refused("the root turned off", "GET /", 404, "PGRST126", profile="hosted"),
    Case(
        "a function in the root's place",
        "GET /",
        profile="guarded",
        role="contract_member",
        claims={"aud": "harbour"},
        json={"welcome": "harbour", "openapi": "3.1.0"},
    ),
    refused("an unknown method", "LOCK /owners", 405, "PGRST117", message="Unsupported HTTP method: LOCK"),
    # headers of every reply
    Case(
        "a request is traced by the header of the settings",
        "GET /owners?limit=1",
        profile="hosted",
        send={"X-Trace": "abc-1"},
        headers={"X-Trace": "abc-1", "X-Request-Id": None},
    ),
    Case(
        "a request is traced by its id",
        "GET /nope",
        status=404,
        send={"X-Request-Id": "a"},
        headers={"X-Request-Id": "a"},
    ),
    Case("no timings otherwise", "GET /owners?limit=1", headers={"Server-Timing": None}),
    refused(
        "errors name their code in a header",
        "GET /nope",
        404,
        "PGRST205",
        headers={"Proxy-Status": "PostgREST; error=PGRST205"},
    ),
    refused(
        "errors of Postgres too", "GET /ships?id=eq.x", 400, "22P02", headers={"Proxy-Status": "PostgREST; error=22P02"}
    ),
]
