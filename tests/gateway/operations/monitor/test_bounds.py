"""Where each check begins to find something wrong, and what it says to whom: to the second and the byte."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.database import DatabaseError
from gateway.identity.keyring import FILE_NAME, write_private
from gateway.operations.backup import file_name
from gateway.operations.monitor import alarms, checks
from gateway.operations.monitor.alarms import FILE, PATIENCE, SILENT, Alarm, Alarms, News, read, summary
from gateway.operations.monitor.checks import Trouble
from gateway.settings import Seconds, Settings

NOW = 1_700_000_000.0


@pytest.mark.parametrize("kind", [*PATIENCE, "disk"])
@pytest.mark.parametrize("passed", [-1.0, 0.0, 1.0])
def test_each_kind_stands_as_long_as_its_patience_before_somebody_is_told(kind: str, passed: float) -> None:
    book = Alarms(Path("/nowhere") / FILE)
    book.note([Trouble(kind, "", "x")], NOW)
    due = bool(book.note([Trouble(kind, "", "x")], NOW + PATIENCE.get(kind, 0.0) + passed).standing)
    assert due == (passed >= 0 or kind == "disk")


def test_a_restart_and_a_maintenance_of_minutes_are_no_alarm() -> None:
    assert PATIENCE == {"gateway": 45, "worker": 30, "database": 30, "jobs": 30, "maintenance": 900}
    assert (alarms.AGAIN, SILENT) == (86_400, 120)


def test_two_troubles_of_one_kind_are_two_and_the_text_is_todays() -> None:
    book = Alarms(Path("/nowhere") / FILE)
    news = book.note([Trouble("disk", "/a", "1"), Trouble("disk", "/b", "2")], NOW)
    assert [alarm.key for alarm in news.standing] == [("disk", "/a"), ("disk", "/b")]
    book.told(News(news.standing[:1]), NOW)
    again = book.note([Trouble("disk", "/a", "3"), Trouble("disk", "/b", "4")], NOW + 1)
    assert [(alarm.subject, alarm.text, alarm.since) for alarm in again.standing] == [("/b", "4", NOW)]
    assert book.standing["disk", "/a"] == Alarm("disk", "/a", "3", NOW, NOW)


def test_who_was_told_of_what_is_gone_meanwhile_changes_nothing() -> None:
    book = Alarms(Path("/nowhere") / FILE)
    news = book.note([Trouble("disk", "/a", "1")], NOW)
    book.note([], NOW + 1)
    book.told(News(news.standing, (Alarm("x", "", "", 0),)), NOW + 2)
    assert not book.standing and not book.note([], NOW + 3)


@pytest.mark.parametrize(
    ("passed", "changed", "written"),
    [(0.0, False, False), (39.9, False, False), (40.0, False, True), (1.0, True, True), (-1.0, False, True)],
)
def test_the_book_is_written_at_each_change_and_now_and_then(
    tmp_path: Path, passed: float, changed: bool, written: bool
) -> None:
    book = Alarms(tmp_path / FILE)
    book.note([Trouble("disk", "/a", "1")], NOW)
    book.write(NOW)
    assert read(tmp_path) == ([Alarm("disk", "/a", "1", NOW)], NOW)
    if changed:
        book.note([Trouble("disk", "/a", "2")], NOW)
    book.write(NOW + passed)
    assert read(tmp_path)[1] == (NOW + passed if written else NOW)
    assert json.loads((tmp_path / FILE).read_text())["pid"] == os.getpid()


@pytest.mark.parametrize(("age", "said"), [(0, "ok"), (119.9, "ok"), (120, "silent for 120 s"), (-5, "ok")])
def test_a_monitor_is_silent_after_two_minutes(tmp_path: Path, age: float, said: str) -> None:
    Alarms(tmp_path / FILE).write(NOW)
    assert summary(tmp_path, NOW + age)["monitor"] == said


@pytest.mark.parametrize(
    ("alarm", "shown"),
    [
        (Alarm("database", "", "x", NOW - 29), False),
        (Alarm("database", "", "x", NOW - 30), True),
        (Alarm("database", "", "x", NOW - 1, NOW), True),
        (Alarm("disk", "/a", "x", NOW), True),
    ],
)
def test_what_is_not_due_yet_is_shown_to_nobody(tmp_path: Path, alarm: Alarm, shown: bool) -> None:
    book = Alarms(tmp_path / FILE)
    book.standing = {alarm.key: alarm}
    book.write(NOW)
    assert [found["name"] for found in summary(tmp_path, NOW)["alarms"]] == [alarm.name] * shown


@pytest.mark.parametrize("content", ["", "{", "[]", '{"at": 1}', '{"alarms": []}', '{"at": "x", "alarms": []}'])
def test_a_book_that_cannot_be_read_is_empty(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    assert read(tmp_path) == ([], 0.0)


def test_there_is_news_of_a_beginning_or_of_an_end() -> None:
    alarm = Alarm("x", "", "", 0)
    assert [bool(news) for news in (News(), News((alarm,)), News((), (alarm,)))] == [False, True, True]


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Bytes that are free on the disk of each folder; another one is not there."""
    room: dict[str, int] = {}

    def usage(folder: Path) -> SimpleNamespace:
        if str(folder) not in room:
            raise OSError("no such folder")
        return SimpleNamespace(free=room[str(folder)])

    monkeypatch.setattr(shutil, "disk_usage", usage)
    return room


