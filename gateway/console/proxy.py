"""The contract's own endpoints as somebody: the request goes on in this process, with a key and token that are added.

The page never has the key. An answer may be anything that somebody has stored, so none can be opened as a page of the
console's origin: an address of the proxy answers scripts of the page alone, and what is answered is sandboxed.
"""

from __future__ import annotations

import re
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute
from gateway.console.errors import ConsoleError, not_found
from gateway.console.identities import asked_as, credentials
from gateway.http.messages import RESPOND, SEND_FILE, Response
from gateway.settings import Settings

AS: Final = b"x-console-as"
# What tells of the console, its page or its browser, and what names somebody: the request is made anew.
_DROPPED: Final = frozenset((b"cookie", b"origin", b"referer", b"authorization", b"apikey", AS, b"x-console-token"))
_DROPPED_BEGIN: Final = (b"sec-", b"x-forwarded", b"forwarded", b"access-control-")
_SANDBOX: Final = (
    (b"content-security-policy", b"sandbox; default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_LISTS: Final = re.compile(r"/object/list(-v2)?/[^/]+")  # asks by POST, and only reads
_REPLACED: Final = frozenset((b"set-cookie", *(name for name, _ in _SANDBOX)))


def target(settings: Settings, path: str) -> tuple[str, str]:
    """The service and the gateway's own path of a path of the proxy. Raises ConsoleError 404.

    >>> target(Settings.load({}), "/auth/v1/admin/users")
    ('auth', '/auth/v1/admin/users')
    """
    prefixes = {
        "/rest/v1": ("rest", settings.rest_prefix),
        "/auth/v1": ("auth", settings.auth_prefix),
        "/storage/v1": ("storage", settings.storage_prefix),
        "/functions/v1": ("functions", settings.functions_prefix),
        "/realtime/v1/api": ("realtime", f"{settings.realtime_prefix}/api"),
    }
    segments = path.lower().replace("%2e", ".").split("/")
    for prefix, (service, own) in prefixes.items():
        if path == prefix or path.startswith(prefix + "/"):
            rest = path[len(prefix) :]
            administers = service == "functions" and rest.lower().replace("%5f", "_").startswith("/_admin")
            if ".." in segments or "." in segments or administers:
                break
            return service, own + rest
    raise not_found("the proxy has rest/v1, auth/v1, storage/v1, functions/v1 and realtime/v1/api")


async def pass_on(call: ConsoleCall) -> Response | None:
    """Ask the gateway itself; the answer as it is, in pieces as it comes."""
    service, path = target(call.settings, call.request.path.removeprefix("/api/proxy"))
    reads = call.method in ("GET", "HEAD") and (service in ("rest", "storage") or "/admin/" in path)
    asked = path.removeprefix(call.settings.storage_prefix) if service == "storage" else ""
    lists = call.method == "POST" and _LISTS.fullmatch(asked) is not None
    if call.is_read_only and not (reads or lists):
        raise ConsoleError(403, "read_only", "The console is in read-only mode.")
    said = (call.request.header(AS) or b"service").decode("latin-1")
    who = await asked_as(call.gateway, said)
    call.note(**{"as": said})
    key, token = credentials(call.gateway, who)
    headers = [
        (name, value)
        for name, value in call.request.headers
        if name not in _DROPPED and not name.startswith(_DROPPED_BEGIN)
    ]
    headers += [(b"apikey", key.encode()), (b"authorization", f"Bearer {token}".encode())]
    extensions = call.scope.get("extensions") or {}
    inner = {
        **call.scope,
        "root_path": "",
        "path": path,
        "raw_path": path.encode("latin-1"),
        "headers": headers,
        # These write past `send`, which adds what keeps an answer from being a page.
        "extensions": {name: value for name, value in extensions.items() if name not in (RESPOND, SEND_FILE)},
    }

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            kept = [
                (name, value)
                for name, value in message.get("headers", ())
                if name not in _REPLACED and not name.startswith(b"access-control-")
            ]
            message = {**message, "headers": [*kept, *_SANDBOX]}
        await call.send(message)

    await call.gateway(inner, call.receive, send)
    return None


ROUTES: Final = (ConsoleRoute("*", "/proxy/{rest:path}", pass_on, streams=True, by_token=True, when_read_only=True),)
