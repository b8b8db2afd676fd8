"""Statements for users, identities, factors and one-time tokens. Every value is bound; times are RFC 3339 texts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from pypika import Query, Table

from gateway.auth.types import User, moment_of
from gateway.database import Result
from gateway.database.sql import bind, render
from gateway.database.statement import Statement, Value, array_literal

NO_INSTANCE: Final = "00000000-0000-0000-0000-000000000000"

USERS: Final = Table("users", schema="auth")
IDENTITIES: Final = Table("identities", schema="auth")
FACTORS: Final = Table("mfa_factors", schema="auth")

# The whole person as one JSON document; `User.of` reads it.
DOCUMENT: Final = """to_jsonb(u) || jsonb_build_object(
  'identities', coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
    from auth.identities i where i.user_id = u.id), '[]'),
  'factors', coalesce((select jsonb_agg(to_jsonb(f) order by f.created_at, f.id)
    from auth.mfa_factors f where f.user_id = u.id), '[]'))"""
SELECT: Final = f"select {DOCUMENT} from auth.users u where "


def new_id() -> str:
    """A fresh row id."""
    return str(uuid.uuid4())


def read(result: Result) -> User | None:
    """The user of a `SELECT`, or None."""
    return User.of(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[User]:
    """The users of a `SELECT`."""
    return [User.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def by_id(user_id: str, lock: bool = False) -> Statement:
    return Statement(SELECT + "u.id = $1" + (" for update" if lock else ""), (user_id,))


def by_email(email: str, aud: str, lock: bool = False) -> Statement:
    """The account of an address; accounts of single sign-on are not looked at."""
    text = SELECT + "u.email = lower($1) and u.aud = $2 and not u.is_sso_user"
    return Statement(text + (" for update" if lock else ""), (email, aud))


def by_phone(phone: str, aud: str, lock: bool = False) -> Statement:
    text = SELECT + "u.phone = $1 and u.aud = $2 and not u.is_sso_user"
    return Statement(text + (" for update" if lock else ""), (phone, aud))


def by_identity(provider: str, provider_id: str, lock: bool = False) -> Statement:
    text = SELECT + "u.id = (select i.user_id from auth.identities i where i.provider = $1 and i.provider_id = $2)"
    return Statement(text + (" for update" if lock else ""), (provider, provider_id))


def page(aud: str, words: str, limit: int, offset: int, ascending: bool = False) -> tuple[Statement, Statement]:
    """Statements for one page of users, newest first unless ascending, and for how many there are. `words` may be
    empty."""
    order = "asc" if ascending else "desc"
    condition = (
        "u.aud = $1 and ($2 = '' or u.email ilike '%' || $2 || '%'"
        " or u.raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')"
    )
    return (
        Statement(
            SELECT + condition + f" order by u.created_at {order}, u.id limit $3::bigint offset $4::bigint",
            (aud, words, str(limit), str(offset)),
        ),
        Statement("select count(*) from auth.users u where " + condition, (aud, words)),
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
    return render(Query.into(USERS).columns(*values).insert(*(bind(value) for value in values.values())))


def update(user_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    """Change columns of a user."""
    query = Query.update(USERS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(value))
    return render(query.where(USERS.field("id") == bind(user_id)))


def delete(user_id: str) -> Statement:
    return render(Query.from_(USERS).delete().where(USERS.field("id") == bind(user_id)))


def json_text(value: Any) -> str:
    """A value for a json column."""
    return orjson.dumps(value).decode()


def merged(current: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata after a shallow merge, in which null removes a key.

    >>> merged({"a": 1, "b": 2}, {"b": None, "c": 3})
    {'a': 1, 'c': 3}
    """
    return {name: value for name, value in {**current, **changes}.items() if value is not None}


# --- identities -----------------------------------------------------------------------------------------------------


def insert_identity(
    user_id: str, provider: str, provider_id: str, data: Mapping[str, Any], now: float, *, signed_in: bool = False
) -> Statement:
    moment = moment_of(now).isoformat()
    values: dict[str, Value] = {
        "id": str(uuid.uuid4()),
        "user_id": user_id,
        "provider": provider,
        "provider_id": provider_id,
        "identity_data": json_text(data),
        "last_sign_in_at": moment if signed_in else None,
        "created_at": moment,
        "updated_at": moment,
    }
    return render(Query.into(IDENTITIES).columns(*values).insert(*(bind(value) for value in values.values())))


def update_identity(identity_id: str, data: Mapping[str, Any], now: float) -> Statement:
    return Statement(
        "update auth.identities set identity_data = identity_data || $2::jsonb, updated_at = $3 where id = $1",
        (identity_id, json_text(data), moment_of(now).isoformat()),
    )


def update_identity_of(user_id: str, provider: str, data: Mapping[str, Any], now: float) -> Statement:
    return Statement(
        "update auth.identities set identity_data = identity_data || $3::jsonb, updated_at = $4"
        " where user_id = $1 and provider = $2",
        (user_id, provider, json_text(data), moment_of(now).isoformat()),
    )


def touch_identities(user_id: str, provider: str, now: float) -> Statement:
    """Remember a sign-in at a provider."""
    return Statement(
        "update auth.identities set last_sign_in_at = $3, updated_at = $3 where user_id = $1 and provider = $2",
        (user_id, provider, moment_of(now).isoformat()),
    )


