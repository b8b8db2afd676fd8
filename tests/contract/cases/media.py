"""Media types and negotiation (section 13)."""

from typing import Any

from tests.contract.case import Case, refused


def accept(title: str, request: str, accepted: str, content_type: str, **more: Any) -> Case:
    return Case(title, request, send={"Accept": accepted}, headers={"Content-Type": content_type}, **more)


JSON = "application/json; charset=utf-8"

CASES = [
    accept("any", "GET /owners?limit=1", "*/*", JSON),
    accept("json", "GET /owners?limit=1", "application/json", JSON),
    accept("array", "GET /owners?limit=1", "application/vnd.pgrst.array+json", JSON),
    accept("array in short", "GET /owners?limit=1", "application/vnd.pgrst.array", JSON),
    accept(
        "array without nulls",
        "GET /owners?id=eq.3",
        "application/vnd.pgrst.array+json;nulls=stripped",
        "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8",
        json=[{"id": 3, "name": "Idle Co"}],
    ),
    accept(
        "object without nulls",
        "GET /owners?id=eq.3",
        "application/vnd.pgrst.object+json;nulls=stripped",
        "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
        json={"id": 3, "name": "Idle Co"},
    ),
    accept(
        "nulls are stripped all the way down",
        "GET /ships?id=eq.5&select=specs,owners(code)",
        "application/vnd.pgrst.object+json;nulls=stripped",
        "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
        json={"specs": {}, "owners": {"code": "TID"}},
    ),
    accept("capitals", "GET /owners?limit=1", "Application/JSON", JSON),
    accept(
        "capitals of the vendor's",
        "GET /owners?id=eq.1&select=id",
        "ApplicatIon/vnd.PgRsT.object+json",
        "application/vnd.pgrst.object+json; charset=utf-8",
        json={"id": 1},
    ),
    accept(
        "an object without nulls, beside another parameter",
        "GET /owners?id=eq.3",
        'application/vnd.pgrst.object+json; charset=utf-8; Nulls = "stripped"',
        "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
        json={"id": 3, "name": "Idle Co"},
    ),
    accept(
        "of two wanted alike the one with more to say",
        "GET /owners?id=eq.3",
        "application/json, application/vnd.pgrst.object+json;nulls=stripped",
        "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
    ),
    accept("the best of several", "GET /owners?limit=1", "text/csv;q=0.5, application/json;q=0.9", JSON),
    accept("the best of several that there is", "GET /owners?limit=1", "image/png, text/html;q=0.9, */*;q=0.1", JSON),
    accept(
        "what browsers send",
        "GET /owners?limit=1",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        JSON,
    ),
    refused(
        "none of them",
        "GET /owners",
        406,
        "PGRST107",
        send={"Accept": "image/png, text/html"},
        message="None of these media types are available: image/png, text/html",
    ),
    refused(
        "none of them, in their own words",
        "GET /owners",
        406,
        "PGRST107",
        send={"Accept": "text/html;level=1;q=0.5, Application/X-Foo;a=b"},
        message="None of these media types are available: Application/X-Foo;a=b, text/html;level=1",
    ),
    refused("text is not to be had", "GET /owners", 406, "PGRST107", send={"Accept": "text/plain"}),
    refused("bytes are not to be had", "GET /owners", 406, "PGRST107", send={"Accept": "application/octet-stream"}),
    accept(
        "csv",
        "GET /ports?select=id,name,facilities,details&id=lte.2&order=id",
        "text/csv",
        "text/csv; charset=utf-8",
        text='id,name,facilities,details\n1,Almouth,"{crane,fuel}","{""pilot"": true, ""berths"": 12, ""contact"": {""radio"": ""VHF 12""}}"\n'  # noqa: E501 - one line of the reply or request
        '2,Brackwater,{fuel},"{""pilot"": false, ""berths"": 4, ""contact"": {""radio"": ""VHF 9""}}"',
    ),
    accept(
        "csv of nulls and booleans",
        "GET /ships?select=id,active,built&id=in.(3,4)&order=id",
        "text/csv",
        "text/csv; charset=utf-8",
        text="id,active,built\n3,f,1987\n4,,",
    ),
    accept(
        "csv of what must be quoted",
        "GET /pairs?order=a,b",
        "text/csv",
        "text/csv; charset=utf-8",
        text='a,b,c\n1,one,\n1,uno,""\n2,two,NULL\n3,"a,b",{x}\n4,paren(s),back\\slash\n5,"""quoted""",x*y'.replace(
            "paren(s),back\\slash", '"paren(s)","back\\\\slash"'
        ),
    ),
    accept(
        "csv of odd names, which are not quoted",
        'GET /Odd Names?select="say ""hi""","x y","a.b"&Id=eq.2'.replace('""', '\\"'),
        "text/csv",
        "text/csv; charset=utf-8",
        text='say "hi",x y,a.b\n"""q""","(par)","a,b"',
    ),
    accept(
        "csv of blanks",
        "GET /notices?select=id,body&id=eq.1",
        "text/csv",
        "text/csv; charset=utf-8",
        text='id,body\n1,"The fog bank is moving"',
    ),
    accept(
        "csv of an embed",
        "GET /ships?select=id,passports(number)&id=eq.1",
        "text/csv",
        "text/csv; charset=utf-8",
        text='id,passports\n1,"{""number"": ""P-100""}"',
    ),
    accept(
        "csv of a scalar",
        "GET /rpc/add?a=1",
        "text/csv",
        "text/csv; charset=utf-8",
        text="pgrst_scalar\n11",
    ),
    accept(
        "csv of a set of scalars",
        "GET /rpc/numbers?upto=2",
        "text/csv",
        "text/csv; charset=utf-8",
        text="pgrst_scalar\n1\n2",
    ),
    accept("a handler for a relation without columns", "GET /bare", "text/x-log", "text/x-log", text="bare;bare;"),
    accept(
        "a handler for anything and a relation without columns",
        "GET /bare",
        "application/x-ship+json",
        "application/x-ship+json",
        json={"n": 2},
    ),
    accept("json of a relation without columns", "GET /bare", "application/json", JSON, json=[{}, {}]),
    accept("csv of nothing", "GET /empty_shelf", "text/csv", "text/csv; charset=utf-8", text="\n"),
    accept(
        "csv of quotes",
        "GET /ships?select=name&id=eq.5",
        "text/csv",
        "text/csv; charset=utf-8",
        text='name\n"Étoile ""7"""',
    ),
    accept(
        "geojson, where there is a function for it",
        "GET /owners?select=id&order=id&limit=1",
        "application/geo+json",
        "application/geo+json; charset=utf-8",
        json={
            "type": "FeatureCollection",
            "features": [{"type": "Feature", "geometry": None, "properties": {"id": 1}}],
        },
    ),
    # plans
    accept(
        "a plan as text",
        "GET /owners?id=eq.1",
        "application/vnd.pgrst.plan",
        'application/vnd.pgrst.plan+text; for="application/json"; charset=utf-8',
    ),
    accept(
        "a plan as json",
        "GET /owners?id=eq.1",
        "application/vnd.pgrst.plan+json",
        'application/vnd.pgrst.plan+json; for="application/json"; charset=utf-8',
    ),
    accept(
        "a plan with options",
        "GET /owners?id=eq.1",
        'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json"; options=analyze|verbose|settings|buffers|wal',  # noqa: E501 - one line of the reply or request
        'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json"; options=analyze|verbose|settings|buffers|wal; charset=utf-8',  # noqa: E501 - one line of the reply or request
    ),
    accept(
        "a plan as the JavaScript client asks for it",
        "GET /owners?id=eq.1",
        'application/vnd.pgrst.plan+text; for="application/json"; options=;',
        'application/vnd.pgrst.plan+text; for="application/json"; charset=utf-8',
    ),
    accept(
        "a plan whose parameters are named in capitals",
        "GET /owners?id=eq.1",
        'application/vnd.pgrst.plan+text; FOR="text/csv"',
        'application/vnd.pgrst.plan+text; for="text/csv"; charset=utf-8',
    ),
    Case(
        "a plan of a write does not write",
        "POST /notes",
        body={"id": 1, "body": "twice"},
        send={"Accept": "application/vnd.pgrst.plan+json"},
    ),
    Case("a plan of a function", "GET /rpc/find_ships?term=a", send={"Accept": "application/vnd.pgrst.plan+json"}),
    refused(
        "a plan where plans are off",
        "GET /owners",
        406,
        "PGRST107",
        send={"Accept": "application/vnd.pgrst.plan"},
        profile="hosted",
    ),
    # custom handlers
    accept("a function's own media type", "GET /rpc/day_log", "text/x-log", "text/x-log", text="calm sea"),
    accept("a function's own media type of bytes", "GET /rpc/dot", "image/x-dot", "image/x-dot", text="\x01\x02"),
    accept(
        "a function's own media type is not the only one", "GET /rpc/day_log", "application/json", JSON, json="calm sea"
    ),
    refused(
        "another media type of such a function", "GET /rpc/day_log", 406, "PGRST107", send={"Accept": "image/x-dot"}
    ),
    accept("a function that answers anything", "GET /rpc/anything", "image/png", "text/x-any", text="whatever"),
    accept(
        "an aggregate over a table", "GET /ships?order=id&limit=2", "text/x-log", "text/x-log", text="Aurora\nBorealis"
    ),
    accept(
        "an aggregate over a function's rows",
        "GET /rpc/find_ships?term=or",
        "text/x-log",
        "text/x-log",
        text="Aurora\nBorealis",
    ),
    refused(
        "an aggregate over a table, with other columns",
        "GET /ships?select=id,name",
        406,
        "PGRST107",
        send={"Accept": "text/x-log"},
    ),
    refused("an aggregate of another table", "GET /owners", 406, "PGRST107", send={"Accept": "text/x-log"}),
    accept(
        "an aggregate over anything", "GET /owners", "application/x-ship+json", "application/x-ship+json", json={"n": 3}
    ),
    accept(
        "an aggregate over anything, with other columns",
        "GET /owners?select=id",
        "application/x-ship+json",
        "application/x-ship+json",
        json={"n": 3},
    ),
]
