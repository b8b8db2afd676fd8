"""A form with one file, read as it comes: first its fields, then the bytes of the file, of which nothing is kept.

The fields stand before the file, as browsers send them in the order of the form. The file's own field may have any
name, and an empty one (as the official JavaScript client sends it).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from gateway.storage.call import MAX_METADATA, refuse_form
from gateway.storage.errors import NO_CONTENT, TOO_LARGE, StorageError

MAX_FIELDS: Final = 10


class Form:
    """One form. `begin`, then `fields` and `content_type` are known; then `pieces`."""

    def __init__(self, content_type: str, chunks: AsyncIterator[bytes], most: int = MAX_FIELDS) -> None:
        """`most` are the fields that may stand before the file."""
        _, options = parse_options_header(content_type)
        boundary = options.get("boundary", "")
        if not boundary or len(boundary) > 200:
            raise refuse_form("Multipart: Boundary not found")
        self._parser = PushMultipartParser(boundary, max_segment_count=most + 2)
        self._chunks = chunks
        self._most = most
        self._ready: list[bytes] = []
        self._complete = False
        self.fields: dict[str, str] = {}
        self.content_type: str | None = None
        self.filename: str | None = None

    async def begin(self) -> None:
        """Read up to the file. Raises StorageError where there is none."""
        field: MultipartSegment | None = None
        value = bytearray()
        in_file = False
        async for chunk in self._chunks:
            for event in self._events(chunk):
                if in_file:
                    if event is None:
                        self._complete = True
                    elif isinstance(event, MultipartSegment):
                        pass  # what comes behind the file is nobody's
                    elif not self._complete:
                        self._ready.append(bytes(event))
                elif isinstance(event, MultipartSegment):
                    kind = event.header("Content-Type")
                    if event.filename is not None or (not event.name and kind):
                        in_file = True
                        self.filename = event.filename
                        self.content_type = kind  # with its parameters, which a bucket's list may name
                        continue
                    field, value = event, bytearray()
                    if len(self.fields) >= self._most:
                        raise refuse_form("Multipart: Too many fields")
                elif event is None:
                    if field is not None:
                        self.fields[field.name or ""] = value.decode("utf-8", "replace")
                else:
                    value += event
                    if len(value) > MAX_METADATA:
                        raise StorageError(TOO_LARGE, what="user_metadata")
            if in_file:
                return
        raise StorageError(NO_CONTENT)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The bytes of the file; the rest of the form is read and thrown away. Raises StorageError."""
        for piece in self._ready:
            yield piece
        self._ready.clear()
        async for chunk in self._chunks:
            for event in self._events(chunk):
                if event is None:
                    self._complete = True
                elif not isinstance(event, MultipartSegment) and not self._complete:
                    yield bytes(event)
        if not self._complete:
            raise StorageError(NO_CONTENT)

    def _events(self, chunk: bytes) -> list[MultipartSegment | bytes | bytearray | None]:
        if self._parser.closed:
            return []
        try:
            return list(self._parser.parse(chunk))
        except MultipartError as error:
            raise refuse_form(f"Multipart: {error}") from error
