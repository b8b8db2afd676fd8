"""From changes to members: filters, what each role may read, row level security, and the text that each gets.

A batch is what has come meanwhile, at most a hundred changes. It goes through these steps: bindings that are of a
change; filters, first those that texts decide, then one statement for each role; one statement for all roles and claims
(visibility.py); one for values that only Postgres turns into JSON; then the texts, made once for all that get the same,
in the order of the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from gateway.database import Database
from gateway.realtime.changes import matching, payload, visibility
from gateway.realtime.changes.interface import Deliver, Member
from gateway.realtime.changes.log import Change
from gateway.realtime.changes.pgoutput import Relation
from gateway.realtime.changes.registry import BoundPart, Registry, Subscription
from gateway.realtime.changes.subscribing import Condition
from gateway.realtime.changes.tables import PublishedTable, ask_json, asks, describe

log = logging.getLogger("gateway.realtime.changes")

SLICE: Final = 0.003  # seconds of work after which others have their turn
TELL_EVERY: Final = 60.0  # seconds between two words to a member about the same kind of fault
# States of a group (visibility.py) in which a change is told without its row, and in which it is not told.
REFUSALS: Final = {"closed": payload.UNAUTHORIZED, "bare": payload.NO_KEY}
FAULT: Final = "Row level security could not be asked"
ALTERED: Final = "The table was altered while its changes were read: some were missed"
UNSEEN: Final = {"gone": "", "changed": ALTERED, "stranger": "The database has no such role", "fault": FAULT}
ROUNDS: Final = 3  # times that a table is described anew because it keeps changing


@dataclass(slots=True)
class _Candidate:
    """A subscription that a change may be for, by some of its bindings."""

    subscription: Subscription
    parts: list[BoundPart]


@dataclass(slots=True)
class _Work:
    """One change of a batch."""

    change: Change
    table: PublishedTable
    candidates: list[_Candidate] = field(default_factory=list)
    everyone: list[_Candidate] = field(default_factory=list)  # whatever their filters say


_Sights = dict[tuple[int, str], tuple[dict[int, int], visibility.Seen, dict[str, int]]]
"""By table and role: numbers of rows by the places of their changes, what came of it, and asks by their claims."""
_Undecided = dict[tuple[str, Condition], dict[str, bool]]


class Distribution:
    """Gives batches of changes to the members of one worker."""

    def __init__(self, database: Database, registry: Registry, deliver: Deliver) -> None:
        self._database = database
        self._registry = registry
        self._deliver = deliver
        self._tables: dict[int, tuple[Relation, PublishedTable | None]] = {}
        self.sent = 0  # copies of changes
        self.statements = 0  # about row level security
        self._turn = 0.0

    async def give(self, changes: Sequence[Change], only: Subscription | None = None) -> None:
        """Send a batch to all, or to one who asked for the past.

        Raises DatabaseError, DatabaseUnavailable, PoolTimeout: nothing was sent then.
        """
        self._turn = time.monotonic()
        works = [work for change in changes if (work := await self._work(change, only)) is not None]
        await self._filter(works)
        for _ in range(ROUNDS):
            sights = await self._see(works)
            stale = {table for (table, _), (_, found, _) in sights.items() if found.state == "changed"}
            if not stale:
                break
            await self._describe_anew(works, stale)
        asked = await self._ask_values(works)
        for place, work in enumerate(works):
            self._send(place, work, sights, asked, only is not None)
            await self._breathe()

    async def _breathe(self) -> None:
        """Let others have their turn."""
        if time.monotonic() - self._turn > SLICE:
            await asyncio.sleep(0)
            self._turn = time.monotonic()

    # --- whom a change may be for ----------------------------------------------------------------------------------

    async def _work(self, change: Change, only: Subscription | None) -> _Work | None:
        found: dict[Subscription, list[BoundPart]] = {}
        for subscription, parts in self._registry.of(change):
            if only is not None:
                if subscription is not only:
                    continue
            elif change.position <= subscription.begin or change.at < subscription.begin_at:
                continue
            wanted = [part for part in parts if part.wanted.takes(change.kind)]
            if wanted and not subscription.member.gone:
                found.setdefault(subscription, []).extend(wanted)
        await self._breathe()
        if not found:
            return None
        table = await self._table(change.relation)
        if table is None:
            return None
        return _Work(change, table, [_Candidate(subscription, parts) for subscription, parts in found.items()])

    async def _table(self, relation: Relation) -> PublishedTable | None:
        known = self._tables.get(relation.oid)
        if known is None or known[0] != relation:
            known = self._tables[relation.oid] = relation, await describe(self._database, relation)
        return known[1]

    async def _describe_anew(self, works: list[_Work], stale: Iterable[int]) -> None:
        for oid in stale:
            self._tables.pop(oid, None)
        for work in works:
            if work.change.relation.oid in stale:
                work.table = await self._table(work.change.relation) or work.table

    # --- filters ---------------------------------------------------------------------------------------------------

    async def _filter(self, works: list[_Work]) -> None:
        """Leave the candidates whose filters hold; the others may still be told of a fault of the table."""
        undecided: _Undecided = {}
        for work in works:
            for candidate in work.candidates:
                for part in candidate.parts:
                    self._holds(work, part, candidate.subscription.role, undecided)
            await self._breathe()
        for role in {role for role, _ in undecided}:
            questions = [(condition, values) for (of, condition), values in undecided.items() if of == role]
            answers = await matching.ask(self._database, role, [(c, list(values)) for c, values in questions])
            for (_, values), holds in zip(questions, answers, strict=True):
                values.update(zip(values, holds, strict=True))
        for work in works:
            work.everyone = work.candidates
            work.candidates = []
            for candidate in work.everyone:
                role = candidate.subscription.role
                parts = [part for part in candidate.parts if self._holds(work, part, role, undecided)]
                if parts:
                    work.candidates.append(_Candidate(candidate.subscription, parts))
            await self._breathe()

    def _holds(self, work: _Work, part: BoundPart, role: str, undecided: _Undecided) -> bool:
        """Whether all conditions of a binding hold; what only Postgres knows is noted, and counts as no until then."""
        change = work.change
        row = change.new if change.new is not None else change.old
        identity = change.new is None and not change.whole
        all_hold = True
        for condition in part.conditions:
            assert row is not None
            value = matching.value_of(condition, work.table, row, identity)
            holds = matching.decided(condition, value)
            if holds is False:
                return False
            if holds is None:
                assert isinstance(value, str)
                all_hold = undecided.setdefault((role, condition), {}).setdefault(value, False) and all_hold
        return all_hold

    # --- rights ----------------------------------------------------------------------------------------------------

    async def _see(self, works: list[_Work]) -> _Sights:
        """What each role may read of each table, and which rows each claims see."""
        groups: dict[tuple[int, str], visibility.Group] = {}
        numbers: dict[tuple[int, str], dict[int, int]] = {}
        wanted: dict[tuple[int, str], dict[str, list[int]]] = {}
        for place, work in enumerate(works):
            change, table = work.change, work.table
            for candidate in work.everyone:
                key = change.relation.oid, candidate.subscription.role
                if key not in groups:
                    groups[key] = visibility.Group(change.relation.oid, key[1], table.key)
                    numbers[key], wanted[key] = {}, {}
            if change.kind == "DELETE" or not table.key:
                continue
            row = _key_of(change, table)
            if row is None:
                continue
            for candidate in work.candidates:
                key = change.relation.oid, candidate.subscription.role
                number = numbers[key].get(place)
                if number is None:
                    number = numbers[key][place] = len(groups[key].rows)
                    groups[key].rows.append(row)
                rows = wanted[key].setdefault(candidate.subscription.claims, [])
                if not rows or rows[-1] != number:
                    rows.append(number)
            await self._breathe()
        asks: dict[tuple[int, str], dict[str, int]] = {}
        for key, group in groups.items():
            sets: dict[tuple[int, ...], int] = {}
            asks[key] = {}
            for claims, rows in wanted[key].items():
                asks[key][claims] = len(group.asks)
                group.asks.append((claims, sets.setdefault(tuple(rows), len(sets))))
            group.sets = list(sets)
        if groups:
            self.statements += 1
        transactions = {work.change.xid for work in works}
        found = await visibility.ask(self._database, list(groups.values()), transactions)
        return {key: (numbers[key], seen, asks[key]) for key, seen in zip(groups, found, strict=True)}

    # --- values and texts ------------------------------------------------------------------------------------------

    async def _ask_values(self, works: list[_Work]) -> dict[tuple[str, str], bytes]:
        wanted: dict[tuple[str, str], None] = {}
        for work in works:
            places = [place for place, column in enumerate(work.table.columns) if asks(column.kind)]
            for row in (work.change.new, work.change.old) if places else ():
                for place in places:
                    if row is not None and isinstance(value := row[place], str):
                        wanted[work.table.columns[place].type_sql, value] = None
        if not wanted:
            return {}
        return dict(zip(wanted, await ask_json(self._database, list(wanted)), strict=True))

    def _send(self, place: int, work: _Work, sights: _Sights, asked: dict[tuple[str, str], bytes], past: bool) -> None:
        change, table = work.change, work.table
        row_is_read = change.kind != "DELETE"
        texts: dict[tuple[object, ...], tuple[bytes, list[tuple[Member, tuple[int, ...]]]]] = {}
        if row_is_read:
            for candidate in work.everyone:
                _, seen, _ = sights[change.relation.oid, candidate.subscription.role]
                if seen.state in REFUSALS:
                    if (seen.state,) not in texts:
                        texts[(seen.state,)] = payload.refusal_of(change, REFUSALS[seen.state]), []
                    ids = tuple([part.id for part in candidate.parts])
                    texts[(seen.state,)][1].append((candidate.subscription.member, ids))
        for candidate in work.candidates:
            subscription = candidate.subscription
            numbers, seen, asks_of = sights[change.relation.oid, subscription.role]
            if seen.state in UNSEEN or (row_is_read and seen.state in REFUSALS):
                self._tell(subscription, UNSEEN.get(seen.state, ""), seen.fault)
                continue
            if row_is_read and seen.state == "asked":
                if place not in numbers:
                    self._tell(subscription, ALTERED, "")
                    continue
                visible = seen.visible[asks_of[subscription.claims]]
                if isinstance(visible, str):
                    self._tell(subscription, FAULT, visible)
                    continue
                if numbers[place] not in visible:
                    continue
            by_select: dict[tuple[str, ...], list[int]] = {}
            for part in candidate.parts:
                by_select.setdefault(part.wanted.select, []).append(part.id)
            for select, found in by_select.items():
                columns = seen.columns & {*select, *table.key} if select else seen.columns
                key = columns, seen.secured, subscription.tells
                if key not in texts:
                    said = payload.data_of(
                        change, table, columns, seen.secured, lambda *value: asked.get(value), subscription.tells
                    )
                    texts[key] = said, []
                texts[key][1].append((subscription.member, tuple(found)))
        for said, members in texts.values():
            self.sent += len(members)
            self._deliver(members if past else self._registry.unheld(members, said), said)

    def _tell(self, subscription: Subscription, what: str, why: str) -> None:
        """Say that changes cannot be told, but not with each of them."""
        now = time.monotonic()
        if what and now - subscription.told_at > TELL_EVERY:
            subscription.told_at = now
            log.info("changes are not told to a subscriber: %s", why or what)
            subscription.member.system("postgres_changes", "error", f"{what}: {why}" if why else what)


def _key_of(change: Change, table: PublishedTable) -> tuple[str, ...] | None:
    """The primary key of the new row; of a long one that stayed the same the log carries the old row's. None where a
    column of the key was renamed or added since: the row cannot be looked for."""
    assert change.new is not None
    found = []
    for name in table.key:
        place = table.places.get(name)
        if place is None:
            return None
        value = change.new[place]
        found.append(value if isinstance(value, str) or change.old is None else change.old[place])
    return tuple(map(str, found))
