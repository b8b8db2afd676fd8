"""What a function's process may do: its limits, the files it reaches, the system calls it makes.

Each part is applied where the system has it; `survey` says what holds here. Nothing can be taken back by the function.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from functions_runner import landlock, namespaces, seccomp

# Processes and threads of one function's process tree; Python's and Starlette's pools come to 76 on a large machine.
PROCESSES: Final = 128
OPEN_FILES: Final = 1024
FILE_BYTES: Final = 100_000_000  # of one file
ADDRESSES: Final = 4 << 30  # bytes of address space beyond the memory limit: stacks, arenas, libraries
OTHERS: Final = 512  # further processes of a user whose processes cannot be counted apart

PACKAGE: Final = Path(__file__).resolve().parent  # this one, which a function's process runs
SYSTEM: Final = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/nix/store", "/etc/alternatives")
# What libraries look up. The rest of /etc may hold somebody's secrets.
LOOKED_UP: Final = (
    "ca-certificates", "crypto-policies", "fonts", "gai.conf", "group", "host.conf", "hosts", "ld.so.cache",
    "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "pki", "protocols",
    "resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "terminfo", "timezone",
)  # fmt: skip
DEVICES: Final = ("null", "zero", "full", "random", "urandom")


@dataclass(frozen=True, slots=True)
class Survey:
    """What keeps functions apart on this system."""

    root: bool
    namespace: bool
    landlock: int
    seccomp: bool

    @property
    def is_whole(self) -> bool:
        """Whether a function can neither read the gateway's secrets nor disturb its processes."""
        return self.root or (self.landlock > 0 and self.seccomp and (self.namespace or self.landlock >= 6))

    def describe(self) -> str:
        """One line for whoever starts the gateway."""
        user = "users of their own" if self.root else f"the gateway's own user ({os.geteuid()})"
        held = [
            f"files by Landlock {self.landlock}" if self.landlock else "",
            "system calls by seccomp" if self.seccomp else "",
            "processes by namespaces" if self.namespace else "",
        ]
        missing = [
            "" if self.landlock else "Landlock",
            "" if self.seccomp else "seccomp",
            "" if self.namespace else "pid namespaces",
        ]
        line = f"functions run as {user}, confined in " + (", ".join(filter(None, held)) or "nothing")
        if any(missing):
            line += f"; this system lacks {', '.join(filter(None, missing))}"
        if not self.is_whole:
            line += ": a hostile function can reach the gateway's keys or processes"
        return line


def survey() -> Survey:
    """Look at what this system has. Single-threaded processes only."""
    return Survey(
        os.geteuid() == 0,
        _holds(namespaces.separate),
        landlock.version(),
        seccomp.is_known() and _holds(seccomp.restrict),
    )


def _holds(restriction: Callable[[], bool]) -> bool:
    """Whether a child of this process can take it, and then have a child of its own."""
    if sys.platform != "linux":
        return False
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            if restriction():
                inner = os.fork()
                if inner == 0:
                    os._exit(0)
                code = os.waitpid(inner, 0)[1]
        finally:
            os._exit(1 if code else 0)
    return os.waitpid(pid, 0)[1] == 0


def limit() -> None:
    """Bound what the process and its children take; memory is bounded by `limit_memory`."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_MSGQUEUE, 0)
        _lower(resource.RLIMIT_MEMLOCK, 65_536)
        # Whoever wants memory while there is none is ended before the gateway and its database are.
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


def limit_processes(*, counted_apart: bool) -> None:
    """Bound processes and threads. The kernel counts a user's, so one that others share has room for theirs too."""
    if sys.platform == "linux":
        _lower(resource.RLIMIT_NPROC, PROCESSES if counted_apart else _of_this_user() + OTHERS)


def limit_memory(megabytes: int) -> None:
    """Cap the memory this process may write to, beyond what the interpreter already holds.

    The address space alone would be the wrong measure: shared libraries and reserved arenas take hundreds of megabytes
    of it without using memory. It is bounded far above.
    """
    data, addresses = _sizes()
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _lower(kind, megabytes * 1024 * 1024 + data)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_AS, megabytes * 1024 * 1024 + addresses + ADDRESSES)