@pytest.mark.parametrize(
    ("data", "copies", "told"),
    [
        (10_000_000, None, []), (9_999_999, None, ["/d"]), (10_000_000, 10_000_000, []),
        (9_999_999, 10_000_000, ["/d"]),
        (10_000_000, 9_999_999, ["/c"]), (0, 0, ["/d", "/c"]), (0, "absent", ["/d"]), (10_000_000, "absent", []),
    ],
)  # fmt: skip
def test_a_disk_is_nearly_full_at_ten_times_the_least(
    free: dict[str, int], data: int, copies: int | str | None, told: list[str]
) -> None:
    free["/d"] = data
    if isinstance(copies, int):
        free["/c"] = copies
    settings = Settings(data_dir=Path("/d"), backup_dir="" if copies is None else "/c", least_disk=1_000_000)
    found = list(checks.disk(settings))
    assert [(trouble.kind, trouble.subject) for trouble in found] == [("disk", folder) for folder in told]
    if found and data == 9_999_999:
        assert "Only 9 MB are left on the disk of /d." in found[0].text


@pytest.mark.parametrize(("age", "told"), [(0, False), (3 * 3600, False), (3 * 3600 + 1, True)])
@pytest.mark.parametrize("made", [True, False])
def test_a_copy_is_missed_after_two_turns_and_an_hour(tmp_path: Path, age: float, told: bool, made: bool) -> None:
    settings = Settings(data_dir=tmp_path, backup_dir=str(tmp_path), backup_every=Seconds(3600.0))
    if made:
        for older in (0, 7200):
            path = tmp_path / file_name(NOW - older)
            path.write_text("")
            os.utime(path, (NOW - older, NOW - older))
        (tmp_path / "another-file").write_text("")
    found = list(checks.copies(settings, NOW + age, since=NOW - 9 * 3600 if made else NOW))
    assert bool(found) == told
    assert not told or (found[0].kind == "copies" and f"for 3 h in {tmp_path}." in found[0].text)


@pytest.mark.parametrize(
    ("left", "used", "told"),
    [
        (1, 1, True), (0, 1, False), (-1, 1, False), (7 * 86_400 - 1, 1, True), (7 * 86_400, 1, False),
        (3600, 86_399, True), (3600, 86_400, False), (None, 1, False), (3600, None, False),
    ],
)  # fmt: skip
def test_a_key_in_use_is_told_of_in_its_last_week(
    tmp_path: Path, left: float | None, used: float | None, told: bool
) -> None:
    row = {"id": "a", "name": "n", "expires_at": None if left is None else NOW + left}
    write_private(tmp_path / FILE_NAME, json.dumps({"api_keys": [{"id": "b", "name": "m"}, row]}))
    uses: Mapping[str, float] = {} if used is None else {"a": NOW - used, "b": NOW}
    found = list(checks.keys(Settings(data_dir=tmp_path), uses, NOW))
    assert [(trouble.kind, trouble.subject) for trouble in found] == [("key", "a")] * told
    assert left != 3600 or not found or "The API key a (n) ends in 1 h" in found[0].text


