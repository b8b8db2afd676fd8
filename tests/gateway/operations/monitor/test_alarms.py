"""The book of alarms: who is told of what, and when."""

from __future__ import annotations

import stat
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gateway.operations.monitor.alarms import AGAIN, FILE, PATIENCE, SILENT, Alarms, read, summary
from gateway.operations.monitor.checks import Trouble

FULL = Trouble("disk", "/srv", "Only 3 MB are left.")
DOWN = Trouble("database", "", "It does not answer.")


def book(folder: Path) -> Alarms:
    return Alarms(folder / FILE)


def test_a_trouble_is_told_once_and_again_after_a_day(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    news = alarms.note([FULL], 1000)
    assert [alarm.text for alarm in news.standing] == [FULL.text]
    alarms.told(news, 1000)
    assert not alarms.note([FULL], 1015)
    assert not alarms.note([FULL], 1000 + AGAIN - 1)
    assert alarms.note([FULL], 1000 + AGAIN).standing


def test_what_nobody_could_be_told_is_tried_again(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    assert alarms.note([FULL], 1000).standing
    assert alarms.note([FULL], 1015).standing


def test_a_restart_is_no_alarm(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    assert not alarms.note([DOWN], 1000)
    assert not alarms.note([], 1015)
    assert not alarms.note([DOWN], 1030), "it counts anew"
    assert alarms.note([DOWN], 1030 + PATIENCE["database"]).standing


def test_the_end_is_told_to_who_was_told_of_the_beginning(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    alarms.told(alarms.note([FULL, DOWN], 1000), 1000)  # of the full disk alone
    news = alarms.note([], 1015)
    assert (news.standing, [alarm.kind for alarm in news.over]) == ((), ["disk"])
    assert alarms.note([], 1030).over, "not told yet"
    alarms.told(news, 1030)
    assert not alarms.note([], 1045)


def test_what_comes_back_before_its_end_was_told_is_the_same_trouble(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    alarms.told(alarms.note([FULL], 1000), 1000)
    assert alarms.note([], 1015).over
    assert not alarms.note([FULL], 1030)


def test_the_book_outlives_the_process_and_is_nobody_elses(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    alarms.told(alarms.note([FULL], 1000), 1000)
    alarms.write(1000)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    again = book(tmp_path)
    assert not again.note([FULL], 1100), "told before the restart"
    assert again.note([], 1115).over
    assert summary(tmp_path, 1010) == {
        "monitor": "ok",
        "alarms": [
            {
                "name": "disk /srv",
                "kind": "disk",
                "subject": "/srv",
                "text": FULL.text,
                "since": 1000,
                "told": 1000,
            }
        ],
    }


def test_a_monitor_that_says_nothing_is_no_good_news(tmp_path: Path) -> None:
    assert summary(tmp_path, 1000)["monitor"] == "not running"
    book(tmp_path).write(1000)
    assert summary(tmp_path, 1000 + SILENT)["monitor"] == "silent for 120 s"
    (tmp_path / FILE).write_text('{"at": 1, "alarms": [{"kind": 1}]}')
    assert read(tmp_path) == ([], 0.0)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2 * AGAIN), st.booleans()), max_size=30), st.data())
def test_a_standing_trouble_is_never_silent_for_more_than_a_day(
    looks: list[tuple[bool, float, bool]], data: st.DataObject
) -> None:
    """Whatever comes and goes, and whether the telling works: a trouble that stands was told of within a day, or its
    news are waiting; nobody hears of an end without a beginning."""
    alarms = Alarms(Path("/nowhere") / FILE)
    now, heard = 1000.0, False
    last_told: float | None = None
    for stands, passed, works in looks:
        now += passed
        news = alarms.note([FULL] if stands else [], now)
        if stands and (last_told is None or now - last_told >= AGAIN):
            assert news.standing
        assert not news.over or heard
        if news and works:
            alarms.told(news, now)
            if news.standing:
                heard, last_told = True, now
            if news.over:
                heard, last_told = False, None


def test_a_clock_that_was_set_back_silences_nobody(tmp_path: Path) -> None:
    alarms = book(tmp_path)
    alarms.told(alarms.note([FULL], 10_000_000), 10_000_000)
    assert not alarms.note([FULL], 1000)
    assert alarms.note([FULL], 1000 + AGAIN).standing
