"""Commands on the functions of a gateway: list, deploy, rollback, delete, download, versions, diff."""

from __future__ import annotations

import difflib
import io
import json
import tarfile
from pathlib import Path
from typing import Annotated, Any

import typer

from functions_runner import registry, requirements
from functions_runner.bundle import pack
from functions_runner.commands.common import (
    ROOT,
    Dir,
    Json,
    Name,
    Url,
    environments,
    honest,
    print_table,
    shown,
)
from functions_runner.installing import InstallFailed
from functions_runner.remote import Gateway, GatewayAway, Refused
from functions_runner.types import FunctionConfig, FunctionError


def list_command(root: Dir = ROOT, url: Url = None, as_json: Json = False) -> None:
    """List functions: in the folder, deployed, and what the gateway serves."""
    rows = {name: _in_folder(name, root.resolve()) for name in registry.names(root.resolve())}
    away = ""
    try:
        for served in Gateway.find(url).admin("GET", "/functions"):
            row = rows.setdefault(served["name"], {"name": served["name"], "version": None, "env": []})
            row |= {
                "deployed": served.get("deployed_version"),
                "served": served.get("version"),
                "remote": served["remote"],
                "process": served.get("process"),
                "running": served.get("running_version"),
            }
            if "fault" in served:
                row["served_fault"] = served["fault"]
    except (GatewayAway, Refused) as error:
        away = str(error)
    if as_json:
        print(json.dumps(list(rows.values())))
        return
    table: list[tuple[str, ...]] = [("NAME", "FOLDER", "DEPLOYED", "SERVED", "VERIFY JWT", "SCHEDULE", "VARIABLES")]
    table += [_shown(row, known=not away) for row in rows.values()]
    print_table(table)
    if away:
        print(f"\nWhat a gateway serves is not known: {away}")


def deploy(
    names: Annotated[list[str] | None, typer.Argument(help="Functions; without one all are deployed")] = None,
    url: Url = None,
    root: Dir = ROOT,
) -> None:
    """Send functions to a running gateway; each switches when its new version is up, else the old one stays."""
    gateway = Gateway.find(url)
    with honest():
        for name in names or registry.names(root.resolve()):
            config = registry.find(name, root.resolve())
            _lock_if_stale(config)
            answer = gateway.admin("POST", f"/functions/{name}/deploy", pack(config))
            before = f", before it {answer['before']}" if answer["changed"] and answer.get("before") else ""
            print(f"{name} {answer['version']} {'deployed' if answer['changed'] else 'is already served'}{before}")


def rollback(
    name: Name,
    version: Annotated[str | None, typer.Argument(help="Version; without it the deployed one before")] = None,
    url: Url = None,
) -> None:
    """Serve an earlier deployed version of a function again; never the one in the folder."""
    with honest():
        body = json.dumps({"version": version} if version else {}).encode()
        answer = Gateway.find(url).admin("POST", f"/functions/{name}/rollback", body)
    print(f"{name} {answer['version']} is served, no longer {answer['before'] or 'the one in its folder'}")


def delete(name: Name, url: Url = None) -> None:
    """Take every deployed version of a function off a gateway; what is in its folder is served again."""
    with honest():
        gateway = Gateway.find(url)
        gateway.admin("DELETE", f"/functions/{name}")
        left = next((row for row in gateway.admin("GET", "/functions") if row["name"] == name), None)
    print(f"{name} is deleted; " + ("the one in the gateway's folder is served" if left else "nothing is served"))


def versions(name: Name, url: Url = None, as_json: Json = False) -> None:
    """List the deployed versions of a function that are kept, oldest first."""
    with honest():
        rows = Gateway.find(url).admin("GET", f"/functions/{name}/versions")
    if as_json:
        print(json.dumps(rows))
        return
    print_table(
        [("VERSION", "DEPLOYED AT", ""), *((row["version"], row["at"], "served" * row["current"]) for row in rows)]
    )


