"""The mutation tester breaks what runs, and nothing else; its table names files and tests that exist."""

from __future__ import annotations

import pytest

from tests.mutation import sql
from tests.mutation.equivalents import EQUIVALENTS
from tests.mutation.run import ROOT, changed, is_equivalent
from tests.mutation.targets import TARGETS, Target

FUNCTION = """-- a >= b in a comment
create table t (n int check (n >= 0));
create function f() returns int language sql as $$
  select 1 where 2 >= 1 -- and here a < b
$$;
"""


@pytest.mark.parametrize("target", TARGETS, ids=[target.path for target in TARGETS])
def test_a_target_and_its_tests_exist(target: Target) -> None:
    assert (ROOT / target.path).is_file()
    assert target.tests
    for test in target.tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists() and (not name or f"def {name}(" in (ROOT / path).read_text())


def test_only_the_bodies_of_functions_are_broken() -> None:
    bodies = [mutant.removeprefix(FUNCTION[: FUNCTION.index("$$")]) for mutant in sql.mutants(FUNCTION)]
    assert sorted(body.split("\n")[1].strip() for body in bodies) == [
        "select 1 where 2 > 1 -- and here a < b",
        "select 1 where 2 >= 2 -- and here a < b",
        "select 1 where 3 >= 1 -- and here a < b",
        "select 2 where 2 >= 1 -- and here a < b",
    ]


@pytest.mark.parametrize(
    ("later", "broken"),
    [
        (["create table u (n int);", "create function g() returns int language sql as $$\n  select 0\n$$;"], 4),
        (["create or replace function f() returns int language sql as $$\n  select 0\n$$;"], 0),
        (["drop function f();"], 0),
    ],
)
def test_a_function_that_a_later_migration_replaces_is_not_broken(later: list[str], broken: int) -> None:
    assert len(list(sql.mutants(FUNCTION, later))) == broken


def test_what_nobody_noticed_is_shown_as_a_difference() -> None:
    shown = changed("a\nb\n", "a\nc\n", "x.py")
    assert shown.splitlines()[-2:] == ["-b", "+c"]


@pytest.mark.parametrize("path", EQUIVALENTS)
def test_what_is_said_to_change_nothing_is_a_line_of_its_module(path: str) -> None:
    assert path in {target.path for target in TARGETS}
    source = (ROOT / path).read_text()
    for each in EQUIVALENTS[path]:
        assert each.line in source.splitlines() and each.broken and each.why
        for broken in each.broken:
            mutant = source.replace(each.line, broken, 1)
            assert mutant != source and is_equivalent(source, mutant, path)
            assert not is_equivalent(source, mutant, "another.py")


def test_a_change_that_is_not_listed_counts() -> None:
    path = "gateway/rest/parse/filters.py"
    source = (ROOT / path).read_text()
    assert not is_equivalent(source, source.replace("return negated", "return not negated", 1), path)
