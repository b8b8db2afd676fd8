"""Reading a request takes time in proportion to its length, whatever the limits, and planning it is bounded.

Growth is measured as in tests/gateway/test_growth.py: processor time of n, 2n and 4n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import pytest

from gateway.catalog.model import SchemaCache
from gateway.rest import limits
from gateway.rest.parse.media import decode_media_type, parse_accept
from gateway.rest.parse.prefer import parse_prefer
from gateway.rest.parse.query_shape import parse_query
from gateway.rest.parse.request import Headers, parse_headers
from gateway.rest.transaction import cookies_json
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner
from tests.gateway.test_growth import assert_linear, seconds

LONGEST = 65_536  # bytes of a URL
_PLAIN = "=&;+(),.*:!->\"'"  # sent as it stands
LOOP = 0.025  # seconds of processor time on the loop: five times what is meant, as the machine may be busy


def _repeat(unit: str) -> Callable[[int], str]:
    return lambda n: unit * (n // len(unit))


def _between(before: str, unit: str, after: str = "") -> Callable[[int], str]:
    return lambda n: before + unit * (n // len(unit)) + after


# Query strings, each about n characters long.
QUERIES: dict[str, Callable[[int], str]] = {
    **{
        f"{key} of {unit!r}": _between(f"{key}=", unit)
        for key in ("select", "order", "or", "columns", "on_conflict", "id")
        for unit in (
            "a", "a,", "a.", "a-", "a->", "a->>b", "a(", "()", "((", '"', '"a"', '\\"', '"\\', "\\", "a:", "a::b", "!",
            "a!b", "...", "*", "*,", " ", " ,", "\t", "{", "{}", "名", "\x00", "$", "-", ",", "not.", "and(", "a.eq.1,",
            "a.in.(1),", "count()", "a.sum(),", "0", "->0",
        )
    },
    "a tree of leaves": _between("or=(a.eq.1", ",a.eq.1", ")"),
    "a tree of quotes": _between("or=(", 'a.eq."\\",', ")"),
    "a tree of braces": _between("or=(", "a.eq.{,", ")"),
    "a tree of json paths": _between("or=(a.eq.1", ",a->b->>c.eq.1", ")"),
    "a tree of searches": _between("or=(a.eq.1", ",a.fts(english).b", ")"),
    "a tree of lists": _between("or=(a.eq.1", ",a.in.(1,2)", ")"),
    "a tree that never ends": _between("or=(a.eq.1", ",a.eq.1"),
    "a list": _between("id=in.(1", ",22", ")"),
    "a list that never ends": _between("id=in.(1", ",22"),
    "a list of quotes": _between("id=in.(1", ',"a"', ")"),
    "a list of open quotes": _between("id=in.(1", ',"', ")"),
    "a list of escapes": _between('id=in.("', '\\"', '")'),
    "a list of commas": _between("id=in.(", ",", ")"),
    "a list of parentheses": _between("id=in.", "("),
    "filters": _repeat("id=eq.1&"),
    "filters of json": _repeat("meta->a=eq.1&"),
    "trees": _repeat("or=(id.eq.1,id.eq.2)&"),
    "names alone": _repeat("a&"),
    "selects": _repeat("select=a&"),
    "one key again and again": _repeat("id=gt.1&"),
    "keys of dots": _between("", "a.", "id=eq.1"),
    "keys of arrows": _between("a", "->b", "=eq.1"),
    "keys of quotes": _between("", '"', "=eq.1"),
    "equals": _repeat("="),
    "semicolons": _repeat(";"),
    "a value": _between("id=eq.", "x"),
    "an is": _between("id=is.null", "\x01id"),
    "embeds": _between("select=id", ",comments(id)"),
    "embeds in embeds": lambda n: "select=" + "comments(" * (n // 12) + "id" + ")" * (n // 12),
    "hints": _between("select=a", "!b", "(id)"),
    "arguments": _repeat("a=1&"),
}  # fmt: skip

HEADERS: dict[str, Callable[[int], str]] = {
    **{repr(unit): _repeat(unit) for unit in (
        ",", ";", '"', "a,", "a;", ";q=1", ";q=", "a/b,", '";', '",', "*/*,", "q=0.5,", "count=exact,", "timezone=",
        "x=1,", "max-affected=1,", " ", 'for="', "options=wal|", "|", "application/vnd.pgrst.plan;for=",
    )},
    "a plan": _between('application/vnd.pgrst.plan;for="', "a", '"'),
    "options": _between("application/vnd.pgrst.plan;options=", "wal|"),
}  # fmt: skip


def _assert_linear(run: Callable[[bytes], object], make: Callable[[int], bytes], size: int) -> None:
    """What is linear is seen to be in one of three tries, what is not in none."""
    for turn in range(3):
        try:
            assert_linear(run, make, size)
        except AssertionError:
            if turn == 2:
                raise
        else:
            return


def sent(make: Callable[[int], str], size: int) -> bytes:
    """A query string as it is sent, of about `size` bytes."""
    whole = quote(make(size), safe=_PLAIN)
    return quote(make(size * size // max(size, len(whole))), safe=_PLAIN).encode()


def _scanned(raw: bytes) -> object:
    return parse_query(raw.decode())


@pytest.mark.parametrize("make", QUERIES.values(), ids=QUERIES)
def test_query_strings_are_read_in_linear_time(make: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the limits that make it linear."""
    for name in ("PARAMETERS", "SELECT_ITEMS", "EMBEDS", "NAMES", "CONDITIONS", "TERMS", "ORDER_TERMS", "JSON_STEPS"):
        monkeypatch.setattr(limits, name, 1_000_000_000)
    _assert_linear(_scanned, lambda n: sent(make, n), LONGEST // 8)


@pytest.mark.parametrize("make", HEADERS.values(), ids=HEADERS)
def test_headers_are_read_in_linear_time(make: Callable[[int], str]) -> None:
    _assert_linear(lambda raw: parse_accept(raw.decode()), lambda n: make(n).encode(), 4_096)
    _assert_linear(lambda raw: decode_media_type(raw.decode()), lambda n: make(n).encode(), 4_096)
    _assert_linear(lambda raw: parse_prefer(raw.decode()), lambda n: make(n).encode(), 4_096)
    _assert_linear(cookies_json, lambda n: make(n).encode(), 4_096)


def _headers(name: bytes, raw: bytes) -> Headers:
    return parse_headers([(name, raw)])


@pytest.mark.parametrize("make", HEADERS.values(), ids=HEADERS)
def test_long_headers_are_not_read_at_all(make: Callable[[int], str]) -> None:
    names = (b"accept", b"prefer", b"content-type")
    for name in names:
        read = partial(_headers, name)
        assert seconds(read, make(262_144).encode()) < LOOP
        assert parse_headers([(name, make(limits.HEADER_BYTES + 100).encode())]).too_long


@pytest.mark.parametrize("make", QUERIES.values(), ids=QUERIES)
def test_what_is_planned_on_the_loop_is_small(
    make: Callable[[int], str], cache: SchemaCache, settings: Settings
) -> None:
    """From the text to the SQL, for the longest URL and for the most that is planned at once."""
    planner = Planner(cache, settings)
    assert seconds(_scanned, sent(make, LONGEST)) < LOOP
    query = sent(make, limits.SMALL_PLAN * 7).decode()
    assert seconds(lambda _: planner.statement("GET", f"/posts?{query}"), b"") < LOOP


LARGEST = {
    "items": "select=" + ",".join(["title"] * limits.SELECT_ITEMS),
    "items of json": "select=" + ",".join([f"meta->k{number}" for number in range(limits.SELECT_ITEMS)]),
    "embeds": "select=" + ",".join([f"c{number}:comments(id)" for number in range(limits.EMBEDS)]),
    "conditions": "or=(" + ",".join([f"meta->k{number}.eq.1" for number in range(limits.CONDITIONS)]) + ")",
    "filters": "&".join([f"meta->k{number}=eq.1" for number in range(limits.PARAMETERS)]),
    "terms of an order": "order=" + ",".join([f"meta->k{number}" for number in range(limits.ORDER_TERMS)]),
}


@pytest.mark.parametrize("query", LARGEST.values(), ids=LARGEST)
def test_the_largest_plans_are_made(query: str, cache: SchemaCache, settings: Settings) -> None:
    """All that the limits allow is answered, in time that no quadratic step has taken."""
    planner = Planner(cache, settings)
    assert seconds(lambda _: planner.statement("GET", f"/posts?{query}"), b"") < 10 * LOOP
