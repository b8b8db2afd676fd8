"""Signatures and bodies of the S3 protocol, against a signer of somebody else's making and AWS' own examples."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from gateway.storage.errors import StorageError
from gateway.storage.s3 import policy, xml
from gateway.storage.s3.access import parameters
from gateway.storage.s3.chunks import BodyFormat, ChunkSigner, pieces
from gateway.storage.s3.service import OPERATIONS, SUBRESOURCES, find
from gateway.storage.s3.signature import (
    CredentialScope,
    is_signed,
    read_header,
    read_query,
    signing_key,
    unsigned_headers,
)

SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
HOST = "storage.example:8000"
PREFIX = "/storage/v1"

_KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)
_VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
_NAMES = st.from_regex(r"x-amz-meta-[a-z0-9-]{1,12}", fullmatch=True)


def headers_of(request: Any) -> list[tuple[bytes, bytes]]:
    """As a server gets them."""
    found = [(name.lower().encode(), str(value).encode()) for name, value in request.headers.items()]
    return [*found, (b"host", HOST.encode())] if not any(name == b"host" for name, _ in found) else found


def verified(signature: Any, url: str, headers: list[tuple[bytes, bytes]], payload: str, method: str = "PUT") -> bool:
    parts = urlsplit(url)
    key = signing_key(SECRET, signature.scope)
    behind = parts.path.removeprefix(PREFIX)
    paths = [PREFIX + behind, "/elsewhere" + behind]
    return is_signed(signature, key, method, paths, parts.query, headers, [HOST], payload)


def signed(key: str, query: dict[str, str], headers: dict[str, str]) -> tuple[str, list[tuple[bytes, bytes]], str]:
    """Address, headers and payload hash of a request that botocore signs."""
    url = f"http://{HOST}{PREFIX}/s3/bucket/{quote(key, safe='/~')}"
    if query:
        url += "?" + "&".join(
            f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query.items()
        )
    request = AWSRequest("PUT", url, headers, data=b"body")
    S3SigV4Auth(Credentials("key", SECRET), "s3", "us-east-1").add_auth(request)
    payload = hashlib.sha256(b"body").hexdigest()
    return url, headers_of(request), str(request.headers.get("X-Amz-Content-SHA256", payload))


def first(headers: list[tuple[bytes, bytes]], name: bytes) -> str | None:
    return next((value.decode() for each, value in headers if each == name), None)


@given(_KEYS, st.dictionaries(_KEYS, _KEYS, max_size=4), st.dictionaries(_NAMES, _VALUES, max_size=3))
def test_what_botocore_signs_is_verified_and_nothing_else(
    key: str, query: dict[str, str], headers: dict[str, str]
) -> None:
    if any(part in (".", "..") for part in key.split("/")):
        return
    url, sent, payload = signed(key, query, headers)
    signature = read_header(first(sent, b"authorization") or "", first(sent, b"x-amz-date"), None)
    assert verified(signature, url, sent, payload)
    assert unsigned_headers(sent, signature.headers) == []
    assert not verified(signature, url + ("&" if query else "?") + "more=1", sent, payload)
    assert not verified(signature, url.replace("/bucket/", "/other/"), sent, payload)
    assert not verified(signature, url, sent, "0" * 64)
    assert not verified(signature, url, sent, payload, method="DELETE")
    assert not verified(replace(signature, date="20200101T000000Z"), url, sent, payload)
    for name in headers:
        changed = [(each, value + b"x" if each == name.encode() else value) for each, value in sent]
        assert not verified(signature, url, changed, payload)
    assert unsigned_headers([*sent, (b"x-amz-copy-source", b"/b/k")], signature.headers) == ["x-amz-copy-source"]


@given(_KEYS, st.integers(1, 604_800))
def test_presigned_addresses_of_botocore_are_verified_for_their_time(key: str, seconds: int) -> None:
    if any(part in (".", "..") for part in key.split("/")):
        return
    request = AWSRequest("GET", f"http://{HOST}{PREFIX}/s3/bucket/{quote(key, safe='/~')}")
    S3SigV4QueryAuth(Credentials("key", SECRET, "token+/="), "s3", "eu-1", expires=seconds).add_auth(request)
    query = parameters(urlsplit(request.url).query)
    signature = read_query(query)
    sent = [(b"host", HOST.encode())]
    assert signature.token == "token+/="
    assert verified(signature, request.url, sent, "UNSIGNED-PAYLOAD", method="GET")
    assert not verified(signature, request.url + "&response-content-type=a", sent, "UNSIGNED-PAYLOAD", method="GET")
    made = datetime.strptime(signature.date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    signature.check_time(made)
    signature.check_time(made + seconds - 1)
    for moment in (made + seconds, made - 16 * 60):
        with pytest.raises(StorageError):
            signature.check_time(moment)


def test_a_signature_of_another_hour_or_day_is_refused() -> None:
    _, sent, _ = signed("k", {}, {})
    signature = read_header(first(sent, b"authorization") or "", first(sent, b"x-amz-date"), None)
    made = datetime.strptime(signature.date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    signature.check_time(made + 14 * 60)
    for moment in (made + 16 * 60, made - 16 * 60):
        with pytest.raises(StorageError):
            signature.check_time(moment)
    with pytest.raises(StorageError):
        replace(signature, scope=replace(signature.scope, day="20200101")).check_time(made)


@given(st.text(max_size=200))
def test_no_header_or_query_is_more_than_refused(text: str) -> None:
    for header in (text, "AWS4-HMAC-SHA256 " + text):
        with pytest.raises(StorageError):
            read_header(header, text, None)
    with pytest.raises(StorageError):
        read_query({"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Expires": text, "X-Amz-Date": text})


# --- bodies in chunks -----------------------------------------------------------------------------------------------

# https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html, its example
SCOPE = CredentialScope("EXAMPLE", "20130524", "us-east-1", "s3")
SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
SIGNER = ChunkSigner(signing_key(SECRET, SCOPE), "20130524T000000Z", SCOPE, SEED)
SIGNATURES = (
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
)
EXAMPLE = b"".join(
    b"%x;chunk-signature=%b\r\n%b\r\n" % (size, signature.encode(), b"a" * size)
    for size, signature in zip((65_536, 1024, 0), SIGNATURES, strict=True)
)


def cut(body: bytes, size: int) -> AsyncIterator[bytes]:
    async def each() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    return each()


def read(body: bytes, payload: BodyFormat, size: int = 1000) -> bytes:
    async def whole() -> bytes:
        return b"".join([piece async for piece in pieces(cut(body, size), payload)])

    return asyncio.run(whole())


def in_chunks(content: bytes, sizes: list[int], signer: ChunkSigner | None, trailer: tuple[str, str] | None) -> bytes:
    """A body as a client sends it."""
    body, before, at = b"", signer.seed if signer else "", 0
    for size in [*sizes, 0]:
        data = content[at : at + size]
        at += len(data)
        if signer is not None:
            before = signer.chunk(before, hashlib.sha256(data).hexdigest())
            body += b"%x;chunk-signature=%b\r\n" % (len(data), before.encode())
        else:
            body += b"%x\r\n" % len(data)
        body += data + (b"\r\n" if data else b"")
    if trailer is not None:
        line = f"{trailer[0]}:{trailer[1]}"
        body += line.encode() + b"\r\n"
        if signer is not None:
            body += f"x-amz-trailer-signature:{signer.trailer(before, line + chr(10))}\r\n".encode()
    return body + b"\r\n"


def test_the_example_of_aws_is_read() -> None:
    assert read(EXAMPLE, BodyFormat(True, signer=SIGNER, length=66_560)) == b"a" * 66_560


@given(st.binary(max_size=300), st.lists(st.integers(1, 90), max_size=6), st.integers(1, 40), st.booleans())
def test_a_body_is_the_same_however_it_is_cut(content: bytes, sizes: list[int], size: int, is_signed_: bool) -> None:
    sizes = [*sizes, 300]  # the rest in one
    left, wanted = len(content), []
    for each in sizes:
        if left > 0:
            wanted.append(min(each, left))
            left -= min(each, left)
    signer = SIGNER if is_signed_ else None
    checksum = base64.b64encode(zlib.crc32(content).to_bytes(4, "big")).decode()
    body = in_chunks(content, wanted, signer, ("x-amz-checksum-crc32", checksum))
    payload = BodyFormat(True, signer=signer, length=len(content), trailers=True, trailer="crc32")
    assert read(body, payload, size) == content


@given(st.data())
def test_no_change_of_a_signed_body_goes_unnoticed(data: st.DataObject) -> None:
    content = b"some bytes that are signed, in three chunks"
    body = in_chunks(content, [10, 20, 13], SIGNER, ("x-amz-checksum-sha1", base64.b64encode(b"x" * 20).decode()))
    payload = BodyFormat(True, signer=SIGNER, length=len(content), trailers=True, trailer="crc32c")
    payload = replace(payload, trailer=None)
    assert read(body, payload) == content
    at = data.draw(st.integers(0, len(body) - 1))
    changed = body[:at] + bytes([body[at] ^ data.draw(st.sampled_from([1, 2, 4, 64]))]) + body[at + 1 :]
    try:
        same = read(changed, payload) == content
    except StorageError:
        same = True
    assert same


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"5\r\nhello",
        b"5\r\nhello\r\n",
        b"5\r\nhello\r\n0\r\n",
        b"5\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhelloX\r\n0\r\n\r\n",
        b"ffffffff\r\nhello",
        b"-5\r\nhello\r\n",
        b"5 5\r\nhello\r\n",
        b"5" * 5000,
        b"0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\nmore that is not said",
        b"0\r\n" + b"a:b\r\n" * 5000 + b"\r\n",
        b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg=\r\n\r\n",
        b"5\r\nhello\r\n0\r\nother:NhCmhg==\r\n\r\n",
    ],
)
def test_bodies_that_are_cut_or_forged_are_refused(body: bytes) -> None:
    payload = BodyFormat(True, length=5 if b"hello" in body else 0, trailers=True, trailer="crc32")
    with pytest.raises(StorageError):
        read(body, payload)
    assert read(b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n", replace(payload, length=5)) == b"hello"


# --- documents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<Delete>",
        b"<Other/>",
        b"<Delete/><Delete/>",
        b'<!DOCTYPE Delete [<!ENTITY a "aaaa">]><Delete>&a;</Delete>',
        b'<!DOCTYPE Delete SYSTEM "file:///etc/passwd"><Delete/>',
        "<!DOCTYPE Delete><Delete/>".encode("utf-16"),
        b"<a>" * 20_000,
        b"<Delete>" + b"<a/>" * 200_000 + b"</Delete>",
        b"\xff\xfe",
        b'<?xml version="1.0" encoding="ebcdic"?><Delete/>',
    ],
    ids=range(11),
)
def test_documents_that_are_no_request_are_refused(body: bytes) -> None:
    with pytest.raises(StorageError):
        xml.parse(body, "Delete")


@given(st.dictionaries(st.sampled_from(["A", "B"]), st.one_of(st.text(max_size=20), st.booleans(), st.none())))
def test_whatever_is_written_can_be_read(content: dict[str, Any]) -> None:
    read_back = xml.parse(xml.write({"Root": content}), "Root")
    assert {child.name for child in read_back.children} == {
        name for name, value in content.items() if value is not None
    }


def test_no_operation_stands_for_another_resource() -> None:
    """`GET ?acl` is not the object, and `PUT ?tagging` does not replace it."""
    for row in OPERATIONS:
        for word in SUBRESOURCES - row.query:
            found = find(row.method, row.level, {**dict.fromkeys(row.query, ""), word: ""}, row.copies)
            assert found is None or word in found.query


# --- policies -------------------------------------------------------------------------------------------------------


def as_policy(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


END = '"expiration":"2030-01-01T00:00:00Z"'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "{" + END + "}",
        '{"expiration":"2020-01-01T00:00:00Z","conditions":[{"bucket":"b"},{"key":"k"}]}',
        '{"expiration":5,"conditions":[]}',
        "{" + END + ',"conditions":[{"bucket":"other"},{"key":"k"}]}',
        "{" + END + ',"conditions":[{"bucket":"b"}]}',
        "{" + END + ',"conditions":[{"bucket":"b"},["eq","$key","other"]]}',
        "{" + END + ',"conditions":[{"bucket":"b"},["starts-with","$key","x"]]}',
        "{" + END + ',"conditions":[{"bucket":"b"},["matches","$key",".*"]]}',
        "{" + END + ',"conditions":[{"bucket":"b"},{"key":["k"]}]}',
        "{" + END + ',"conditions":' + "[" * 500 + "]" * 500 + "}",
    ],
    ids=range(13),
)
def test_a_form_has_to_be_as_its_policy_says(text: str) -> None:
    with pytest.raises(StorageError):
        policy.check(as_policy(text), "b", {"key": "k", "policy": "p"}, 1_800_000_000.0)
    good = "{" + END + ',"conditions":[{"bucket":"b"},["starts-with","$key",""],["content-length-range",1,5]]}'
    assert policy.check(as_policy(good), "b", {"key": "k", "policy": "p"}, 1_800_000_000.0) == (1, 5)
