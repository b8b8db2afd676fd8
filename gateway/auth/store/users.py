"""Statements for the rows of `auth.users`, and how a user is read. Times are RFC 3339 texts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

import orjson
from pypika.terms import Term

from gateway.auth.store.tables import IDENTITIES, NO_INSTANCE, USERS, delete_where
from gateway.auth.types import User, moment_of
from gateway.database import Result
from gateway.database.sql import (
    StatementTemplate,
    bind,
    insert_into,
    parameter,
    render,
    select_from,
    sql,
    template,
)
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, Value

# The whole of user `u` as one JSON document, which `User.of` reads.
DOCUMENT: Final = sql("""to_jsonb(u) || jsonb_build_object(
  'identities', coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
    from auth.identities i where i.user_id = u.id), '[]'),
  'factors', coalesce((select jsonb_agg(to_jsonb(f) order by f.created_at, f.id)
    from auth.mfa_factors f where f.user_id = u.id), '[]'))""")
_U: Final = USERS.as_("u")
_USER: Final = select_from(_U).select(DOCUMENT)


def new_id() -> str:
    """A fresh row id."""
    return str(uuid.uuid4())


def read(result: Result) -> User | None:
    """The user of a statement that gives one `DOCUMENT`, or None."""
    return User.of(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[User]:
    """The users of a statement that gives `DOCUMENT`s."""
    return [User.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def _lookup(condition: Term) -> tuple[StatementTemplate, StatementTemplate]:
    """Find a user; find and lock one."""
    query = _USER.where(condition)
    return template(query), template(query.for_update())


_BY_ID: Final = _lookup(_U.id == parameter("id"))
_BY_EMAIL: Final = _lookup(
    (_U.email == sql("lower(", parameter("email"), ")")) & (_U.aud == parameter("aud")) & _U.is_sso_user.negate()
)
_BY_PHONE: Final = _lookup((_U.phone == parameter("phone")) & (_U.aud == parameter("aud")) & _U.is_sso_user.negate())
_BY_IDENTITY: Final = _lookup(
    _U.id
    == select_from(IDENTITIES)
    .select(IDENTITIES.user_id)
    .where((IDENTITIES.provider == parameter("provider")) & (IDENTITIES.provider_id == parameter("provider_id")))
)
_LOCK: Final = template(select_from(USERS).select(USERS.id).where(USERS.id == parameter("id")).for_update())


def by_id(user_id: str, lock: bool = False) -> Statement:
    return _BY_ID[lock].fill(id=user_id)


def by_email(email: str, aud: str, lock: bool = False) -> Statement:
    """The account of an address; accounts of single sign-on are not looked at."""
    return _BY_EMAIL[lock].fill(email=email, aud=aud)


def by_phone(phone: str, aud: str, lock: bool = False) -> Statement:
    return _BY_PHONE[lock].fill(phone=phone, aud=aud)


def by_identity(provider: str, provider_id: str, lock: bool = False) -> Statement:
    return _BY_IDENTITY[lock].fill(provider=provider, provider_id=provider_id)


def lock(user_id: str) -> Statement:
    """Lock a user's row without reading it."""
    return _LOCK.fill(id=user_id)


_ASKED_FOR: Final = sql(
    "u.aud = ", parameter("aud"), " and (", parameter("words"), " = '' or u.email ilike '%' || ", parameter("words"),
    " || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || ", parameter("words"), " || '%')",
)  # fmt: skip
_RANGE: Final = sql(" limit ", parameter("limit"), "::bigint offset ", parameter("offset"), "::bigint")
_ASCENDING: Final = template(sql(_USER.where(_ASKED_FOR), " order by u.created_at asc, u.id", _RANGE))
_DESCENDING: Final = template(sql(_USER.where(_ASKED_FOR), " order by u.created_at desc, u.id", _RANGE))
_COUNT: Final = template(select_from(_U).select(sql("count(*)")).where(_ASKED_FOR))


def page(aud: str, words: str, limit: int, offset: int, ascending: bool = False) -> tuple[Statement, Statement]:
    """Statements for one page of users, newest first unless ascending, and for how many there are. `words` may be
    empty."""
    wanted = _ASCENDING if ascending else _DESCENDING
    return (
        wanted.fill(aud=aud, words=words, limit=str(limit), offset=str(offset)),
        _COUNT.fill(aud=aud, words=words),
    )


def insert(user_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    """A new user. Tokens are empty rather than null, as other readers of the schema expect."""
    moment = moment_of(now).isoformat()
    values: dict[str, Value] = {
        "instance_id": NO_INSTANCE,
        "id": user_id,
        "aud": "authenticated",
        "role": "authenticated",
        "raw_app_meta_data": "{}",
        "raw_user_meta_data": "{}",
        "confirmation_token": "",
        "recovery_token": "",
        "email_change": "",
        "email_change_token_new": "",
        "email_change_token_current": "",
        "phone_change": "",
        "phone_change_token": "",
        "reauthentication_token": "",
        "created_at": moment,
        "updated_at": moment,
        **columns,
    }
    return render(insert_into(USERS).columns(*values).insert(*(bind(value) for value in values.values())))


def update(user_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    """Change columns of a user."""
    query = update_of(USERS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(value))
    return render(query.where(USERS.id == bind(user_id)))


_SIGNED_IN: Final = template(
    update_of(USERS)
    .set(USERS.last_sign_in_at, parameter("now"))
    .set(USERS.updated_at, parameter("now"))
    .where(USERS.id == parameter("id"))
)


def signed_in(user_id: str, now: float) -> Statement:
    """Remember a sign-in."""
    return _SIGNED_IN.fill(id=user_id, now=moment_of(now).isoformat())


_DELETE: Final = delete_where(USERS, USERS.id == parameter("id"))


def delete(user_id: str) -> Statement:
    return _DELETE.fill(id=user_id)


def json_text(value: Any) -> str:
    """A value for a json column."""
    return orjson.dumps(value).decode()


def merged(current: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata after a shallow merge, in which null removes a key.

    >>> merged({"a": 1, "b": 2}, {"b": None, "c": 3})
    {'a': 1, 'c': 3}
    """
    return {name: value for name, value in {**current, **changes}.items() if value is not None}
