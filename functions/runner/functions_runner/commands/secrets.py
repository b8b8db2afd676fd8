"""Commands on the secrets of functions: set, list, unset. A value is never shown again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from functions_runner.commands.common import Json, Url, honest, print_table
from functions_runner.remote import Gateway
from functions_runner.types import FunctionError

app: Final = typer.Typer(help="Secrets of functions: set, list and unset them.", no_args_is_help=True)
Of = Annotated[str, typer.Option("--function", help="For this function alone; without it for all")]


@app.command("set")
def set_command(
    pairs: Annotated[list[str] | None, typer.Argument(help="NAME=value; NAME alone is asked for")] = None,
    env_file: Annotated[Path | None, typer.Option(help="File of NAME=value lines")] = None,
    function: Of = "",
    url: Url = None,
) -> None:
    """Set secrets; running functions have them at their next call."""
    with honest():
        values = _of_file(env_file) if env_file is not None else {}
        for pair in pairs or ():
            name, given, value = pair.partition("=")
            if not given:
                value = (
                    typer.prompt(f"Value of {name}", hide_input=True, err=True)
                    if sys.stdin.isatty()
                    else sys.stdin.readline().rstrip("\n")
                )
            values[name] = value
        if not values:
            raise FunctionError("Which secrets? NAME=value, or --env-file FILE.")
        Gateway.find(url).admin("POST", f"/secrets?function={function}", json.dumps(values).encode())
    print(f"{', '.join(sorted(values))} set")


@app.command("list")
def list_command(url: Url = None, as_json: Json = False) -> None:
    """Show names of secrets and the SHA-256 of their values."""
    with honest():
        rows = Gateway.find(url).admin("GET", "/secrets")
    if as_json:
        print(json.dumps(rows))
        return
    print_table(
        [("NAME", "FUNCTION", "DIGEST"), *((row["name"], row["function"] or "all", row["digest"]) for row in rows)]
    )


@app.command()
def unset(names: Annotated[list[str], typer.Argument(help="Names")], function: Of = "", url: Url = None) -> None:
    """Forget secrets."""
    with honest():
        body = json.dumps(dict.fromkeys(names)).encode()
        Gateway.find(url).admin("POST", f"/secrets?function={function}", body)
    print(f"{', '.join(names)} unset")


def _of_file(path: Path) -> dict[str, str]:
    from functions_runner.env_file import read_env_file

    try:
        path.stat()
    except OSError as error:
        raise FunctionError(f"{path}: {error.strerror}") from error
    return read_env_file(path)
