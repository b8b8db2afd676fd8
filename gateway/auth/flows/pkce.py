"""The pkce grant: the code of a followed link, with the verifier that only the client that began has."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of
from gateway.auth.context import Context
from gateway.auth.crypto import tokens as codes
from gateway.auth.sessions import Issued
from gateway.auth.store import flow_states, users
from gateway.auth.store.limits import Permit
from gateway.auth.types import is_over
from gateway.errors import ApiError

LIFETIME: Final = 300  # seconds from the moment the link was followed


async def exchange(context: Context, call: AuthCall) -> Issued:
    """A session for a code. Raises ApiError; the code is used up only by the right verifier or by age."""
    code, verifier = call.body.text("auth_code"), call.body.text("code_verifier")
    if not code or not verifier:
        raise errors.invalid("invalid request: both auth code and code verifier should be non-empty")
    failure: ApiError | None = None
    begun = flow_states.read((await context.run(flow_states.by_code(code)))[0])
    if begun is None:
        raise ApiError(errors.FLOW_STATE_NOT_FOUND)
    permit = await context.guards.permit("pkce", begun.id, call)
    async with context.db.transaction() as tx:
        flow = flow_states.read(await tx.run(flow_states.by_code(code)))
        if flow is None or flow.user_id is None or flow.challenge is None or flow.issued_at is None:
            raise ApiError(errors.FLOW_STATE_NOT_FOUND)
        if is_over(flow.issued_at, call.now, LIFETIME):
            failure = ApiError(errors.FLOW_STATE_EXPIRED)
        elif not _matches(permit, verifier, flow.challenge, flow.method or "plain"):
            raise ApiError(errors.BAD_CODE_VERIFIER)
        await tx.run_all(flow_states.delete(flow.id), permit.right())
    if failure is not None:
        raise failure
    user = await context.find(users.by_id(flow.user_id))
    if user is None:
        raise ApiError(errors.USER_NOT_FOUND)
    call.actor = actor_of(user)
    if user.is_banned(call.now):
        raise ApiError(errors.TOKEN_USER_BANNED)
    issued = await context.sessions.sign_in(
        user, flow.authentication_method, call, traits={"provider": flow.provider, "flow": "pkce"}
    )
    return replace(issued, provider_token=flow.provider_token, provider_refresh_token=flow.provider_refresh_token)


def _matches(permit: Permit, verifier: str, challenge: str, method: str) -> bool:
    """Whether a verifier is the one that a client began with. One that a client chose badly can be guessed."""
    return codes.matches_challenge(verifier, challenge, method)
