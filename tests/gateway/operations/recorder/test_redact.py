"""Nothing secret is kept, and nothing else is lost."""

from __future__ import annotations

import json

import pytest

from gateway.identity.tokens import Key, mint
from gateway.operations.recorder.exchange import Caller, Message, decode, encode
from gateway.operations.recorder.redact import BODY_LIMIT, Redactor, caller_of, digest

NOW = 1_800_000_000
HOME = "http://127.0.0.1:54321"
KEY = Key("HS256", b"a secret of these tests, long enough to sign")
JSON = [("content-type", "application/json")]


def token(**claims: object) -> str:
    return mint(claims, KEY)


ADA = token(sub="u1", email="ada@example.test", role="authenticated", exp=NOW + 60)
OVER = token(sub="u1", email="ada@example.test", exp=NOW - 60)
LEGACY = token(role="anon", exp=NOW + 60)
SERVICE = token(role="service_role", exp=NOW + 60)


def redacted(value: object, service: str = "rest") -> object:
    return json.loads(Redactor([HOME]).request(service, JSON, json.dumps(value).encode()).text)


@pytest.mark.parametrize(
    ("service", "value", "expected"),
    [
        pytest.param("auth", {"email": "a@b.c", "password": "x"}, {"email": "a@b.c", "password": "<redacted password>"},
                     id="a password"),
        pytest.param("functions", {"deep": [{"apiKey": "k", "client_secret": "s"}]},
                     {"deep": [{"apiKey": "<redacted apiKey>", "client_secret": "<redacted client_secret>"}]},
                     id="what sounds secret, at any depth"),
        pytest.param("auth", {"code": "123456"}, {"code": "<redacted code>"}, id="a code for auth"),
        pytest.param("rest", {"code": "23505"}, {"code": "23505"}, id="a code elsewhere"),
        pytest.param("functions", {"secrets": {"one": 1, "two": [2]}},
                     {"secrets": {"one": "<redacted secrets>", "two": ["<redacted secrets>"]}},
                     id="everything below a secret's name"),
        pytest.param("auth", {"token_type": "bearer", "token": None}, {"token_type": "bearer", "token": None},
                     id="neither a token's type nor its absence"),
        pytest.param("rest", {"note": f"see {HOME}/a and {HOME}1/b"}, {"note": f"see <gateway>/a and {HOME}1/b"},
                     id="the server's own address"),
        pytest.param("rest", {"note": "key sb_secret_abc-1 there"}, {"note": "key <redacted secret_key> there"},
                     id="a key in a text"),
        pytest.param("rest", {"link": "https://a.test/#access_token=abc&type=x"},
                     {"link": f"https://a.test/#access_token=<redacted access_token {digest('abc')}>&type=x"},
                     id="a token in an address"),
        pytest.param("rest", {"note": f"jwt {ADA}"}, {"note": f"jwt <redacted jwt {digest(ADA)}>"},
                     id="a token in a text"),
    ],
)  # fmt: skip
def test_secrets_are_taken_out(service: str, value: object, expected: object) -> None:
    assert redacted(value, service) == expected


def test_the_same_token_is_redacted_alike_and_remembered() -> None:
    found: dict[str, str] = {}
    redactor = Redactor([], found)
    given = redactor.response("auth", JSON, b'{"refresh_token":"r1"}').text
    assert redactor.request("auth", JSON, b'{"refresh_token":"r1"}').text == given
    assert found == {digest("r1"): "r1"}


def test_a_body_without_secrets_stays_byte_for_byte() -> None:
    body = b'{"b": 1.10,\n "a": "\\u00e9"}'
    assert Redactor([HOME]).request("rest", JSON, body).text == body.decode()


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        pytest.param("application/json", b"{no json", Message({}, "{no json"), id="broken JSON"),
        pytest.param("image/png", b"\x89PNG\xff", Message({}, base64="iVBOR/8="), id="bytes"),
        pytest.param("application/x-www-form-urlencoded", b"a=1&password=p%26q",
                     Message({}, "a=1&password=%3Credacted+password%3E"), id="a form"),
        pytest.param("multipart/form-data; boundary=b", b"--b password", Message({}, size=12), id="files"),
        pytest.param("text/plain", b"x" * (BODY_LIMIT + 1), Message({}, size=BODY_LIMIT + 1), id="too long"),
    ],
)  # fmt: skip
def test_bodies_of_every_kind(kind: str, body: bytes, expected: Message) -> None:
    kept = Redactor([HOME]).request("functions", [("content-type", kind)], body)
    assert (kept.text, kept.base64, kept.size) == (expected.text, expected.base64, expected.size)


def test_headers_keep_the_contract_and_lose_browser_and_secrets() -> None:
    sent = [
        ("host", "127.0.0.1"), ("user-agent", "x"), ("cookie", "a=b"), ("sec-fetch-mode", "cors"), ("apikey", "k"),
        ("authorization", "Bearer t"), ("prefer", "count=exact"), ("prefer", "missing=default"), ("x-tenant", "north"),
        ("x-webhook-signature", "s"), ("idempotency-key", "i"),
    ]  # fmt: skip
    assert Redactor([HOME]).request("rest", sent, b"").headers == {
        "prefer": "count=exact, missing=default",
        "x-tenant": "north",
        "x-webhook-signature": "<redacted x-webhook-signature>",
        "idempotency-key": "i",
    }


def test_a_query_loses_its_key_and_secrets_and_nothing_else() -> None:
    query = "select=a%2Cb&apikey=k&token=t&or=(a.eq.1,b.like.*x)&redirect_to=http%3A%2F%2F127.0.0.1%3A54321%2Fa"
    assert Redactor([HOME]).query("auth", query) == (
        "select=a%2Cb&token=%3Credacted+token%3E&or=(a.eq.1,b.like.*x)&redirect_to=%3Cgateway%3E%2Fa"
    )


@pytest.mark.parametrize(
    ("headers", "query", "expected"),
    [
        ({}, "", Caller()),
        ({"apikey": "sb_publishable_a"}, "", Caller("publishable")),
        ({}, "select=a&apikey=sb_secret_b", Caller("secret")),
        ({"apikey": LEGACY, "authorization": f"Bearer {LEGACY}"}, "", Caller("publishable", "publishable")),
        ({"apikey": SERVICE, "authorization": f"bearer {SERVICE}"}, "", Caller("secret", "secret")),
        ({"authorization": f"Bearer {ADA}"}, "", Caller("", "user", "ada@example.test", digest(ADA))),
        ({"authorization": f"Bearer {OVER}"}, "", Caller("", "expired", "ada@example.test", digest(OVER))),
        ({"authorization": "Bearer e.y.z"}, "", Caller("", "unknown")),
        ({"authorization": "Basic abc"}, "", Caller()),
    ],
    ids=["nobody", "key", "key in the query", "old key", "old secret key", "user", "expired", "nonsense", "no bearer"],
)  # fmt: skip
def test_who_asked_is_kept_in_place_of_keys(headers: dict[str, str], query: str, expected: Caller) -> None:
    assert caller_of(headers, query, NOW) == expected


def test_a_line_is_read_as_it_was_written() -> None:
    line = (
        b'{"at":"2026-01-01T00:00:00.000+00:00","as":{"key":"publishable"},'
        b'"request":{"method":"POST","path":"/rest/v1/a","query":"","headers":{"prefer":"x"},"body":"{}"},'
        b'"response":{"status":201,"headers":{},"base64":"AA=="}}\n'
    )
    assert encode(decode(line)) == line
