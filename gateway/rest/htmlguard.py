"""Cleans text on its way into columns that are marked as sanitized HTML."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import orjson

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.html import clean_html
from gateway.rest.errors import BODY
from gateway.rest.types import Payload


def guard_html(payload: Payload, cache: SchemaCache, name: Name) -> Payload:
    """The payload with the text of the table's HTML columns cleaned; untouched where it writes none."""
    table = cache.tables.get(name)
    if table is None:
        return payload
    guarded = [
        column
        for column in payload.columns
        if column in table.columns and table.columns[column].nominal_type in cache.html_domains
    ]
    if not guarded:
        return payload
    try:
        # Numbers are carried through as they were written: floats would lose digits.
        body = json.loads(payload.raw, parse_float=_verbatim, parse_int=_verbatim)
    except (ValueError, RecursionError):
        raise ApiError(BODY, message="Empty or invalid json") from None
    for row in body if isinstance(body, list) else [body]:
        if isinstance(row, dict):
            for column in guarded:
                if isinstance(row.get(column), str):
                    row[column] = clean_html(row[column])
    return replace(payload, raw=orjson.dumps(body))


def _verbatim(digits: str) -> Any:
    return orjson.Fragment(digits)
