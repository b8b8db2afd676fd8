"""Why a private channel is refused: the policies of `realtime.messages`, asked as the realtime API asks them, and which
of them there are for who asks. Everything is undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from gateway.database import Database, DatabaseError, Scope
from gateway.database.statement import Statement
from gateway.identity.authenticator import Identity
from gateway.realtime.channels.policies import BROADCAST, OWNER, PRESENCE, Policies
from gateway.realtime.errors import RealtimeError
from gateway.realtime.tokens import Token

_POLICIES: Final = """
select policyname, cmd, permissive = 'PERMISSIVE', roles::text,
  exists (select from unnest(roles) r where r = 'public' or pg_has_role($1, r, 'usage')),
  coalesce(case when cmd = 'INSERT' then with_check else qual end, 'true')
from pg_policies where schemaname = 'realtime' and tablename = 'messages' order by cmd, policyname"""
_ROLE: Final = "select rolbypassrls or rolsuper from pg_roles where rolname = $1"
_SELECT: Final = ("SELECT", "ALL")
_INSERT: Final = ("INSERT", "ALL")


@dataclass(frozen=True, slots=True)
class ChannelPolicy:
    """A policy of `realtime.messages`; `applies` to who asks."""

    name: str
    command: str
    permissive: bool
    roles: str
    applies: bool
    expression: str


@dataclass(slots=True)
class ChannelExplanation:
    """What a role may on a channel, and why not. A right is None where it could not be asked: `errors` says why."""

    topic: str
    role: str
    rights: dict[str, bool | None] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    policies: Sequence[ChannelPolicy] = ()
    reasons: list[str] = field(default_factory=list)
    remedies: list[str] = field(default_factory=list)


async def explain_channel(
    database: Database, topic: str, identity: Identity, headers: str = "{}"
) -> ChannelExplanation:
    """Ask all rights of a channel. Raises DatabaseError, DatabaseUnavailable."""
    claims: dict[str, Any] = orjson.loads(identity.claims)
    sub = claims.get("sub")
    token = Token("", identity.role, identity.claims, sub if isinstance(sub, str) else "", None)
    found = ChannelExplanation(topic, identity.role)
    scope = Scope(OWNER, ("role",), (OWNER,))
    role = await database.run(scope, Statement(_ROLE, (identity.role,)))
    if role.value is None:
        found.reasons.append(f"the role {identity.role} is not known to the database")
        return found
    rows = (await database.run(scope, Statement(_POLICIES, (identity.role,)))).rows
    found.policies = [
        ChannelPolicy(_text(row[0]), _text(row[1]), row[2] == b"t", _text(row[3]), row[4] == b"t", _text(row[5]))
        for row in rows
    ]
    await _ask(Policies(database), found, token, headers)
    _judge(found, role.value == b"t")
    return found


async def _ask(asked: Policies, found: ChannelExplanation, token: Token, headers: str) -> None:
    try:
        seen = await asked.seen(token, found.topic, headers, (BROADCAST, PRESENCE))
        found.rights |= {f"read {name}": name in seen for name in (BROADCAST, PRESENCE)}
    except (DatabaseError, RealtimeError) as error:
        for name in (BROADCAST, PRESENCE):
            found.rights[f"read {name}"], found.errors[f"read {name}"] = None, error.message
    for name in (BROADCAST, PRESENCE):
        try:
            found.rights[f"write {name}"] = await asked.write(token, found.topic, headers, name)
        except (DatabaseError, RealtimeError) as error:
            found.rights[f"write {name}"], found.errors[f"write {name}"] = None, error.message


def _judge(found: ChannelExplanation, passes: bool) -> None:
    if passes:
        found.reasons.append(f"{found.role} passes row level security by: it may everything")
        return
    for verb, commands, clause in (("read", _SELECT, "select"), ("write", _INSERT, "insert")):
        refused = [name for name, may in found.rights.items() if name.startswith(verb) and may is False]
        if not refused:
            continue
        applying = [policy for policy in found.policies if policy.command in commands and policy.applies]
        if not applying:
            others = sorted({policy.roles for policy in found.policies if policy.command in commands})
            elsewhere = f" (there are some for {', '.join(others)})" if others else ""
            found.reasons.append(f"no policy of realtime.messages for {clause} is for {found.role}{elsewhere}")
            check = "using" if verb == "read" else "with check"
            found.remedies.append(
                f"create policy … on realtime.messages for {clause} to {found.role} {check} (realtime.topic() = '…')"
            )
        else:
            named = ", ".join(policy.name for policy in applying)
            found.reasons.append(f"{', '.join(refused)}: none of the policies for {clause} holds: {named}")
    for name, error in found.errors.items():
        found.reasons.append(f"{name}: a policy fails: {error}; the client is told that it is unauthorized")


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode()
