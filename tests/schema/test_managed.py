"""A managed server gives its customer no superuser: the same schema comes out, less what only one may make."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from gateway.database import SyncConnection
from gateway.migrations.snapshot import snapshot
from tests.fixtures import schema
from tests.fixtures.db import Server


@pytest.fixture
def customer(server: Server, template: str) -> Iterator[SyncConnection]:
    """A session of a role that owns an empty database and may make roles, and no more."""
    name = f"customer_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f"create role {name} createrole createdb")
        # the API roles are there already, made for the template: their maker lends them
        services = "supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin"
        admin.script(f"grant anon, authenticated, service_role, {services} to {name}")
        admin.script(f"create database {name} owner {name}")
    with SyncConnection(server.database(name)) as connection:
        connection.script(f"set session authorization {name}")
        yield connection
    with server.admin() as admin:
        admin.script(f"drop database {name} with (force)")
        admin.script(f"drop role {name}")


def test_every_migration_runs_without_a_superuser(customer: SyncConnection) -> None:
    assert schema.migrate(customer) == schema.names()
    schema.seed(customer)
    assert customer.rows("select count(*) > 0 from public.blog_posts") == [("t",)]


def test_only_event_triggers_are_missing_without_a_superuser(
    customer: SyncConnection, connection: SyncConnection
) -> None:
    schema.migrate(customer)
    expected = [line for line in snapshot(connection).split("\n") if not line.startswith("create event trigger")]
    assert snapshot(customer).split("\n") == expected
