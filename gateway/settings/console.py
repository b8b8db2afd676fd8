"""The console: where it is served, under which names, and what may be done in it."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import setting


@dataclass(frozen=True)
class ConsoleSettings:
    """Fields of `Settings`."""

    console: bool = setting(
        True, "Serve the console at /_console: `gateway dev` on its port, both on the admin port", "GATEWAY_CONSOLE"
    )
    console_public: bool = setting(
        False, "`gateway serve` has the console on its public port too", "GATEWAY_CONSOLE_PUBLIC"
    )
    console_hosts: tuple[str, ...] = setting(
        (), "Host names beside loopback's that the console answers to, whoever asks", "GATEWAY_CONSOLE_HOSTS"
    )
    console_read_only: bool = setting(False, "The console shows, and changes nothing", "GATEWAY_CONSOLE_READ_ONLY")
