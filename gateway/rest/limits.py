"""How much one request may ask of the tables API: every bound of its parsers, in one table.

The size of a URL and of a body are settings. What stands here keeps the work that a request of an allowed size may
cause small: items cost planning and SQL, and nesting costs stack, here and in Postgres. Each is far beyond what
clients send.
"""

from __future__ import annotations

from typing import Final

PARAMETERS: Final = 500
"""Parameters of a query string."""

NESTING: Final = 50
"""Levels of parentheses in `select` and in logic trees, and names of a path of embeds."""

SELECT_ITEMS: Final = 1_000
"""Items of a `select`, in all its embeds together."""

TARGETS: Final = 1_664
"""Columns that one query selects, each `*` spelled out: more a query of Postgres cannot have."""

EMBEDS: Final = 100
"""Embeds of a `select`: each is a join."""

NAMES: Final = 1_664
"""Names in `columns` and in `on_conflict`, and fields of a body: the most columns that a table can be asked for."""

CONDITIONS: Final = 500
"""Filters and members of logic trees of a request."""

TERMS: Final = 1_664
"""Items, conditions, names and terms of all parameters together."""

ORDER_TERMS: Final = 200
"""Terms of an `order`."""

JSON_STEPS: Final = 50
"""Steps of a json path."""

LIST_ELEMENTS: Final = 50_000
"""Elements of an `in` list. They are one value, so they cost little."""

HEADER_BYTES: Final = 4_096
"""Bytes of `Accept`, `Prefer` and `Content-Type`, each."""

SMALL_PLAN: Final = 150
"""Terms, columns and fields of a plan that is made at once: a larger one takes more than a few milliseconds, so that it
is made in a thread."""

LARGE_PLAN: Final = 5_000
"""Terms, columns and fields of a plan that is remembered."""

WORDED: Final = 256
"""Characters of a refused text for which the original's own wording is found out."""
