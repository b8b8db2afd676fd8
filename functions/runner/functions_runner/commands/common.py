"""What the commands share: their options, one clear line for an error, tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from functions_runner import registry
from functions_runner.env_file import read_env_file
from functions_runner.environments import Environments
from functions_runner.installing import InstallFailed
from functions_runner.remote import Gateway
from functions_runner.types import FunctionConfig, FunctionError

Name = Annotated[str, typer.Argument(help="Name of the function")]
Dir = Annotated[Path, typer.Option("--dir", envvar="FUNCTIONS_DIR", help="Folder of functions")]
Url = Annotated[str | None, typer.Option(help="Gateway; default SUPABASE_URL, else this machine")]
Json = Annotated[bool, typer.Option("--json", help="For scripts")]

ROOT: Final = registry.folder_here()


@contextmanager
def honest() -> Iterator[None]:
    """One clear line and status 1 for every error that a person can do something about."""
    try:
        yield
    except (FunctionError, InstallFailed) as error:
        print(f"functions: {error}", file=sys.stderr)
        raise SystemExit(1) from error


def environments() -> Environments:
    """Where this machine keeps the packages of functions, as the gateway of its data folder does."""
    data = Path(os.environ.get("GATEWAY_DATA_DIR", ".gateway")) / "functions" / "environments"
    house = os.environ.get("FUNCTIONS_WHEELS")
    return Environments(
        Path(os.environ.get("FUNCTIONS_ENVIRONMENTS") or data).resolve(),
        Path(house) if house else None,
        os.environ.get("FUNCTIONS_OFFLINE", "").lower() in ("1", "true", "yes", "on"),
    )


def environment_alone(config: FunctionConfig, url: str | None) -> dict[str, str]:
    """What a function gets without a gateway around it, where it is not set yet: keys of the gateway here, and the
    variables that it names from `.env`."""
    files = (Path(os.environ.get("FUNCTIONS_ENV_FILE", ".env")), config.root / ".env")
    offered = {name: value for file in files for name, value in read_env_file(file).items()}
    named = (*config.env, *config.optional_env) or (tuple(offered) if config.is_script else ())
    found = {**Gateway.find(url).environ(), **{name: offered[name] for name in named if name in offered}}
    return {name: value for name, value in found.items() if name not in os.environ}


def shown(path: Path) -> Path:
    """A path as somebody in this folder would write it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Rows under their headings, in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
