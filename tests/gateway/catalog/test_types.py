"""Generated types say what the schema says, and compile."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import pytest
from pydantic import ValidationError

from gateway.catalog import golang, python, typescript
from gateway.catalog.model import SchemaCache
from gateway.catalog.type_facts import load_facts
from gateway.database import SyncConnection
from tests.fixtures.contract import MAIN, SETTINGS, Harbours, load_cache
from tests.fixtures.db import Server

ROOT = Path(__file__).parents[3]
COMPILER = ROOT / "supabase-compat" / "node_modules" / ".bin" / "tsc"
SAMPLES = Path(__file__).parent / "types"
CLIENT = ROOT / "supabase-compat" / "node_modules" / "@supabase" / "supabase-js"

USES = """
import { createClient } from "@supabase/supabase-js"
import { Constants, type Database, type Enums, type Tables, type TablesInsert, type TablesUpdate } from "./types"

const client = createClient<Database, "harbor">("http://localhost", "key", { db: { schema: "harbor" } })

export async function read() {
  const { data } = await client.from("ships").select("id, name, kind, owners(name), sailors(name)").single()
  if (data === null) return
  const id: number = data.id
  const kind: "ferry" | "tug" | "trawler" | "tanker" | null = data.kind
  const owner: string | undefined = data.owners?.name
  const sailors: string[] = data.sailors.map((sailor) => sailor.name)
  // @ts-expect-error ships have no colour
  data.colour
  return [id, kind, owner, sailors]
}

export async function call() {
  const { data } = await client.rpc("add", { a: 1 })
  const sum: number | null = data
  const { data: found } = await client.rpc("find_ships", { term: "x" })
  const names: string[] | undefined = found?.map((ship) => ship.name)
  const { data: tallies } = await client.rpc("tallies")
  const amount: number | undefined = tallies?.[0]?.amount
  // @ts-expect-error a is needed
  await client.rpc("add", { b: 1 })
  return [sum, names, amount]
}

export const note: TablesInsert<"notes"> = { body: "all else has a default" }
export const change: TablesUpdate<{ schema: "annex" }, "sheds"> = { port_id: 3 }
export const ship: Tables<"ship_names">["ship"] = 1
export const label: Tables<"ships">["label"] = "computed"
export const kind: Enums<"ship_kind"> = Constants.harbor.Enums.ship_kind[0]
// @ts-expect-error a body is needed
export const empty: TablesInsert<"notes"> = {}
// @ts-expect-error a generated column takes no value
export const area: TablesInsert<"crates"> = { width: 1, area: 3 }
"""


@pytest.fixture(scope="session")
def module(harbour: SchemaCache) -> ModuleType:
    made = ModuleType("harbour_types")
    sys.modules[made.__name__] = made
    exec(compile(python.generate(harbour, SETTINGS), "harbour_types.py", "exec"), made.__dict__)
    return made


@pytest.fixture(scope="session")
def harbour_types(harbours: Harbours) -> str:
    """The harbour's types, of the run's own server."""
    with SyncConnection(harbours.owner(MAIN)) as connection:
        facts = load_facts(connection, SETTINGS.db_schemas)
    return typescript.generate(facts, load_cache(harbours.login(MAIN)), "14.17")


def test_typescript_compiles_against_the_official_client(harbour_types: str, tmp_path: Path) -> None:
    (tmp_path / "types.ts").write_text(harbour_types)
    (tmp_path / "uses.ts").write_text(USES)
    modules = tmp_path / "node_modules" / "@supabase"
    modules.mkdir(parents=True)
    (modules / "supabase-js").symlink_to(CLIENT)
    options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"]
    done = subprocess.run(
        [str(COMPILER), *options, "--target", "es2022", "--lib", "es2022,dom", "uses.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_typescript_lists_the_foreign_keys_of_a_relation(harbour_types: str) -> None:
    assert (
        """            foreignKeyName: "passports_ship_fkey"
            columns: ["ship_id"]
            isOneToOne: true
            referencedRelation: "ships"
            referencedColumns: ["id"]