def delete_identity(identity_id: str) -> Statement:
    return Statement("delete from auth.identities where id = $1", (identity_id,))


# --- one-time tokens ------------------------------------------------------------------------------------------------

# The user's column that a kind of token is also kept in, and the column of when it was sent.
TOKEN_COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "confirmation_token": ("confirmation_token", "confirmation_sent_at"),
    "recovery_token": ("recovery_token", "recovery_sent_at"),
    "email_change_token_new": ("email_change_token_new", "email_change_sent_at"),
    "email_change_token_current": ("email_change_token_current", "email_change_sent_at"),
    "reauthentication_token": ("reauthentication_token", "reauthentication_sent_at"),
    "phone_change_token": ("phone_change_token", "phone_change_sent_at"),
}


def put_token(user_id: str, kind: str, stored: str, recipient: str, now: float) -> tuple[Statement, ...]:
    """Keep a token of a kind, in place of an earlier one."""
    column, sent_at = TOKEN_COLUMNS[kind]
    moment = moment_of(now)
    return (
        update(user_id, {column: stored, sent_at: moment.isoformat()}, now),
        _keep_token(user_id, kind, stored, recipient, now),
    )


def put_mark(user_id: str, kind: str, mark: str, recipient: str, now: float) -> tuple[Statement, ...]:
    """Keep a mark where a token was: it says that the token came back, and cannot be presented."""
    return (
        update(user_id, {TOKEN_COLUMNS[kind][0]: ""}, now),
        _keep_token(user_id, kind, mark, recipient, now),
    )


def _keep_token(user_id: str, kind: str, stored: str, recipient: str, now: float) -> Statement:
    return Statement(
        "insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)"
        " values ($1, $2, $3, $4, $5, $6, $6)"
        " on conflict (user_id, token_type) do update set id = excluded.id, token_hash = excluded.token_hash,"
        " relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at",
        (
            str(uuid.uuid4()),
            user_id,
            kind,
            stored,
            recipient.lower(),
            moment_of(now).replace(tzinfo=None).isoformat(),
        ),
    )


def tokens_of(user_id: str, kinds: Sequence[str]) -> Statement:
    """Kind, stored form and moment of a user's tokens of some kinds."""
    return Statement(
        "select token_type::text, token_hash, to_json(created_at) #>> '{}' from auth.one_time_tokens"
        " where user_id = $1 and token_type::text = any($2::text[])",
        (user_id, array_literal(list(kinds))),
    )


def lock_owner(kinds: Sequence[str], candidates: Sequence[str]) -> Statement:
    """Lock the user whose token it is, before the token is taken: every writer locks users first, then tokens."""
    return Statement(
        "select from auth.users where id = (select user_id from auth.one_time_tokens"
        " where token_hash = any($1::text[]) and token_type::text = any($2::text[])"
        " order by created_at desc limit 1) for update",
        (array_literal(list(candidates)), array_literal(list(kinds))),
    )


def take_token(kinds: Sequence[str], candidates: Sequence[str]) -> Statement:
    """Use a token up: its user, kind, age and address. Of two that come at once, only one gets a row."""
    text = (
        "with taken as (delete from auth.one_time_tokens where id = (select id from auth.one_time_tokens"
        " where token_hash = any($1::text[]) and token_type::text = any($2::text[])"
        " order by created_at desc limit 1) returning *)"
        f" select ({DOCUMENT}) || jsonb_build_object('token_type', t.token_type, 'token_sent_at', t.created_at,"
        " 'token_relates_to', t.relates_to) from taken t join auth.users u on u.id = t.user_id"
    )
    return Statement(text, (array_literal(list(candidates)), array_literal(list(kinds))))


def clear_tokens(user_id: str) -> tuple[Statement, ...]:
    """Forget every one-time token of a user."""
    return (
        Statement(
            "update auth.users set confirmation_token = '', recovery_token = '', email_change_token_new = '',"
            " email_change_token_current = '', reauthentication_token = '', phone_change_token = '' where id = $1",
            (user_id,),
        ),
        Statement("delete from auth.one_time_tokens where user_id = $1", (user_id,)),
    )


# --- factors --------------------------------------------------------------------------------------------------------


def insert_factor(
    factor_id: str, user_id: str, name: str, now: float, *, secret: str | None = None, phone: str | None = None
) -> Statement:
    """A factor that is to be proven: an app with a secret, or a number."""
    moment = moment_of(now).isoformat()
    kind = "totp" if phone is None else "phone"
    return Statement(
        "insert into auth.mfa_factors"
        " (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)"
        " values ($1, $2, $3, $4, 'unverified', $5, $6, $7, $7)",
        (factor_id, user_id, name, kind, secret, phone, moment),
    )


def update_factor(factor_id: str, columns: Mapping[str, Value], now: float) -> Statement:
    query = Query.update(FACTORS).set("updated_at", bind(moment_of(now).isoformat()))
    for name, value in columns.items():
        query = query.set(name, bind(value))
    return render(query.where(FACTORS.field("id") == bind(factor_id)))


def delete_factor(factor_id: str) -> Statement:
    return Statement("delete from auth.mfa_factors where id = $1", (factor_id,))


def delete_unverified_factors(user_id: str, factor_type: str) -> Statement:
    return Statement(
        "delete from auth.mfa_factors where user_id = $1 and factor_type = $2 and status = 'unverified'",
        (user_id, factor_type),
    )
