"""Who may ask a service: the API key that it demands, and the identity that it is told.

Two rows of the stack's table in gateway/middleware/stack.py. What is refused here costs no more than a look at the
headers: no body was read, no database asked.
"""

from __future__ import annotations

from gateway.http.messages import Request
from gateway.identity.authenticator import Authenticator, Identity
from gateway.middleware.service import Service


def authenticate(authenticator: Authenticator, service: Service, request: Request) -> Identity | None:
    """Whose role the request has; None for a service that asks for itself.

    Raises ApiError for a key that is missing or wrong, TokenError for a refused token, AnonymousRefused where nobody
    without either is let in.
    """
    identity = None
    if service.demands_key(request):
        identity = authenticator.demand_key(request, service.prefix)
    if not service.identified:
        return None
    return identity if identity is not None else authenticator.identify(request)
