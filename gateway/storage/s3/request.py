"""One request of the S3 protocol as its operations see it, and their answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.http.messages import HeaderList, Response
from gateway.storage.call import Call
from gateway.storage.core import Core
from gateway.storage.errors import INVALID_PARAMETER, INVALID_REQUEST, StorageError
from gateway.storage.s3 import chunks, xml
from gateway.storage.s3.chunks import BodyFormat

MAX_XML: Final = 2_097_152  # bytes: a list of 10,000 parts with their checksums
META: Final = "x-amz-meta-"
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")


@dataclass(slots=True)
class Asked:
    """`query` is decoded, `bucket` and `key` are of the path."""

    core: Core
    call: Call
    bucket: str
    key: str
    query: dict[str, str]
    payload: BodyFormat

    def header(self, name: str) -> str | None:
        """Its text: clients write names of their own in UTF-8."""
        raw = self.call.header(name.encode())
        return None if raw is None else _utf8(raw)

    def number(self, name: str, default: int, most: int, least: int = 0) -> int:
        """A parameter that is a whole number, at most the largest that there is. Raises StorageError."""
        text = self.query.get(name)
        if text is None or text == "":
            return default
        if not (text.isascii() and text.isdecimal() and len(text) < 10) or int(text) < least:
            raise StorageError(INVALID_PARAMETER, name=name)
        return min(int(text), most)

    async def xml(self, root: str) -> xml.Element | None:
        """The body; None where there is none. Raises StorageError."""
        body = bytearray()
        async for piece in chunks.pieces(self.call.chunks(), self.payload):
            body += piece
            if len(body) > MAX_XML:
                raise StorageError(INVALID_REQUEST, "Request body is too large")
        return xml.parse(bytes(body), root) if body.strip() else None

    def user_metadata(self) -> str | None:
        """The headers that begin with x-amz-meta-, as JSON text."""
        found = {
            name.decode("latin-1").removeprefix(META): _utf8(value.decode("latin-1"))
            for name, value in self.call.headers
            if name.startswith(META.encode())
        }
        return orjson.dumps(found).decode() if found else None


def answer(call: Call, tree: xml.Tree, headers: HeaderList | None = None, status: int = 200) -> Response:
    """XML, or JSON for who takes no XML."""
    accepted = (call.header(b"accept") or "").lower()
    if "json" in accepted and "xml" not in accepted and "*/*" not in accepted:
        body, kind = orjson.dumps(tree), b"application/json; charset=utf-8"
    else:
        body, kind = xml.write(tree), b"application/xml; charset=utf-8"
    said = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *(headers or [])]
    return Response(status, said, body)


def refusal(call: Call, error: StorageError) -> Response:
    """An error with its real status."""
    resource = "/".join(part for part in call.path.removeprefix("/s3").split("/") if part)
    tree = {"Error": {"Resource": resource[:1100], "Code": error.row.code, "Message": error.message[:4000]}}
    return answer(call, tree, status=error.row.status)


def metadata_headers(text: str | None) -> HeaderList:
    """User metadata as headers; what none can carry is counted."""
    found: Any = orjson.loads(text) if text else {}
    headers: HeaderList = []
    missing = 0
    for name, value in found.items() if isinstance(found, dict) else ():
        lower = name.lower()
        if isinstance(value, str) and _TOKEN.fullmatch(lower) and value.isascii() and value.isprintable():
            headers.append((f"{META}{lower}".encode(), value.encode()))
        else:
            missing += 1
    if missing:
        headers.append((b"x-amz-missing-meta", b"%d" % missing))
    return headers


def source_of(text: str) -> tuple[str, str]:
    """Bucket and key of x-amz-copy-source. Raises StorageError."""
    from urllib.parse import unquote

    bucket, _, key = unquote(text.partition("?versionId=")[0]).removeprefix("/").partition("/")
    if not bucket or not key:
        raise StorageError(INVALID_PARAMETER, name="CopySource")
    return bucket, key


def _utf8(text: str) -> str:
    try:
        return text.encode("latin-1").decode()
    except UnicodeDecodeError:
        return text
