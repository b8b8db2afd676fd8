"""A function whose author means harm, under a gateway that is root, one that is not, and one that may not make
namespaces: what it reaches, what it takes, and what it leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from functions_runner import confinement, landlock, registry
from functions_runner.bundle import pack
from functions_runner.logs import BURST_BYTES, WINDOW

from tests.gateway.functions.conftest import Served, start, stop, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a function has its process and no more")

PLAIN = 23_456  # a user of no account
USER = ("setpriv", f"--reuid={PLAIN}", f"--regid={PLAIN}", "--clear-groups", "--")
BOUND = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "--")
WAYS = {"root": (), "plain": USER, "no namespaces": BOUND} if os.geteuid() == 0 else {"plain": ()}

EVIL = """
async def handle(request):
    scope = {}
    exec(await request.body(), scope)
    return {"answer": scope["attack"]()}
"""


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way.replace(" ", "-"))
def hostile(request: pytest.FixtureRequest) -> Iterator[Served]:
    """A gateway with the functions `evil`, which runs what it is sent, and `victim`, beside it."""
    with tempfile.TemporaryDirectory(prefix="gw-hostile-") as name:
        top = Path(name)
        root = top / "functions"
        for function, variable in (("evil", "EVIL"), ("victim", "VICTIM")):
            folder = root / function
            folder.mkdir(parents=True)
            (folder / "main.py").write_text(EVIL)
            (folder / "function.toml").write_text(
                f'verify_jwt = false\ntimeout = 20\nenv = ["{variable}", "SUPABASE_SERVICE_ROLE_KEY"]\n'
            )
        (top / "data").mkdir()
        (top / "data" / "functions.env").write_text("VICTIM=the-victims-own-secret\nEVIL=x\n")
        if WAYS[request.param] == USER:
            os.chmod(top, 0o755)
            for path in (top, *top.rglob("*")):
                shutil.chown(path, PLAIN, PLAIN)
        served = start(root, top / "data", through=WAYS[request.param])
        yield served
        stop(served)


def attack(served: Served, code: str, name: str = "evil") -> Any:
    """What `attack()` of this code returns inside the function."""
    response = served.call(f"/{name}", content=textwrap.dedent(code))
    assert response.status_code == 200, response.text
    return response.json()["answer"]


def tried(action: str) -> str:
    """Code that does one thing and returns the name of the error, or what came of it."""
    return f"""
    import os, socket
    def attack():
        try:
            return {{"did": repr({action})}}
        except OSError as error:
            return {{"error": type(error).__name__}}
    """


def processes(marker: str) -> list[int]:
    """Processes that call themselves so."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == marker:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


# --- what it reaches -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [
        "open(f'{data}/keys.json').read()",
        "os.listdir(data)",
        "open(f'{data}/functions.env').read()",
        "open(f'/proc/{gateway}/environ').read()",
        "open(f'/proc/{gateway}/mem', 'rb').read(1)",
        "open(f'/proc/{gateway}/maps').read()",
        "os.listdir(f'/proc/{gateway}/fd')",
        "open(f'/proc/{victim}/environ').read()",
        "open(f'/proc/{victim}/mem', 'rb').read(1)",
        "os.kill(gateway, 0)",
        "os.kill(gateway, 19)",
        "os.kill(victim, 9)",
        "open(f'{root}/victim/main.py').read()",
        "open(f'{root}/evil/main.py', 'a')",
        "open(f'{root}/evil/new.py', 'w')",
        "open(f'{root}/shared.py', 'w')",
        "open('/tmp/gw-evil', 'w')",
        "open('/dev/shm/gw-evil', 'w')",
        "open('/etc/shadow').read()",
        "os.mkdir(f'{data}/x')",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "socket.create_server(('127.0.0.1', 0))",
        "os.symlink('/etc/passwd', '/tmp/gw-evil')",
        "os.chmod(f'{root}/evil/main.py', 0o777)",
        "os.chmod(f'{data}/keys.json', 0o666)",
        "os.chmod(data, 0)",
        "os.utime(f'{root}/evil/main.py')",
        "os.setxattr(f'{root}/evil/main.py', 'user.x', b'')",
        "os.rename(f'{data}/keys.json', f'{data}/keys')",
        "os.unlink(f'{data}/keys.json')",
        "os.link(f'{data}/keys.json', os.environ['HOME'] + '/keys')",
        "os.setuid(0)",
        "os.nice(-1)",
        "__import__('mmap').mmap(-1, 1 << 20)",
        "os.memfd_create('x')",
    ],
)
def test_a_function_reaches_nothing_but_its_own(hostile: Served, action: str) -> None:
    attack(hostile, "def attack():\n    return 1\n", "victim")
    names = {
        "data": str(hostile.data_dir),
        "root": str(hostile.root),
        "gateway": hostile.process.pid,
        "victim": main_process(hostile, "victim"),
    }
    code = "".join(f"{name} = {value!r}\n" for name, value in names.items()) + textwrap.dedent(tried(action))
    seen = attack(hostile, code)
    assert "error" in seen, seen
    assert hostile.process.poll() is None


