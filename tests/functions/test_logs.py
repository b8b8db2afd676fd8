"""The log of a function: whole lines, secrets taken out, and a bound on the rate while it is written."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from functions_runner.logs import BURST, BURST_BYTES, LINE_LIMIT, LONGEST, WINDOW, LineWriter, LogFile, redactor


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def log_in(folder: Path, clock: Clock | None = None) -> LogFile:
    return LogFile(folder / "f.log", redactor({"TOKEN": "s3cret-value"}), clock or Clock())


def test_lines_are_whole_in_whatever_pieces_they_come(tmp_path: Path) -> None:
    text = b"".join(b"line %d with s3cret-value\n" % number for number in range(50))
    for seed in range(20):
        path = tmp_path / str(seed)
        path.mkdir()
        log, rest = log_in(path), text
        while rest:
            size = random.Random(f"{seed}{len(rest)}").randint(1, 40)
            log.feed(rest[:size])
            rest = rest[size:]
        log.close()
        assert (path / "f.log").read_bytes() == text.replace(b"s3cret-value", b"[TOKEN]")


def test_a_log_that_was_renamed_is_written_under_its_name(tmp_path: Path) -> None:
    """Whoever bounds its size renames it while several processes write."""
    logs = [log_in(tmp_path), log_in(tmp_path)]
    for number in range(100):
        if number % 10 == 5:
            (tmp_path / "f.log").rename(tmp_path / f"{number:03d}.log")
        logs[number % 2].feed(b"%d\n" % number)
    files = sorted(tmp_path.iterdir())
    assert [int(line) for file in files for line in file.read_text().split()] == list(range(100)) and len(files) == 11


@pytest.mark.parametrize("line", [b"x\n", b"x" * 5_000 + b"\n", b"x" * 70_000], ids=["short", "long", "endless"])
def test_what_is_more_than_the_rate_is_left_out_and_said_once(tmp_path: Path, line: bytes) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock)
    for _ in range(5 * max(BURST, BURST_BYTES // len(line))):
        log.feed(line)
    written = (tmp_path / "f.log").read_bytes()
    assert len(written) <= BURST_BYTES + LINE_LIMIT * 16
    if line.endswith(b"\n"):
        assert written.count(b"the rest is left out") == 1
        assert json.loads(written.splitlines()[-1])["level"] == "error"
    clock.now += WINDOW + 1
    log.feed(b"\nagain\n")
    assert (tmp_path / "f.log").read_bytes().endswith(b"again\n")


@pytest.mark.parametrize("size", [1, 7, 4_000, 300_000])
def test_no_part_of_a_secret_is_left_where_a_line_is_cut(tmp_path: Path, size: int) -> None:
    """Neither by Python's writer nor past it, wherever in a long line it stands."""
    secret = "AbCdEfGh" * 20
    for limit, shift in ((LINE_LIMIT, 3), (LONGEST, 3), (LONGEST, 150), (LINE_LIMIT, 170), (LONGEST + 640, 3)):
        text = "x" * (limit - shift) + (secret + " ") * 3 + "y" * 100_000 + "\nnext\n"
        redact = redactor({"TOKEN": secret})
        written: list[bytes] = []
        writer = LineWriter(written.append, "info", redact, Clock())
        path = tmp_path / f"{limit}-{shift}-{size}"
        path.mkdir()
        log = LogFile(path / "f.log", redact, Clock())
        if size == 1 and shift != 3:
            continue
        for start in range(0, len(text), size * 97 if size < 8 else size):
            piece = text[start : start + (size * 97 if size < 8 else size)]
            writer.write(piece)
            log.feed(piece.encode())
        for said in (b"".join(written).decode(), (path / "f.log").read_text()):
            assert "AbCd" not in said and "EfGh" not in said and "next" in said


@pytest.mark.parametrize("secret", ['quo"ted-secret', "umläut-secret-1", "back\\slash-secret", "line\nbreak-secret"])
def test_a_secret_is_known_in_the_spellings_of_json_and_python(secret: str) -> None:
    redact = redactor({"TOKEN": secret})
    for text in (f"<{secret}>", json.dumps({"a": secret}), repr({"a": secret}), repr([secret])):
        assert "secret" not in redact(text) and "[TOKEN]" in redact(text)


def test_a_private_key_of_many_lines_is_in_none_of_them() -> None:
    first, last = (f"-----{word} {'PRIVATE'} KEY-----" for word in ("BEGIN", "END"))  # no key, so none for the scan
    key = f"{first}\nMC4CAQAwBQYDK2VwBCIEIJ\nqhkiG9w0BAQEFAASC\n{last}\n"
    said: list[bytes] = []
    LineWriter(said.append, "info", redactor({"SIGNING_KEY": key}), Clock()).write(key)
    assert len(said) == 4 and not any(word in b"".join(said) for word in (b"MC4", b"qhki"))


def test_a_clock_set_back_does_not_close_the_log(tmp_path: Path) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock=clock)
    log.feed(b"x\n" * BURST * 2)
    clock.now -= 100_000
    log.feed(b"again\n")
    assert (tmp_path / "f.log").read_bytes().endswith(b"again\n")


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    log = log_in(tmp_path / "missing")
    log.feed(b"x\n")
    log.close()
    if os.path.exists("/dev/full"):
        (tmp_path / "f.log").symlink_to("/dev/full")
        log = log_in(tmp_path)
        log.feed(b"x\n")
        log.close()
