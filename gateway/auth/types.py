"""People, sessions and second factors as they are read from schema `auth`; frozen, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final


def read_time(text: str | None) -> datetime | None:
    """A moment from its JSON text; one without a zone is UTC.

    >>> read_time("2026-01-02T03:04:05.5+01:00").isoformat()
    '2026-01-02T02:04:05.500000+00:00'
    """
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def show_time(moment: datetime) -> str:
    """A moment as clients want it: RFC 3339 in UTC.

    >>> show_time(datetime(2026, 1, 2, 3, 4, 5, 500000, UTC))
    '2026-01-02T03:04:05.500000Z'
    """
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment_of(epoch: float) -> datetime:
    """The moment of seconds since 1970."""
    return datetime.fromtimestamp(epoch, UTC)


AHEAD: Final = 60.0  # seconds that another machine's clock may be ahead of this one


def is_over(begun: datetime, now: float, lifetime: float) -> bool:
    """Whether what began at a moment and lasts so many seconds is over at `now` (epoch seconds).

    What began in the future was written while a clock ran ahead. It is over too: it would otherwise last longer than
    it may, by as much as the clock was wrong.
    """
    age = now - begun.timestamp()
    return age > lifetime or age < -AHEAD


@dataclass(frozen=True, slots=True)
class UserIdentity:
    """A way of signing in. `provider_id` is the user's id at the provider."""

    id: str
    provider_id: str
    user_id: str
    provider: str
    data: Mapping[str, Any]
    email: str | None
    last_sign_in_at: datetime | None
    created_at: datetime | None
    updated_at: datetime | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> UserIdentity:
        return cls(
            id=row["id"],
            provider_id=row["provider_id"],
            user_id=row["user_id"],
            provider=row["provider"],
            data=row["identity_data"] or {},
            email=row["email"],
            last_sign_in_at=read_time(row["last_sign_in_at"]),
            created_at=read_time(row["created_at"]),
            updated_at=read_time(row["updated_at"]),
        )


@dataclass(frozen=True, slots=True)
class Factor:
    """A second factor. `secret` is base32 and never leaves the server after enrolment; `credential` is a security key's
    public half, `answered` its last challenge and answer."""

    id: str
    user_id: str
    friendly_name: str | None
    factor_type: str
    status: str
    phone: str | None
    secret: str | None
    created_at: datetime | None
    updated_at: datetime | None
    last_challenged_at: datetime | None
    credential: Mapping[str, Any] | None = None
    aaguid: str | None = None
    answered: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Factor:
        return cls(
            id=row["id"],
            user_id=row["user_id"],
            friendly_name=row["friendly_name"],
            factor_type=row["factor_type"],
            status=row["status"],
            phone=row["phone"],
            secret=row["secret"],
            created_at=read_time(row["created_at"]),
            updated_at=read_time(row["updated_at"]),
            last_challenged_at=read_time(row["last_challenged_at"]),
            credential=row.get("web_authn_credential"),
            aaguid=row.get("web_authn_aaguid"),
            answered=row.get("last_webauthn_challenge_data"),
        )

    @property
    def verified(self) -> bool:
        return self.status == "verified"


