"""`gateway record` and `gateway replay`: prove with a site's own requests that another server answers it the same.

`record` stands before any server with the contract, this gateway or a hosted project, and keeps what passes;
`gateway dev --record` and `GATEWAY_RECORD` keep what the gateway itself is asked. `replay` asks it all again elsewhere.
Exit status: 0 no difference, 1 differences, 2 the replay could not be made.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn
from urllib.parse import urlsplit

import httpx
import typer

from gateway.app import Gateway
from gateway.cli.common import fail, load_settings
from gateway.http.messages import App
from gateway.operations.recorder.exchange import RecordingError, read
from gateway.operations.recorder.recorder import Recorder, Recording
from gateway.operations.recorder.relay import Relay
from gateway.operations.recorder.replay import ANSWER_LIMIT, Outcome, ReplayTarget, Unreachable, is_write, missing
from gateway.operations.recorder.replay import replay as ask_again
from gateway.server.http_server import PortInUse, listen, serve
from gateway.settings import Settings

SHOWN = 12  # differences of one request


def recorded(gateway: Gateway, settings: Settings) -> App:
    """The gateway with a recorder around it, which writes to the file that the settings name."""
    prefixes = {"rest": settings.rest_prefix, "auth": settings.auth_prefix, "functions": settings.functions_prefix}
    return Recorder(
        gateway,
        _recording(Path(settings.record), settings),
        prefixes=prefixes,
        bases=(settings.api_url,),
        with_secret_key=False,
    )


def record(
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write; further requests are added to it")],
    of: Annotated[str, typer.Option(metavar="URL", help="Server to stand before; default: this gateway")] = "",
    host: Annotated[str, typer.Option(help="Address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one")] = 0,
) -> None:
    """Stand before a server and keep every API request that passes, without its secrets."""
    settings = load_settings()
    upstream = (of or settings.api_url).rstrip("/")
    if urlsplit(upstream).scheme not in ("http", "https"):
        fail(f"{upstream} is not an http or https address")
    try:
        bound = listen(host, port)
    except PortInUse as error:
        fail(str(error))
    recording = _recording(out, settings)
    app = Recorder(Relay(upstream), recording, bases=(upstream,))
    address = f"http://{host}:{bound.getsockname()[1]}"
    serve(app, bound, lambda: print(f"{upstream} is recorded to {out} on {address}; Ctrl-C ends", flush=True))
    recording.close()
    print(f"{sum(1 for _ in out.open('rb'))} requests in {out}")


def replay(
    file: Annotated[Path, typer.Argument(help="A recording")],
    against: Annotated[str, typer.Option(metavar="URL", help="Server to ask")],
    key: Annotated[str, typer.Option(help="Its publishable (or anon) key")],
    secret_key: Annotated[str, typer.Option(help="Its secret (or service_role) key")] = "",
    user: Annotated[
        list[str] | None,
        typer.Option(metavar="EMAIL:PASSWORD", help="A user of the recording; asks for a password left out"),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A header or JSON member to ignore")] = None,
    reads_only: Annotated[bool, typer.Option("--reads-only", help="Leave out what writes")] = False,
    remote: Annotated[bool, typer.Option("--yes-remote", help="Really write to a server elsewhere")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False,
) -> None:
    """Ask a recording's requests of another server and show where the answers differ."""
    server = ReplayTarget(against.rstrip("/"), key, secret_key, _passwords(user or []))
    if urlsplit(server.url).scheme not in ("http", "https"):
        _refuse(f"{server.url} is not an http or https address")
    try:
        exchanges = list(read(file))
    except RecordingError as error:
        _refuse(str(error))
    if reads_only:
        exchanges = [(line, exchange) for line, exchange in exchanges if not is_write(exchange)]
    elif not remote and not _is_here(server.url) and any(is_write(exchange) for _, exchange in exchanges):
        _refuse(f"the recording writes, and {server.url} is elsewhere: give --yes-remote or --reads-only")
    faults = missing(exchanges, server)
    if faults:
        _refuse("\ngateway: ".join(faults))
    try:
        with httpx.Client(timeout=ANSWER_LIMIT, trust_env=False) as client:
            outcomes = list(ask_again(exchanges, server, client, ignore=ignore or ()))
    except Unreachable as error:
        _refuse(str(error))
    asked = [outcome for outcome in outcomes if not outcome.left_out]
    print(_as_json(server, outcomes) if as_json else _as_text(server, outcomes))
    if not asked:
        _refuse("there was nothing to ask")
    if any(outcome.differences for outcome in asked):
        raise SystemExit(1)


def _recording(path: Path, settings: Settings) -> Recording:
    try:
        return Recording(path, settings.record_max_bytes)
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}")


def _passwords(users: list[str]) -> dict[str, str]:
    found = {}
    for user in users:
        email, colon, password = user.partition(":")
        found[email] = password if colon else typer.prompt(f"Password of {email}", hide_input=True, err=True)
    return found


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _refuse(message: str) -> NoReturn:
    """Say why there is no replay, and end with status 2."""
    typer.echo(f"gateway: {message}", err=True)
    raise SystemExit(2)


def _as_text(server: ReplayTarget, outcomes: list[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        if outcome.differences:
            lines += ["", f"{outcome.exchange.method} {outcome.exchange.target}", f"  {_where(outcome)}"]
            for difference in outcome.differences[:SHOWN]:
                lines += [f"  {difference.place}", f"    - {difference.recorded}", f"    + {difference.replayed}"]
            if len(outcome.differences) > SHOWN:
                lines.append(f"  and {len(outcome.differences) - SHOWN} more")
    for outcome in outcomes:
        if outcome.left_out:
            lines += ["", f"{outcome.exchange.method} {outcome.exchange.target}"]
            lines.append(f"  {_where(outcome)}, not asked: {outcome.left_out}")
    differ = sum(1 for outcome in outcomes if outcome.differences)
    left_out = sum(1 for outcome in outcomes if outcome.left_out)
    same = len(outcomes) - differ - left_out
    lines += ["", f"{server.url}: {same} the same, {differ} different, {left_out} not asked"]
    return "\n".join(lines).lstrip("\n")


def _where(outcome: Outcome) -> str:
    return f"line {outcome.line}, as {outcome.exchange.caller}"


def _as_json(server: ReplayTarget, outcomes: list[Outcome]) -> str:
    def row(outcome: Outcome) -> dict[str, Any]:
        exchange = outcome.exchange
        place = {"line": outcome.line, "method": exchange.method, "target": exchange.target, "as": str(exchange.caller)}
        if outcome.left_out:
            return {**place, "not_asked": outcome.left_out}
        return {
            **place,
            "differences": [
                {"place": one.place, "recorded": one.recorded, "replayed": one.replayed} for one in outcome.differences
            ],
        }

    return json.dumps({"against": server.url, "requests": [row(outcome) for outcome in outcomes]}, indent=2)
