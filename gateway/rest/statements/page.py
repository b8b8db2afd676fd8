"""Plan → SQL terms (contract section 19).

A read is one SELECT whose outer part aggregates the page into one body; a write or a function call stands in the
common table expression `pgrst_source`, and the read plan runs over it. The one row of the result has the contract's
columns: total, rows of the page, for writes where the row is, body, response.headers, response.status, for writes how
many rows were inserted.
"""

from __future__ import annotations

from typing import Final, assert_never

from gateway.catalog.model import ComputedRelationship, Routine
from gateway.database.sql import NOTHING, Fragment, bind, catalogued, identifier, joined, sql
from gateway.rest.statements.call import call_query, is_scalar
from gateway.rest.statements.late_lookup import LatePage, late_page
from gateway.rest.statements.read import count_query, read_query
from gateway.rest.statements.terms import Slot, qualified
from gateway.rest.statements.write import location_of, write_query
from gateway.rest.types import (
    SOURCE,
    Body,
    CallPlan,
    Fixed,
    LateLookup,
    ReadPlan,
    ResponseFormat,
    Special,
    WritePlan,
)

_PAGE: Final = identifier("_postgrest_t")
_SOURCE: Final = identifier(SOURCE.name)
_RESPONSE: Final = sql("current_setting('response.headers', true), current_setting('response.status', true)")


def _body(response_format: ResponseFormat, routine: Routine | None) -> Fragment:
    """The aggregate that makes the body of the page. Single objects are cut out of the array when it is rendered."""
    row: Fragment = sql(_PAGE, ".pgrst_scalar") if routine is not None and is_scalar(routine) else _PAGE
    match response_format.body:
        case Body.NONE:
            return sql("''::text")
        case Body.ARRAY | Body.OBJECT:
            return sql("coalesce(json_agg(", row, "), '[]')")
        case Body.ARRAY_STRIPPED | Body.OBJECT_STRIPPED:
            return sql("coalesce(json_strip_nulls(json_agg(", row, ")), '[]')")
        case Body.GEOJSON:
            return sql(
                "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(",
                row,
                ")::json), '[]'))",
            )
        case Body.CSV:
            header = sql(
                "(select coalesce(string_agg(k, ','), '') from (select json_object_keys(row_to_json(h)) as k "
                "from (select * from pgrst_page limit 1) h) keys)"
            )
            text = sql(_PAGE, "::text")
            lines = sql("coalesce(string_agg(substring(", text, ", 2, length(", text, ") - 2), '\n'), '')")
            return sql(header, " || '\n' || ", lines)
        case Body.CUSTOM:
            handler = response_format.handler
            assert handler is not None
            if handler.is_routine:
                return sql("(array_agg(", row, "))[1]")
            if handler.target is not None:
                row = sql(row, "::", qualified(handler.target))
            return sql(qualified(handler.function), "(", row, ")")
    assert_never(response_format.body)


# Whether a custom body's type is bytea underneath: then it arrives in hexadecimal. Asked outside of the query that
# aggregates: an aggregate over rows without columns belongs to the innermost query that it stands in.
_WITH_KIND: Final = sql(
    "select r.*, (select 'bytea'::regtype in (t.oid, t.typbasetype) from pg_catalog.pg_type t"
    " where t.oid = pg_typeof(r.pgrst_made)) from ("
)


def _result(
    page: Fragment,
    response_format: ResponseFormat,
    routine: Routine | None,
    sources: list[Fragment],
    total: Fragment | None,
    written: tuple[Fragment, Fragment] | None = None,
) -> Fragment:
    """The outer SELECT; `written` is what a write tells of itself, location and rows inserted."""
    body = _body(response_format, routine)
    if response_format.body is Body.CUSTOM:
        body = sql(body, " as pgrst_made")
    if response_format.body is Body.CSV:
        sources = [*sources, sql("pgrst_page as (", page, ")")]
        page = sql("select * from pgrst_page")
    columns = [total or sql("null::bigint"), sql("count(*)"), body, _RESPONSE]
    if written is not None:
        location, inserted = written
        columns = [*columns[:2], location, *columns[2:], inserted]
    heads = sql("with ", joined(sources), " ") if sources else NOTHING
    made = sql("select ", joined(columns), " from (", page, ") ", _PAGE)
    return sql(heads, _WITH_KIND, made, ") r") if response_format.body is Body.CUSTOM else sql(heads, made)


