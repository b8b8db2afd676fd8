"""What reads text from outside takes time in proportion to its length, whatever the text.

Processor time of n, 2n and 4n is measured: linear is a factor of four, quadratic one of sixteen; anything up to eight
passes, so that a busy machine does not fail it.
"""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import orjson
import pytest

from gateway.errors import ApiError
from gateway.http.json_limits import is_too_much
from gateway.identity import tokens
from gateway.rest.body.htmlguard import guard_html
from gateway.rest.body.payload import parse_payload
from gateway.rest.body.reader import AT_ONCE
from gateway.rest.parse.media import decode_media_type
from gateway.rest.planner.nearest import distance, nearest
from gateway.rest.types import Payload

MEDIA = {
    kind: decode_media_type(mime)
    for kind, mime in (
        ("json", "application/json"),
        ("csv", "text/csv"),
        ("form", "application/x-www-form-urlencoded"),
    )
}
NOISE = 0.004  # seconds of processor time that are no sign of anything


def seconds(run: Callable[[bytes], object], text: bytes) -> float:
    """Least processor time of some runs; a refusal is as good as an answer."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        with suppress(ApiError, tokens.TokenError):
            run(text)
        least = min(least, time.process_time() - began)
    return least


def assert_linear(run: Callable[[bytes], object], make: Callable[[int], bytes], size: int) -> None:
    one, two, four = [seconds(run, make(size * factor)) for factor in (1, 2, 4)]
    assert four <= 8 * one + NOISE and four <= 4 * two + NOISE, f"{one:.4f} s, {two:.4f} s, {four:.4f} s"


# Shapes of JSON, each about n bytes long.
JSON: dict[str, Callable[[int], bytes]] = {
    "rows": lambda n: b"[" + b",".join([b'{"id":1,"name":"Ada","note":null}'] * (n // 34)) + b"]",
    "tiny rows": lambda n: b"[" + b",".join([b'{"a":1}'] * (n // 8)) + b"]",
    "empty rows": lambda n: b"[" + b",".join([b"{}"] * (n // 3)) + b"]",
    "arrays in arrays": lambda n: b"[" * (n // 2) + b"]" * (n // 2),
    "only opened": lambda n: b"[" * n,
    "objects in objects": lambda n: b'{"a":' * (n // 6) + b"1" + b"}" * (n // 6),
    "both by turns": lambda n: b'[{"a":' * (n // 8) + b"1" + b"}]" * (n // 8),
    "a step down each time": lambda n: b"[1," * (n // 4) + b"1" + b"]" * (n // 4),
    "many shallow ones": lambda n: b"[" + b",".join([b"[[[]]]"] * (n // 7)) + b"]",
    "flat, then deep": lambda n: b'{"a":[' + b"1," * (n // 2) + b"[[1]]]}",
    "wide": lambda n: b"{" + b",".join(b'"k%d":1' % i for i in range(n // 11)) + b"}",
    "one long name": lambda n: b'{"form' + b"e" * n + b'":1}',
    "one long text": lambda n: b'{"a":"' + b"x" * n + b'"}',
    "escapes": lambda n: b'{"a":"' + b"\\n" * (n // 2) + b'"}',
    "escapes in a name": lambda n: b'{"' + b"\\u0061" * (n // 6) + b'":1}',
    "an open text": lambda n: b'{"a":"' + b"\\\\" * (n // 2),
    "quotes": lambda n: b"[" + b'""' * (n // 2),
    "a long number": lambda n: b'{"a":' + b"9" * n + b"}",
    "space": lambda n: b"[" + b" " * n + b"]",
    "letters": lambda n: b'{"a":"' + "ä".encode() * (n // 2) + b'"}',
    "no JSON": lambda n: b"a" * n,
}


@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_limits_of_json_are_found_in_linear_time(make: Callable[[int], bytes]) -> None:
    assert_linear(is_too_much, make, 250_000)


@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_a_tokens_header_takes_no_time_to_refuse(make: Callable[[int], bytes]) -> None:
    token = (base64.urlsafe_b64encode(make(180_000)).rstrip(b"=") + b".e30.c2ln").decode()
    keys = [tokens.Key("HS256", b"a secret of at least thirty-two bytes")]
    assert seconds(lambda _: tokens.verify_signature(token, keys), b"") < 0.005


@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_json_bodies_are_read_in_linear_time(make: Callable[[int], bytes]) -> None:
    assert_linear(lambda body: parse_payload(body, MEDIA["json"], None, routine=False), make, 100_000)


@pytest.mark.parametrize("make", JSON.values(), ids=JSON)
def test_html_is_looked_for_in_linear_time(make: Callable[[int], bytes]) -> None:
    payload = Payload(b"", ("title",))
    assert_linear(lambda body: guard_html(replace(payload, raw=body), frozenset({"title"})), make, 100_000)


# Shapes of CSV and of forms.
TABLES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "lines": ("csv", lambda n: b"a\n" + b"1\n" * (n // 2)),
    "wide": ("csv", lambda n: b"a," * (n // 4) + b"a\n" + b"1," * (n // 4) + b"1\n"),
    "a long field": ("csv", lambda n: b'a\n"' + b"x" * n + b'"\n'),
    "quotes": ("csv", lambda n: b'a\n"' + b'""' * (n // 2) + b'"\n'),
    "an open quote": ("csv", lambda n: b'a\n"' + b"x\n" * (n // 2)),
    "empty lines": ("csv", lambda n: b"a\n" + b"\n" * n),
    "fields": ("form", lambda n: b"a=1&" * (n // 4)),
    "many names": ("form", lambda n: b"&".join(b"f%d=1" % number for number in range(n // 8))),
    "a long value": ("form", lambda n: b"a=" + b"x" * n),
    "a long name": ("form", lambda n: b"x" * n),
    "percents": ("form", lambda n: b"a=" + b"%20" * (n // 3)),
    "pluses": ("form", lambda n: b"a=" + b"+" * n),
    "signs": ("form", lambda n: b"&" * n),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("routine", [True, False])
def test_csv_and_forms_are_read_in_linear_time(name: str, routine: bool) -> None:
    kind, make = TABLES[name]
    assert_linear(lambda body: parse_payload(body, MEDIA[kind], None, routine=routine), make, 100_000)


def test_what_is_read_at_once_holds_the_loop_for_a_moment_only() -> None:
    """The slowest of the shapes at the length from which on another process reads them."""
    slowest = max(
        seconds(lambda body: parse_payload(body, MEDIA["json"], None, routine=False), make(AT_ONCE))
        for make in JSON.values()
    )
    assert slowest < 0.025, "five milliseconds on a machine that does nothing else"


NAMES = [f"{word}_{number}" for number in range(20) for word in ("orders", "form_requests", "authors", "a" * 60)]


@pytest.mark.parametrize("letter", ["e", "form", "a", "_1"])
def test_a_long_name_is_like_none_and_costs_nothing(letter: str) -> None:
    name = "form" + letter * 100_000
    assert nearest(name, NAMES, 0.33) is None
    assert seconds(lambda _: nearest(name, NAMES, 0.33), b"") < 0.005


def test_the_distance_of_two_texts_takes_a_step_a_letter() -> None:
    assert_linear(lambda text: distance("form" * 10, text.decode()), lambda n: b"form" * (n // 4), 20_000)


def plain_distance(one: str, two: str) -> int:
    """The edit distance by its table."""
    earlier: list[int] = []
    before = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            least = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
        earlier, before = before, row
    return before[-1]


def test_the_distance_is_that_of_the_table() -> None:
    chance = random.Random(13)
    for _ in range(3000):
        one, two = ("".join(chance.choices("abc", k=chance.randrange(9))) for _ in range(2))
        assert distance(one, two) == plain_distance(one, two), (one, two)


@pytest.mark.parametrize("depth", [99, 101, 254, 255, 900, 1024, 1025, 50_000])
def test_depth_is_judged_before_anything_is_made_of_it(depth: int) -> None:
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}")):
        text = opened * depth + b"1" + closed * depth
        assert is_too_much(text) is (depth > 100)
        if depth < 100:
            assert orjson.dumps(orjson.loads(text)) == text
