"""Reports of suites, beside what pg_prove 3.36 printed of the same output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.projects.tap import SuiteResult, line_of, read, summary

FILES = {
    "tests/a.sql": ("1..2\nok 1 - one\nok 2 - two", 0),
    "tests/b_long_name.sql": (
        '1..4\nok 1 - one\nnot ok 2 - two\n# Failed test 2: "two"\n#         have: 1\n#         want: 2\n'
        'ok 3 # SKIP not now\nnot ok 4 - x # TODO later\n# Failed (TODO) test 4: "x"\n'
        "# Looks like you failed 1 test of 4",
        0,
    ),
    "tests/c.sql": ("1..3\nok 1 - one", 3),
    "tests/d.pg": ("1..3\nok 1 - one\n# Looks like you planned 3 tests but ran 1", 0),
    "tests/f_empty.sql": ("1", 0),
    "tests/sub/e.sql": ("ok 1 - a\n    not ok 1 - of a subtest\nok 2 - unexpected # TODO t\n1..2", 0),
}
REPORT = """\
tests/a.sql ............ ok
tests/b_long_name.sql .. 
# Failed test 2: "two"
#         have: 1
#         want: 2
# Failed (TODO) test 4: "x"
# Looks like you failed 1 test of 4
Failed 1/4 subtests 
\t(less 1 skipped subtest: 2 okay)
tests/c.sql ............ 
Dubious, test returned 3 (wstat 768, 0x300)
Failed 2/3 subtests 
tests/d.pg ............. 
# Looks like you planned 3 tests but ran 1
Failed 2/3 subtests 
tests/f_empty.sql ...... 
No subtests run 
tests/sub/e.sql ........ ok

Test Summary Report
-------------------
tests/b_long_name.sql (Wstat: 0 Tests: 4 Failed: 1)
  Failed test:  2
tests/c.sql           (Wstat: 768 (exited 3) Tests: 1 Failed: 0)
  Non-zero exit status: 3
  Parse errors: Bad plan.  You planned 3 tests but ran 1.
tests/d.pg            (Wstat: 0 Tests: 1 Failed: 0)
  Parse errors: Bad plan.  You planned 3 tests but ran 1.
tests/f_empty.sql     (Wstat: 0 Tests: 0 Failed: 0)
  Parse errors: No plan found in TAP output
tests/sub/e.sql       (Wstat: 0 Tests: 2 Failed: 0)
  TODO passed:   2
Files=6, Tests=10,  1 wallclock secs
Result: FAIL
""".replace("\\t", "\t")


def outcomes(*names: str) -> list[SuiteResult]:
    return [read(name, FILES[name][0].split("\n"), FILES[name][1]) for name in names or FILES]


def test_the_report_is_that_of_pg_prove() -> None:
    found = outcomes()
    width = max(map(len, FILES))
    lines = [*(line_of(each, width) for each in found), *summary(found, 1.2)]
    assert "\n".join(lines) + "\n" == REPORT


def test_suites_that_pass_are_successful() -> None:
    found = outcomes("tests/a.sql")
    assert list(summary(found, 0)) == ["All tests successful.", "Files=1, Tests=2,  0 wallclock secs", "Result: PASS"]
    assert list(summary(outcomes("tests/a.sql", "tests/sub/e.sql"), 0))[-1] == "Result: PASS"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1..1\nok 2", "Tests out of sequence.  Found (2) but expected (1)"),
        ("1..1\nok 1\n1..1", "More than one plan found in TAP output"),
        ("ok 1", "No plan found in TAP output"),
    ],
)
def test_output_that_is_not_whole_fails(text: str, fault: str) -> None:
    found = read("x.sql", text.split("\n"), 0)
    assert fault in found.faults and not found.passed


@given(st.lists(st.text(max_size=20), max_size=12), st.integers(0, 255))
def test_any_output_is_read_and_only_a_whole_one_passes(lines: list[str], status: int) -> None:
    found = read("x.sql", lines, status)
    assert line_of(found, 5).startswith("x.sql ..") and list(summary([found], 0))
    if found.passed:
        assert found.planned == found.run > 0 and status == 0
