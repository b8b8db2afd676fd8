"""Where the columns of views come from."""

from __future__ import annotations

from gateway.catalog.lineage import Views, parse_targets

TABLE, OTHER, VIEW, OUTER = 100, 200, 300, 400


def entry(number: int, table: int = 0, column: int = 0, name: str = "c", inner: str = "{VAR :varno 1}") -> str:
    return (
        f"{{TARGETENTRY :expr {inner} :resno {number} :resname {name} :ressortgroupref 0"
        f" :resorigtbl {table} :resorigcol {column} :resjunk false}}"
    )


def rule(*entries: str, tables: str = "<>") -> bytes:
    return f"({{QUERY :commandType 1 :rtable {tables} :targetList ({' '.join(entries)}) :override 0}})".encode()


def test_plain_columns_have_their_origin() -> None:
    assert parse_targets(rule(entry(1, TABLE, 2), entry(2, OTHER, 1))) == {1: (TABLE, 2), 2: (OTHER, 1)}


def test_computed_columns_have_none() -> None:
    assert parse_targets(rule(entry(1), entry(2, TABLE, 1))) == {2: (TABLE, 1)}


def test_subqueries_before_the_target_list_are_passed_over() -> None:
    subquery = "({RTE :rtekind 1 :subquery {QUERY :targetList (" + entry(1, OTHER, 9) + ")}})"
    assert parse_targets(rule(entry(1, TABLE, 2), tables=subquery)) == {1: (TABLE, 2)}


def test_subqueries_inside_an_entry_are_passed_over() -> None:
    sublink = "{SUBLINK :subselect {QUERY :targetList (" + entry(7, OTHER, 9) + ")}}"
    assert parse_targets(rule(entry(1, inner=sublink), entry(2, TABLE, 2))) == {2: (TABLE, 2)}


def test_names_with_brackets_do_not_confuse_the_nesting() -> None:
    hostile = r"\)\}\ :targetList\ \(\{\ :resno\ 5"
    assert parse_targets(rule(entry(1, TABLE, 2, name=hostile), entry(2, TABLE, 3))) == {1: (TABLE, 2), 2: (TABLE, 3)}


def test_views_of_views_lead_to_the_table() -> None:
    views = Views({VIEW: rule(entry(1, TABLE, 5)), OUTER: rule(entry(1, VIEW, 1), entry(2, VIEW, 1))})
    assert views.columns_by_origin(OUTER) == {(TABLE, 5): [1, 2]}


def test_views_that_show_each_other_end_nowhere() -> None:
    views = Views({VIEW: rule(entry(1, OUTER, 1)), OUTER: rule(entry(1, VIEW, 1), entry(2, TABLE, 1))})
    assert views.columns_by_origin(OUTER) == {(TABLE, 1): [2]}
