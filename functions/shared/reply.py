"""A rendered document as an answer: compressed where the reader takes it, and not sent again while unchanged."""

from __future__ import annotations

import gzip
import hashlib
from functools import cached_property
from typing import Any

from starlette.requests import Request

Document = tuple[Any, int, dict[str, str]]


class Page:
    """A text to send, for one reader or for several, with its validator."""

    def __init__(self, text: str) -> None:
        self.body = text.encode()
        self.tag = f'W/"{hashlib.sha256(self.body).hexdigest()[:20]}"'

    @cached_property
    def compressed(self) -> bytes:
        """The text for who takes gzip."""
        return gzip.compress(self.body, 6, mtime=0)


def document(request: Request, page: Page, kind: str, status: int = 200) -> Document:
    """The document with a validator; 304 where the reader has it."""
    headers = {"content-type": kind, "cache-control": "no-cache", "etag": page.tag, "vary": "accept-encoding"}
    if status == 200 and page.tag in request.headers.get("if-none-match", ""):
        del headers["content-type"]
        return None, 304, headers
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return page.compressed, status, headers
    return page.body, status, headers
