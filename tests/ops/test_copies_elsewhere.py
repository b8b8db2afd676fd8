"""Encrypted copies and copies elsewhere: nothing readable leaves, nothing damaged is taken for whole."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import SyncConnection, command_line
from gateway.encryption import files as copy_encryption
from gateway.encryption.files import CHUNK, TAG, WrongKey, decrypt, encrypt, new_key, parse_key
from gateway.jobs.backup_schedule import is_due
from gateway.operations import backup, offsite
from gateway.settings import Settings, SettingsError
from gateway.system.scratch import PREFIX, scratch, sweep
from tests.fixtures.server import ROOT, environment
from tests.ops.procs import alive, children, until

KEY = parse_key(new_key())
HEAD = len(copy_encryption.MAGIC) + copy_encryption.SALT

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(database_url: str, tmp_path: Path) -> Run:
    """`gateway …` on the test's database with copies in `copies`."""
    (tmp_path / "copies").mkdir()
    (tmp_path / "elsewhere").mkdir()

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        env = environment(database_url, tmp_path / "data", {"GATEWAY_BACKUP_DIR": str(tmp_path / "copies"), **more})
        return subprocess.run(
            [sys.executable, "-m", "gateway", *arguments], cwd=ROOT, env=env, capture_output=True, text=True
        )

    return run


def only(folder: Path) -> Path:
    (path,) = folder.glob("*.tar*")
    return path


# --- encryption -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_what_is_encrypted_is_read_back(tmp_path: Path, size: int) -> None:
    (tmp_path / "plain").write_bytes(os.urandom(size))
    encrypt(tmp_path / "plain", tmp_path / "sealed", KEY)
    decrypt(tmp_path / "sealed", tmp_path / "opened", KEY)
    assert (tmp_path / "opened").read_bytes() == (tmp_path / "plain").read_bytes()
    for path in (tmp_path / "sealed", tmp_path / "opened"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@given(st.data())
def test_no_change_of_an_encrypted_file_goes_unnoticed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A bit, a cut at any place, chunks left out, repeated or changed in place, something added, another's header."""
    folder = tmp_path_factory.mktemp("sealed")
    (folder / "plain").write_bytes(bytes(range(256)) * (CHUNK // 256) * 2 + b"rest")
    encrypt(folder / "plain", folder / "sealed", KEY)
    encrypt(folder / "plain", folder / "other", KEY)
    raw = (folder / "sealed").read_bytes()
    head, step = raw[:HEAD], CHUNK + TAG
    chunks = [raw[at : at + step] for at in range(HEAD, len(raw), step)]
    kind = data.draw(st.sampled_from(("bit", "cut", "order", "more", "head")))
    changed = raw
    match kind:
        case "bit":
            at = data.draw(st.integers(len(copy_encryption.MAGIC), len(raw) - 1))
            changed = raw[:at] + bytes([raw[at] ^ 1 << data.draw(st.integers(0, 7))]) + raw[at + 1 :]
        case "cut":
            changed = raw[: data.draw(st.one_of(st.sampled_from((HEAD, HEAD + step, HEAD + 2 * step)),
                                                st.integers(HEAD, len(raw) - 1)))]  # fmt: skip
        case "order":
            changed = head + b"".join(data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=4)))
        case "more":
            changed = raw + data.draw(st.binary(min_size=1, max_size=50))
        case "head":
            changed = (folder / "other").read_bytes()[:HEAD] + raw[HEAD:]
    if changed == raw:
        return
    (folder / "changed").write_bytes(changed)
    with pytest.raises(WrongKey):
        decrypt(folder / "changed", folder / "opened", KEY)
    assert (folder / "opened").read_bytes() == b""


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"private")
    encrypt(tmp_path / "plain", tmp_path / "sealed", KEY)
    with pytest.raises(WrongKey):
        decrypt(tmp_path / "sealed", tmp_path / "opened", parse_key(new_key()))


@pytest.mark.parametrize("key", ["short", "c2hvcnQ=", "@/nowhere"])
def test_a_key_that_is_none_is_a_fault_of_the_settings(key: str) -> None:
    with pytest.raises(SettingsError, match="GATEWAY_BACKUP_KEY") as caught:
        Settings.load({"GATEWAY_BACKUP_KEY": key})
    assert "c2hvcnQ" not in str(caught.value)


def test_encrypted_copies_are_made_verified_and_restored_with_the_key_alone(command: Run, tmp_path: Path) -> None:
    made = command("db", "new-key", str(tmp_path / "key"))
    assert made.returncode == 0 and stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert command("db", "new-key", str(tmp_path / "key")).returncode == 1, "a key is never overwritten"
    key = {"GATEWAY_BACKUP_KEY": f"@{tmp_path / 'key'}"}
    done = command("db", "backup", **key)
    assert done.returncode == 0, done.stderr
    path = only(tmp_path / "copies")
    raw = path.read_bytes()
    assert raw.startswith(copy_encryption.MAGIC) and b"PGDMP" not in raw and b"manifest" not in raw
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert command("db", "verify", str(path), **key).returncode == 0
    without = command("db", "verify", str(path))
    assert without.returncode == 1 and "GATEWAY_BACKUP_KEY" in without.stderr
    wrong = command("db", "restore", str(path), "--yes", "--yes-remote", GATEWAY_BACKUP_KEY=new_key())
    assert wrong.returncode == 1 and "another key" in wrong.stderr
    restored = command("db", "restore", str(path), "--yes", "--yes-remote", **key)
    assert restored.returncode == 0, restored.stderr
    safety = only(tmp_path / "data" / "backups")
    assert safety.read_bytes().startswith(copy_encryption.MAGIC), "the copy of what there was is encrypted too"


