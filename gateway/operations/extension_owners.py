"""Extensions of a copy, made anew by whom they belonged to.

A dump makes extensions without a word of their owners, so they and what their scripts make would become the restoring
role's. A project's role could then neither drop nor move its own.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gateway.database import SyncConnection
from gateway.database.statement import quote_literal

_MAKES: Final = re.compile(
    rb'CREATE EXTENSION IF NOT EXISTS (?P<name>"(?:[^"]|"")+"|[\w$]+) WITH SCHEMA (?P<schema>"(?:[^"]|"")+"|[\w$]+);\n'
)
# What pg_dump writes above each object. After these kinds come those whose text is anybody's.
_HEAD: Final = re.compile(rb"-- Name: .*; Type: (?!SCHEMA;|EXTENSION;|COMMENT;|PROCEDURAL LANGUAGE;|COLLATION;)")


def owners(connection: SyncConnection) -> dict[str, str]:
    """Owners of a database's extensions, but those that Postgres makes itself. Raises DatabaseError."""
    return {
        str(name): str(owner)
        for name, owner in connection.rows(
            "select extname, pg_get_userbyid(extowner) from pg_extension where oid >= 16384 order by 1"
        )
    }


def keep(script: Path, owners: Mapping[str, str]) -> None:
    """Have the SQL of a dump make extensions as their owners, where a superuser runs it. Raises OSError."""
    changed = script.with_name(f"{script.name}.owned")
    with script.open("rb") as source, changed.open("wb") as target:
        for line in source:
            if _HEAD.match(line):
                target.write(line)
                break
            if (found := _MAKES.fullmatch(line)) and (owner := owners.get(_bare(found["name"].decode()))):
                target.write(_made_by(owner, line.decode().strip(), _bare(found["schema"].decode())).encode())
            target.write(line)
        shutil.copyfileobj(source, target)
    os.replace(changed, script)


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _made_by(owner: str, statement: str, schema: str) -> str:
    return MAKE.format(owner=quote_literal(owner), schema=quote_literal(schema), statement=statement)


# Rights come last in a dump, so the owner gets here those that making one takes, for as long as it takes. Where it may
# not make the extension on this server, the statement of the dump, which follows, does.
MAKE: Final = """\
do $make$
declare
  owner constant name := {owner};
  wanted constant name := {schema};
  lacks_schema boolean;
  lacks_database boolean;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
    or not exists (select from pg_catalog.pg_roles where rolname = owner and not rolsuper) then
    return;
  end if;
  lacks_schema := not (has_schema_privilege(owner, wanted, 'create') and has_schema_privilege(owner, wanted, 'usage'));
  lacks_database := not has_database_privilege(owner, current_database(), 'create');
  if lacks_schema then
    execute format('grant all on schema %I to %I', wanted, owner);
  end if;
  if lacks_database then
    execute format('grant create on database %I to %I', current_database(), owner);
  end if;
  begin
    perform set_config('role', owner, true);
    {statement}
    perform set_config('role', 'none', true);
  exception when insufficient_privilege or feature_not_supported then
    null;
  end;
  if lacks_schema then
    execute format('revoke all on schema %I from %I', wanted, owner);
  end if;
  if lacks_database then
    execute format('revoke create on database %I from %I', current_database(), owner);
  end if;
end
$make$;
"""
