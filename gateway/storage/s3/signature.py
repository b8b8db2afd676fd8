"""AWS Signature Version 4, verified: a request in, the text that its sender signed out. Pure.

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html. Two peculiarities of S3: a path is
encoded once and never normalized, and a body may be left out of what is signed, or be signed chunk by chunk.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from gateway.storage.errors import StorageError
from gateway.storage.s3.errors import EXPIRED, INVALID_SIGNATURE, NO_SIGNATURE, SKEWED

ALGORITHM: Final = "AWS4-HMAC-SHA256"
UNSIGNED: Final = "UNSIGNED-PAYLOAD"
SKEW: Final = 15 * 60  # seconds that a client's clock may be off
LONGEST: Final = 7 * 86_400  # seconds that a presigned address may be valid

_CREDENTIAL: Final = re.compile(r"([^/,\s]{1,256})/(\d{8})/([\w-]{1,64})/([\w-]{1,32})/aws4_request")
_DATE: Final = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_HEADERS: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+(?:;[!#$%&'*+.^_`|~0-9a-z-]+)*")
# Whatever else of S3's own is in a request must be signed with it: a header that anybody may add would turn the leave
# to put one object into the leave to copy another.
_FREE: Final = frozenset((b"x-amz-content-sha256", b"x-amz-user-agent", b"x-amz-security-token"))

Pairs = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class CredentialScope:
    """Whose key signs, and for when, where and what."""

    access_key: str
    day: str
    region: str
    service: str

    @property
    def text(self) -> str:
        return f"{self.day}/{self.region}/{self.service}/aws4_request"


@dataclass(frozen=True, slots=True)
class Signature:
    """What a request says of its signature. `expires` are the seconds of a presigned address."""

    scope: CredentialScope
    date: str
    headers: tuple[str, ...]
    digest: str
    token: str | None = None
    expires: int | None = None

    def check_time(self, now: float) -> None:
        """Refuse what is signed for another time. Raises StorageError."""
        try:
            made = datetime.strptime(self.date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        except ValueError:
            raise StorageError(INVALID_SIGNATURE, "Invalid date") from None
        if self.date[:8] != self.scope.day:
            raise StorageError(INVALID_SIGNATURE, "The date is not that of the credential")
        if self.expires is not None and now >= made + self.expires:
            raise StorageError(EXPIRED)
        if now < made - SKEW or (self.expires is None and now > made + SKEW):
            raise StorageError(SKEWED)


def read_scope(text: str) -> CredentialScope:
    """The credential of a signature. Raises StorageError."""
    found = _CREDENTIAL.fullmatch(text)
    if found is None:
        raise StorageError(INVALID_SIGNATURE, "Invalid credential")
    return CredentialScope(*found.groups())


def read_header(authorization: str, date: str | None, token: str | None) -> Signature:
    """The signature of the header. Raises StorageError."""
    algorithm, _, rest = authorization.strip().partition(" ")
    if algorithm != ALGORITHM:
        raise StorageError(NO_SIGNATURE)
    parts = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    return _signature(
        parts.get("Credential", ""), date or "", parts.get("SignedHeaders", ""), parts.get("Signature", ""), token
    )


def read_query(query: dict[str, str]) -> Signature:
    """The signature of a presigned address. Raises StorageError."""
    if query.get("X-Amz-Algorithm") != ALGORITHM:
        raise StorageError(NO_SIGNATURE)
    text = query.get("X-Amz-Expires", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 8 and 1 <= int(text) <= LONGEST):
        raise StorageError(INVALID_SIGNATURE, "X-Amz-Expires must be between 1 and 604800")
    return _signature(
        query.get("X-Amz-Credential", ""),
        query.get("X-Amz-Date", ""),
        query.get("X-Amz-SignedHeaders", ""),
        query.get("X-Amz-Signature", ""),
        query.get("X-Amz-Security-Token"),
        int(text),
    )


def _signature(
    credential: str, date: str, headers: str, digest: str, token: str | None, expires: int | None = None
) -> Signature:
    if not _DATE.fullmatch(date):
        raise StorageError(INVALID_SIGNATURE, "Invalid date")
    if not _HEADERS.fullmatch(headers) or len(headers) > 4096:
        raise StorageError(INVALID_SIGNATURE, "Invalid signed headers")
    if not _DIGEST.fullmatch(digest):
        raise StorageError(INVALID_SIGNATURE, "Invalid signature")
    return Signature(read_scope(credential), date, tuple(headers.split(";")), digest, token, expires)


def unsigned_headers(headers: Pairs, signed: Iterable[str]) -> list[str]:
    """Headers of S3's own that are in a request and not in its signature; `host` too, if that is not."""
    known = {name.encode() for name in signed}
    missing = [name for name, _ in headers if name.startswith(b"x-amz-") and name not in known | _FREE]
    return [name.decode("latin-1") for name in missing] + ([] if b"host" in known else ["host"])


