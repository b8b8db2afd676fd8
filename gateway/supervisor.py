"""One supervisor and the processes it keeps: gateway workers that share a listening socket, and companions.

A process is a fork of the supervisor that runs a `Role`. One that ends by itself is started again, with growing pauses
while it keeps ending at once; the others notice nothing. New workers replace old ones without a gap: the old finish
what they have once the new are ready. The supervisor itself serves nothing, holds no connection and has one thread.

Signals: SIGTERM and SIGINT stop everything, SIGHUP asks for new workers with new settings, SIGUSR2 for a new program.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Final, NoReturn

from gateway.embedded import child_of_this_process

log = logging.getLogger("gateway.supervisor")

TICK: Final = 1.0  # seconds between looks at what no signal tells of
STOP_LIMIT: Final = 20.0  # seconds until a process that was asked to end is killed
STEADY: Final = 10.0  # a process that ran for so many seconds is started again at once
LONGEST_PAUSE: Final = 30.0  # seconds
HANDLED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2, signal.SIGCHLD)

Ready = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Role:
    """What a process does. `run` gets a function that says it is ready, and returns the exit status.

    Only a `worker` is waited for at the start and replaced when settings change; a companion just runs beside.
    """

    name: str
    run: Callable[[Ready], int]
    worker: bool = True


@dataclass(slots=True)
class _Process:
    """A role, and the process that has it now (pid 0: none)."""

    role: Role
    pid: int = 0
    pipe: int = -1
    ready: bool = False
    started: float = 0.0
    pause: float = 0.0
    due: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Keeps processes until told to stop. `reload` gives the roles of new workers, or None to keep the old ones;
    `changed` says whether it is time to ask; `upgrade` becomes the new program and returns only if it cannot."""

    roles: Sequence[Role]
    on_ready: Callable[[], None]
    on_stop: Callable[[], None] = lambda: None
    reload: Callable[[], Sequence[Role] | None] = lambda: None
    changed: Callable[[], bool] = lambda: False
    upgrade: Callable[[tuple[int, ...]], None] = lambda pids: None
    leaving: list[int] = field(default_factory=list)  # that are to end; first the workers of the program before
    _current: list[_Process] = field(default_factory=list)
    _coming: list[_Process] = field(default_factory=list)
    _signals: list[int] = field(default_factory=list)
    _wake: tuple[int, int] = (-1, -1)

    def run(self) -> bool:
        """Keep everything running until SIGTERM or SIGINT; False if it never came up."""
        self._wake = os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        former = {number: signal.signal(number, self._note) for number in HANDLED}
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        try:
            return self._keep()
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in former.items():
                signal.signal(number, handler)
            for end in self._wake:
                os.close(end)

    # --- the loop --------------------------------------------------------------------------------------------------

    def _keep(self) -> bool:
        self._coming = [_Process(role) for role in self.roles if role.worker]
        companions = [_Process(role) for role in self.roles if not role.worker]
        for companion in companions:
            self._start(companion)
        announced = False
        while True:
            self._start_due(companions)
            self._sleep()
            signals, self._signals = self._signals, []
            stop = next((number for number in signals if number in (signal.SIGTERM, signal.SIGINT)), None)
            if stop is not None:
                self._stop(stop, companions)
                return True
            failed = self._reap(companions)
            if failed and not self._current and not self.leaving:
                self._stop(signal.SIGTERM, companions)
                return False
            if failed and self._current:
                log.error("a new worker did not start; the old ones stay")
                coming = [process.pid for process in self._coming if process.pid]
                self._end(signal.SIGTERM, coming)
                self.leaving += coming
                self._coming = []
            if self._coming and all(process.ready for process in self._coming):
                self._switch()
                if not announced:
                    announced = True
                    self.on_ready()
            if signal.SIGUSR2 in signals and not self._coming:
                self.upgrade(tuple(process.pid for process in self._current if process.pid))
            if (signal.SIGHUP in signals or self.changed()) and not self._coming and announced:
                roles = self.reload()
                if roles is not None:
                    self._coming = [_Process(role) for role in roles if role.worker]

    def _start_due(self, companions: list[_Process]) -> None:
        """Start what is not running. The first worker to come goes alone: if it fails, one says why, not each."""
        now = time.monotonic()
        for process in (*companions, *self._current):
            if not process.pid and process.due <= now:
                self._start(process)
        for process in self._coming:
            if not process.pid and process.due <= now:
                self._start(process)
            if not process.ready:
                break

    def _sleep(self) -> None:
        """Until a signal, a word of a process, or a tick."""
        pipes = [process.pipe for process in (*self._current, *self._coming) if process.pipe >= 0]
        readable, _, _ = select.select([self._wake[0], *pipes], [], [], TICK)
        if self._wake[0] in readable:
            with suppress(BlockingIOError):
                os.read(self._wake[0], 4096)
        for process in (*self._current, *self._coming):
            if process.pipe in readable:
                process.ready = os.read(process.pipe, 1) == b"1"
                os.close(process.pipe)
                process.pipe = -1

    def _reap(self, companions: list[_Process]) -> bool:
        """Take note of what has ended; whether a worker ended before it was ever ready."""
        failed = False
        self.leaving = [pid for pid in self.leaving if not _ended(pid)]
        for process in (*companions, *self._current, *self._coming):
            if not process.pid or not _ended(process.pid):
                continue
            lived = time.monotonic() - process.started
            process.pause = 0.0 if lived > STEADY else min(LONGEST_PAUSE, process.pause * 2 or 1.0)
            process.due = time.monotonic() + (process.pause if process.pause > 1 or not process.ready else 0)
            failed = failed or process in self._coming
            if process not in self._coming or self.leaving:
                log.warning("%s (process %d) ended and is started again", process.role.name, process.pid)
            process.pid, process.ready = 0, False
        return failed

    def _switch(self) -> None:
        """The new workers serve: the old ones take no more connections and finish what they have."""
        old = [*self.leaving, *(process.pid for process in self._current if process.pid)]
        self._current, self._coming = self._coming, []
        if old:
            log.info("new workers serve, %d old ones finish", len(old))
        self._end(signal.SIGTERM, old)
        self.leaving = old

    # --- processes -------------------------------------------------------------------------------------------------

    def _start(self, process: _Process) -> None:
        read, write = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        arrange = child_of_this_process(signal.SIGTERM)
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _become(process.role, write, arrange)
        os.close(write)
        process.pid, process.pipe, process.ready, process.started = pid, read, False, time.monotonic()
        if not process.role.worker:
            os.close(read)
            process.pipe = -1

    @staticmethod
    def _end(number: int, pids: Iterable[int]) -> None:
        for pid in pids:
            if pid:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def _stop(self, number: int, companions: list[_Process]) -> None:
        """End the workers, then what runs beside them."""
        self.on_stop()
        workers = [process.pid for process in (*self._current, *self._coming) if process.pid]
        self._end_all(number, [*workers, *self.leaving])
        self._end_all(signal.SIGTERM, [process.pid for process in companions if process.pid])

    def _end_all(self, number: int, pids: list[int]) -> None:
        """Ask, wait, and kill what does not end in time."""
        self._end(number, pids)
        deadline = time.monotonic() + STOP_LIMIT
        while pids := [pid for pid in pids if not _ended(pid)]:
            if any(again == signal.SIGINT for again in self._signals):  # a second Ctrl-C: at once
                deadline = 0.0
            if time.monotonic() > deadline:
                self._end(signal.SIGKILL, pids)
                deadline = float("inf")
            self._sleep_until_child()

    def _sleep_until_child(self) -> None:
        select.select([self._wake[0]], [], [], 0.1)
        with suppress(BlockingIOError):
            os.read(self._wake[0], 4096)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signals.append(number)


def _become(role: Role, pipe: int, arrange: Callable[[], None] | None) -> NoReturn:
    """Be the process of a role: what ends it must never return into the supervisor's code."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        os.setsid()  # a terminal's Ctrl-C is for the supervisor
        if arrange is not None:
            arrange()
        status = role.run(lambda: _say_ready(pipe))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:
        status = 0
    except BaseException:
        log.exception("%s failed", role.name)
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _say_ready(pipe: int) -> None:
    os.write(pipe, b"1")
    os.close(pipe)


def _ended(pid: int) -> bool:
    """Whether a child is gone; takes its status where it is."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True
