"""What a client asks to be told of: one entry of `config.postgres_changes`, checked and understood.

In: the binding as it was sent. Out: `WantedChanges`, or a refusal in the contract's words. Whether there is such a
table is asked of Postgres, see subscribing.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.realtime.changes.filters import ColumnFilter, FilterFault, parse_filters

EVENTS: Final = ("INSERT", "UPDATE", "DELETE")
ANY: Final = "*"


class BindingFault(ValueError):
    """A binding cannot be understood; the message is what the client is told."""


@dataclass(frozen=True, slots=True)
class WantedChanges:
    """Changes of one kind (`*` for all) of one table (`*` for every one). `select` are the columns to send, empty for
    all. `since` is what the client says it saw last, None for nothing; `tells` whether it wants to know where it is."""

    event: str
    schema: str
    table: str
    filters: tuple[ColumnFilter, ...] = ()
    select: tuple[str, ...] = ()
    since: str | None = None
    tells: bool = False

    def takes(self, event: str) -> bool:
        """Whether it is of changes of this kind."""
        return self.event in (ANY, event)


def parse_binding(binding: object) -> WantedChanges:
    """Raises BindingFault.

    >>> parse_binding({"event": "insert", "table": "todos"})
    WantedChanges(event='INSERT', schema='public', table='todos', filters=(), select=(), since=None, tells=False)
    """
    if not isinstance(binding, Mapping):
        raise _nothing_asked(binding)
    schema, table = _name(binding, "schema"), _name(binding, "table")
    if schema is None and table is None:
        raise _nothing_asked(binding)
    event = binding.get("event")
    event = event.upper() if isinstance(event, str) else ANY
    wanted_filter, select = binding.get("filter"), _select(binding.get("select"))
    schema, table = "public" if schema is None else schema, ANY if table is None else table
    everything = ANY in (schema, table)
    if wanted_filter is not None and not isinstance(wanted_filter, str):
        raise BindingFault(f"Error parsing `filter` params: [{orjson.dumps(wanted_filter, default=str).decode()}]")
    try:
        filters = parse_filters(wanted_filter or "")
    except FilterFault as fault:
        raise BindingFault(f"Error parsing `filter` params: {fault}") from fault
    if filters and everything:
        raise BindingFault("Error parsing `filter` params: a filter needs a schema and a table")
    if select and everything:
        raise BindingFault(
            "Column selection is not supported for wildcard subscriptions. Please provide a schema and a table"
        )
    since = binding.get("since")
    return WantedChanges(
        event if event in EVENTS else ANY,
        schema,
        table,
        filters,
        select,
        since if isinstance(since, str) and since else None,
        isinstance(since, str),
    )


def _name(binding: Mapping[str, Any], key: str) -> str | None:
    value = binding.get(key)
    return value if isinstance(value, str) and value else None


def _select(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        text = orjson.dumps(value, default=str).decode()
        raise BindingFault(f"Error parsing `select` params: expected a list of column name strings, got: {text}")
    return tuple(dict.fromkeys(value))


def _nothing_asked(binding: object) -> BindingFault:
    text = orjson.dumps(binding, default=str).decode()
    return BindingFault(
        f"No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: {text}"
    )


def described(wanted: WantedChanges) -> str:
    """A binding's parameters as refusals name them.

    >>> described(WantedChanges("INSERT", "public", "nope"))
    '[event: INSERT, schema: public, table: nope, filters: [], select: nil]'
    """
    filters = ", ".join("{" + ", ".join(_quoted(word) for word in _filter_words(each)) + "}" for each in wanted.filters)
    select = "[" + ", ".join(map(_quoted, wanted.select)) + "]" if wanted.select else "nil"
    return (
        f"[event: {wanted.event}, schema: {wanted.schema}, table: {wanted.table}, filters: [{filters}],"
        f" select: {select}]"
    )


def _filter_words(each: ColumnFilter) -> tuple[str, ...]:
    value = "{" + ",".join(each.values) + "}" if each.operator == "in" else each.values[0]
    return each.column, f"not.{each.operator}" if each.negated else each.operator, value


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
