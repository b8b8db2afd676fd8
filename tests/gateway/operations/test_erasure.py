"""Where a person is found in files, by every spelling, and what is left of them: all but the places that name her."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.operations import backup, erasure
from gateway.operations.erasure import NamingCopy, copies_that_name, erase_from_files
from gateway.operations.spellings import Spellings
from gateway.settings import Seconds, Settings

EMAIL = "O'Neil+é@B.example"
DAY = 86_400


def _spelt(email: str) -> list[str]:
    return [email, email.upper(), quote(email, safe=""), quote_plus(email), email.replace("@", "%40"), escape(email),
            json.dumps(email)[1:-1], json.dumps(email).upper()[1:-1]]  # fmt: skip


SPELT = _spelt(EMAIL)
ENCODED = base64.b64encode(f"name=Nora&email={EMAIL}".encode()).decode()
OTHER = base64.b64encode(b"email=somebody@b.example").decode()


def _written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@given(
    parts=st.lists(st.sampled_from([*SPELT, "ab", " ", "somebody@b.example", f'"{ENCODED}"', f'"{OTHER}"']), max_size=6)
)
def test_in_a_line_every_place_is_overwritten_and_no_other(parts: list[str]) -> None:
    line = "".join(parts).encode()
    expected = "".join(
        "x" * len(part.encode()) if part in SPELT else f'"{"x" * len(ENCODED)}"' if part == f'"{ENCODED}"' else part
        for part in parts
    ).encode()  # fmt: skip
    assert erasure._masked(line, list(Spellings(EMAIL).places(line))) == expected


def test_what_only_looks_encoded_is_passed_over() -> None:
    for odd in ('"AAAAAAAAAAAAA"', '"AAAAAAAAAAAAAAAAA="'):
        line = f'{odd} {EMAIL} "{ENCODED}"'.encode()
        assert len(list(Spellings(EMAIL).places(line))) == 2


def test_in_a_log_the_address_goes_and_in_a_recording_the_whole_line(tmp_path: Path) -> None:
    log = _written(tmp_path, "postgres-logs/a.log", f"{EMAIL} came\nkept\nas {EMAIL} and {EMAIL} went")
    calls = _written(tmp_path, "functions/invocations.jsonl", f'{{"body": "{ENCODED}"}}\nkept\n')
    recording = _written(tmp_path, "elsewhere/site.recording", f"kept\n{EMAIL} came\n")
    settings = Settings(data_dir=tmp_path, record=str(recording))
    assert erase_from_files(settings, f" {EMAIL} ") == {"log_lines": 2, "recorded_calls": 2, "caught_mails": 0}
    gone = "x" * len(EMAIL.encode())
    assert log.read_text() == f"{gone} came\nkept\nas {gone} and {gone} went"
    assert calls.read_text() == " " * len(f'{{"body": "{ENCODED}"}}') + "\nkept\n"
    assert recording.read_text() == "kept\n" + " " * len(f"{EMAIL} came".encode()) + "\n"
    assert erase_from_files(settings, EMAIL) == {"log_lines": 0, "recorded_calls": 0, "caught_mails": 0}


@pytest.mark.parametrize("record", ["", "missing.recording", "."])
def test_without_a_recording_none_is_looked_for(tmp_path: Path, record: str) -> None:
    settings = Settings(data_dir=tmp_path, record=record and str(tmp_path / record))
    assert erase_from_files(settings, EMAIL) == {"log_lines": 0, "recorded_calls": 0, "caught_mails": 0}


def test_neither_a_link_nor_a_folder_is_written_to(tmp_path: Path) -> None:
    target = _written(tmp_path, "elsewhere/kept.txt", EMAIL)
    (tmp_path / "linked.log").symlink_to(target)
    (tmp_path / "folder.log").mkdir()
    assert erase_from_files(Settings(data_dir=tmp_path), EMAIL)["log_lines"] == 0
    assert target.read_text() == EMAIL


def _mail(headers: str, body: str, encoding: str = "8bit") -> bytes:
    content = body.encode()
    raw = base64.b64encode(content) if encoding == "base64" else content
    kind = f"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}"
    return f"{headers}\r\n{kind}\r\n\r\n".encode() + raw


def _mixed(part: bytes) -> bytes:
    return b'Content-Type: multipart/mixed; boundary="-"\r\n\r\n---\r\n' + part + b"\r\n-----"


@pytest.mark.parametrize(
    ("mail", "names"),
    [
        (_mail(f"To: {EMAIL}", "x"), True),
        (_mail("To: a@b.c", f"of {EMAIL}"), True),
        (_mail("To: a@b.c", f"of {EMAIL.upper()}", "base64"), True),
        (_mail("Subject: =?utf-8?b?" + base64.b64encode(EMAIL.encode()).decode() + "?=", "x"), True),
        (_mixed(_mail("X: y", f"of {EMAIL}", "base64")), True),
        (_mixed(_mail("X: y", "of nobody", "base64")), False),
        (_mail("To: a@b.c", "of somebody@b.example"), False),
    ],
    ids=["to", "in", "encoded", "subject", "a part", "no part", "another"],
)
def test_a_caught_mail_goes_if_any_part_of_it_names_her(tmp_path: Path, mail: bytes, names: bool) -> None:
    path = tmp_path / "mail" / "1.eml"
    path.parent.mkdir()
    path.write_bytes(mail)
    assert erase_from_files(Settings(data_dir=tmp_path), EMAIL)["caught_mails"] == names
    assert path.exists() != names


def test_a_mail_that_somebody_else_removed_meanwhile_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _written(tmp_path, "mail/1.eml", f"To: {EMAIL}\n\nx")

    def gone(raw: bytes, person: Spellings) -> bool:
        path.unlink()
        return True

    monkeypatch.setattr(erasure, "_mail_names", gone)
    assert erase_from_files(Settings(data_dir=tmp_path), EMAIL)["caught_mails"] == 1


# --- copies -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a copy with such rows, which a program that stands for pg_restore reads out."""
    program = tmp_path / "pg_restore"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "--data-only --file=-" ] && cat "$3"\n')
    program.chmod(0o755)
    monkeypatch.setattr(erasure, "client_program", lambda name, url: tmp_path / name)

    def unpack(source: Path, folder: Path, settings: Settings, **_: object) -> None:
        if source.read_text() == "broken":
            raise backup.BackupError("is no whole copy")
        (folder / backup.DATABASE).write_text(source.read_text())

    monkeypatch.setattr(backup, "unpack", unpack)

    def made(path: Path, text: str, at: int = 1000) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (at, at))
        return path

    return made


