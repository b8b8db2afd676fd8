"""The refresh grant: reads and locks the session, asks `rotation` for a decision, and carries it out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of
from gateway.auth.context import Context
from gateway.auth.core import LOCK_TIMEOUT
from gateway.auth.crypto import tokens as codes
from gateway.auth.flows import rotation
from gateway.auth.flows.rotation import Decision, RefreshOutcome
from gateway.auth.sessions import Issued
from gateway.auth.store import audit, limits, refresh_tokens, sessions
from gateway.auth.store.refresh_tokens import Presented
from gateway.auth.types import Session, User, moment_of
from gateway.database import Transaction
from gateway.database.statement import Statement
from gateway.errors import ApiError, ErrorRow

_COUNTER = "counter:"  # what the row of a token that was replaced names as its parent


@dataclass(frozen=True, slots=True)
class Refused:
    """The error to raise once the transaction is committed."""

    row: ErrorRow


async def refresh(context: Context, call: AuthCall) -> Issued:
    """A new access token, and the refresh token that is current afterwards."""
    return await renew(context, call, call.body.text("refresh_token"), None)


async def renew(context: Context, call: AuthCall, text: str, client_id: str | None) -> Issued:
    """The same for a token that a client presents, `None` for the site's own. Raises ApiError."""
    call.client_id = client_id
    token = codes.parse_refresh_token(text)
    if token is None and not codes.is_legacy_token(text):
        raise ApiError(errors.REFRESH_TOKEN_INVALID)
    bucket = limits.per(context.settings.rate_limit_token_refresh, 300, 30)
    address = context.guards.limit_name("refresh", call.origin)
    if address is not None and await context.guards.is_empty(address, bucket, call):
        raise ApiError(errors.OVER_REQUEST_LIMIT)

    async with context.db.transaction(LOCK_TIMEOUT) as tx:
        if token is not None:
            answer = await _refresh_counter(context, call, tx, text, token)
        else:
            answer = await _refresh_row(context, call, tx, text)
    if isinstance(answer, Refused):
        if address is not None:
            await context.guards.took(address, bucket, call)
        raise ApiError(answer.row)
    return answer


async def _refresh_counter(
    context: Context, call: AuthCall, tx: Transaction, text: str, token: codes.RefreshToken
) -> Issued | Refused:
    found = sessions.read_locked((await tx.run_all(*sessions.locked(token.session_id, call.now)))[1])
    if found is None:
        return Refused(errors.REFRESH_TOKEN_NOT_FOUND)
    session, user, has_newer = found
    call.actor = actor_of(user)
    if session.hmac_key is None or session.counter is None:
        return Refused(errors.REFRESH_TOKEN_INVALID)
    presented = token.counter
    if not context.secret.signed(token, session.hmac_key):
        # It may be the last token of a restored session, signed with the key that was replaced since.
        earlier = refresh_tokens.read(await tx.run(refresh_tokens.presented(*context.secret.all_stored(text))))
        counter = _counter_of(earlier)
        if counter is None:
            return Refused(errors.REFRESH_TOKEN_INVALID)
        presented = counter
    return await _carry_out_counter(context, call, tx, text, presented, session, user, has_newer)


async def _carry_out_counter(
    context: Context,
    call: AuthCall,
    tx: Transaction,
    text: str,
    presented: int,
    session: Session,
    user: User,
    has_newer: bool,
) -> Issued | Refused:
    problem = _foreign(call, session) or rotation.check(session, user, call.now, context.sessions.policy, has_newer)
    if problem is not None:
        return Refused(problem)
    key, counter = session.hmac_key or "", session.counter or 0
    decision = rotation.decide_counter(counter, presented, session.refreshed_at, call.now, context.sessions.policy)
    statements: list[Statement] = []
    match decision.outcome:
        case RefreshOutcome.FOREIGN:
            return Refused(errors.REFRESH_TOKEN_FOREIGN)
        case RefreshOutcome.REFUSED:
            return Refused(errors.REFRESH_TOKEN_USED)
        case RefreshOutcome.REUSED:
            await tx.run(sessions.delete(session.id), _audit("token_revoked", call, session))
            return Refused(errors.REFRESH_TOKEN_USED)
        case RefreshOutcome.ROTATE | RefreshOutcome.FURTHER:
            statements.append(sessions.refreshed(session.id, call.origin.agent, call.origin.address, call.now))
            session = replace(session, refreshed_at=moment_of(call.now), counter=counter + 1)
        case RefreshOutcome.REPEAT if session.refreshed_at is not None and session.refreshed_at > moment_of(call.now):
            # By a clock that ran ahead: the interval in which it may be repeated begins now.
            statements.append(sessions.refreshed(session.id, call.origin.agent, call.origin.address, call.now))
        case RefreshOutcome.REPEAT:
            pass
    if not codes.is_half_key(key):
        # Restored from a hosted project: from now on the key works only together with this server's secret.
        key = codes.new_session_key()
        stored = context.secret.stored(text)
        statements.append(
            refresh_tokens.insert(stored, user.id, session.id, f"{_COUNTER}{counter}", call.now, used=True)
        )
        session = replace(session, counter=counter + 1)
    session = replace(session, hmac_key=key)
    if session.counter != counter:
        statements.append(sessions.advance(session.id, key, session.counter or 0, call.now))
    statements.append(_audit("token_refreshed", call, session))
    await tx.finish(*statements)
    _note(call, decision, rotated=session.counter != counter)
    token = codes.make_refresh_token(session.id, session.counter or 0, context.secret.session_key(key))
    return Issued(user, session, token)


