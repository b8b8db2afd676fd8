"""The mail trap's page: what was caught, newest first, and each mail as its reader would see it.

Mails hold what strangers wrote, so nothing of them runs here: HTML is shown in a sandboxed frame from an address of
its own with a policy that allows styles alone.

Mails hold links that let people in, so the page answers to this machine alone, and only to who has the key of this
start: a reverse proxy on the same host has loopback's address and may send its name. The key stands in the banner's
link (`?key=…`), which is exchanged for a cookie; a script sends it with each request.

    /_mail                 list          /_mail/ID         one mail        /_mail/ID/html   its HTML part
    /_mail/messages.json   [{id, at, from, to, subject, message_id, reply_to, kind, text, html, headers}]
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import orjson

from gateway.http.messages import Receive, Response, Scope, Send, refuse_socket, respond
from gateway.http.routing import Routes
from gateway.middleware.owner_only import given_key, is_local, same_key

BASE: Final = "/_mail"
COOKIE: Final = "mail_trap"
SHOWN: Final = 200
_ID: Final = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]{6}-[0-9a-f]{8}")
_PATH: Final = re.compile(rf"{BASE}(?:/{_ID.pattern}(?:/html)?)?/?")
_PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'"
)
_MAIL_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

_STYLE: Final = """
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#132A33;background:#F4F7F7}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.5rem;margin:0 0 1rem}a{color:#0F5D6B}
table{width:100%;border-collapse:collapse;background:#fff;border:1px solid #D9E2E3}
th,td{text-align:left;padding:.5rem .75rem;border-bottom:1px solid #E6ECEC;vertical-align:top}
.time{white-space:nowrap}th{color:#4B5E67;font-weight:600;white-space:nowrap}td{overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:#fff;border:1px solid #D9E2E3;padding:1rem;overflow-wrap:anywhere}
iframe{width:100%;height:32rem;border:1px solid #D9E2E3;background:#fff}
"""


@dataclass(frozen=True, slots=True)
class Caught:
    """One caught mail."""

    id: str
    message: EmailMessage

    @property
    def at(self) -> str:
        day, clock = self.id[:8], self.id[9:15]
        return f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"

    def header(self, name: str) -> str:
        return str(self.message.get(name, ""))

    @property
    def kind(self) -> str:
        """What the application says the mail is about, in a header of its own such as X-Order-Kind."""
        return next((str(value) for name, value in self.message.items() if name.lower().endswith("-kind")), "")

    def part(self, kind: str) -> str:
        """Text of the `plain` or `html` part, empty if there is none."""
        body = self.message.get_body((kind,))
        return str(body.get_content()) if isinstance(body, EmailMessage) else ""

    def summary(self) -> dict[str, Any]:
        """What tests and scripts want to know."""
        return {
            "id": self.id,
            "at": self.at,
            "from": self.header("From"),
            "to": [address.strip() for address in self.header("X-Trap-To").split(",")],
            "subject": self.header("Subject"),
            "message_id": self.header("Message-ID"),
            "reply_to": self.header("Reply-To"),
            "kind": self.kind,
            "text": self.part("plain"),
            "html": self.part("html"),
            "headers": [[name, str(value)] for name, value in self.message.items()],
        }


def caught(folder: Path) -> Iterator[Caught]:
    """Mails in a trap's folder, newest first."""
    for path in sorted(folder.glob("*.eml"), reverse=True):
        mail = read(folder, path.stem)
        if mail is not None:
            yield mail


def read(folder: Path, id: str) -> Caught | None:
    """One mail, or None."""
    if not _ID.fullmatch(id):
        return None
    try:
        raw = (folder / f"{id}.eml").read_bytes()
    except OSError:
        return None
    return Caught(id, email.message_from_bytes(raw, EmailMessage, policy=email.policy.default))


class TrapPage:
    """ASGI application, mounted at `/_mail`; serves the folder that the trap writes to."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder
        self._key = key
        # Not the key itself: a cookie goes to every port of this machine.
        self._cookie = hashlib.sha256(b"mail trap cookie " + key.encode()).hexdigest()

        self._routes: Routes[Callable[..., Response]] = Routes(
            {
                "/": self._list,
                "/messages.json": self._summaries,
                "/{id:segment}": self._mail,
                "/{id:segment}/html": self._html,
            }
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await refuse_socket(send)
            return
        await respond(scope, send, await asyncio.to_thread(self._answer, scope))

    def _answer(self, scope: Scope) -> Response:
        if not is_local(scope):
            return _page(403, "Not here", "<p>This page answers only to the machine it runs on.</p>")
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        offered = query.get("key", [""])[-1].encode()
        if same_key(offered, self._key) and not scope["path"].endswith(".json"):
            return self._let_in(BASE + scope["path"].rstrip("/"))
        if not any((same_key(offered, self._key), same_key(given_key(scope), self._key), self._is_in(scope))):
            return _page(403, "Not here", "<p>Open the link that the gateway printed when it started.</p>")
        if scope["method"] not in ("GET", "HEAD"):
            refused = _page(405, "Not allowed", "<p>There is nothing to send here.</p>")
            refused.headers.append((b"allow", b"GET, HEAD"))
            return refused
        answer, found = self._routes.find(scope["path"].strip("/").split("/")) or (_not_found, {})
        return answer(**found)

    def _let_in(self, path: str) -> Response:
        """Take the key out of the address, where it would be kept in the browser's history."""
        cookie = f"{COOKIE}={self._cookie}; Path={BASE}; HttpOnly; SameSite=Strict"
        # The path is one of this page's or none; anything else would be an open redirect.
        target = path if _PATH.fullmatch(path) else BASE
        response = _page(303, "Mail trap", "")
        response.headers += [(b"location", target.encode()), (b"set-cookie", cookie.encode())]
        return response

    def _is_in(self, scope: Scope) -> bool:
        for name, value in scope["headers"]:
            if name == b"cookie":
                for pair in value.split(b";"):
                    key, _, given = pair.strip().partition(b"=")
                    if key == COOKIE.encode() and same_key(given, self._cookie):
                        return True
        return False

    def _summaries(self) -> Response:
        body = orjson.dumps([mail.summary() for mail in caught(self._folder)])
        return _response(200, b"application/json", body, _PAGE_POLICY)

    def _list(self) -> Response:
        rows = []
        for mail, _ in zip(caught(self._folder), range(SHOWN), strict=False):
            cells = (mail.at.replace("T", " ").rstrip("Z"), mail.header("X-Trap-To"), mail.header("Reply-To"))
            rows.append(
                f'<tr><td class="time">{escape(cells[0])}</td><td><a href="{BASE}/{mail.id}">'
                f"{escape(mail.header('Subject') or '(no subject)')}</a></td>"
                f"<td>{escape(cells[1])}</td><td>{escape(cells[2])}</td></tr>"
            )
        if not rows:
            return _page(200, "Mail trap", "<p>No mail has been caught yet.</p>")
        head = "<tr><th>Time (UTC)</th><th>Subject</th><th>To</th><th>Replies to</th></tr>"
        return _page(200, "Mail trap", f"<table>{head}{''.join(rows)}</table>")

    def _html(self, id: str) -> Response:
        mail = read(self._folder, id)
        if mail is None:
            return _not_found()
        return _response(200, b"text/html; charset=utf-8", mail.part("html").encode(), _MAIL_POLICY)

    def _mail(self, id: str) -> Response:
        mail = read(self._folder, id)
        if mail is None:
            return _not_found()
        shown = ("X-Trap-To", "From", "Reply-To", "Subject", "Date", "Message-ID", "Importance")
        rows = "".join(
            f"<tr><th>{'To' if name == 'X-Trap-To' else name}</th><td>{escape(mail.header(name))}</td></tr>"
            for name in shown
            if mail.header(name)
        )
        body = f'<p><a href="{BASE}">All mails</a></p><table>{rows}</table>'
        if mail.part("html"):
            body += f'<h2>As HTML</h2><iframe sandbox="" title="The mail" src="{BASE}/{mail.id}/html"></iframe>'
        if mail.part("plain"):
            body += f"<h2>As text</h2><pre>{escape(mail.part('plain'))}</pre>"
        return _page(200, mail.header("Subject") or "(no subject)", body)


def _not_found() -> Response:
    return _page(404, "Not found", f'<p>There is no such mail. <a href="{BASE}">All mails</a></p>')


def _page(status: int, title: str, body: str) -> Response:
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
    return _response(status, b"text/html; charset=utf-8", html.encode("utf-8", "replace"), _PAGE_POLICY)


def _response(status: int, kind: bytes, body: bytes, policy: str) -> Response:
    frames = b"SAMEORIGIN" if policy == _MAIL_POLICY else b"DENY"
    return Response(
        status,
        [
            (b"content-type", kind),
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", frames),
            (b"referrer-policy", b"no-referrer"),
            (b"cache-control", b"no-store"),
        ],
        body,
    )
