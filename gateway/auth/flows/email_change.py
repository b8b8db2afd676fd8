"""The change of an e-mail address, as one state machine.

A user has at most one pending change; `users.email_change` names the new address. Each mailbox that has to agree is a
side, and each side is one row of `auth.one_time_tokens`:

    no row --mailed--> a token that can be presented --presented--> a mark that this side confirmed

A mark is made with the server's secret from the user, the side and both addresses, so it counts for this change alone:
after a request for another address, or once the current address is another, it means nothing. Mailing a side again
replaces its row and takes its confirmation back. The address changes when every side that is asked holds its mark.
The user's row is locked from the look at the token to the end, so no two steps of one user overlap.
"""

from __future__ import annotations

from typing import Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of
from gateway.auth.context import Context
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.one_time_codes import FoundToken, Lookup
from gateway.auth.store import one_time_tokens, users
from gateway.auth.store.audit import record
from gateway.auth.types import User, is_over, read_time
from gateway.database import Transaction
from gateway.database.statement import Statement
from gateway.errors import ApiError

CURRENT: Final = "email_change_token_current"
NEW: Final = "email_change_token_new"
SIDES: Final = (NEW, CURRENT)


def mailed(context: Context, user: User) -> tuple[str, ...]:
    """The sides that get a mail."""
    return SIDES if context.settings.mailer_secure_email_change and user.email else (NEW,)


def begin(context: Context, call: AuthCall, user: User, email: str, *, pkce: bool) -> list[Statement]:
    """Ask for a change to `email`, in place of any that is pending, and mail every side."""
    redirect_to = context.redirect_to(call)
    statements = list(aim(user.id, email, call.now))
    for side in mailed(context, user):
        recipient = email if side == NEW else user.email or ""
        link = links.new_link(context, side, "email_change", recipient, redirect_to, pkce=pkce)
        statements += links.store_link(context, user.id, link, call.now)
        statements.append(
            links.mail_link(
                context, call, "email_change", link, redirect_to=redirect_to, data=user.user_metadata, new_email=email
            )
        )
    statements.append(users.update(user.id, {"email_change_confirm_status": "0"}, call.now))
    return statements


def aim(user_id: str, email: str, now: float) -> tuple[Statement, ...]:
    """Make `email` the address of the pending change; tokens and marks of a change to another address end."""
    return users.lock(user_id), one_time_tokens.aim_email_change(user_id, email, now)


async def resend(context: Context, call: AuthCall, user_id: str, email: str, challenge: tuple[str, str] | None) -> None:
    """Mail every side of a pending change once more. A change that became another one meanwhile is left alone."""
    async with context.db.transaction() as tx:
        user = users.read(await tx.run(users.by_id(user_id, lock=True)))
        if user is None or user.new_email != email:
            return
        await tx.run_all(
            *begin(context, call, user, email, pkce=challenge is not None),
            *([people.begin_flow(user.id, "email_change", challenge, call.now)] if challenge else []),
            record("user_modified", actor_of(user), call.origin, call.now, traits={"resent": "email_change"}),
        )


async def confirm(context: Context, call: AuthCall, lookup: Lookup) -> tuple[User, bool] | None:
    """Use up a token of one side: the user and whether the address has changed; None for a token that is not good.

    Raises ApiError user_banned.
    """
    async with context.db.transaction() as tx:
        _, taken = await tx.run_all(lookup.lock(), lookup.take())
        found = links.read_found(taken)
        if found is None:
            return None
        user = found.user
        call.actor = actor_of(user)
        if _is_good(context, call, found):
            if user.is_banned(call.now):
                raise ApiError(errors.TOKEN_USER_BANNED)
            return await _confirm_side(context, call, tx, user, found.token_type)
    return None


def _is_good(context: Context, call: AuthCall, found: FoundToken) -> bool:
    """Whether a token was sent to the mailbox that its side has today."""
    user = found.user
    mailbox = user.new_email if found.token_type == NEW else user.email
    return (
        bool(user.new_email)
        and found.recipient == (mailbox or "").lower()
        and not found.is_expired(call.now, links.lifetime(context, found))
    )


async def _confirm_side(context: Context, call: AuthCall, tx: Transaction, user: User, side: str) -> tuple[User, bool]:
    email = user.new_email or ""
    confirmed = {side} | await _confirmed(context, call, tx, user)
    if _required(context, user) <= confirmed or (context.settings.mailer_autoconfirm and confirmed):
        # Users first, then their tokens: every writer locks in this order.
        await tx.run_all(
            *people.change_email(user, email, call.now),
            *one_time_tokens.clear(user.id),
            record("user_modified", call.actor, call.origin, call.now, traits={"changed": ["email"]}),
        )
        return user, True
    await tx.run_all(
        users.update(user.id, {"email_change_confirm_status": "1"}, call.now),
        *one_time_tokens.put_mark(
            user.id, side, _marks(context, user, side)[0], email if side == NEW else user.email or "", call.now
        ),
        record("user_modified", call.actor, call.origin, call.now, traits={"half": True}),
    )
    return user, False


def _required(context: Context, user: User) -> set[str]:
    """The sides that have to agree; where addresses are not confirmed at all, either does."""
    return set(mailed(context, user))


async def _confirmed(context: Context, call: AuthCall, tx: Transaction, user: User) -> set[str]:
    """The sides that hold a mark of this change which is no older than a link may be."""
    confirmed = set()
    for row in (await tx.run(one_time_tokens.of_user(user.id, SIDES))).rows:
        side, kept, created = ((value or b"").decode() for value in row)
        at = read_time(created)
        is_fresh = at is not None and not is_over(at, call.now, context.settings.mailer_otp_exp)
        if is_fresh and kept in _marks(context, user, side):
            confirmed.add(side)
    return confirmed


def _marks(context: Context, user: User, side: str) -> tuple[str, ...]:
    """What says that a side confirmed the pending change: by the current secret first, then by each former one."""
    change = "\0".join((user.id, side, user.email or "", user.new_email or ""))
    return context.secret.all_marks("email_change", change)
