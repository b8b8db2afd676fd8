"""Request bodies, and the cleaning of HTML in them."""

from __future__ import annotations

import json

import nh3
import pytest

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.rest.body.html import ATTRIBUTES, SCHEMES, TAGS, clean_html
from gateway.rest.body.htmlguard import guard_html, guarded_columns
from gateway.rest.body.payload import parse_payload
from gateway.rest.parse.media import decode_media_type
from gateway.rest.types import Payload
from tests.fixtures.server import ROOT

JSON, CSV, FORM, TEXT = (
    decode_media_type(mime)
    for mime in ("application/json", "text/csv", "application/x-www-form-urlencoded", "text/plain")
)


def _parse(body: bytes, mime: object = JSON, columns: tuple[str, ...] | None = None, routine: bool = False) -> Payload:
    return parse_payload(body, mime, columns, routine=routine)  # type: ignore[arg-type]


def test_an_object_is_sent_on_as_it_came() -> None:
    body = b' {"b": 123456789012345678901234567890, "a": 1.10}'
    assert _parse(body) == Payload(body, ("a", "b"), True)


def test_rows_must_have_the_same_keys() -> None:
    assert _parse(b'[{"a":1,"b":2},{"b":3,"a":4}]').columns == ("a", "b")
    for body in (b'[{"a":1},{"b":1}]', b'[{"a":1},{"a":1,"b":2}]', b'[{"a":1},2]', b"[1]"):
        with pytest.raises(ApiError, match="All object keys must match"):
            _parse(body)


def test_with_columns_the_body_is_not_looked_into() -> None:
    assert _parse(b'[{"a":1},{"b":1}]', columns=("a",)) == Payload(b'[{"a":1},{"b":1}]', ("a",))
    assert _parse(b' {"b":1}', columns=("a",)).is_object


@pytest.mark.parametrize("body", [b"", b"{", b"nope", b'{"a":1}x', b"\xff"])
def test_broken_json_is_refused(body: bytes) -> None:
    with pytest.raises(ApiError, match="Empty or invalid json"):
        _parse(body)


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null"])
def test_what_holds_no_object_is_no_row(body: bytes) -> None:
    assert _parse(body) == Payload(b"[]")


def test_a_function_takes_an_empty_body_and_whole_texts() -> None:
    assert _parse(b"", routine=True) == Payload(b"{}", (), True)
    assert _parse(b"text", TEXT, routine=True) == Payload(b"text")


def test_csv_rows_are_text_with_null_spelled_out() -> None:
    payload = _parse(b'a,b\n1,"x, ""y"""\nNULL,\n', CSV)
    assert payload == Payload(b'[{"a":"1","b":"x, \\"y\\""},{"a":null,"b":""}]', ("a", "b"))


@pytest.mark.parametrize("body", [b"a,b\n1", b"a,b\n1,2,3", b'a\n"x'])
def test_ragged_csv_is_refused(body: bytes) -> None:
    with pytest.raises(ApiError, match="All lines must have same number of fields"):
        _parse(body, CSV)


def test_a_form_is_one_row_or_arguments() -> None:
    assert _parse(b"a=1&b=x+y%26", FORM) == Payload(b'{"a":"1","b":"x y&"}', ("a", "b"), True)
    assert _parse(b"v=1&v=2", FORM, routine=True).fields == (("v", "1"), ("v", "2"))


@pytest.mark.parametrize("mime", ["text/plain", "text/xml", "application/octet-stream", "image/png"])
def test_other_content_is_refused_by_name(mime: str) -> None:
    with pytest.raises(ApiError, match=f"Content-Type not acceptable: {mime}"):
        _parse(b"x", decode_media_type(mime))


POSTS = Name("public", "posts")


def test_html_is_cleaned_on_its_way_in(cache: SchemaCache) -> None:
    payload = _parse(b'{"body":"<p onclick=\\"x\\">a<script>b</script><b>c</b></p>","title":"<script>"}')
    assert guard_html(payload, guarded_columns(cache)[POSTS]).raw == b'{"body":"<p>ac</p>","title":"<script>"}'


def test_cleaning_keeps_the_digits_of_numbers(cache: SchemaCache) -> None:
    payload = _parse(b'[{"body":"<p>x</p>","id":123456789012345678901.50},{"body":null,"id":1e400}]', columns=("body",))
    assert guard_html(payload, guarded_columns(cache)[POSTS]).raw == (
        b'[{"body":"<p>x</p>","id":123456789012345678901.50},{"body":null,"id":1e400}]'
    )


def test_a_body_without_html_columns_is_left_alone(cache: SchemaCache) -> None:
    payload = _parse(b'{ "title": "<b>" }')
    assert guard_html(payload, guarded_columns(cache)[POSTS]) is payload


@pytest.mark.parametrize(
    ("body", "cleaned"),
    [
        pytest.param(b'["<script>x</script><p>a"]', b'"[\\"<p>a\\"]</p>"', id="an array"),
        pytest.param(b'{"a": "<script>x</script>b"}', b'"{\\"a\\": \\"b\\"}"', id="an object"),
        pytest.param(b'[["<b>deep</b>"]]', b'"[[\\"deep\\"]]"', id="deep"),
        pytest.param(b'"\\u003cscript>x\\u003c/script>b"', b'"b"', id="escaped"),
        pytest.param(b"12.50", b"12.50", id="a number"),
    ],
)
@pytest.mark.parametrize("name", [b'"body"', b'"b\\u006fdy"'])
def test_no_form_of_a_value_passes_the_guard(cache: SchemaCache, body: bytes, cleaned: bytes, name: bytes) -> None:
    payload = _parse(b'[{"id":1, %b: %b,"id":2}]' % (name, body))
    assert guard_html(payload, guarded_columns(cache)[POSTS]).raw == b'[{"id":1, %b: %b,"id":2}]' % (name, cleaned)


@pytest.mark.parametrize("depth", [100, 255, 900, 5000])
def test_what_stands_beside_html_may_be_deep(cache: SchemaCache, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    payload = _parse(b'{"body":"<p>x</p>","data":%b}' % deep)
    assert guard_html(payload, guarded_columns(cache)[POSTS]).raw == payload.raw


def test_no_break_spaces_stay_as_they_were_written_and_hide_nothing() -> None:
    vectors = json.loads((ROOT / "web" / "src" / "testing" / "xss-vectors.json").read_text())
    for vector in vectors:
        for at in range(len(vector) + 1):
            text = f"{vector[:at]}\xa0{vector[at:]}"
            cleaned = nh3.clean(text, tags=set(TAGS), attributes=ATTRIBUTES, link_rel=None, url_schemes=set(SCHEMES))
            if "<pre" not in cleaned:
                assert clean_html(text).replace("\xa0", "&nbsp;") == cleaned