def download(
    name: Name,
    version: Annotated[str | None, typer.Option(help="Version; without it what is served")] = None,
    to: Annotated[Path | None, typer.Option(help="Folder to write into; default the folder of functions")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that differ")] = False,
    url: Url = None,
    root: Dir = ROOT,
) -> None:
    """Fetch the files of a function from a gateway."""
    with honest():
        files = _fetch(name, version, url)
        target = (to or root).resolve()
        differing = [path for path, content in files.items() if _differs(target / path, content)]
        if differing and not force:
            raise FunctionError(f"These files would change, which --force allows: {', '.join(differing)}")
        for path, content in files.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(content)
    print(f"{name}: {len(files)} files in {shown(target)}")


def diff(
    name: Name,
    version: Annotated[str | None, typer.Argument(help="Version; without it what is served")] = None,
    url: Url = None,
    root: Dir = ROOT,
) -> None:
    """Show how the folder differs from what a gateway serves; status 1 where it does."""
    with honest():
        theirs = _fetch(name, version, url)
        ours = dict(registry.contents(registry.find(name, root.resolve())))
    lines = [line for path in sorted({*theirs, *ours}) for line in _difference(path, theirs.get(path), ours.get(path))]
    print("\n".join(lines) if lines else f"{name} is the same here and there")
    if lines:
        raise SystemExit(1)


# --- parts -----------------------------------------------------------------------------------------------------------


def _in_folder(name: str, root: Path) -> dict[str, Any]:
    try:
        config = registry.find(name, root)
    except FunctionError as error:
        return {"name": name, "fault": str(error)}
    return {
        "name": name,
        "version": registry.digest(config),
        "verify_jwt": config.verify_jwt,
        "timeout": config.timeout,
        "memory_mb": config.memory_mb,
        "enabled": config.enabled,
        "env": [*config.env, *config.optional_env],
        "schedule": config.schedule,
        "runtime": "deno" if config.is_script else "python",
    }


def _shown(row: dict[str, Any], *, known: bool) -> tuple[str, ...]:
    served = row.get("served") or row.get("served_fault") or ("elsewhere" if row.get("remote") else "-")
    return (
        row["name"] + ("" if row.get("enabled", True) else " (off)"),
        row.get("version") or "-",
        (row.get("deployed") or "-") if known else "?",
        served if known else "?",
        "yes" if row.get("verify_jwt") is True else "no" if row.get("verify_jwt") is False else "-",
        row.get("schedule") or "-",
        row.get("fault") or ", ".join(row["env"]),
    )


def _lock_if_stale(config: FunctionConfig) -> None:
    """Lock what the function asks for, so that every version installs the same packages for as long as it is kept."""
    asked = requirements.declared(config)
    if requirements.wanted(config) is None or requirements.locked(config, asked) is not None:
        return
    try:
        path = environments().lock(config)
        print(f"{config.name} is locked in {shown(path) if path else '-'}")
    except InstallFailed as error:
        raise FunctionError(f"{config.name}: {error}") from error


def _fetch(name: str, version: str | None, url: str | None) -> dict[str, bytes]:
    """Files of a version on the gateway, by their paths."""
    query = f"?version={version}" if version else ""
    raw = Gateway.find(url).admin_bytes("GET", f"/functions/{name}/archive{query}")
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and not member.name.startswith("/") and ".." not in Path(member.name).parts:
                found[member.name] = file.read()
    return found


def _differs(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() != content


def _difference(path: str, theirs: bytes | None, ours: bytes | None) -> list[str]:
    if theirs == ours:
        return []
    try:
        before = (theirs or b"").decode().splitlines()
        after = (ours or b"").decode().splitlines()
    except UnicodeDecodeError:
        return [f"{path} differs"]
    old = f"served/{path}" if theirs is not None else "/dev/null"
    new = f"folder/{path}" if ours is not None else "/dev/null"
    return list(difflib.unified_diff(before, after, old, new, lineterm="")) or [f"{path} differs"]
