"""Where a link or a sign-in may lead afterwards: the site, or what the allow list names.

A browser decides what an address means, so it is read as browsers read it (https://url.spec.whatwg.org, by the parser
of Node.js) and compared part by part: scheme, host, port, and path with query. An address whose host is written in
another way than browsers understand it (numbers in hex or octal, escapes, other scripts, backslashes) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote

MAX_LENGTH: Final = 2048  # characters
MAX_RULES: Final = 256  # that the alternatives of one glob may stand for
_DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_NEVER: Final = frozenset({"javascript", "vbscript", "data", "blob", "file", "filesystem", "about", "view-source"})
_WRITTEN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?[^#]*(?:#.*)?")
_UNWRITABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
_IPV6 = re.compile(r"(\[[0-9A-Fa-f:.]+\])(?::(.*))?")
_WILD = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Target:
    """An address as browsers understand it. `host` is None where there is none, `port` empty for the usual one."""

    scheme: str
    host: str | None
    port: str
    rest: str  # path and query


@dataclass(frozen=True, slots=True)
class Rule:
    """What one glob names. `host` None is an address without one; `port` and `rest` None are any."""

    scheme: re.Pattern[str]
    host: re.Pattern[str] | None
    port: re.Pattern[str] | None
    rest: re.Pattern[str] | None

    def names(self, target: Target) -> bool:
        if self.scheme.fullmatch(target.scheme) is None or (self.host is None) != (target.host is None):
            return False
        if self.host is not None and self.host.fullmatch(target.host or "") is None:
            return False
        if self.port is not None and self.port.fullmatch(target.port) is None:
            return False
        return self.rest is None or self.rest.fullmatch(target.rest) is not None


def is_allowed(url: str, site_url: str, allow_list: Iterable[str]) -> bool:
    """Whether a redirect address may be used.

    >>> is_allowed("https://app.example/welcome", "https://app.example", [])
    True
    >>> is_allowed("https://evil.example/", "https://app.example", ["https://*.example/x"])
    False
    >>> is_allowed("https://0x5db8d822?x.example.com/x", "https://app.example", ["https://*.example.com/x"])
    False
    """
    target = read(url)
    if target is None:
        return False
    site = read(site_url)
    is_site = site is not None and bool(target.host) and (target.scheme, target.host) == (site.scheme, site.host)
    if is_site and site is not None and (target.port == site.port or _is_loopback(target.host or "")):
        return True
    if target.host and _is_number(target.host) and not _is_loopback(target.host):
        return False
    return any(rule.names(target) for glob in allow_list for rule in _rules(glob))


def choose(candidates: Iterable[str | None], site_url: str, allow_list: Iterable[str]) -> str:
    """The first candidate that may be used, else the site; a refused one is silently passed over."""
    globs = tuple(allow_list)
    for candidate in candidates:
        if candidate and is_allowed(candidate, site_url, globs):
            return candidate
    return site_url


def read(url: str) -> Target | None:
    """An address as browsers understand it; None for one that is not whole, or that only seems to lead elsewhere."""
    if len(url) > MAX_LENGTH or _UNWRITABLE.search(url):
        return None
    written = _WRITTEN.fullmatch(url)
    if written is None:
        return None
    import can_ada  # for who is led somewhere alone

    try:
        parsed = can_ada.parse(url)
    except ValueError:
        return None
    scheme, authority = parsed.protocol.removesuffix(":"), written["authority"]
    if scheme in _NEVER or scheme != written["scheme"].lower():
        return None
    # A name and a password before the host are no part of it: what has them is written in another way than understood.
    if scheme in _DEFAULT_PORTS:
        usual = f"{parsed.hostname}:{_DEFAULT_PORTS[scheme]}" if not parsed.port else parsed.host
        if not authority or not authority.isascii() or authority.lower() not in (parsed.host, usual):
            return None
    elif authority is not None and authority != parsed.host:
        return None
    host = parsed.hostname if authority is not None else None
    if host is not None and (host.startswith(".") or ".." in host):
        return None
    return Target(scheme, host, parsed.port, parsed.pathname + parsed.search)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_number(host: str) -> bool:
    """Whether a host is an IP address, or a number that something might read as one."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return host.isdecimal()
    return True


