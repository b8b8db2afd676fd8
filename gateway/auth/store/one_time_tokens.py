"""Statements for one-time tokens: what a mailed link or a code is stored as, and used up by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gateway.auth.store.tables import ONE_TIME_TOKENS, USERS, delete_where, insert_row
from gateway.auth.store.users import DOCUMENT, new_id, update
from gateway.auth.types import moment_of
from gateway.database.sql import parameter, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement, array_literal

# The user's column that a kind of token is also kept in, and the column of when it was sent.
COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "confirmation_token": ("confirmation_token", "confirmation_sent_at"),
    "recovery_token": ("recovery_token", "recovery_sent_at"),
    "email_change_token_new": ("email_change_token_new", "email_change_sent_at"),
    "email_change_token_current": ("email_change_token_current", "email_change_sent_at"),
    "reauthentication_token": ("reauthentication_token", "reauthentication_sent_at"),
    "phone_change_token": ("phone_change_token", "phone_change_sent_at"),
}

_KEEP: Final = template(
    insert_row(
        ONE_TIME_TOKENS,
        "id",
        "user_id",
        "token_type",
        "token_hash",
        "relates_to",
        created_at="now",
        updated_at="now",
    )
    .on_conflict("user_id", "token_type")
    .do_update("id")
    .do_update("token_hash")
    .do_update("relates_to")
    .do_update("created_at")
    .do_update("updated_at")
)


def put(user_id: str, kind: str, stored: str, recipient: str, now: float) -> tuple[Statement, ...]:
    """Keep a token of a kind, in place of an earlier one."""
    column, sent_at = COLUMNS[kind]
    moment = moment_of(now)
    return (
        update(user_id, {column: stored, sent_at: moment.isoformat()}, now),
        _keep(user_id, kind, stored, recipient, now),
    )


def put_mark(user_id: str, kind: str, mark: str, recipient: str, now: float) -> tuple[Statement, ...]:
    """Keep a mark where a token was: it says that the token came back, and cannot be presented."""
    return (
        update(user_id, {COLUMNS[kind][0]: ""}, now),
        _keep(user_id, kind, mark, recipient, now),
    )


def _keep(user_id: str, kind: str, stored: str, recipient: str, now: float) -> Statement:
    return _KEEP.fill(
        id=new_id(),
        user_id=user_id,
        token_type=kind,
        token_hash=stored,
        relates_to=recipient.lower(),
        now=moment_of(now).replace(tzinfo=None).isoformat(),
    )


_OF_USER: Final = template(
    sql(
        "select token_type::text, token_hash, to_json(created_at) #>> '{}' from auth.one_time_tokens where user_id = ",
        parameter("user_id"),
        " and token_type::text = any(",
        parameter("kinds"),
        "::text[])",
    )
)
_NEWEST: Final = sql(
    " from auth.one_time_tokens where token_hash = any(",
    parameter("candidates"),
    "::text[]) and token_type::text = any(",
    parameter("kinds"),
    "::text[]) order by created_at desc limit 1",
)
_LOCK_OWNER: Final = template(sql("select from auth.users where id = (select user_id", _NEWEST, ") for update"))
_TAKE: Final = template(
    sql(
        "with taken as (delete from auth.one_time_tokens where id = (select id",
        _NEWEST,
        ") returning *) select (",
        DOCUMENT,
        ") || jsonb_build_object('token_type', t.token_type, 'token_sent_at', t.created_at,"
        " 'token_relates_to', t.relates_to) from taken t join auth.users u on u.id = t.user_id",
    )
)


def of_user(user_id: str, kinds: Sequence[str]) -> Statement:
    """Kind, stored form and moment of a user's tokens of some kinds."""
    return _OF_USER.fill(user_id=user_id, kinds=array_literal(kinds))


def lock_owner(kinds: Sequence[str], candidates: Sequence[str]) -> Statement:
    """Lock the user whose token it is, before the token is taken: every writer locks users first, then tokens."""
    return _LOCK_OWNER.fill(candidates=array_literal(candidates), kinds=array_literal(kinds))


def take_token(kinds: Sequence[str], candidates: Sequence[str]) -> Statement:
    """Use a token up: its user, kind, age and address. Of two that come at once, only one gets a row."""
    return _TAKE.fill(candidates=array_literal(candidates), kinds=array_literal(kinds))


_CLEAR_COLUMNS: Final = template(
    update_of(USERS)
    .set(USERS.confirmation_token, sql("''"))
    .set(USERS.recovery_token, sql("''"))
    .set(USERS.email_change_token_new, sql("''"))
    .set(USERS.email_change_token_current, sql("''"))
    .set(USERS.reauthentication_token, sql("''"))
    .set(USERS.phone_change_token, sql("''"))
    .where(USERS.id == parameter("id"))
)
_DELETE: Final = delete_where(ONE_TIME_TOKENS, ONE_TIME_TOKENS.user_id == parameter("user_id"))


def clear(user_id: str) -> tuple[Statement, ...]:
    """Forget every one-time token of a user."""
    return _CLEAR_COLUMNS.fill(id=user_id), _DELETE.fill(user_id=user_id)


_AIM: Final = template(
    sql(
        "with aimed as (update auth.users set email_change = ",
        parameter("email"),
        ", email_change_confirm_status = 0, updated_at = ",
        parameter("now"),
        ", email_change_token_new = '', email_change_token_current = '' where id = ",
        parameter("id"),
        " and email_change is distinct from ",
        parameter("email"),
        " returning id) delete from auth.one_time_tokens where user_id in (select id from aimed)"
        " and token_type in ('email_change_token_new', 'email_change_token_current')",
    )
)


def aim_email_change(user_id: str, email: str, now: float) -> Statement:
    """Make `email` the address of the pending change; tokens and marks of a change to another address end."""
    return _AIM.fill(id=user_id, email=email, now=moment_of(now).isoformat())
