"""How a supervised function process begins: its limits, its ties to whoever started it, and where its output goes.

A `Launch` says everything about one process. The process answers on `ready` with one JSON line, `{"ready": true}` or
`{"error": "traceback"}`, and never outlives its parent: the kernel kills it when the parent dies.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from functions import registry
from functions.logs import LineWriter, redactor
from functions.runner import Clock, Runner, load, serve
from functions.types import EXIT_BOOT, EXIT_MEMORY, FunctionConfigError, FunctionLoadError

_PR_SET_PDEATHSIG: Final = 1
BACKLOG: Final = 512


@dataclass(frozen=True, slots=True)
class Launch:
    """One process to start. `socket` is the unix socket it listens on; `log` the file its output is added to;
    `account` the user and group id to become where whoever starts it is root."""

    folder: str
    socket: str
    log: str
    env: dict[str, str]
    account: tuple[int, int] | None = None

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, raw: bytes) -> Launch:
        return cls(**json.loads(raw))


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux; elsewhere the parent's pipe does it)."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def run(launch: Launch, ready: int, parent: int) -> int:
    """Become the function's process, which ends with `parent`; returns its exit code when it was asked to stop."""
    os.environ.clear()
    os.environ.update(launch.env)
    _redirect(launch)
    tempfile.tempdir = None
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(launch.socket)
    if launch.account is not None:
        _become(*launch.account)
    die_with(parent)  # not before: the kernel forgets it with a change of user
    folder = Path(launch.folder)
    os.chdir(folder)
    try:
        config = registry.read(folder)
        _limit_memory(config.memory_mb)
        loaded = load(config)
    except (FunctionLoadError, FunctionConfigError) as error:
        report = error.report if isinstance(error, FunctionLoadError) else str(error)
        print(f"failed to start\n{report}", file=sys.stderr)
        _say(ready, {"error": redactor(launch.env)(report)})
        return EXIT_BOOT
    except MemoryError:
        _say(ready, {"error": "out of memory while loading"})
        return EXIT_MEMORY
    listener.listen(BACKLOG)
    serve(Runner(config, lambda: loaded, Clock(config.cpu)), listener, lambda: _say(ready, {"ready": True}))
    with suppress(OSError):
        os.unlink(launch.socket)
    return 0


def _become(user: int, group: int) -> None:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _say(ready: int, message: dict[str, Any]) -> None:
    with suppress(OSError), os.fdopen(ready, "wb") as pipe:
        pipe.write(json.dumps(message).encode() + b"\n")


def _redirect(launch: Launch) -> None:
    """Standard input from nowhere; output to the log, by line as JSON, and raw where C code writes by itself."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    target = os.open(launch.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(target, 1)
    os.dup2(target, 2)
    os.close(nothing)
    os.close(target)
    raw: IO[bytes] = os.fdopen(os.dup(1), "wb", buffering=0)
    redact = redactor(launch.env)
    sys.stdin = open(os.devnull)  # noqa: SIM115  (lives as long as the process)
    sys.stdout = LineWriter(raw.write, "info", redact)
    sys.stderr = LineWriter(raw.write, "error", redact)


def _limit_memory(megabytes: int) -> None:
    """Cap the memory this process may write to, beyond what the interpreter already holds.

    The address space would be the wrong measure: shared libraries and reserved arenas take hundreds of megabytes of
    it without using memory.
    """
    if sys.platform == "win32":
        return
    import resource

    limit = megabytes * 1024 * 1024 + _data_size()
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _data_size() -> int:
    """Bytes of writable memory in use now."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main() -> int:
    """Entry of a process that is started by itself rather than forked: the launch on standard input, ready on fd 3."""
    parent = os.getppid()
    os.setsid()
    launch = Launch.from_json(sys.stdin.buffer.readline())
    _end_with_input()
    return run(launch, int(sys.argv[1]), parent)


def _end_with_input() -> None:
    """End this process when its standard input closes: on systems without a parent-death signal."""
    import threading

    channel = os.dup(0)

    def watch() -> None:
        while os.read(channel, 4096):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