# --- globs ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _rules(glob: str) -> tuple[Rule, ...]:
    return tuple(rule for each in _expand(glob) if (rule := _rule(each)) is not None)


def _expand(glob: str) -> list[str]:
    """The globs that the alternatives in braces stand for; none where they are too many.

    >>> _expand("{http,https}://{a,b}.example/**")
    ['http://a.example/**', 'http://b.example/**', 'https://a.example/**', 'https://b.example/**']
    """
    ready: list[str] = []
    waiting = [glob]
    while waiting:
        text = waiting.pop(0)
        found = re.search(r"\{([^{}]*)\}", text)
        if found is None:
            ready.append(text)
        else:
            waiting += [text[: found.start()] + part + text[found.end() :] for part in found[1].split(",")]
        if len(ready) + len(waiting) > MAX_RULES:
            return []
    return ready


def _rule(glob: str) -> Rule | None:
    """A glob without alternatives, read part by part: no wildcard reaches from one part into the next."""
    scheme, separator, behind = glob.partition("://")
    if not separator:
        if glob == "**":
            return Rule(re.compile("https?"), re.compile(".*"), None, None)
        scheme, separator, behind = glob.partition(":")
        if not separator or _WILD.search(scheme):
            return None
        return Rule(_compile(scheme.lower()), None, None, _compile(behind))
    # A wildcard stands for schemes of the web alone.
    schemes = re.compile(f"(?=https?$)(?:{_compile(scheme.lower()).pattern})") if _WILD.search(scheme) else None
    authority, slash, path = behind.partition("/")
    host, port = _split(authority)
    rest: re.Pattern[str] | None = _compile(slash + path or ("/" if scheme.lower() in _DEFAULT_PORTS else ""))
    ports: re.Pattern[str] | None = _compile("" if port == _DEFAULT_PORTS.get(scheme.lower()) else port or "")
    if schemes is not None:
        rest = _compile(slash + path or "/")
    if port in ("*", "**"):
        ports = None
    if not slash and authority.endswith("**"):
        # Whatever follows: of the host only where it is a whole part of it.
        ports = rest = None
        host = host if host in ("", "**") or host[:-2].endswith((".", "*")) else host.removesuffix("**")
    return Rule(schemes or _compile(scheme.lower()), _compile(host.lower()), ports, rest)


def _split(authority: str) -> tuple[str, str | None]:
    """Host and port of a glob."""
    literal = _IPV6.fullmatch(authority)
    if literal is not None:
        return literal[1].replace("[", "\\[").replace("]", "\\]"), literal[2]
    host, colon, port = authority.rpartition(":")
    return (host, port) if colon else (authority, None)


@lru_cache(maxsize=1024)
def _compile(glob: str) -> re.Pattern[str]:
    """A part of a glob as a regular expression: `*` and `?` stay between `.` and `/`, `**` crosses them."""
    out: list[str] = []
    position = 0
    while position < len(glob):
        character = glob[position]
        position += 1
        if character == "*":
            crosses = glob[position : position + 1] == "*"
            out.append(".*" if crosses else "[^./]*")
            position += crosses
        elif character == "?":
            out.append("[^./]")
        elif character == "[" and (end := glob.find("]", position + 1)) > 0:
            body = re.sub(r"([\\\[\]^&~|])", r"\\\1", glob[position:end].removeprefix("!"))
            out.append(f"(?![./])[{'^' if glob[position] == '!' else ''}{body}]")
            position = end + 1
        else:
            if character == "\\" and position < len(glob):
                character = glob[position]
                position += 1
            out.append(re.escape(character if character.isascii() else quote(character)))
    try:
        return re.compile("".join(out))
    except re.error:
        return re.compile(re.escape(glob))
