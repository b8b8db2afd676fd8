"""Commands on the functions of a folder: new, serve, lock, install."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from functions_runner import deno, registry
from functions_runner.commands.common import ROOT, Dir, Name, environment_alone, environments, honest, shown


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
    root: Dir = ROOT,
) -> None:
    """Serve one function alone, or all of them as the gateway would."""
    from functions_runner import process, runner
    from functions_runner.confinement import PACKAGE

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

            raise SystemExit(script_alone.serve(config, environments(), port, reload=reload))
        python = environments().python(config, lambda text: print(f"{name} {text}", file=sys.stderr))
        if python:
            arguments = [name, "--dir", str(config.root), "--host", host, "--port", str(port)]
            boot = process.boot_code("runner", "main_elsewhere")
            os.execv(python, [python, "-u", "-c", boot, str(PACKAGE), *arguments, *(["--reload"] if reload else [])])
        raise SystemExit(runner.run_alone(config, host, port, reload=reload))


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
