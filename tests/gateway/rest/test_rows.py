"""Bodies by chance: what their rows must have in common, how long they may be, and what is refused beyond that."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ApiError
from gateway.rest.body import payload
from gateway.rest.body.payload import MAX_FIELDS, MAX_NAME, looks_like_object, parse_payload
from gateway.rest.parse.media import decode_media_type
from gateway.rest.types import Payload

JSON, CSV, FORM = (
    decode_media_type(mime) for mime in ("application/json", "text/csv", "application/x-www-form-urlencoded")
)
# As it is written, and as it is read: one name may be written in several ways.
NAMES = st.sampled_from([('"a"', "a"), ('"\\u0061"', "a"), ('"b"', "b"), ('"é"', "é"), ('"\\u00e9"', "é"), ('""', "")])
VALUES = st.sampled_from(["1", "null", '"x"', "[]", "{}", '{"b":[1]}', "[[{}]]", '"\\"}"', "[1,[2,{}]]"])
BLANKS = st.sampled_from(["", " ", "\n\t"])


@st.composite
def objects(draw: st.DrawFn) -> tuple[str, frozenset[str] | None]:
    if draw(st.integers(0, 9)) == 0:
        return draw(VALUES.filter(lambda value: value[0] != "{")), None
    pairs = draw(st.lists(st.tuples(NAMES, VALUES), max_size=3))
    blank = draw(BLANKS)
    text = ",".join(f"{blank}{name[0]}{blank}:{blank}{value}{blank}" for name, value in pairs)
    return "{" + (text or blank) + "}", frozenset(name[1] for name, _ in pairs)


@given(st.lists(objects(), min_size=1, max_size=5), BLANKS)
def test_rows_are_taken_where_all_have_the_same_names(
    rows: list[tuple[str, frozenset[str] | None]], blank: str
) -> None:
    body = f"{blank}[{blank}{f'{blank},{blank}'.join(text for text, _ in rows)}{blank}]{blank}".encode()
    names = {found for _, found in rows}
    if len(names) == 1 and None not in names:
        assert parse_payload(body, JSON, None, routine=False) == Payload(body, tuple(sorted(rows[0][1] or ())))
    else:
        with pytest.raises(ApiError, match="All object keys must match"):
            parse_payload(body, JSON, None, routine=False)


def test_a_row_that_differs_is_not_made_good_by_the_next() -> None:
    for body in (
        b'[{"a":1},{"b":1},{"a":1,"a":2}]',
        b'[{"a":1},2,{"a":1,"a":2}]',
        b'[1,{"a":1}]',
        b"[{},1]",
        b"[1,{}]",
    ):
        with pytest.raises(ApiError, match="All object keys must match"):
            parse_payload(body, JSON, None, routine=False)


@pytest.mark.parametrize(("body", "is_object"), [(b"{}", True), (b" \n\t\r{", True), (b"[{}]", False), (b"", False)])
def test_an_object_is_told_by_its_first_character(body: bytes, is_object: bool) -> None:
    assert looks_like_object(body) is is_object


def test_a_name_is_cut_where_nothing_is_called_so() -> None:
    for length in (MAX_NAME - 1, MAX_NAME, MAX_NAME + 1):
        name = "n" * length
        shown = name if length <= MAX_NAME else "n" * MAX_NAME + "…"
        assert parse_payload(json.dumps({name: 1}).encode(), JSON, None, routine=False).columns == (shown,)
        assert parse_payload(f"{name}=1".encode(), FORM, None, routine=True).fields == ((shown, "1"),)


@pytest.mark.parametrize("routine", [True, False])
def test_a_form_has_as_many_fields_as_it_may_and_no_more(routine: bool) -> None:
    assert MAX_FIELDS == 10_000
    parse_payload(b"a=1&" * MAX_FIELDS, FORM, None, routine=routine)
    with pytest.raises(ApiError, match="More than 10000 fields"):
        parse_payload(b"a=1&" * MAX_FIELDS + b"a=1", FORM, None, routine=routine)


def test_csv_makes_as_much_json_as_it_may_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"a,b\n1,2\n3,4\n"
    made = parse_payload(body, CSV, None, routine=False).raw
    monkeypatch.setattr(payload, "MAX_JSON", len(made))
    assert parse_payload(body, CSV, None, routine=False).raw == made
    monkeypatch.setattr(payload, "MAX_JSON", len(made) - 1)
    with pytest.raises(ApiError, match="send fewer at once"):
        parse_payload(body, CSV, None, routine=False)


@pytest.mark.parametrize(
    ("body", "rows"),
    [(b"a\n", []), (b"a\r\n", []), (b"a\r", []), (b"\n\na\n\n1\n\n2", [{"a": "1"}, {"a": "2"}]),
     (b"\xef\xbb\xbfa\n1", [{"a": "1"}]), (b"a,b\nNULL,null\n", [{"a": None, "b": "null"}]),
     (b'a\n"NULL"\n', [{"a": None}])],
)  # fmt: skip
def test_csv_is_read_line_by_line(body: bytes, rows: list[dict[str, object]]) -> None:
    assert json.loads(parse_payload(body, CSV, None, routine=False).raw) == rows


@pytest.mark.parametrize("body", [b"", b"a", b"a,b", b"\n\n"])
def test_csv_without_the_end_of_its_heading_is_refused_or_empty(body: bytes) -> None:
    if body.endswith(b"\n"):
        assert parse_payload(body, CSV, None, routine=False) == Payload(b"[]")
        return
    with pytest.raises(ApiError, match="not enough input"):
        parse_payload(body, CSV, None, routine=False)
