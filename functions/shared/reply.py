"""A rendered document as an answer: compressed where the reader takes it, and not sent again while unchanged."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

from starlette.requests import Request

Document = tuple[Any, int, dict[str, str]]


def document(request: Request, text: str, kind: str, status: int = 200) -> Document:
    """The document with a validator; 304 where the reader has it."""
    body = text.encode()
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"content-type": kind, "cache-control": "no-cache", "etag": tag, "vary": "accept-encoding"}
    if status == 200 and tag in request.headers.get("if-none-match", ""):
        del headers["content-type"]
        return None, 304, headers
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, 6, mtime=0)
        headers["content-encoding"] = "gzip"
    return body, status, headers