# --- made, verified, sent ---------------------------------------------------------------------------------------------


def test_a_copy_that_does_not_verify_is_set_aside_and_said(command: Run, database_url: str, tmp_path: Path) -> None:
    with SyncConnection(database_url) as connection:  # what cannot be restored: a function that its own index breaks
        connection.script(
            "create function public.once(n int) returns int language plpgsql immutable as"
            " $$begin perform 1 from public.marks; return n; end$$;"
            "create table public.marks (n int); insert into public.marks values (1);"
            "create index marks_once on public.marks (public.once(n));"
            "create or replace function public.once(n int) returns int language plpgsql immutable as"
            " $$begin raise exception 'never again'; end$$"
        )
    done = command("db", "backup")
    assert done.returncode == 1 and "never again" in done.stderr
    assert list((tmp_path / "copies").glob(f"*{backup.SUFFIX}")) == []
    assert command("db", "backup", GATEWAY_BACKUP_VERIFY="parts").returncode == 0


def test_copies_arrive_elsewhere_as_they_were_made(command: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    settings = {
        "GATEWAY_BACKUP_OFFSITE": str(elsewhere),
        "GATEWAY_BACKUP_SEND": f'test -z "$DATABASE_URL" && cp "$COPY" "{tmp_path}/sent-$NAME"',
        "GATEWAY_BACKUP_FETCH": f'cp "{tmp_path}/sent-$NAME" "$COPY"',
        "GATEWAY_BACKUP_VERIFY": "parts",
    }
    done = command("db", "backup", **settings)
    assert done.returncode == 0, done.stderr
    path = only(tmp_path / "copies")
    assert only(elsewhere).read_bytes() == path.read_bytes() == (tmp_path / f"sent-{path.name}").read_bytes()
    assert (tmp_path / "copies" / offsite.NOTE).read_text() == path.name


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("GATEWAY_BACKUP_OFFSITE", "/nowhere/at/all", "/nowhere/at/all is not there"),
        ("GATEWAY_BACKUP_SEND", "echo no route >&2; exit 1", "GATEWAY_BACKUP_SEND failed: no route"),
        ("GATEWAY_BACKUP_FETCH", 'echo other > "$COPY"', "is not"),
        ("GATEWAY_BACKUP_FETCH", "true", "is not"),
    ],
    ids=["folder", "send", "other", "nothing"],
)
def test_a_copy_that_does_not_arrive_is_said_and_sent_again(
    command: Run, tmp_path: Path, setting: str, value: str, said: str
) -> None:
    more = {"GATEWAY_BACKUP_VERIFY": "parts", "GATEWAY_BACKUP_SEND": "true", setting: value}
    failed = command("db", "backup", **more)
    assert failed.returncode == 1 and said in failed.stderr
    path = only(tmp_path / "copies")
    settings = Settings(backup_dir=str(tmp_path / "copies"), backup_send="true")
    assert is_due(settings, time.time()), "it is tried again"
    sent = command("db", "backup", GATEWAY_BACKUP_SEND="true")
    assert sent.returncode == 0, sent.stderr
    assert only(tmp_path / "copies") == path, "no other copy was made for it"
    assert not is_due(settings, time.time())


def test_copies_before_restores_go_by_number_and_by_age(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    day = 86_400
    for kind in ("restore", "upgrade"):
        for number in range(5):
            path = folder / f"before-{kind}-{backup.file_name(number * day)}"
            path.write_text("")
            os.utime(path, (number * day, number * day))
    (folder / f"mine{backup.SUFFIX}").write_text("")
    settings = Settings(data_dir=tmp_path, safety_copies_keep=3, safety_copies_days=30)
    backup.prune_safety_copies(settings, 4 * day)
    assert len(list(folder.glob("before-restore-*"))) == len(list(folder.glob("before-upgrade-*"))) == 3
    backup.prune_safety_copies(settings, 33.5 * day)
    assert len(list(folder.glob("before-restore-*"))) == 1
    backup.prune_safety_copies(settings, 300 * day)
    assert [path.name for path in folder.iterdir()] == [f"mine{backup.SUFFIX}"]


# --- scratch folders --------------------------------------------------------------------------------------------------


def test_what_killed_work_left_is_removed_and_what_is_at_work_is_not(tmp_path: Path) -> None:
    code = (
        "import sys, os, signal; from pathlib import Path; from gateway.system.scratch import scratch\n"
        "with scratch(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'database.dump').write_text('everybody'); print(folder, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    assert sweep(tmp_path) == [] and left.exists(), "somebody works there"
    process.kill()
    process.communicate()
    assert (left / "database.dump").exists()
    former = tmp_path / ".today.gateway.tar-abc123"  # as versions before this one left theirs
    former.mkdir()
    mine = tmp_path / f"{PREFIX}link"
    mine.symlink_to(tmp_path.parent)
    with scratch(tmp_path) as folder:
        assert not left.exists() and not former.exists() and mine.is_symlink()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_a_program_of_postgres_does_not_outlive_who_started_it(database_url: str) -> None:
    """A load that goes on alone could commit what nobody finishes."""
    address = command_line(database_url)[0]
    code = f"from gateway.operations import backup; backup._run('psql', {address!r}, '-c', 'select pg_sleep(60)')"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    until(lambda: len(children(process.pid)) == 1, "psql runs")
    (psql,) = children(process.pid)
    process.kill()
    process.wait()
    until(lambda: not alive(psql), "psql ends with it")
