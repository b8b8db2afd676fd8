"""What a channel asks of the changes of tables, and what it is told.

A join goes through these steps, all in the member's worker:

1. `ids(bindings)` gives each binding its id, at once: the join's reply repeats them.
2. The member is registered for broadcasts, then `subscribe` is awaited. The reply is sent when it has answered, or
   after a second, whichever is sooner: clients wait ten.
3. What it answered becomes the `system` message of extension `postgres_changes`: `Subscribed` with status `ok` and
   `Subscribed to PostgreSQL`, `SubscriptionRefused` with status `error` and its text. The channel stays joined.
   Later ones, as when the reader was replaced or the database refuses a subscriber, are sent by `Member.system`.

`renew` is called when a channel's token changes (the member has the new role and claims by then), `unsubscribe` when it
is left, closed, or its socket is gone; a member that was refused is unsubscribed too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

import orjson

from gateway.realtime.bus import Bus

Binding = Mapping[str, Any]
"""One of `config.postgres_changes` as it was sent: event, schema, table, filter, select; not checked in any way."""

SUBSCRIBED = "Subscribed to PostgreSQL"


class Member(Protocol):
    """A channel that is joined on a socket of this worker."""

    @property
    def topic(self) -> str:
        """Without `realtime:`."""

    @property
    def role(self) -> str:
        """The database role of the channel's token."""

    @property
    def claims(self) -> str:
        """The JSON text of its claims, the role among them; equal tokens have equal texts."""

    @property
    def gone(self) -> bool:
        """Whether the channel has ended: nothing may be sent to it any more."""

    @property
    def joined(self) -> bool:
        """Whether the join's reply was sent; what is sent before it, a client cannot understand."""

    def system(self, extension: str, status: str, message: str) -> None:
        """Send a `system` message: status `ok` or `error`."""


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The member hears every change that is committed from now on."""

    message: str = SUBSCRIBED


@dataclass(frozen=True, slots=True)
class SubscriptionRefused:
    """It hears none; `message` is what the client is told."""

    message: str


class Deliver(Protocol):
    """Hands a change to members, each with the ids of its bindings that match; `data` is the JSON text of the change,
    as the contract has it (§12). Frames are made once for all members that get the same."""

    def __call__(self, members: Sequence[tuple[Member, tuple[int, ...]]], data: bytes) -> None:
        """Send it; never waits."""


class Changes(Protocol):
    """Subscriptions of one worker; made with the worker's bus, its `Deliver` and its pool of connections."""

    async def start(self) -> None:
        """The first subscription comes."""

    async def stop(self) -> None:
        """The worker ends."""

    def ids(self, bindings: Sequence[Binding]) -> list[int]:
        """An id each: from 1 to 2^27 - 1, a hash of the binding's content."""

    async def subscribe(self, member: Member, bindings: Sequence[Binding]) -> Subscribed | SubscriptionRefused:
        """Subscribe a member to all of its bindings, or to none."""

    async def unsubscribe(self, member: Member) -> None:
        """Forget a member."""

    async def renew(self, member: Member) -> Subscribed | SubscriptionRefused:
        """Subscribe it anew, with its role and claims of now."""

    @property
    def counters(self) -> dict[str, int]:
        """For the metrics: subscriptions, changes read and sent, lag in bytes."""


class NoChanges:
    """Where changes are not served: every subscription is refused."""

    def __init__(self, bus: Bus, deliver: Deliver) -> None:
        """Takes what every `Changes` is made with."""

    async def start(self) -> None:
        """Nothing is to do."""

    async def stop(self) -> None:
        """Nothing is to do."""

    def ids(self, bindings: Sequence[Binding]) -> list[int]:
        """Ids that tell bindings apart."""
        return [hash_of(binding) for binding in bindings]

    async def subscribe(self, member: Member, bindings: Sequence[Binding]) -> Subscribed | SubscriptionRefused:
        """Refuse it."""
        return SubscriptionRefused(
            "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given"
            f" connect parameters: {described(bindings[0])}"
        )

    async def unsubscribe(self, member: Member) -> None:
        """Nothing is to do."""

    async def renew(self, member: Member) -> Subscribed | SubscriptionRefused:
        """Refuse it once more."""
        return SubscriptionRefused("Unable to subscribe to changes")

    @property
    def counters(self) -> dict[str, int]:
        return {}


def described(binding: Binding) -> str:
    """A binding's parameters as refusals name them."""
    names = [f"{name}: {binding[name]}" for name in ("event", "schema", "table", "filter") if name in binding]
    return f"[{', '.join(names)}]"


def hash_of(binding: Binding) -> int:
    """The id of a binding: the same for the same content, anywhere and always, and never 0.

    >>> hash_of({"event": "*", "schema": "public"}) == hash_of({"schema": "public", "event": "*"})
    True
    """
    text = orjson.dumps(binding, option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(blake2b(text, digest_size=4).digest()) % (2**27 - 1) + 1
