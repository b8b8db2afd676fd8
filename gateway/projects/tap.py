"""Output of a test in TAP → what came of it, and the report that pg_prove prints of several.

Lines that are none of TAP's own, such as those of subtests, count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_PLAN: Final = re.compile(r"1\.\.(\d+)\s*(?:#\s*SKIP\b.*)?$", re.IGNORECASE)
_TEST: Final = re.compile(r"(not )?ok\b\s*(\d+)?(.*)$")
_DIRECTIVE: Final = re.compile(r"(?:^|\s)#\s*(SKIP|TODO)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """What came of one file; the lists hold numbers of tests."""

    name: str
    planned: int | None
    run: int
    failed: tuple[int, ...]
    skipped: int
    unexpected: tuple[int, ...]  # passed, though they were still to be done
    faults: tuple[str, ...]  # why the output is no whole one
    comments: tuple[str, ...]
    status: int  # of the program that ran it

    @property
    def passed(self) -> bool:
        return not self.failed and not self.faults and self.status == 0 and self.run > 0


def read(name: str, lines: Iterable[str], status: int) -> SuiteResult:
    """The outcome of a file.

    >>> read("a.sql", ["1..3", "ok 1 - a", "not ok 2 - b", "# Failed test 2", "not ok 3 # TODO c"], 0).failed
    (2,)
    >>> read("b.sql", ["1..2", "ok 1"], 0).faults
    ('Bad plan.  You planned 2 tests but ran 1.',)
    """
    planned: int | None = None
    plans = run = skipped = 0
    failed, unexpected, faults, comments = [], [], [], []
    for line in lines:
        if line.startswith("#"):
            comments.append(line)
        elif found := _PLAN.match(line):
            planned, plans = int(found[1]), plans + 1
        elif found := _TEST.match(line):
            run += 1
            number = int(found[2]) if found[2] else run
            if number != run:
                faults.append(f"Tests out of sequence.  Found ({number}) but expected ({run})")
            directive = _DIRECTIVE.search(found[3])
            kind = directive[1].upper() if directive else ""
            skipped += kind == "SKIP"
            if kind == "TODO":
                if not found[1]:
                    unexpected.append(number)
            elif found[1] and kind != "SKIP":
                failed.append(number)
    if plans > 1:
        faults.append("More than one plan found in TAP output")
    if planned is None:
        faults.append("No plan found in TAP output")
    elif planned != run:
        faults.append(f"Bad plan.  You planned {planned} tests but ran {run}.")
    return SuiteResult(
        name, planned, run, tuple(failed), skipped, tuple(unexpected), tuple(faults), tuple(comments), status
    )


def line_of(outcome: SuiteResult, width: int) -> str:
    """What is said as soon as a file has run; `width` is that of the longest name."""
    head = f"{outcome.name} {'.' * (width - len(outcome.name) + 2)} "
    if outcome.passed:
        return head + "ok"
    lines = [head, *outcome.comments]
    if outcome.status:
        wait = outcome.status << 8
        lines.append(f"Dubious, test returned {outcome.status} (wstat {wait}, {wait:#x})")
    count = max(outcome.planned or 0, outcome.run)
    missed = len(outcome.failed) + max(0, (outcome.planned or 0) - outcome.run)
    if count == 0:
        lines.append("No subtests run ")
    elif missed == 0:
        lines.append(f"All {count} subtests passed ")
    else:
        lines.append(f"Failed {missed}/{count} subtests ")
    if outcome.skipped and count:
        fine = count - missed - outcome.skipped
        plural = "" if outcome.skipped == 1 else "s"
        lines.append(f"\t(less {outcome.skipped} skipped subtest{plural}: {fine} okay)")
    return "\n".join(lines)


def summary(outcomes: Sequence[SuiteResult], seconds: float) -> Iterator[str]:
    """The lines at the end."""
    fine = all(outcome.passed for outcome in outcomes)
    if fine and outcomes:
        yield "All tests successful."
    told = [outcome for outcome in outcomes if not outcome.passed or outcome.unexpected]
    if told:
        yield from ("", "Test Summary Report", "-------------------")
    width = max((len(outcome.name) for outcome in told), default=0)
    for outcome in told:
        wait = f"{outcome.status << 8} (exited {outcome.status})" if outcome.status else "0"
        yield f"{outcome.name:<{width}} (Wstat: {wait} Tests: {outcome.run} Failed: {len(outcome.failed)})"
        if outcome.failed:
            yield f"  Failed test{'s' if len(outcome.failed) > 1 else ''}:  {_ranges(outcome.failed)}"
        if outcome.unexpected:
            yield f"  TODO passed:   {_ranges(outcome.unexpected)}"
        if outcome.status:
            yield f"  Non-zero exit status: {outcome.status}"
        for at, fault in enumerate(outcome.faults):
            yield f"  {'Parse errors: ' if at == 0 else '              '}{fault}"
    tests = sum(outcome.run for outcome in outcomes)
    yield f"Files={len(outcomes)}, Tests={tests}, {seconds:2.0f} wallclock secs"
    yield f"Result: {('PASS' if fine else 'FAIL') if outcomes else 'NOTESTS'}"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in order, those in a row as one.

    >>> _ranges([1, 2, 3, 5, 7, 8])
    '1-3, 5, 7-8'
    """
    rows: list[list[int]] = []
    for number in numbers:
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return ", ".join(str(row[0]) if len(row) == 1 else f"{row[0]}-{row[-1]}" for row in rows)
