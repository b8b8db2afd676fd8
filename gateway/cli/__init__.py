"""The `gateway` command: one file a command group, imported when one of its commands runs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

import typer

COMMANDS: Final = {
    "dev": "serve:dev",
    "serve": "serve:serve_command",
    "worker": "serve:worker",
    "record": "record:record",
    "replay": "record:replay",
    "db": "db:db_app",
    "maintenance": "maintenance:maintenance_app",
    "users": "users:users_app",
    "keys": "keys:keys_app",
    "audit": "audit:audit",
    "leads": "leads:leads_app",
    "mail": "mail:mail_app",
    "storage": "storage:storage_app",
    "alarms": "alarms:alarms_app",
    "explain": "explain:explain_command",
    "gen": "gen:gen_app",
    "status": "status:status",
    "doctor": "doctor:doctor",
    "logs": "logs:logs",
}
"""Where each command or group is: `file:name` in this folder."""


def application(wanted: str = "") -> typer.Typer:
    """The command line with the wanted command alone, or with all of them where it is none of them."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

    @app.callback(help="Tables, auth and functions on real Postgres, with Supabase's hosted contract.")
    def gateway() -> None:
        pass

    for name in [wanted] if wanted in COMMANDS else COMMANDS:
        file, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"gateway.cli.{file}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def main() -> None:
    """Entry point."""
    app = application(sys.argv[1] if len(sys.argv) > 1 else "")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # a file or folder, whichever it was; what else can fail has words of its own
        from gateway.system.file_faults import explain

        print(f"gateway: {explain(error)}", file=sys.stderr)
        sys.exit(1)
