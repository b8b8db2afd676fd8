"""Dividing SQL as the official CLI does, and never inside of what quotes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.projects.statements import split

CASES = {
    "semicolon in a string": ("select ';'; select 2", ["select ';'", "select 2"]),
    "doubled quote": ("select 'a'';'; select 2", ["select 'a'';'", "select 2"]),
    "backslash that shields in an escape string": (r"select E'\';'; select 2", [r"select E'\';'", "select 2"]),
    "backslash that does not in a plain string": (r"select '\'; select 2", [r"select '\'", "select 2"]),
    "quoted name": ('select ";"";"; select 2', ['select ";"";"', "select 2"]),
    "line comment": ("select 1 -- ; '\n; select 2", ["select 1 -- ; '", "select 2"]),
    "nested comments": ("/* a /* ; */ ; */ select 1; select 2", ["/* a /* ; */ ; */ select 1", "select 2"]),
    "dollar quotes": ("do $$ begin; end $$; select 2", ["do $$ begin; end $$", "select 2"]),
    "dollar quotes in another": ("do $a$ $$;$$ $b$ ; $a$; select 2", ["do $a$ $$;$$ $b$ ; $a$", "select 2"]),
    "a parameter is no dollar quote": ("select $1; select $1", ["select $1", "select $1"]),
    "a name with dollars": ("select a$b$c; select 2", ["select a$b$c", "select 2"]),
    "parentheses": (
        "create rule r as on insert to t do also (insert into a values (1); select 2); select 3",
        ["create rule r as on insert to t do also (insert into a values (1); select 2)", "select 3"],
    ),
    "a body without quotes": (
        "create function f() returns int begin atomic select case when true then 1 end; select 2; END; select 3",
        [
            "create function f() returns int begin atomic select case when true then 1 end; select 2; END",
            "select 3",
        ],
    ),
    "a transaction's begin and end": ("begin; select 1; end; select 2", ["begin", "select 1", "end", "select 2"]),
    "a column called atomic": ("select atomic from t; select 2", ["select atomic from t", "select 2"]),
    "comment after the last": ("select 1; -- done", ["select 1", "-- done"]),
    "empty statements": (";; select 1;;\n;", ["select 1"]),
    "line ends of Windows": ("select 1;\r\nselect\r\n2;\r\n", ["select 1", "select\r\n2"]),
    "byte order mark": ("\ufeffselect 1", ["select 1"]),
    "what pg_dump writes for psql": (
        "--\n-- dump\n--\n\n\\restrict abc\n\nset x = 1;\n\n\\unrestrict abc\n",
        ["--\n-- dump\n--\n\n\n\nset x = 1"],
    ),
    "a string that is never closed": ("select 1; select 'a; b", ["select 1", "select 'a; b"]),
}


@pytest.mark.parametrize(("sql", "statements"), CASES.values(), ids=CASES)
def test_statements_end_where_the_official_cli_ends_them(sql: str, statements: list[str]) -> None:
    assert [each.text for each in split(sql)] == statements


PIECES = st.sampled_from(
    (
        "select 1", "select ';'", "select $$;$$", "select $x$ $$ ; $x$", "-- ;\nselect 1", "/* ; /* ; */ */ select 2",
        "select (1)", 'select ";"', r"select E'\';'", "create table t (a int, b text default ';')", "select 'it''s;'",
        "create function f() returns int begin atomic; select case 1 when 1 then 2 end; end",
    )
)  # fmt: skip


@given(st.lists(PIECES), st.lists(st.sampled_from(("\n", " ", "\n\n", "\t")), min_size=1))
def test_any_sequence_of_statements_is_divided_between_them(pieces: list[str], spaces: list[str]) -> None:
    sql = "".join(f"{piece};{spaces[place % len(spaces)]}" for place, piece in enumerate(pieces))
    found = split(sql)
    assert [each.text for each in found] == pieces
    lines = sql.split("\n")
    for each in found:
        assert (
            lines[each.line - 1].lstrip(" \t;").endswith(each.text.split("\n")[0])
            or each.text.split("\n")[0] in lines[each.line - 1]
        )


@given(st.text(alphabet="a;'\"$-/*()\\\n Ebegin atomic"))
def test_no_character_is_lost_whatever_the_text(sql: str) -> None:
    kept = "".join("".join(each.text for each in split(sql)).split())
    assert kept.replace(";", "") == "".join(sql.replace(";", "").split())


def test_the_line_of_an_error_is_that_of_the_file() -> None:
    first, second = split("-- a\n\nselect 1;\n\n-- why\nselect\n  2;")
    assert (first.line, first.line_of(None)) == (1, 3)
    assert (second.line, second.line_of(None), second.line_of(len("-- why\nselect\n  2"))) == (5, 6, 7)
