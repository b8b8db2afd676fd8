"""Starts that cannot work say in one line which file or folder is at fault and what to do; none leaves a mess."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.database.embedded import EmbeddedPostgres
from gateway.system import file_faults as faults
from gateway.system.file_faults import explain
from gateway.system.folder_access import GROUP_OBJ, MASK, NOBODY, OTHER, USER, USER_OBJ, let_pass, with_passage
from tests.fixtures.server import ROOT, environment
from tests.ops.procs import LIMIT

PLAIN = pwd.getpwnam("nobody")  # somebody who is not root


@pytest.fixture
def folder() -> Iterator[Path]:
    """Another user's, on a short path: a socket's path may not be long."""
    path = Path(tempfile.mkdtemp(prefix="gw-fault-", dir="/tmp"))
    path.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(path, PLAIN.pw_uid, PLAIN.pw_gid)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def plain() -> dict[str, Any]:
    """Arguments that make a process a plain user's."""
    if os.geteuid() != 0:
        return {}
    return {"user": PLAIN.pw_uid, "group": PLAIN.pw_gid, "extra_groups": []}


def refused(data_dir: Path, extra: dict[str, str] | None = None, command: str = "dev", **options: Any) -> str:
    """The one line that a start says, before it ends with status 1."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "gateway", command, "--port", "0"],
        cwd=ROOT,
        env=environment("", data_dir, {"TMPDIR": "/tmp", **(extra or {})}),
        capture_output=True,
        text=True,
        timeout=90,
        **(options or plain()),
    )
    assert done.returncode == 1, done.stderr
    said = [line for line in done.stderr.splitlines() if " WARNING " not in line and " INFO " not in line]
    assert len(said) == 1 and "Traceback" not in done.stderr, done.stderr
    (line,) = said
    return line


def roots(path: Path, mode: int = 0o700) -> None:
    """Make a folder that the plain user may not write in."""
    path.mkdir()
    path.chmod(mode if os.geteuid() == 0 else 0o500 & mode)


def a_file(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("in the way")


def unreadable(path: Path) -> None:
    a_file(path)
    path.parent.chmod(0o777)
    path.chmod(0o600 if os.geteuid() == 0 else 0o000)


def roots_within(path: Path) -> None:
    path.mkdir()
    roots(path / "postgres")


CASES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "a folder of another's": (lambda folder: roots(folder / "data", 0o755), "data", "chown"),
    "a folder that cannot be entered": (lambda folder: roots(folder / "data"), "data", "chown"),
    "a folder above it of another's": (lambda folder: roots(folder / "above", 0o755), "above/data", "chown"),
    "a file in its place": (lambda folder: a_file(folder / "data"), "data", "move it away"),
    "a file above it": (lambda folder: a_file(folder / "above"), "above/data", "is a file"),
    "a circle of links": (lambda folder: (folder / "data").symlink_to("data"), "data", ""),
    "keys of another's": (lambda folder: unreadable(folder / "data" / "keys.json"), "data/keys.json", ""),
    "a lock of another's": (lambda folder: unreadable(folder / "data" / "lock"), "data/lock", "chown"),
    "a file in place of the logs": (lambda folder: a_file(folder / "data" / "postgres-logs"), "data/postgres-logs", ""),
    "a file in place of the sockets": (lambda folder: a_file(folder / "data" / "sockets"), "data/sockets", ""),
    "a database of another's": (lambda folder: roots_within(folder / "data"), "data/postgres", ""),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_of_a_file_is_one_line_that_says_what_to_do(folder: Path, case: str) -> None:
    arrange, named, advice = CASES[case]
    arrange(folder)
    if (folder / "data").is_dir() and case not in ("a folder of another's", "a folder that cannot be entered"):
        (folder / "data").chmod(0o777)
    data_dir = folder / named if named.startswith("above") else folder / "data"
    said = refused(data_dir)
    assert str(folder / named) in said and advice in said


def test_settings_that_cannot_be_read_are_one_line(folder: Path) -> None:
    unreadable(folder / "settings.toml")
    assert "settings.toml" in refused(folder / "data", {"GATEWAY_CONFIG": str(folder / "settings.toml")})


def test_a_file_system_that_takes_no_folder_is_one_line() -> None:
    assert "/sys/gateway" in refused(Path("/sys/gateway"))


def test_no_room_for_the_first_file_is_one_line(folder: Path) -> None:
    import resource

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    said = refused(folder / "data", preexec_fn=no_room)
    assert "size of files" in said or "could not write" in said or "File too large" in said


@pytest.mark.parametrize("number", sorted(faults.ADVICE), ids=lambda number: errno.errorcode[number])
def test_each_fault_of_a_disk_has_advice(number: int) -> None:
    assert explain(OSError(number, os.strerror(number), "/some/file")).startswith("/some/file: ")
    assert explain(OSError(number, os.strerror(number)), Path("/near")).startswith("/near: ")
    assert explain(OSError(number, os.strerror(number))) == os.strerror(number)


def test_a_busy_port_names_who_has_it(folder: Path) -> None:
    program = "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)"  # noqa: E501
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        try:
            done = subprocess.run(
                [sys.executable, "-m", "gateway", "dev", "--port", str(port)],
                cwd=ROOT,
                env=environment("", folder / "data"),
                capture_output=True,
                text=True,
            )
            assert f"Address already in use, by pid {other.pid} (" in done.stderr and done.returncode == 1
            if os.geteuid() == 0:  # to others the system does not tell of root's processes
                code = f"from gateway.system.ports import holder; print(holder({port}))"
                told = subprocess.run(
                    [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, **plain()
                ).stdout
                assert told == "a process of another user\n"
        finally:
            other.kill()


def test_a_port_that_nobody_has_is_nobody_s() -> None:
    from gateway.system.ports import holder

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        assert holder(probe.getsockname()[1]) == ""


# --- root ---------------------------------------------------------------------------------------------------------

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="nobody else can be somebody else")


@as_root
def test_root_over_a_folder_of_another_s_leaves_all_of_it_theirs(folder: Path) -> None:
    """`sudo make run` once, and afterwards without."""
    env = environment("", folder / ".gateway", {"TMPDIR": "/tmp"})
    for options in ({}, plain()):
        with subprocess.Popen(
            [sys.executable, "-u", "-m", "gateway", "dev", "--port", "0"],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        ) as process:
            assert process.stdout is not None
            said: list[str] = []
            try:
                for line in process.stdout:
                    said.append(line)
                    if line.split()[:1] == ["Site"]:
                        break
                assert said[-1].split()[:1] == ["Site"], "".join(said)
                assert httpx.get(f"{said[-1].split()[1]}/auth/v1/health", timeout=LIMIT).status_code < 500
                process.terminate()
                process.stdout.read()
                assert process.wait(LIMIT) == 0
            finally:
                process.kill()
        owners = {path.lstat().st_uid for path in (folder, *folder.rglob("*"))}
        assert owners == {PLAIN.pw_uid}


@as_root
def test_root_s_other_commands_leave_the_owner_s_files_theirs_too(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gateway", "keys", "rotate", "publishable"],
        cwd=ROOT,
        env=environment("", folder, {"TMPDIR": "/tmp"}),
        capture_output=True,
        text=True,
    )
    made = [path for path in folder.rglob("*") if path.is_file()]
    assert made, done.stderr
    assert {path.lstat().st_uid for path in made} == {PLAIN.pw_uid}


@as_root
def test_no_folder_above_the_data_is_opened_to_everybody(folder: Path) -> None:
    os.chown(folder, 0, 0)
    folder.chmod(0o700)
    (folder / "private").mkdir(mode=0o700)
    server = EmbeddedPostgres(folder / "private" / "data")
    try:
        server.start()
        assert folder.stat().st_mode & 0o007 == 0 and (folder / "private").stat().st_mode & 0o007 == 0
        assert subprocess.run(["ls", str(folder / "private")], capture_output=True, **plain()).returncode != 0
    finally:
        server.stop()


@as_root
def test_passage_is_for_one_user_and_takes_nobody_s_rights(folder: Path) -> None:
    os.chown(folder, 0, 0)
    folder.chmod(0o750)
    (folder / "inside").write_text("seen")
    (folder / "inside").chmod(0o644)

    def reads(**options: Any) -> bool:
        return subprocess.run(["cat", str(folder / "inside")], capture_output=True, **options).returncode == 0

    other = {"user": PLAIN.pw_uid + 1, "group": PLAIN.pw_gid + 1, "extra_groups": []}
    assert not reads(**plain())
    assert let_pass(PLAIN.pw_uid, folder) and not let_pass(PLAIN.pw_uid, folder)
    assert reads(**plain()) and not reads(**other)
    assert subprocess.run(["ls", str(folder)], capture_output=True, **plain()).returncode != 0, "it may pass, not read"


def test_an_entry_of_the_list_keeps_what_it_could_do() -> None:
    """Whatever the mask allowed before."""
    for mask in range(8):
        before = [(USER_OBJ, 7, NOBODY), (USER, 7, 5), (GROUP_OBJ, 5, NOBODY), (MASK, mask, NOBODY), (OTHER, 0, NOBODY)]
        after = with_passage(before, 70)
        allowed = next(permissions for tag, permissions, _ in after if tag == MASK)
        rights = {(tag, id): permissions & allowed for tag, permissions, id in after}
        assert rights[USER, 5] == 7 & mask and rights[GROUP_OBJ, NOBODY] == 5 & mask and rights[USER, 70] == 1
        assert with_passage(after, 70) == after


def test_where_there_are_no_lists_everybody_may_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = folder / "mine"
    mine.mkdir(mode=0o700)

    def unsupported(*_: object) -> bytes:
        raise OSError(errno.ENOTSUP, "no lists here")

    monkeypatch.setattr(os, "getxattr", unsupported)
    assert let_pass(PLAIN.pw_uid, mine) and mine.stat().st_mode & 0o777 == 0o701


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make to ask")
def test_make_under_sudo_in_another_s_folder_does_nothing(folder: Path) -> None:
    shutil.copy(ROOT / "Makefile", folder)
    done = subprocess.run(
        ["make", "-n", "run"], cwd=folder, env={**os.environ, "SUDO_UID": "1000"}, capture_output=True, text=True
    )
    assert done.returncode == 2 and "without sudo" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