def _total(count: str | None, plan: ReadPlan, max_rows: int | None) -> Fragment | None:
    """The exact total, counted only where the page leaves it unknown; an estimated one is counted up to a limit."""
    if count is None or count == "planned":
        return None
    if count == "estimated":
        most = max_rows + 1 if max_rows is not None else None
        return sql("(select count(*) from (", count_query(plan, most), ") pgrst_count)")
    counted = sql("(select count(*) from (", count_query(plan), ") pgrst_count)")
    if _changes_rows(plan):
        return counted
    offset = sql(bind(Slot(plan.offset.value)), "::bigint") if isinstance(plan.offset, Special) else None
    # The page tells the total where it is not full, and not empty beyond the first row.
    known = [sql("count(*) < ", catalogued(str(plan.limit.number)))] if isinstance(plan.limit, Fixed) else []
    known += [sql("count(*) > 0")] if offset is not None else []
    total = sql("count(*)") if offset is None else sql(offset, " + count(*)")
    if not known:
        return total
    return sql("case when ", joined(known, " and "), " then ", total, " else ", counted, " end")


def _changes_rows(plan: ReadPlan) -> bool:
    """Whether the page's rows may not be the counted ones: aggregates fold them, a lateral of a to-one computed
    relationship may multiply them."""
    if any(select.aggregate for select in plan.select):
        return True
    return any(
        isinstance(embed.relationship, ComputedRelationship) or any(column.aggregate for column in embed.spread_columns)
        for embed in plan.embeds
    )


def read_statement(
    plan: ReadPlan,
    response_format: ResponseFormat,
    count: str | None,
    max_rows: int | None,
    late: LateLookup | None = None,
) -> Fragment:
    """A read of a table, its rows looked up late where `late` says how."""
    page = LatePage([], read_query(plan), None) if late is None else late_page(plan, late)
    total = _total(count, plan, max_rows) if page.total is None else page.total
    return _result(page.page, response_format, None, page.sources, total)


def write_statement(write: WritePlan, read: ReadPlan, response_format: ResponseFormat) -> Fragment:
    """A write, and the read of what it returned."""
    source = sql(_SOURCE, " as (", write_query(write), ")")
    inserted = sql("nullif(current_setting('pgrst.inserted', true), '')") if write.merge else sql("null")
    page = sql("select * from ", _SOURCE) if response_format.body is Body.NONE else read_query(read)
    return _result(page, response_format, None, [source], None, (location_of(write), inserted))


def call_statement(call: CallPlan, read: ReadPlan, response_format: ResponseFormat, count: str | None) -> Fragment:
    """A function call, and the read of what it returned."""
    source = sql(_SOURCE, " as (", call_query(call), ")")
    # What a function returns is there already: there is nothing to estimate.
    total = _total("exact" if count == "estimated" else count, read, None)
    return _result(read_query(read), response_format, call.routine, [source], total)


_EXPLAIN: Final = {
    "analyze": "analyze",
    "verbose": "verbose",
    "settings": "settings",
    "buffers": "buffers",
    "wal": "wal",
}


def explain(statement: Fragment, response_format: ResponseFormat) -> Fragment:
    """EXPLAIN of a statement, in the format and with the options of the plan media type."""
    media = response_format.media
    options = [catalogued("format json" if media.plan_format == "json" else "format text")]
    options += [catalogued(_EXPLAIN[option]) for option in media.plan_options]
    return sql("explain (", joined(options), ") ", statement)


def explain_count(plan: ReadPlan) -> Fragment:
    """The planner's estimate of a read's total."""
    return sql("explain (format json) ", count_query(plan))
