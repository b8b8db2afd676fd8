"""A process that has imported everything functions share and forks the processes of functions from it.

Starting an interpreter and importing the data client takes most of a second of processor time; a fork takes a few
milliseconds. In: `{"launch"}` on the control socket (standard input), each with two descriptors: the one its process
answers on, and the one its `Launch` is read from, which this process does not do: what it once held, every function
forked from it could find in its memory. Out: `{"launch", "pid"}` for each and `{"exit": pid, "status"}` when one ends;
a pid of 0 says that it could not be started. Single-threaded, so forking is safe. Linux only: elsewhere
`functions_runner.process` is started by itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from typing import Final

from functions_runner import init, namespaces, process

MESSAGE_LIMIT: Final = 4096  # bytes of one request
PRELOADED: Final = (
    "postgrest",
    "uvloop",
    "httptools",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)


def preload() -> None:
    """Import what most functions need; each is only a saving, so a missing one is no fault."""
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def main() -> int:
    """Serve the control socket until it closes; every process forked here ends with it."""
    control = socket.socket(fileno=os.dup(0))
    process.die_with(os.getppid())
    namespaces.adopt_orphans()
    preload()
    gc.collect()
    gc.freeze()  # keeps the collector from copying shared pages in the children
    wake, wakened = os.pipe()
    os.set_blocking(wakened, False)
    signal.set_wakeup_fd(wakened, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _send(control, {"forkserver": os.getpid()})
    forkserver = _Forkserver(control, (wake, wakened))
    while True:
        for descriptor, _ in forkserver.poll.poll():
            if descriptor == wake:
                os.read(wake, 4096)
                forkserver.reap()
            elif not forkserver.launch():
                return 0


class _Forkserver:
    """The forks and what they must not keep."""

    def __init__(self, control: socket.socket, pipes: tuple[int, int]) -> None:
        self._control = control
        self._pipes = pipes
        self._lifeline = os.pipe()  # whoever reads its end hears that this process is gone
        self._known: set[int] = set()
        self.poll = select.poll()
        for descriptor in (control.fileno(), pipes[0]):
            self.poll.register(descriptor, select.POLLIN)

    def launch(self) -> bool:
        """Start what the control socket asks for; False when it has closed."""
        try:
            raw, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE_LIMIT, 2)
        except ConnectionResetError:  # the gateway ended with something of ours unread
            return False
        if not raw:
            return False
        ready, launch = descriptors
        pid = self._start(ready, launch)
        os.close(ready)
        os.close(launch)
        if pid:
            self._known.add(pid)
        _send(self._control, {"launch": json.loads(raw)["launch"], "pid": pid})
        return True

    def _start(self, ready: int, launch: int) -> int:
        """Fork a function's first process by way of one that makes its namespace; its pid, 0 where that failed."""
        told, telling = os.pipe()
        between = os.fork()
        if between == 0:
            try:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                signal.set_wakeup_fd(-1)
                self._control.close()
                for descriptor in (*self._pipes, self._lifeline[1], told, 0):
                    os.close(descriptor)
                os.open(os.devnull, os.O_RDONLY)
                wake = init.listen()
                apart = namespaces.separate()
                pid = os.fork()
                if pid:
                    os.write(telling, str(pid).encode())
                    os._exit(0)
                os.close(telling)
                with os.fdopen(launch, "rb") as file:
                    wanted = process.Launch.from_json(file.read())
                init.run(wanted, ready, self._lifeline[0], wake, apart=apart)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(telling)
        with os.fdopen(told, "rb") as pipe:
            pid = int(pipe.read() or 0)
        os.waitpid(between, 0)  # what it forked is this process's child from now on
        return pid

    def reap(self) -> None:
        """Tell of those that have ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid not in self._known:
                continue
            self._known.discard(pid)
            code = init.status_of(os.waitstatus_to_exitcode(status))
            if code < 0:  # it may not have come to end what it had started
                init.end_descendants(self._known)
            _send(self._control, {"exit": pid, "status": code})


def _send(control: socket.socket, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        control.send(json.dumps(message).encode())


if __name__ == "__main__":
    sys.exit(main())
