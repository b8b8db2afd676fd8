"""The reviewed picture of the schema is the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.database import SyncConnection
from gateway.migrations.snapshot import FILE, snapshot, write_snapshot
from tests.fixtures.schema import SCHEMA


def test_the_snapshot_is_up_to_date(shared: SyncConnection) -> None:
    assert (SCHEMA / FILE).read_text(encoding="utf-8") == snapshot(shared), (
        "run `gateway db snapshot` and review its changes"
    )


@pytest.mark.parametrize(
    "change",
    [
        "alter table public.quarantine add column note text",
        "alter table public.quarantine alter column reason drop not null",
        "alter table public.quarantine drop constraint quarantine_form_check",
        "alter table public.quarantine disable row level security",
        "create index on public.quarantine (form)",
        "drop policy quarantine_admin_read on public.quarantine",
        "grant select on public.quarantine to anon",
        "grant insert (form) on public.quarantine to anon",
        "grant execute on function private.is_admin() to anon",
        "grant usage on schema gateway to anon",
        "alter default privileges in schema public grant select on tables to anon",
        "create or replace function private.is_admin() returns boolean language sql as 'select true'",
        "drop trigger blog_posts_keep_slug on public.blog_posts",
        "drop event trigger pgrst_ddl_watch",
        "comment on domain public.html is 'anything'",
        "alter type auth.aal_level add value 'aal4'",
        "create type public.pair as (a int, b int)",
        "create view public.v as select 1 as one",
        "create sequence public.numbers",
    ],
)
def test_no_change_goes_unseen(shared: SyncConnection, connection: SyncConnection, change: str) -> None:
    connection.script(change)
    assert snapshot(connection) != snapshot(shared)


def test_the_file_is_rebuilt(shared: SyncConnection, tmp_path: Path) -> None:
    write_snapshot(shared, tmp_path / "snapshot.sql")
    assert (tmp_path / "snapshot.sql").read_text(encoding="utf-8") == snapshot(shared)
