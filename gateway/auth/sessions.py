"""Sessions: begun, and answered with the tokens that stand for them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gateway.auth import render
from gateway.auth.call import AuthCall, actor_of
from gateway.auth.core import AuthCore
from gateway.auth.crypto import tokens as codes
from gateway.auth.flows.rotation import Policy
from gateway.auth.messages import Messages
from gateway.auth.outbound import hooks
from gateway.auth.outbound.hooks import Hook
from gateway.auth.store import audit, identities, refresh_tokens, sessions, users
from gateway.auth.types import Session, User, moment_of
from gateway.database.statement import Statement
from gateway.http.messages import Response
from gateway.identity import tokens as jwt


@dataclass(frozen=True, slots=True)
class Issued:
    """A begun or renewed session and the refresh token that goes with it."""

    user: User
    session: Session
    refresh_token: str
    weak: tuple[tuple[str, str], ...] = ()
    provider_token: str | None = None
    provider_refresh_token: str | None = None


class Sessions:
    """Begins sessions and makes the answers that sign a client in."""

    def __init__(self, core: AuthCore, messages: Messages) -> None:
        settings = core.settings
        self._core = core
        self._messages = messages
        self._token_hook = Hook.of("CUSTOM_ACCESS_TOKEN", settings.token_hook, settings.token_hook_secrets)
        self.policy = Policy(
            rotation=settings.refresh_token_rotation,
            reuse_interval=settings.refresh_token_reuse_interval,
            allow_reuse=settings.refresh_token_allow_reuse,
            timebox=settings.sessions_timebox,
            inactivity=settings.sessions_inactivity,
            low_aal=settings.sessions_low_aal,
            single_per_user=settings.sessions_single_per_user,
        )

    def new_session(
        self, user: User, method: str, call: AuthCall, client_id: str | None = None, scopes: str | None = None
    ) -> tuple[Issued, list[Statement]]:
        """A session and the statements that begin it; another application's has its client and scopes."""
        moment = moment_of(call.now)
        table = self._core.settings.refresh_token_version == 1
        key = None if table else codes.new_session_key()
        session = Session(
            id=str(uuid.uuid4()),
            user_id=user.id,
            aal="aal1",
            amr=((method, int(call.now)),),
            created_at=moment,
            refreshed_at=None,
            not_after=None,
            hmac_key=key,
            counter=None if table else 0,
            user_agent=call.origin.agent,
            ip=call.origin.address,
            tag=None,
            factor_id=None,
            oauth_client_id=client_id,
            scopes=scopes,
        )
        statements = [
            sessions.insert(session),
            sessions.insert_claim(session.id, method, call.now),
            users.signed_in(user.id, call.now),
        ]
        if key is None:
            token = codes.new_legacy_token()
            statements.append(refresh_tokens.insert(token, user.id, session.id, "", call.now))
        else:
            token = codes.make_refresh_token(session.id, 0, self._core.secret.session_key(key))
        user = replace(user, last_sign_in_at=moment, updated_at=moment)
        return Issued(user, session, token), statements

    async def sign_in(
        self,
        user: User,
        method: str,
        call: AuthCall,
        *,
        also: Sequence[Statement] = (),
        action: str = "login",
        traits: Mapping[str, Any] | None = None,
    ) -> Issued:
        """Begin a session, together with whatever else must happen for it."""
        issued, statements = self.new_session(user, method, call)
        if user.identity("email") is not None and method != "oauth":
            statements.append(identities.touch(user.id, "email", call.now))
        call.actor = actor_of(user)
        row = audit.record(action, call.actor, call.origin, call.now, traits=traits)
        await self._core.run(*also, *statements, row)
        return replace(issued, user=await self._core.reload(user.id))

    async def session_response(self, issued: Issued, call: AuthCall) -> Response:
        """The body that signs a client in."""
        body = await self.session_body(issued, call)
        headers = [
            (b"sb-auth-user-id", issued.user.id.encode()),
            (b"sb-auth-session-id", issued.session.id.encode()),
        ]
        if issued.session.counter is not None:
            headers.append((b"sb-auth-refresh-token-counter", str(issued.session.counter).encode()))
        else:
            headers.append((b"sb-auth-refresh-token-prefix", issued.refresh_token[:5].encode()))
        return render.json_response(body, headers=[*headers, (b"cache-control", b"no-store")])

    async def session_body(self, issued: Issued, call: AuthCall) -> dict[str, Any]:
        lifetime = self._core.settings.jwt_exp
        body: dict[str, Any] = {
            "access_token": await self.access_token(issued, call),
            "token_type": "bearer",
            "expires_in": lifetime,
            "expires_at": int(call.now) + lifetime,
            "refresh_token": issued.refresh_token,
            "user": render.user(issued.user),
        }
        if issued.weak:
            body["weak_password"] = {
                "message": " ".join(message for _, message in issued.weak),
                "reasons": [reason for reason, _ in issued.weak],
            }
        if issued.provider_token:
            body["provider_token"] = issued.provider_token
        if issued.provider_refresh_token:
            body["provider_refresh_token"] = issued.provider_refresh_token
        return body

    async def access_token(self, issued: Issued, call: AuthCall) -> str:
        """A signed access token."""
        claims = codes.access_claims(
            issued.user, issued.session, issuer=self._core.issuer, lifetime=self._core.settings.jwt_exp, now=call.now
        )
        if self._token_hook is not None:
            method = issued.session.amr[0][0] if issued.session.amr else "token_refresh"
            event = {"user_id": claims["sub"], "claims": claims, "authentication_method": method}
            claims = hooks.read_claims(await self._messages.ask(self._token_hook, event, call), self._token_hook.uri)
        return jwt.mint(claims, self._core.keys.signing)
