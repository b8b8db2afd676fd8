"""What the parts of the tables API that ask the database themselves have of the service, so that none imports it."""

from __future__ import annotations

from typing import Protocol

from gateway.catalog.model import SchemaCache
from gateway.database import Result
from gateway.database.statement import Statement
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.parse.request import ApiRequest
from gateway.settings import Settings


class Reader(Protocol):
    """Reads in the role of a request."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    def current_cache(self) -> SchemaCache:
        """The schema cache. Raises ApiError NO_SCHEMA_CACHE until there is one."""

    async def read(
        self, request: Request, asked: ApiRequest, identity: Identity, *statements: Statement
    ) -> list[Result]:
        """Results of statements in a read-only transaction of the request's role, with its settings."""
