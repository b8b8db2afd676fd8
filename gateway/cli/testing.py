"""`gateway testing …`: an instance of the project for a test run that is not Python's."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.common import fail

testing_app = typer.Typer(help="Instances of the project for tests.", no_args_is_help=True)


@testing_app.command("start")
def start(
    functions: Annotated[bool, typer.Option("--functions", help="Run the project's functions, too")] = False,
    setting: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting")] = None,
) -> None:
    """Start an instance, print what a client needs as one line of JSON, and keep it until standard input ends.

    Each further line of standard input is a number of seconds by which its clock is moved.
    """
    from gateway.testing.client import InstanceFault, Keeper, project_of

    variables = dict(each.split("=", 1) for each in setting or () if "=" in each)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        keeper = Keeper(project_of(Path.cwd()))
        with keeper.instance(variables, functions) as made:
            print(json.dumps(made.variables()), flush=True)
            for line in sys.stdin:
                made.clock.move(float(line))
                print("{}", flush=True)
    except InstanceFault as error:
        fail(str(error))
    except ValueError:
        fail("a line of standard input is a number of seconds")
    except KeyboardInterrupt:
        pass
