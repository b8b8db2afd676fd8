"""Single sign-on by SAML and SCIM, which is not served: the original's codes, and the rows of a restored dump."""

from __future__ import annotations

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.core import load_json
from gateway.auth.render import json_response
from gateway.auth.store import sso_providers
from gateway.errors import ApiError
from gateway.http.messages import Response


async def saml(context: Context, call: AuthCall) -> Response:
    """POST /sso, GET /sso/saml/metadata, POST /sso/saml/acs; OpenID Connect does the same by configuration."""
    raise ApiError(errors.SAML_DISABLED)


async def scim(context: Context, call: AuthCall) -> Response:
    """GET /scim/v2/…."""
    raise ApiError(errors.SCIM_DISABLED)


async def list_providers(context: Context, call: AuthCall) -> Response:
    """GET /admin/sso/providers: those that a dump brought."""
    rows = (await context.run(sso_providers.every()))[0].rows
    return json_response({"items": [load_json(row[0]) for row in rows]})


async def one_provider(context: Context, call: AuthCall) -> Response:
    """GET, PUT, DELETE /admin/sso/providers/{id}."""
    raise ApiError(errors.SSO_PROVIDER_NOT_FOUND)
