"""`gateway dev`, `serve` and `worker` as the command line has them, with their options' help."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli import serve

Host = Annotated[str | None, typer.Option(help="Address to listen on")]
Port = Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes that answer requests")]
Record = Annotated[str | None, typer.Option(metavar="FILE", help="Keep the site's API requests there, for `replay`")]


def dev(
    host: Host = None,
    port: Port = None,
    seed: Annotated[bool, typer.Option(help="Load the application's sample rows on the first start")] = True,
    record: Record = None,
    workers: Workers = None,
) -> None:
    """Run everything on this machine for development or a small site."""
    serve.dev(host, port, seed, record, workers)


def serve_command(
    host: Host = None,
    port: Port = None,
    record: Record = None,
    workers: Workers = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether it would start, by the exit status")] = False,
    handed_over: Annotated[str, typer.Option(hidden=True, help="Socket and workers of the program before")] = "",
) -> None:
    """Run the gateway alone against the database of the settings."""
    serve.serve_gateway(host, port, record, workers, check, handed_over)


def worker(
    trap_port: Annotated[int | None, typer.Option(help="Also catch mails on this port instead of sending them")] = None,
    lifeline: Annotated[int | None, typer.Option(hidden=True, help="Descriptor of the supervisor's line")] = None,
) -> None:
    """Run the jobs: mails and clean-up."""
    serve.worker(trap_port, lifeline)
