"""Serves one function in this process: `python -m functions_runner.runner NAME --port 8080`.

In: a function's folder. Out: HTTP on a socket, where every path reaches the function, except
`GET /_internal/health`. The process stops gracefully on SIGTERM. It knows nothing of the gateway, so the same folder
runs alone in a container.

A fault of the function is answered in the platform's words, with `x-function-fault` naming it: WORKER_ERROR (500) for
an uncaught exception, IDLE_TIMEOUT (504) when nothing was answered in time, WORKER_LIMIT (546) for memory; the
process ends by signal when processor time runs out, which nothing inside it can prevent.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import logging
import os
import signal
import socket
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.websockets import WebSocket

from functions_runner import logs, types
from functions_runner.replies import adapt
from functions_runner.types import (
    EXIT_BOOT,
    EXIT_MEMORY,
    FAULT_HEADER,
    App,
    FunctionConfig,
    FunctionError,
    FunctionLoadError,
    Receive,
    Send,
)

Handle = Callable[[Any], Any]

HEALTH: Final = "/_internal/health"
ENTRIES: Final = ("handle", "handler")
GRACE: Final = 10  # seconds for requests in flight when the process is asked to stop

FAULTS: Final[Mapping[str, tuple[int, str]]] = {
    "WORKER_ERROR": (500, "Function exited due to an error (please check logs)"),
    "BOOT_ERROR": (503, "Function failed to start (please check logs)"),
    "IDLE_TIMEOUT": (504, "Function did not respond in time"),
    "WORKER_LIMIT": (546, "Worker failed to respond due to a resource limit (please check logs)"),
}

log = logging.getLogger("functions.runner")


class Loaded:
    """A function's module with what it exports: `handle(request)`, or an ASGI `app`; and maybe `websocket(ws)`."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.handle: Handle | None = next(
            (entry for label in ENTRIES if callable(entry := getattr(module, label, None))), None
        )
        self.app: App | None = getattr(module, "app", None)
        self.websocket: Callable[[WebSocket], Awaitable[None]] | None = getattr(module, "websocket", None)
        if self.handle is None and not callable(self.app):
            found = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            listing = f"; it has {', '.join(sorted(found))}" if found else ""
            raise FunctionLoadError(name, f"main.py has neither `async def handle(request)` nor an ASGI `app`{listing}")


def load(config: FunctionConfig) -> Loaded:
    """A function, imported afresh. Raises FunctionLoadError with the traceback."""
    return Loaded(config.name, load_module(config))


