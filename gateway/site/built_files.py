"""Whole files of the built site, as they are asked for most: no range, and a validator of the file's own if any.

servestatic says which files there are, their headers and compressed forms. It reads each through a thread pool made for
that one answer, which costs more than a millisecond; here the bytes come from the page cache, on the loop, and a thread
reads only where a disk is to be waited for (`preadv2` with RWF_NOWAIT tells).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Final

from servestatic.responders import StaticFile
from servestatic.utils import parse_accept_encoding

from gateway.http.messages import HeaderList, Response

WHOLE: Final = 262_144  # bytes of the longest file that is read at once
_NOWAIT: Final = getattr(os, "RWF_NOWAIT", 0)


class BuiltFile:
    """One file of a build, in the forms in which it was compressed."""

    __slots__ = ("_etag", "_forms", "_unchanged")

    def __init__(self, file: StaticFile) -> None:
        self._etag = file.etag.encode()
        self._unchanged = _encoded(file.not_modified_response.headers)
        # The smallest first; the one without an encoding is always taken.
        self._forms = [(encoding, path, _encoded(headers)) for encoding, path, headers in file.alternatives]

    async def answer(self, headers: HeaderList, status: int = 200) -> Response | None:
        """The file for a GET with these headers, or under another status, for which validators and ranges say nothing.

        None where servestatic is to answer.
        """
        sent = dict(headers)
        if status == 200:
            if b"range" in sent:
                return None
            validator = sent.get(b"if-none-match")
            if validator == self._etag:
                return Response(304, list(self._unchanged))
            if validator is None and b"if-modified-since" in sent:
                return None
        accepted = parse_accept_encoding(sent.get(b"accept-encoding", b"").decode("latin-1"))
        path, about = next(
            (path, about) for encoding, path, about in self._forms if not encoding or encoding in accepted
        )
        body = await _read(path)
        return None if body is None else Response(status, list(about), body)


def _encoded(headers: Iterable[tuple[str, str | None]]) -> HeaderList:
    """As the server sends them, which says the length itself."""
    names = ((name.lower(), value) for name, value in headers if value is not None)
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in names if name != "content-length"]


async def _read(path: str) -> bytes | None:
    """A file's bytes; None of one that is long, or gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        size = os.fstat(descriptor).st_size
        if size > WHOLE:
            return None
        buffer = bytearray(size)
        try:
            if os.preadv(descriptor, [buffer], 0, _NOWAIT) == size:
                return bytes(buffer)
        except OSError:  # it would wait for a disk, or the file system cannot tell
            pass
        body = await asyncio.to_thread(os.pread, descriptor, size, 0)
        return body if len(body) == size else None
    finally:
        os.close(descriptor)
