"""Bodies that are read whole, before the service sees the request."""

from __future__ import annotations

from gateway.errors import BODY_TOO_LARGE, ApiError
from gateway.http.messages import Bodies, Hold, Receive, Request, read_body, refuse_declared

__all__ = ["Bodies", "take_body"]


async def take_body(request: Request, receive: Receive | None, bodies: Bodies, limit: int, *, cut: bool) -> None:
    """Read the body of a request, or look at the one that came with it.

    Raises ApiError BODY_TOO_LARGE, before anything is read where the length is declared, BODIES_FULL, and
    ClientDisconnected. With `cut` a longer one ends behind one byte more than `limit`.
    """
    if receive is None:
        if len(request.body) > limit and not cut:
            raise ApiError(BODY_TOO_LARGE, limit=limit)
        return
    if not cut:
        refuse_declared(request, limit)
    request.hold = Hold(bodies)
    request.body = await read_body(receive, limit, request.hold, cut=cut)
