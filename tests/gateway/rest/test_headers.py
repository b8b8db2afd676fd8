"""Prefer, Accept, Content-Type, ranges: what headers say."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.catalog.model import MediaHandler, Name
from gateway.errors import ApiError
from gateway.lru_cache import LruCache
from gateway.rest.parse.media import decode_media_type, negotiate, parse_accept
from gateway.rest.parse.plan_key import Wishes
from gateway.rest.parse.prefer import applied, parse_prefer
from gateway.rest.parse.ranges import Range, content_range, root_range, status_of
from gateway.rest.parse.request import WishKey, parse_headers, pick_headers
from gateway.rest.types import Body, Preferences

POSTS = Name("public", "posts")


def test_the_first_preference_of_a_kind_wins() -> None:
    assert parse_prefer("tx=commit, tx=rollback").tx == "commit"
    assert parse_prefer("count=planned,return=minimal,count=exact") == Preferences(
        count="planned", representation="minimal"
    )


def test_unknown_preferences_are_kept_apart() -> None:
    assert parse_prefer("foo, count=none, return=Minimal").invalid == ("foo", "count=none", "return=Minimal")


def test_a_transaction_end_counts_only_where_it_may_be_chosen() -> None:
    assert parse_prefer("tx=rollback", tx_allowed=False) == Preferences()


def test_a_time_zone_is_handed_on_as_it_stands() -> None:
    assert parse_prefer("handling=strict, timezone=Mars/Base, timezone=UTC") == Preferences(
        handling="strict", timezone="Mars/Base"
    )


def test_a_limit_of_rows_is_shown_only_under_strict_handling() -> None:
    assert applied(parse_prefer("max-affected=5"), ("max_affected",)) is None
    assert applied(parse_prefer("max-affected=5,handling=strict"), ("handling", "max_affected")) == (
        b"handling=strict, max-affected=5"
    )


def test_applied_preferences_have_their_own_order() -> None:
    preferences = parse_prefer(
        "tx=rollback,count=exact,return=representation,missing=default,resolution=ignore-duplicates"
    )
    kinds = ("tx", "count", "representation", "missing", "resolution")
    assert applied(preferences, kinds) == (
        b"resolution=ignore-duplicates, missing=default, return=representation, count=exact, tx=rollback"
    )


@pytest.mark.parametrize(
    ("text", "kind", "mime"),
    [
        ("application/json", "json", "application/json"),
        ("application/json; charset=utf-8", "json", "application/json"),
        ("application/vnd.pgrst.array+json", "json", "application/json"),
        ("application/vnd.pgrst.object", "object", "application/vnd.pgrst.object+json"),
        (
            "application/vnd.pgrst.array;nulls=stripped",
            "array-stripped",
            "application/vnd.pgrst.array+json;nulls=stripped",
        ),
        ("application/vnd.pgrst.plan", "plan", 'application/vnd.pgrst.plan+text; for="application/json"'),
        (
            'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json"; options=;',
            "plan",
            'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json"',
        ),
        ("image/png", "other", "image/png"),
    ],
)
def test_a_media_type_is_known_by_its_name_and_parameters(text: str, kind: str, mime: str) -> None:
    media = decode_media_type(text)
    assert (media.kind, media.mime) == (kind, mime)


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        (None, ["any"]),
        ("", ["any"]),
        ("text/csv, application/json", ["csv", "json"]),
        ("text/csv;q=0.1, application/json;q=0.9", ["json", "csv"]),
        ("*/*, text/csv", ["csv", "any"]),
        ("text/html;q=0.x,text/csv", ["csv", "other"]),
        ("q=0.5", ["other"]),
    ],
)
def test_what_is_wanted_most_comes_first(header: str | None, kinds: list[str]) -> None:
    assert [media.kind for media in parse_accept(header)] == kinds


HTML = MediaHandler("text/html", Name("public", "to_html"), POSTS)
ANYTHING = MediaHandler("*/*", Name("public", "to_any"), POSTS)
XML = MediaHandler("text/xml", Name("public", "to_xml"), None)


def _negotiated(header: str, *handlers: MediaHandler, default: bool = True, plan: bool = False) -> tuple[Body, str]:
    known = {(handler.target, handler.media_type): handler for handler in handlers}
    response_format = negotiate(parse_accept(header), known, POSTS, default_select=default, plan_enabled=plan)
    return response_format.body, response_format.media.mime


def test_the_first_type_that_can_be_made_is_chosen() -> None:
    assert _negotiated("image/png, text/csv, application/json") == (Body.CSV, "text/csv")
    assert _negotiated("*/*") == (Body.ARRAY, "application/json")


def test_a_handler_of_a_relation_needs_its_default_select() -> None:
    assert _negotiated("text/html", HTML) == (Body.CUSTOM, "text/html")
    with pytest.raises(ApiError, match="PGRST107"):
        _negotiated("text/html", HTML, default=False)
    assert _negotiated("text/xml", XML, default=False) == (Body.CUSTOM, "text/xml")


def test_a_catch_all_answers_anything_but_vendor_types() -> None:
    assert _negotiated("application/json", ANYTHING) == (Body.CUSTOM, "application/octet-stream")
    assert _negotiated("application/vnd.pgrst.object+json", ANYTHING)[0] is Body.OBJECT


def test_a_plan_must_be_allowed_and_for_something() -> None:
    with pytest.raises(ApiError, match="PGRST107"):
        _negotiated("application/vnd.pgrst.plan")
    assert _negotiated("application/vnd.pgrst.plan", plan=True)[0] is Body.ARRAY
    with pytest.raises(ApiError, match="PGRST107"):
        _negotiated('application/vnd.pgrst.plan; for="image/png"', plan=True)


@pytest.mark.parametrize("header", ["text/plain", "application/octet-stream", "image/png", "text/xml"])
def test_what_nothing_makes_is_refused_by_name(header: str) -> None:
    with pytest.raises(ApiError) as caught:
        _negotiated(header)
    assert (caught.value.status, caught.value.code) == (406, "PGRST107")
    assert caught.value.message == f"None of these media types are available: {header}"


RANGES = [
    (None, None, None, Range()),
    ("5", None, None, Range(5)),
    (None, "5", None, Range(None, 5)),
    ("5", "2", None, Range(5, 2)),
    ("x", "y", None, Range()),
    (None, "-5", None, Range()),
    ("0", None, None, Range(0)),
    (None, None, "0-9", Range(10)),
    (None, None, "3-", Range(None, 3)),
    (None, None, "items=3-", Range()),
    ("5", None, "2-20", Range(3, 2)),
    ("5", "4", "2-20", Range(5, 4)),
    ("0", None, "2-20", Range(0)),
]


@pytest.mark.parametrize(("limit", "offset", "header", "expected"), RANGES)
def test_limit_offset_and_range_meet(
    limit: str | None, offset: str | None, header: str | None, expected: Range
) -> None:
    assert root_range(limit, offset, header) == expected


@pytest.mark.parametrize(
    ("limit", "offset", "header", "details"),
    [
        ("-1", None, None, "Limit should"),
        (None, None, "5-2", "The lower boundary"),
        ("2", None, "5-9", "Limit should"),
        ("0", "5", None, "Limit should"),
    ],
)
def test_a_range_without_rows_is_refused(
    limit: str | None, offset: str | None, header: str | None, details: str
) -> None:
    with pytest.raises(ApiError) as caught:
        root_range(limit, offset, header)
    assert (caught.value.status, caught.value.code) == (416, "PGRST103")
    assert str(caught.value.details).startswith(details)


def test_content_range_names_rows_only_where_there_are_some() -> None:
    assert content_range(0, -1, None) == b"*/*"
    assert content_range(5, 4, 3) == b"*/3"
    assert content_range(0, 0, 0) == b"*/0"
    assert content_range(2, 3, None) == b"2-3/*"


@pytest.mark.parametrize(
    ("offset", "rows", "total", "status"),
    [(0, 3, None, 200), (0, 3, 3, 200), (0, 2, 3, 206), (3, 0, 3, 206), (4, 0, 3, 416), (0, 0, 0, 200)],
)
def test_status_tells_part_from_whole(offset: int, rows: int, total: int | None, status: int) -> None:
    assert status_of(offset, rows, total) == status


_NAMES = st.sampled_from(
    [
        b"accept",
        b"prefer",
        b"content-type",
        b"accept-profile",
        b"content-profile",
        b"range",
        b"cookie",
        b"x-own",
        b"host",
    ]
)
_VALUES = st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")) | st.sampled_from(
    [b"text/csv", b"count=exact", b"tx=rollback", b"a=1; b=2", "caf\u00e9".encode(), b"*/*"]
)
_WISHES = LruCache[WishKey, Wishes](1_000_000)


@given(st.lists(st.tuples(_NAMES, _VALUES), max_size=8), st.booleans())
def test_headers_read_at_once_say_what_each_says(headers: list[tuple[bytes, bytes]], tx_allowed: bool) -> None:
    told: dict[str, str] | None = {}
    for charset in ("utf-8", "latin-1"):
        try:
            told = {name.decode(): value.decode(charset) for name, value in headers if name != b"cookie"}
            break
        except UnicodeDecodeError:
            continue
    picked = pick_headers(headers)
    for known in (None, _WISHES, _WISHES):
        found = parse_headers(headers, tx_allowed, known)
        assert orjson.loads(found.text) == told
        for name in ("accept", "prefer", "content_type", "accept_profile", "content_profile", "range", "cookie"):
            assert (getattr(found, name) or b"") == (getattr(picked, name) or b""), name
        assert found.wishes == parse_headers(headers, tx_allowed).wishes
