"""Logs are bounded while they are written: in size, in age, whoever writes and whatever the disk says."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from functions_runner.logs import timestamp

from gateway.server.log_rotation import LOOK_AT_AGES, Rotation

NAMES = ("access.jsonl", "functions/invocations.jsonl", "functions/logs/submit-quote.log")
DAY = 86_400.0


def line(at: float, text: str = "") -> bytes:
    return json.dumps({"at": timestamp(at), "text": text}).encode() + b"\n"


def append(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(content)


@pytest.mark.parametrize("name", NAMES)
def test_no_log_takes_more_than_two_files_of_its_size(tmp_path: Path, name: str) -> None:
    rotation = Rotation(tmp_path, 10_000, DAY)
    path = tmp_path / name
    for second in range(200):
        append(path, line(time.time(), f"{second} " + "x" * 900))
        rotation.look(float(second))
        assert sum(file.stat().st_size for file in path.parent.glob("*")) < 2 * 11_000 + 1_000
    assert f'"{199} ' in path.read_text() + path.with_suffix(f".1{path.suffix}").read_text(), "the newest are kept"
    assert len(list(path.parent.glob("*"))) == 2


@pytest.mark.parametrize("name", NAMES)
def test_whoever_keeps_the_file_open_does_not_fill_the_disk_either(tmp_path: Path, name: str) -> None:
    rotation = Rotation(tmp_path, 10_000, DAY)
    path = tmp_path / name
    append(path, line(time.time()))
    with path.open("ab", buffering=0) as kept:
        for second in range(200):
            kept.write(line(time.time(), "x" * 900))
            rotation.look(float(second))
            assert sum(file.stat().st_size for file in path.parent.glob("*")) < 3 * 11_000


@pytest.mark.parametrize("name", NAMES)
def test_no_line_grows_older_than_the_age(tmp_path: Path, name: str) -> None:
    """Whether the log is written on or not."""
    rotation = Rotation(tmp_path, 10_000_000, 10 * DAY)
    path = tmp_path / name
    older = path.with_suffix(f".1{path.suffix}")
    append(path, line(time.time() - 6 * DAY, "old") + line(time.time(), "new"))
    rotation.look(0)
    assert not path.exists() and b"old" in older.read_bytes()
    rotation.look(LOOK_AT_AGES)
    assert older.exists()
    older.write_bytes(line(time.time() - 11 * DAY, "old"))
    rotation.look(2 * LOOK_AT_AGES)
    assert not older.exists()


def test_a_log_without_times_goes_by_its_last_write(tmp_path: Path) -> None:
    path = tmp_path / NAMES[2]
    append(path, b"raw lines of C code\n")
    Rotation(tmp_path, 10_000, 10 * DAY).look(0)
    assert path.exists()
    os.utime(path, (time.time() - 6 * DAY,) * 2)
    Rotation(tmp_path, 10_000, 10 * DAY).look(0)
    assert not path.exists() and path.with_suffix(".1.log").exists()


@pytest.mark.parametrize(("folder", "suffix"), [("postgres-logs", ".log"), ("mail", ".eml")])
def test_the_oldest_of_many_files_go_and_the_newest_stays(
    tmp_path: Path, folder: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.server.log_rotation.CAUGHT_MAILS", 20_000)
    for number in range(10):
        append(tmp_path / folder / f"postgres-{number}{suffix}", b"x" * 9_000)
    append(tmp_path / folder / "start.txt", b"let be")
    Rotation(tmp_path, 10_000, DAY).look(0)
    names = sorted(path.name for path in (tmp_path / folder).iterdir())
    assert names == [f"postgres-8{suffix}", f"postgres-9{suffix}", "start.txt"]
    for path in (tmp_path / folder).iterdir():
        os.utime(path, (time.time() - 9 * DAY,) * 2)
    newest = tmp_path / folder / f"postgres-99{suffix}"
    append(newest, b"x" * 19_000)
    os.utime(newest, (time.time() - 9 * DAY,) * 2)
    Rotation(tmp_path, 10_000, DAY).look(0)
    assert newest.stat().st_size == 19_000, "it is being written"
    append(newest, b"x" * 9_000)
    Rotation(tmp_path, 10_000, DAY).look(0)
    assert newest.stat().st_size == 0, "too large by itself"


def test_nothing_of_it_raises(tmp_path: Path) -> None:
    Rotation(tmp_path / "missing", 1, 0.0).look(0)
    for name in NAMES:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "inside").touch()
        (tmp_path / name).with_suffix(f".1{Path(name).suffix}").mkdir()
    Rotation(tmp_path, 1, 0.0).look(0)
