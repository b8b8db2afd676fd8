"""An authenticator in software: it makes credentials and answers challenges as a browser passes them on."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.auth.crypto.relying_party import decode, encode

ORIGIN = "https://app.example.com"
ICLOUD = bytes.fromhex("fbfc3007154e4ecc8c0b6e020557d7bd")


@dataclass
class Authenticator:
    """One credential. Fields are what a test changes to make an answer wrong."""

    aaguid: bytes = ICLOUD
    origin: str = ORIGIN
    flags: int = 0x1D  # present, verified, backup eligible and backed up
    count: int = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    handle: bytes = b""
    rp_id: str = ""
    challenge: str = ""  # in place of the one that was asked

    @property
    def cose(self) -> bytes:
        numbers = self.key.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to creation options."""
        self.handle = decode(options["user"]["id"])
        attested = self.aaguid + len(self.id).to_bytes(2, "big") + self.id + self.cose
        data = self._data(options["rp"]["id"], 0x40) + attested
        return self._answer(
            {
                "clientDataJSON": self._client("webauthn.create", options),
                "attestationObject": encode(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
                "transports": ["internal"],
            }
        )

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to request options."""
        client, data = self._client("webauthn.get", options), self._data(options["rpId"], 0)
        signed = data + hashlib.sha256(decode(client)).digest()
        return self._answer(
            {
                "clientDataJSON": client,
                "authenticatorData": encode(data),
                "signature": encode(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
                "userHandle": encode(self.handle),
            }
        )

    def _data(self, rp_id: str, more: int) -> bytes:
        digest = hashlib.sha256((self.rp_id or rp_id).encode()).digest()
        return digest + bytes([self.flags | more]) + self.count.to_bytes(4, "big")

    def _client(self, kind: str, options: dict[str, Any]) -> str:
        asked = {"type": kind, "challenge": self.challenge or options["challenge"], "origin": self.origin}
        return encode(json.dumps(asked).encode())

    def _answer(self, response: dict[str, Any]) -> dict[str, Any]:
        name = encode(self.id)
        return {
            "id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {}, "response": response,
        }  # fmt: skip
