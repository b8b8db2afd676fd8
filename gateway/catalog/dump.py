"""The schema cache as JSON text, for whoever looks into a running gateway. The shape is not stable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from gateway.catalog.model import SchemaCache


def dump(cache: SchemaCache) -> bytes:
    """All members, their items written one by one: while orjson writes, no other thread may run."""
    members = [orjson.dumps(name) + b":[" + b",".join(map(_text, items)) + b"]" for name, items in _members(cache)]
    return b"{" + b",".join(members) + b"}"


def _members(cache: SchemaCache) -> Iterator[tuple[str, Iterable[Any]]]:
    yield "dbTables", cache.tables.values()
    yield (
        "dbRelationships",
        (
            {"source": str(source), "schema": schema, "relationships": found}
            for (source, schema), found in cache.relationships.items()
        ),
    )
    yield "dbRoutines", (routine for overloads in cache.routines.values() for routine in overloads)
    yield "dbRepresentations", cache.representations.values()
    yield "dbMediaHandlers", cache.media_handlers.values()


def _text(item: object) -> bytes:
    return orjson.dumps(item, default=_plain)


def _plain(value: Any) -> Any:
    """Names are tuples to Python and text to a reader."""
    return dict(value) if isinstance(value, Mapping) else str(value)
