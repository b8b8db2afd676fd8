"""A process that has imported everything functions share and forks one process per function from it.

Starting an interpreter and importing the data client takes most of a second of processor time; a fork takes a few
milliseconds. In: launches as JSON on the control socket (standard input), each with the descriptor its process
answers on. Out: `{"launch", "pid"}` for each and `{"exit": pid, "status"}` when one ends. Single-threaded, so forking
is safe. Linux only: elsewhere, and for functions with an interpreter of their own, `functions.process` is started
by itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from typing import Final

from functions import process

MESSAGE_LIMIT: Final = 1 << 18  # bytes of one launch
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
    preload()
    gc.collect()
    gc.freeze()  # keeps the collector from copying shared pages in the children
    wake, wakened = os.pipe()
    os.set_blocking(wakened, False)
    signal.set_wakeup_fd(wakened, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _send(control, {"nursery": os.getpid()})
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(wake, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is control:
                    if not _launch(control, (wake, wakened)):
                        return 0
                else:
                    os.read(wake, 4096)
                    _reap(control)


def _launch(control: socket.socket, pipes: tuple[int, int]) -> bool:
    raw, descriptors, _, _ = socket.recv_fds(control, MESSAGE_LIMIT, 1)
    if not raw:
        return False
    message = json.loads(raw)
    (ready,) = descriptors
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.setsid()
            control.close()
            for pipe in pipes:
                os.close(pipe)
            code = process.run(process.Launch(**message["process"]), ready, parent)
        except Exception:
            traceback.print_exc()  # into its log
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    os.close(ready)
    _send(control, {"launch": message["launch"], "pid": pid})
    return True


def _reap(control: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _send(control, {"exit": pid, "status": os.waitstatus_to_exitcode(status)})


def _send(control: socket.socket, message: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        control.send(json.dumps(message).encode())


if __name__ == "__main__":
    sys.exit(main())