@dataclass(frozen=True, slots=True)
class User:
    """A row of `auth.users` with its identities and factors."""

    id: str
    aud: str
    role: str
    email: str | None
    phone: str | None
    password: str | None
    email_confirmed_at: datetime | None
    phone_confirmed_at: datetime | None
    confirmed_at: datetime | None
    invited_at: datetime | None
    confirmation_sent_at: datetime | None
    recovery_sent_at: datetime | None
    new_email: str | None
    new_phone: str | None
    email_change_sent_at: datetime | None
    phone_change_sent_at: datetime | None
    reauthentication_sent_at: datetime | None
    last_sign_in_at: datetime | None
    app_metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any]
    created_at: datetime | None
    updated_at: datetime | None
    banned_until: datetime | None
    deleted_at: datetime | None
    is_sso_user: bool
    is_anonymous: bool
    identities: tuple[UserIdentity, ...] = ()
    factors: tuple[Factor, ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> User:
        """A user of the JSON that `users.DOCUMENT` is."""
        return cls(
            id=row["id"],
            aud=row["aud"] or "",
            role=row["role"] or "",
            email=row["email"] or None,
            phone=row["phone"] or None,
            password=row["encrypted_password"] or None,
            email_confirmed_at=read_time(row["email_confirmed_at"]),
            phone_confirmed_at=read_time(row["phone_confirmed_at"]),
            confirmed_at=read_time(row["confirmed_at"]),
            invited_at=read_time(row["invited_at"]),
            confirmation_sent_at=read_time(row["confirmation_sent_at"]),
            recovery_sent_at=read_time(row["recovery_sent_at"]),
            new_email=row["email_change"] or None,
            new_phone=row["phone_change"] or None,
            email_change_sent_at=read_time(row["email_change_sent_at"]),
            phone_change_sent_at=read_time(row["phone_change_sent_at"]),
            reauthentication_sent_at=read_time(row["reauthentication_sent_at"]),
            last_sign_in_at=read_time(row["last_sign_in_at"]),
            app_metadata=row["raw_app_meta_data"] or {},
            user_metadata=row["raw_user_meta_data"] or {},
            created_at=read_time(row["created_at"]),
            updated_at=read_time(row["updated_at"]),
            banned_until=read_time(row["banned_until"]),
            deleted_at=read_time(row["deleted_at"]),
            is_sso_user=row["is_sso_user"],
            is_anonymous=row["is_anonymous"],
            identities=tuple(UserIdentity.of(item) for item in row.get("identities") or ()),
            factors=tuple(Factor.of(item) for item in row.get("factors") or ()),
        )

    def is_banned(self, now: float) -> bool:
        """Whether a ban is in force at `now` (epoch seconds)."""
        return self.banned_until is not None and self.banned_until.timestamp() > now

    @property
    def has_verified_factor(self) -> bool:
        return any(factor.verified for factor in self.factors)

    def identity(self, provider: str) -> UserIdentity | None:
        """The user's first identity at a provider."""
        return next((item for item in self.identities if item.provider == provider), None)


@dataclass(frozen=True, slots=True)
class Session:
    """A row of `auth.sessions` with its AMR claims, newest first, as (method, epoch seconds).

    A session of another application's has its client, and the scopes that the user agreed to.
    """

    id: str
    user_id: str
    aal: str
    amr: tuple[tuple[str, int], ...]
    created_at: datetime
    refreshed_at: datetime | None
    not_after: datetime | None
    hmac_key: str | None
    counter: int | None
    user_agent: str | None
    ip: str | None
    tag: str | None
    factor_id: str | None
    oauth_client_id: str | None = None
    scopes: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Session:
        """A session of the JSON that `sessions.SESSION` is."""
        claims = [(item["method"], int(item["at"])) for item in row.get("amr") or ()]
        created = read_time(row["created_at"])
        return cls(
            id=row["id"],
            user_id=row["user_id"],
            aal=row["aal"] or "aal1",
            amr=tuple(sorted(claims, key=lambda claim: claim[1], reverse=True)),
            created_at=created if created is not None else datetime.fromtimestamp(0, UTC),
            refreshed_at=read_time(row["refreshed_at"]),
            not_after=read_time(row["not_after"]),
            hmac_key=row["refresh_token_hmac_key"],
            counter=row["refresh_token_counter"],
            user_agent=row["user_agent"],
            ip=row["ip"],
            tag=row["tag"],
            factor_id=row["factor_id"],
            oauth_client_id=row["oauth_client_id"],
            scopes=row["scopes"],
        )

    @property
    def active_at(self) -> datetime:
        """When it was last refreshed, or begun."""
        return self.refreshed_at or self.created_at


@dataclass(frozen=True, slots=True)
class TableToken:
    """A row of `auth.refresh_tokens`."""

    id: int
    token: str
    parent: str | None
    revoked: bool
    updated_at: datetime | None