def main_process(served: Served, name: str) -> int:
    """The process in which a function runs, as this process numbers it."""
    first = served.pid(name)
    (child,) = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return int(child)


def test_the_gateway_s_memory_is_closed_to_its_user_s_other_processes(hostile: Served) -> None:
    """No function, confined or not: whatever else runs as the gateway's user."""
    pid = hostile.process.pid
    user = Path(f"/proc/{pid}/status").read_text().partition("Uid:\t")[2].split()[0]
    assert Path(f"/proc/{pid}/environ").stat().st_uid == 0, "the kernel keeps it for root"
    if os.geteuid() == 0 and user != "0":
        for name in ("environ", "mem", "maps"):
            done = subprocess.run([*USER, "head", "-c", "1", f"/proc/{pid}/{name}"], capture_output=True, text=True)
            assert "Permission denied" in done.stderr


def test_an_interpreter_that_a_function_brings_is_confined_before_it_starts(hostile: Served) -> None:
    """It is the function's own file: whoever deploys it chooses what runs first."""
    folder = hostile.root / "brings"
    folder.mkdir()
    (folder / "main.py").write_text("x = 1\n")
    (folder / "function.toml").write_text('verify_jwt = false\npython = "interpreter"\n')
    keys = hostile.data_dir / "keys.json"
    (folder / "interpreter").write_text(f"#!/bin/sh\necho user $(id -u)\ncat {keys} && echo read it\nexit 1\n")
    (folder / "interpreter").chmod(0o755)
    assert hostile.call("/brings").status_code == 503
    wait_for(lambda: "user " in hostile.log("brings"))
    assert "user 0" not in hostile.log("brings") and "read it" not in hostile.log("brings")
    shutil.rmtree(folder)


