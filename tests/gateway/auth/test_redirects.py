"""Where a link may lead: whatever is accepted leads, as browsers read it, to a host that the site or the list names."""

from __future__ import annotations

import re
import string

import can_ada
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.auth.flows.verify import code_redirect, redirect
from gateway.auth.redirects import is_allowed

SITE = "https://app.example.com"
# Each list with the hosts that it names, in other words than globs.
LISTS: dict[str, tuple[tuple[str, ...], str]] = {
    "none": ((), r"(?!)"),
    "one host": (("https://docs.example.com/**",), r"docs\.example\.com"),
    "one label": (("https://*.example.com/x",), r"[^.]*\.example\.com"),
    "part of a label": (("https://preview-*.example.com/**",), r"preview-[^.]*\.example\.com"),
    "labels": (("https://**.example.com/**",), r".*\.example\.com"),
    "local ports": (("http://localhost:*/**", "http://127.0.0.1:3000/cb"), r"localhost|127\.0\.0\.1"),
    "no path": (("https://docs.example.com**", "https://docs.example.com"), r"docs\.example\.com"),
    "an app": (("myapp://signed-in", "com.example.app:/cb"), r"signed-in|"),
    "either": (("{http,https}://{a,b}.example.com/**",), r"[ab]\.example\.com"),
    "one letter": (("https://?.example.com/*", "https://[a-c]x.example.com/"), r"[^.]?x?\.example\.com"),
}
PIECES = [
    "https:", "http:", "HTTPS:", "myapp:", "javascript:", "data:", "file:", "com.example.app:", "//", "/", "///", "\\",
    "\\\\", "@", ":", "?", "#", "%", "%2e", "%2f", "%5c", "%40", "%00", "%09", "\t", "\n", "\r", " ", "\0", "\x7f",
    "app.example.com", "docs.example.com", "a.example.com", "x.example.com", "preview-7.example.com", ".example.com",
    "evil.example", "localhost", "signed-in", "127.0.0.1", "127.1", "0x7f.1", "0x5db8d822", "1572395042", "0",
    "017700000001",
    "[::1]", "[::ffff:5db8:d822]", "[", "]", "::1", ":443", ":3000", ":80", ":0443", ":99999", "user",
    "user:pw@", "x", "cb",
    "\u3002", "\uff0e", "\u24d4", "\uff41", "ß", "\u200d", "\u212a", "é", "..", ".", "*", "**", "&", "=", ";",
    "|", "^", "`", "<", "'", '"',
]  # fmt: skip
URLS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=9).map("".join),
    st.tuples(st.sampled_from(["https://", "http://", "myapp://"]), st.lists(st.sampled_from(PIECES), max_size=7)).map(
        lambda parts: parts[0] + "".join(parts[1])
    ),
    st.text(st.sampled_from(string.printable + "\u3002\uff0e\uff41"), max_size=40).map(lambda text: "https://" + text),
)


@pytest.mark.parametrize("name", LISTS)
@given(url=URLS)
@example(url="https://0x5db8d822?x.example.com/x")
@example(url="https://1572395042/x.example.com/x")
@example(url="https://0135.0270.0330.042#.example.com/x")
@example(url="https://evil.example\\.example.com/x")
@example(url="https://evil.example@x.example.com/x")
@example(url="https://x.example.com@evil.example/x")
@example(url="https:evil.example/x")
@example(url="https:///evil.example/x")
@example(url="https://evil.example/.example.com/x")
@example(url="https://evil.example%2f.example.com/x")
@example(url="https://docs.example.com.evil.example/")
@example(url="https://preview-x/../evil.example/")
@settings(max_examples=1500)
def test_whatever_is_accepted_leads_where_the_list_says(name: str, url: str) -> None:
    allowed, hosts = LISTS[name]
    if not is_allowed(url, SITE, allowed):
        return
    led = can_ada.parse(url)
    assert re.fullmatch(hosts, led.hostname) or (led.protocol, led.host) == ("https:", "app.example.com")
    assert not led.username and not led.password
    assert led.protocol in ("https:", "http:", "myapp:", "com.example.app:")
    # Nor does what is added to it lead elsewhere.
    for response in (redirect(url, {"error": "x y"}), redirect(url, {"a": "b"}, pkce=True), code_redirect(url, "c")):
        (location,) = [value.decode() for header, value in response.headers if header == b"location"]
        final = can_ada.parse(location)
        assert (final.protocol, final.host) == (led.protocol, led.host)
        assert not final.username and not final.password


