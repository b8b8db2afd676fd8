"""Which column of which relation each column of a view comes from, read from the view's stored rule. Pure.

A rule is kept as a node tree (`pg_rewrite.ev_action`), whose outermost query has a target list; each entry names its
position in the view and, where it is a plain column, the relation and column it was taken from
(https://www.postgresql.org/docs/current/catalog-pg-rewrite.html).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Origin = tuple[int, int]
"""A relation's oid and a column's number."""

# Names are written with a backslash before every bracket, blank and backslash, so that brackets always nest.
_TOKEN = re.compile(rb"\\.|[({})]| :(targetList|resno|resorigtbl|resorigcol) (?=([0-9]*))", re.DOTALL)
_QUERY_DEPTH = 2  # `({QUERY …})`
_ENTRY_DEPTH = 4  # `:targetList ({TARGETENTRY …})`


def parse_targets(action: bytes) -> dict[int, Origin]:
    """Origins by column number of the view; computed columns have none.

    >>> parse_targets(b"({QUERY :rtable <> :targetList ({TARGETENTRY :expr {VAR :varno 1} :resno 1 :resname a\\\\)"
    ...               b" :resorigtbl 16390 :resorigcol 3 :resjunk false}) :override 0})")
    {1: (16390, 3)}
    """
    origins: dict[int, Origin] = {}
    depth = 0
    inside = False
    column = table = 0
    for token in _TOKEN.finditer(action):
        text = token[0]
        if text in (b"(", b"{"):
            depth += 1
        elif text in (b")", b"}"):
            depth -= 1
            if inside and depth == _QUERY_DEPTH:
                break
        elif depth == _QUERY_DEPTH:
            inside = inside or token[1] == b"targetList"
        elif inside and depth == _ENTRY_DEPTH and token[2]:
            number = int(token[2])
            if token[1] == b"resno":
                column = number
            elif token[1] == b"resorigtbl":
                table = number
            elif table and number:
                origins[column] = (table, number)
    return origins


class Views:
    """The rules of views by oid; each is parsed when first asked for."""

    def __init__(self, actions: Mapping[int, bytes]) -> None:
        self._actions = actions
        self._parsed: dict[int, dict[int, Origin]] = {}

    def columns_by_origin(self, view: int) -> dict[Origin, list[int]]:
        """For each table column that shows in the view, through any views between, the view's columns that show it,
        in their order."""
        shown: dict[Origin, list[int]] = {}
        for column in sorted(self._targets(view)):
            origin = self._trace((view, column))
            if origin is not None:
                shown.setdefault(origin, []).append(column)
        return shown

    def _targets(self, view: int) -> dict[int, Origin]:
        known = self._parsed.get(view)
        if known is None:
            known = self._parsed[view] = parse_targets(self._actions[view])
        return known

    def _trace(self, place: Origin) -> Origin | None:
        """The table column behind a view's column; views that were replaced to show each other end nowhere."""
        seen: set[Origin] = set()
        while place[0] in self._actions:
            if place in seen:
                return None
            seen.add(place)
            origin = self._targets(place[0]).get(place[1])
            if origin is None:
                return None
            place = origin
        return place
