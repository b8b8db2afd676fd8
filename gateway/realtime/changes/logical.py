"""Changes of tables by logical decoding: what a worker's channels ask of it (interface.py), put together.

bindings, filters   what a client asks for
subscribing         whether the database can serve it
slot, reader        the log, read by one worker of all gateways; leadership says which
log, follower       what it says to the others, and what they missed
registry            who listens to what
matching, visibility, payload, distribution   what each listener gets
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime.bus import Bus
from gateway.realtime.changes.bindings import BindingFault, WantedChanges, parse_binding
from gateway.realtime.changes.distribution import Distribution
from gateway.realtime.changes.follower import Follower
from gateway.realtime.changes.interface import (
    Binding,
    Deliver,
    Member,
    Subscribed,
    SubscriptionRefused,
    hash_of,
)
from gateway.realtime.changes.leadership import Keeping, Leadership
from gateway.realtime.changes.log import START, Change, Position, before, parse_position
from gateway.realtime.changes.registry import BoundPart, Registry, Subscription
from gateway.realtime.changes.slot import PUBLICATION
from gateway.realtime.changes.subscribing import FAILED, BindingRefused, Checked, check

log = logging.getLogger("gateway.realtime.changes")

AT_ONCE: Final = 100  # changes in a batch
MOST_WAITING: Final = 50_000  # changes that wait to be given; beyond it they are dropped, and members are told
TRIES: Final = 3  # at a batch that the database refuses
SLOW: Final = 10.0  # seconds after which a member that waits to be subscribed is told so
LOOK: Final = 30.0  # seconds between looks at what is published
TAKE_OVER: Final = 30.0  # seconds that who returns waits for a reader that has what was missed
AWAY: Final = (DatabaseUnavailable, PoolTimeout)
MISSED: Final = "Changes may have been missed: load the data anew"
TIMEOUTS: Final = "Too many database timeouts"
NO_READER: Final = "Changes are not read yet; the subscription goes on as soon as they are"
GONE: Final = "Changes since {since} are not kept any more: load the data anew"

_PUBLISHED: Final = "select schemaname, tablename from pg_publication_tables where pubname = $1"


class LogicalChanges:
    """One in each worker."""

    def __init__(
        self, bus: Bus, deliver: Deliver, database: Database, urls: Sequence[str], keeping: Keeping | None = None
    ) -> None:
        """`database` takes on the roles of members, `urls` are logins that may read the log, by preference."""
        self.registry = Registry()
        self.follower = Follower(bus, self._on_changes, self._on_gap)
        self.distribution = Distribution(database, self.registry, deliver)
        self.leadership = Leadership(self.follower, database, urls, keeping or Keeping())
        self._database = database
        self._deliver = deliver
        self._waiting: deque[Change] = deque()
        self._came = asyncio.Event()
        self._attending: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False
        self._busy = 0  # subscriptions that are being made

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """The first subscription comes."""
        self._run(self._give())
        self._run(self._look())

    async def stop(self) -> None:
        """The worker ends; another one reads on."""
        self._stopped = True
        tasks = [*self._tasks, *([self._attending] if self._attending is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _attend(self) -> None:
        """See to it that the log is read while there are subscriptions."""
        self.leadership.listens = bool(self.registry.by_member or self._busy)
        if self.leadership.listens and not self._stopped and (self._attending is None or self._attending.done()):
            self._attending = asyncio.create_task(self.leadership.run())
            self._attending.add_done_callback(self._attended)

    def _attended(self, done: asyncio.Task[None]) -> None:
        """It ended: because nobody listened, which may be another matter by now, or by a fault of ours."""
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            log.error("reading changes failed and is tried again", exc_info=error)
        asyncio.get_running_loop().call_later(0.0 if error is None else 1.0, self._attend)

    @property
    def counters(self) -> dict[str, int]:
        """For the metrics."""
        reader = self.follower.reader
        return {
            "subscriptions": len(self.registry.by_member),
            "sent": self.distribution.sent,
            "statements": self.distribution.statements,
            "waiting": len(self._waiting),
            "gaps": self.follower.gaps,
            "reads": int(reader is not None),
            "read": reader.read if reader is not None else 0,
            "lag_bytes": self.leadership.lag if reader is not None else 0,
        }

    # --- subscriptions -------------------------------------------------------------------------------------------

    def ids(self, bindings: Sequence[Binding]) -> list[int]:
        """An id each."""
        return [hash_of(binding) for binding in bindings]

    async def subscribe(self, member: Member, bindings: Sequence[Binding]) -> Subscribed | SubscriptionRefused:
        """Subscribe a member to all of its bindings, or to none; answers once changes flow."""
        try:
            wanted = [parse_binding(binding) for binding in bindings]
            since = [_since(each) for each in wanted if each.since is not None]
        except BindingFault as fault:
            return SubscriptionRefused(str(fault))
        self._busy += 1
        try:
            self._attend()
            return await self._subscribe(member, tuple(bindings), wanted, since)
        finally:
            self._busy -= 1
            self._attend()

    async def _subscribe(
        self, member: Member, bindings: tuple[Binding, ...], wanted: list[WantedChanges], since: list[Position | int]
    ) -> Subscribed | SubscriptionRefused:
        role, claims = member.role, member.claims
        began = asyncio.get_running_loop().time()
        told = False
        checked: Checked | None = None
        while not member.gone:
            try:
                checked = checked or await check(self._database, role, claims, wanted)
            except BindingRefused as refused:
                return SubscriptionRefused(str(refused))
            except DatabaseError as error:
                return SubscriptionRefused(f"{FAILED} {error.message}")
            except AWAY as error:
                log.info("a subscription waits for the database: %s", error)
            if checked is not None and self.follower.following.is_set():
                break
            if self.leadership.fault and not self.follower.hears:
                return SubscriptionRefused(f"{FAILED} Changes cannot be read: {self.leadership.fault}")
            if not told and asyncio.get_running_loop().time() - began > SLOW:
                told = True
                member.system("postgres_changes", "error", NO_READER if checked is not None else TIMEOUTS)
            with suppress(TimeoutError):
                async with asyncio.timeout(0.25):
                    await self.follower.following.wait()
                if checked is None:
                    await asyncio.sleep(0.25)
        if member.gone or checked is None:
            return SubscriptionRefused("The channel has ended")
        parts = zip(bindings, wanted, checked.conditions, strict=True)
        subscription = Subscription(
            member,
            bindings,
            role,
            claims,
            tuple([BoundPart(hash_of(binding), each, conditions) for binding, each, conditions in parts]),
            before(checked.place),
        )
        if since:
            here = subscription.begin = self.follower.position or START
            # A reader that took over reads again what this worker may not have seen yet, and the client may have.
            if (cursors := [each for each in since if isinstance(each, Position)]) == since:
                subscription.begin = max(here, min(cursors))
            elif (moments := [each for each in since if not isinstance(each, Position)]) == since:
                subscription.begin_at = min(*moments, int(time.time() * 1_000_000))
            subscription.held = []
            self._run(self._give_past(subscription, since, here))
        self.registry.add(subscription)
        return Subscribed()

    async def unsubscribe(self, member: Member) -> None:
        """Forget a member."""
        self.registry.remove(member)
        self._attend()

    async def renew(self, member: Member) -> Subscribed | SubscriptionRefused:
        """Subscribe it anew, with its role and claims of now; it misses nothing meanwhile."""
        former = self.registry.by_member.get(id(member))
        if former is None:
            return SubscriptionRefused("Unable to subscribe to changes")
        wanted = [part.wanted for part in former.parts]
        try:
            checked = await check(self._database, member.role, member.claims, wanted)
        except BindingRefused as refused:
            self.registry.remove(member)
            return SubscriptionRefused(str(refused))
        except (DatabaseError, *AWAY):
            self.registry.remove(member)
            return SubscriptionRefused(TIMEOUTS)
        parts = tuple(
            [
                BoundPart(part.id, part.wanted, found)
                for part, found in zip(former.parts, checked.conditions, strict=True)
            ]
        )
        former.role, former.claims, former.parts = member.role, member.claims, parts
        self.registry.add(former)
        return Subscribed()

    # --- the past ------------------------------------------------------------------------------------------------

    async def _give_past(self, subscription: Subscription, since: Sequence[Position | int], here: Position) -> None:
        """Give a member what it missed while it was away, up to `here`, then what was held meanwhile; or say that it
        cannot be."""
        member = subscription.member
        while not member.joined and not member.gone:
            await asyncio.sleep(0.01)
        changes: dict[Position, Change] = {}
        complete = True
        for each in since:
            answer = await self._past(each, here)
            if answer is None:
                complete = False
            else:
                changes |= {change.position: change for change in answer}
        past = [changes[position] for position in sorted(changes) if position <= subscription.begin]
        try:
            for at in range(0, len(past) if complete else 0, AT_ONCE):
                await self.distribution.give(past[at : at + AT_ONCE], subscription)
        except (DatabaseError, *AWAY):
            complete = False
        held, subscription.held = subscription.held or [], None
        if member.gone:
            return
        if not complete:
            given = ", ".join(dict.fromkeys([part.wanted.since for part in subscription.parts if part.wanted.since]))
            member.system("postgres_changes", "error", GONE.format(since=given))
        for said, ids in held:
            self._deliver([(member, ids)], said)

    async def _past(self, since: Position | int, here: Position) -> list[Change] | None:
        """What follows a place up to `here`; None where some of it is not kept any more. A reader that has just taken
        over is waited for, until it has read again as far as that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TAKE_OVER):
                while True:
                    answer = await self.follower.fetch(since)
                    if answer is not None and (answer.changes is None or answer.reached >= here):
                        return answer.changes
                    await asyncio.sleep(0.05)
        return None

    # --- changes ---------------------------------------------------------------------------------------------------

    def _on_changes(self, changes: tuple[Change, ...]) -> None:
        self._waiting.extend(changes)
        if len(self._waiting) > MOST_WAITING:
            log.error("%d changes wait to be given and are dropped", len(self._waiting))
            self._waiting.clear()
            self._on_gap()
        self._came.set()

    def _on_gap(self) -> None:
        for subscription in tuple(self.registry.by_member.values()):
            subscription.member.system("postgres_changes", "error", MISSED)

    async def _give(self) -> None:
        """Give what comes, batch by batch, in the order of the log."""
        waiting = self._waiting
        while True:
            await self._came.wait()
            self._came.clear()
            while waiting:
                batch = [waiting.popleft() for _ in range(min(AT_ONCE, len(waiting)))]
                await self._give_batch(batch)

    async def _give_batch(self, batch: list[Change]) -> None:
        pause, tries = 0.1, 0
        while True:
            try:
                await self.distribution.give(batch)
                return
            except AWAY as error:
                log.info("changes wait for the database: %s", error)
            except DatabaseError as error:
                tries += 1
                if tries == TRIES:
                    log.error("changes cannot be given: %s", error)
                    self._on_gap()
                    return
            except Exception:
                log.exception("changes cannot be given")
                self._on_gap()
                return
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 2)

    async def _look(self) -> None:
        """See whether the tables that members listen to are still published."""
        while True:
            await asyncio.sleep(LOOK)
            if not self.registry.by_member:
                continue
            try:
                result = await self._database.run(Scope(code_free=True), Statement(_PUBLISHED, (PUBLICATION,)))
            except (DatabaseError, *AWAY):
                continue
            published = {((schema or b"").decode(), (table or b"").decode()) for schema, table in result.rows}
            await self._hold_against(published)

    async def _hold_against(self, published: set[tuple[str, str]]) -> None:
        for subscription in tuple(self.registry.by_member.values()):
            named = {(part.wanted.schema, part.wanted.table) for part in subscription.parts}
            if any("*" not in name and name not in published for name in named):
                outcome = await self.renew(subscription.member)
                if isinstance(outcome, SubscriptionRefused):
                    subscription.member.system("postgres_changes", "error", outcome.message)


def _since(wanted: WantedChanges) -> Position | int:
    """What a client saw last: the cursor of a change, or its time. Raises BindingFault."""
    text = wanted.since or ""
    try:
        if "/" in text:
            return parse_position(text)
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1_000_000)
    except ValueError as error:
        raise BindingFault(f"Error parsing `since` params: {text} is neither a cursor nor a time") from error
