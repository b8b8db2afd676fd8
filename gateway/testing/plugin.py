"""Fixtures for pytest, there wherever the gateway is installed.

def test_rows_are_private(supabase):
    ada, bea = supabase.user("ada@example.com"), supabase.user("bea@example.com")
    ada.post("/rest/v1/notes", json={"body": "mine"})
    assert bea.get("/rest/v1/notes").json() == []
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # a run that asks for no instance loads nothing of it
    from gateway.testing.client import Keeper, TestInstance


@pytest.fixture(scope="session")
def supabase_keeper(pytestconfig: pytest.Config) -> Iterator[Keeper]:
    """The keeper of the project in pytest's root folder, or above it."""
    from gateway.testing.client import Keeper, project_of

    keeper = Keeper(project_of(pytestconfig.rootpath))
    yield keeper
    keeper.close()


@pytest.fixture
def new_supabase(supabase_keeper: Keeper) -> Iterator[Callable[..., TestInstance]]:
    """Makes instances: `new_supabase(variables={"GOTRUE_DISABLE_SIGNUP": "true"}, functions=True)`."""
    with ExitStack() as stack:

        def make(**options: Any) -> TestInstance:
            return stack.enter_context(supabase_keeper.instance(**options))

        yield make


@pytest.fixture
def supabase(new_supabase: Callable[..., TestInstance]) -> TestInstance:
    """An instance of the project for this test alone: migrated, seeded, served, gone at its end."""
    return new_supabase()
