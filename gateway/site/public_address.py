"""Files of a built site under another public address than the one they were built for.

Canonical addresses, social cards, structured data, sitemap and robots name the site's public address in full. The build
lists the files that do. Where the public address is another, each of them is served with it in place of the built one:
read at its first request and kept, plain and compressed, until there is a newer build.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from gateway.http.messages import HeaderList, Response

_COMMON: Final = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Encoding")]


@dataclass(frozen=True, slots=True)
class AddressedFile:
    """One file as it is served."""

    kind: str
    body: bytes
    gzipped: bytes
    etag: bytes

    def answer(self, headers: HeaderList, status: int = 200) -> Response:
        """The file for a request with these headers; 304 where the client has it, unless it stands for another page."""
        sent = dict(headers)
        if status == 200 and self.etag in sent.get(b"if-none-match", b""):
            return Response(304, [*_COMMON, (b"etag", self.etag)])
        about = [*_COMMON, (b"content-type", self.kind.encode())]
        if status == 200:
            about.append((b"etag", self.etag))
        if b"gzip" in sent.get(b"accept-encoding", b""):
            return Response(status, [*about, (b"content-encoding", b"gzip")], self.gzipped)
        return Response(status, about, self.body)


class AddressedFiles:
    """The files of one build that name its public address."""

    def __init__(self, root: Path, built: str, public: str, files: Iterable[str]) -> None:
        """`built` is the address that the files were built for; without a `public` one, or the same, there are none."""
        self._root = root
        # Not where it is the beginning of a longer name.
        self._built = re.compile(re.escape(built.encode()) + rb"(?![\w-]|\.\w)")
        self._public = public.encode()
        self._files = frozenset(files) if built and public and built != public else frozenset()
        # One entry a file of the build, so it has no bound of its own; it goes with the build.
        self._read = lru_cache(maxsize=None)(self._load)

    def find(self, name: str) -> AddressedFile | None:
        """The file of this name below the site's folder, if it names the public address."""
        return self._read(name) if name in self._files else None

    def _load(self, name: str) -> AddressedFile:
        body = self._built.sub(lambda _: self._public, (self._root / name).read_bytes())
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return AddressedFile(
            f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
            body,
            gzip.compress(body, 6, mtime=0),
            b'"%b"' % hashlib.sha256(body).hexdigest()[:20].encode(),
        )