def test_keys_that_cannot_be_read_are_no_trouble_of_this_check(tmp_path: Path) -> None:
    assert list(checks.keys(Settings(data_dir=tmp_path), {}, NOW)) == []
    write_private(tmp_path / FILE_NAME, "{")
    assert list(checks.keys(Settings(data_dir=tmp_path), {}, NOW)) == []


class Shown:
    """A connection that shows a certificate which ends in so many seconds, or none."""

    def __init__(self, left: float | None) -> None:
        self.closed = False
        end = time.strftime("%b %d %H:%M:%S %Y GMT", time.gmtime(NOW + (left or 0)))
        self._shown = None if left is None else {"notAfter": end}

    def get_extra_info(self, name: str) -> dict[str, str] | None:
        return self._shown if name == "peercert" else None

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("left", "told"),
    [(15 * 86_400, False), (14 * 86_400 + 1, False), (14 * 86_400, True), (86_400, True), (None, False)],
)
@pytest.mark.parametrize(("url", "port"), [("https://a.example", 443), ("https://a.example:8443/x", 8443)])
def test_a_certificate_is_told_of_in_its_last_fortnight(
    left: float | None, told: bool, url: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, asked = Shown(left), list[Any]()

    async def connect(host: str, at: int, ssl: object) -> tuple[None, Shown]:
        asked.append((host, at))
        assert ssl is not None
        return None, shown

    monkeypatch.setattr(asyncio, "open_connection", connect)
    found = asyncio.run(checks.certificate(url, NOW))
    assert asked == [("a.example", port)] and shown.closed
    assert [(trouble.kind, trouble.subject) for trouble in found] == [("certificate", "a.example")] * told


@pytest.mark.parametrize("error", [OSError("refused"), TimeoutError()])
def test_an_address_that_is_not_reached_from_here_is_no_fault_of_its_certificate(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def connect(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(asyncio, "open_connection", connect)
    assert asyncio.run(checks.certificate("https://a.example", NOW)) == []
    assert asyncio.run(checks.certificate("https:///x", NOW)) == []


class Answers:
    """A database that answers each statement so."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def run(self, scope: object, statement: object) -> Any:
        found = self._answer(statement) if callable(self._answer) else self._answer
        if isinstance(found, Exception):
            raise found
        return found


def fault(sqlstate: str) -> DatabaseError:
    error = DatabaseError.__new__(DatabaseError)
    Exception.__init__(error, "what it says")
    error.sqlstate = sqlstate
    return error


@pytest.mark.parametrize("away", [TimeoutError(), fault("42P01")])
def test_uses_of_keys_are_unknown_while_the_database_is_away(away: Exception) -> None:
    assert asyncio.run(checks.key_uses(Answers(away))) == {}  # type: ignore[arg-type]


def test_uses_of_keys_are_read_where_there_are_some() -> None:
    rows = SimpleNamespace(rows=[(b"a", b"12.5"), (b"b", None), (None, b"1")])
    assert asyncio.run(checks.key_uses(Answers(rows))) == {"a": 12.5}  # type: ignore[arg-type]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the checks are asked for, which find one trouble each."""
    asked: list[str] = []

    def found(name: str) -> Any:
        def check(*_: object) -> list[Trouble]:
            asked.append(name)
            return [Trouble(name, "", "")]

        async def later(*arguments: object) -> list[Trouble]:
            return check(*arguments)

        return later if name in ("database", "certificate") else check

    for name in ("gateway", "database", "disk", "copies", "certificate", "keys"):
        monkeypatch.setattr(checks, name, found(name))

    async def uses(_: object) -> dict[str, float]:
        return {}

    monkeypatch.setattr(checks, "key_uses", uses)
    yield asked


def test_the_dear_checks_are_made_once_an_hour_and_what_they_found_stands(
    looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looker = checks.Looker(Settings(), Answers(None), "http://x", None)  # type: ignore[arg-type]
    for at, dear in ((NOW, True), (NOW + 3599, False), (NOW + 3600, True), (NOW + 3601, False)):
        looks.clear()
        monkeypatch.setattr(checks.time, "time", lambda at=at: at)  # type: ignore[attr-defined]
        found = [trouble.kind for trouble in asyncio.run(looker.look())]
        assert found == ["gateway", "database", "disk", "copies", "certificate", "keys"]
        assert ("certificate" in looks) == dear and "gateway" in looks
