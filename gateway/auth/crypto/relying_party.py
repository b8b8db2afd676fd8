"""WebAuthn (https://www.w3.org/TR/webauthn-3/): what authenticators are asked, and whether their answers hold.

Questions are JSON for `navigator.credentials`; bytes are base64url without padding. Answers are checked by the library
py_webauthn, which is loaded with the first answer, and in a thread: neither holds the loop. What compares takes a
`Permit`, as every comparison with a secret does.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth.store.limits import Permit

TIMEOUT: Final = 300_000  # milliseconds that a browser waits for its authenticator
LONGEST: Final = 64 * 1024  # characters of an answer
LARGEST_KEY: Final = 1_100  # bytes of a public key: RSA of 8,192 bits
# The algorithms that are offered, as COSE numbers them. ES384 (-35) is left out: the library does not verify it.
ALGORITHMS: Final = (-7, -36, -257, -258, -259, -37, -38, -39, -8)


class NoCredential(Exception):
    """What came is no answer of an authenticator."""


class CredentialRefused(Exception):
    """An answer that does not hold; the text is for the log."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """Whom credentials are for."""

    id: str
    name: str
    origins: tuple[str, ...]

    @classmethod
    def of(cls, rp_id: str, name: str, origins: Sequence[str], site_url: str) -> RelyingParty:
        """What is set; the site's host and origin where nothing is.

        >>> RelyingParty.of("", "", (), "https://app.example.com/welcome")
        RelyingParty(id='app.example.com', name='app.example.com', origins=('https://app.example.com',))
        """
        parts = urlsplit(site_url)
        host = rp_id or parts.hostname or ""
        return cls(host, name or host, tuple(origins) or (f"{parts.scheme}://{parts.netloc}",))


@dataclass(frozen=True, slots=True)
class Registered:
    """A new credential. `public_key` is COSE."""

    id: bytes
    public_key: bytes
    attestation: str
    aaguid: str
    sign_count: int
    transports: tuple[str, ...]
    backup_eligible: bool
    backed_up: bool
    user_verified: bool


@dataclass(frozen=True, slots=True)
class Used:
    """A credential that was shown to be at hand."""

    sign_count: int
    backed_up: bool


def new_challenge() -> str:
    """32 random bytes."""
    return encode(secrets.token_bytes(32))


def creation_options(
    party: RelyingParty,
    challenge: str,
    *,
    user_id: str,
    name: str,
    display_name: str,
    exclude: Sequence[Mapping[str, Any]],
    passkey: bool,
) -> dict[str, Any]:
    """What a browser passes to `navigator.credentials.create`."""
    options: dict[str, Any] = {
        "rp": {"name": party.name, "id": party.id},
        "user": {"name": name, "displayName": display_name, "id": encode(user_id.encode())},
        "challenge": challenge,
        "pubKeyCredParams": [{"type": "public-key", "alg": alg} for alg in ALGORITHMS],
        "timeout": TIMEOUT,
    }
    if exclude:
        options["excludeCredentials"] = list(exclude)
    options["authenticatorSelection"] = {"residentKey": "required", "userVerification": "preferred"} if passkey else {}
    if passkey:
        options["attestation"] = "none"
    return options


def request_options(
    party: RelyingParty, challenge: str, allow: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """What a browser passes to `navigator.credentials.get`; without `allow` any passkey may answer."""
    options: dict[str, Any] = {"challenge": challenge, "timeout": TIMEOUT, "rpId": party.id}
    if allow is None:
        options["userVerification"] = "preferred"
    else:
        options["allowCredentials"] = list(allow)
    return options


def descriptor(credential_id: bytes, transports: Sequence[str] = ()) -> dict[str, Any]:
    """A credential as options name it."""
    shown: dict[str, Any] = {"type": "public-key", "id": encode(credential_id)}
    return {**shown, "transports": list(transports)} if transports else shown


def registered(
    permit: Permit, party: RelyingParty, challenge: str, answer: Mapping[str, Any]
) -> Registered:  # in a thread
    """The credential that an answer creates. Raises NoCredential, CredentialRefused."""
    import webauthn
    from webauthn.helpers import cose, parse_attestation_object, parse_client_data_json
    from webauthn.helpers.structs import CredentialDeviceType

    _demand_short(answer)
    try:
        credential = webauthn.helpers.parse_registration_credential_json(dict(answer))
        parse_client_data_json(credential.response.client_data_json)
        data = parse_attestation_object(credential.response.attestation_object).auth_data.attested_credential_data
        key = b"" if data is None else data.credential_public_key
    except Exception as error:  # whatever the parsers of foreign bytes raise
        raise NoCredential from error
    if len(key) > LARGEST_KEY:
        raise CredentialRefused("the public key is too large")
    try:
        found = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=decode(challenge),
            expected_rp_id=party.id,
            expected_origin=list(party.origins),
            supported_pub_key_algs=[cose.COSEAlgorithmIdentifier(alg) for alg in ALGORITHMS],
        )
    except Exception as error:
        raise CredentialRefused(str(error)) from error
    return Registered(
        id=found.credential_id,
        public_key=found.credential_public_key,
        attestation=str(getattr(found.fmt, "value", found.fmt)),
        aaguid=found.aaguid,
        sign_count=found.sign_count,
        transports=tuple(each.value for each in credential.response.transports or ()),
        backup_eligible=found.credential_device_type == CredentialDeviceType.MULTI_DEVICE,
        backed_up=found.credential_backed_up,
        user_verified=found.user_verified,
    )


@dataclass(frozen=True, slots=True)
class NamedCredential:
    """Which credential an answer names, and whose it says that it is."""

    id: bytes
    user_handle: bytes


def presented(answer: Mapping[str, Any]) -> NamedCredential:  # in a thread
    """The names in an answer to a request. Raises NoCredential."""
    from webauthn.helpers import parse_authentication_credential_json, parse_authenticator_data, parse_client_data_json

    _demand_short(answer)
    try:
        credential = parse_authentication_credential_json(dict(answer))
        parse_client_data_json(credential.response.client_data_json)
        parse_authenticator_data(credential.response.authenticator_data)
    except Exception as error:  # whatever the parsers of foreign bytes raise
        raise NoCredential from error
    return NamedCredential(credential.raw_id, credential.response.user_handle or b"")


def used(
    permit: Permit, party: RelyingParty, challenge: str, public_key: bytes, answer: Mapping[str, Any]
) -> Used:  # in a thread
    """That the holder of a public key's private half answered a challenge. Raises CredentialRefused.

    The count of signatures is taken as it comes: many authenticators count nothing, and the original warns at most.
    """
    import webauthn
    from webauthn.helpers import parse_authenticator_data

    try:
        found = webauthn.verify_authentication_response(
            credential=dict(answer),
            expected_challenge=decode(challenge),
            expected_rp_id=party.id,
            expected_origin=list(party.origins),
            credential_public_key=public_key,
            credential_current_sign_count=0,
        )
        flags = parse_authenticator_data(decode(answer["response"]["authenticatorData"])).flags
    except Exception as error:
        raise CredentialRefused(str(error)) from error
    return Used(found.new_sign_count, flags.bs)


def _demand_short(answer: Mapping[str, Any]) -> None:
    if len(orjson.dumps(dict(answer))) > LONGEST:
        raise NoCredential


def encode(raw: bytes) -> str:
    """base64url without padding.

    >>> encode(bytes([251, 255]))
    '-_8'
    """
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """The bytes of base64 in either alphabet, padded or not. Raises ValueError.

    >>> decode("-_8"), decode("+/8=")
    (b'\\xfb\\xff', b'\\xfb\\xff')
    """
    plain = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error


# Names of widespread authenticators by the AAGUID that they send (https://passkeydeveloper.github.io).
AUTHENTICATORS: Final[Mapping[str, str]] = {
    "00000000-0000-0000-0000-000000000000": "Passkey",
    "08987058-cadc-4b81-b6e1-30de50dcbe96": "Windows Hello",
    "0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6": "Keeper",
    "50726f74-6f6e-5061-7373-50726f746f6e": "Proton Pass",
    "531126d6-e717-415c-9320-3d9aa6981239": "Dashlane",
    "53414d53-554e-4700-0000-000000000000": "Samsung Pass",
    "6028b017-b1d4-4c02-b4b3-afcdafc96bb2": "Windows Hello",
    "9ddd1817-af5a-4672-a2b9-3e3dd95000a9": "Windows Hello",
    "adce0002-35bc-c60a-648b-0b25f1f05503": "Chrome on Mac",
    "b84e4048-15dc-4dd0-8640-f4f60813c8af": "NordPass",
    "bada5566-a7aa-401f-bd96-45619a55120d": "1Password",
    "d548826e-79b4-db40-a3d8-11116f7e8349": "Bitwarden",
    "dd4ec289-e01d-41c9-bb89-70fa845d4bf2": "iCloud Keychain (Managed)",
    "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": "Google Password Manager",
    "f3809540-7f14-49c1-a8b3-8f813b225541": "Enpass",
    "fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "iCloud Keychain",
    "fdb141b2-5d84-443e-8a35-4698c205a502": "KeePassXC",
}