def test_a_function_answers_in_an_environment_of_its_own(hostile: Served) -> None:
    folder = hostile.root / "owner"
    venv.create(folder / "env", symlinks=True)
    packages = next((folder / "env" / "lib").glob("python*")) / "site-packages"
    (packages / "more.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "main.py").write_text(EVIL)
    (folder / "function.toml").write_text('verify_jwt = false\npython = "env/bin/python"\n')
    code = "import sys\ndef attack():\n    return sys.prefix\n"
    try:
        assert Path(attack(hostile, code, "owner")) == (folder / "env").resolve()
        with pytest.raises(AssertionError):
            attack(hostile, f"import os\ndef attack():\n    return os.listdir({str(hostile.data_dir)!r})\n", "owner")
    finally:
        shutil.rmtree(folder)


def test_a_database_s_socket_is_out_of_reach(hostile: Served) -> None:
    """It trusts whoever reaches it: where the gateway is not root, the function has its owner's user id."""
    folder = hostile.data_dir / "sockets"
    folder.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as database:
        database.bind(str(folder / ".s.PGSQL.5432"))
        os.chmod(folder / ".s.PGSQL.5432", 0o777)
        os.chmod(folder, 0o777)
        database.listen()
        action = f"socket.socket(socket.AF_UNIX).connect('{folder}/.s.PGSQL.5432')"
        assert "error" in attack(hostile, tried(action))
    shutil.rmtree(folder)


def test_a_function_s_memory_holds_no_neighbour_s_secret(hostile: Served) -> None:
    """They are forked from one process, which must not have seen what it starts others with."""
    attack(hostile, "def attack():\n    return 1\n", "victim")
    found = attack(
        hostile,
        """
        import ctypes
        def attack():
            # never whole in this process: it would find itself
            head, tail = b"the-victims", b"-own-secret"
            ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # or its own memory is closed to it
            found = 0
            with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
                for line in maps:
                    span, rights = line.split()[:2]
                    first, last = (int(part, 16) for part in span.split("-"))
                    if "r" in rights and last - first < 1 << 28:
                        try:
                            memory.seek(first)
                            text = memory.read(last - first)
                        except (OSError, ValueError, OverflowError):
                            continue
                        at = text.find(head)
                        while at >= 0:
                            found += text[at + len(head) : at + len(head) + len(tail)] == tail
                            at = text.find(head, at + 1)
            return found
        """,
    )
    assert found == 0


def test_what_a_function_needs_still_works(hostile: Served) -> None:
    seen = attack(
        hostile,
        """
        import json, os, shutil, socket, ssl, subprocess, sys, tempfile, threading, zoneinfo, concurrent.futures
        def attack():
            with tempfile.NamedTemporaryFile() as scratch:
                scratch.write(b"x" * 1_000_000)
                shutil.copy(scratch.name, scratch.name + "-2")
            ssl.create_default_context()
            thread = threading.Thread(target=lambda: None)
            thread.start()
            thread.join()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                squares = list(pool.map(lambda n: n * n, range(8)))
            done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True)
            with socket.socket() as plain:
                refused = plain.connect_ex(("127.0.0.1", 9))
            return [done.stdout, squares[-1], socket.gethostbyname("localhost"), refused,
                    str(zoneinfo.ZoneInfo("America/New_York")), open("main.py").read(5)]
        """,
    )
    assert seen[:3] == ["42\n", 49, "127.0.0.1"] and seen[3] == 111


# --- what it takes ---------------------------------------------------------------------------------------------------


def test_a_fork_bomb_is_small_and_ends_with_its_function(hostile: Served) -> None:
    marker = f"bomb{os.getpid()}"
    made = attack(
        hostile,
        f"""
        import os, time
        def attack():
            made = 0
            for _ in range(5000):
                try:
                    pid = os.fork()
                except OSError:
                    break
                if pid == 0:
                    import ctypes
                    ctypes.CDLL(None).prctl(15, b"{marker}", 0, 0, 0)
                    time.sleep(600)
                    os._exit(0)
                made += 1
            return made
        """,
    )
    assert made <= confinement.PROCESSES
    assert attack(hostile, "def attack():\n    return 1\n", "victim") == 1
    attack_in_vain(hostile, "import os\ndef attack():\n    os._exit(1)\n")
    wait_for(lambda: not processes(marker))


def attack_in_vain(served: Served, code: str) -> None:
    assert served.call("/evil", content=code).status_code >= 500


def test_a_file_and_the_number_of_files_are_bounded(hostile: Served) -> None:
    seen = attack(
        hostile,
        """
        import os, tempfile
        def attack():
            out = {}
            with tempfile.NamedTemporaryFile(buffering=0) as scratch:
                try:
                    for _ in range(300):
                        scratch.write(bytes(1_000_000))
                except OSError as error:
                    out["write"] = error.strerror
                out["size"] = os.path.getsize(scratch.name)
            files = []
            try:
                for _ in range(100_000):
                    files.append(open(os.devnull))
            except OSError as error:
                out["files"] = error.strerror
            out["open"] = len(files)
            return out
        """,
    )
    assert seen["write"] == "File too large" and seen["size"] <= confinement.FILE_BYTES
    assert seen["files"] == "Too many open files" and seen["open"] < confinement.OPEN_FILES


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("many files", "its scratch files take"),
        ("files without a name", "its scratch files take"),
        ("entries", "holds more than"),
        ("memory of children", "its processes take"),
    ],
)
def test_what_its_processes_take_together_is_bounded(hostile: Served, what: str, reason: str) -> None:
    response = hostile.call(
        "/evil",
        content=textwrap.dedent(f"""
        import os, tempfile, time
        def attack():
            kept = []
            if {what!r} == "memory of children":
                for _ in range(6):
                    if os.fork() == 0:
                        block = bytearray(os.urandom(1)) * 200_000_000
                        time.sleep(600)
            elif {what!r} == "entries":
                for number in range(12_000):
                    os.mkdir(f"{{tempfile.gettempdir()}}/{{number}}")
            else:
                for number in range(8):
                    file = tempfile.NamedTemporaryFile(delete="name" in {what!r}, buffering=0)
                    kept.append(file)
                    if "name" in {what!r}:
                        os.unlink(file.name)
                    for _ in range(90):
                        file.write(bytes(1_000_000))
            for _ in range(150):
                time.sleep(0.1)
        """),
    )
    assert (response.status_code, response.json()["code"]) == (546, "WORKER_LIMIT")
    wait_for(lambda: reason in hostile.log("evil"))
    assert attack(hostile, "def attack():\n    return 1\n") == 1


