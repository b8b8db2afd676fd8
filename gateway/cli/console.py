"""`gateway console`: a fresh address, with a one-time code, of the running gateway's console."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.common import fail, load_settings
from gateway.cli.status import read_serving
from gateway.console.sessions import CODE_LIFETIME, console_address


def console(
    admin: Annotated[bool, typer.Option("--admin", help="The address at the admin port")] = False,
) -> None:
    """Print an address that lets one browser in, once, for some minutes."""
    settings = load_settings()
    if not settings.console:
        fail("the console is not served (GATEWAY_CONSOLE)")
    serving = read_serving(settings)
    url = serving["admin"] if admin or not serving.get("console") else serving["url"]
    if url is None:
        fail("the console is on the admin port alone, and there is none (PGRST_ADMIN_SERVER_PORT)")
    print(console_address(url, serving["key"]))
    print(f"It holds for {CODE_LIFETIME // 60} minutes and lets one browser in.")
