"""How long a statement of an API role may take, unless somebody said so before."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.fixtures.schema import migrate

TIMEOUTS = (
    "select rolname, unnest(setconfig) from pg_db_role_setting join pg_roles on pg_roles.oid = setrole"
    " where array_to_string(setconfig, ' ') like 'statement_timeout=%' order by 1, 2"
)


def test_roles_that_were_there_get_the_timeouts_of_hosted_projects_and_keep_their_own() -> None:
    folder = Path(tempfile.mkdtemp(prefix="gw-time-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            connection.script("create role anon; create role authenticated; create role authenticator login noinherit")
            connection.script("alter role authenticated in database postgres set statement_timeout = '30s'")
            migrate(connection)
            assert connection.rows(TIMEOUTS) == [
                ("anon", "statement_timeout=3s"),
                ("authenticated", "statement_timeout=30s"),
                ("authenticator", "statement_timeout=8s"),
            ]
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
