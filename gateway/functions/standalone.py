"""All functions on a port without the rest of the gateway: `functions serve`."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from gateway.functions.children import look_how_functions_are_kept
from gateway.functions.environment import injected
from gateway.functions.invocations import Invocation
from gateway.functions.service import FunctionsService
from gateway.http.messages import App, Receive, Scope, Send
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.server.http_server import PortInUse, listen, serve
from gateway.server.lifespan import run_lifespan
from gateway.server.log_rotation import Rotation
from gateway.settings import Settings, SettingsError

MOST: Final = 1_000_000  # bytes of a log that are shown at once


def serve_all(root: Path, host: str, port: int, *, reload: bool) -> int:
    """Serve every function of a folder under the settings' prefix until told to stop; the exit code."""
    try:
        settings = Settings.load(functions_dir=root, functions_reload=reload)
        keys = KeyRing.load(settings)
        bound = listen(host, port)
    except (SettingsError, ValueError, PortInUse) as error:
        print(f"functions: {error}", file=sys.stderr)
        return 1
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(message)s", stream=sys.stderr)
    look_how_functions_are_kept()()
    address = f"http://{host}:{bound.getsockname()[1]}"
    # functions reach their data on the gateway, which listens where the settings say
    service = FunctionsService(
        settings,
        lambda: {**injected(settings, keys), **_gateway_here(settings)},
        Authenticator(replace(settings), keys).claims,
    )
    service.on_call = lambda call: print(_line(call), file=sys.stderr, flush=True)
    printed = Printed(service.logs)
    ready = f"functions on {address}{settings.functions_prefix}/NAME: {', '.join(service.names())}"
    rotation = Rotation(settings.data_dir, settings.log_max_bytes, settings.log_max_age)
    app = _app(service, settings.functions_prefix)

    def beat() -> None:
        rotation.look(time.monotonic())
        for line in printed.lines():
            print(line, file=sys.stderr, flush=True)

    served = serve(app, bound, lambda: print(ready, flush=True), beat=beat)
    beat()
    return 0 if served else 1


class Printed:
    """What functions print from now on, tracebacks included, for the terminal that serves them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = {path.name: path.stat().st_size for path in folder.glob("*.log")}

    def lines(self) -> Iterator[str]:
        """New whole lines of every function, `NAME | text`."""
        for path in sorted(self._folder.glob("*.log")):
            if path.name.endswith(".1.log"):
                continue
            with suppress(OSError):
                yield from self._of(path)

    def _of(self, path: Path) -> Iterator[str]:
        size, begin = path.stat().st_size, self._read.get(path.name, 0)
        if size < begin:  # renamed away, as it was long
            begin = 0
        if size == begin:
            return
        with path.open("rb") as file:
            file.seek(begin)
            data = file.read(MOST)
        whole = data[: data.rfind(b"\n") + 1]
        self._read[path.name] = begin + len(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            try:
                text = json.loads(line)["text"]
            except (ValueError, TypeError, KeyError):
                text = line
            yield f"{path.stem} | {text}"


def _line(call: Invocation) -> str:
    fault = f" {call.fault}" if call.fault else ""
    return f"{call.function} > {call.method} {call.path} {call.status} in {call.ms:g} ms{fault}"


def _gateway_here(settings: Settings) -> dict[str, str]:
    """Where the gateway of this data folder is, if one runs: the settings may name another's port."""
    try:
        note = json.loads((settings.data_dir / "serving.json").read_text())
        os.kill(note["pid"], 0)
        return {"SUPABASE_URL": f"http://127.0.0.1:{note['port']}"} if not settings.unix_socket else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _app(service: FunctionsService, prefix: str) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await run_lifespan(service.start, service.stop, receive, send)
            return
        path = scope["path"]
        raw: bytes = scope.get("raw_path") or path.encode()
        if path.startswith(prefix):
            path, raw = path[len(prefix) :], raw[len(prefix) :]
        headers = list(scope["headers"])
        if not any(name == b"x-request-id" for name, _ in headers):
            headers.append((b"x-request-id", f"{time.monotonic_ns():x}".encode()))
        await service({**scope, "path": path or "/", "raw_path": raw or b"/", "headers": headers}, receive, send)

    return app
