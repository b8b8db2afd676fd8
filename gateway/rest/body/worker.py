"""The process that reads bodies for a worker: `python -m gateway.rest.body.worker`, spoken to by `reader`.

On its input come jobs one after the other, each a frame of JSON and the body behind it; on its output goes a frame and
the text to be sent to Postgres, where it is another than the body. It ends when its input does. Memory is limited for
good and processor time by the job, by the system itself: what asks for more ends this process, and only this one.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from gateway.errors import ApiError
from gateway.rest.body.htmlguard import guard_html
from gateway.rest.body.payload import parse_payload
from gateway.rest.types import MediaType, Payload

FRAME: Final = struct.Struct("!?QQ")  # whether it is the last answer; bytes of JSON, and of the text behind it
MEMORY: Final = 768_000_000  # bytes of address space
SECONDS: Final = 2  # of processor time for one body
PACE: Final = 2_000_000  # bytes of it for which there is one more
NICENESS: Final = 5  # behind the worker, which answers everybody else
KEPT: Final = 150_000_000  # bytes of memory, above which the process is not used again


def job_of(media: MediaType, columns: tuple[str, ...] | None, routine: bool, guarded: frozenset[str]) -> dict[str, Any]:
    """What is to be done with a body, as JSON holds it."""
    return {"kind": media.kind, "mime": media.mime, "columns": columns, "routine": routine, "guarded": [*guarded]}


def payload_of(job: dict[str, Any], body: bytes) -> Payload:
    """Do it. Raises ApiError BODY."""
    columns = None if job["columns"] is None else tuple(job["columns"])
    payload = parse_payload(body, MediaType(job["kind"], job["mime"]), columns, routine=job["routine"])
    return guard_html(payload, frozenset(job["guarded"]))


def answer(job: dict[str, Any], body: bytes) -> tuple[bytes, bytes]:
    """The frame's JSON and the text behind it."""
    try:
        payload = payload_of(job, body)
    except ApiError as error:
        return orjson.dumps({"error": error.message}), b""
    text = b"" if payload.raw is body else payload.raw
    made = {"columns": payload.columns, "is_object": payload.is_object, "fields": payload.fields}
    return orjson.dumps({**made, "same": payload.raw is body}), text


def is_swollen(used: int) -> bool:
    """Whether the process has so much memory beside what is `used` that another takes its place."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not every system tells
        return False
    return pages * resource.getpagesize() - used > KEPT


def _limit_time(size: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + SECONDS + size // PACE, hard))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Do jobs until there are no more."""
    while len(head := source.read(FRAME.size)) == FRAME.size:
        _, size, length = FRAME.unpack(head)
        job = orjson.loads(source.read(size))
        body = source.read(length)
        _limit_time(length)
        meta, text = answer(job, body)
        sink.write(FRAME.pack(is_swollen(len(body) + len(text)), len(meta), len(text)) + meta)
        sink.write(text)
        sink.flush()
        del body, text


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the input says when
    os.nice(NICENESS)
    with suppress(ValueError, OSError):  # not every system has it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    serve(sys.stdin.buffer, sys.stdout.buffer)
