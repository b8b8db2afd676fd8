"""`gateway alarms …`: what is wrong, and whether anybody would be told."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Annotated

import typer

from gateway.cli.common import fail, load_settings
from gateway.operations.monitor.alarms import Alarm, News, summary
from gateway.operations.monitor.channels import tell

alarms_app = typer.Typer(help="What is wrong, and who is told.", no_args_is_help=True)


@alarms_app.command("list")
def list_command(as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False) -> None:
    """List the alarms that stand. Exit status 1 when there is one, or when nobody looks."""
    found = summary(load_settings().data_dir)
    if as_json:
        print(json.dumps(found))
    else:
        for alarm in found["alarms"]:
            print(f"{alarm['name']}: {alarm['text']}")
        print(f"{len(found['alarms'])} alarms, monitor {found['monitor']}")
    raise SystemExit(1 if found["alarms"] or found["monitor"] != "ok" else 0)


@alarms_app.command("test")
def test() -> None:
    """Tell whoever is told of alarms that this is a test, by each way that is set up."""
    settings = load_settings()
    if not settings.alarm_webhook and not (settings.alarm_email and settings.smtp_host):
        fail("nobody is told: set GATEWAY_ALARM_EMAIL (with SMTP_HOST) or GATEWAY_ALARM_WEBHOOK")
    alarm = Alarm("test", "", "This is a test: alarms of this gateway arrive here.", time.time())
    if not asyncio.run(tell(settings, News((alarm,)), every=True)):
        fail("an alarm does not arrive by every way; the lines above say why")
    print("told")
