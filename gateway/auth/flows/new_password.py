"""New passwords: whether they are good enough, and all that changes with one."""

from __future__ import annotations

import hashlib
import logging

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import too_long
from gateway.auth.outbound import http as web
from gateway.auth.outbound.mailer import Mail
from gateway.auth.store import mail_queue, one_time_tokens, users
from gateway.auth.types import User
from gateway.database.statement import Statement, Value

log = logging.getLogger("gateway.auth")


def demand_length(password: str) -> None:
    """Refuse what bcrypt would cut. Raises ApiError validation_failed.

    bcrypt reads the first 72 bytes (letters outside ASCII take two to four): a longer password would be no
    stronger, and anything that began alike would open the account.
    """
    if too_long(password):
        raise errors.invalid("Password cannot be longer than 72 characters")


async def demand_strength(context: Context, password: str) -> None:
    """Refuse a new password that breaks the rules. Raises ApiError validation_failed or weak_password."""
    demand_length(password)
    faults = context.guards.rules.broken(password)
    if not faults and context.settings.password_hibp_enabled and await _is_leaked(context, password):
        message = "Password is known to be weak and easy to guess, please choose a different one."
        faults.append(("pwned", message))
    if faults:
        raise errors.weak_password(tuple(reason for reason, _ in faults), tuple(message for _, message in faults))


async def _is_leaked(context: Context, password: str) -> bool:
    """Ask the leak service with the first five digits of the hash; the password does not leave the server."""
    digest = hashlib.sha1(password.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest().upper()
    url = context.settings.password_hibp_url.rstrip("/") + "/" + digest[:5]
    try:
        reply = await web.ask("GET", url, timeout=5, headers={"add-padding": "true"})
        if not reply.ok:
            raise web.WebError(f"status {reply.status}")
    except web.WebError as error:
        log.warning("the leaked-password service cannot be reached: %s", error)
        return context.settings.password_hibp_fail_closed
    for line in reply.text.splitlines():
        suffix, _, count = line.strip().partition(":")
        if suffix == digest[5:]:
            return count != "0"
    return False


def password_changes(user: User, hashed: str, now: float) -> tuple[dict[str, Value], list[Statement]]:
    """Columns and statements of a new password: earlier codes end, and so does a one-time password's mark."""
    columns: dict[str, Value] = {"encrypted_password": hashed}
    if "must_change_password" in user.app_metadata:
        columns["raw_app_meta_data"] = users.json_text(users.merged(user.app_metadata, {"must_change_password": None}))
    return columns, list(one_time_tokens.clear(user.id))


async def password_notice(context: Context, call: AuthCall, user: User) -> list[Statement]:
    """The mail that tells a user of the change. Without a job queue the change happens all the same."""
    if not user.email:
        return []
    if (await context.run(mail_queue.EXISTS))[0].value != b"t":
        log.warning("the notice of a changed password is not sent: function jobs.enqueue_mail is missing")
        return []
    values = {"SiteURL": context.site_url, "Data": user.user_metadata}
    return [context.messages.mail(Mail("password_changed", user.email, values, call.request.request_id))]