def encode(raw: bytes, safe: str = "") -> str:
    """As AWS has it: everything but letters, digits and `-._~` is percent-encoded.

    >>> encode(b"a b/c~"), encode(b"a b/c", "/")
    ('a%20b%2Fc~', 'a%20b/c')
    """
    return quote(raw, safe=safe)


def canonical_query(query: str) -> str:
    """Parameters in the order of their names, each encoded once; the signature itself is left out.

    >>> canonical_query("b=2&a=%7e+&X-Amz-Signature=f&acl")
    'a=~%2B&acl=&b=2'
    """
    pairs = [part.partition("=")[::2] for part in query.split("&") if part]
    found = [(encode(unquote_to_bytes(name)), encode(unquote_to_bytes(value))) for name, value in pairs]
    return "&".join(f"{name}={value}" for name, value in sorted(found) if name != "X-Amz-Signature")


def canonical_headers(headers: Pairs, signed: Iterable[str], host: str) -> str:
    """The signed headers, a line each, blanks folded."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.decode("latin-1"), []).append(" ".join(value.decode("utf-8", "replace").split()))
    values["host"] = [host]
    return "".join(f"{name}:{','.join(values.get(name, ['']))}\n" for name in signed)


def canonical_request(
    method: str, path: str, query: str, headers: Pairs, signed: Sequence[str], host: str, payload: str
) -> str:
    """What is hashed and signed of a request; `path` is encoded as it is to stand there."""
    lines = (method, path, query, canonical_headers(headers, signed, host), ";".join(signed), payload)
    return "\n".join(lines)


def signing_key(secret: str, scope: CredentialScope) -> bytes:
    """The key of one day, region and service."""
    key = _hmac(b"AWS4" + secret.encode(), scope.day)
    for part in (scope.region, scope.service, "aws4_request"):
        key = _hmac(key, part)
    return key


def sign(key: bytes, text: str) -> str:
    """In hexadecimal digits."""
    return hmac.new(key, text.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()


def string_to_sign(date: str, scope: CredentialScope, request: str) -> str:
    digest = hashlib.sha256(request.encode("utf-8", "surrogateescape")).hexdigest()
    return "\n".join((ALGORITHM, date, scope.text, digest))


def is_signed(
    signature: Signature,
    key: bytes,
    method: str,
    paths: Iterable[str],
    query: str,
    headers: Pairs,
    hosts: Iterable[str],
    payload: str,
) -> bool:
    """Whether the signature is of this request, under one of the paths and hosts that it may have been sent to: a proxy
    before the gateway may have taken a prefix away, or changed the host."""
    ordered = canonical_query(query)
    seen: set[str] = set()
    for path in paths:
        for form in (encode(unquote_to_bytes(path), "/"), path):
            if form in seen:
                continue
            seen.add(form)
            for host in hosts:
                request = canonical_request(method, form, ordered, headers, signature.headers, host, payload)
                wanted = sign(key, string_to_sign(signature.date, signature.scope, request))
                if hmac.compare_digest(wanted, signature.digest):
                    return True
    return False


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
