"""Who is at this machine: whether a request was meant for loopback, and whether it carries a key of its owner.

An address of loopback alone says nothing: a reverse proxy on the same host has it too, whoever it asks for. So what
is shown to this machine alone asks for a key, which lies in a file that only its owner reads (see `Ports` in
gateway/cli/ports.py), and a request that says it was forwarded is refused whatever it carries.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import Final

from gateway.http.messages import Scope

# What proxies and content networks add; any header whose name begins so is one of theirs.
_FORWARDED: Final = (b"forwarded", b"via", b"x-forwarded", b"x-original", b"x-real-ip", b"cf-", b"x-envoy")
_CLIENT: Final = b"client-ip"  # x-client-ip, true-client-ip, x-cluster-client-ip, fly-client-ip


def was_forwarded(scope: Scope) -> bool:
    """Whether a proxy says that it passes this request on for somebody else."""
    return any(name.startswith(_FORWARDED) or name.endswith(_CLIENT) for name, _ in scope["headers"])


def is_local(scope: Scope) -> bool:
    """Whether a request comes from this machine, was meant for it, and was not forwarded.

    The Host header counts, because a page elsewhere may have its name resolve to 127.0.0.1.
    """
    client = scope.get("client")
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return (
        client is not None
        and _is_loopback(str(client[0]))
        and _is_loopback(name.strip("[]"))
        and not was_forwarded(scope)
    )


def given_key(scope: Scope) -> bytes:
    """The key of a request: its `apikey` header, else its bearer; empty if there is none."""
    given = b""
    for name, value in scope["headers"]:
        if name == b"apikey":
            return bytes(value)
        if name == b"authorization":
            given = value.removeprefix(b"Bearer ")
    return given


def same_key(given: bytes, key: str) -> bool:
    """Compare in a time that tells nothing; an empty key opens nothing."""
    return bool(key) and hmac.compare_digest(given, key.encode())


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
