"""Why somebody is refused, or sees fewer rows: what `gateway explain` says, as findings."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.identities import asked_as
from gateway.console.shapes import shape_of
from gateway.http.messages import Request, Response
from gateway.identity.authenticator import Identity
from gateway.operations.explain import Explanation, explain

_METHODS: Final = {"select": "GET", "insert": "POST", "update": "PATCH", "delete": "DELETE"}


async def why(call: ConsoleCall) -> Response:
    """The request of the tables API is made as somebody, and undone."""
    content = await call.json()
    schema, table = text_of(content, "schema"), text_of(content, "table")
    command = text_of(content, "command", "select").lower()
    if command not in _METHODS:
        raise bad_request("command is select, insert, update or delete")
    settings, cache = call.settings, call.gateway.cache.current
    if schema not in settings.db_schemas:
        raise ConsoleError(
            409, "not_exposed", f"The API does not serve the schema {schema}: nobody reaches its tables by it.",
            hint=f"It serves {', '.join(settings.db_schemas)} (PGRST_DB_SCHEMAS).",
        )  # fmt: skip
    if cache is None:
        raise ConsoleError(503, "no_schema", "The schema is not read yet; try again.")
    database = await call.database()
    shape = await shape_of(database, schema, table)
    who = await asked_as(call.gateway, text_of(content, "as", "service"))
    method = _METHODS[command]
    profile = (b"accept-profile" if method == "GET" else b"content-profile", schema.encode())
    query, body = "limit=100", b""
    if method in ("PATCH", "DELETE"):
        # Of every row, which is undone: a column that is never null names them all.
        named = next((column.name for column in shape.columns), "")
        query = f"or=({quote(named)}.is.null,{quote(named)}.not.is.null)"
    if method == "PATCH":
        changed = next((column.name for column in shape.columns if not column.generated), "")
        body = orjson.dumps({changed: None})
    if method == "POST":
        query, body = "", b"{}"
    given = content.get("row")
    if isinstance(given, dict) and method in ("PATCH", "POST"):
        body = orjson.dumps(given)
    headers = [profile, (b"content-type", b"application/json")]
    request = Request(method, f"/{quote(table, safe='')}", query, headers, body)
    identity = Identity(who.role, orjson.dumps(who.claims).decode())
    found = await explain(database, cache, settings, request, identity)
    return answer_json({"findings": findings(found), "status": found.status, "affected": found.affected})


def findings(found: Explanation) -> list[dict[str, object]]:
    """Grants, then policies, then what came of it."""
    listed: list[dict[str, object]] = []
    for grant in found.grants:
        what = "granted" if grant.whole else "granted by column" if grant.some else "not granted"
        lacking = f" (not {', '.join(grant.without)})" if grant.some and not grant.whole and grant.without else ""
        text = f"{grant.privilege} on {found.table} is {what} to {found.role}{lacking}"
        listed.append({"kind": "grant", "ok": grant.whole or grant.some, "text": text, "sql": None})
    for verdict in found.policies:
        rows = f"{verdict.passed} of {verdict.rows} {'new rows' if verdict.new_rows else 'rows'}"
        words = verdict.error or (f"{rows} pass" if verdict.passed is not None else "there is no row to try it on")
        strict = "" if verdict.permissive else ", restrictive"
        text = f"{verdict.policy} ({verdict.command.lower()}{strict}): {words}"
        passes = not verdict.error and (verdict.passed is None or verdict.passed > 0 or verdict.rows == 0)
        listed.append({"kind": "policy", "ok": passes, "text": text, "sql": verdict.expression})
    if found.secured and not found.policies:
        listed.append({
            "kind": "policy", "ok": False, "sql": None,
            "text": f"Row level security is on for {found.table}, and no policy is for {found.role}.",
        })  # fmt: skip
    remedies = list(found.remedies)
    for reason in found.reasons:
        listed.append({"kind": "row", "ok": False, "text": reason, "sql": remedies.pop(0) if remedies else None})
    listed += [{"kind": "row", "ok": False, "text": "This would open it:", "sql": remedy} for remedy in remedies]
    if found.code:
        listed.append({"kind": "row", "ok": False, "text": f"{found.code}: {found.message}", "sql": None})
    else:
        rows = "" if found.affected is None else f": {found.affected} rows"
        whole = "" if found.matched is None else f" of {found.matched} that there are"
        listed.append({"kind": "row", "ok": True, "text": f"The request succeeds{rows}{whole}.", "sql": None})
    return listed


ROUTES: Final = (ConsoleRoute("POST", "/rows/why", why, reads=True),)