def load_module(config: FunctionConfig) -> ModuleType:
    """A function's module, imported afresh. Raises FunctionLoadError with the traceback.

    `functions.shared` is the folder beside the function, so that a deployed version brings its own.
    """
    for name in [name for name in sys.modules if name.split(".")[0] == "functions"]:
        del sys.modules[name]
    sys.modules["functions"] = _package(config.root)
    folder = str(config.folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    path = config.folder / config.entry
    name = f"function_{config.name.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FunctionLoadError(config.name, f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an import may also call sys.exit
        raise FunctionLoadError(config.name, _report(error, path)) from error
    return module


def _package(root: Path) -> ModuleType:
    """The package `functions` as a function sees it: what lies beside it, and two modules of this package.

    Up to version 0.6 this package was called so itself, and functions took what they needed of it by that name.
    """
    package = ModuleType("functions")
    package.__path__ = [str(root)]
    for module in (types, logs):
        name = module.__name__.rpartition(".")[2]
        sys.modules[f"functions.{name}"] = module
        setattr(package, name, module)
    return package


def _report(error: BaseException, path: Path) -> str:
    """The traceback from the function's own first line on; import machinery above it helps nobody."""
    trace = traceback.TracebackException.from_exception(error)
    own = [index for index, frame in enumerate(trace.stack) if frame.filename == str(path)]
    if own:
        del trace.stack[: own[0]]
    else:
        trace.stack.clear()
    return "".join(trace.format()).rstrip()


class Runner:
    """The ASGI application of one function."""

    def __init__(self, config: FunctionConfig, current: Callable[[], Loaded], clock: Clock | None = None) -> None:
        """`current` gives the handler to use now; `clock` limits processor time between answers."""
        self._config = config
        self._current = current
        self._clock = clock or Clock(0)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "http":
            if scope["path"] == HEALTH:
                await _send_json(send, 200, {"message": "ok"}, {})
                return
            await self._http(scope, receive, send)
        elif kind == "websocket":
            await self._websocket(scope, receive, send)

    async def _http(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        token = logs.request_id.set(_request_id(scope))
        self._clock.start()
        try:
            fault = await self._run(scope, receive, watched, lambda: started)
            if fault is None:
                return
            if not started:
                status, message = FAULTS[fault]
                content = {"code": fault, "message": message, **dict(self._config.fallback)}
                await _send_json(send, status, content, {FAULT_HEADER: fault})
            if fault == "WORKER_LIMIT":
                self._end(EXIT_MEMORY)
            elif started:
                # The reply is cut short: closing the connection is the only way left to say so.
                raise _CutShort
        finally:
            self._clock.stop()
            logs.request_id.reset(token)

    async def _run(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send, started: Callable[[], bool]
    ) -> str | None:
        """Run the function and send its reply; the platform code when it failed."""
        limit = asyncio.timeout(self._config.timeout)
        try:
            loaded = self._current()
            if loaded.handle is None:
                assert loaded.app is not None
                async with limit:
                    await loaded.app(scope, receive, _relaxed(send, limit))
                return None
            async with limit:
                response = adapt(await _call(loaded.handle, Request(scope, receive, send)))
            await response(scope, receive, send)
        except ClientDisconnect:
            return None
        except FunctionLoadError as error:
            print(error, file=sys.stderr)
            return "BOOT_ERROR"
        except MemoryError:
            print("out of memory", file=sys.stderr)
            return "WORKER_LIMIT"
        except asyncio.CancelledError:
            raise
        except (Exception, SystemExit) as error:
            if limit.expired() and not started():
                print(f"no answer within {self._config.timeout:g} s", file=sys.stderr)
                return "IDLE_TIMEOUT"
            print(_report(error, self._config.folder / self._config.entry), file=sys.stderr)
            return "WORKER_ERROR"
        return None

    async def _websocket(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        token = logs.request_id.set(_request_id(scope))
        try:
            loaded = self._current()
            if loaded.websocket is not None:
                await loaded.websocket(WebSocket(scope, receive, send))
            elif loaded.app is not None:
                await loaded.app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1003})
        except (Exception, SystemExit) as error:
            print(_report(error, self._config.folder / self._config.entry), file=sys.stderr)
            with suppress(Exception):
                await send({"type": "websocket.close", "code": 1011})
        finally:
            logs.request_id.reset(token)

    @staticmethod
    def _end(code: int) -> None:
        """Leave once the answer is on its way; a process short of memory cannot be trusted with another request."""
        loop = asyncio.get_running_loop()
        loop.call_later(0.05, os._exit, code)


class _CutShort(Exception):
    """Ends a reply whose body cannot be finished."""


class Clock:
    """Ends the process by SIGPROF once it has used `limit` seconds of processor time without finishing an answer.

    The kernel counts and kills, so a loop that never yields, in Python or in C, ends all the same.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit if hasattr(signal, "setitimer") else 0
        self._open = 0

    def start(self) -> None:
        self._open += 1
        if self._open == 1:
            self._set(self._limit)

    def stop(self) -> None:
        self._open -= 1
        self._set(self._limit if self._open else 0)

    def _set(self, seconds: float) -> None:
        if self._limit:
            signal.setitimer(signal.ITIMER_PROF, seconds)


async def _call(handle: Handle, request: Request) -> Any:
    if inspect.iscoroutinefunction(handle):
        return await handle(request)
    if inspect.isasyncgenfunction(handle):
        return handle(request)
    reply = await asyncio.to_thread(handle, request)
    return await reply if isinstance(reply, Awaitable) else reply


def _relaxed(send: Send, limit: asyncio.Timeout) -> Send:
    """Lifts the time limit at the first byte of the answer."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        limit.reschedule(None)
        await send(message)

    return sending


def _request_id(scope: MutableMapping[str, Any]) -> str | None:
    for key, value in scope["headers"]:
        if key == b"x-request-id":
            return str(value, "latin-1")
    return None


async def _send_json(send: Send, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    raw = json.dumps(body).encode()
    fields = {
        "content-type": "application/json",
        "content-length": str(len(raw)),
        "access-control-allow-origin": "*",
        **headers,
    }
    pairs = [(key.encode(), value.encode()) for key, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": raw})


# --- serving ---------------------------------------------------------------------------------------------------------


class Server(uvicorn.Server):
    """uvicorn that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _protocol() -> Any:
    """uvicorn's, in which memory that ends within a body is the function's limit and not bytes that are no HTTP."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:  # an interpreter of the function's own may do without
        return "auto"

    class Protocol(HttpToolsProtocol):
        def on_body(self, body: bytes) -> None:
            try:
                super().on_body(body)
            except MemoryError:
                os._exit(EXIT_MEMORY)

    return Protocol


class WebSockets(asyncio.Protocol):
    """uvicorn's, imported at the first of them: a tenth of the start of a function with packages of its own."""

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

        return WebSocketsSansIOProtocol(*arguments, **named)


def serve(app: App, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; requests in flight finish first."""
    config = uvicorn.Config(
        app,
        loop="auto",
        http=_protocol(),
        ws=WebSockets,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=3600,
        timeout_graceful_shutdown=GRACE,
    )
    # uvicorn raises the signal again once it has shut down; being asked to stop is no failure
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = Server(config, ready)
    with suppress(KeyboardInterrupt, SystemExit):
        server.run(sockets=[listener])


def main(argv: list[str] | None = None) -> int:
    """Serve one function alone: `python -m functions_runner.runner NAME [--host ADDRESS] [--port N] [--reload]`."""
    import argparse

    from functions_runner import registry

    parser = argparse.ArgumentParser(prog="functions_runner.runner", description="Serve one function alone.")
    parser.add_argument("name", nargs="?", default=os.environ.get("FUNCTION"), help="default: $FUNCTION")
    parser.add_argument("--dir", type=Path, default=registry.FOLDER, help="folder of functions")
    parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8080")))
    parser.add_argument("--reload", action="store_true", help="take up changed files at the next request")
    parser.add_argument("--debug", type=int, metavar="PORT", help="open a port for a debugger")
    parser.add_argument("--wait", action="store_true", help="wait for the debugger")
    parser.add_argument("--check", action="store_true", help="only see whether it loads")
    options = parser.parse_args(argv)
    try:
        config = registry.find(options.name or "", options.dir.resolve())
        if options.check:
            load(config)
            return 0
        if options.debug:
            config = debugged(config, options.debug, wait=options.wait)
        return run_alone(config, options.host, options.port, reload=options.reload)
    except FunctionError as error:
        print(error, file=sys.stderr)
        return 2


def main_elsewhere() -> int:
    """As `main`, in an interpreter with packages of the function's own, whose first argument says where this one is."""
    return main(sys.argv[2:])


def debugged(config: FunctionConfig, port: int, *, wait: bool) -> FunctionConfig:
    """Open debugpy's port here; who stands at a breakpoint has all the time there is. Raises FunctionError."""
    try:
        debugpy = importlib.import_module("debugpy")
    except ImportError as error:
        raise FunctionError(
            f"--debug needs the package debugpy: name it among the packages of {config.name}, or pip install debugpy"
        ) from error
    debugpy.listen(("127.0.0.1", port))
    print(f"a debugger may attach to 127.0.0.1:{port}", file=sys.stderr)
    if wait:
        debugpy.wait_for_client()
    return replace(config, timeout=86_400.0, cpu=0.0)


def run_alone(config: FunctionConfig, host: str, port: int, *, reload: bool = False) -> int:
    """Serve one function on a port until told to stop; the exit code."""
    source = Source(config, reload=reload)
    try:
        source()
    except FunctionLoadError as error:
        print(error, file=sys.stderr)
        return EXIT_BOOT
    try:
        listener = socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        print(f"cannot listen on {host}:{port}: {error.strerror}", file=sys.stderr)
        return 1
    address = f"http://{host}:{listener.getsockname()[1]}/{config.name}"
    serve(Runner(config, source, Clock(config.cpu)), listener, lambda: print(f"{config.name} on {address}", flush=True))
    return 0


class Source:
    """The current handler; with `reload` a changed file is taken up at the next request.

    A version that fails to load leaves the one before it in service, and its traceback is printed once.
    """

    def __init__(self, config: FunctionConfig, *, reload: bool) -> None:
        self._config = config
        self._reload = reload
        self._loaded: Loaded | None = None
        self._seen: object = None

    def __call__(self) -> Loaded:
        if self._loaded is not None and not self._reload:
            return self._loaded
        from functions_runner import registry

        seen = registry.fingerprint(self._config)
        if self._loaded is None or seen != self._seen:
            self._seen = seen
            try:
                self._loaded = load(self._config)
            except FunctionLoadError as error:
                if self._loaded is None:
                    raise
                print(f"{error}\nthe version before goes on serving", file=sys.stderr)
        return self._loaded


if __name__ == "__main__":
    sys.exit(main())
