"""Databases as earlier versions made them: `releases/migrations` has what versions up to 0.6.0 shipped, unchanged.

They kept one ledger, `gateway.migrations`, for the gateway's files and the application's alike.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from gateway.migrations import Connection

SHIPPED: Final = Path(__file__).parent / "releases" / "migrations"
LEDGER: Final = """
create schema if not exists gateway;
revoke all on schema gateway from public;
create table if not exists gateway.migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
);
alter table gateway.migrations enable row level security;
comment on table gateway.migrations is 'Migrations applied to this database; no API role reads it';
"""


def shipped(last: str) -> list[Path]:
    """The files of the version whose last migration had this number."""
    return [path for path in sorted(SHIPPED.glob("*.sql")) if path.name[:4] <= last]


def migrate_older(connection: Connection, last: str) -> None:
    """What that version's `gateway db migrate` did to an empty database."""
    for path in shipped(last):
        text = path.read_text(encoding="utf-8")
        connection.script(f"begin; {LEDGER}")
        connection.script(text)
        insert = "insert into gateway.migrations (name, checksum) values ($1, $2)"
        connection.rows(insert, path.name, sha256(text.encode()).hexdigest())
        connection.script("commit")
