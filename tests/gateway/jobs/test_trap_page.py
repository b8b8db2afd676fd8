"""The mail trap's page shows what was caught, to this machine only, with nothing in it that runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from gateway.jobs.mail import Sender, build_message
from gateway.jobs.trap import store
from gateway.jobs.trap_page import TrapPage

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


def get(
    folder: Path, path: str, *, host: str = "127.0.0.1:54321", client: str = "127.0.0.1", method: str = "GET"
) -> tuple[int, dict[str, str], str]:
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(b"host", host.encode())],
        "client": (client, 1),
    }
    asyncio.run(TrapPage(folder)(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"].decode()


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
