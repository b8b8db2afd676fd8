"""Bodies of any size and shape: read without holding the loop, within bounds of time and memory, or refused."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

import pytest

from gateway.errors import BODIES_FULL, ApiError
from gateway.http.messages import Bodies, Hold, read_body
from gateway.rest.body import reader as bodies
from gateway.rest.body import worker as bodyworker
from gateway.rest.body.payload import MAX_NAMES, parse_payload
from gateway.rest.body.reader import AT_ONCE, MARKS, BodyReader, takes_long
from gateway.rest.parse.media import decode_media_type
from gateway.rest.types import Payload

JSON, CSV, FORM = (
    decode_media_type(mime) for mime in ("application/json", "text/csv", "application/x-www-form-urlencoded")
)
NONE: frozenset[str] = frozenset()


async def allowed() -> None:
    return None


def with_reader(scenario: Callable[[BodyReader], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        reader = BodyReader()
        try:
            await scenario(reader)
        finally:
            await reader.close()

    asyncio.run(run())


async def read(reader: BodyReader, body: bytes, mime: Any = JSON, guarded: frozenset[str] = NONE) -> Payload:
    return await reader.read(body, mime, None, guarded, routine=False, allow=allowed)


# --- what Postgres is to judge goes to it as it came ---------------------------------------------------------------


@pytest.mark.parametrize("depth", [100, 900, 1024, 1025, 5000, 100_000])
def test_no_depth_is_too_much_to_be_sent_on(depth: int) -> None:
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a": ', b" } ]")):
        body = b'{"deep":' + opened * depth + b"1" + closed * depth + b',"b":2}'
        assert parse_payload(body, JSON, None, routine=False) == Payload(body, ("b", "deep"), True)
        with pytest.raises(ApiError, match="Empty or invalid json"):
            parse_payload(body[:-2], JSON, None, routine=False)


@pytest.mark.parametrize("number", ["1e400", "-1e-400", "9" * 5000, "0.1234567890123456789"])
def test_no_number_is_too_much_to_be_sent_on(number: str) -> None:
    body = b'[{"n":%b}]' % number.encode()
    assert parse_payload(body, JSON, None, routine=False) == Payload(body, ("n",))


def test_a_field_of_csv_may_be_as_long_as_a_body() -> None:
    body = b"a,b\n" + b"x" * 1_000_000 + b",1\n"
    assert json.loads(parse_payload(body, CSV, None, routine=False).raw) == [{"a": "x" * 1_000_000, "b": "1"}]


def test_names_beyond_what_a_table_can_have_are_not_kept() -> None:
    many = b"{" + b",".join(b'"n%06d":1' % number for number in range(5000)) + b"}"
    assert len(parse_payload(many, JSON, None, routine=False).columns) == MAX_NAMES
    assert parse_payload(b'{"%b":1}' % (b"n" * 100_000), JSON, None, routine=False).columns == ("n" * 200 + "…",)


@pytest.mark.parametrize("routine", [True, False])
def test_a_form_of_very_many_fields_is_refused(routine: bool) -> None:
    with pytest.raises(ApiError, match="More than 10000 fields"):
        parse_payload(b"a&" * 10_001, FORM, None, routine=routine)


def test_csv_whose_names_are_repeated_without_end_is_refused() -> None:
    with pytest.raises(ApiError, match="send fewer at once"):
        parse_payload(b"n" * 60_000 + b"\n" + b"1\n" * 2000, CSV, None, routine=False)


# --- where it is read ------------------------------------------------------------------------------------------------


def test_what_takes_long_is_read_elsewhere() -> None:
    row = b'{"a":1}'
    assert not takes_long(row, JSON, None, NONE)
    assert takes_long(b'{"a":"%b"}' % (b"x" * AT_ONCE), JSON, None, NONE)
    assert not takes_long(b'{"a":"%b"}' % (b"x" * AT_ONCE), JSON, ("a",), NONE), "it is not looked into"
    assert takes_long(b'{"a":"%b"}' % (b"x" * AT_ONCE), JSON, ("a",), frozenset({"a"}))
    for markup in (b"<ul><li>" * 150, b"\\u003cul>" * 300):
        assert takes_long(b'{"a":"%b"}' % markup, JSON, None, frozenset({"a"}))
    assert takes_long(b"n" * 8000 + b"\n" + b"1\n" * 4000, CSV, None, NONE)


@pytest.mark.parametrize("mark", [b"<", b"%3", b"\\u"])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_markup_takes_long_from_its_bound_on_and_only_where_it_is_cleaned(mark: bytes, beyond: int) -> None:
    body = b'{"a":"%b"}' % (mark * (MARKS + beyond))
    assert takes_long(body, JSON, None, frozenset({"a"})) == (beyond > 0)
    assert not takes_long(body, JSON, None, NONE)


def test_a_body_takes_long_from_its_bound_on() -> None:
    for media in (JSON, CSV, FORM):
        assert not takes_long(b"x" * AT_ONCE, media, None, NONE)
        assert takes_long(b"x" * (AT_ONCE + 1), media, None, NONE)
    assert not takes_long(b"x" * 10 * AT_ONCE, decode_media_type("application/octet-stream"), None, NONE)
    assert not takes_long(b"a,b\n" + b"1,2\n" * 1000, CSV, None, NONE)


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_rows_take_long_by_the_names_that_each_has_again(end: bytes) -> None:
    width, rows = 64, AT_ONCE * 16 // 64
    assert not takes_long(b"n" * width + end * rows, CSV, None, NONE)
    assert takes_long(b"n" * width + end * (rows + 1), CSV, None, NONE)
    assert not takes_long(b"n" * width + end * (rows + 1), FORM, None, NONE)


BODIES: dict[str, tuple[Any, bytes, frozenset[str]]] = {
    "json": (JSON, b'[{"b":1,"a":"%b"}]' % (b"x" * AT_ONCE), NONE),
    "html": (JSON, b'{"a":"%b","b":1e400}' % (b"<p onclick=x>hi</p>" * 2000), frozenset({"a"})),
    "csv": (CSV, b"b,a\n" + b"1,2\n" * 10_000, NONE),
    "form": (FORM, b"a=1&b=" + b"%20" * 10_000, NONE),
    "empty": (JSON, b"[" + b" " * AT_ONCE + b"]", NONE),
    "large": (JSON, b'{"b":1,"a":"%b"}' % (b"x" * 3_000_000), NONE),
}


@pytest.mark.parametrize("name", BODIES)
def test_it_makes_no_difference_where_a_body_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mime, body, guarded = BODIES[name]
    here = bodyworker.payload_of(bodyworker.job_of(mime, None, False, guarded), body)

    async def scenario(reader: BodyReader) -> None:
        assert takes_long(body, mime, None, guarded)
        for _ in range(2):  # the second time the process is there already
            assert await read(reader, body, mime, guarded) == here

    with_reader(scenario)


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        pytest.param(JSON, b'{"a":"' + b"x" * AT_ONCE, id="half an object"),
        pytest.param(JSON, b'[{"a":1},{"b":1},"%b"]' % (b"x" * AT_ONCE), id="other names"),
        pytest.param(CSV, b"a,b\n" + b"1\n" * AT_ONCE, id="ragged"),
    ],
)
def test_a_refusal_from_elsewhere_is_the_same(mime: Any, body: bytes) -> None:
    with pytest.raises(ApiError) as here:
        parse_payload(body, mime, None, routine=False)

    async def scenario(reader: BodyReader) -> None:
        with pytest.raises(ApiError) as there:
            await read(reader, body, mime)
        assert there.value.row is here.value.row and there.value.message == here.value.message

    with_reader(scenario)


def test_who_may_not_write_is_refused_before_anything_is_read() -> None:
    async def forbidden() -> None:
        raise PermissionError

    async def scenario(reader: BodyReader) -> None:
        with pytest.raises(PermissionError):
            await reader.read(b"x" * 100_000, JSON, None, NONE, routine=False, allow=forbidden)
        assert reader._small._process is None

    with_reader(scenario)


async def longest_pause(work: Awaitable[object]) -> float:
    """Seconds of processor time that this thread spent between two turns of the loop, at most, while work is done."""
    longest = 0.0
    done = asyncio.ensure_future(work)
    await asyncio.sleep(0)
    before = time.thread_time()
    while not done.done():
        await asyncio.sleep(0.001)
        now = time.thread_time()
        longest = max(longest, now - before)
        before = now
    done.exception()
    return longest


def test_markup_without_end_holds_nobody_up_and_is_ended() -> None:
    nested = b'{"content":"%b"}' % (b"<ul><li>" * 25_000)
    other = b'{"content":"%b"}' % (b"<p>hello</p>" * 2000)

    async def scenario(reader: BodyReader) -> None:
        await read(reader, other, guarded=frozenset({"content"}))
        hostile = asyncio.ensure_future(read(reader, nested, guarded=frozenset({"content"})))
        pause = await longest_pause(hostile)
        assert pause < 0.05, f"{pause:.3f} s"
        with pytest.raises(ApiError, match="takes too long to read"):
            hostile.result()
        assert b"hello" in (await read(reader, other, guarded=frozenset({"content"}))).raw, "the next one is read"

    with_reader(scenario)


def test_a_process_that_ends_is_replaced() -> None:
    body = b'{"a":"%b"}' % (b"x" * AT_ONCE)

    async def scenario(reader: BodyReader) -> None:
        await read(reader, body)
        process = reader._small._process
        assert process is not None
        process.kill()
        await process.wait()
        assert (await read(reader, body)).columns == ("a",)

    with_reader(scenario)


# --- bytes in memory -------------------------------------------------------------------------------------------------


def receiver(parts: AsyncIterator[bytes]) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def receive() -> dict[str, Any]:
        try:
            return {"type": "http.request", "body": await anext(parts), "more_body": True}
        except StopAsyncIteration:
            return {"type": "http.request", "body": b"", "more_body": False}

    return receive


async def parts_of(size: int, stop: asyncio.Event | None = None) -> AsyncIterator[bytes]:
    for _ in range(size // 1000):
        yield b"x" * 1000
    if stop is not None:
        await stop.wait()


def test_the_longest_body_on_its_way_gives_way() -> None:
    async def scenario() -> None:
        room = Bodies(100_000)
        slow = [asyncio.ensure_future(read_body(receiver(parts_of(40_000, asyncio.Event())), 90_000, Hold(room)))]
        slow.append(asyncio.ensure_future(read_body(receiver(parts_of(50_000, asyncio.Event())), 90_000, Hold(room))))
        await asyncio.sleep(0.01)
        assert room.held == 90_000
        hold = Hold(room)
        assert len(await read_body(receiver(parts_of(30_000)), 90_000, hold)) == 30_000
        refused = await asyncio.gather(slow[1], return_exceptions=True)
        assert isinstance(refused[0], ApiError) and refused[0].row is BODIES_FULL and refused[0].headers
        assert room.held == 70_000 and not slow[0].done()
        with pytest.raises(ApiError) as full:  # longer than those that are there
            await read_body(receiver(parts_of(80_000)), 90_000, Hold(room))
        assert full.value.row is BODIES_FULL
        hold.release()
        await asyncio.gather(*slow, return_exceptions=True)
        assert room.held == 0 and room.refused == 3

    asyncio.run(scenario())


def test_what_was_held_is_given_back_however_it_ends() -> None:
    async def scenario() -> None:
        room = Bodies(100_000)
        for size, limit in ((50_000, 60_000), (70_000, 60_000), (150_000, 200_000)):
            hold = Hold(room)
            try:
                await read_body(receiver(parts_of(size)), limit, hold)
            except ApiError:
                pass
            finally:
                hold.release()
            assert room.held == 0 and not room.arriving

    asyncio.run(scenario())


def test_the_bounds_are_what_they_say() -> None:
    assert bodies.SMALL > AT_ONCE
    assert bodyworker.MEMORY > 3 * 60_000_000
