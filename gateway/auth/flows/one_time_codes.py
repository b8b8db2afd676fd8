"""One-time codes and links: made, stored, mailed, found again. The rules of how often live here too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.crypto import tokens as codes
from gateway.auth.outbound.mailer import Mail
from gateway.auth.store import limits, one_time_tokens
from gateway.auth.store.limits import Permit
from gateway.auth.types import User, is_over, read_time
from gateway.database import Result
from gateway.database.statement import Statement
from gateway.errors import ApiError, ErrorRow

PKCE_PREFIX: Final = "pkce_"


@dataclass(frozen=True, slots=True)
class Link:
    """A code for a recipient. `token_type` is the kind that is stored, `verification` the word in the link."""

    token_type: str
    verification: str
    recipient: str
    code: str
    hashed: str
    url: str


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A stored token and whose it is."""

    user: User
    token_type: str
    recipient: str
    sent_at: datetime

    def is_expired(self, now: float, lifetime: float) -> bool:
        return is_over(self.sent_at, now, lifetime)


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a token that was presented may be stored as."""

    kinds: tuple[str, ...]
    candidates: tuple[str, ...]

    def lock(self) -> Statement:
        """Lock the row of the user whose token it is."""
        return one_time_tokens.lock_owner(self.kinds, self.candidates)

    def take(self) -> Statement:
        """Use the token up."""
        return one_time_tokens.take_token(self.kinds, self.candidates)


def lifetime(context: Context, found: FoundToken) -> float:
    """Seconds that a token is valid: one sent to a number has a life of its own."""
    return context.settings.mailer_otp_exp if "@" in found.recipient else context.settings.sms_otp_exp


def new_link(
    context: Context, token_type: str, verification: str, recipient: str, redirect_to: str, *, pkce: bool = False
) -> Link:
    """A fresh code and its link."""
    code = codes.new_code(context.settings.mailer_otp_length)
    hashed = (PKCE_PREFIX if pkce else "") + link_hash(context, recipient, code)
    query = urlencode({"token": hashed, "type": verification, "redirect_to": redirect_to})
    return Link(token_type, verification, recipient, code, hashed, f"{context.external_url}/verify?{query}")


def link_hash(context: Context, recipient: str, code: str) -> str:
    """What a link carries for a code. The original's hash can be computed by whoever guesses a code."""
    if context.settings.auth_plain_tokens:
        return codes.hash_code(recipient, code)
    return context.secret.link(recipient, code)


def store_link(context: Context, user_id: str, link: Link, now: float) -> tuple[Statement, ...]:
    """Keep a link's token: in a form that cannot be presented, unless settings ask for the original's."""
    stored = link.hashed if context.settings.auth_plain_tokens else context.secret.stored(link.hashed)
    return one_time_tokens.put(user_id, link.token_type, stored, link.recipient, now)


def mail_link(
    context: Context,
    call: AuthCall,
    kind: str,
    link: Link,
    *,
    redirect_to: str,
    data: Mapping[str, Any],
    to: str | None = None,
    new_email: str = "",
) -> Statement:
    """The mail that carries a link and its code."""
    values = {
        "ConfirmationURL": link.url,
        "Token": link.code,
        "TokenHash": link.hashed,
        "SiteURL": context.site_url,
        "RedirectTo": redirect_to,
        "NewEmail": new_email,
        "Data": data,
    }
    return context.messages.mail(Mail(kind, to or link.recipient, values, call.request.request_id))


def code_lookup(context: Context, permit: Permit, kinds: tuple[str, ...], recipient: str, code: str) -> Lookup:
    """How the token of a code that was sent to a recipient may be stored. A code is short enough to be guessed."""
    # The original's hash: of rows of a restored database, and of codes that were sent before links were keyed.
    hashes = (*context.secret.all_links(recipient, code), codes.hash_code(recipient, code))
    return _lookup(context, kinds, (*hashes, *(PKCE_PREFIX + hashed for hashed in hashes)))