def confine(
    folder: Path,
    scratch: Path,
    hidden: Path,
    *,
    owns_files: bool,
    owns_namespace: bool,
    readable: Iterable[Path] = (),
    script: bool = False,
) -> None:
    """From now on this process reaches its own code, its scratch folder, the interpreter and the network alone.

    `hidden` is kept out of what the interpreter's and the system's folders open; `readable` are further files that it
    may read. `owns_files` says that the gateway's files belong to this process's user, `owns_namespace` that it has
    just entered a user namespace. A `script` listens by itself, so unix sockets are left to Deno's permissions.
    """
    is_safe = not owns_files or (owns_namespace and namespaces.read_only_but(scratch))
    namespaces.drop_capabilities()
    rows = [*_rules(folder, scratch), *((path, landlock.READ) for path in readable)]
    landlock.restrict(rule for row in rows for rule in _around(hidden, *row))
    seccomp.restrict(modes=is_safe, unix_sockets=script)


def confine_installer(folder: Path, readable: Iterable[Path], hidden: Path) -> None:
    """From now on this process fills its folder, and reads what it is given, the system and the network alone."""
    namespaces.drop_capabilities()
    rows = [*_system(), *((path, landlock.READ) for path in readable)]
    rules = [rule for row in rows for rule in _around(hidden, *row)]
    landlock.restrict([*rules, (folder, landlock.READ | landlock.WRITE)])
    seccomp.restrict()


def _around(hidden: Path, path: Path, rights: int) -> Iterator[tuple[Path, int]]:
    """The rule, or rules for all beside the hidden folder where it would open that: Landlock has no exceptions."""
    if not hidden.is_relative_to(path):
        yield path, rights
        return
    with suppress(OSError):
        for entry in path.iterdir() if path != hidden else ():
            yield from _around(hidden, entry, rights)


def _rules(folder: Path, scratch: Path) -> Iterator[tuple[Path, int]]:
    yield folder, landlock.READ
    yield folder.parent, landlock.LIST  # the import system lists a folder before it reads of it
    for name in ("shared", "_shared"):
        yield folder.parent / name, landlock.READ
    yield PACKAGE, landlock.LIST
    yield PACKAGE / "__pycache__", landlock.READ
    for path in PACKAGE.glob("*.py"):
        yield path, landlock.READ
    yield from _system()
    yield scratch, landlock.READ | landlock.WRITE


def _system() -> Iterator[tuple[Path, int]]:
    for prefix in (*SYSTEM, sys.prefix, sys.base_prefix):
        if len(Path(prefix).parts) > 1:  # / would open everything
            yield Path(prefix).resolve(), landlock.READ
    for name in LOOKED_UP:
        path = Path("/etc", name)
        yield path, landlock.READ
        target = path.resolve()
        if target.parts[:2] == ("/", "run"):  # rewritten by replacing it, as systemd's resolver does
            yield target.parent, landlock.READ
    for name in DEVICES:
        yield Path("/dev", name), landlock.READ | landlock.WRITE
    yield Path("/proc/self"), landlock.READ
    for name in ("cpuinfo", "meminfo", "stat", "filesystems"):
        yield Path("/proc", name), landlock.READ
    yield Path("/sys/devices/system/cpu"), landlock.READ


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (bound, bound))


def _sizes() -> tuple[int, int]:
    """Bytes of writable memory and of address space in use now."""
    found = {"VmData": 0, "VmSize": 0}
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            name = line.partition(":")[0]
            if name in found:
                found[name] = int(line.split()[1]) * 1024
    return found["VmData"], found["VmSize"]


def _of_this_user() -> int:
    """Processes and threads of this process's user."""
    count = 0
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if path.stat().st_uid == os.getuid():
                count += len(os.listdir(path / "task"))
    return count