async def _refresh_row(context: Context, call: AuthCall, tx: Transaction, text: str) -> Issued | Refused:
    known_as = (text, *context.secret.all_stored(text))
    _, row = await tx.run_all(refresh_tokens.lock_session(*known_as), refresh_tokens.presented(*known_as))
    found = refresh_tokens.read(row)
    if found is None:
        return Refused(errors.REFRESH_TOKEN_NOT_FOUND)
    known = None
    if found.session_id is not None:
        known = sessions.read_locked(await tx.run(sessions.locked(found.session_id, call.now)[1]))
    if known is None:
        await tx.run(refresh_tokens.delete(found.row.id))
        return Refused(errors.REFRESH_NO_SESSION)
    session, user, has_newer = known
    call.actor = actor_of(user)
    counter = _counter_of(found)
    if counter is not None:
        return await _carry_out_counter(context, call, tx, text, counter, session, user, has_newer)
    problem = _foreign(call, session) or rotation.check(session, user, call.now, context.sessions.policy, has_newer)
    if problem is not None:
        return Refused(problem)
    return await _carry_out_row(context, call, tx, found, session, user)


async def _carry_out_row(
    context: Context, call: AuthCall, tx: Transaction, found: Presented, session: Session, user: User
) -> Issued | Refused:
    decision = rotation.decide_row(found.row, found.active, call.now, context.sessions.policy)
    if decision.outcome is RefreshOutcome.REUSED:
        ending = refresh_tokens.revoke_all(session.id, call.now)
        if context.settings.refresh_token_version != 1:
            ending = sessions.delete(session.id)
        await tx.run_all(ending, _audit("token_revoked", call, session))
        return Refused(errors.REFRESH_TOKEN_USED)
    if decision.outcome is RefreshOutcome.REFUSED:
        return Refused(errors.REFRESH_TOKEN_USED)
    touched = sessions.refreshed(session.id, call.origin.agent, call.origin.address, call.now)
    done = [touched, _audit("token_refreshed", call, session)]
    if context.settings.refresh_token_version != 1:
        return await _leave_the_table(context, call, tx, found, session, user, done)
    replaced_at = found.row.updated_at
    if found.row.revoked and replaced_at is not None and replaced_at > moment_of(call.now):
        # By a clock that ran ahead: the interval in which it may be repeated begins now.
        done.append(refresh_tokens.revoke(found.row.id, call.now))
    if decision.outcome is RefreshOutcome.REPEAT and found.active is not None:
        token = found.active.token
    else:
        token = codes.new_legacy_token()
        if decision.outcome is RefreshOutcome.ROTATE:
            done += [refresh_tokens.revoke(found.row.id, call.now), _audit("token_revoked", call, session)]
        done.append(refresh_tokens.insert(token, user.id, session.id, found.row.token, call.now))
    await tx.finish(*done)
    _note(call, decision, rotated=decision.outcome is RefreshOutcome.ROTATE)
    return Issued(user, session, token)


async def _leave_the_table(
    context: Context,
    call: AuthCall,
    tx: Transaction,
    found: Presented,
    session: Session,
    user: User,
    done: list[Statement],
) -> Issued:
    """Move a session from table tokens to a key and a counter; its rows keep only what recognises them."""
    key = codes.new_session_key()
    for row in {row.id: row for row in (found.row, found.active) if row is not None}.values():
        done.append(refresh_tokens.rename(row.id, context.secret.stored(row.token), f"{_COUNTER}0", call.now))
    done.append(sessions.advance(session.id, key, 1, call.now))
    await tx.finish(*done)
    session = replace(session, hmac_key=key, counter=1, refreshed_at=moment_of(call.now))
    _note(call, Decision(RefreshOutcome.ROTATE), rotated=True)
    return Issued(user, session, codes.make_refresh_token(session.id, 1, context.secret.session_key(key)))


def _foreign(call: AuthCall, session: Session) -> ErrorRow | None:
    """Why a session is not renewed by who presents its token: each belongs to one client, or to the site."""
    if session.oauth_client_id == call.client_id:
        return None
    if call.client_id is None:
        return errors.OAUTH_NO_CLIENT
    return errors.OAUTH_NEEDLESS_CLIENT if session.oauth_client_id is None else errors.OAUTH_OTHER_CLIENT


def _counter_of(found: Presented | None) -> int | None:
    """The counter that a replaced token stands for, if it is one."""
    if found is None or found.row.parent is None or not found.row.parent.startswith(_COUNTER):
        return None
    return int(found.row.parent.removeprefix(_COUNTER))


def _audit(action: str, call: AuthCall, session: Session) -> Statement:
    return audit.record(action, call.actor, call.origin, call.now, traits={"session_id": session.id})


def _note(call: AuthCall, decision: Decision, rotated: bool) -> None:
    if decision.causes:
        call.headers.append((b"sb-auth-refresh-token-reuse", b"true"))
        call.headers.append((b"sb-auth-refresh-token-reuse-cause", ",".join(decision.causes).encode()))
    if rotated:
        call.headers.append((b"sb-auth-refresh-token-rotated", b"true"))
