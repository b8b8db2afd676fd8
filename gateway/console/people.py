"""One of the users, with what the auth admin API does not say: sessions with their addresses, and the trail."""

from __future__ import annotations

from typing import Any, Final

import orjson

from gateway.auth import render
from gateway.auth.store import users
from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.console.errors import bad_request, not_found
from gateway.console.identities import is_uuid
from gateway.database import NO_SCOPE
from gateway.database.statement import Statement
from gateway.http.messages import Response

_SESSIONS: Final = (
    "select id, created_at, updated_at, refreshed_at, not_after, host(ip) as ip, user_agent, aal::text as aal"
    " from auth.sessions where user_id = $1::uuid order by coalesce(refreshed_at, created_at) desc limit 500"
)
_TRAIL: Final = (
    "select id, created_at, ip_address, payload from auth.audit_log_entries"
    " where payload ->> 'actor_id' = $1 or payload -> 'traits' ->> 'user_id' = $1 order by created_at desc limit 200"
)
_END: Final = "delete from auth.sessions where user_id = $1::uuid and ($2::uuid is null or id = $2::uuid) returning id"
"""Refresh tokens go along by their foreign key."""


def _id(call: ConsoleCall, name: str = "id") -> str:
    if not is_uuid(call.path[name]):
        raise bad_request(f"{name} is no UUID")
    return call.path[name]


async def person(call: ConsoleCall) -> Response:
    """`GET people/{id}`."""
    id = _id(call)
    database = call.gateway.databases.auth
    content = await _user(call, id)
    held = (await database.run(NO_SCOPE, Statement(_SESSIONS, (id,)))).texts()
    noted = (await database.run(NO_SCOPE, Statement(_TRAIL, (id,)))).texts()
    trail = [
        {"id": row["id"], "created_at": row["created_at"], "ip": row["ip_address"], **_object(row["payload"])}
        for row in noted
    ]
    return answer_json({
        "user": content, "identities": content.get("identities") or [], "factors": content.get("factors") or [],
        "sessions": held, "trail": trail,
    })  # fmt: skip


def _object(text: str | None) -> dict[str, Any]:
    found = orjson.loads(text or "{}")
    return found if isinstance(found, dict) else {}


async def _user(call: ConsoleCall, id: str) -> dict[str, Any]:
    found = users.read(await call.gateway.databases.auth.run(NO_SCOPE, users.by_id(id)))
    if found is None:
        raise not_found("there is no such user")
    return render.user(found)


async def sign_out(call: ConsoleCall) -> Response:
    """End one session, or all of them; its access tokens hold until they end by themselves."""
    id = _id(call)
    one = _id(call, "session") if "session" in call.path else None
    ended = await call.gateway.databases.auth.run(NO_SCOPE, Statement(_END, (id, one)))
    if one is not None and not ended.rows:
        raise not_found("there is no such session")
    return answer_json({"ended": len(ended.rows)})


ROUTES: Final = (
    ConsoleRoute("GET", "/people/{id:segment}", person),
    ConsoleRoute("DELETE", "/people/{id:segment}/sessions", sign_out),
    ConsoleRoute("DELETE", "/people/{id:segment}/sessions/{session:segment}", sign_out),
)