def hash_lookup(context: Context, kinds: tuple[str, ...], hashed: str) -> Lookup:
    """How the token of a link may be stored. A link has 224 bits: nobody guesses it."""
    return _lookup(context, kinds, (hashed,))


def _lookup(context: Context, kinds: tuple[str, ...], hashes: tuple[str, ...]) -> Lookup:
    # Rows of a restored database hold the hash itself. What this server stores has a mark that no link may carry,
    # so its own rows cannot be presented.
    plain = [each for each in hashes if not codes.is_half_key(each)]
    return Lookup(kinds, (*(kept for each in hashes for kept in context.secret.all_stored(each)), *plain))


def read_found(result: Result) -> FoundToken | None:
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    sent_at = read_time(row["token_sent_at"])
    if sent_at is None:
        return None
    return FoundToken(User.of(row), row["token_type"], row["token_relates_to"], sent_at)


@dataclass(frozen=True, slots=True)
class Channel:
    """A way of reaching people, how often it may be used, and what is said when that is too often."""

    name: str
    wait: float  # seconds between two of a kind to one address
    per_hour: float
    too_soon: ErrorRow
    over: ErrorRow


def mail_channel(context: Context) -> Channel:
    settings = context.settings
    return Channel(
        "mail", settings.smtp_max_frequency, settings.rate_limit_email_sent, errors.MAIL_TOO_SOON, errors.MAIL_QUOTA
    )


def sms_channel(context: Context, wait: float | None = None) -> Channel:
    settings = context.settings
    wait = settings.sms_max_frequency if wait is None else wait
    return Channel("sms", wait, settings.rate_limit_sms_sent, errors.SMS_TOO_SOON, errors.SMS_QUOTA)


def interval_name(context: Context, channel: Channel, kind: str, recipient: str) -> str:
    """Name of the limit of one kind to one address."""
    return context.secret.name(f"{channel.name}-{kind}", recipient)


async def demand_mail(context: Context, call: AuthCall, kind: str, recipient: str) -> None:
    """Allow one mail of a kind to an address. Raises ApiError over_email_send_rate_limit."""
    await expect_mail(context, call, kind, recipient)
    await count(context, call, mail_channel(context))


async def expect_mail(context: Context, call: AuthCall, kind: str, recipient: str) -> None:
    """As `demand_mail`, before it is known whether a mail is sent. Raises ApiError over_email_send_rate_limit."""
    await context.messages.demand_queue()
    await expect(context, call, mail_channel(context), kind, recipient)


async def demand(context: Context, call: AuthCall, channel: Channel, kind: str, recipient: str) -> None:
    """Allow one message of a kind to an address. Raises ApiError."""
    await expect(context, call, channel, kind, recipient)
    await count(context, call, channel)


async def expect(context: Context, call: AuthCall, channel: Channel, kind: str, recipient: str) -> None:
    """Look at the limits of a message before anybody is looked up: the same answers at the same moments for addresses
    that somebody has and that nobody has. Raises ApiError."""
    name = interval_name(context, channel, kind, recipient)
    wait = channel.wait
    if wait > 0:
        taken = await context.run(limits.present(name, call.now), limits.take_interval(name, wait, call.now))
        if not limits.holds(taken[-1]):
            value = (await context.run(limits.age(name, call.now)))[0].value
            raise ApiError(channel.too_soon, seconds=max(1, math.ceil(wait - float(value or 0))))
    if await context.guards.is_empty(channel.name, _quota(channel), call):
        raise ApiError(channel.over)


async def count(context: Context, call: AuthCall, channel: Channel) -> None:
    """Count a message that is sent against the quota of all. Raises ApiError."""
    if not await context.guards.took(channel.name, _quota(channel), call):
        raise ApiError(channel.over)


def _quota(channel: Channel) -> limits.TokenBucket:
    return limits.per(channel.per_hour, 3600, channel.per_hour)
