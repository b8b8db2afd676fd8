"""Starts function processes and hears how they end.

On Linux one process, the forkserver, forks them (`functions_runner.forkserver`), each under a first process of its own
(`functions_runner.init`), which is the one known here and takes everything the function started with it. Elsewhere a
function is started by itself (`functions_runner.process`). It ends with the gateway either way, be that killed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import functions_runner
from functions_runner import confinement, namespaces
from functions_runner.process import Launch

log = logging.getLogger("gateway.functions")

FORKS: Final = sys.platform == "linux"
MESSAGE_LIMIT: Final = 4096  # bytes of one notice from the forkserver
KILL_AFTER: Final = 2.0  # seconds


class BootFailed(Exception):
    """The process did not come up; `report` is its traceback or the reason."""

    def __init__(self, report: str, code: int = 1) -> None:
        super().__init__(report)
        self.report = report
        self.code = code


class Child:
    """One function process. `exited` resolves to its exit code, negative for a signal."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if not self.exited.done():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process and everything it started, at once."""
        # The first process hears this and reports how the function ended; one that hears nothing is ended itself.
        self.signal(signal.SIGQUIT if FORKS else signal.SIGKILL)
        asyncio.get_running_loop().call_later(KILL_AFTER, self.signal, signal.SIGKILL)

    def end(self, code: int) -> None:
        """Note how the process ended."""
        if not self.exited.done():
            self.exited.set_result(code)


class Children:
    """Starts processes; one of these in each gateway process."""

    def __init__(self) -> None:
        self._forkserver: _Forkserver | None = None
        self._spawned: set[asyncio.Task[None]] = set()

    def warm(self) -> None:
        """Start the forkserver ahead of the first function."""
        if FORKS and (self._forkserver is None or self._forkserver.closed):
            self._forkserver = _Forkserver()

    async def launch(self, launch: Launch, timeout: float) -> Child:
        """Start a process and wait until it serves. Raises BootFailed."""
        read, write = os.pipe()
        try:
            if FORKS:
                self.warm()
                assert self._forkserver is not None
                child = await self._forkserver.fork(launch, write)
            else:
                child = self._spawn(launch, write)
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        try:
            raw = await asyncio.wait_for(_read_pipe(read), timeout)
        except BaseException as error:
            child.kill()
            if isinstance(error, TimeoutError):
                raise BootFailed(f"the module did not load within {timeout:g} s") from None
            raise
        answer = json.loads(raw) if raw else {}
        if not answer.get("ready"):
            code = await _soon(child.exited)
            report = answer.get("error") or f"the process ended while loading ({describe(code)})"
            raise BootFailed(report, code)
        return child

    async def close(self) -> None:
        """End the forkserver and with it whatever it forked."""
        if self._forkserver is not None:
            await self._forkserver.close()
        for task in tuple(self._spawned):
            task.cancel()
        await asyncio.gather(*self._spawned, return_exceptions=True)

    def _spawn(self, launch: Launch, write: int) -> Child:
        process = subprocess.Popen(
            [launch.python or sys.executable, "-m", "functions_runner.process", str(write)],
            stdin=subprocess.PIPE,
            env=_environment(),
            pass_fds=(write,),
        )
        assert process.stdin is not None
        process.stdin.write(launch.to_json() + b"\n")
        process.stdin.flush()
        child = Child(process.pid)

        async def watch() -> None:
            try:
                child.end(await asyncio.to_thread(process.wait))
            finally:
                process.kill()
                with suppress(OSError):
                    process.stdin.close()  # type: ignore[union-attr]

        task = asyncio.get_running_loop().create_task(watch())
        self._spawned.add(task)
        task.add_done_callback(self._spawned.discard)
        return child


class _Forkserver:
    """The forking process and the socket to it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "functions_runner.forkserver"],
                stdin=theirs.fileno(),
                env=_environment(),
                start_new_session=True,
            )
        self._control.setblocking(False)
        self._launches: dict[int, asyncio.Future[Child]] = {}
        self._children: dict[int, Child] = {}
        self._counter = 0
        self.closed = False
        self._loop.add_reader(self._control.fileno(), self._on_readable)

    async def fork(self, launch: Launch, ready: int) -> Child:
        """Fork one process. Raises BootFailed."""
        self._counter += 1
        number = self._counter
        future: asyncio.Future[Child] = self._loop.create_future()
        self._launches[number] = future
        message = json.dumps({"launch": number}).encode()
        try:
            with os.fdopen(os.memfd_create("launch"), "wb+", buffering=0) as content:
                content.write(launch.to_json())
                content.seek(0)
                socket.send_fds(self._control, [message], [ready, content.fileno()])
            return await future
        except OSError as error:
            raise BootFailed(f"the process cannot be started: {error}") from error
        finally:
            self._launches.pop(number, None)

    def _on_readable(self) -> None:
        while not self.closed:
            try:
                raw = self._control.recv(MESSAGE_LIMIT)
            except BlockingIOError:
                return
            except OSError:
                raw = b""
            if not raw:
                self._lost()
                return
            self._hear(json.loads(raw))

    def _hear(self, notice: dict[str, Any]) -> None:
        if "launch" in notice:
            pid = notice["pid"]
            future = self._launches.get(notice["launch"])
            if not pid:
                if future is not None and not future.done():
                    future.set_exception(BootFailed("the process cannot be started"))
                return
            child = self._children[pid] = Child(pid)
            if future is not None and not future.done():
                future.set_result(child)
            else:
                child.kill()
        elif "exit" in notice:
            ended = self._children.pop(notice["exit"], None)
            if ended is not None:
                ended.end(notice["status"])

    def _lost(self) -> None:
        """The forkserver ended: the kernel ends its children with it."""
        if self.closed:
            return
        self.closed = True
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        for child in self._children.values():
            child.end(-signal.SIGKILL)
        self._children.clear()
        for future in self._launches.values():
            if not future.done():
                future.set_exception(BootFailed("the process that starts functions ended"))

    async def close(self) -> None:
        """Stop the forkserver; returns when it is gone."""
        self._lost()
        try:
            await asyncio.wait_for(asyncio.to_thread(self._process.wait, 5), 6)
        except (TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


def look_how_functions_are_kept() -> Callable[[], None]:
    """Close this process's memory to its user's others, and find what keeps functions apart here: logs it when called.

    Before the first thread, and before any fork that is to be closed as well.
    """
    found = confinement.survey()
    namespaces.hide_memory()
    return lambda: log.log(logging.INFO if found.is_whole else logging.WARNING, "%s", found.describe())


def describe(code: int) -> str:
    """An exit code in words.

    >>> describe(-9), describe(3)
    ('signal SIGKILL', 'exit code 3')
    """
    if code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def _environment() -> dict[str, str]:
    """What a starting interpreter needs and nothing of the gateway's own settings."""
    package = str(Path(functions_runner.__file__).resolve().parent.parent)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONPATH": package, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""}


async def _soon(exited: asyncio.Future[int]) -> int:
    """The exit code of a process that is about to end."""
    try:
        return await asyncio.wait_for(asyncio.shield(exited), 2)
    except TimeoutError:
        return 1


async def _read_pipe(descriptor: int) -> bytes:
    """One line of a pipe, or what came until its end; closes the descriptor."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()
    chunks: list[bytes] = []

    def readable() -> None:
        data = os.read(descriptor, 65_536)
        chunks.append(data)
        if (not data or data.endswith(b"\n")) and not done.done():
            done.set_result(b"".join(chunks))

    loop.add_reader(descriptor, readable)
    try:
        return await done
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
