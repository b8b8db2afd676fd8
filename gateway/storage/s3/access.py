"""Who asks by the S3 protocol: an access key of the project, or a user by his token, and what may be read of the body.

A key made by `gateway keys create --s3`, or the settings' pair, acts as the service role. With a session token the
secret is the publishable key, which everybody may know, and the token says who it is: his policies decide.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from gateway.storage.call import Call, Caller
from gateway.storage.errors import INVALID_REQUEST, StorageError
from gateway.storage.s3.chunks import BodyFormat, ChunkSigner, decoded, kind_of
from gateway.storage.s3.errors import (
    INVALID_SIGNATURE,
    MISMATCH,
    NO_ACCESS_KEY,
    NO_LENGTH,
    NO_SIGNATURE,
    NOT_SIGNED,
    WRONG_REGION,
    WRONG_SERVICE,
)
from gateway.storage.s3.signature import (
    UNSIGNED,
    CredentialScope,
    Signature,
    is_signed,
    read_header,
    read_query,
    signing_key,
    unsigned_headers,
)

SERVICE: Final = Caller("service_role", '{"role":"service_role"}')
CHECKSUMS: Final[Mapping[str, int]] = {"crc32": 4, "crc32c": 4, "crc64nvme": 8, "sha1": 20, "sha256": 32}
MAX_PARAMETERS: Final = 100


@dataclass(frozen=True, slots=True)
class S3Access:
    """What the protocol's door needs. `identify` gives the caller of a user's token."""

    settings: Settings
    keys: KeyRing
    identify: Callable[[str], Caller]
    clock: Callable[[], float] = time.time

    def secrets(self, scope: CredentialScope, token: str | None) -> Iterable[str]:
        """The secrets that may have signed. Raises StorageError for a key that there is not."""
        if scope.service != "s3":
            raise StorageError(WRONG_SERVICE)
        if self.settings.s3_enforce_region and scope.region != self.settings.storage_s3_region:
            raise StorageError(WRONG_REGION)
        if token is not None:
            return (self.keys.publishable_key, self.keys.anon_jwt)
        configured = self.settings.s3_access_key
        if configured and scope.access_key == configured:
            return (self.settings.s3_secret_key,)
        found = self.keys.s3_secret(scope.access_key)
        if found is None:
            raise StorageError(NO_ACCESS_KEY)
        return (found,)

    def caller(self, token: str | None) -> Caller:
        """Whose rights a verified request has. Raises StorageError."""
        return SERVICE if token is None else self.identify(token)

    def enter(self, call: Call, query: Mapping[str, str]) -> tuple[Caller, BodyFormat]:
        """Who asks, and how the body comes. Raises StorageError."""
        signature = self._read(call, query)
        signature.check_time(self.clock())
        missing = unsigned_headers(call.headers, signature.headers)
        if missing:
            raise StorageError(NOT_SIGNED, names=", ".join(missing)[:200])
        said = call.header(b"x-amz-content-sha256")
        if signature.expires is not None and "x-amz-content-sha256" not in signature.headers:
            said = None
        elif said is None and signature.expires is None:
            raise StorageError(INVALID_SIGNATURE, "Missing x-amz-content-sha256")
        key = self._verify(call, signature, said or UNSIGNED)
        return self.caller(signature.token), _payload(call, said, signature, key)

    @staticmethod
    def _read(call: Call, query: Mapping[str, str]) -> Signature:
        if "X-Amz-Signature" in query or "X-Amz-Algorithm" in query:
            return read_query(dict(query))
        header = call.header(b"authorization")
        if header is None:
            raise StorageError(NO_SIGNATURE)
        return read_header(header, call.header(b"x-amz-date"), call.header(b"x-amz-security-token"))

    def _verify(self, call: Call, signature: Signature, payload: str) -> bytes:
        """The key that signed. Raises StorageError."""
        prefixes = [self.settings.storage_prefix, (call.header(b"x-forwarded-prefix") or "").rstrip("/")]
        hosts = [call.header(b"x-forwarded-host"), call.header(b"host")]
        for secret in self.secrets(signature.scope, signature.token):
            key = signing_key(secret, signature.scope)
            if is_signed(
                signature,
                key,
                call.method,
                [prefix + call.raw_path for prefix in prefixes],
                call.query_string,
                call.headers,
                [host for host in hosts if host is not None],
                payload,
            ):
                return key
        raise StorageError(MISMATCH)


def parameters(query: str) -> dict[str, str]:
    """The query as it is signed: a plus is a plus. Raises StorageError."""
    parts = query.split("&", MAX_PARAMETERS)
    if len(parts) > MAX_PARAMETERS:
        raise StorageError(INVALID_REQUEST, "querystring has too many parameters")
    found: dict[str, str] = {}
    for part in parts:
        if part:
            name, _, value = part.partition("=")
            found.setdefault(unquote(name), unquote(value))
    return found


def _payload(call: Call, said: str | None, signature: Signature, key: bytes) -> BodyFormat:
    """Raises StorageError."""
    chunked, signed, trailers = kind_of(said)
    checksums = [
        (name, decoded(text, name, size))
        for name, size in CHECKSUMS.items()
        if (text := call.header(f"x-amz-checksum-{name}".encode())) is not None
    ]
    md5 = call.header(b"content-md5")
    if md5 is not None:
        checksums.append(("md5", decoded(md5, "Content-MD5", 16)))
    length = call.declared_length
    if chunked:
        text = call.header(b"x-amz-decoded-content-length") or ""
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise StorageError(NO_LENGTH)
        length = int(text)
    announced = (call.header(b"x-amz-trailer") or "").strip().lower()
    name = announced.removeprefix("x-amz-checksum-") if announced.startswith("x-amz-checksum-") else None
    return BodyFormat(
        chunked,
        said if said is not None and not chunked and said != UNSIGNED else None,
        ChunkSigner(key, signature.date, signature.scope, signature.digest) if signed else None,
        length,
        tuple(checksums),
        trailers,
        name if trailers and name in CHECKSUMS else None,
    )
