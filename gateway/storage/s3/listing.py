"""Lists of objects by the S3 protocol, in both versions of the call, in the caller's role."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from gateway.http.messages import Response
from gateway.storage.errors import INVALID_PARAMETER, StorageError
from gateway.storage.rows import iso
from gateway.storage.s3.request import Asked, answer
from gateway.storage.s3.signature import encode

MOST: Final = 1000
VERSION: Final = "null"
LAST: Final = "\U0010ffff"  # behind everything that begins alike
_ENTRY: Final = f"name, {iso('updated_at')}, metadata ->> 'eTag', metadata ->> 'size'"
_PLAIN: Final = (
    f'select {_ENTRY}, false from storage.objects where bucket_id = $1 and name collate "C" >= $2'
    ' and name collate "C" < storage.prefix_end($2) and name collate "C" > $3'
    ' order by name collate "C" limit $4::integer'
)
_FOLDED: Final = f"select {_ENTRY}, id is null from storage.search_v2($2, $1, $4::integer, 1, $3, 'asc', 'name', '')"

Entry = tuple[str, str, str, str, bool]
"""Name, time, ETag, size, and whether it is a common prefix."""


async def list_v1(asked: Asked) -> Response:
    query = asked.query
    marker = query.get("marker", "")
    entries, more, most = await _page(asked, marker)
    code = _Coder(query)
    delimiter = query.get("delimiter") or None
    return answer(
        asked.call,
        {
            "ListBucketResult": {
                "Name": asked.bucket,
                "Prefix": code(query.get("prefix", "")),
                "Marker": code(marker),
                "NextMarker": code(entries[-1][0]) if more and delimiter else None,
                "Contents": _contents(entries, code),
                "IsTruncated": more,
                "MaxKeys": most,
                "Delimiter": code(delimiter),
                "EncodingType": query.get("encoding-type"),
                "CommonPrefixes": _prefixes(entries, code),
            }
        },
    )


async def list_v2(asked: Asked) -> Response:
    query = asked.query
    token = query.get("continuation-token") or None
    start = query.get("start-after", "")
    entries, more, most = await _page(asked, read_token(token) if token is not None else start)
    code = _Coder(query)
    return answer(
        asked.call,
        {
            "ListBucketResult": {
                "Name": asked.bucket,
                "Prefix": code(query.get("prefix", "")),
                "ContinuationToken": token,
                "StartAfter": code(start) if start else None,
                "Contents": _contents(entries, code),
                "IsTruncated": more,
                "MaxKeys": most,
                "Delimiter": code(query.get("delimiter") or None),
                "EncodingType": query.get("encoding-type"),
                "KeyCount": len(entries),
                "CommonPrefixes": _prefixes(entries, code),
                "NextContinuationToken": write_token(entries[-1][0]) if more else None,
            }
        },
    )


async def list_versions(asked: Asked) -> Response:
    """Every object has one version, which is called null, as where versioning was never begun."""
    query = asked.query
    marker = query.get("key-marker", "")
    entries, more, most = await _page(asked, marker)
    code = _Coder(query)
    return answer(
        asked.call,
        {
            "ListVersionsResult": {
                "Name": asked.bucket,
                "Prefix": code(query.get("prefix", "")),
                "KeyMarker": code(marker),
                "NextKeyMarker": code(entries[-1][0]) if more else None,
                "MaxKeys": most,
                "IsTruncated": more,
                "Delimiter": code(query.get("delimiter") or None),
                "EncodingType": query.get("encoding-type"),
                "Version": [{**each, "VersionId": VERSION, "IsLatest": True} for each in _contents(entries, code)],
                "CommonPrefixes": _prefixes(entries, code),
            }
        },
    )


def read_token(token: str) -> str:
    """The name behind which a list goes on. Raises StorageError."""
    try:
        text = base64.b64decode(token, validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    if not text.startswith("l:"):
        raise StorageError(INVALID_PARAMETER, name="continuation token")
    return text[2:]


def write_token(name: str) -> str:
    """
    >>> read_token(write_token("a/b"))
    'a/b'
    """
    return base64.b64encode(f"l:{name}".encode()).decode()


class _Coder:
    """Names as the answer is to have them: of `encoding-type=url`, or as they are."""

    def __init__(self, query: dict[str, str]) -> None:
        kind = query.get("encoding-type")
        if kind not in (None, "", "url"):
            raise StorageError(INVALID_PARAMETER, name="encoding-type")
        self._encodes = kind == "url"

    def __call__(self, text: str | None) -> str | None:
        return encode(text.encode()) if self._encodes and text is not None else text


async def _page(asked: Asked, after: str) -> tuple[list[Entry], bool, int]:
    """Entries behind a name, whether there are more, and how many were asked for."""
    await asked.core.bucket(asked.call, asked.bucket)
    most = asked.number("max-keys", MOST, MOST)
    if most == 0:
        return [], False, 0
    prefix, delimiter = asked.query.get("prefix", ""), asked.query.get("delimiter") or ""
    if delimiter in ("", "/"):
        found = await _rows(asked, _FOLDED if delimiter else _PLAIN, prefix, after, most + 1)
    else:
        found = await _fold(asked, prefix, delimiter, after, most + 1)
    return found[:most], len(found) > most, most


async def _rows(asked: Asked, text: str, prefix: str, after: str, most: int) -> list[Entry]:
    core = asked.core
    rows = (await core.ask(core.reader_scope(asked.call), text, asked.bucket, prefix, after, str(most))).rows
    found: list[Entry] = []
    for row in rows:
        name, moment, etag, size, is_prefix = [(value or b"").decode() for value in row]
        found.append((name, moment, etag, size, is_prefix == "t"))
    return found


async def _fold(asked: Asked, prefix: str, delimiter: str, after: str, most: int) -> list[Entry]:
    """By a delimiter that nothing in Postgres is made for: rows are read, and what a prefix has in common is jumped
    over."""
    found: list[Entry] = []
    while len(found) < most:
        rows = await _rows(asked, _PLAIN, prefix, after, most - len(found))
        for row in rows:
            end = row[0].find(delimiter, len(prefix))
            if end < 0:
                found.append(row)
                after = row[0]
                continue
            common = row[0][: end + len(delimiter)]
            if after != common:  # else it was the end of the page before
                found.append((common, "", "", "", True))
            after = common + LAST
            break
        else:
            if not rows:
                break
    return found


def _contents(entries: list[Entry], code: _Coder) -> list[dict[str, object]]:
    return [
        {"Key": code(name), "LastModified": moment, "ETag": etag, "Size": size or "0", "StorageClass": "STANDARD"}
        for name, moment, etag, size, is_prefix in entries
        if not is_prefix
    ]


def _prefixes(entries: list[Entry], code: _Coder) -> list[dict[str, object]]:
    return [{"Prefix": code(name)} for name, _, _, _, is_prefix in entries if is_prefix]
