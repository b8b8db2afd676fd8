"""Statements for second factors and their challenges."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from gateway.auth.store.tables import CHALLENGES, FACTORS, NULL, delete_where, insert_row
from gateway.auth.types import moment_of
from gateway.database.sql import bind, parameter, render, select_from, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, Value

_INSERT: Final = template(
    insert_row(
        FACTORS,
        "id",
        "user_id",
        "friendly_name",
        "factor_type",
        "status",
        "secret",
        "phone",
        created_at="now",
        updated_at="now",
    )
)
_DELETE: Final = delete_where(FACTORS, FACTORS.id == parameter("id"))
_DELETE_OF_USER: Final = delete_where(FACTORS, FACTORS.user_id == parameter("user_id"))
_DELETE_UNVERIFIED: Final = delete_where(
    FACTORS,
    (FACTORS.user_id == parameter("user_id"))
    & (FACTORS.factor_type == parameter("factor_type"))
    & (FACTORS.status == sql("'unverified'")),
)


def insert(
    factor_id: str,
    user_id: str,
    name: str,
    now: float,
    *,
    kind: str,
    secret: str | None = None,
    phone: str | None = None,
) -> Statement:
    """A factor that is to be proven: an app with a secret, a number, or a security key."""
    return _INSERT.fill(
        id=factor_id,
        user_id=user_id,
        friendly_name=name,
        factor_type=kind,
        status="unverified",
        secret=secret,
        phone=phone,
        now=moment_of(now).isoformat(),
    )


def update(factor_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    """Change columns of a factor."""
    query = update_of(FACTORS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(value))
    return render(query.where(FACTORS.id == bind(factor_id)))


def delete(factor_id: str) -> Statement:
    return _DELETE.fill(id=factor_id)


def delete_of_user(user_id: str) -> Statement:
    return _DELETE_OF_USER.fill(user_id=user_id)


def delete_unverified(user_id: str, factor_type: str) -> Statement:
    return _DELETE_UNVERIFIED.fill(user_id=user_id, factor_type=factor_type)


# --- challenges -----------------------------------------------------------------------------------------------------

_CHALLENGE: Final = template(
    insert_row(CHALLENGES, "id", "factor_id", "ip_address", "otp_code", "web_authn_session_data", created_at="now")
)
# Two challenges may fall on one moment, and the column is unique: the later one keeps quiet about it.
_CHALLENGED: Final = template(
    sql(
        update_of(FACTORS)
        .set(FACTORS.last_challenged_at, parameter("now"))
        .where(FACTORS.id == parameter("factor_id")),
        " and not exists (select from auth.mfa_factors where last_challenged_at = ",
        parameter("now"),
        ")",
    )
)
_C: Final = CHALLENGES.as_("c")
_FIND: Final = template(
    select_from(_C)
    .select(sql("to_jsonb(c) || jsonb_build_object('address', host(c.ip_address))"))
    .where((_C.id == parameter("id")) & (_C.factor_id == parameter("factor_id")))
)
_USE: Final = template(
    update_of(CHALLENGES)
    .returning(CHALLENGES.id)
    .set(CHALLENGES.verified_at, parameter("now"))
    .set(CHALLENGES.otp_code, NULL)
    .where((CHALLENGES.id == parameter("id")) & CHALLENGES.verified_at.isnull())
)
_DELETE_CHALLENGE: Final = delete_where(CHALLENGES, CHALLENGES.id == parameter("id"))
_DELETE_CHALLENGES: Final = delete_where(CHALLENGES, CHALLENGES.factor_id == parameter("factor_id"))


def insert_challenge(
    challenge_id: str, factor_id: str, moment: datetime, address: str, code: str | None, asked: str | None = None
) -> tuple[Statement, ...]:
    """That a factor was challenged, and the challenge; `code` is what is kept of one that was sent, `asked`
    the JSON of what a security key was asked."""
    now = moment.isoformat()
    # The factor's row first: the other way round two at once hold a share of it and wait for each other.
    return (
        _CHALLENGED.fill(factor_id=factor_id, now=now),
        _CHALLENGE.fill(
            id=challenge_id,
            factor_id=factor_id,
            ip_address=address,
            otp_code=code,
            web_authn_session_data=asked,
            now=now,
        ),
    )


def find_challenge(challenge_id: str, factor_id: str) -> Statement:
    """A factor's challenge as a JSON document, with its `address`."""
    return _FIND.fill(id=challenge_id, factor_id=factor_id)


def use_challenge(challenge_id: str, now: float) -> Statement:
    """Use a challenge up: a row comes back for one of those who do so at once."""
    return _USE.fill(id=challenge_id, now=moment_of(now).isoformat())


def delete_challenge(challenge_id: str) -> Statement:
    return _DELETE_CHALLENGE.fill(id=challenge_id)


def delete_challenges(factor_id: str) -> Statement:
    """Forget every challenge of a factor."""
    return _DELETE_CHALLENGES.fill(factor_id=factor_id)
