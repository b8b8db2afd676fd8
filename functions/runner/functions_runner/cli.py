"""The `functions` command: make, list, serve and call functions here; deploy, watch and replay them on a gateway."""

from __future__ import annotations

import sys

import typer

from functions_runner.commands import calls, local, schedules, secrets, served

app = typer.Typer(
    help="Make, serve, call, deploy and watch functions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("list")(served.list_command)
app.command("test")(local.test_command)
for _command in (
    local.serve, calls.call, local.new, local.lock, local.install, calls.logs, calls.replay, served.deploy,
    served.rollback, served.delete, served.versions, served.download, served.diff, schedules.calls, schedules.retry,
    schedules.dismiss,
):  # fmt: skip
    app.command()(_command)
app.add_typer(secrets.app, name="secrets")
app.add_typer(schedules.app, name="schedule")


def main() -> None:
    """Entry point."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
