"""`gateway doctor`: what is wrong or soon will be, and what to do. Exit status 1 when there is a problem."""

from __future__ import annotations

import json
import socket
from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.common import SERVING, connect, load_settings
from gateway.cli.status import ask
from gateway.operations.doctor import Finding, Level, Lookup, examine, unindexed
from gateway.operations.search_indexes import unsearchable
from gateway.settings import Settings
from gateway.system.ports import holder


def doctor(as_json: Annotated[bool, typer.Option("--json", help="One object a line")] = False) -> None:
    """Look for what is wrong or soon will be; each finding says what to do."""
    settings = load_settings()
    findings = [_port(settings)]
    with connect(settings) as connection:
        findings += examine(settings, connection)
        lookups = _lookups(settings)
        findings += [*unindexed(connection, lookups), *unsearchable(connection, lookups)]
    for finding in findings:
        if as_json:
            print(json.dumps(asdict(finding)))
        else:
            print(f"{finding.level:<8}  {finding.subject:<12}  {finding.text}")
            if finding.advice:
                print(f"{'':<24}→ {finding.advice}")
    counts = Counter(finding.level for finding in findings)
    if not as_json:
        print(f"{counts[Level.PROBLEM]} problems, {counts[Level.WARNING]} warnings")
    raise SystemExit(1 if counts[Level.PROBLEM] else 0)


def _lookups(settings: Settings) -> list[Lookup]:
    """What the requests of the gateway that serves now have filtered and ordered by; nothing where none serves."""
    try:
        serving = json.loads((settings.data_dir / SERVING).read_text())
        return [tuple(lookup) for lookup in ask(f"{serving['admin']}/lookups", serving["key"])["lookups"]]
    except (OSError, ValueError, KeyError):
        return []


def _port(settings: Settings) -> Finding:
    """Whether the port is free or has this gateway on it."""
    try:
        serving = json.loads((settings.data_dir / SERVING).read_text())
        return Finding(Level.OK, "port", f"process {serving['pid']} serves {serving['url']}")
    except (OSError, ValueError):
        pass
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            by = holder(settings.port)
            named = f", by {by}" if by else ""
            text = f"port {settings.port} on {settings.host} cannot be used: {error.strerror}{named}"
            return Finding(Level.PROBLEM, "port", text, "end what listens there, or choose another with PORT=…")
    return Finding(Level.OK, "port", f"{settings.port} is free")
