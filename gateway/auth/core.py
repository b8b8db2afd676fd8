"""What every handler works with: settings, database, keys, mails, limits; and how sessions are begun and users known.

Handlers take `(core, call)` and answer a Response. They collect Statements and run them together, so that a change,
its audit row and its mail commit as one.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth import errors, render
from gateway.auth.call import Call, actor_of, read_uuid
from gateway.auth.crypto import tokens as codes
from gateway.auth.crypto.hashing_queue import TooManyWait
from gateway.auth.crypto.passwords import Hasher, Rules, Turn, parse_required
from gateway.auth.flows.rotation import Policy
from gateway.auth.outbound import hooks
from gateway.auth.outbound.hooks import Hook
from gateway.auth.outbound.mailer import QUEUE_EXISTS, Mail, Mailer
from gateway.auth.outbound.providers import load_providers
from gateway.auth.outbound.sms import Messenger
from gateway.auth.redirects import choose
from gateway.auth.store import audit, limits, users
from gateway.auth.store import sessions as records
from gateway.auth.store.limits import Bucket, Permit
from gateway.auth.types import Session, User, moment_of
from gateway.database import NO_SCOPE, Database, DatabaseError, Result, Scope
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.client_address import client_address, limit_subject, parse_networks
from gateway.http.messages import Request, Response
from gateway.identity import tokens as jwt
from gateway.identity.authenticator import bearer
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

log = logging.getLogger("gateway.auth")

# Issuers of the legacy API keys, which are tokens without a user.
KEY_ISSUERS: Final = ("supabase", "supabase-demo")
TURN_WITHIN: Final = 60.0  # seconds that a password may wait for its turn to be hashed, and then take
# A refresh that cannot have its session's lock within this time is told to come again.
LOCK_TIMEOUT: Final = Scope(names=("lock_timeout",), values=("5s",))


@dataclass(frozen=True, slots=True)
class Issued:
    """A begun or renewed session and the refresh token that goes with it."""

    user: User
    session: Session
    refresh_token: str
    weak: tuple[tuple[str, str], ...] = ()
    provider_token: str | None = None
    provider_refresh_token: str | None = None


class Core:
    """Shared by all requests of one worker."""

    def __init__(
        self, settings: Settings, db: Database, keys: KeyRing, mailer: Mailer, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self.db = db
        self.keys = keys
        self.mailer = mailer
        self.clock = clock
        self.hasher = Hasher()
        self.rules = Rules(
            max(6, settings.password_min_length),
            parse_required(settings.password_required_characters),
            settings.auth_refuse_common_passwords,
        )
        self.policy = Policy(
            rotation=settings.refresh_token_rotation,
            reuse_interval=settings.refresh_token_reuse_interval,
            allow_reuse=settings.refresh_token_allow_reuse,
            timebox=settings.sessions_timebox,
            inactivity=settings.sessions_inactivity,
            low_aal=settings.sessions_low_aal,
            single_per_user=settings.sessions_single_per_user,
        )
        self.site_url = settings.site_url or settings.api_url
        self.external_url = settings.api_url + settings.auth_prefix
        self.issuer = settings.jwt_issuer or self.external_url
        self.issuers = {self.issuer, *settings.auth_hosted_issuers, *KEY_ISSUERS}
        self.proxies = parse_networks(settings.trusted_proxies)
        self.providers = load_providers(settings.external_providers, f"{self.external_url}/callback")
        self.messenger = Messenger.of(settings)
        self.token_hook = Hook.of("CUSTOM_ACCESS_TOKEN", settings.token_hook, settings.token_hook_secrets)
        self.created_hook = Hook.of("BEFORE_USER_CREATED", settings.created_hook, settings.created_hook_secrets)
        self.password_hook = Hook.of(
            "PASSWORD_VERIFICATION_ATTEMPT", settings.password_hook, settings.password_hook_secrets
        )
        self.factor_hook = Hook.of("MFA_VERIFICATION_ATTEMPT", settings.factor_hook, settings.factor_hook_secrets)
        self._has_queue = False

    def close(self) -> None:
        self.hasher.close()

    @property
    def secret(self) -> codes.Secret:
        """The server's half of every key, as the key file has it now."""
        return codes.Secret(*self.keys.session_secrets)

    # --- the request -------------------------------------------------------------------------------------------------

    def origin(self, request: Request) -> audit.Origin:
        """Address, agent and request id of a request."""
        forwarded = request.header(b"x-forwarded-for")
        agent = request.header(b"user-agent")
        return audit.Origin(
            client_address(request.client, None if forwarded is None else forwarded.decode("latin-1"), self.proxies),
            None if agent is None else agent.decode("latin-1")[:500],
            request.request_id,
        )

    def redirect_to(self, call: Call, given: str = "") -> str:
        """Where to lead the user afterwards; what is not allowed is replaced by the site."""
        asked = given or call.query.get("redirect_to") or call.header(b"redirect_to")
        return choose((asked, call.header(b"referer")), self.site_url, self.settings.uri_allow_list)

    def audience(self, call: Call) -> str:
        """Audience that users are looked up by: what a header asks for, else the user's own."""
        return call.header(b"x-jwt-aud") or call.aud or self.settings.auth_aud

    def is_for(self, call: Call) -> bool:
        """Whether the bearer's token is for the audience that is asked for."""
        return codes.claim_audience(call.claims) == self.audience(call)

    # --- running -----------------------------------------------------------------------------------------------------

    async def run(self, *statements: Statement) -> list[Result]:
        """Run statements together: all or none."""
        return await self.db.run_all(NO_SCOPE, *statements)

    async def find(self, statement: Statement) -> User | None:
        """One user."""
        return users.read((await self.run(statement))[0])

    async def reload(self, user_id: str) -> User:
        """A user that exists."""
        user = await self.find(users.by_id(user_id))
        if user is None:
            raise ApiError(errors.USER_NOT_FOUND)
        return user

    async def demand_queue(self) -> None:
        """Make sure that mails can be sent, before anything promises one.

        Raises ApiError unexpected_failure: a link that is never sent must not look like success.
        """
        if self._has_queue:
            return
        if (await self.run(QUEUE_EXISTS))[0].value != b"t":
            log.warning("no mail can be sent: function jobs.enqueue_mail is missing; apply the migrations")
            raise ApiError(errors.UNEXPECTED_FAILURE)
        self._has_queue = True

    def mail(self, mail: Mail) -> Statement:
        """Put a mail into the queue; `demand_queue` comes first."""
        return self.mailer.statement(mail, self.keys.session_secrets)

    # --- limits ------------------------------------------------------------------------------------------------------

    def limit_name(self, kind: str, origin: audit.Origin) -> str | None:
        """Name of an address's limit; None where addresses are not limited."""
        if not self.settings.auth_address_limits or origin.address is None:
            return None
        return self.secret.name(kind, limit_subject(origin.address))

    async def take(self, kind: str, bucket: Bucket, call: Call) -> None:
        """Count a request against its address. Raises ApiError over_request_rate_limit."""
        name = self.limit_name(kind, call.origin)
        if name is not None and not await self.took(name, bucket, call):
            raise ApiError(errors.OVER_REQUEST_LIMIT)

    async def took(self, name: str, bucket: Bucket, call: Call) -> bool:
        """Take one request from a bucket, if it holds one."""
        return limits.holds((await self.run(limits.present(name, call.now), limits.take(name, bucket, call.now)))[-1])

    async def is_empty(self, name: str, bucket: Bucket, call: Call) -> bool:
        """Whether a bucket holds no request; none is taken."""
        return limits.holds((await self.run(limits.present(name, call.now), limits.peek(name, bucket, call.now)))[-1])

    async def permit(self, kind: str, subject: str, call: Call) -> Permit:
        """Count a guess at a secret, before it is compared. Raises ApiError over_request_rate_limit."""
        name = self.secret.name(kind, subject)
        if not limits.holds((await self.run(limits.present(name, call.now), limits.guess(name, call.now)))[-1]):
            raise ApiError(errors.OVER_REQUEST_LIMIT)
        return Permit((name,))

    async def give_back(self, kind: str, bucket: Bucket, call: Call) -> None:
        """Uncount a request that turned out to be in order."""
        name = self.limit_name(kind, call.origin)
        if name is not None:
            await self.run(limits.give_back(name, bucket))

    # --- passwords ---------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def turn(self, call: Call) -> AsyncIterator[Turn]:
        """A turn to compute password hashes. Raises ApiError over_request_rate_limit where too many wait."""
        limited = self.settings.auth_address_limits and call.origin.address is not None
        source = limit_subject(call.origin.address or "") if limited else None
        # A rush of sign-ins waits its turn rather than failing; the turn itself is short.
        call.allow(TURN_WITHIN)
        try:
            async with self.hasher.turn(source) as turn:
                call.allow(TURN_WITHIN)
                yield turn
        except TooManyWait as error:
            raise ApiError(errors.OVER_REQUEST_LIMIT) from error

    async def hash(self, password: str, call: Call) -> str:
        """Hash of a new password."""
        async with self.turn(call) as turn:
            return await turn.make(password)

    # --- sessions ----------------------------------------------------------------------------------------------------

    def new_session(self, user: User, method: str, call: Call, aal: str = "aal1") -> tuple[Issued, list[Statement]]:
        """A session and the statements that begin it."""
        moment = moment_of(call.now)
        table = self.settings.refresh_token_version == 1
        key = None if table else codes.new_session_key()
        session = Session(
            id=str(uuid.uuid4()),
            user_id=user.id,
            aal=aal,
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
        )
        statements = [
            records.insert(session),
            records.insert_claim(session.id, method, call.now),
            users.update(user.id, {"last_sign_in_at": moment.isoformat()}, call.now),
        ]
        if key is None:
            token = codes.new_legacy_token()
            statements.append(records.insert_token(token, user.id, session.id, "", call.now))
        else:
            token = codes.make_refresh_token(session.id, 0, self.secret.session_key(key))
        user = replace(user, last_sign_in_at=moment, updated_at=moment)
        return Issued(user, session, token), statements

    async def sign_in(
        self,
        user: User,
        method: str,
        call: Call,
        *,
        also: Sequence[Statement] = (),
        action: str = "login",
        traits: Mapping[str, Any] | None = None,
    ) -> Issued:
        """Begin a session, together with whatever else must happen for it."""
        issued, statements = self.new_session(user, method, call)
        if user.identity("email") is not None and method != "oauth":
            statements.append(users.touch_identities(user.id, "email", call.now))
        call.actor = actor_of(user)
        row = audit.record(action, call.actor, call.origin, call.now, traits=traits)
        await self.run(*also, *statements, row)
        return replace(issued, user=await self.reload(user.id))

    async def session_response(self, issued: Issued, call: Call) -> Response:
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

    async def session_body(self, issued: Issued, call: Call) -> dict[str, Any]:
        lifetime = self.settings.jwt_exp
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

    async def access_token(self, issued: Issued, call: Call) -> str:
        """A signed access token."""
        claims = codes.access_claims(
            issued.user, issued.session, issuer=self.issuer, lifetime=self.settings.jwt_exp, now=call.now
        )
        if self.token_hook is not None:
            method = issued.session.amr[0][0] if issued.session.amr else "token_refresh"
            event = {"user_id": claims["sub"], "claims": claims, "authentication_method": method}
            claims = hooks.read_claims(await self.ask(self.token_hook, event, call), self.token_hook.uri)
        return jwt.mint(claims, self.keys.signing)

    async def ask(self, hook: Hook, event: Mapping[str, Any], call: Call) -> dict[str, Any]:
        """What a hook answers. Raises ApiError when it refuses or cannot be asked."""
        if not hook.function:
            return hooks.read_answer(await hook.post(event, call.now), hook.uri)
        try:
            answer = (await self.run(hook.statement(event)))[0].value
        except DatabaseError as error:
            log.error("the hook %s failed: %s", hook.uri, error)
            raise ApiError(errors.HOOK_FAILED, uri=hook.uri) from error
        return hooks.read_answer(load_json(answer), hook.uri)

    # --- who is asking -----------------------------------------------------------------------------------------------

    def claims(self, call: Call) -> Mapping[str, Any]:
        """Claims of the request's bearer token; an opaque API key counts as a token of its role.

        Raises ApiError no_authorization or bad_jwt.
        """
        token = bearer(call.request)
        if not token:
            raise ApiError(errors.NO_AUTHORIZATION)
        role = self.keys.role_of(token)
        if role is not None:
            return {"role": role}
        try:
            claims = jwt.decode(token, self.keys.verification, now=call.now)
        except jwt.TokenError as error:
            raise ApiError(errors.BAD_JWT, reason=errors.JWT_REASONS.get(error.fault, error.message)) from error
        issuer = claims.get("iss")
        if issuer is not None and issuer not in self.issuers:
            raise ApiError(errors.BAD_JWT, reason="token has an invalid issuer")
        return claims

    async def require_user(self, call: Call) -> None:
        """Set the call's claims, user and session. Raises ApiError as the original's guard does."""
        claims = self.claims(call)
        subject = codes.claim_text(claims, "sub")
        if not subject:
            raise ApiError(errors.BAD_JWT_CLAIM, reason="missing sub claim")
        user_id = read_uuid(subject)
        if user_id is None:
            raise ApiError(errors.BAD_JWT_SUBJECT)
        session_id = codes.claim_text(claims, "session_id")
        if session_id and read_uuid(session_id) is None:
            raise ApiError(errors.BAD_JWT_CLAIM, reason="session_id claim must be a UUID")
        statements = [users.by_id(user_id)]
        if session_id:
            statements.append(records.by_id(session_id))
        results = await self.run(*statements)
        user = users.read(results[0])
        if user is None or user.deleted_at is not None:
            raise ApiError(errors.TOKEN_USER_NOT_FOUND)
        session = records.read(results[1]) if session_id else None
        call.claims = claims
        call.user = user
        if session_id and (session is None or session.user_id != user.id):
            raise ApiError(errors.TOKEN_SESSION_NOT_FOUND)
        if user.is_banned(call.now):
            raise ApiError(errors.TOKEN_USER_BANNED)
        call.session = session

    def require_admin(self, call: Call) -> None:
        """Refuse all but admins. Raises ApiError."""
        claims = self.claims(call)
        role = codes.claim_text(claims, "role")
        subject = codes.claim_text(claims, "sub")
        call.actor = audit.Actor(read_uuid(subject) or users.NO_INSTANCE, codes.claim_text(claims, "email") or role)
        if role not in self.settings.jwt_admin_roles:
            raise ApiError(errors.NOT_ADMIN)
        call.claims = claims


def origin_of_url(url: str) -> str:
    """Host of a URL, as authenticator apps name the issuer of a code."""
    return urlsplit(url).netloc or url


def load_json(raw: bytes | None) -> Any:
    """A JSON value of a row."""
    return None if raw is None else orjson.loads(raw)
