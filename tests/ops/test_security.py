"""From outside: no input makes a 500 or shows what is inside, and browsers are told what they may do."""

from __future__ import annotations

import json
import random
import re
import socket
from contextlib import closing
from urllib.parse import urlsplit

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.auth.endpoint import ROUTES
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.fuzz import INSIDE
from tests.ops.procs import LIMIT

PATHS = sorted(
    {
        "/", "/env.js", "/auth", "/insights/x", "/rest/v1/", "/rest/v1/blog_posts", "/rest/v1/rpc/nothing",
        "/functions/v1/submit-contact", "/functions/v1/submit-quote", "/functions/v1/submit-newsletter",
        "/functions/v1/render-insight/x", "/functions/v1/_admin/functions",
        *("/auth/v1" + route.path.replace("{", "").replace("}", "") for route in ROUTES),
    }
)  # fmt: skip
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
NAMES = (
    "accept", "content-type", "prefer", "range", "range-unit", "authorization", "accept-profile", "content-profile",
    "x-forwarded-for", "cookie", "origin", "if-none-match", "idempotency-key",
    "x-supabase-api-version", "accept-encoding",
)  # fmt: skip
WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["null", "*", "eq.", "a(b(c", "'; --", "%00", "\ufeff", "9" * 30, "-1", "application/json", "Bearer x",
         "Bearer a.b.c",
         "tx=rollback", "count=exact,handling=strict", "items=0-1", "0-", "1-0", "{}", "[[[[", "a:b:c", "public, auth"]
    ),
)  # fmt: skip
BODIES = st.one_of(
    st.binary(max_size=200),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
        max_leaves=8,
    ),
    st.sampled_from([b"[" * 5000, b'{"a":' * 2000, b'{"email": {"a": 1}, "password": []}', b"\xff\xfe", b'"\\ud800"']),
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    method=st.sampled_from(METHODS),
    path=st.sampled_from(PATHS),
    query=st.lists(st.tuples(WORDS, WORDS), max_size=3),
    headers=st.dictionaries(st.sampled_from(NAMES), WORDS, max_size=3),
    body=BODIES,
    is_secret=st.booleans(),
)
def ask(
    gateway: LiveGateway,
    client: httpx.Client,
    method: str,
    path: str,
    query: list[tuple[str, str]],
    headers: dict[str, str],
    body: object,
    is_secret: bool,
) -> None:
    key = gateway.secret_key if is_secret else gateway.publishable_key
    sent = {"apikey": key, **{name: re.sub(r"[^\x20-\x7e]", "?", value).strip() for name, value in headers.items()}}
    try:
        params = [
            (name.encode("utf-8", "ignore").decode(), value.encode("utf-8", "ignore").decode()) for name, value in query
        ]
        options = {"content": body} if isinstance(body, bytes) else {"json": body}
        request = client.build_request(method, f"{gateway.url}{path}", params=params, headers=sent, **options)  # type: ignore[arg-type]
    except (ValueError, UnicodeError):
        return  # what no client can send
    response = client.send(request)
    shown = f"{method} {request.url} {sent} {body!r}\n{response.status_code} {response.text[:500]}"
    assert response.status_code != 500, shown
    if path != "/env.js" and "html" not in response.headers.get("content-type", ""):
        assert not INSIDE.search(response.content), shown


def test_no_request_makes_a_500_or_shows_what_is_inside(gateways: GatewayStarter) -> None:
    gateway = gateways(extra={"GATEWAY_AUTH_ADDRESS_LIMITS": "false"})
    with httpx.Client(timeout=LIMIT, trust_env=False) as client:
        ask(gateway, client)
    assert not [line for line in gateway.output if "Traceback" in line]


def test_no_bytes_on_the_wire_make_a_500(gateway: LiveGateway) -> None:
    chance = random.Random(7)
    parts = urlsplit(gateway.url)
    whole = f"POST /rest/v1/blog_posts HTTP/1.1\r\nHost: x\r\napikey: {gateway.publishable_key}\r\n".encode()
    seeds = [
        whole + b"Content-Length: 2\r\n\r\n{}",
        whole + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        whole + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET /",
        whole + b"Content-Length: -1\r\n\r\n",
        whole + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET http://other/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET //../..//etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /assets/..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /functions/v1/..%2f..%2fx HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
    broken: list[bytes] = []
    for seed in seeds:
        broken.append(seed)
        for _ in range(4):
            raw = bytearray(seed)
            for _ in range(chance.randint(1, 4)):
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            broken.append(bytes(raw))
    assert parts.hostname and parts.port
    for message in broken:
        with closing(socket.create_connection((parts.hostname, parts.port), timeout=LIMIT)) as client:
            client.sendall(message)
            client.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while chunk := client.recv(65_536):
                    answer += chunk
            except ConnectionResetError:
                pass
        assert not answer.startswith(b"HTTP/1.1 500") and b"root:" not in answer, (message, answer[:300])
    assert httpx.get(f"{gateway.url}/auth/v1/health", headers={"apikey": gateway.publishable_key}).status_code == 200
    assert not [line for line in gateway.output if "Traceback" in line]


def test_browsers_are_told_to_keep_to_tls_where_there_is_tls(gateways: GatewayStarter) -> None:
    with_tls = gateways(extra={"GATEWAY_PUBLIC_URL": "https://shop.example"})
    port = json.loads((with_tls.data_dir / "serving.json").read_text())["port"]
    without = gateways()
    for path in ("/", "/rest/v1/blog_posts?select=id&limit=1", "/auth/v1/health", "/functions/v1/nothing"):
        headers = {"apikey": with_tls.publishable_key}
        assert (
            "max-age="
            in httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers).headers["strict-transport-security"]
        ), path
        assert "strict-transport-security" not in httpx.get(without.url + path).headers
    page = httpx.get(f"{without.url}/").headers
    assert "frame-ancestors 'none'" in page["content-security-policy"]
    assert (page["x-frame-options"], page["x-content-type-options"]) == ("DENY", "nosniff")
    assert page["referrer-policy"] and page["permissions-policy"]