def test_a_copy_that_names_her_and_one_that_nobody_can_read_are_told(tmp_path: Path, rows: Callable[..., Path]) -> None:
    settings = Settings(data_dir=tmp_path, safety_copies_days=30)
    naming, broken, _ = (
        rows(tmp_path / "backups" / f"{name}{backup.SUFFIX}", text, 3000 - place)
        for place, (name, text) in enumerate(
            {"a": f"1\tsomebody\n2\t{EMAIL.upper()}\n", "b": "broken", "c": "1\tsomebody@b.example\n"}.items()
        )
    )
    assert copies_that_name(settings, EMAIL) == [
        NamingCopy(naming, 3000 + 30 * DAY),
        NamingCopy(broken, 2999 + 30 * DAY, "is no whole copy"),
    ]
    naming.unlink()
    assert [found.path for found in copies_that_name(settings, EMAIL)] == [broken]


def test_a_copy_that_goes_while_it_is_read_is_told(
    tmp_path: Path, rows: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rows(tmp_path / "backups" / f"a{backup.SUFFIX}", "1\n")

    def gone(*_: object, **__: object) -> None:
        raise FileNotFoundError("it is gone")

    monkeypatch.setattr(backup, "unpack", gone)
    (found,) = copies_that_name(Settings(data_dir=tmp_path), EMAIL)
    assert (found.path, found.fault) == (path, "it is gone")


def test_the_day_on_which_a_copy_goes_is_told_where_one_is_known(tmp_path: Path, rows: Callable[..., Path]) -> None:
    copies = [rows(tmp_path / "copies" / f"{n}{backup.SUFFIX}", EMAIL, 5000 - n) for n in range(4)]
    safety = rows(tmp_path / "backups" / f"s{backup.SUFFIX}", EMAIL, 7000)

    def told(keep: int, days: int) -> dict[Path, float]:
        settings = Settings(
            data_dir=tmp_path, backup_dir=str(tmp_path / "copies"), backup_keep=keep, backup_every=Seconds(1000.0),
            safety_copies_days=days,
        )  # fmt: skip
        return {copy.path: copy.gone for copy in copies_that_name(settings, EMAIL)}

    assert told(0, 0) == dict.fromkeys((*copies, safety), 0.0)
    now = time.time()
    gone = told(2, 3)
    assert gone[safety] == 7000 + 3 * DAY
    waits = [round((gone[path] - now) / 1000) for path in copies]
    assert waits == [2, 1, 0, 0]
