"""Commands on the functions of a folder: new, serve, lock, install."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from functions_runner import deno, registry
from functions_runner.commands.common import ROOT, Dir, Name, environment_alone, environments, honest, shown
from functions_runner.types import FunctionError


def new(name: Name, root: Dir = ROOT) -> None:
    """Make the folder of a new function, ready to serve and call."""
    from functions_runner.template import create

    with honest():
        for path in create(name, root.resolve()):
            print(shown(path))
    print(f"\nTry it:  functions call {name} --alone")


def serve(
    name: Annotated[str | None, typer.Argument(help="Name of the function; without it all are served")] = None,
    host: Annotated[str, typer.Option(envvar="HOST", help="Address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", help="Port to listen on")] = 8080,
    reload: Annotated[bool, typer.Option(help="Take up changed files at the next call")] = True,
    debug: Annotated[bool, typer.Option("--debug", help="Open a port for a debugger; of one function alone")] = False,
    debug_port: Annotated[int, typer.Option(help="That port")] = 5678,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the debugger before the function is loaded")] = False,
    root: Dir = ROOT,
) -> None:
    """Serve one function alone, or all of them as the gateway would."""
    from functions_runner import process, runner
    from functions_runner.confinement import PACKAGE

    if debug and name is None:
        print("functions: --debug is of one function: functions serve NAME --debug", file=sys.stderr)
        raise SystemExit(1)
    if name is None:
        try:
            from gateway.functions.standalone import serve_all
        except ImportError as error:
            print(f"functions: serving all functions needs the gateway package ({error})", file=sys.stderr)
            raise SystemExit(1) from error
        raise SystemExit(serve_all(root.resolve(), host, port, reload=reload))
    with honest():
        config = registry.find(name, root.resolve())
        os.environ.update(environment_alone(config, None))
        if config.is_script:
            from functions_runner import script_alone

            inspect = (f"--inspect{'-wait' if wait else ''}=127.0.0.1:{debug_port}",) if debug else ()
            raise SystemExit(script_alone.serve(config, environments(), port, reload=reload, inspect=inspect))
        python = environments().python(config, lambda text: print(f"{name} {text}", file=sys.stderr))
        if python:
            arguments = [name, "--dir", str(config.root), "--host", host, "--port", str(port)]
            boot = process.boot_code("runner", "main_elsewhere")
            arguments += ["--reload"] if reload else []
            arguments += ["--debug", str(debug_port), *(["--wait"] if wait else [])] if debug else []
            os.execv(python, [python, "-u", "-c", boot, str(PACKAGE), *arguments])
        if debug:
            config = runner.debugged(config, debug_port, wait=wait)
        raise SystemExit(runner.run_alone(config, host, port, reload=reload))


def test_command(
    name: Name,
    arguments: Annotated[list[str] | None, typer.Argument(help="For pytest, after --")] = None,
    root: Dir = ROOT,
) -> None:
    """Run a function's own tests with pytest, which are given a request, the gateway and its mail trap."""
    with honest():
        config = registry.find(name, root.resolve())
        if importlib.util.find_spec("pytest") is None:
            raise FunctionError("functions test needs pytest: pip install pytest")
    env = {**os.environ, "FUNCTION_UNDER_TEST": str(config.folder)}
    words = [sys.executable, "-m", "pytest", "-p", "functions_runner.testing", "--import-mode=importlib"]
    words += ["--rootdir", str(config.folder), "-c", os.devnull, *(arguments or []), str(config.folder)]
    raise SystemExit(subprocess.call(words, env=env))


def lock(
    names: Annotated[list[str] | None, typer.Argument(help="Functions; without one all are locked")] = None,
    root: Dir = ROOT,
) -> None:
    """Write down the exact packages of functions, with their hashes, in requirements.lock beside each."""
    with honest():
        for name in names or registry.names(root.resolve()):
            config = registry.find(name, root.resolve())
            path = environments().lock(config)
            print(f"{name} {'names no packages' if path is None else shown(path)}")


def install(
    names: Annotated[list[str] | None, typer.Argument(help="Functions; without one all are prepared")] = None,
    root: Dir = ROOT,
) -> None:
    """Have the packages of functions there before anybody calls them, as in an image."""
    with honest():
        for name in names or registry.names(root.resolve()):
            config = registry.find(name, root.resolve())
            say = partial(_say, name)
            if config.is_script:
                place: Path | None = deno.prepare(environments(), config, say).place
            else:
                python = environments().python(config, say)
                place = Path(python).parents[1] if python else None
            print(f"{name} is ready" + (f" in {shown(place)}" if place else ""))


def _say(name: str, text: str) -> None:
    print(f"{name} {text}")