@pytest.mark.parametrize("way", ["print('y' * 9_999)", "os.write(1, block)", "os.write(2, block)"])
def test_a_gigabyte_of_output_is_a_few_megabytes_of_log(hostile: Served, way: str) -> None:
    """However it is written: by Python, which counts lines, or past it."""
    folder = hostile.data_dir / "functions" / "logs"
    before = sum(path.stat().st_size for path in folder.glob("evil*"))
    began = time.monotonic()
    attack(
        hostile,
        f"""
        import os
        block = (b"y" * 9_999 + b"\\n") * (100 if {way!r}.startswith("os") else 1)
        def attack():
            for _ in range(10**9 // len(block) // (1 if {way!r}.startswith("os") else 10)):
                {way}
        """,
    )
    windows = (time.monotonic() - began) // WINDOW + 2
    grown = sum(path.stat().st_size for path in folder.glob("evil*")) - before
    assert grown <= windows * (BURST_BYTES + 100_000)


def test_output_past_python_is_redacted_too(hostile: Served) -> None:
    attack(
        hostile,
        """
        import os
        def attack():
            os.write(1, b"leaked " + os.environ["SUPABASE_SERVICE_ROLE_KEY"].encode() + b" so")
            os.write(1, b" it goes\\n")
        """,
        "victim",
    )
    wait_for(lambda: "leaked [SUPABASE_SERVICE_ROLE_KEY] so it goes" in hostile.log("victim"))
    assert hostile.keys.service_role_jwt not in hostile.log("victim")


# --- what it leaves behind -------------------------------------------------------------------------------------------

ESCAPE = """
import ctypes, os, signal, time
def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 64):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            os.closerange(0, 100)
            ctypes.CDLL(None).prctl(15, b"{marker}", 0, 0, 0)
            time.sleep(600)
        os._exit(0)
    os.wait()
    {then}
"""


def escaped(served: Served, marker: str, then: str = "return 1") -> None:
    """Have the function start a process that forked twice, has a session of its own and ignores every signal."""
    served.call("/evil", content=ESCAPE.format(marker=marker, then=then))
    if then == "return 1":
        wait_for(lambda: len(processes(marker)) == 1)


