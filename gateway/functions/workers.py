"""One worker per function: its process is started at the first call, kept warm, replaced by a new version, stopped
when idle, and killed when it goes over a limit.

A process is replaced without a failed call: the new one must be up before it takes calls, and the old one finishes
what it has. A version that does not come up leaves the one before it in service, but in development, where whoever
saved it is told what is wrong with it. Each call asks which version is
deployed, so that once a deploy was answered no process, of whichever worker, answers with the version before.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import functions_runner
import orjson
from functions_runner import deno, registry
from functions_runner.environments import Environments
from functions_runner.installing import InstallFailed
from functions_runner.logs import LogFile, Redactor, timestamp
from functions_runner.process import Launch
from functions_runner.types import EXIT_MEMORY, FunctionConfig, FunctionConfigError, FunctionError, FunctionUnknown

from gateway.errors import ApiError
from gateway.functions.children import BootFailed, Child, Children, describe
from gateway.functions.environment import build
from gateway.functions.errors import BOOT_ERROR, BROKEN, BUSY, INSTALLING, NOT_FOUND, STOPPING
from gateway.functions.unprivileged_user import hand_over, let_read, unprivileged_user
from gateway.functions.uploads import Uploads
from gateway.functions.upstream import Upstream
from gateway.functions.versions import Stamp

log = logging.getLogger("gateway.functions")

BOOT_TIMEOUT: Final = 30.0  # seconds
RETRY_BOOT: Final = 3.0  # seconds before a version that did not start is tried again
CHECK_FILES: Final = 0.5  # seconds between looks at a function's files
STOP: Final = 15.0  # seconds that a process which was asked to stop may take; it waits for its own work for ten
FINISH: Final = 5.0  # seconds that calls of a failing process have to finish in
SWITCHES: Final = 5  # versions that one call waits for, each deployed while the one before was starting
WAITING: Final = 8  # calls that may wait for each one that may run
# What every function imports from: the runner, the packages and the interpreter.
CODE: Final = (Path(functions_runner.__file__).resolve().parent, Path(sys.prefix), Path(sys.base_prefix))


Served = tuple[Stamp, int, Stamp]


class Instance:
    """One running process of a function."""

    def __init__(self, config: FunctionConfig, version: str, served: Served, child: Child, upstream: Upstream) -> None:
        """`served` says what was to be served when it was started."""
        self.config = config
        self.version = version
        self.served = served
        self.child = child
        self.upstream = upstream
        self.calls = 0
        self.retired = False
        self.used = time.monotonic()

    @property
    def alive(self) -> bool:
        return not self.child.exited.done()

    def retire(self, within: float | None = None) -> None:
        """Take no more calls and stop when the last one has finished, or `within` seconds whatever they do."""
        if self.retired:
            return
        self.retired = True
        if within is not None:
            asyncio.get_running_loop().call_later(within, self.child.kill)
        self._stop_if_done(at_once=within is not None)

    def finished(self) -> None:
        """A call has ended."""
        self.calls -= 1
        self.used = time.monotonic()
        if self.retired:
            self._stop_if_done()

    def _stop_if_done(self, *, at_once: bool = False) -> None:
        if self.calls == 0:
            self.upstream.close()
            if at_once:
                self.child.kill()
            else:
                self.child.signal(signal.SIGTERM)
                asyncio.get_running_loop().call_later(STOP, self.child.kill)

    async def hit_limit(self) -> bool:
        """Whether the process ended because of a limit, after waiting a moment for it to end."""
        with suppress(TimeoutError):
            code = await asyncio.wait_for(asyncio.shield(self.child.exited), 2)
            return code in (EXIT_MEMORY, -signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL)
        return False


class Worker:
    """The processes of one function and the calls that wait for them."""

    def __init__(self, name: str, home: Home) -> None:
        self.name = name
        self._home = home
        self._current: Instance | None = None
        self._booting: asyncio.Task[Instance] | None = None
        self._failed: tuple[Served, object, float] | None = None
        self._broken = ""  # in development, what is wrong with the files as they are
        self._seen: object = None
        self._checked = 0.0
        self._running = 0
        self._waiting: list[asyncio.Future[None]] = []
        self.uploads = Uploads()

    @asynccontextmanager
    async def instance(self) -> AsyncIterator[Instance]:
        """A process to call, for as long as the call lasts. Raises ApiError."""
        await self._enter()
        try:
            instance = await self._ready()
            instance.calls += 1
            try:
                yield instance
            finally:
                instance.finished()
        finally:
            self._leave()

    async def start_aside(self, config: FunctionConfig) -> Instance:
        """Start a version that takes no calls yet. Raises BootFailed, ApiError."""
        try:
            return await self._home.start(config, self._home.served(self.name))
        except BootFailed as error:
            self._say_failed(error)
            raise

    def adopt(self, instance: Instance, stamp: Stamp) -> None:
        """Have a process that was started aside take the calls from now on; `stamp` is of the switch to its version."""
        instance.served = (stamp, *instance.served[1:])
        self._seen = registry.fingerprint(instance.config)
        self._failed, self._broken = None, ""
        self._replace(instance)

    def retire(self, within: float | None = None) -> None:
        """Stop the process when its calls have finished."""
        if self._current is not None:
            self._current.retire(within)
            self._current = None

    def retire_if_idle(self, now: float) -> None:
        """Stop a process that nobody has called for a while."""
        current = self._current
        if current is not None and current.calls == 0 and now - current.used > current.config.idle:
            self.retire()

    @property
    def pid(self) -> int | None:
        """Process id of the one that takes calls."""
        return self._current.child.pid if self._current is not None and self._current.alive else None

    @property
    def version(self) -> str | None:
        """Version of the process that takes calls."""
        return self._current.version if self._current is not None and self._current.alive else None

    # --- calls at once -------------------------------------------------------------------------------------------

    async def _enter(self) -> None:
        limit = self._home.config(self.name).concurrency if self._current is None else self._current.config.concurrency
        if self._running < limit:
            self._running += 1
            return
        if len(self._waiting) >= limit * WAITING:
            raise ApiError(BUSY)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait_for(asyncio.shield(turn), self._home.config(self.name).timeout)
        except BaseException as error:
            if turn.done():
                self._leave()
            else:
                self._waiting.remove(turn)
            if isinstance(error, TimeoutError):
                raise ApiError(BUSY) from None
            raise

    def _leave(self) -> None:
        while self._waiting:
            turn = self._waiting.pop(0)
            if not turn.done():
                turn.set_result(None)  # the place passes on
                return
        self._running -= 1

    # --- processes -----------------------------------------------------------------------------------------------

    async def _ready(self) -> Instance:
        for _ in range(SWITCHES):
            current = self._current
            if current is None or not current.alive or current.retired:
                instance = await self._first()
            elif self._is_stale(current):
                try:
                    instance = await self._boot()
                except BootFailed as error:
                    if self._home.reload and self._home.served(self.name)[0] is None:
                        raise ApiError(BROKEN, report=error.report) from error
                    return current
            elif self._broken:
                raise ApiError(BROKEN, report=self._broken)
            else:
                return current
            # It may have been on its way while another version was deployed.
            if instance.served == self._home.served(self.name):
                break
        return instance

    def _is_stale(self, current: Instance) -> bool:
        """Whether something else is to be served; a version that has just failed to start is not tried at each call."""
        if self._home.stopping:
            return False
        served = self._home.served(self.name)
        if current.served != served:
            failed = self._failed
            return failed is None or failed[0] != served or time.monotonic() - failed[2] >= RETRY_BOOT
        return self._home.reload and self._changed()

    async def _first(self) -> Instance:
        config = self._home.config(self.name)
        if self._failed is not None:
            served, seen, when = self._failed
            is_recent = time.monotonic() - when < RETRY_BOOT and served == self._home.served(self.name)
            if is_recent and seen == registry.fingerprint(config):
                raise ApiError(BROKEN, report=self._broken) if self._broken else ApiError(BOOT_ERROR)
        try:
            return await self._boot()
        except BootFailed as error:
            row = ApiError(BROKEN, report=error.report) if self._broken else ApiError(BOOT_ERROR)
            raise row from error

    def _changed(self) -> bool:
        now = time.monotonic()
        if now - self._checked < CHECK_FILES:
            return False
        self._checked = now
        try:
            return registry.fingerprint(self._home.config(self.name)) != self._seen
        except OSError:
            return False  # half-written: the next look sees it whole

    async def _boot(self) -> Instance:
        """Start the version on disk, once for all calls that wait for it. Raises BootFailed."""
        if self._booting is None:
            self._booting = asyncio.get_running_loop().create_task(self._boot_new())
            self._booting.add_done_callback(self._booted)
        booting = self._booting
        while not booting.done():
            await asyncio.wait({booting}, timeout=self._home.config(self.name).timeout)
            if not booting.done() and self.name in self._home.installing:
                raise ApiError(INSTALLING)  # it goes on, whoever waits for it
        return await asyncio.shield(booting)

    def _booted(self, task: asyncio.Task[Instance]) -> None:
        self._booting = None
        if not task.cancelled():
            task.exception()  # seen here even when every caller has gone away

    async def _boot_new(self) -> Instance:
        served = self._home.served(self.name)  # before what it stands for is read
        config = self._home.config(self.name)
        self._seen = registry.fingerprint(config)
        try:
            instance = await self._home.start(config, served)
        except BootFailed as error:
            self._failed = (served, self._seen, time.monotonic())
            self._broken = error.report if self._home.reload and served[0] is None else ""
            self._say_failed(error)
            raise
        self._failed, self._broken = None, ""
        self._replace(instance)
        return instance

    def _say_failed(self, error: BootFailed) -> None:
        kept = "; the version before goes on serving" if self._current is not None else ""
        log.error("function %s failed to start%s\n%s", self.name, kept, error.report)

    def _replace(self, instance: Instance) -> None:
        before, self._current = self._current, instance
        if before is not None:
            before.retire()


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a function runs on: an interpreter with its packages (empty for the gateway's own), or Deno."""

    python: str = ""
    script: deno.Script | None = None


