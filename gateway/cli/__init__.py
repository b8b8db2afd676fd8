"""The `gateway` command: one file a command group. Groups are imported when their command runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point."""
    import typer

    from gateway.cli.audit import audit
    from gateway.cli.db import db_app
    from gateway.cli.gen import gen_app
    from gateway.cli.keys import keys_app
    from gateway.cli.leads import leads_app
    from gateway.cli.mail import mail_app
    from gateway.cli.record import record, replay
    from gateway.cli.serve import dev, serve_command, worker
    from gateway.cli.users import users_app

    app = typer.Typer(
        help="Tables, auth and functions on real Postgres, with Supabase's hosted contract.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.command("dev")(dev)
    app.command("serve")(serve_command)
    app.command("worker")(worker)
    app.command("record")(record)
    app.command("replay")(replay)
    app.add_typer(db_app, name="db")
    app.add_typer(users_app, name="users")
    app.add_typer(keys_app, name="keys")
    app.command("audit")(audit)
    app.add_typer(leads_app, name="leads")
    app.add_typer(mail_app, name="mail")
    app.add_typer(gen_app, name="gen")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
