"""The route table: method and path to the handler, its guard, and the action that a refusal is recorded under."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Final

from starlette import routing

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import Receive, Response, Scope, Send

Handler = Callable[[Context, AuthCall], Awaitable[Response]]


class Guard(Enum):
    """Who may call a route."""

    OPEN = "anyone with an API key"
    USER = "a signed-in user"
    ADMIN = "the service role"


@dataclass(frozen=True, slots=True)
class Switch:
    """What a route is part of, and its answer while that is off; whether it comes before the guard."""

    setting: str
    refusal: ErrorRow
    first: bool = True

    def demand(self, context: Context) -> None:
        if not getattr(context.settings, self.setting):
            raise ApiError(self.refusal)


@dataclass(frozen=True, slots=True)
class AuthRoute:
    """One row. `path` segments in braces are parameters; `handler` is `module:function` in gateway/auth, loaded when it
    is first called: few installations use every flow."""

    method: str
    path: str
    guard: Guard
    handler: str
    action: str | None = None
    switch: Switch | None = None

    async def handle(self, context: Context, call: AuthCall) -> Response:
        """Let the switch and the guard decide, then answer. Raises ApiError."""
        if self.switch is not None and self.switch.first:
            self.switch.demand(context)
        if self.guard is Guard.USER:
            await context.guards.require_user(call)
        elif self.guard is Guard.ADMIN:
            context.guards.require_admin(call)
        if self.switch is not None:
            self.switch.demand(context)
        return await (await self.load())(context, call)

    async def load(self) -> Handler:
        """The handler; its module is loaded beside the event loop, which others need meanwhile."""
        if self.handler not in _loaded:
            _loaded[self.handler] = await asyncio.to_thread(handler_at, self.handler)
        return _loaded[self.handler]


_loaded: dict[str, Handler] = {}


def handler_at(place: str) -> Handler:
    """The function at a place in gateway/auth."""
    module, _, name = place.partition(":")
    found: Handler = getattr(import_module(f"gateway.auth.{module}"), name)
    return found


_OPEN, _USER, _ADMIN = Guard.OPEN, Guard.USER, Guard.ADMIN
_PASSKEYS: Final = Switch("passkeys_enabled", errors.PASSKEYS_DISABLED)
_OAUTH: Final = Switch("oauth_server_enabled", errors.OAUTH_SERVER_DISABLED)
_CUSTOM: Final = Switch("custom_oauth_enabled", errors.CUSTOM_PROVIDERS_DISABLED, first=False)
_OAUTH_LATER: Final = Switch("oauth_server_enabled", errors.OAUTH_SERVER_DISABLED, first=False)

ROUTES: Final = (
    AuthRoute("GET", "/health", _OPEN, "http.discovery:health"),
    AuthRoute("GET", "/settings", _OPEN, "http.discovery:settings"),
    AuthRoute("GET", "/.well-known/jwks.json", _OPEN, "http.discovery:jwks"),
    AuthRoute("GET", "/.well-known/openid-configuration", _OPEN, "http.discovery:openid_configuration"),
    AuthRoute(
        "GET", "/.well-known/oauth-authorization-server", _OPEN, "http.discovery:openid_configuration", switch=_OAUTH
    ),
    AuthRoute("POST", "/token", _OPEN, "flows.grants:token", "login"),
    AuthRoute("POST", "/signup", _OPEN, "flows.signup:signup", "user_signedup"),
    AuthRoute("POST", "/recover", _OPEN, "flows.mailed_links:recover", "user_recovery_requested"),
    AuthRoute("POST", "/otp", _OPEN, "flows.mailed_links:otp", "user_recovery_requested"),
    AuthRoute("POST", "/magiclink", _OPEN, "flows.mailed_links:magic_link", "user_recovery_requested"),
    AuthRoute("POST", "/resend", _OPEN, "flows.mailed_links:resend", "user_confirmation_requested"),
    AuthRoute("GET", "/verify", _OPEN, "flows.verify:verify_get", "login"),
    AuthRoute("POST", "/verify", _OPEN, "flows.verify:verify_post", "login"),
    AuthRoute("GET", "/authorize", _OPEN, "flows.oauth:authorize", "login"),
    AuthRoute("GET", "/callback", _OPEN, "flows.oauth:callback", "login"),
    AuthRoute("POST", "/callback", _OPEN, "flows.oauth:callback", "login"),
    AuthRoute("POST", "/sso", _OPEN, "http.single_sign_on:saml", "login"),
    AuthRoute("GET", "/sso/saml/metadata", _OPEN, "http.single_sign_on:saml"),
    AuthRoute("POST", "/sso/saml/acs", _OPEN, "http.single_sign_on:saml", "login"),
    AuthRoute("GET", "/scim/v2/{resource}", _OPEN, "http.single_sign_on:scim"),
    AuthRoute("GET", "/admin/sso/providers", _ADMIN, "http.single_sign_on:list_providers"),
    AuthRoute("POST", "/admin/sso/providers", _ADMIN, "http.single_sign_on:saml"),
    AuthRoute("GET", "/admin/sso/providers/{provider_id}", _ADMIN, "http.single_sign_on:one_provider"),
    AuthRoute("PUT", "/admin/sso/providers/{provider_id}", _ADMIN, "http.single_sign_on:one_provider"),
    AuthRoute("DELETE", "/admin/sso/providers/{provider_id}", _ADMIN, "http.single_sign_on:one_provider"),
    AuthRoute("GET", "/admin/custom-providers", _ADMIN, "http.custom_providers:list_all", switch=_CUSTOM),
    AuthRoute("POST", "/admin/custom-providers", _ADMIN, "http.custom_providers:create", switch=_CUSTOM),
    AuthRoute("GET", "/admin/custom-providers/{identifier}", _ADMIN, "http.custom_providers:get", switch=_CUSTOM),
    AuthRoute("PUT", "/admin/custom-providers/{identifier}", _ADMIN, "http.custom_providers:update", switch=_CUSTOM),
    AuthRoute("DELETE", "/admin/custom-providers/{identifier}", _ADMIN, "http.custom_providers:delete", switch=_CUSTOM),
    AuthRoute("POST", "/logout", _USER, "http.account:logout", "logout"),
    AuthRoute("GET", "/user", _USER, "http.account:get_user"),
    AuthRoute("PUT", "/user", _USER, "http.account:update_user", "user_modified"),
    AuthRoute("GET", "/reauthenticate", _USER, "http.account:reauthenticate", "user_reauthenticate_requested"),
    AuthRoute("GET", "/user/identities/authorize", _USER, "flows.oauth:link_identity", "identity_linked"),
    AuthRoute("DELETE", "/user/identities/{identity_id}", _USER, "http.identities:unlink", "identity_unlinked"),
    AuthRoute("POST", "/factors", _USER, "flows.mfa_enrolment:enroll", "factor_in_progress"),
    AuthRoute("DELETE", "/factors/{factor_id}", _USER, "flows.mfa_enrolment:unenroll", "factor_unenrolled"),
    AuthRoute("POST", "/factors/{factor_id}/challenge", _USER, "flows.mfa:challenge", "challenge_created"),
    AuthRoute("POST", "/factors/{factor_id}/verify", _USER, "flows.mfa:verify", "verification_attempted"),
    AuthRoute("POST", "/passkeys/registration/options", _USER, "flows.passkeys:registration_options", switch=_PASSKEYS),
    AuthRoute(
        "POST",
        "/passkeys/registration/verify",
        _USER,
        "flows.passkeys:registration_verify",
        "passkey_created",
        _PASSKEYS,
    ),
    AuthRoute(
        "POST", "/passkeys/authentication/options", _OPEN, "flows.passkeys:authentication_options", switch=_PASSKEYS
    ),
    AuthRoute(
        "POST", "/passkeys/authentication/verify", _OPEN, "flows.passkeys:authentication_verify", "login", _PASSKEYS
    ),
    AuthRoute("GET", "/passkeys", _USER, "http.passkeys:list_own", switch=_PASSKEYS),
    AuthRoute("PATCH", "/passkeys/{passkey_id}", _USER, "http.passkeys:rename", "passkey_updated", _PASSKEYS),
    AuthRoute("DELETE", "/passkeys/{passkey_id}", _USER, "http.passkeys:delete", "passkey_deleted", _PASSKEYS),
    AuthRoute("GET", "/oauth/authorize", _OPEN, "flows.oauth_server:authorize", switch=_OAUTH),
    AuthRoute("POST", "/oauth/token", _OPEN, "flows.oauth_tokens:token", "login", _OAUTH),
    AuthRoute("GET", "/oauth/userinfo", _USER, "flows.oauth_tokens:userinfo", switch=_OAUTH),
    AuthRoute("POST", "/oauth/clients/register", _OPEN, "http.oauth_clients:register", switch=_OAUTH),
    AuthRoute("GET", "/oauth/authorizations/{authorization_id}", _USER, "flows.oauth_server:details", switch=_OAUTH),
    AuthRoute(
        "POST", "/oauth/authorizations/{authorization_id}/consent", _USER, "flows.oauth_server:consent", switch=_OAUTH
    ),
    AuthRoute("GET", "/user/oauth/grants", _USER, "flows.oauth_server:list_grants", switch=_OAUTH_LATER),
    AuthRoute("DELETE", "/user/oauth/grants", _USER, "flows.oauth_server:revoke_grant", "token_revoked", _OAUTH_LATER),
    AuthRoute("GET", "/admin/oauth/clients", _ADMIN, "http.oauth_clients:list_all", switch=_OAUTH_LATER),
    AuthRoute("POST", "/admin/oauth/clients", _ADMIN, "http.oauth_clients:create", switch=_OAUTH_LATER),
    AuthRoute("GET", "/admin/oauth/clients/{client_id}", _ADMIN, "http.oauth_clients:get", switch=_OAUTH_LATER),
    AuthRoute("PUT", "/admin/oauth/clients/{client_id}", _ADMIN, "http.oauth_clients:update", switch=_OAUTH_LATER),
    AuthRoute("DELETE", "/admin/oauth/clients/{client_id}", _ADMIN, "http.oauth_clients:delete", switch=_OAUTH_LATER),
    AuthRoute(
        "POST",
        "/admin/oauth/clients/{client_id}/regenerate_secret",
        _ADMIN,
        "http.oauth_clients:regenerate_secret",
        switch=_OAUTH_LATER,
    ),
    AuthRoute("POST", "/invite", _ADMIN, "http.invites:invite", "user_invited"),
    AuthRoute("POST", "/admin/generate_link", _ADMIN, "http.invites:generate_link", "link_generated"),
    AuthRoute("GET", "/admin/audit", _ADMIN, "http.admin:list_audit"),
    AuthRoute("GET", "/admin/users", _ADMIN, "http.admin:list_users"),
    AuthRoute("POST", "/admin/users", _ADMIN, "http.admin:create_user", "user_signedup"),
    AuthRoute("GET", "/admin/users/{user_id}", _ADMIN, "http.admin:get_user"),
    AuthRoute("PUT", "/admin/users/{user_id}", _ADMIN, "http.admin:update_user", "user_modified"),
    AuthRoute("DELETE", "/admin/users/{user_id}", _ADMIN, "http.admin:delete_user", "user_deleted"),
    AuthRoute("GET", "/admin/users/{user_id}/factors", _ADMIN, "flows.mfa_enrolment:admin_list"),
    AuthRoute(
        "PUT",
        "/admin/users/{user_id}/factors/{factor_id}",
        _ADMIN,
        "flows.mfa_enrolment:admin_update",
        "factor_updated",
    ),
    AuthRoute(
        "DELETE",
        "/admin/users/{user_id}/factors/{factor_id}",
        _ADMIN,
        "flows.mfa_enrolment:admin_delete",
        "factor_deleted",
    ),
    AuthRoute("GET", "/admin/users/{user_id}/passkeys", _ADMIN, "http.passkeys:admin_list"),
    AuthRoute(
        "DELETE",
        "/admin/users/{user_id}/passkeys/{passkey_id}",
        _ADMIN,
        "http.passkeys:admin_delete",
        "passkey_deleted",
    ),
)

FIXED_PATHS: Final = frozenset(route.path for route in ROUTES if "{" not in route.path)


async def _no_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Stands where Starlette wants an application: its routes only tell here which row a path has."""


# Whole paths before those with parameters.
_ROUTES: Final = tuple(
    (row, routing.Route(row.path, _no_app)) for row in sorted(ROUTES, key=lambda row: "{" in row.path)
)


def find_route(method: str, path: str) -> tuple[AuthRoute | Response, Mapping[str, str]]:
    """The route and its parameters; a plain 404 or 405 where there is none, as the original's router answers."""
    scope = {"type": "http", "method": method, "path": path.rstrip("/") or path[:1]}
    allowed = []
    for row, route in _ROUTES:
        match, found = route.matches(scope)
        if match is not routing.Match.NONE:
            if row.method == method:
                return row, found["path_params"]
            allowed.append(row.method)
    if allowed:
        return Response(405, [(b"allow", ", ".join(allowed).encode())]), {}
    return Response(404, [(b"content-type", b"text/plain; charset=utf-8")], b"404 page not found\n"), {}
