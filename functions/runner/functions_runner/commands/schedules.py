"""Commands on calls that are made later: schedule list, run, pause, resume; calls, retry, dismiss."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer

from functions_runner.commands.common import Json, Name, Url, honest, print_table
from functions_runner.remote import Gateway

app: Final = typer.Typer(help="Schedules of functions: list, run, pause and resume them.", no_args_is_help=True)


@app.command("list")
def list_command(url: Url = None, as_json: Json = False) -> None:
    """Show schedules with their next time, and what became of the last call."""
    with honest():
        rows = Gateway.find(url).admin("GET", "/schedules")
    if as_json:
        print(json.dumps(rows))
        return
    table: list[tuple[str, ...]] = [("FUNCTION", "SCHEDULE", "ZONE", "NEXT", "LAST", "STATE", "MISSED")]
    for row in rows:
        following = "paused" if row["paused"] else row.get("next") or "-"
        table.append(
            (
                row["function"],
                row["schedule"],
                row["timezone"],
                following,
                row["last"] or "-",
                _state(row) if row["state"] else "-",
                str(row["missed"]),
            )
        )
    print_table(table)


@app.command()
def run(name: Name, url: Url = None) -> None:
    """Call a function now, as its schedule would."""
    with honest():
        answer = Gateway.find(url).admin("POST", f"/schedules/{name}/run")
    print(f"{name} is called; `functions calls {name}` shows what became of call {answer['call']}")


@app.command()
def pause(name: Name, url: Url = None) -> None:
    """Make no calls of this schedule until it is resumed."""
    with honest():
        Gateway.find(url).admin("POST", f"/schedules/{name}/pause")
    print(f"{name} is paused")


@app.command()
def resume(name: Name, url: Url = None) -> None:
    """Go on with a schedule; what was not called meanwhile is not made up for."""
    with honest():
        Gateway.find(url).admin("POST", f"/schedules/{name}/resume")
    print(f"{name} goes on")


def calls(
    target: Annotated[str, typer.Argument(help="Function, or a webhook's address; without it all")] = "",
    dead: Annotated[bool, typer.Option("--dead", help="Only calls that were given up")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Latest calls to show")] = 50,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show calls by schedules, changes of tables and webhooks: their attempts and what became of them."""
    from urllib.parse import quote

    with honest():
        state = "dead" if dead else ""
        rows = Gateway.find(url).admin("GET", f"/calls?target={quote(target)}&state={state}&limit={limit}")
    if as_json:
        print(json.dumps(rows))
        return
    table: list[tuple[str, ...]] = [("ID", "SOURCE", "TARGET", "FOR", "STATE", "ERROR")]
    for row in rows:
        made = row["slot"] or row["created_at"]
        table.append((str(row["id"]), row["source"], row["target"], made, _state(row), row["error"] or ""))
    print_table(table)


def retry(id: Annotated[int, typer.Argument(help="Number of a call")], url: Url = None) -> None:
    """Make a call again that was given up or missed."""
    with honest():
        Gateway.find(url).admin("POST", f"/calls/{id}/retry")
    print(f"call {id} is made again")


def dismiss(target: Annotated[str, typer.Argument(help="Function, or a webhook's address")], url: Url = None) -> None:
    """Have calls of it that were given up alarm no more."""
    with honest():
        answer = Gateway.find(url).admin("POST", "/dismissals", json.dumps({"target": target}).encode())
    print(f"{answer['dismissed']} calls of {target} are seen to")


def _state(row: dict[str, Any]) -> str:
    attempts = f", {row['attempts']} attempts" if row["attempts"] > 1 else ""
    status = f" {row['status']}" if row["status"] else ""
    return f"{row['state']}{status}{attempts}"
