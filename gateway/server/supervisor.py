"""One supervisor and the processes it keeps: gateway workers that share a listening socket, companions, and programs.

A worker or a companion is a fork of the supervisor that runs a `Role`; a `Program` is any other process that it can
start, such as Postgres. One that ends by itself, whatever ended it, is started again, with growing pauses while it
keeps ending at once; the others notice nothing. One that gives no sign of life for too long is killed, and so ends.
New workers replace old ones without a gap: the old finish what they have once the new are ready. The supervisor itself
serves nothing, holds no connection and has one thread.

Orphans of its processes become the supervisor's own children (Linux) and are killed: nothing outlives what started it.

Signals: SIGTERM and SIGINT stop everything, SIGHUP asks for new workers with new settings (or stops everything where
the supervisor lives with a terminal), SIGUSR2 for a new program.
"""

from __future__ import annotations

import faulthandler
import gc
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

from gateway.system.file_faults import explain
from gateway.system.processes import adopt_orphans, child_of_this_process, children, is_alive

log = logging.getLogger("gateway.server.supervisor")

TICK: Final = 1.0  # seconds between looks at what no signal tells of
SOON: Final = 0.1  # seconds between looks at a program that is starting
START_LIMIT: Final = 60.0  # seconds until a process that starts must have given its first sign of life
STOP_LIMIT: Final = 20.0  # seconds until a process that was asked to end is killed
LAST_WORDS: Final = 0.5  # seconds that it may take to log where it hangs
LEAVE_LIMIT: Final = 60.0  # the same for old workers that others have replaced
STEADY: Final = 10.0  # a process that ran for so many seconds is started again at once
LONGEST_PAUSE: Final = 10.0  # seconds
SILENCE: Final = 30.0  # seconds without a sign of life after which a process is taken for hung
HANDLED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2, signal.SIGCHLD)


class Lifeline:
    """What a process tells its supervisor: called, that it is ready; then again and again that it is alive.

    `gate` can be read from once the first workers serve."""

    def __init__(self, descriptor: int, gate: int = -1) -> None:
        self.descriptor = descriptor
        self._gate = gate
        self._parent = os.getppid()

    def wait_for_workers(self) -> None:
        """Let the first workers start, whom a companion would slow down, but not for ever."""
        if self._gate >= 0:
            select.select([self._gate], [], [], START_LIMIT / 2)

    def __call__(self) -> None:
        self._say(b"1")

    def beat(self) -> None:
        """Give a sign of life; ends this process if its parent has died, where the kernel does not."""
        self._say(b".")
        if os.getppid() != self._parent:
            os.kill(os.getpid(), signal.SIGTERM)

    def _say(self, word: bytes) -> None:
        with suppress(OSError):  # nobody listens, or not now: the process works on all the same
            os.write(self.descriptor, word)


@dataclass(frozen=True, slots=True)
class Role:
    """What a process does. `run` gets the line to the supervisor and returns the exit status.

    Only a `worker` is waited for at the start and replaced when settings change; a companion just runs beside.
    """

    name: str
    run: Callable[[Lifeline], int]
    worker: bool = True


@dataclass(frozen=True, slots=True)
class Program:
    """A process that somebody else starts and, in the end, stops: the supervisor keeps it running meanwhile.

    `spawn` starts it and gives its pid, without waiting until it is `ready`. `pid` is that of the one that runs.
    `last_words` says why it failed, where it ended with a status of its own.
    """

    name: str
    spawn: Callable[[], int]
    ready: Callable[[], bool]
    pid: int
    last_words: Callable[[], str] = lambda: ""


@dataclass(slots=True)
class _Process:
    """A role or program, and the process that has it now (pid 0: none)."""

    role: Role | Program
    pid: int = 0
    pipe: int = -1
    ready: bool = False
    started: float = 0.0
    pause: float = 0.0
    due: float = 0.0
    heard: float = 0.0  # when it last gave a sign of life, or must have given the first
    condemned: bool = False


