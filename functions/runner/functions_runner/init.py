"""The first process of a function: it reads what the function's processes write, and ends all of them with the first.

In a pid namespace (see functions/namespaces.py) the kernel does the ending, whatever a child did to get away; without
one this process adopts orphans and ends every descendant. SIGTERM goes on to the function, SIGQUIT ends it at once, and
so does the end of whoever started this: the other end of `lifeline` is open there alone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Set
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from functions_runner import namespaces, process, registry, usage
from functions_runner.logs import LogFile, redactor
from functions_runner.script_watch import EVERY, Watch
from functions_runner.types import EXIT_MEMORY, FunctionConfigError

Feed = Callable[[bytes], None]

SIGNALS: Final = (signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD)
PIECE: Final = 65_536  # bytes read at once
LAST_WORDS: Final = 1_000_000  # bytes read after the function has ended
ENDING: Final = 5.0  # seconds in which descendants are looked for and ended


def exit_code(status: int) -> int:
    """What this process exits with for its function's exit status, negative for a signal.

    >>> exit_code(-9), exit_code(3), exit_code(200)
    (137, 3, 127)
    """
    return 128 - status if status < 0 else min(status, 127)


def status_of(code: int) -> int:
    """The other way round.

    >>> status_of(137), status_of(3)
    (-9, 3)
    """
    return 128 - code if code > 128 else code


def listen() -> int:
    """A descriptor from which the numbers of the signals that come from now on can be read."""
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    return wake


def run(launch: process.Launch, ready: int, lifeline: int, wake: int, *, apart: bool) -> NoReturn:
    """Start the function's process and stay until it has ended; exits as it did. `apart` is in a pid namespace."""
    os.setsid()
    if not apart:
        namespaces.adopt_orphans()
    said, saying = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _be_the_function(launch, ready, parent, saying, (said, lifeline, wake))
    os.close(saying)
    if not launch.command:
        os.close(ready)
    log = LogFile(Path(launch.log), redactor(launch.env))
    try:
        config = registry.read(Path(launch.folder))
        memory_mb, cpu = config.memory_mb, config.cpu
    except FunctionConfigError:
        memory_mb, cpu = 0, 0.0  # it will say so itself, and end
    script = Watch(ready, cpu, memory_mb, redactor(launch.env)) if launch.command else None
    output: Feed = log.feed if script is None else lambda data: log.feed(script.feed(data))
    status = _watch(pid, said, lifeline, wake, output, _Looks(Path(launch.env["HOME"]), memory_mb, script))
    _read_last_words(said, output)
    if script is not None:
        status = script.ended(status)
    log.close()
    if not apart:
        end_descendants()
    os._exit(exit_code(status))


def _be_the_function(launch: process.Launch, ready: int, parent: int, saying: int, others: tuple[int, ...]) -> NoReturn:
    code = 1
    try:
        woken = signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        for descriptor in (*others, woken):
            os.close(descriptor)
        process.redirect(saying)
        code = process.run(launch, ready, parent)
    except Exception:
        traceback.print_exc()  # into its log
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


class _Looks:
    """Looks now and then at what the function takes; a script's processor time is looked at more often."""

    def __init__(self, scratch: Path, memory_mb: int, script: Watch | None) -> None:
        self._scratch = scratch
        self._memory_mb = memory_mb
        self._script = script
        self._due = time.monotonic() + usage.EVERY
        self.every = usage.EVERY if script is None else EVERY

    def excess(self) -> tuple[str, int]:
        """Why the function must end, in words, and the status of that; empty for no reason."""
        if self._script is not None and (reason := self._script.excess()):
            return reason, -signal.SIGPROF
        if time.monotonic() < self._due:
            return "", 0
        self._due = time.monotonic() + usage.EVERY
        reason = usage.excess(self._scratch, self._memory_mb)
        if not reason and self._script is not None:
            reason = self._script.too_large()
        return reason, EXIT_MEMORY


def _watch(pid: int, said: int, lifeline: int, wake: int, feed: Feed, looks: _Looks) -> int:
    """Read output and pass on signals until the function has ended or takes too much; its exit status."""
    due = time.monotonic() + looks.every
    poll = select.poll()
    for descriptor in (said, lifeline, wake):
        poll.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll(max(0.0, due - time.monotonic()) * 1000):
            if descriptor == said:
                data = os.read(said, PIECE)
                if data:
                    feed(data)
                else:
                    poll.unregister(said)
            elif descriptor == lifeline:  # nobody writes to it
                return -signal.SIGKILL
            else:
                status = _handle(os.read(wake, PIECE), pid)
                if status is not None:
                    return status
        if time.monotonic() >= due:
            reason, status = looks.excess()
            if reason:
                feed(f"\nthe function is ended: {reason}\n".encode())
                os.kill(pid, signal.SIGKILL)
                return status
            due = time.monotonic() + looks.every


def _handle(numbers: bytes, pid: int) -> int | None:
    """Do what signals ask for; the function's exit status where it has ended."""
    if signal.SIGTERM in numbers:
        os.kill(pid, signal.SIGTERM)
    if signal.SIGQUIT in numbers:
        os.kill(pid, signal.SIGKILL)
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if ended == pid:
            return os.waitstatus_to_exitcode(status)
        if ended == 0:
            return None


def _read_last_words(said: int, feed: Feed) -> None:
    os.set_blocking(said, False)
    left = LAST_WORDS
    with suppress(BlockingIOError):
        while left > 0 and (data := os.read(said, PIECE)):
            feed(data)
            left -= len(data)


def end_descendants(spared: Set[int] = frozenset()) -> None:
    """End every descendant of this process but those children and theirs. They keep forking while they can."""
    deadline = time.monotonic() + ENDING
    while time.monotonic() < deadline:
        found = _descendants(os.getpid(), spared)
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)


def _descendants(root: int, spared: Set[int]) -> set[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything.
            parents[int(path.parent.name)] = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
    found: set[int] = set()
    around = {root}
    while around:
        around = {pid for pid, parent in parents.items() if parent in around and pid not in spared} - found
        found |= around
    return found
