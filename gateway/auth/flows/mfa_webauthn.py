"""Security keys as second factors: asked, and their answers checked (contract section 14)."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody
from gateway.auth.context import Context
from gateway.auth.crypto import relying_party as webauthn
from gateway.auth.flows.passkeys import party_of
from gateway.auth.store.limits import Permit
from gateway.auth.types import Factor
from gateway.database.statement import Value

log = logging.getLogger("gateway.auth")

_TRANSPORTS: Final = ("usb", "nfc")  # of the credentials that a new one is not to repeat


def ask(context: Context, call: AuthCall, factor: Factor) -> tuple[dict[str, Any], str]:
    """What a challenge of a factor answers, and what is kept of it as JSON."""
    party, challenge, user = party_of(context), webauthn.new_challenge(), call.user
    name = user.email or user.phone or user.id
    known = [other for other in user.factors if other.factor_type == "webauthn" and other.verified]
    if factor.verified:
        kind = "request"
        allow = [webauthn.descriptor(_id_of(other), _transports_of(other)) for other in known]
        options = webauthn.request_options(party, challenge, allow)
    else:
        kind = "create"
        options = webauthn.creation_options(
            party, challenge, user_id=user.id, name=name, display_name=name, passkey=False,
            exclude=[webauthn.descriptor(_id_of(other), _TRANSPORTS) for other in known],
        )  # fmt: skip
    kept = {"challenge": challenge, "rpId": party.id, "type": kind}
    return {"type": kind, "credential_options": {"publicKey": options}}, orjson.dumps(kept).decode()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a browser."""

    kind: str
    response: Mapping[str, Any]


def read_answer(body: JsonBody) -> Answer:
    """The answer in a body. Raises ApiError validation_failed."""
    given = body.table("webauthn")
    if given is None:
        raise errors.invalid("WebAuthn config required")
    inner = JsonBody(given)
    kind = inner.text("type")
    if kind not in ("create", "request"):
        raise errors.invalid("WebAuthn type must be create or request")
    response = inner.table("credential_response")
    if response is None:
        raise errors.invalid("credential_response required")
    return Answer(kind, response)


async def check(
    context: Context, call: AuthCall, permit: Permit, factor: Factor, answer: Answer, asked: Mapping[str, Any]
) -> dict[str, Value] | None:
    """The columns that a good answer changes; None for one that does not hold. Raises ApiError for what is none."""
    party, challenge = party_of(context), str(asked["challenge"])
    columns: dict[str, Value] = {
        "last_webauthn_challenge_data": orjson.dumps(
            {"challenge": challenge, "type": answer.kind, "credential_response": answer.response}
        ).decode()
    }
    if (answer.kind == "request") != factor.verified:
        return None
    try:
        if answer.kind == "create":
            made = await asyncio.to_thread(webauthn.registered, permit, party, challenge, answer.response)
            columns |= {"web_authn_credential": _stored(made), "web_authn_aaguid": made.aaguid}
            return columns
        names = await asyncio.to_thread(webauthn.presented, answer.response)
        # Any verified key of the user's may answer, as the browser was told.
        known = [other for other in call.user.factors if other.factor_type == "webauthn" and other.verified]
        held = next((other for other in known if _id_of(other) == names.id), None)
        if held is None:
            return None
        await asyncio.to_thread(webauthn.used, permit, party, challenge, _key_of(held), answer.response)
    except webauthn.NoCredential as error:
        raise errors.invalid("Invalid credential_response") from error
    except webauthn.CredentialRefused as error:
        log.info("a security key's answer does not hold: %s", error)
        return None
    return columns


# --- credentials as the original stores them: JSON with base64 ------------------------------------------------------


def _stored(made: webauthn.Registered) -> str:
    aaguid = bytes.fromhex(made.aaguid.replace("-", ""))
    return orjson.dumps(
        {
            "id": base64.b64encode(made.id).decode(),
            "publicKey": base64.b64encode(made.public_key).decode(),
            "attestationType": made.attestation,
            "transport": list(made.transports),
            "flags": {
                "userPresent": True,
                "userVerified": made.user_verified,
                "backupEligible": made.backup_eligible,
                "backupState": made.backed_up,
            },
            "authenticator": {
                "AAGUID": base64.b64encode(aaguid).decode(),
                "signCount": made.sign_count,
                "cloneWarning": False,
                "attachment": "",
            },
        }
    ).decode()


def _id_of(factor: Factor) -> bytes:
    return webauthn.decode(str((factor.credential or {}).get("id") or ""))


def _key_of(factor: Factor) -> bytes:
    return webauthn.decode(str((factor.credential or {}).get("publicKey") or ""))


def _transports_of(factor: Factor) -> list[str]:
    return [str(each) for each in (factor.credential or {}).get("transport") or ()]
