"""The account of somebody for whom a provider vouches: found, made, or linked to another way of signing in."""

from __future__ import annotations

from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of
from gateway.auth.context import Context
from gateway.auth.flows import new_users as people
from gateway.auth.flows.signup import send_confirmation
from gateway.auth.outbound.providers import Person
from gateway.auth.store import audit, identities, one_time_tokens, sessions, users
from gateway.auth.types import User, moment_of
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError


async def account_of(context: Context, call: AuthCall, person: Person) -> User:
    """The account of somebody a provider vouches for; made where sign-up is allowed.

    An account with the same address is theirs only when the provider has verified it. If nobody ever confirmed that
    account, whatever was set up on it before (a password above all) may be a stranger's and is dropped.
    """
    known = await context.find(users.by_identity(person.provider, person.subject))
    if known is not None:
        call.actor = actor_of(known)
        identity = next(item for item in known.identities if item.provider_id == person.subject)
        columns: dict[str, Value] = {"raw_user_meta_data": _told(known, person)}
        vouched = person.email_verified and person.email == known.email
        if _waits(known) and (vouched or context.settings.mailer_autoconfirm):
            columns["email_confirmed_at"] = moment_of(call.now).isoformat()
        await context.run(
            identities.update(identity.id, person.data, call.now),
            identities.touch(known.id, person.provider, call.now),
            users.update(known.id, columns, call.now),
        )
        return await _welcome(context, call, await context.reload(known.id), person)
    same = None
    if person.email:
        same = await context.find(users.by_email(person.email, context.audience(call)))
    if same is not None:
        if not person.email_verified:
            raise ApiError(errors.PROVIDER_EMAIL_UNVERIFIED, provider=person.provider)
        await context.run(*_adopt(same, person, call.now))
        return await context.reload(same.id)
    if context.settings.disable_signup:
        raise ApiError(errors.SIGNUP_DISABLED)
    return await _new_account(context, call, person)


def _waits(user: User) -> bool:
    """Whether nobody has shown yet that a user's address is theirs."""
    return bool(user.email) and user.email_confirmed_at is None and user.phone_confirmed_at is None


async def _welcome(context: Context, call: AuthCall, user: User, person: Person) -> User:
    """The user, unless their address waits to be confirmed: its mail is sent again then.

    Their tokens name the address, so a session must not come before its owner agreed, however often they try.
    """
    if not _waits(user):
        return user
    try:
        await send_confirmation(context, call, user.email or "", user, "", user.user_metadata, None)
    except ApiError as error:
        if error.status != 429:
            raise
    raise ApiError(errors.PROVIDER_EMAIL_UNVERIFIED, provider=person.provider)


async def _new_account(context: Context, call: AuthCall, person: Person) -> User:
    confirmed = person.email_verified or context.settings.mailer_autoconfirm
    app = {"provider": person.provider, "providers": [person.provider]}
    columns: dict[str, Value] = {
        "raw_app_meta_data": users.json_text(app),
        "email": person.email or None,
        "raw_user_meta_data": users.json_text(dict(person.data)),
        "email_confirmed_at": moment_of(call.now).isoformat() if confirmed and person.email else None,
    }
    user_id, statements = await people.new_user(context, call, columns=columns)
    statements.append(
        identities.insert(user_id, person.provider, person.subject, person.data, call.now, signed_in=True)
    )
    statements.append(
        audit.record("user_signedup", audit.Actor(user_id, person.email), call.origin, call.now,
                     traits={"provider": person.provider})
    )  # fmt: skip
    await people.make(context, statements)
    user = await context.reload(user_id)
    call.actor = actor_of(user)
    return await _welcome(context, call, user, person)


def _adopt(user: User, person: Person, now: float) -> list[Statement]:
    """Add a verified identity to the account of the same address."""
    statements = [_add(user, person, now)]
    columns: dict[str, Value] = {
        "raw_app_meta_data": users.json_text(_with_provider(user, person.provider)),
        "raw_user_meta_data": _told(user, person),
    }
    if user.email_confirmed_at is None:
        columns |= {"encrypted_password": None, "email_confirmed_at": moment_of(now).isoformat()}
        columns["raw_user_meta_data"] = users.json_text(dict(person.data))
        statements += [
            identities.delete_of_provider(user.id, "email"),
            *one_time_tokens.clear(user.id),
            sessions.delete_of_user(user.id),
        ]
    return [*statements, users.update(user.id, columns, now)]


async def link_to(context: Context, call: AuthCall, user_id: str, person: Person) -> User:
    """Add an identity to the account of the user who asked for it."""
    user = await context.reload(user_id)
    call.actor = actor_of(user)
    owner = await context.find(users.by_identity(person.provider, person.subject))
    if owner is not None:
        raise ApiError(errors.IDENTITY_EXISTS, whom="" if owner.id == user.id else " to another user")
    columns: dict[str, Value] = {"raw_app_meta_data": users.json_text(_with_provider(user, person.provider))}
    if user.is_anonymous:
        columns["is_anonymous"] = "false"
    if user.email is None and person.email and person.email_verified:
        if await context.find(users.by_email(person.email, user.aud)) is not None:
            raise ApiError(errors.EMAIL_EXISTS)
        columns |= {"email": person.email, "email_confirmed_at": moment_of(call.now).isoformat()}
    await context.run(
        _add(user, person, call.now),
        users.update(user.id, columns, call.now),
        audit.record("identity_linked", call.actor, call.origin, call.now, traits={"provider": person.provider}),
    )
    return await context.reload(user.id)


def _add(user: User, person: Person, now: float) -> Statement:
    return identities.insert(user.id, person.provider, person.subject, person.data, now, signed_in=True)


def _told(user: User, person: Person) -> str:
    """user_metadata with what the provider says now."""
    return users.json_text(users.merged(user.user_metadata, person.data))


def _with_provider(user: User, provider: str) -> dict[str, Any]:
    providers = list(user.app_metadata.get("providers") or [])
    if provider not in providers:
        providers.append(provider)
    return {**user.app_metadata, "provider": user.app_metadata.get("provider") or provider, "providers": providers}
