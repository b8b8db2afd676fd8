"""Fixtures of the auth tests: a scenario is run with a service on its own database, or on one its module shares."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.gateway.auth.service import Auth, serving

Scenario = Callable[[Auth], Awaitable[None]]
_numbers = itertools.count()
# As a replica no trigger runs, so that even the audit log can be emptied: that much a superuser may do.
EMPTY = """
set session_replication_role = replica;
truncate auth.users, auth.sessions, auth.refresh_tokens, auth.audit_log_entries, auth.flow_state, auth.oauth_clients,
  auth.custom_oauth_providers, gateway.throttle,
  jobs.procrastinate_jobs cascade
"""


class WithAuth(Protocol):
    """Runs a scenario; settings are given by their field names."""

    def __call__(self, scenario: Scenario, **settings: Any) -> None: ...


def _runner(url: str, folder: Path) -> WithAuth:
    def run(scenario: Scenario, **settings: Any) -> None:
        async def serve() -> None:
            async with serving(url, folder, **settings) as auth:
                await scenario(auth)

        asyncio.run(serve())

    return run


@pytest.fixture
def with_fresh_auth(database_url: str, tmp_path: Path) -> WithAuth:
    """Run scenarios on a database of their own, for those that change its schema."""
    return _runner(database_url, tmp_path)


@pytest.fixture(scope="module")
def auth_database(server: Server, template: str) -> Iterator[str]:
    """URL of the database that a module's tests share."""
    name = f"auth_{os.getpid()}_{next(_numbers)}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture
def with_auth(auth_database: str, tmp_path: Path) -> WithAuth:
    """Run scenarios on an empty database; several in one test share it and their keys."""
    with SyncConnection(auth_database) as connection:
        connection.script(EMPTY)
    return _runner(auth_database, tmp_path)


@pytest.fixture(scope="module")
def with_shared_auth(auth_database: str, tmp_path_factory: pytest.TempPathFactory) -> WithAuth:
    """Run scenarios on a database that is not emptied, for cases that leave no trace that matters."""
    return _runner(auth_database, tmp_path_factory.mktemp("keys"))
