"""The parts of a worker by name, for modules that lie below gateway/app.py, where they are put together."""

from __future__ import annotations

from typing import Protocol

from gateway.auth.service import AuthService
from gateway.catalog.reload import SchemaCacheHolder
from gateway.functions.service import FunctionsService
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.lru_cache import Caches
from gateway.middleware.limits import Limits
from gateway.middleware.metrics import Board
from gateway.middleware.stack import Stack
from gateway.realtime.core import RealtimeCore
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from gateway.storage.service import StorageService
from gateway.worker.databases import Databases


class Parts(Protocol):
    """What `Gateway` has."""

    settings: Settings
    keys: KeyRing
    board: Board
    caches: Caches
    authenticator: Authenticator
    limits: Limits
    databases: Databases
    cache: SchemaCacheHolder
    rest: RestService
    auth: AuthService
    functions: FunctionsService
    stack: Stack
    realtime: RealtimeCore
    storage: StorageService
    schema_loads: int
