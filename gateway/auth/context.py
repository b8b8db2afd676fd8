"""What a handler works with: the core, and three that work for it.

Handlers take `(context, call)` and answer a Response. They collect Statements and run them together, so that a change,
its audit row and its mail commit as one.
"""

from __future__ import annotations

from collections.abc import Callable

from gateway.auth.core import AuthCore
from gateway.auth.guards import Guards
from gateway.auth.messages import Messages
from gateway.auth.outbound.mailer import Mailer
from gateway.auth.sessions import Sessions
from gateway.database import Database
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings


class Context(AuthCore):
    """One worker's."""

    def __init__(
        self, settings: Settings, db: Database, keys: KeyRing, mailer: Mailer, clock: Callable[[], float]
    ) -> None:
        super().__init__(settings, db, keys, clock)
        self.guards = Guards(self)
        self.messages = Messages(self, mailer)
        self.sessions = Sessions(self, self.messages)
