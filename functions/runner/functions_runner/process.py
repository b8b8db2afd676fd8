"""How a supervised function process begins: its limits, its ties to whoever started it, and where its output goes.

A `Launch` says everything about one process. The process answers on `ready` with one JSON line, `{"ready": true}` or
`{"error": "traceback"}`, and never outlives its parent: the kernel kills it when the parent dies. Nothing of the
function, its interpreter included, runs before the process is confined.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final

from functions_runner import confinement, namespaces, registry
from functions_runner.logs import LineWriter, redactor
from functions_runner.runner import Clock, Runner, load, serve
from functions_runner.types import EXIT_BOOT, EXIT_MEMORY, FunctionConfigError, FunctionLoadError

_PR_SET_PDEATHSIG: Final = 1
BACKLOG: Final = 512


def boot_code(module: str, function: str) -> str:
    """A program that runs a function of this package in an interpreter that does not have it."""
    return f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location(
    "functions_runner", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]]
)
sys.modules["functions_runner"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from functions_runner.{module} import {function}
sys.exit({function}())
"""


BOOT: Final = boot_code("process", "resume")


@dataclass(frozen=True, slots=True)
class Launch:
    """One process to start. `socket` is the unix socket it listens on; `log` the file its output is added to;
    `account` the user and group id to become where whoever starts it is root; `python` an interpreter of its own;
    `hidden` a folder that nothing may open to it; `command` another program to become, with `more` in its environment
    and `readable` open to it, which then listens by itself."""

    folder: str
    socket: str
    log: str
    env: dict[str, str]
    account: tuple[int, int] | None = None
    python: str = ""
    hidden: str = "/"
    command: list[str] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)
    readable: list[str] = field(default_factory=list)

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
    """Become the function's process, which ends with `parent`; returns its exit code when it was asked to stop.

    Standard output is where lines go.
    """
    listener = socket.socket(socket.AF_UNIX)
    if not launch.command:
        listener.bind(launch.socket)
    confinement.limit()
    if launch.account is not None:
        become(*launch.account)
    is_root = launch.account is not None
    apart = not is_root and sys.platform == "linux" and namespaces.own_user_namespace()
    confinement.limit_processes(counted_apart=is_root or apart)
    die_with(parent)  # not before: the kernel forgets it with a change of user
    os.chdir(launch.folder)
    kept = _kept(launch) if launch.python else -1
    scratch, hidden = Path(launch.env["HOME"]), Path(launch.hidden)
    readable = [*(_prefixes(launch.python) if launch.python else ()), *map(Path, launch.readable)]
    confinement.confine(
        Path(launch.folder),
        scratch,
        hidden,
        owns_files=not is_root,
        owns_namespace=apart,
        readable=readable,
        script=bool(launch.command),
    )
    if launch.command:
        os.close(ready)
        os.execve(launch.command[0], launch.command, {**launch.env, **launch.more})
    if launch.python:
        _exec(launch.python, kept, listener.fileno(), ready)
    return serve_function(launch, listener, ready)


def _prefixes(python: str) -> Iterator[Path]:
    """Where an interpreter and its packages are, those of the one that its environment was made with as well."""
    for path in (Path(python), Path(os.path.realpath(python))):
        if len(path.parents) > 2:  # not of /bin/python: that would open everything
            yield path.parents[1]


def _kept(launch: Launch) -> int:
    """A descriptor that the launch is read from."""
    descriptor = os.memfd_create("launch", 0)
    os.write(descriptor, launch.to_json())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _exec(python: str, *descriptors: int) -> None:
    """Go on in the function's own interpreter, which finds this package without looking around it."""
    for descriptor in descriptors:
        os.set_inheritable(descriptor, True)
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    os.execve(python, [python, "-c", BOOT, str(confinement.PACKAGE), *map(str, descriptors)], environ)


def resume() -> int:
    """What `run` left to do, in the function's own interpreter; the exit code."""
    kept, listener, ready = (int(number) for number in sys.argv[2:])
    with os.fdopen(kept, "rb") as file:
        launch = Launch.from_json(file.read())
    return serve_function(launch, socket.socket(fileno=listener), ready)


def serve_function(launch: Launch, listener: socket.socket, ready: int) -> int:
    """Load the function and answer on the socket until asked to stop; the exit code."""
    os.environ.clear()
    os.environ.update(launch.env)
    tempfile.tempdir = None
    _write_lines(launch)
    folder = Path(launch.folder)
    try:
        config = registry.read(folder)
        confinement.limit_memory(config.memory_mb)
        loaded = load(config)
        skip_sniffio()
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
    return 0


def skip_sniffio() -> None:
    """Spare httpx the look for a module that is not there, several times a request.

    It takes a tenth of a page that asks the tables API twice: Python remembers what it has imported, not what it looked
    for in vain.
    """
    if find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment]


def become(user: int, group: int) -> None:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


def _say(ready: int, message: dict[str, Any]) -> None:
    with suppress(OSError), os.fdopen(ready, "wb") as pipe:
        pipe.write(json.dumps(message).encode() + b"\n")


def redirect(output: int) -> None:
    """Standard input from nowhere, standard output and error to `output`, which is closed."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)


def _write_lines(launch: Launch) -> None:
    """What Python code prints leaves by line as JSON; what C code writes by itself leaves as it is."""
    raw: IO[bytes] = os.fdopen(os.dup(1), "wb", buffering=0)
    redact = redactor(launch.env)
    sys.stdin = open(os.devnull)  # noqa: SIM115  (lives as long as the process)
    sys.stdout = LineWriter(raw.write, "info", redact)
    sys.stderr = LineWriter(raw.write, "error", redact)


def main() -> int:
    """Entry where processes are not forked: the launch on standard input, ready on the descriptor that is named."""
    parent = os.getppid()
    os.setsid()
    launch = Launch.from_json(sys.stdin.buffer.readline())
    _end_with_input()
    redirect(os.open(launch.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
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
