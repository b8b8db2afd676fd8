"""Statements for passkeys and the challenges that register them or sign in by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from gateway.auth.store.tables import PASSKEY_CHALLENGES, PASSKEYS, delete_where, insert_row
from gateway.auth.types import moment_of, read_time
from gateway.database import Result
from gateway.database.sql import parameter, select_from, sql, template, update
from gateway.database.statement import Statement

REGISTRATION: Final = "registration"
AUTHENTICATION: Final = "authentication"


@dataclass(frozen=True, slots=True)
class Passkey:
    """A row of `auth.webauthn_credentials`."""

    id: str
    user_id: str
    credential_id: bytes
    public_key: bytes
    name: str
    created_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Passkey:
        return cls(
            id=row["id"],
            user_id=row["user_id"],
            credential_id=bytes.fromhex(row["credential_id"].removeprefix("\\x")),
            public_key=bytes.fromhex(row["public_key"].removeprefix("\\x")),
            name=row["friendly_name"],
            created_at=read_time(row["created_at"]),
            last_used_at=read_time(row["last_used_at"]),
        )


_P: Final = PASSKEYS.as_("p")
_OF_USER: Final = template(
    select_from(_P).select(sql("to_jsonb(p)")).where(_P.user_id == parameter("user_id")).orderby(_P.created_at, _P.id)
)


def of_user(user_id: str) -> Statement:
    """A user's passkeys, oldest first."""
    return _OF_USER.fill(user_id=user_id)


def read_all(result: Result) -> list[Passkey]:
    return [Passkey.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


_INSERT: Final = template(
    sql(
        "insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid,"
        " sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at) select ",
        parameter("id"), "::uuid, ", parameter("user_id"), "::uuid, ", parameter("credential_id"), "::bytea, ",
        parameter("public_key"), "::bytea, ", parameter("attestation_type"), "::text, ", parameter("aaguid"),
        "::uuid, ", parameter("sign_count"), "::bigint, ", parameter("transports"), "::jsonb, ",
        parameter("backup_eligible"), "::boolean, ", parameter("backed_up"), "::boolean, ",
        parameter("friendly_name"), "::text, ", parameter("now"), "::timestamptz, ", parameter("now"),
        "::timestamptz where (select count(*) from auth.webauthn_credentials where user_id = ",
        parameter("user_id"), "::uuid) < ", parameter("most"), "::bigint returning id",
    )
)  # fmt: skip


def insert(
    passkey_id: str,
    user_id: str,
    *,
    credential_id: bytes,
    public_key: bytes,
    attestation: str,
    aaguid: str,
    sign_count: int,
    transports: Sequence[str],
    backup_eligible: bool,
    backed_up: bool,
    name: str,
    most: int,
    now: float,
) -> Statement:
    """A new passkey: a row comes back unless the user has `most`. The user is to be locked before."""
    return _INSERT.fill(
        id=passkey_id,
        user_id=user_id,
        credential_id="\\x" + credential_id.hex(),
        public_key="\\x" + public_key.hex(),
        attestation_type=attestation,
        aaguid=aaguid,
        sign_count=str(sign_count),
        transports=orjson.dumps(list(transports)).decode(),
        backup_eligible=str(backup_eligible).lower(),
        backed_up=str(backed_up).lower(),
        friendly_name=name,
        most=str(most),
        now=moment_of(now).isoformat(),
    )


_USED: Final = template(
    update(PASSKEYS)
    .set(PASSKEYS.sign_count, parameter("sign_count"))
    .set(PASSKEYS.backed_up, parameter("backed_up"))
    .set(PASSKEYS.last_used_at, parameter("now"))
    .set(PASSKEYS.updated_at, parameter("now"))
    .where(PASSKEYS.id == parameter("id"))
)
_RENAME: Final = template(
    update(PASSKEYS)
    .set(PASSKEYS.friendly_name, parameter("name"))
    .set(PASSKEYS.updated_at, parameter("now"))
    .where(PASSKEYS.id == parameter("id"))
)
_DELETE: Final = delete_where(PASSKEYS, PASSKEYS.id == parameter("id"))
_DELETE_OF_USER: Final = delete_where(PASSKEYS, PASSKEYS.user_id == parameter("user_id"))


def was_used(passkey_id: str, sign_count: int, backed_up: bool, now: float) -> Statement:
    """Remember a sign-in by a passkey."""
    return _USED.fill(
        id=passkey_id, sign_count=str(sign_count), backed_up=str(backed_up).lower(), now=moment_of(now).isoformat()
    )


def rename(passkey_id: str, name: str, now: float) -> Statement:
    return _RENAME.fill(id=passkey_id, name=name, now=moment_of(now).isoformat())


def delete(passkey_id: str) -> Statement:
    return _DELETE.fill(id=passkey_id)


def delete_of_user(user_id: str) -> Statement:
    return _DELETE_OF_USER.fill(user_id=user_id)


# --- challenges -----------------------------------------------------------------------------------------------------

_CHALLENGE: Final = template(
    insert_row(PASSKEY_CHALLENGES, "id", "user_id", "challenge_type", "session_data", "expires_at", created_at="now")
)
_TAKE: Final = template(
    sql(
        "delete from auth.webauthn_challenges where id = ", parameter("id"), " and challenge_type = ",
        parameter("kind"), " and user_id is not distinct from ", parameter("user_id"),
        "::uuid returning jsonb_build_object('asked', session_data, 'expires_at', expires_at)",
    )
)  # fmt: skip


def insert_challenge(
    challenge_id: str, user_id: str | None, kind: str, asked: Mapping[str, Any], now: float, expires: float
) -> Statement:
    """A challenge of a kind; one of a sign-in belongs to nobody yet."""
    return _CHALLENGE.fill(
        id=challenge_id,
        user_id=user_id,
        challenge_type=kind,
        session_data=orjson.dumps(dict(asked)).decode(),
        expires_at=moment_of(expires).isoformat(),
        now=moment_of(now).isoformat(),
    )


def take_challenge(challenge_id: str, user_id: str | None, kind: str) -> Statement:
    """Use a challenge up, whatever comes of it."""
    return _TAKE.fill(id=challenge_id, user_id=user_id, kind=kind)


def read_challenge(result: Result) -> tuple[Mapping[str, Any], datetime | None] | None:
    """What was asked, and until when it may be answered."""
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    return row["asked"], read_time(row["expires_at"])