LABELS = st.text(st.sampled_from("abx-"), min_size=1, max_size=3).map(lambda text: f"a{text}a")


@given(
    labels=st.lists(LABELS, min_size=1, max_size=4),
    path=st.lists(LABELS, max_size=3),
    port=st.sampled_from(["", ":443", ":8443"]),
)
def test_plain_addresses_match_as_the_originals_globs(labels: list[str], path: list[str], port: str) -> None:
    url = f"https://{'.'.join(labels)}.example.com{port}/{'/'.join(path)}"
    one, usual = len(labels) == 1, port != ":8443"
    cases = {
        "https://*.example.com/**": one and usual,
        "https://**.example.com/**": usual,
        "https://*.example.com:*/**": one,
        "https://**.example.com:8443/**": not usual,
        "https://*.example.com/*": one and usual and len(path) < 2,
        "https://*.example.com/": one and usual and not path,
        f"https://{'.'.join(labels)}.example.com/{'/'.join(path)}": usual,
        "https://**": True,
        "**": True,
        "http://**": False,
        "http{,s}://*.*.example.com/**": len(labels) == 2 and usual,
    }
    assert {glob: is_allowed(url, SITE, [glob]) for glob in cases} == cases


@pytest.mark.parametrize(
    ("url", "glob", "allowed"),
    [
        ("https://app.example.com:8443/", "", False),
        ("http://app.example.com/", "", False),
        ("https://APP.example.com/x?y#z", "", True),
        ("https://app.example.com:443/", "", True),
        ("https://app.example.com/cb?next=1", "", True),
        ("https://docs.example.com/cb?next=1", "https://docs.example.com/cb", False),
        ("https://docs.example.com/cb#here", "https://docs.example.com/cb", True),
        ("https://docs.example.com/cb?next=1", "https://docs.example.com/cb?next=*", True),
        ("https://docs.example.com/a/../cb", "https://docs.example.com/cb", True),
        ("https://docs.example.com/cb/%2e%2e/admin", "https://docs.example.com/cb/**", False),
        ("https://docs.example.com/é", "https://docs.example.com/é", True),
        ("https://docs.example.com", "https://docs.example.com/", True),
        ("https://docs.example.com.evil.example/", "https://docs.example.com**", False),
        ("http://localhost:3000/x", "http://localhost:3000/**", True),
        ("http://localhost:3001/x", "http://localhost:3000/**", False),
        ("http://127.0.0.1:3000/x", "http://127.0.0.1:3000/**", True),
        ("http://[::1]:3000/x", "http://[::1]:3000/**", True),
        ("http://127.1:3000/x", "http://127.0.0.1:3000/**", False),
        ("http://192.0.2.1/x", "http://192.0.2.1/**", False),
        ("myapp://signed-in", "myapp://signed-in", True),
        ("myapp://signed-in/x?y=1", "myapp://**", True),
        ("myapp://other", "myapp://signed-in", False),
        ("com.example.app:/cb", "com.example.app:/cb", True),
        ("com.example.app://cb/x", "com.example.app://cb/*", True),
        ("https://docs.example.com/a", "https://docs.example.com/[]a]", True),
        ("https://docs.example.com/b", "https://docs.example.com/[]a]", False),
        ("https://ruth@docs.example.com/", "https://docs.example.com/", False),
        ("https://ruth:word@docs.example.com/", "https://**", False),
        ("https://@docs.example.com/", "https://docs.example.com/", False),
        ("myapp://ruth@signed-in", "myapp://**", False),
        ("myapp://@signed-in", "myapp://**", False),
        ("javascript:alert(1)", "**", False),
        ("javascript://app.example.com/%0aalert(1)", "javascript://**", False),
        ("data:text/html,x", "data:**", False),
        ("//app.example.com/", "**", False),
        ("/welcome", "**", False),
        ("", "**", False),
        ("https://docs.example.com/" + "a" * 3000, "https://docs.example.com/**", False),
    ],
)
def test_address_and_list(url: str, glob: str, allowed: bool) -> None:
    assert is_allowed(url, SITE, [glob]) == allowed


def test_list_with_too_many_alternatives_names_nothing() -> None:
    assert not is_allowed("https://a.example/", SITE, ["https://" + "{a,b}" * 12 + ".example/"])
