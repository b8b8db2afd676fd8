"""Who listens to which table, in one worker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from gateway.realtime.changes.bindings import ANY, WantedChanges
from gateway.realtime.changes.interface import Binding, Member
from gateway.realtime.changes.log import Change, Position
from gateway.realtime.changes.subscribing import Condition


@dataclass(frozen=True, slots=True)
class BoundPart:
    """One binding of a subscription."""

    id: int
    wanted: WantedChanges
    conditions: tuple[Condition, ...]


@dataclass(eq=False, slots=True)
class Subscription:
    """A member and what it listens to. What is not behind `begin` in the log is not told, nor what was committed before
    `begin_at` (Unix µs). While it is given the past, what comes meanwhile is `held`. `told_at` is when it last heard of
    a fault."""

    member: Member
    bindings: tuple[Binding, ...]
    role: str
    claims: str
    parts: tuple[BoundPart, ...]
    begin: Position
    begin_at: int = 0
    held: list[tuple[bytes, tuple[int, ...]]] | None = None
    told_at: float = float("-inf")

    @property
    def tells(self) -> bool:
        """Whether its member wants to know where it is, to come back there."""
        return any(part.wanted.tells for part in self.parts)


_Key = tuple[str, str]
NOBODY: Final[dict[Subscription, list[BoundPart]]] = {}


@dataclass(slots=True)
class Registry:
    """Subscriptions by their member (its `id`), and by what they are of."""

    by_member: dict[int, Subscription] = field(default_factory=dict)
    by_table: dict[_Key, dict[Subscription, list[BoundPart]]] = field(default_factory=dict)

    def add(self, subscription: Subscription) -> None:
        """In place of what its member had."""
        self.remove(subscription.member)
        self.by_member[id(subscription.member)] = subscription
        for part in subscription.parts:
            key = part.wanted.schema, part.wanted.table
            self.by_table.setdefault(key, {}).setdefault(subscription, []).append(part)

    def remove(self, member: Member) -> None:
        """Forget what a member listens to."""
        subscription = self.by_member.pop(id(member), None)
        if subscription is None:
            return
        for key in {(part.wanted.schema, part.wanted.table) for part in subscription.parts}:
            of_table = self.by_table[key]
            of_table.pop(subscription, None)
            if not of_table:
                del self.by_table[key]

    def unheld(
        self, members: list[tuple[Member, tuple[int, ...]]], said: bytes
    ) -> list[tuple[Member, tuple[int, ...]]]:
        """Those whom a change can be handed to now; for the others it is held."""
        now = []
        for member, ids in members:
            subscription = self.by_member.get(id(member))
            if subscription is not None and subscription.held is not None:
                subscription.held.append((said, ids))
            else:
                now.append((member, ids))
        return now

    def of(self, change: Change) -> Iterable[tuple[Subscription, list[BoundPart]]]:
        """Subscriptions that may be of a change, and their bindings that may be."""
        schema, table = change.relation.schema, change.relation.table
        for key in ((schema, table), (schema, ANY), (ANY, table), (ANY, ANY)):
            yield from self.by_table.get(key, NOBODY).items()