@dataclass(slots=True)
class Supervisor:
    """Keeps processes until told to stop. `reload` gives the roles of new workers, or None to keep the old ones;
    `changed` says whether it is time to ask; `upgrade` becomes the new program and returns only if it cannot.
    `silence` is in seconds, 0 for no limit; `hangup_stops` is for one that ends with its terminal."""

    roles: Sequence[Role | Program]
    on_ready: Callable[[], None]
    on_stop: Callable[[], None] = lambda: None
    reload: Callable[[], Sequence[Role] | None] = lambda: None
    changed: Callable[[], bool] = lambda: False
    upgrade: Callable[[tuple[int, ...]], None] = lambda pids: None
    on_tick: Callable[[float], None] = lambda now: None
    leaving: list[int] = field(default_factory=list)  # that are to end; first the workers of the program before
    silence: float = SILENCE
    hangup_stops: bool = False
    _current: list[_Process] = field(default_factory=list)
    _coming: list[_Process] = field(default_factory=list)
    _companions: list[_Process] = field(default_factory=list)
    _signals: list[int] = field(default_factory=list)
    _wake: tuple[int, int] = (-1, -1)
    _gate: tuple[int, int] = (-1, -1)
    _ended: dict[int, int] = field(default_factory=dict)  # exit statuses that nobody has asked for yet
    _inherited: frozenset[int] = frozenset()  # children of the program that this process was before
    _left: float = float("inf")  # when the leaving were last asked to end
    _looked: float = 0.0

    def run(self) -> bool:
        """Keep everything running until SIGTERM or SIGINT; False if it never came up."""
        self._wake, self._gate = os.pipe(), os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        known = {role.pid for role in self.roles if isinstance(role, Program)}
        self._inherited = frozenset(children(os.getpid()) - known - set(self.leaving))
        adopt_orphans()
        # One that was started to outlive its terminal, by nohup, goes on ignoring the hang-up.
        handled = [
            number
            for number in HANDLED
            if number != signal.SIGHUP or not self.hangup_stops or signal.getsignal(number) != signal.SIG_IGN
        ]
        former = {number: signal.signal(number, self._note) for number in handled}
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        gc.freeze()  # or the collector of each fork would look through all that it begins with, and make it its own
        try:
            return self._keep()
        finally:
            gc.unfreeze()
            signal.set_wakeup_fd(-1)
            for number, handler in former.items():
                signal.signal(number, handler)
            for end in (*self._wake, *self._gate):
                os.close(end)

    # --- the loop --------------------------------------------------------------------------------------------------

    def _keep(self) -> bool:
        now = self._looked = time.monotonic()
        self._coming = [_Process(role) for role in self.roles if isinstance(role, Role) and role.worker]
        for role in self.roles:
            if isinstance(role, Program):
                self._companions.append(_Process(role, pid=role.pid, ready=True, started=now))
            elif not role.worker:
                self._companions.append(_Process(role))
        stops = (signal.SIGTERM, signal.SIGINT, *((signal.SIGHUP,) if self.hangup_stops else ()))
        announced = False
        while True:
            self._start_due()
            self._sleep()
            signals, self._signals = self._signals, []
            stop = next((number for number in signals if number in stops), None)
            if stop is not None:
                self._stop(signal.SIGTERM if stop == signal.SIGHUP else stop)
                return True
            failed = self._reap()
            if failed and not self._current and not self.leaving:
                self._stop(signal.SIGTERM)
                return False
            if failed and self._current:
                log.error("a new worker did not start; the old ones stay")
                self._dismiss(self._coming)
                self._coming = []
            if self._coming and all(process.ready for process in self._coming):
                self._switch()
                if not announced:
                    announced = True
                    os.write(self._gate[1], b"1")  # which nobody takes out
                    self.on_ready()
            if signal.SIGUSR2 in signals and not self._coming:
                # Companions too: nobody would look after those of a program that is gone.
                self.upgrade(tuple(process.pid for process in (*self._current, *self._companions) if process.pid))
            if (signal.SIGHUP in signals or self.changed()) and not self._coming and announced:
                roles = self.reload()
                if roles is not None:
                    self._coming = [_Process(role) for role in roles if role.worker]
            self._look()

    def _start_due(self) -> None:
        """Start what is not running. The first worker to come goes alone: if it fails, one says why, not each."""
        now = time.monotonic()
        for process in (*self._companions, *self._current):
            if not process.pid and process.due <= now:
                self._start(process)
        for process in self._coming:
            if not process.pid and process.due <= now:
                self._start(process)
            if not process.ready:
                break

    def _sleep(self) -> None:
        """Until a signal, a word of a process, or a tick."""
        pipes = {process.pipe: process for process in self._all if process.pipe >= 0}
        starting = any(isinstance(process.role, Program) and not process.ready for process in self._companions)
        readable, _, _ = select.select([self._wake[0], *pipes], [], [], SOON if starting else TICK)
        now = time.monotonic()
        for descriptor in readable:
            if descriptor == self._wake[0]:
                with suppress(BlockingIOError):
                    os.read(descriptor, 4096)
                continue
            process, said = pipes[descriptor], os.read(descriptor, 4096)
            process.ready = process.ready or b"1" in said
            if b"." in said:
                process.heard = now
            if not said:
                self._close(process)

    def _reap(self) -> bool:
        """Take note of what has ended; whether a worker ended before it was ever ready."""
        failed = False
        self._collect()
        self.leaving = [pid for pid in self.leaving if not self._has_ended(pid)]
        for process in self._all:
            if not process.pid or not self._has_ended(process.pid):
                continue
            failed = failed or process in self._coming
            if process not in self._coming or self.leaving:
                how = _how(self._ended.get(process.pid))
                if isinstance(process.role, Program) and how.startswith("ended"):
                    how = f"{how} ({process.role.last_words()})"
                log.warning("%s (process %d) %s and is started again", process.role.name, process.pid, how)
            self._close(process)
            self._put_off(process)
        self._ended.clear()
        return failed

    def _look(self) -> None:
        """See to what no signal tells of: programs that are ready by now, the silent, the slow to leave, orphans."""
        now = time.monotonic()
        late, self._looked = now - self._looked > max(2 * TICK, self.silence / 2), now
        for process in self._all:
            if isinstance(process.role, Program):
                if process.pid and not process.ready and process.role.ready():
                    process.ready = True
                    log.warning("%s is ready again, after %.1f s", process.role.name, now - process.started)
            elif process.pid and self.silence:
                if late:  # this process did not run either: the machine slept, or is overloaded
                    process.heard = max(process.heard, now)
                self._judge(process, now)
        if self.leaving and now - self._left > LEAVE_LIMIT:
            self._end(signal.SIGKILL, self.leaving)
        for pid in children(os.getpid()) - self._known():
            log.info("process %d outlived what started it and is ended", pid)
            self._end(signal.SIGKILL, [pid])
        self.on_tick(now)

    def _judge(self, process: _Process, now: float) -> None:
        """End a process that has been silent for too long; it is asked first to log where it hangs."""
        if process.condemned:
            self._end(signal.SIGKILL, [process.pid])
        elif now - process.heard > self.silence:
            name, silent = process.role.name, now - process.heard
            log.error("%s (process %d) has hung for %.0f s and is ended", name, process.pid, silent)
            self._end(signal.SIGUSR1, [process.pid])
            process.condemned = True

    def _switch(self) -> None:
        """The new workers serve: the old ones take no more connections and finish what they have."""
        old, self._current, self._coming = self._current, self._coming, []
        leaving = len(self.leaving) + sum(process.pid > 0 for process in old)
        if leaving:
            log.info("new workers serve, %d old ones finish", leaving)
        self._dismiss(old)

    def _dismiss(self, processes: list[_Process]) -> None:
        """Ask these, and those of the program before, to finish and end."""
        self.leaving += [process.pid for process in processes if process.pid]
        for process in processes:
            self._close(process)
        self._end(signal.SIGTERM, self.leaving)
        self._left = time.monotonic()

    # --- processes -------------------------------------------------------------------------------------------------

    @property
    def _all(self) -> tuple[_Process, ...]:
        return (*self._companions, *self._current, *self._coming)

    def _known(self) -> set[int]:
        return {*self._inherited, *self.leaving, *(process.pid for process in self._all)}

    def _start(self, process: _Process) -> None:
        process.started = time.monotonic()
        try:
            if isinstance(process.role, Program):
                process.pid = process.role.spawn()
            else:
                self._fork(process, process.role)
        except Exception as error:  # no room for a process, or none for its files: that may pass
            reason = explain(error) if isinstance(error, OSError) else error
            log.error("%s could not be started: %s", process.role.name, reason)
            self._put_off(process)

    def _fork(self, process: _Process, role: Role) -> None:
        read, write = os.pipe()
        try:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):  # a terminal that was closed
                    stream.flush()
            arrange = child_of_this_process(signal.SIGTERM)
            pid = os.fork()
        except OSError:
            os.close(read)
            os.close(write)
            raise
        if pid == 0:
            os.close(read)
            _become(role, write, self._gate[0], arrange)
        os.close(write)
        process.pid, process.pipe, process.heard = pid, read, process.started + START_LIMIT

    @staticmethod
    def _put_off(process: _Process) -> None:
        """Start it again: at once if it ran for a while, else after a pause that grows."""
        now = time.monotonic()
        process.pause = 0.0 if now - process.started > STEADY else min(LONGEST_PAUSE, process.pause * 2 or 1.0)
        process.due = now + (process.pause if process.pause > 1 or not process.ready else 0)
        process.pid, process.ready, process.condemned = 0, False, False

    @staticmethod
    def _close(process: _Process) -> None:
        if process.pipe >= 0:
            os.close(process.pipe)
            process.pipe = -1

    @staticmethod
    def _end(number: int, pids: Iterable[int]) -> None:
        for pid in pids:
            if pid:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def _collect(self) -> None:
        """Hear of every child that has ended: also of those that were orphans, or they would stay as zombies."""
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self._ended[found[0]] = found[1]

    def _has_ended(self, pid: int) -> bool:
        return pid in self._ended or not is_alive(pid)

    def _stop(self, number: int) -> None:
        """End the workers, then what runs beside them, then what those have left. Programs are their starter's."""
        self.on_stop()
        workers = [process.pid for process in (*self._current, *self._coming) if process.pid]
        self._end_all(number, [*workers, *self.leaving])
        roles = [process.pid for process in self._companions if process.pid and isinstance(process.role, Role)]
        self._end_all(signal.SIGTERM, roles)
        programs = {process.pid for process in self._companions if isinstance(process.role, Program)}
        deadline = time.monotonic() + STOP_LIMIT
        # Again and again, for whoever ends leaves its own children.
        while (left := children(os.getpid()) - programs - self._inherited) and time.monotonic() < deadline:
            self._end(signal.SIGKILL, left)
            self._sleep_until_child()
            self._collect()

    def _end_all(self, number: int, pids: list[int]) -> None:
        """Ask, wait, and kill what does not end in time; it is asked first to log where it hangs."""
        self._end(number, pids)
        deadline, told = time.monotonic() + STOP_LIMIT, False
        self._collect()
        while pids := [pid for pid in pids if not self._has_ended(pid)]:
            if any(again == signal.SIGINT for again in self._signals):  # a second Ctrl-C: at once
                deadline, told = 0.0, True
            if time.monotonic() > deadline:
                if not told:
                    names = ", ".join(f"{self._name(pid)} (process {pid})" for pid in pids)
                    log.error("asked to end %.0f s ago and still there, killed now: %s", STOP_LIMIT, names)
                    self._end(signal.SIGUSR1, pids)
                    deadline, told = time.monotonic() + LAST_WORDS, True
                else:
                    self._end(signal.SIGKILL, pids)
                    deadline = float("inf")
            self._sleep_until_child()
            self._collect()

    def _name(self, pid: int) -> str:
        known = (*self._current, *self._coming, *self._companions)
        return next((process.role.name for process in known if process.pid == pid), "worker")

    def _sleep_until_child(self) -> None:
        select.select([self._wake[0]], [], [], 0.1)
        with suppress(BlockingIOError):
            os.read(self._wake[0], 4096)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signals.append(number)


def _become(role: Role, pipe: int, gate: int, arrange: Callable[[], None] | None) -> NoReturn:
    """Be the process of a role: what ends it must never return into the supervisor's code."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        with suppress(OSError, ValueError, RuntimeError):  # no standard error to write to
            faulthandler.register(signal.SIGUSR1)  # says where it hangs
        os.setsid()  # a terminal's Ctrl-C is for the supervisor
        if arrange is not None:
            arrange()
        os.set_blocking(pipe, False)
        status = role.run(Lifeline(pipe, gate))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:
        status = 0
    except OSError as error:
        log.error("%s failed: %s", role.name, explain(error), exc_info=log.isEnabledFor(logging.DEBUG))
    except BaseException:
        log.exception("%s failed", role.name)
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _how(status: int | None) -> str:
    """How a process ended, in words.

    >>> _how(9), _how(256), _how(None)
    ('was ended by SIGKILL', 'ended with status 1', 'ended')
    """
    if status is None:
        return "ended"
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended with status {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
