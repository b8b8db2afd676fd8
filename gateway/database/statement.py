"""SQL text and its values travel together and apart from each other.

`Statement` is the only thing that a connection runs; `gateway.database.sql` puts them together. Names are quoted by
`quote_name`, the one quoting function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Value = str | bytes | None


class Statement(NamedTuple):
    """SQL with `$1 …` placeholders and its values in PostgreSQL's text format (None is SQL null).

    Values are sent untyped, so Postgres infers each type from its place in the query.
    """

    text: str
    params: tuple[Value, ...] = ()


def quote_name(name: str) -> str:
    """Quote an identifier for SQL.

    >>> quote_name('say "hi"')
    '"say ""hi\"""'
    """
    return '"' + name.replace("\0", "").replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """Quote a constant for the few places where SQL takes no parameter (utility commands such as `alter role`).

    >>> quote_literal("it's")
    "'it''s'"
    """
    escaped = text.replace("\0", "").replace("'", "''")
    return f" E'{escaped.replace(chr(92), chr(92) * 2)}'" if "\\" in escaped else f"'{escaped}'"


def array_literal(values: Sequence[str]) -> str:
    """A PostgreSQL array literal of text elements.

    >>> array_literal(['a', 'say "hi"', 'b,c'])
    '{"a","say \\\\"hi\\\\"","b,c"}'
    """
    return "{" + ",".join('"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values) + "}"
