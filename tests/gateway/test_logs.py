"""Repetitions are held back and counted; other records pass."""

from __future__ import annotations

import logging

from gateway.logs import BURST, WINDOW, Debounce


def record(message: str, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("gateway.x", level, "", 0, message, (), None)


def test_a_few_of_a_kind_pass_and_the_rest_is_counted() -> None:
    now = [0.0]
    debounce = Debounce(lambda: now[0])
    assert [debounce.filter(record("lost")) for _ in range(20)] == [True] * BURST + [False] * (20 - BURST)
    assert debounce.filter(record("something else"))
    now[0] = WINDOW
    told = record("lost")
    assert debounce.filter(told)
    assert told.getMessage() == f"lost ({20 - BURST} more like this in the {WINDOW:.0f} s before)"


def test_what_is_no_warning_always_passes() -> None:
    debounce = Debounce(lambda: 0.0)
    assert all(debounce.filter(record("fine", logging.INFO)) for _ in range(50))
