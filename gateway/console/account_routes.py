"""The console's accounts, as `gateway console accounts` makes and ends them; a password is in one answer alone."""

from __future__ import annotations

from typing import Final

import orjson

from gateway.console.accounts import KINDS, name_of
from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.commands import lines, run_command
from gateway.console.errors import bad_request, not_found
from gateway.console.sessions import ALL, READ, RECORDS
from gateway.http.messages import Response

_OPTIONS: Final = {ALL: (), READ: ("--read-only",), RECORDS: ("--records",)}


async def accounts(call: ConsoleCall) -> Response:
    return answer_json(list(lines(await run_command(call, "console", "accounts", "list", "--json"))))


async def add_account(call: ConsoleCall) -> Response:
    """`{"name", "kind": "all"|"read"|"records"}`."""
    content = await call.json()
    name, kind = name_of(text_of(content, "name")), text_of(content, "kind", ALL)
    if name is None or kind not in KINDS:
        raise bad_request(
            "a name has letters, digits and . _ @ + -, at most 64 of them; a kind is all, read or records"
        )
    call.note(name=name, kind=kind)
    words = ("console", "accounts", "add", *_OPTIONS[kind], "--json", "--", name)
    return answer_json(orjson.loads(await run_command(call, *words)))


async def renew_password(call: ConsoleCall) -> Response:
    """Another password; the account's sessions end."""
    name = _name(call)
    return answer_json(orjson.loads(await run_command(call, "console", "accounts", "password", "--json", "--", name)))


async def remove_account(call: ConsoleCall) -> Response:
    name = _name(call)
    await run_command(call, "console", "accounts", "remove", "--", name)
    return answer_json({"removed": name})


def _name(call: ConsoleCall) -> str:
    name = name_of(call.path["name"])
    if name is None:
        raise not_found("there is no such account")
    call.note(name=name)
    return name


ROUTES: Final = (
    ConsoleRoute("GET", "/accounts", accounts),
    ConsoleRoute("POST", "/accounts", add_account),
    ConsoleRoute("POST", "/accounts/{name:segment}/password", renew_password),
    ConsoleRoute("DELETE", "/accounts/{name:segment}", remove_account),
)