def test_a_child_ends_when_its_function_is_ended_for_its_time(hostile: Served) -> None:
    marker = f"late{os.getpid()}"
    (hostile.root / "evil" / "function.toml").write_text("verify_jwt = false\ntimeout = 1\n")
    try:
        wait_for(lambda: attack(hostile, "def attack():\n    return 1\n") == 1)
        time.sleep(0.6)  # so that the changed file is seen
        escaped(hostile, marker, "time.sleep(600)")
        wait_for(lambda: not processes(marker))
    finally:
        (hostile.root / "evil" / "function.toml").write_text('verify_jwt = false\ntimeout = 20\nenv = ["EVIL"]\n')


def test_a_child_ends_with_the_version_that_made_it(hostile: Served) -> None:
    marker = f"old{os.getpid()}"
    escaped(hostile, marker)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "evil")
        folder.mkdir()
        (folder / "main.py").write_text(EVIL + "# newer\n")
        (folder / "function.toml").write_text("verify_jwt = false\n")
        answer = hostile.admin("/functions/evil/deploy", "POST", content=pack(registry.find("evil", Path(name))))
    assert answer.status_code == 200, answer.text
    wait_for(lambda: not processes(marker))
    hostile.admin("/functions/evil/rollback", "POST")


@pytest.mark.parametrize("then", ["os._exit(3)", "os.kill(os.getpid(), 9)", "os.abort()", "ctypes.string_at(0)"])
def test_a_child_ends_with_a_function_that_dies(hostile: Served, then: str) -> None:
    marker = f"dead{os.getpid()}"
    escaped(hostile, marker, then)
    wait_for(lambda: not processes(marker))


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL", "first process", "forkserver"])
@pytest.mark.parametrize("way", WAYS)
def test_a_child_ends_with_the_gateway(way: str, end: str) -> None:
    marker = f"gone{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="gw-hostile-") as name:
        folder = Path(name, "functions", "evil")
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(EVIL)
        (folder / "function.toml").write_text("verify_jwt = false\n")
        if WAYS[way] == USER:
            os.chmod(name, 0o755)
            (Path(name) / "data").mkdir()
            for path in (Path(name), *Path(name).rglob("*")):
                shutil.chown(path, PLAIN, PLAIN)
        served = start(folder.parent, Path(name, "data"), through=WAYS[way])
        try:
            escaped(served, marker)
            first = served.pid("evil")
            assert first is not None
            if end == "forkserver":
                os.kill(int(Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
            elif end == "first process":
                os.kill(first, signal.SIGKILL)
            else:
                served.process.send_signal(signal.Signals[end])
            wait_for(lambda: not processes(marker))
        finally:
            stop(served)
            for pid in processes(marker):
                os.kill(pid, signal.SIGKILL)


# --- the parts -------------------------------------------------------------------------------------------------------


def test_a_folder_is_kept_out_of_one_that_is_open(tmp_path: Path) -> None:
    """The data folder may lie within a prefix that functions read."""
    for name in ("lib", "app/code", "app/data/inner"):
        (tmp_path / name).mkdir(parents=True)
    rules = dict(confinement._around(tmp_path / "app" / "data", tmp_path, landlock.READ))
    assert rules == {tmp_path / "lib": landlock.READ, tmp_path / "app" / "code": landlock.READ}
    assert dict(confinement._around(tmp_path / "other", tmp_path / "lib", 4)) == {tmp_path / "lib": 4}


@pytest.mark.parametrize(
    ("survey", "is_whole"),
    [
        (confinement.Survey(True, False, 0, False), True),
        (confinement.Survey(False, True, 7, True), True),
        (confinement.Survey(False, False, 7, True), True),
        (confinement.Survey(False, False, 4, True), False),
        (confinement.Survey(False, True, 0, True), False),
        (confinement.Survey(False, True, 7, False), False),
    ],
)
def test_the_start_says_when_a_function_could_reach_the_gateway(survey: confinement.Survey, is_whole: bool) -> None:
    assert survey.is_whole is is_whole
    assert ("can reach the gateway's keys" in survey.describe()) is not is_whole
