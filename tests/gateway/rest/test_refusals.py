"""What is unknown or malformed is refused by every verb and wherever it stands, over a database that is pretended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

import orjson

from gateway.catalog.model import SchemaCache
from gateway.http.messages import Response
from gateway.settings import Settings
from tests.gateway.rest.test_endpoint import ANON, Service

CHANGES: Final = ("PATCH", "DELETE")
READS: Final = ("GET", "HEAD")
WORD: Final = "unheardof"
BODIES: Final = {"POST": b'{"title":"x"}', "PATCH": b'{"title":"x"}', "PUT": b'{"id":1,"title":"x"}'}


def answer(service: Service, method: str, target: str, body: bytes, headers: dict[str, str]) -> Response:
    return asyncio.run(service(method, target, body, ANON, **headers))


# Where the word stands, the verbs that may say so, the code, and whether the answer repeats the word.
UNKNOWN: Final[list[tuple[str, tuple[str, ...], dict[str, str], int, str, bool]]] = [
    *(
        (f"/posts?{query}", (*READS, *CHANGES), {}, 400, "PGRST100", True)
        for query in (
            "title={}.x", "title=not.{}.x", "title=is.{}", "title=eq({}).x", "title=like({}).x", "meta->>a={}.x",
            "or=(title.{}.x,id.eq.1)", "and=(id.eq.1,not.or(id.eq.2,title.{}.x))", "not.and=(title.{}.x)",
            "select=id,comments(id)&comments.body={}.x", "select=id,comments(id)&comments.or=(body.{}.x)",
            "id=eq.1&order=title.{}", "id=eq.1&order=title.desc.{}", "id=eq.1&order=meta->>a.{}",
        )
    ),
    ("/posts?id=eq.1&select={}(id)", (*READS, *CHANGES), {}, 400, "PGRST200", True),
    ("/posts?id=eq.1&select=id,comments({}(id))", (*READS, *CHANGES), {}, 400, "PGRST200", True),
    ("/posts?id=eq.1&select=id&{}.id=eq.1", (*READS, *CHANGES), {}, 400, "PGRST108", True),
    ("/posts?columns={}", ("POST",), {}, 400, "PGRST204", True),
    ("/posts?columns={}&id=eq.1", ("PATCH",), {}, 400, "PGRST204", True),
    ("/{}", (*READS, *CHANGES, "POST", "PUT"), {}, 404, "PGRST205", True),
    ("/rpc/{}", (*READS, "POST"), {}, 404, "PGRST202", True),
    ("/rpc/add", (*CHANGES, "PUT", "UNHEARDOF"), {}, 405, "PGRST101", False),
    ("/posts", ("UNHEARDOF", "TRACE", "get", "CONNECT"), {}, 405, "PGRST117", False),
    ("/", ("POST", "UNHEARDOF", *CHANGES, "PUT"), {}, 405, "PGRST117", False),
    *(
        (path, ("GET", "HEAD", "POST", "PUT", *CHANGES), {}, 404, "PGRST125", False)
        for path in ("/posts/{}", "/rpc/add/{}", "/{}/posts", "/rpc/")
    ),
    *(
        (target, methods, {"prefer": prefer}, 400, "PGRST122", True)
        for target, methods in (
            ("/posts?id=eq.1", (*READS, "POST", "PUT", *CHANGES)),
            ("/rpc/add?a=1&b=2", READS),
        )
        for prefer in (
            "handling=strict, {}", "{}=1,handling=strict", "handling=strict, return={}", "handling=strict,count={}",
            "handling=strict, resolution={}", "missing={},handling=strict", "handling=strict,tx={}",
            "return=minimal, handling=strict, count=exact, {}=x", "handling=strict, handling={}",
        )
    ),
    *(
        (target, methods, {"accept": f"application/vnd.{WORD}"}, 406, "PGRST107", True)
        for target, methods in (
            ("/posts?id=eq.1", (*READS, "POST", "PUT", *CHANGES)),
            ("/rpc/add?a=1&b=2", READS),
        )
    ),
    ("/posts?id=eq.1", READS, {"accept_profile": "{}"}, 406, "PGRST106", True),
    ("/rpc/add?a=1&b=2", READS, {"accept_profile": "{}"}, 406, "PGRST106", True),
    ("/", READS, {"accept_profile": "{}"}, 406, "PGRST106", True),
    ("/posts?id=eq.1", ("POST", "PUT", *CHANGES), {"content_profile": "{}"}, 406, "PGRST106", True),
    ("/rpc/add", ("POST",), {"content_profile": "{}"}, 406, "PGRST106", True),
    ("/posts?id=eq.1", ("POST", "PATCH", "PUT"), {"content_type": "application/{}"}, 400, "PGRST102", True),
]  # fmt: skip


def test_promise_03_what_is_not_known_is_refused_by_every_verb_wherever_it_stands(
    cache: SchemaCache, settings: Settings
) -> None:
    service = Service(cache, replace(settings, db_aggregates_enabled=True))
    wrong: list[tuple[object, ...]] = []
    for target, methods, headers, status, code, named in UNKNOWN:
        filled = {name: value.replace("{}", WORD) for name, value in headers.items()}
        for method in methods:
            for _ in "12":  # what was refused is refused again
                got = answer(service, method, target.replace("{}", WORD), BODIES.get(method, b""), filled)
                said = orjson.loads(got.body) if got.body else {}
                if got.status != status or (method != "HEAD" and said.get("code") != code):
                    wrong.append((method, target, headers, got.status, said))
                elif method != "HEAD" and named and WORD not in got.body.decode():
                    wrong.append((method, target, headers, "unnamed", said))
    assert wrong == []
    assert (service.db.calls, service.db.scopes) == (0, [])


# Each is wrong whatever else is said: by these verbs, with this body and content type.
MALFORMED: Final[list[tuple[str, tuple[str, ...], bytes, str]]] = [
    *(
        (f"/posts?{query}", (*READS, *CHANGES), b'{"title":"x"}', "")
        for query in (
            "title=", "title=eq", "title=in.(a", "title=in.a", "or=(id.eq.1", "or=()", "or=id.eq.1", "and=(id.eq.1,)",
            "id=eq.1&select=id,", "id=eq.1&select=comments(id", "id=eq.1&select=id::",
            "id=eq.1&select=meta->", "id=eq.1&order=.desc", "id=eq.1&limit=-1", "id=eq.1&order=id.asc.desc",
            "id%00=eq.1", "title=fts(.x", "id=eq.1&select=" + "comments(posts(" * 300 + "id" + "))" * 300,
            "or=" + "(or" * 300, "id=eq.1&or=(" + "and(" * 300,
        )
    ),
    *(
        (target, methods, body, kind)
        for target, methods in (
            ("/posts?id=eq.1", ("POST", "PATCH", "PUT")),
            ("/rpc/add", ("POST",)),
        )
        for body, kind in (
            (b"{", "application/json"), (b'{"a":1}x', "application/json"), (b'[{"a":1},]', "application/json"),
            (b"[1,2]", "application/json"), (b"\xff", "application/json"),
            (b"nul", "application/json"), (b'{"a":NaN}', "application/json"), (b"a,b\n1\n", "text/csv"),
            (b"a,b\n1,2,3\n", "text/csv"), (b"[" * 1000, "application/json"), (b'{"a":' * 1000, "application/json"),
        )
    ),
    ("/posts?id=eq.1&limit=1", ("PUT",), b'{"id":1}', ""),
    ("/posts", ("PUT",), b'{"id":1}', ""),
    ("/posts?id=gt.1", ("PUT",), b'{"id":1}', ""),
    ("/posts?title=eq.1", ("PUT",), b'{"id":1}', ""),
    ("/posts", CHANGES, b'{"title":"x"}', ""),
    ("/rpc/add?a=1&a.b.c=(", READS, b"", ""),
    ("/posts?id=eq." + "1" * 70_000, (*READS, *CHANGES), b'{"title":"x"}', ""),
    ("/posts?" + "&".join(f"id=eq.{n}" for n in range(5000)), (*READS, *CHANGES), b'{"title":"x"}', ""),
]  # fmt: skip
WISHES: Final[list[dict[str, str]]] = [
    {},
    {"prefer": "return=representation, count=exact"},
    {"prefer": "count=estimated"},
    {"prefer": "handling=strict, max-affected=1"},  # takes a transaction that is begun by itself
    {"prefer": "tx=rollback"},
    {"accept": "application/vnd.pgrst.object+json"},
    {"accept": "text/csv"},
    {"accept": "application/vnd.pgrst.plan+json"},
]


def test_promise_07_what_is_malformed_is_refused_by_every_verb_without_the_database(
    cache: SchemaCache, settings: Settings
) -> None:
    service = Service(
        cache,
        replace(settings, require_filter=True, db_tx_end="commit-allow-override", db_pre_request="public.check"),
    )
    wrong: list[tuple[object, ...]] = []
    for target, methods, body, kind in MALFORMED:
        for method in methods:
            for wish in WISHES:
                headers = wish | ({"content_type": kind} if kind else {})
                got = answer(service, method, target, b"" if method in (*READS, "DELETE") else body, headers)
                if not 400 <= got.status < 500 or service.db.scopes:
                    wrong.append((method, target[:60], body[:20], kind, wish, got.status, got.body[:100]))
                    service.db.scopes.clear()
    assert wrong == []
    assert (service.db.calls, service.db.begins, service.db.statements) == (0, [], [])
