"""From outside: no input makes a 500 or shows what is inside, and browsers are told what they may do."""

from __future__ import annotations

import json
import re

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.auth.http.routes import ROUTES
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
