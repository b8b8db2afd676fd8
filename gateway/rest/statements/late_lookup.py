"""A page whose keys are found before its rows are read (gateway/rest/planner/late_lookup.py has when, and what it
gains).

Where what is found also tells the total, at most `FOUND` keys are held. Where there are more, page and total are read
apart, as if nothing had been found: of many rows the first few are found soon.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from gateway.database.sql import Fragment, catalogued, identifier, joined, sql
from gateway.rest.statements.clauses import column_of, field_of, limits, order_by
from gateway.rest.statements.read import count_query, matching_query, read_query, table_of
from gateway.rest.types import Column, LateLookup, ReadPlan

FOUND: Final = 1_000
_FOUND: Final = identifier("pgrst_found")
_KEY: Final = "pgrst_key"


class LatePage(NamedTuple):
    """The parts of a statement: its sources, the page, and its total where what was found tells it."""

    sources: list[Fragment]
    page: Fragment
    total: Fragment | None


def late_page(plan: ReadPlan, late: LateLookup) -> LatePage:
    """The page of a plan."""
    table = table_of(plan)
    key = column_of(table, late.key)
    keys = sql("array(", matching_query(plan, key), order_by(table, plan.order), limits(plan), ")")
    if not late.counts:
        return LatePage([], _rows(plan, key, keys), None)
    # The terms of the order are found under names of their own, as two may be of one column.
    terms = [replace(term, column=Column(f"pgrst_{number}")) for number, term in enumerate(plan.order)]
    shown = [sql(key, " as ", identifier(_KEY))]
    shown += [
        sql(field_of(table, term.column), " as ", identifier(named.column.name))
        for term, named in zip(plan.order, terms, strict=True)
    ]
    found = sql(matching_query(plan, joined(shown)), " limit ", catalogued(str(FOUND + 1)))
    many = sql("(select n > ", catalogued(str(FOUND)), " from pgrst_total)")
    sources = [
        sql(_FOUND, " as materialized (", found, ")"),
        sql("pgrst_total as materialized (select count(*) as n from ", _FOUND, ")"),
    ]
    known = sql("array(select ", column_of(_FOUND, _KEY), " from ", _FOUND, order_by(_FOUND, terms), limits(plan), ")")
    total = sql("case when ", many, " then (select count(*) from (", count_query(plan), ") pgrst_count)")
    return LatePage(
        sources,
        _rows(plan, key, sql("case when ", many, " then ", keys, " else ", known, " end")),
        sql(total, " else (select n from pgrst_total) end"),
    )


def _rows(plan: ReadPlan, key: Fragment, keys: Fragment) -> Fragment:
    return read_query(plan, sql(key, " = any (", keys, ")"))
