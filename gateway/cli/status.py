"""`gateway status`: where the gateway serves and how it is. Exit status 0 when it is ready, 1 when it is not."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import typer

from gateway.cli.common import fail, load_settings
from gateway.settings import Settings

SERVING = "serving.json"  # in the data folder while a gateway serves
SECRET = frozenset(("key", "mail_key"))  # of it; for its owner's commands
PATIENCE = 10.0  # seconds


def status(as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False) -> None:
    """Say where the gateway of this data folder serves and whether it is ready."""
    settings = load_settings()
    serving = read_serving(settings)
    if serving["admin"] is None:
        fail(f"process {serving['pid']} serves {serving['url']} without an admin port (PGRST_ADMIN_SERVER_PORT)")
    try:
        answer = ask(f"{serving['admin']}/ready")
    except OSError as error:
        fail(f"process {serving['pid']} does not answer on {serving['admin']}: {error}")
    if as_json:
        shown = {name: value for name, value in serving.items() if name not in SECRET}
        print(json.dumps({**shown, **answer}))
    else:
        print(f"{serving['url']}  process {serving['pid']}, admin port {serving['admin']}")
        for name, state in answer["checks"].items():
            print(f"  {name:<13} {state}")
        for worker in answer["workers"]:
            print(f"  worker {worker['worker']:<6} {worker['state']}, process {worker['pid']}")
    raise SystemExit(0 if answer["ready"] else 1)


def read_serving(settings: Settings) -> dict[str, Any]:
    """What the gateway of the data folder noted when it started; without one a line and status 1."""
    path = settings.data_dir / SERVING
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        fail(f"no gateway serves from {settings.data_dir}")
    return content


def ask(url: str, key: str = "") -> dict[str, Any]:
    """The JSON that the admin port answers, whatever its status; `key` is the note's. Raises OSError."""
    try:
        with urlopen(Request(url, headers={"apikey": key}), timeout=PATIENCE) as response:
            content: dict[str, Any] = json.load(response)
    except HTTPError as error:
        with error:
            content = json.load(error)
    except URLError as error:
        raise OSError(str(error.reason)) from error
    return content
