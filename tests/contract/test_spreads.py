"""Spreads of any shape: what they lift is what the same request without spreads nests, taken apart by the rules of
contract section 11."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from tests.contract.case import Case
from tests.fixtures.contract import MAIN, Services

# Relation: its columns, then what it embeds (target, whether that is one row, the relation it leads to).
RELATIONS: Final[dict[str, tuple[tuple[str, ...], tuple[tuple[str, bool, str], ...]]]] = {
    "owners": (("id", "name", "code"), (("ships", False, "ships"),)),
    "ships": (
        ("id", "name", "built", "specs->crew"),
        (
            ("owners", True, "owners"),
            ("ports!ships_home_port_fkey", True, "ports"),
            ("passports", True, "passports"),
            ("captain", True, "sailors"),
            ("sailors", False, "sailors"),
            ("cargos", False, "cargos"),
            ("voyages", False, "voyages"),
            ("crew", False, "sailors"),
        ),
    ),
    "ports": (("id", "name", "country"), ()),
    "passports": (("ship_id", "number"), (("ships", True, "ships"),)),
    "sailors": (("id", "name", "rank"), (("ships", True, "ships"),)),
    "cargos": (("id", "name", "hazard"), (("ships", False, "ships"), ("ship_cargos", False, "ship_cargos"))),
    "ship_cargos": (("ship_id", "cargo_id", "tons"), (("cargos", True, "cargos"),)),
    "voyages": (("ship_id", "number", "title"), (("ships", True, "ships"), ("logbook", False, "logbook"))),
    "logbook": (("id", "entry"), (("voyages", True, "voyages"),)),
}
STARRED: Final = {  # those whose columns may be asked for as `*`: their names are nobody else's in a request
    "passports": ("ship_id", "number"),
    "ship_cargos": ("ship_id", "cargo_id", "tons"),
}
DEPTH: Final = 3
ROUNDS: Final = 150


@dataclass
class Node:
    """One resource of a select, with names that no other has."""

    target: str
    to_one: bool
    spread: bool
    alias: str
    columns: list[tuple[str, str]] = field(default_factory=list)  # what is asked for, and the key that it gets
    starred: tuple[str, ...] = ()
    children: list[Node] = field(default_factory=list)

    def text(self, spreads: bool) -> str:
        items = ["*"] if self.starred else []
        items += [f"{key}:{column}" for column, key in self.columns]
        for child in self.children:
            head = f"...{child.target}" if spreads and child.spread else f"{child.alias}:{child.target}"
            items.append(f"{head}({child.text(spreads)})")
        return ",".join(items)

    def shown(self) -> Iterator[str]:
        yield from self.starred
        yield from (key for _, key in self.columns)
        for child in self.children:
            if child.spread:
                yield from child.shown()
            else:
                yield child.alias


def lifted(node: Node, row: dict[str, Any]) -> dict[str, Any]:
    """A row whose embeds are nested, as it looks where spreads are lifted."""
    found = {key: row[key] for key in (*node.starred, *(key for _, key in node.columns))}
    for child in node.children:
        inner = row[child.alias]
        if child.to_one:
            below: Any = None if inner is None else lifted(child, inner)
            found |= ({key: below and below[key] for key in child.shown()}) if child.spread else {child.alias: below}
        else:
            rows = [lifted(child, each) for each in inner]
            many = {key: [each[key] for each in rows] for key in child.shown()} if child.spread else {child.alias: rows}
            found |= many
    return found


def drawn(dice: random.Random, relation: str, depth: int, number: Callable[[], int], starred: set[str]) -> Node:
    columns, targets = RELATIONS[relation]
    node = Node(relation, True, False, relation)
    if relation in STARRED and relation not in starred and not starred & {"passports", "ship_cargos"}:
        starred.add(relation)
        node.starred = STARRED[relation]
    else:
        chosen = dice.sample(columns, dice.randint(1, 2))
        node.columns = [(column, f"c{number()}") for column in chosen]
    if depth < DEPTH:
        for target, to_one, leads in dice.sample(targets, min(len(targets), dice.randint(0, 2))):
            child = drawn(dice, leads, depth + 1, number, starred)
            child.target, child.to_one, child.spread, child.alias = target, to_one, dice.random() < 0.7, f"e{number()}"
            node.children.append(child)
    return node


@pytest.mark.parametrize("seed", range(3))
def test_spreads_lift_what_embeds_nest(services: Services, seed: int) -> None:
    service = services(MAIN, "open")
    dice = random.Random(seed)
    spreads = 0
    for _ in range(ROUNDS):
        counter = iter(range(1, 1000))
        root = drawn(dice, dice.choice(list(RELATIONS)), 0, lambda counter=counter: next(counter), set())  # type: ignore[misc]
        nested = service.send(Case("", f"GET /{root.target}?select={root.text(False)}"))
        flat = service.send(Case("", f"GET /{root.target}?select={root.text(True)}"))
        assert nested.status_code == flat.status_code == 200, f"{root.text(True)}\n{nested.text}\n{flat.text}"
        expected = [lifted(root, row) for row in nested.json()]
        assert flat.json() == expected, root.text(True)
        pairs = json.loads(flat.text, object_pairs_hook=lambda pairs: pairs)
        assert all([key for key, _ in row] == list(root.shown()) for row in pairs), root.text(True)
        spreads += root.text(True).count("...")
    assert spreads > ROUNDS
