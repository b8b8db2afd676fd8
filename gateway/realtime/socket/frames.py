"""Messages on the wire, in both serialisations (contract, sections 3 and 4): bytes in, `Push` out; messages in, whole
websocket frames out.

A frame is what goes to the transport, header and all: it is made once for all members that get it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson
from websockets.frames import Frame, Opcode

V1: Final = 1
V2: Final = 2
PREFIX: Final = "realtime:"
USER_PUSH: Final = 3
USER_BROADCAST: Final = 4
JSON: Final = 1
BYTES: Final = 0
LONGEST: Final = 255  # bytes of a topic, event or metadata in a binary frame
LONGEST_REF: Final = 255  # characters of a reference: that of a join is kept, and all are sent back
# What a parser may be given: objects of some milliseconds, where three megabytes of brackets take a quarter of a second
# and a hundred megabytes of memory. Brackets, braces and colons cost the most; strings are not looked into.
MOST_PARTS: Final = 50_000
MOST_COMMAS: Final = 500_000
LIGHT: Final = 16_384  # bytes that cannot have too many


class MalformedMessage(Exception):
    """A message that cannot be read: it is dropped, the socket stays."""


@dataclass(slots=True)
class Push:
    """What a client sent. `raw` is the payload of a binary frame, in `encoding`; its event is the broadcast's own."""

    join_ref: Any
    ref: Any
    topic: str
    event: str
    payload: Any
    raw: bytes | None = None
    encoding: int = JSON


def is_heavy(data: bytes) -> bool:
    """Whether JSON has more parts than may be made into objects here.

    >>> is_heavy(b"[" + b"[]," * 50_000 + b"0]"), is_heavy(b"[" + b"0," * 50_000 + b"0]"), is_heavy(b"x" * 3_000_000)
    (True, False, False)
    """
    if len(data) <= LIGHT:
        return False
    parts = data.count(b"[") + data.count(b"{") + data.count(b":")
    return parts > MOST_PARTS or data.count(b",") > MOST_COMMAS


def read_text(data: bytes, version: int) -> Push:
    """A text frame. Raises MalformedMessage.

    >>> read_text(b'[null,"1","phoenix","heartbeat",{}]', V2).event
    'heartbeat'
    >>> read_text(b'{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}', V1).ref is None
    True
    """
    if is_heavy(data):
        raise MalformedMessage("too many parts")
    try:
        message = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise MalformedMessage("no JSON") from error
    if version == V2:
        if not isinstance(message, list) or len(message) < 5:
            raise MalformedMessage("no array of five")
        join_ref, ref, topic, event, payload = message[:5]
    else:
        try:
            topic, event, payload, ref = message["topic"], message["event"], message["payload"], message["ref"]
        except (KeyError, TypeError, IndexError) as error:
            raise MalformedMessage("a key is missing") from error
        join_ref = message.get("join_ref")
    if not isinstance(topic, str) or not isinstance(event, str):
        raise MalformedMessage("topic and event must be text")
    if not (_is_ref(join_ref) and _is_ref(ref)):
        raise MalformedMessage("a reference is a short text, or a number")
    return Push(join_ref, ref, topic, event, payload)


