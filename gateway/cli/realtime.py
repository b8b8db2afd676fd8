"""`gateway realtime …`: what is said on a channel, and what changes in a table, as it happens."""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated, Any, Final
from urllib.parse import quote, unquote, urlsplit

import typer

from gateway.cli.common import fail, load_settings
from gateway.cli.status import read_serving
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

realtime_app = typer.Typer(help="Channels of the realtime API.", no_args_is_help=True)

TABLE: Final = re.compile(r"(?:[A-Za-z_]\w*\.)?[A-Za-z_]\w*|\"[^\"]+\"(?:\.\"[^\"]+\")?|[A-Za-z_]\w*\.\*")
BEAT: Final = 20.0  # seconds between heartbeats


@realtime_app.callback()
def group() -> None:
    """Channels of the realtime API."""


@realtime_app.command()
def tail(
    what: Annotated[str, typer.Argument(metavar="TOPIC|TABLE", help="A topic, or SCHEMA.TABLE")],
    table: Annotated[bool, typer.Option("--table", help="It is a table, without its schema in front too")] = False,
    private: Annotated[bool, typer.Option("--private", help="The private channel of that name")] = False,
    filter: Annotated[str, typer.Option(help="Of changes, such as `id=eq.1`")] = "",
    count: Annotated[int, typer.Option(help="End after so many messages; 0 for never")] = 0,
) -> None:
    """Print what is said on a channel of the running gateway, or what changes in a table, a line of JSON each.

    As the service role, to whom no policy applies. SCHEMA.TABLE is a table, everything else a topic.
    """
    settings = load_settings()
    is_table = table or ("." in what and TABLE.fullmatch(what) is not None)
    config: dict[str, Any] = {"private": private, "presence": {"enabled": not is_table}}
    topic = what
    if is_table:
        schema, _, name = what.rpartition(".")
        binding = {"event": "*", "schema": schema or "public", "table": name, **({"filter": filter} if filter else {})}
        config["postgres_changes"] = [binding]
        topic = f"tail {what}"
    try:
        _follow(settings, f"realtime:{topic}", config, count)
    except KeyboardInterrupt:
        return
    except OSError as error:
        fail(f"the gateway cannot be reached: {error}")


def _follow(settings: Settings, topic: str, config: dict[str, Any], count: int) -> None:
    from websockets.exceptions import ConnectionClosed, InvalidStatus
    from websockets.sync.client import connect, unix_connect

    serving = read_serving(settings)
    key = KeyRing.load(settings).secret_key
    path = f"{settings.realtime_prefix}/websocket?vsn=1.0.0"
    parts = urlsplit(serving["url"])
    options: dict[str, Any] = {"additional_headers": {"x-api-key": key}, "compression": None, "max_size": None}
    try:
        if parts.scheme == "unix":
            socket = unix_connect(unquote(parts.netloc), uri=f"ws://localhost{path}", **options)
        else:
            address = f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{quote(path, safe='/?=&')}"
            socket = connect(address, **options)
    except InvalidStatus as error:
        fail(
            f"the gateway refused: {error.response.status_code} {(error.response.body or b'').decode(errors='replace')}"
        )
    with socket:
        socket.send(_message(topic, "phx_join", {"config": config}))
        shown = 0
        while not count or shown < count:
            try:
                message = json.loads(socket.recv(timeout=BEAT))
            except TimeoutError:
                socket.send(_message("phoenix", "heartbeat", {}))
                continue
            except ConnectionClosed as error:
                fail(f"the gateway closed the socket: {error}")
            shown += _show(message)


def _show(message: dict[str, Any]) -> int:
    """Print a message; 1 for one that was said, 0 for one about the channel itself."""
    event, payload = message["event"], message["payload"]
    if event == "phx_reply":
        if payload["status"] != "ok":
            fail(str(payload["response"].get("reason", payload["response"])))
        return 0
    if event == "system":
        if payload["status"] != "ok":
            fail(str(payload["message"]))
        print(payload["message"], file=sys.stderr, flush=True)
        return 0
    if event == "presence_state" and not payload:
        return 0
    if event == "phx_close":
        fail("the channel was closed")
    shown = payload["data"] if event == "postgres_changes" else payload
    print(json.dumps({"event": event, **({"payload": shown} if event != "postgres_changes" else shown)}), flush=True)
    return 1


def _message(topic: str, event: str, payload: dict[str, Any]) -> str:
    return json.dumps({"topic": topic, "event": event, "payload": payload, "ref": "1", "join_ref": "1"})
