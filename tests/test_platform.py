"""The platform (the gateway, its migrations, the functions' runner) knows nothing of the application on it.

What it must not know is read off the application: names in its schema, of its functions and forms, of its company.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from functions.shared import company
from gateway import migrations
from gateway.database import SyncConnection

ROOT: Final = Path(__file__).parents[1]
PLATFORM: Final = (ROOT / "gateway", ROOT / "functions" / "runner")
# Files of which no word is ours, and what is no text.
ASIDE: Final = {"requirements.lock", "common_passwords.txt"}
SUFFIXES: Final = {".py", ".ts", ".sql", ".html", ".txt", ".json", ".toml", ".js", ".css", ".md", ""}

# What no catalog says: what the company does, and what its site is made of.
WORDS: Final = {"waste", "newsletter", "quarantine", "insights", "blog", "blog_post", "lead_", "leads", "quote-request"}
# Names of the application that are everybody's words; each is one that the platform says of something else.
EVERYBODYS: Final = {"first_name", "html", "is_held", "last_name", "per_hour", "replaced_at"}

# Every object of the application: what stands in schemas that the platform has made none in.
OBJECTS: Final = """
select relname from pg_class where relnamespace in (select oid from schemas)
union select proname from pg_proc where pronamespace in (select oid from schemas)
union select typname from pg_type where typnamespace in (select oid from schemas) and typname !~ '^_'
union select tgname from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace in (select oid from schemas) and not tgisinternal
union select polname from pg_policy join pg_class on pg_class.oid = polrelid
  where relnamespace in (select oid from schemas)
union select conname from pg_constraint where connamespace in (select oid from schemas)
"""
SCHEMAS: Final = """
with schemas as (select oid from pg_namespace where nspname in ('public', 'private'))
"""
# A column's name is the application's if no table of the platform has one like it; those of one word are everybody's.
COLUMNS: Final = """
select attname from pg_attribute join pg_class on pg_class.oid = attrelid
where relnamespace in (select oid from schemas) and attnum > 0 and attname ~ '_' and not attisdropped
except
select attname from pg_attribute join pg_class on pg_class.oid = attrelid
where relnamespace not in (select oid from schemas) and attnum > 0
"""


def of_the_schema(connection: SyncConnection) -> set[str]:
    return {str(name) for query in (OBJECTS, COLUMNS) for (name,) in connection.rows(SCHEMAS + query)} - EVERYBODYS


def of_functions() -> set[str]:
    """Names of functions and forms; those of one word are everybody's."""
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/function.toml")}
    forms = {json.loads(path.read_text())["form"] for path in (ROOT / "functions").glob("*/*.form.json")}
    return {name for name in folders | forms if "-" in name}


def of_the_company() -> set[str]:
    values = {value for name, value in vars(company).items() if name.isupper() and isinstance(value, str)}
    settings = tomllib.loads((ROOT / ".gateway.toml").read_text())
    values |= {value for value in settings.values() if isinstance(value, str)}
    hosts = {value.partition("@")[2].removesuffix(".example") for value in values if "@" in value}
    addresses = set(settings.get("site_pages", {})) - {"/sitemap.xml", "/feed.xml"}
    return values | hosts | addresses


def files() -> Iterator[Path]:
    for folder in PLATFORM:
        for path in sorted(folder.rglob("*")):
            if (
                path.is_file()
                and path.suffix in SUFFIXES
                and path.name not in ASIDE
                and "__pycache__" not in path.parts
            ):
                yield path


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names as a word: a plural is one, a longer word that only begins or ends so is none."""
    longest_first = sorted(names, key=len, reverse=True)
    each = (re.escape(name) + ("" if name.endswith("_") else r"(?!\w)") for name in longest_first)
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})", re.IGNORECASE)


def findings(paths: Iterable[Path], known: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{number}: {found[0]}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for found in known.finditer(line)
    ]


@pytest.fixture
def names(connection: SyncConnection) -> set[str]:
    return of_the_schema(connection) | of_functions() | of_the_company() | WORDS


def test_the_platform_names_nothing_of_the_application(names: set[str]) -> None:
    assert {"contact_messages", "is_admin", "facility_name", "submit-quote", "quick-start", company.NAME} <= names
    found = findings(files(), pattern(names))
    assert not found, "\n".join(found)


def test_whatever_is_named_is_found(names: set[str], tmp_path: Path) -> None:
    """Every name, planted in a file of its own in several ways."""
    known = pattern(names)
    for number, name in enumerate(sorted(names)):
        for way in (f"select * from {name}x;\n" if name.endswith("_") else f"x = '{name}'\n", f'# "{name.upper()}"\n'):
            planted = tmp_path / f"{number}.py"
            planted.write_text(f"first = 1\n{way}")
            assert findings([planted], known), name


def test_no_file_of_the_platform_is_left_out() -> None:
    looked_at = set(files())
    assert {path.suffix for path in looked_at} >= {".py", ".sql", ".html", ".txt"}
    assert len([path for path in looked_at if path.suffix == ".sql"]) == len(list((ROOT / "gateway").rglob("*.sql")))
    everything = {path for folder in PLATFORM for path in folder.rglob("*") if path.is_file()}
    left = {path for path in everything - looked_at if "__pycache__" not in path.parts and path.name not in ASIDE}
    assert {path.suffix for path in left} <= {".typed", ".woff2", ".control", ".png", ".ico"} | {".typed"}, left


def test_the_platform_makes_nothing_in_schemas_that_users_make(connection: SyncConnection) -> None:
    """Its migrations alone leave `public` empty and make no schema `private`."""
    connection.script(
        "do $$ declare name text; begin for name in select nspname from pg_namespace"
        " where nspname !~ '^pg_' and nspname <> 'information_schema' loop"
        " execute format('drop schema %I cascade', name); end loop; end $$; create schema public"
    )
    migrations.migrate(connection, (migrations.platform(),))
    assert connection.rows("select to_regnamespace('private')") == [(None,)]
    assert connection.rows(f"{SCHEMAS} select count(*) from ({OBJECTS}) as objects") == [("0",)]
