"""The `gateway` command: one file a command group, imported when one of its commands runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from gateway.cli.plain import plain

if TYPE_CHECKING:
    import typer

COMMANDS: Final = {
    "dev": "running:dev",
    "serve": "running:serve_command",
    "worker": "running:worker",
    "record": "record:record",
    "replay": "record:replay",
    "db": "db:db_app",
    "maintenance": "maintenance:maintenance_app",
    "users": "users:users_app",
    "keys": "keys:keys_app",
    "audit": "audit:audit",
    "mail": "mail:mail_app",
    "storage": "storage:storage_app",
    "test": "test:test_app",
    "testing": "testing:testing_app",
    "import": "transfer:import_command",
    "export": "transfer:export_command",
    "realtime": "realtime:realtime_app",
    "alarms": "alarms:alarms_app",
    "explain": "explain:explain_command",
    "gen": "gen:gen_app",
    "new": "new:new",
    "link": "link:link",
    "project": "project:project_app",
    "migration": "migration:migration_app",
    "console": "console:console_app",
    "status": "status:status",
    "doctor": "doctor:doctor",
    "logs": "logs:logs",
}
"""Where each command or group is: `file:name` in this folder."""
GROUP: Final = "gateway.commands"
"""Entry points by which installed packages, such as an application's, add commands or groups of their own."""


def application(wanted: str = "") -> typer.Typer:
    """The command line with the wanted command alone, or with all of them where it is none of them."""
    import typer

    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

    @app.callback(help="Tables, auth and functions on real Postgres, with Supabase's hosted contract.")
    def gateway() -> None:
        pass

    for name, load in _commands(wanted):
        try:
            found = load()
        except (ImportError, AttributeError) as error:  # of somebody else's package, or of one of its own
            if name in COMMANDS:
                raise
            print(f"gateway: the command {name} cannot be loaded: {error}", file=sys.stderr)
            if name == wanted:
                raise SystemExit(1) from error
            continue
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def _commands(wanted: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The wanted command, else all; what others add comes last and takes no name that is taken."""

    def own(place: str) -> Callable[[], Any]:
        file, _, attribute = place.partition(":")
        return lambda: getattr(import_module(f"gateway.cli.{file}"), attribute)

    if wanted in COMMANDS:
        yield wanted, own(COMMANDS[wanted])
        return
    from importlib.metadata import entry_points  # looks through every installed package

    added = {point.name: point for point in entry_points(group=GROUP) if point.name not in COMMANDS}
    if wanted in added:
        yield wanted, added[wanted].load
        return
    for name, place in COMMANDS.items():
        yield name, own(place)
    for name in sorted(added):
        yield name, added[name].load


def _take_workdir(arguments: list[str]) -> None:
    """Move `--workdir DIR`, which may stand anywhere, into the variable that programs started from here see too.

    >>> given = ["gateway", "db", "push", "--workdir=/tmp", "--yes"]
    >>> _take_workdir(given); given, os.environ.pop("SUPABASE_WORKDIR")
    (['gateway', 'db', 'push', '--yes'], '/tmp')
    """
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if argument == "--":
            return
        if name == "--workdir" and (equals or at + 1 < len(arguments)):
            os.environ["SUPABASE_WORKDIR"] = value if equals else arguments[at + 1]
            del arguments[at : at + (1 if equals else 2)]
            return


def main() -> None:
    """Entry point."""
    _take_workdir(sys.argv)
    gc.disable()  # what is loaded here stays: the collector would look through it again and again
    run = plain(sys.argv[1:]) or application(sys.argv[1] if len(sys.argv) > 1 else "")
    gc.freeze()
    gc.enable()
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        words = _words(error)
        if words is None:
            raise
        print(f"gateway: {words}", file=sys.stderr)
        sys.exit(1)


def _words(error: Exception) -> str | None:
    """One line for what no command foresaw: a file or folder, or a database that went away or refused. None for a fault
    of the program, whose traceback is needed."""
    if isinstance(error, OSError):
        from gateway.system.file_faults import explain

        return explain(error)
    from gateway.database import DatabaseError, DatabaseUnavailable  # commands without a database do not load it

    if isinstance(error, DatabaseUnavailable):
        return f"cannot connect to the database: {error.reason}"
    if isinstance(error, DatabaseError):
        return " ".join(f"the database refused: {error.message}".split())
    return None
