"""`gateway status`: where the gateway serves and how it is.

Exit status 0 when it is ready and nothing is wrong, 1 when it is not or an alarm stands.
"""

from __future__ import annotations

import json
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request

import typer

from gateway.cli.common import SERVING, fail, load_settings
from gateway.http.unix_client import opener
from gateway.identity.keyring import FILE_NAME, read_file
from gateway.settings import Settings

SECRET = frozenset(("key", "mail_key"))  # of it; for its owner's commands
PATIENCE = 10.0  # seconds


class Output(StrEnum):
    """How the status is written."""

    pretty = "pretty"
    json = "json"
    env = "env"


def status(
    as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="`env` prints addresses and keys as variables, secret ones too")
    ] = Output.pretty,
) -> None:
    """Say where the gateway of this data folder serves and whether it is ready."""
    settings = load_settings()
    serving = read_serving(settings)
    if output is Output.env:
        for name, value in variables_of(settings, serving).items():
            print(f'{name}="{value}"')
        return
    as_json = as_json or output is Output.json
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
        if answer["maintenance"]:
            print("  maintenance   writes are refused: see `gateway maintenance status`")
        for name, state in answer["checks"].items():
            print(f"  {name:<13} {state}")
        print(f"  {'jobs':<13} {answer['jobs']}")
        print(f"  {'monitor':<13} {answer['monitor']}")
        for worker in answer["workers"]:
            print(f"  worker {worker['worker']:<6} {worker['state']}, process {worker['pid']}")
        for alarm in answer["alarms"]:
            print(f"  alarm         {alarm['text']}")
    raise SystemExit(0 if is_well(answer) else 1)


def variables_of(settings: Settings, serving: dict[str, Any]) -> dict[str, str]:
    """Addresses and keys of the running gateway, in the names of the official CLI's `status -o env`."""
    from gateway.cli.processes import load_keys
    from gateway.database.embedded import EmbeddedError, EmbeddedPostgres
    from gateway.database.loopback import url_of

    keys, url = load_keys(settings), serving["url"]
    found = {
        "API_URL": url,
        "REST_URL": f"{url}{settings.rest_prefix}",
        "FUNCTIONS_URL": f"{url}{settings.functions_prefix}",
        "STORAGE_S3_URL": f"{url}{settings.storage_prefix}/s3",
        "ANON_KEY": keys.anon_jwt,
        "SERVICE_ROLE_KEY": keys.service_role_jwt,
        "PUBLISHABLE_KEY": keys.publishable_key,
        "SECRET_KEY": keys.secret_key,
        "JWT_SECRET": settings.jwt_secret or read_file(settings.data_dir / FILE_NAME).get("jwt_secret", ""),
    }
    with suppress(EmbeddedError):
        port = None if settings.database_url else EmbeddedPostgres(settings.data_dir).port
        if port is not None:
            found["DB_URL"] = url_of(settings.data_dir, port)
    if serving.get("mail_key"):
        found["INBUCKET_URL"] = f"{url}/_mail?key={serving['mail_key']}"
    # By the names that applications read them under.
    return found | {
        "SUPABASE_URL": url,
        "SUPABASE_ANON_KEY": found["ANON_KEY"],
        "SUPABASE_SERVICE_ROLE_KEY": found["SERVICE_ROLE_KEY"],
        "SUPABASE_PUBLISHABLE_KEY": found["PUBLISHABLE_KEY"],
        "SUPABASE_SECRET_KEY": found["SECRET_KEY"],
        "SUPABASE_JWT_SECRET": found["JWT_SECRET"],
        "DATABASE_URL": found.get("DB_URL", ""),
    }


def is_well(answer: dict[str, Any]) -> bool:
    """Whether nothing of what `/ready` answers asks for somebody."""
    workers = all(worker["state"] == "ok" for worker in answer["workers"])
    return answer["ready"] and answer["jobs"] == "ok" and not answer["alarms"] and workers


def read_serving(settings: Settings) -> dict[str, Any]:
    """What the gateway of the data folder noted when it started; without one a line and status 1."""
    content = noted_serving(settings)
    if content is None:
        fail(f"no gateway serves from {settings.data_dir}")
    return content


def noted_serving(settings: Settings) -> dict[str, Any] | None:
    """That note; None where there is none."""
    try:
        content: dict[str, Any] = json.loads((settings.data_dir / SERVING).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return content


def ask(url: str, key: str = "") -> dict[str, Any]:
    """The JSON that the admin port answers, whatever its status; `key` is the note's. Raises OSError."""
    try:
        with opener().open(Request(url, headers={"apikey": key}), timeout=PATIENCE) as response:
            content: dict[str, Any] = json.load(response)
    except HTTPError as error:
        with error:
            content = json.load(error)
    except URLError as error:
        raise OSError(str(error.reason)) from error
    return content
