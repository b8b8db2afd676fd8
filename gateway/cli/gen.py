"""`gateway gen types`: the schema as types of a language, from the schema cache."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gateway.catalog import python, typescript
from gateway.catalog.load import load
from gateway.catalog.model import SchemaCache
from gateway.cli.common import fail, load_settings, owner_url
from gateway.database import Database, DatabaseError, DatabaseUnavailable
from gateway.settings import Settings

gen_app = typer.Typer(help="Generated code.", no_args_is_help=True)


class Language(StrEnum):
    typescript = "typescript"
    python = "python"


@gen_app.callback()
def group() -> None:
    """Generated code."""


@gen_app.command("types")
def types(
    lang: Annotated[Language, typer.Option(help="Language of the types")] = Language.typescript,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output if not given")] = None,
) -> None:
    """Types of every table, view and function of the exposed schemas, in the official clients' format."""
    settings = load_settings()
    try:
        cache = asyncio.run(_cache(settings, owner_url(settings)))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the catalogue could not be read: {error.message}")
    generate = typescript.generate if lang is Language.typescript else python.generate
    text = generate(cache, settings)
    if out is None:
        print(text, end="")
    else:
        out.write_text(text)


async def _cache(settings: Settings, url: str) -> SchemaCache:
    database = Database(url, size=1, core=1, application_name="gateway cli")
    try:
        return await load(database, settings)
    finally:
        await database.close()
