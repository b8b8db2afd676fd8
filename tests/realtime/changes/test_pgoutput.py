"""The decoder of the log: every message comes back as it was written, and nothing else is taken for one."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.realtime.changes.pgoutput import (
    UNCHANGED,
    Begin,
    Commit,
    Decoded,
    Delete,
    Insert,
    LogMessage,
    LogOrigin,
    Malformed,
    Relation,
    RelationColumn,
    Truncate,
    Type,
    Update,
    decode,
)
from tests.gateway.test_growth import assert_linear
from tests.realtime.changes.encoding import encode

OIDS = st.integers(0, 2**32 - 1)
PLACES = st.integers(0, 2**64 - 1)
TIMES = st.integers(0, 2**52)
NAMES = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=20)
VALUES = st.one_of(st.none(), st.just(UNCHANGED), st.text(st.characters(codec="utf-8"), max_size=60))
ROWS = st.lists(VALUES, max_size=12).map(tuple)
COLUMNS = st.builds(RelationColumn, NAMES, OIDS, st.integers(-1, 2**31 - 1), st.booleans())
UPDATES = st.builds(
    lambda relation, old, whole, new: Update(relation, old, whole and old is not None, new),
    OIDS, st.none() | ROWS, st.booleans(), ROWS,
)  # fmt: skip
MESSAGES: st.SearchStrategy[Decoded] = st.one_of(
    st.builds(Begin, PLACES, TIMES, st.integers(0, 2**31 - 1)),
    st.builds(Commit, PLACES, PLACES, TIMES),
    st.builds(Relation, OIDS, NAMES, NAMES, st.sampled_from("dnfi"), st.lists(COLUMNS, max_size=12).map(tuple)),
    st.builds(Insert, OIDS, ROWS),
    UPDATES,
    st.builds(Delete, OIDS, ROWS, st.booleans()),
    st.builds(Truncate, st.lists(OIDS, max_size=5).map(tuple), st.booleans(), st.booleans()),
    st.builds(Type, OIDS, NAMES, NAMES),
    st.builds(LogOrigin, PLACES, NAMES),
    st.builds(LogMessage, st.booleans(), PLACES, NAMES, st.binary(max_size=60)),
)


@given(MESSAGES)
def test_every_message_is_read_as_it_was_written(message: Decoded) -> None:
    assert decode(encode(message)) == message


@given(MESSAGES, st.data())
def test_a_message_that_is_cut_or_lengthened_is_refused(message: Decoded, data: st.DataObject) -> None:
    raw = encode(message)
    cut = data.draw(st.integers(0, len(raw) - 1))
    with pytest.raises(Malformed):
        decode(raw[:cut])
    with pytest.raises(Malformed):
        decode(raw + b"x")


@given(st.binary(max_size=200) | st.tuples(st.sampled_from(b"BCRIUDTYOM"), st.binary(max_size=200)).map(
    lambda found: bytes([found[0]]) + found[1]
))  # fmt: skip
def test_bytes_of_any_kind_end_in_a_message_or_a_refusal(raw: bytes) -> None:
    with suppress(Malformed):
        decode(raw)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda n: encode(Insert(1, ("x" * n,))), id="a long value"),
        pytest.param(lambda n: encode(Insert(1, ("x",) * min(n, 32_000))), id="many values"),
        pytest.param(lambda n: encode(Relation(1, "s", "t" * n, "d", ())), id="a long name"),
        pytest.param(lambda n: b"R" + b"\0" * 4 + b"x" * n, id="a name without an end"),
        pytest.param(lambda n: encode(Truncate(tuple(range(n // 4)), False, False)), id="many tables"),
        pytest.param(lambda n: b"T\x7f\xff\xff\xff\0" + b"x" * n, id="more tables than there are"),
    ],
)
def test_time_grows_with_the_length_alone(make: object) -> None:
    def read(raw: bytes) -> None:
        with suppress(Malformed):
            decode(raw)

    assert callable(make)
    assert_linear(read, make, 8_000)
