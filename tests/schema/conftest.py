"""A database shared by the tests of one file; each leaves it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest, server: Server, template: str) -> Iterator[SyncConnection]:
    """A superuser's connection to a migrated database without rows, for all tests of the file."""
    name = f"{template}_{request.node.path.stem}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        yield connection
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def scratch(shared: SyncConnection) -> Iterator[SyncConnection]:
    """The shared connection inside a transaction that is rolled back."""
    shared.script("begin")
    yield shared
    shared.script("rollback")
