"""Which columns of a view cannot be null: those that show a table's column that cannot, and that no outer join empties.

Read from the view's stored rule, a tree of nodes (`pg_rewrite.ev_action`), through subqueries, common table expressions
and other views. What is computed, the arms of a UNION and what is found by a function may be null. Since Postgres 16 a
column of an outer join's other side names the join (`varnullingrels`); before, no column of a query with one counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

_TOKEN: Final = re.compile(r"[{}()]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_EMPTY: Final = "<>"
_OUTER: Final = ("1", "2", "3")  # jointype: left, full, right

Node = dict[str, Any]


def parse(text: str) -> Any:
    """A tree of nodes: `{NAME :field value …}` as a dictionary, `(…)` as a list, all else as text.

    >>> parse("({VAR :varno 1 :varnullingrels (b 2)})")
    [{'': 'VAR', 'varno': '1', 'varnullingrels': ['b', '2']}]
    """
    return _value(iter(_TOKEN.findall(text)))


def _value(tokens: Iterator[str], first: str = "") -> Any:
    token = first or next(tokens)
    if token == "(":
        items = []
        for token in tokens:
            if token == ")":
                break
            items.append(_value(tokens, token))
        return items
    if token != "{":
        return token
    node: Node = {"": next(tokens)}
    name = ""
    for token in tokens:
        if token == "}":
            break
        if token.startswith(":") and len(token) > 1:
            name = token[1:]
        elif name not in node:  # of a value in several words the first is enough
            node[name] = _value(tokens, token)
        else:
            _value(tokens, token)
    return node


class ViewColumns:
    """The rules of views by oid, and the columns of tables (oid, number) that cannot be null."""

    def __init__(self, rules: Mapping[int, str], not_null: Collection[tuple[int, int]]) -> None:
        self._rules = rules
        self._not_null = not_null
        self._queries: dict[int, Node] = {}
        self._known: dict[tuple[int, int], bool] = {}

    def is_not_null(self, view: int, number: int) -> bool:
        """Whether a column of a view cannot be null."""
        place = (view, number)
        if place not in self._known:
            self._known[place] = False  # views that show each other end here
            self._known[place] = self._shown((self._query(view),), number)
        return self._known[place]

    def _query(self, view: int) -> Node:
        if view not in self._queries:
            self._queries[view] = parse(self._rules[view])[0]
        return self._queries[view]

    def _shown(self, queries: tuple[Node, ...], number: int) -> bool:
        """A column of the innermost of some nested queries."""
        query = queries[-1]
        if query.get("setOperations", _EMPTY) != _EMPTY:
            return False
        for entry in _list(query.get("targetList")):
            if entry.get("resno") == str(number):
                return self._expression(queries, entry.get("expr"))
        return False

    def _expression(self, queries: tuple[Node, ...], found: Any) -> bool:
        if not isinstance(found, dict) or found[""] != "VAR":
            return False
        levels = int(found.get("varlevelsup", 0))
        if levels:
            queries = queries[:-levels]
        if not queries or _can_be_emptied(found, queries[-1]):
            return False
        entries = _list(queries[-1].get("rtable"))
        place, number = int(found["varno"]) - 1, int(found["varattno"])
        if not 0 <= place < len(entries) or number <= 0:
            return False
        return self._of_entry(queries, entries[place], number)

    def _of_entry(self, queries: tuple[Node, ...], entry: Node, number: int) -> bool:
        """A column of an entry of the range table."""
        for within in ("groupexprs", "joinaliasvars"):
            if expressions := _list(entry.get(within)):
                return number <= len(expressions) and self._expression(queries, expressions[number - 1])
        if (relation := int(entry.get("relid", 0) or 0)) and entry.get("rtekind") == "0":
            if relation in self._rules:
                return self.is_not_null(relation, number)
            return (relation, number) in self._not_null
        if isinstance(entry.get("subquery"), dict):
            return self._shown((*queries, entry["subquery"]), number)
        if (name := entry.get("ctename", _EMPTY)) != _EMPTY:
            levels = int(entry.get("ctelevelsup", 0))
            outer = queries[: len(queries) - levels]
            for table in _list(outer[-1].get("cteList")) if outer else ():
                if table.get("ctename") == name and isinstance(table.get("ctequery"), dict):
                    return self._shown((*outer, table["ctequery"]), number)
        return False


def _can_be_emptied(variable: Node, query: Node) -> bool:
    by = variable.get("varnullingrels")
    if by is not None:
        return len(_list(by)) > 1
    return any(entry.get("jointype") in _OUTER for entry in _list(query.get("rtable")))


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