def _is_ref(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_REF
    return value is None or isinstance(value, int | float)


def read_binary(data: bytes) -> Push:
    """A binary frame of serialisation 2.0.0: a user's broadcast. Raises MalformedMessage.

    >>> read_binary(bytes([3, 1, 1, 10, 2, 0, 1]) + b"24realtime:ahi{}").topic
    'realtime:a'
    """
    if len(data) < 7 or data[0] != USER_PUSH:
        raise MalformedMessage("no broadcast of a user")
    join_size, ref_size, topic_size, event_size, meta_size, encoding = data[1:7]
    ends = [7]
    for size in (join_size, ref_size, topic_size, event_size, meta_size):
        ends.append(ends[-1] + size)
    if len(data) < ends[-1]:
        raise MalformedMessage("shorter than it says")
    try:
        join_ref, ref, topic, event = [data[ends[i] : ends[i + 1]].decode() for i in range(4)]
        if meta_size:
            orjson.loads(data[ends[4] : ends[5]])
    except ValueError as error:
        raise MalformedMessage("no UTF-8, or metadata that are no JSON") from error
    return Push(join_ref, ref, topic, event, None, data[ends[5] :], BYTES if encoding == BYTES else JSON)


def text_frame(data: bytes) -> bytes:
    return Frame(Opcode.TEXT, data).serialize(mask=False)


def binary_frame(data: bytes) -> bytes:
    return Frame(Opcode.BINARY, data).serialize(mask=False)


def message(version: int, join_ref: Any, ref: Any, topic: str, event: str, payload: bytes) -> bytes:
    """A text frame; `payload` is JSON. Whoever speaks 1.0.0 gets no join_ref."""
    if version == V2:
        return text_frame(b"[%b,%b,%b,%b,%b]" % (dump(join_ref), dump(ref), dump(topic), dump(event), payload))
    return text_frame(b'{"topic":%b,"event":%b,"payload":%b,"ref":%b}' % (dump(topic), dump(event), payload, dump(ref)))


def reply(version: int, push: Push, status: str, response: bytes = b"{}", *, joined: bool = True) -> bytes:
    """The answer to a push; one to nobody's topic has no join_ref."""
    payload = b'{"status":"%b","response":%b}' % (status.encode(), response)
    return message(version, push.join_ref if joined else None, push.ref, push.topic, "phx_reply", payload)


def dump(value: Any) -> bytes:
    """JSON of what is known to be some."""
    return orjson.dumps(value)


def payload_text(payload: Any) -> bytes | None:
    """A client's payload as JSON; None where it is too deep to be written, which is less than what can be read."""
    try:
        return orjson.dumps(payload)
    except orjson.JSONEncodeError:
        return None


class Outgoing:
    """A message to many members: its frames are made when the first member of a serialisation wants one."""

    __slots__ = ("_event", "_frames", "_payload", "_topic")

    def __init__(self, topic: str, event: str, payload: bytes) -> None:
        """`topic` with its prefix; `payload` is JSON."""
        self._topic = topic
        self._event = event
        self._payload = payload
        self._frames: list[bytes | None] = [None, None]

    def frame(self, version: int) -> bytes | None:
        """The frame of a serialisation."""
        frame = self._frames[version - 1]
        if frame is None:
            frame = self._frames[version - 1] = message(version, None, None, self._topic, self._event, self._payload)
        return frame


class Broadcast(Outgoing):
    """A broadcast that came as a binary frame, by HTTP as a single message, or out of the database.

    Members of 2.0.0 get a binary frame, those of 1.0.0 text, and nothing of what is no JSON.
    """

    __slots__ = ("_encoding", "_meta", "_name")

    def __init__(self, topic: str, name: str, payload: bytes, encoding: int, meta: bytes = b"") -> None:
        """`name` is the user's event, `meta` JSON of an object or nothing."""
        super().__init__(topic, "broadcast", payload)
        self._name = name
        self._encoding = encoding
        self._meta = meta

    def frame(self, version: int) -> bytes | None:
        frame = self._frames[version - 1]
        if frame is None:
            frame = self._frames[version - 1] = self._binary() if version == V2 else self._text()
        return frame or None

    def _binary(self) -> bytes:
        topic, name = self._topic.encode(), self._name.encode()
        if max(len(topic), len(name), len(self._meta)) > LONGEST:
            return b""
        head = bytes((USER_BROADCAST, len(topic), len(name), len(self._meta), self._encoding))
        return binary_frame(b"".join((head, topic, name, self._meta, self._payload)))

    def _text(self) -> bytes:
        if self._encoding == BYTES or is_heavy(self._payload):
            return b""
        try:
            orjson.loads(self._payload)
        except orjson.JSONDecodeError:
            return b""
        return message(V1, None, None, self._topic, "broadcast", user_text(self._name, self._payload, self._meta))


def user_text(name: str, payload: bytes, meta: bytes = b"") -> bytes:
    """A user's broadcast as the payload of a text frame; `payload` and `meta` are JSON."""
    text = b'{"event":%b,"payload":%b,"type":"broadcast"' % (dump(name), payload)
    return b'%b,"meta":%b}' % (text, meta) if meta else text + b"}"