class Home:
    """What all workers share: where functions lie, their environment, and how processes are started."""

    def __init__(
        self,
        folders: Callable[[str], FunctionConfig],
        stamps: Callable[[str], Stamp],
        injected: Callable[[], Mapping[str, str]],
        offered: Callable[[FunctionConfig], tuple[Mapping[str, str], Mapping[str, str]]],
        secrets: Callable[[], Stamp],
        children: Children,
        environments: Environments,
        sockets: Path,
        scratch: Path,
        logs: Path,
        hidden: Path,
        *,
        reload: bool,
    ) -> None:
        """`folders(name)` is a function's configuration; raises FunctionUnknown, FunctionConfigError. `stamps(name)`
        changes with the version that is deployed, `secrets()` with the secrets. `offered(config)` is what a function
        may ask for, and what it gets unasked. `hidden` is a folder in which a function may read its code alone."""
        self._folders = folders
        self._stamps = stamps
        self._injected = injected
        self._offered = offered
        self._secrets = secrets
        self._children = children
        self._environments = environments
        self._sockets = sockets
        self._scratch = scratch
        self._logs = logs
        self._hidden = hidden
        self._counter = 0
        self._configs: dict[str, tuple[FunctionConfig, float, Stamp]] = {}
        self._removals: set[asyncio.Future[None]] = set()
        self.reload = reload
        self.installing: set[str] = set()  # functions whose packages are on their way
        self.told = 0  # how often what is injected has changed
        self.stopping = False

    def config(self, name: str) -> FunctionConfig:
        """A function's configuration. Raises ApiError NOT_FOUND, BOOT_ERROR."""
        known = self._configs.get(name)
        now, stamp = time.monotonic(), self._stamps(name)
        if known is not None and known[2] == stamp and (not self.reload or now - known[1] < CHECK_FILES):
            return known[0]
        try:
            config = self._folders(name)
        except FunctionUnknown as error:
            raise ApiError(NOT_FOUND) from error
        except FunctionConfigError as error:
            log.error("%s", error)
            if known is None:
                raise ApiError(BOOT_ERROR) from error
            config = known[0]
        if not config.enabled:
            raise ApiError(NOT_FOUND)
        self._configs[name] = (config, now, stamp)
        return config

    def served(self, name: str) -> Served:
        """What is to be served now: which version, told what of the gateway."""
        return self._stamps(name), self.told, self._secrets()

    async def start(self, config: FunctionConfig, served: Served) -> Instance:
        """Start a process. Raises BootFailed, and ApiError when the gateway is stopping."""
        if self.stopping:
            raise ApiError(STOPPING)
        runtime = await self.prepare(config)
        self._counter += 1
        number = self._counter
        home = self._scratch / f"{number}"
        try:
            env = build(config, self._injected(), *self._offered(config), str(home))
        except FunctionError as error:
            self._note(config.name, "error", f"failed to start: {error}")
            raise BootFailed(str(error)) from error
        home.mkdir(mode=0o700)
        account = unprivileged_user()
        hand_over(home, account)
        folder = config.folder.resolve()
        let_read(folder, folder.parent, *CODE)
        # A script makes its socket by itself, so where it may write; its folder is open to nobody else either.
        path = str(home / "socket" if runtime.script else self._sockets / f"{number}.sock")
        log_path = self._log_file(config.name)
        if runtime.python:
            let_read(Path(runtime.python).parents[1])
        if runtime.script:
            let_read(runtime.script.place)
        launch = Launch(str(folder), path, str(log_path.resolve()), env, account, runtime.python, str(self._hidden))
        if runtime.script:
            whole = replace(config, folder=folder)
            launch = replace(
                launch,
                command=deno.command(runtime.script, whole, str(home), f"unix:{path}"),
                more=deno.variables(runtime.script, config, socket=path),
                readable=[*runtime.script.readable, *deno.beside(whole)],
            )
        version = registry.digest(config)
        started = time.monotonic()
        try:
            child = await self._children.launch(launch, BOOT_TIMEOUT)
        except BaseException:
            _remove(home, path)
            raise
        log.info(
            "function %s version %s up in %.0f ms as process %d",
            config.name,
            version,
            (time.monotonic() - started) * 1000,
            child.pid,
        )
        instance = Instance(config, version, served, child, Upstream(path=path))

        def ended(exited: asyncio.Future[int]) -> None:
            code = exited.result()
            instance.upstream.close()
            if not instance.retired and not self.stopping:
                log.warning("function %s process %d ended: %s", config.name, child.pid, describe(code))
            # It may have left ten thousand files.
            removal = asyncio.get_running_loop().run_in_executor(None, _remove, home, path)
            self._removals.add(removal)
            removal.add_done_callback(self._removals.discard)

        child.exited.add_done_callback(ended)
        return instance

    async def prepare(self, config: FunctionConfig) -> Runtime:
        """What the function runs on, with its packages or modules, which are fetched if need be.

        Raises BootFailed with the reason, which is in the function's log too.
        """
        environments = self._environments

        def say(text: str) -> None:
            log.info("function %s %s", config.name, text)
            self._note(config.name, "info", text)

        self.installing.add(config.name)
        try:
            is_ready = partial(deno.is_ready, environments) if config.is_script else environments.is_ready
            if not await asyncio.to_thread(is_ready, config):
                environments.folder.mkdir(parents=True, exist_ok=True)
                house = environments.house
                let_read(config.folder, config.root, environments.folder, *CODE, *([house] if house else ()))
            if config.is_script:
                return Runtime(script=await asyncio.to_thread(deno.prepare, environments, config, say))
            return Runtime(await asyncio.to_thread(environments.python, config, say))
        except (InstallFailed, FunctionConfigError, OSError) as error:
            self._note(config.name, "error", f"failed to start: {error}")
            raise BootFailed(str(error)) from error
        finally:
            self.installing.discard(config.name)

    def _log_file(self, name: str) -> Path:
        self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._logs / f"{name}.log"

    def _note(self, name: str, level: str, text: str) -> None:
        """A line of the gateway's own in a function's log."""
        lines = LogFile(self._log_file(name), Redactor({}))
        for line in text.splitlines():
            row = {"at": timestamp(time.time()), "level": level, "request": None, "text": line}
            lines.feed(orjson.dumps(row) + b"\n")
        lines.close()


def _remove(home: Path, path: str) -> None:
    """Remove what a process that has ended leaves: its scratch folder and its socket."""
    shutil.rmtree(home, ignore_errors=True)
    with suppress(OSError):
        Path(path).unlink()
