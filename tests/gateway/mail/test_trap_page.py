"""The mail trap's page shows what was caught, to this machine only, with nothing in it that runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from gateway.mail.message import Sender, build_message
from gateway.mail.trap import store
from gateway.mail.trap_page import BASE, TrapPage
from gateway.worker.services import mounted

EVIL = "<script>alert(1)</script>"


def caught(folder: Path, subject: str = "Hello", html: str = "<p>Hi</p>") -> str:
    message = build_message(
        {
            "to": ["a@example.com"],
            "subject": subject,
            "text": "Hi",
            "html": html,
            "headers": {"X-Lead-Kind": "contact"},
        },
        3,
        Sender("site@umw.example", "Site"),
    )
    return store(folder, b"X-Trap-To: a@example.com\r\n" + message.as_bytes()).stem


KEY = "the-key-of-this-start"


def get(
    folder: Path,
    path: str,
    *,
    host: str = "127.0.0.1:54321",
    client: str = "127.0.0.1",
    method: str = "GET",
    query: str = "",
    **headers: str,
) -> tuple[int, dict[str, str], str]:
    """One request, with the key where nothing else is said."""
    headers = headers or {"apikey": KEY}
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [
            (b"host", host.encode()),
            *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()),
        ],
        "client": (client, 1),
    }
    assert mounted(BASE, TrapPage(folder, KEY)).has(path)
    scope["path"] = path.removeprefix(BASE) or "/"
    asyncio.run(TrapPage(folder, KEY)(scope, receive, send))
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answered, sent[1]["body"].decode()


def test_the_list_names_the_newest_mail_first(tmp_path: Path) -> None:
    caught(tmp_path, "First")
    caught(tmp_path, "Second")
    status, _, body = get(tmp_path, "/_mail")
    assert status == 200
    assert body.index("Second") < body.index("First")


def test_the_json_list_has_what_a_test_asks_for(tmp_path: Path) -> None:
    id = caught(tmp_path, "Hello")
    status, _, body = get(tmp_path, "/_mail/messages.json")
    (mail,) = json.loads(body)
    assert status == 200
    assert (mail["id"], mail["to"], mail["subject"]) == (id, ["a@example.com"], "Hello")
    assert mail["text"].strip() == "Hi"
    assert mail["message_id"] == "<job-3@umw.example>"
    assert mail["kind"] == "contact"


def test_markup_in_a_subject_is_shown_as_text(tmp_path: Path) -> None:
    id = caught(tmp_path, EVIL)
    for path in ("/_mail", f"/_mail/{id}"):
        assert EVIL not in get(tmp_path, path)[2]


def test_a_mail_is_framed_without_any_permission(tmp_path: Path) -> None:
    id = caught(tmp_path, html=EVIL)
    _, headers, body = get(tmp_path, f"/_mail/{id}")
    assert 'sandbox=""' in body
    assert "default-src 'none'" in headers["content-security-policy"]
    _, headers, _ = get(tmp_path, f"/_mail/{id}/html")
    assert headers["content-security-policy"].endswith("sandbox")
    assert "script-src" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("host", "client"),
    [("evil.example", "127.0.0.1"), ("evil.example:54321", "127.0.0.1"), ("127.0.0.1:1", "192.168.1.9"), ("", "::1")],
    ids=["a name bound to this machine", "the same with a port", "another machine", "no host"],
)
def test_only_this_machine_sees_the_page(tmp_path: Path, host: str, client: str) -> None:
    caught(tmp_path)
    assert get(tmp_path, "/_mail/messages.json", host=host, client=client)[0] == 403


@pytest.mark.parametrize("path", ["/_mail", "/_mail/messages.json", "/_mail/nothing", "/_mail/x/html"])
@pytest.mark.parametrize("given", [{"accept": "*/*"}, {"apikey": "x"}, {"apikey": ""}, {"cookie": "mail_trap="}])
def test_a_proxy_on_this_machine_sees_nothing_without_the_key(tmp_path: Path, path: str, given: dict[str, str]) -> None:
    """Loopback's address and name are what a reverse proxy has by default, whoever it asks for."""
    caught(tmp_path, "Reset your password")
    status, _, body = get(tmp_path, path, **given)
    assert status == 403 and "Reset" not in body
    assert get(tmp_path, path, query="key=", **given)[0] == 403
    assert get(tmp_path, path, query="key=wrong", **given)[0] == 403


@pytest.mark.parametrize(
    "header",
    [
        "forwarded", "via", "x_forwarded_for", "x_forwarded_host", "x_forwarded_proto", "x_forwarded", "x_real_ip",
        "x_client_ip", "true_client_ip", "cf_connecting_ip", "fly_client_ip", "x_original_forwarded_for",
        "x_envoy_external_address",
    ],
)  # fmt: skip
def test_what_is_forwarded_is_refused_even_with_the_key(tmp_path: Path, header: str) -> None:
    given = {header: "203.0.113.9", "apikey": KEY}
    assert get(tmp_path, "/_mail", **given)[0] == 403


def test_the_link_of_the_banner_is_exchanged_for_a_cookie(tmp_path: Path) -> None:
    id = caught(tmp_path)
    for path in ("/_mail", f"/_mail/{id}"):
        status, headers, _ = get(tmp_path, path, query=f"key={KEY}", accept="text/html")
        assert (status, headers["location"]) == (303, path)
        cookie = headers["set-cookie"]
        assert KEY not in cookie and "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/_mail" in cookie
        assert get(tmp_path, path, cookie="a=b; " + cookie.partition(";")[0])[0] == 200
    assert get(tmp_path, "/_mail//evil.example", query=f"key={KEY}", accept="x")[1]["location"] == "/_mail"
    assert get(tmp_path, "/_mail/messages.json", query=f"key={KEY}", accept="x")[0] == 200


@pytest.mark.parametrize("host", ["localhost:54321", "127.0.0.1", "[::1]:54321"])
def test_the_names_of_this_machine_open_the_page(tmp_path: Path, host: str) -> None:
    assert get(tmp_path, "/_mail", host=host)[0] == 200


@pytest.mark.parametrize(
    "path", ["/_mail/../../etc/passwd", "/_mail/nothing", "/_mail/20260101-000000-000000-abcdef01"]
)
def test_an_unknown_mail_is_not_found(tmp_path: Path, path: str) -> None:
    assert get(tmp_path, path)[0] == 404


def test_nothing_can_be_sent_to_the_page(tmp_path: Path) -> None:
    assert get(tmp_path, "/_mail", method="POST")[0] == 405
