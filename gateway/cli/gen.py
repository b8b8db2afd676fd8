"""`gateway gen types`: the schema as types of a language, from the schema cache."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gateway.catalog import golang, python, typescript
from gateway.catalog.load import load
from gateway.catalog.model import SchemaCache
from gateway.catalog.type_facts import load_facts
from gateway.cli.common import fail, load_settings, owner_url
from gateway.database import Database, DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.settings import Settings

gen_app = typer.Typer(help="Generated code.", no_args_is_help=True)


class Language(StrEnum):
    typescript = "typescript"
    python = "python"
    go = "go"
    swift = "swift"
    dart = "dart"


# Those that are not written here: the official CLI has them from other tools, from this database, too.
_ELSEWHERE = frozenset({Language.swift, Language.dart})


@gen_app.callback()
def group() -> None:
    """Generated code."""


@gen_app.command("types")
def types(
    lang: Annotated[Language, typer.Option(help="Language of the types")] = Language.typescript,
    out: Annotated[Path | None, typer.Option(help="File to write; standard output if not given")] = None,
    schema: Annotated[str, typer.Option("--schema", "-s", help="Schemas in place of those exposed: a,b")] = "",
    db_url: Annotated[str, typer.Option("--db-url", "--remote", help="Address of another database")] = "",
    local: Annotated[bool, typer.Option("--local", help="The database here, as without it")] = False,
    postgrest_version: Annotated[
        str, typer.Option(help="Say in the types which PostgREST answers, as those of a hosted project do")
    ] = "",
) -> None:
    """Types of every table, view and function of the exposed schemas, equal to the official generator's."""
    del local
    if lang in _ELSEWHERE:
        fail(
            f"types for {lang} are not written here (unsupported_language): the official CLI writes them, from the"
            f' address that the banner prints: supabase gen types --lang {lang} --db-url "$DATABASE_URL"'
        )
    settings = load_settings()
    if schema:
        settings = replace(settings, db_schemas=tuple(name.strip() for name in schema.split(",") if name.strip()))
    else:  # an empty schema of the platform's, which the official generator leaves out too
        settings = replace(settings, db_schemas=tuple(each for each in settings.db_schemas if each != "graphql_public"))
    url = db_url or owner_url(settings)
    try:
        if lang is not Language.python:
            with SyncConnection(url) as connection:
                facts = load_facts(connection, settings.db_schemas)
        if lang in (Language.typescript, Language.python):
            cache = asyncio.run(_cache(settings, url))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the catalogue could not be read: {error.message}")
    match lang:
        case Language.go:
            text = golang.generate(facts)
        case Language.python:
            text = python.generate(cache, settings)
        case _:
            text = typescript.generate(facts, cache, postgrest_version)
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
