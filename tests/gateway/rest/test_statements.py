"""Requests and the statements they run, by the rules of contract sections 7 to 12 (`statements.txt`).

A block has a title, the request line, headers, a body behind `>`, the SQL and, behind `=`, what is bound. Quotes and
the schema's name are left out of the SQL, and what every statement has is named in capitals (`BRIEF`).
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from gateway.catalog.model import SchemaCache
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner

_INSERTED: Final = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), ''), '0')"
BRIEF: Final = (
    ('"public".', ""),
    ('"', ""),
    ("current_setting('response.headers', true), current_setting('response.status', true)", "RESPONSE"),
    ("select null::bigint, count(*), coalesce(json_agg(_postgrest_t), '[]'), RESPONSE from (", "PAGE ("),
    ("select null::bigint, count(*), coalesce(json_agg(_postgrest_t.pgrst_scalar), '[]'), RESPONSE from (", "VALUES ("),
    (f"{_INSERTED}::int + 1)::text, true) <> '0'", "COUNT_UP"),
    (f"{_INSERTED}::int - 1)::text, true) <> '-1'", "COUNT_DOWN"),
    ("nullif(current_setting('pgrst.inserted', true), '')", "INSERTED"),
    (" _postgrest_t", ""),
)


class Row(NamedTuple):
    title: str
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    text: str
    params: tuple[object, ...]


def rows() -> Iterator[Row]:
    for block in Path(__file__).with_name("statements.txt").read_text().strip().split("\n\n"):
        title, request, *lines = block.splitlines()
        method, _, target = request.strip().partition(" ")
        kinds: dict[str, list[str]] = {">": [], "=": [], "+": [], " ": []}
        for line in lines:
            kinds[line[2]].append(line[2:].removeprefix(line[2]).strip())
        headers = dict(header.split(": ", 1) for header in kinds["+"])
        params = literal_eval(" ".join(kinds["="]) or "()")
        yield Row(title, method, target, headers, "".join(kinds[">"]).encode(), " ".join(kinds[" "]), params)


def brief(text: str) -> str:
    for long, short in BRIEF:
        text = text.replace(long, short)
    return " ".join(text.split())


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.title)
def test_a_request_runs_its_statement(cache: SchemaCache, settings: Settings, row: Row) -> None:
    statement = Planner(cache, settings).statement(row.method, row.target, row.body, row.headers)
    assert brief(statement.text) == row.text
    assert statement.params == row.params
