"""A database without the gateway's schema: what a copy does with it takes a fraction of a second."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server

_numbers = itertools.count()


@pytest.fixture
def bare_url(server: Server) -> Iterator[str]:
    """URL (superuser) of an empty database, dropped after the test."""
    name = f"bare_{os.getpid()}_{next(_numbers)}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture
def bare(bare_url: str) -> Iterator[SyncConnection]:
    """A connection to it."""
    with SyncConnection(bare_url) as opened:
        yield opened