"""
        in harbour_types
    )


def test_typescript_quotes_odd_names(harbour_types: str) -> None:
    assert '"Odd Names": {' in harbour_types
    assert '          "a.b": string | null\n' in harbour_types


def test_typescript_says_what_the_official_generator_says(server: Server) -> None:
    """`official.ts` is what the official CLI 3.1.0 writes of `official.sql`; a formatter's choices do not count."""
    name = f"types_{os.getpid()}"
    url = server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
        admin.script(f'create database "{name}"')
    try:
        with SyncConnection(url) as connection:
            connection.script((SAMPLES / "official.sql").read_text())
            facts = load_facts(connection, ("public", "api"))
        settings = replace(SETTINGS, db_schemas=("public", "api"), db_extra_search_path=())
        made = typescript.generate(facts, load_cache(url, settings))
    finally:
        with server.admin() as admin:
            admin.script(f'drop database if exists "{name}" with (force)')
    assert words(made) == words((SAMPLES / "official.ts").read_text())


@pytest.mark.parametrize("sample", ["official", "go"])
def test_go_is_what_the_official_generator_writes(server: Server, sample: str) -> None:
    """The files in Go are what the official CLI 3.1.0 writes of those in SQL, byte for byte."""
    name = f"go_types_{sample}_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
        admin.script(f'create database "{name}"')
    try:
        with SyncConnection(server.database(name)) as connection:
            connection.script((SAMPLES / f"{sample}.sql").read_text())
            facts = load_facts(connection, ("public", "api"))
    finally:
        with server.admin() as admin:
            admin.script(f'drop database if exists "{name}" with (force)')
    assert golang.generate(facts) == (SAMPLES / f"{sample}.go").read_text()


def words(text: str) -> list[str]:
    """A module's words, less what a formatter is free to choose: spaces, commas, semicolons, quotes and brackets."""
    text = re.sub(r"'(\w+)'", r'"\1"', text)
    text = re.sub(r'"([A-Za-z_]\w*)"(?=\??:)', r"\1", text)
    text = re.sub(r"\(([^()|&]*)\)\[\]", r"\1[]", text)
    text = re.sub(r"(?<=:)\s*\|", "", text)
    return re.findall(r'"(?:\\.|[^"\\])*"|\w+|[^\s\w,;]', text)


def test_python_models_read_rows(module: ModuleType) -> None:
    nothing = dict.fromkeys(("owner_id", "home_port", "next_port", "built", "length", "active", "berth", "docked"))
    row = {**nothing, "id": 1, "name": "Aurora", "kind": "ferry", "tags": ["fast"], "specs": {"crew": 12}}
    ship = module.HarborShips.model_validate(row)
    assert (ship.name, ship.kind, ship.tags) == ("Aurora", "ferry", ["fast"])


def test_python_models_refuse_what_the_schema_refuses(module: ModuleType) -> None:
    with pytest.raises(ValidationError):
        module.HarborPassports.model_validate({"ship_id": 1, "number": None})


def test_python_fields_with_odd_names_have_aliases(module: ModuleType) -> None:
    fields = module.HarborOddNames.model_fields
    assert {name: field.alias for name, field in fields.items()} == {
        "Id": "Id", "a_b": "a.b", "x_y": "x y", "say__hi_": 'say "hi"', "Größe": "Größe", "order": "order",
        "select": "select", "colon": ":colon",
    }  # fmt: skip


def test_python_inserts_need_what_has_no_default(module: ModuleType) -> None:
    insert = module.HarborNotesInsert
    assert insert.__required_keys__ | insert.__optional_keys__ == {"id", "body", "author", "stars", "made"}
    hints = get_type_hints(insert, vars(module), include_extras=True)
    assert hints["body"] is str
    assert "NotRequired" in str(hints["author"])


def test_python_inserts_leave_out_generated_columns(module: ModuleType) -> None:
    assert set(module.HarborCratesInsert.__annotations__) == {"width", "height"}
