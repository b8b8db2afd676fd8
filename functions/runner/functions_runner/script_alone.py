"""A script on its own: Deno on a port of this machine, without a gateway around it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Thread
from typing import IO, Final

import httpx

from functions_runner import deno, registry
from functions_runner.environments import Environments
from functions_runner.in_process import Answer
from functions_runner.script_watch import MARK
from functions_runner.types import EXIT_BOOT, FunctionConfig, FunctionLoadError

LOOK: Final = 0.5  # seconds between looks for changed files


@contextmanager
def running(
    config: FunctionConfig, environments: Environments, port: int = 0, inspect: tuple[str, ...] = ()
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The script's process and its port, once it listens. Raises FunctionLoadError, InstallFailed."""
    script = deno.prepare(environments, config, lambda text: print(f"{config.name} {text}", file=sys.stderr))
    with tempfile.TemporaryDirectory(prefix="fn-") as scratch:
        words = deno.command(script, config, scratch, "127.0.0.1")
        words[2:2] = inspect
        told = replace(config, timeout=86_400.0) if inspect else config
        env = {**os.environ, "TMPDIR": scratch, **deno.variables(script, told, port=port)}
        process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, cwd=config.folder)
        try:
            assert process.stdout is not None
            listens = _listens(process.stdout)
            if listens is None:
                raise FunctionLoadError(config.name, f"Deno ended with {process.wait()}")
            Thread(target=_copy, args=(process.stdout,), daemon=True).start()
            yield process, listens
        finally:
            process.terminate()
            process.wait()


def call(
    config: FunctionConfig,
    environments: Environments,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    body: bytes,
) -> Answer:
    """Start the script and call it once. Raises FunctionLoadError, InstallFailed."""
    with running(config, environments) as (_, port):
        address = f"http://127.0.0.1:{port}{path}" + (f"?{query}" if query else "")
        response = httpx.request(
            method, address, headers=dict(headers), content=body, timeout=config.wall, trust_env=False
        )
        return Answer(response.status_code, dict(response.headers), response.content)


def serve(
    config: FunctionConfig, environments: Environments, port: int, *, reload: bool, inspect: tuple[str, ...] = ()
) -> int:
    """Serve it until told to stop; the exit code. With `reload` a changed file is a new process."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    while not stopped:
        seen = registry.fingerprint(config)
        try:
            with running(config, environments, port, inspect) as (process, listens):
                print(f"{config.name} on http://127.0.0.1:{listens}/{config.name}", flush=True)
                while not stopped and process.poll() is None:
                    time.sleep(LOOK)
                    if reload and registry.fingerprint(config) != seen:
                        break
                else:
                    if not stopped:
                        return process.returncode or 1
        except FunctionLoadError as error:
            print(error, file=sys.stderr)
            if not reload:
                return EXIT_BOOT
            while not stopped and registry.fingerprint(config) == seen:
                time.sleep(LOOK)
    return 0


def _listens(output: IO[bytes]) -> int | None:
    """The port, once the script says that it listens; None if it ended instead."""
    for line in output:
        if not line.startswith(MARK):
            _show(line)
            continue
        with suppress(ValueError):
            word = json.loads(line[1:])
            if word.get("ready"):
                return int(word["port"])
    return None


def _copy(output: IO[bytes]) -> None:
    for line in output:
        if not line.startswith(MARK):
            _show(line)


def _show(line: bytes) -> None:
    """What a script prints, as its printer meant it."""
    try:
        print(json.loads(line)["text"], file=sys.stderr)
    except (ValueError, TypeError, KeyError):
        print(line.decode("utf-8", "replace"), end="", file=sys.stderr)
