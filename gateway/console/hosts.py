"""Which names the console answers to, and which pages may ask it: pure, on a request's headers.

A page of any site can have its own name resolve to this machine (DNS rebinding); its requests then are of one origin
with the console, whatever CORS says. What it cannot change is the `Host` header. So only what no foreign page can be
called is answered: addresses of loopback, `localhost`, and names that an operator has configured.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from gateway.http.messages import HeaderList

_HOST: Final = re.compile(
    r"(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?))(?::[0-9]{1,5})?"
)


def host_of(headers: HeaderList) -> str | None:
    """The `Host` header as it was sent; None where there is none, or more than one."""
    given = [value for name, value in headers if name == b"host"]
    return given[0].decode("latin-1") if len(given) == 1 else None


def name_of(host: str | None) -> str | None:
    """The name or address in a `Host` header, in lower case; None where it is malformed.

    >>> name_of("LocalHost:54321"), name_of("[::1]:80"), name_of("a.example:80@localhost")
    ('localhost', '::1', None)
    """
    found = _HOST.fullmatch(host or "")
    return (found[1] or found[2]).lower() if found else None


def is_loopback(name: str | None) -> bool:
    """Whether only this machine is called so.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("127.0.0.1.example.com"), is_loopback("0.0.0.0")
    (True, True, False, False)
    """
    if name == "localhost":
        return True
    try:
        return name is not None and ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def configured_names(hosts: Iterable[str], public_url: str) -> frozenset[str]:
    """The names that were configured: of the setting, and of the public address where it has one.

    >>> sorted(configured_names(["Console.Example"], "https://api.example/base"))
    ['api.example', 'console.example']
    """
    names = {host.strip().lower().strip("[]") for host in hosts if host.strip()}
    found = urlsplit(public_url).hostname
    return frozenset((*names, found) if found else names)


def asked_by_script(headers: HeaderList) -> bool:
    """Whether a browser says that a script or an element of the page asks, and nobody has opened an address.

    >>> asked_by_script([(b"sec-fetch-site", b"same-origin"), (b"sec-fetch-mode", b"cors")])
    True
    >>> asked_by_script([(b"sec-fetch-site", b"none"), (b"sec-fetch-mode", b"navigate")])
    False
    """
    given = dict(headers)
    mode = given.get(b"sec-fetch-mode")
    return given.get(b"sec-fetch-site") == b"same-origin" and mode in (b"cors", b"no-cors", b"same-origin")


def foreign_page(headers: HeaderList, host: str, *, changes: bool) -> str | None:
    """Why a request is not one of the console's own page; None where it is.

    What a browser says of a request's origin must be right wherever it is said; what changes something must say it.

    >>> foreign_page([(b"origin", b"http://localhost:1")], "localhost:1", changes=True)
    >>> foreign_page([(b"sec-fetch-site", b"cross-site")], "localhost:1", changes=False)
    'the request comes from a page of another site'
    """
    said = False
    for name, value in headers:
        if name == b"sec-fetch-site":
            said = True
            if value != b"same-origin" and (changes or value != b"none"):
                return "the request comes from a page of another site"
        elif name == b"origin":
            said = True
            scheme, _, rest = value.decode("latin-1").partition("://")
            if scheme not in ("http", "https") or rest.lower() != host.lower():
                return "the request comes from a page of another origin"
    return "a change says where it comes from: Origin or Sec-Fetch-Site" if changes and not said else None
