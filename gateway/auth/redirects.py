"""Where a link or a sign-in may lead afterwards: the site, or what the allow list names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._:\[\]-]*")


def is_allowed(url: str, site_url: str, allow_list: Iterable[str]) -> bool:
    """Whether a redirect address may be used.

    >>> is_allowed("https://app.example/welcome", "https://app.example", [])
    True
    >>> is_allowed("https://evil.example/", "https://app.example", ["https://*.example/x"])
    False
    """
    if not url or any(ord(character) <= 32 for character in url) or "\\" in url:
        return False
    target = _split(url)
    if target is None or not target.scheme:
        return False
    site = _split(site_url)
    host = target.hostname or ""
    if site is not None and target.scheme == site.scheme and host and host == site.hostname:
        try:
            same_port = _port(target) == _port(site)
        except ValueError:
            return False
        if (same_port or _is_loopback(host)) and "@" not in target.netloc:
            return True
    if host.isdecimal():
        return False
    if target.scheme in ("http", "https") and not _HOST.fullmatch(target.netloc):
        return False
    try:
        if not ip_address(host).is_loopback:
            return False
    except ValueError:
        pass
    bare = url.split("#", 1)[0]
    return any(_compile(glob).fullmatch(bare) is not None for glob in allow_list)


def choose(candidates: Iterable[str | None], site_url: str, allow_list: Iterable[str]) -> str:
    """The first candidate that may be used, else the site; a refused one is silently passed over."""
    globs = tuple(allow_list)
    for candidate in candidates:
        if candidate and is_allowed(candidate, site_url, globs):
            return candidate
    return site_url


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _port(url: SplitResult) -> int | None:
    return url.port or _DEFAULT_PORTS.get(url.scheme)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=256)
def _compile(glob: str) -> re.Pattern[str]:
    """A glob as a regular expression: `*` and `?` stay between `.` and `/`, `**` crosses them."""
    out: list[str] = []
    depth = 0
    position = 0
    while position < len(glob):
        character = glob[position]
        position += 1
        if character == "*":
            if glob[position : position + 1] == "*":
                position += 1
                out.append(".*")
            else:
                out.append("[^./]*")
        elif character == "?":
            out.append("[^./]")
        elif character == "[" and (end := glob.find("]", position + 1)) > 0:
            body = glob[position:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            out.append(f"[^{body[1:]}]" if body.startswith("!") else f"[{body}]")
            position = end + 1
        elif character == "{":
            depth += 1
            out.append("(?:")
        elif character == "}" and depth:
            depth -= 1
            out.append(")")
        elif character == "," and depth:
            out.append("|")
        elif character == "\\" and position < len(glob):
            out.append(re.escape(glob[position]))
            position += 1
        else:
            out.append(re.escape(character))
    out.append(")" * depth)
    try:
        return re.compile("".join(out))
    except re.error:
        return re.compile(re.escape(glob))
