"""What counts as a difference between two answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.operations.recorder.compare import Difference, Names, compare
from gateway.operations.recorder.exchange import Message

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"
NEW = "99999999-9999-4999-8999-999999999999"
NEXT = "88888888-8888-4888-8888-888888888888"
MORNING, EVENING = "2026-01-02T08:00:00.5+00:00", "2026-03-04T20:11:12+00:00"


def answer(body: Any, **headers: str) -> Message:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Message({"content-type": "application/json", **named}, json.dumps(body))


def places(before: Any, now: Any, *ignore: str) -> list[str]:
    return [found.place for found in compare(answer(before), answer(now), Names(), {}, ignore)]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param({"a": 1, "b": None}, {"b": None, "a": 1}, id="members in another order"),
        pytest.param([{"id": ONE}, {"by": ONE}, {"id": TWO}], [{"id": NEW}, {"by": NEW}, {"id": NEXT}], id="other ids"),
        pytest.param({"made": MORNING}, {"made": EVENING}, id="other times"),
        pytest.param({"expires_at": 1_800_000_000}, {"expires_at": 1_900_000_000}, id="another moment"),
        pytest.param({"details": f"Key (id)=({ONE})"}, {"details": f"Key (id)=({NEW})"}, id="an id in a text"),
    ],
)  # fmt: skip
def test_promise_02_what_no_two_servers_share_is_no_difference(before: Any, now: Any) -> None:
    assert places(before, now) == []


@pytest.mark.parametrize(
    ("before", "now", "place"),
    [
        pytest.param([{"id": ONE}, {"by": ONE}], [{"id": NEW}, {"by": NEXT}], "body[1].by", id="one id for two"),
        pytest.param([{"id": ONE}, {"id": TWO}], [{"id": NEW}, {"id": NEW}], "body[1].id", id="two ids for one"),
        pytest.param({"made": MORNING}, {"made": "2026-03-04T20:11:12Z"}, "body.made", id="a time written otherwise"),
        pytest.param({"made": MORNING}, {"made": None}, "body.made", id="no time"),
        pytest.param({"a": 1}, {"a": True}, "body.a", id="a truth for a number"),
        pytest.param({"a": "1"}, {"a": 1}, "body.a", id="a number for a text"),
        pytest.param({"a": 1}, {}, "body.a", id="a member gone"),
        pytest.param({}, {"a b": 1}, 'body["a b"]', id="a member more"),
        pytest.param([1, 2], [1], "body.length", id="a row gone"),
        pytest.param([1, 2], [2, 1], "body[0]", id="another order"),
        pytest.param([*range(50)], [*range(49), "x"], "body[49]", id="another last row"),
        pytest.param({"a": [{}, {"b": [0, 1]}]}, {"a": [{}, {"b": [0, 2]}]}, "body.a[1].b[1]", id="another one within"),
    ],
)
def test_promise_02_what_a_client_could_notice_is_a_difference(before: Any, now: Any, place: str) -> None:
    assert places(before, now)[0] == place


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "a", "b c", ONE, MORNING, "12:00"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b c", "id", "made", "expires_in"]), inner)
    ),
    max_leaves=12,
)
OTHERS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    77,
    "",
    "other",
    {},
    [],
    ONE,
    MORNING,
    MORNING.replace("T", " "),
    "2026-01-02",
]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON, where a truth is no number."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _changed(value: Any, draw: st.DataObject) -> Any:
    """The value with one thing changed, put in or taken out, wherever it is."""
    inner: list[Any] = [*value] if isinstance(value, dict) else [*range(len(value))] if isinstance(value, list) else []
    deeper, less, more = (draw.draw(st.booleans()) for _ in range(3))
    if inner and deeper:
        key = draw.draw(st.sampled_from(inner))
        copy = value.copy()
        copy[key] = _changed(value[key], draw)
        return copy
    if inner and less:
        copy = value.copy()
        del copy[draw.draw(st.sampled_from(inner))]
        return copy
    if isinstance(value, dict | list) and more:
        return value | {"more": 1} if isinstance(value, dict) else [*value, {}]
    return draw.draw(st.sampled_from([other for other in OTHERS if not _same(other, value)]))


@given(JSON, st.data())
def test_promise_02_whatever_else_differs_is_told_wherever_it_is(value: Any, data: st.DataObject) -> None:
    assert places(value, value) == []
    other = _changed(value, data)
    assert places(value, other) and places(other, value)


@pytest.mark.parametrize("other", [None, "other"])
@pytest.mark.parametrize(
    "name",
    ["content-type", "content-range", "content-profile", "location", "preference-applied", "link", "x-total-count",
     "x-supabase-api-version", "x-relay-error"],
)  # fmt: skip
def test_promise_02_a_header_that_a_client_reads_is_compared(name: str, other: str | None) -> None:
    before = Message({"content-type": "text/plain", name: "one"}, "x")
    changed: dict[str, str | None] = {**before.headers, name: other}
    now = Message({key: value for key, value in changed.items() if value is not None}, "x")
    for one, two in ((before, now), (now, before)):
        assert [found.place for found in compare(one, two, Names(), {})] == [name]


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_promise_02_a_body_that_is_no_json_is_compared_as_text(kind: str) -> None:
    one, two = (Message({"content-type": kind}, text) for text in ("{half", "{another"))
    assert not list(compare(one, one, Names(), {}))
    assert [found.place for found in compare(one, two, Names(), {})] == ["body"]


def test_an_ignored_member_may_be_anything_or_missing() -> None:
    assert places([{"a": 1, "b": 2}], [{"a": 5}], "a", "b") == []


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({"content_range": "0-9/18"}, {"content_range": "0-9/*"}, [Difference("content-range", "0-9/18", "0-9/*")]),
        ({"location": f"/a?id=eq.{ONE}"}, {"location": f"/a?id=eq.{NEW}"}, []),
        ({"preference_applied": "tx=commit"}, {}, [Difference("preference-applied", "tx=commit", "(absent)")]),
        ({"server": "one"}, {"server": "two"}, []),
        ({"content_type": "application/json; charset=utf-8"}, {"content_type": "application/json;charset=UTF-8"}, []),
    ],
    ids=["changed", "with an id", "gone", "of no matter", "spelt otherwise"],
)  # fmt: skip
def test_headers_that_matter_are_compared(
    before: dict[str, str], now: dict[str, str], expected: list[Difference]
) -> None:
    assert list(compare(answer(1, **before), answer(1, **now), Names(), {})) == expected


def test_texts_and_bytes_are_compared_too() -> None:
    plain = {"content-type": "text/csv"}
    assert not list(compare(Message(plain, f"id\n{ONE}"), Message(plain, f"id\n{NEW}"), Names(), {}))
    assert list(compare(Message(plain, "id\n1"), Message(plain, "id\n2"), Names(), {})) == [
        Difference("body", "id\n1", "id\n2")
    ]
    assert not list(compare(Message({}, base64="AA=="), Message({}, base64="AA=="), Names(), {}))
    assert [d.place for d in compare(Message({}, base64="AA=="), Message({}, base64="AQ=="), Names(), {})] == ["body"]


def test_a_long_text_is_shown_where_it_differs() -> None:
    (found,) = compare(answer("a" * 500 + "b" + "c" * 500), answer("a" * 500 + "d" + "c" * 500), Names(), {})
    assert found.recorded.startswith("…aaa") and "ab" in found.recorded and found.recorded.endswith("c…")
    assert "ad" in found.replayed and len(found.replayed) < 200


def test_promise_02_later_requests_are_said_in_todays_values() -> None:
    names = Names()
    before, now = {"id": ONE, "at": MORNING, "t": "<redacted t 0123456789abcdef>"}, {
        "id": NEW, "at": EVENING, "t": "<redacted t fedcba9876543210>"
    }  # fmt: skip
    assert list(compare(answer(before), answer(now), names, {"fedcba9876543210": "secret"})) == []
    assert (
        names.translate(f"id=eq.{ONE}&at=gt.{MORNING}&other=eq.{TWO}") == f"id=eq.{NEW}&at=gt.{EVENING}&other=eq.{TWO}"
    )
    assert names.tokens == {"0123456789abcdef": "secret"}
