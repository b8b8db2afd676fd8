"""The services' own logins: roles without superuser rights, with passwords that the gateway gives them.

A superuser's session stays one beneath any role it takes on: whoever gets SQL of his own run in it, such as the caller
of a function with dynamic SQL, takes it back by `set session authorization`. So the tables API logs in as
`authenticator`, the auth API as `supabase_auth_admin`, the storage API as `supabase_storage_admin` and the realtime API
as `supabase_realtime_admin`, and `Database` refuses a superuser's session. What reads the log of changes logs in as
`supabase_replication_admin` and runs nothing of anybody's.

In: the schema owner's connection (DATABASE_URL). Out: the addresses of the logins. A login that needs a password gets
one that is the same wherever the owner's address is the same: it is derived from the owner's password, or from a secret
of the key file where the owner has none. The server is sent its SCRAM verifier alone. A password that somebody else
gave the role is left as it is.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import Callable
from typing import Final

from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, password_of, user_of, with_login
from gateway.database.statement import quote_literal, quote_name

log = logging.getLogger("gateway.database.logins")

TABLES: Final = "authenticator"
AUTH: Final = "supabase_auth_admin"
STORAGE: Final = "supabase_storage_admin"
REALTIME: Final = "supabase_realtime_admin"
REPLICATION: Final = "supabase_replication_admin"
CONSOLE: Final = "gateway_console"
MARK: Final = "its password is given by the gateway"  # the role's comment, by which a password is known for ours
ATTEMPTS: Final = 20  # at a role that other gateways change at the same moment
DENIED: Final = "42501"
CHANGED_MEANWHILE: Final = "XX000"


class LoginRefused(Exception):
    """A service cannot log in as its role; the message says what to do."""


class Logins:
    """Finds or makes the address by which a service logs in as a role of its own."""

    def __init__(self, owner: SyncConnection, secret: Callable[[], str]) -> None:
        """`secret` is asked for where the owner's own connection needed no password."""
        self._owner = owner
        self._secret = secret
        ((user, superuser),) = owner.rows("select session_user, rolsuper from pg_roles where rolname = session_user")
        self._user = user or ""
        self.by_superuser = superuser == "t"

    def address(self, owned: str, role: str, setting: str) -> str | None:
        """The owner's address with the login of `role`; None where the role is missing, or is not for the owner to give
        who is no superuser. `setting` names the variable that takes a login.

        Raises LoginRefused.
        """
        if role == self._user and not self.by_superuser:
            return owned
        found = self._owner.rows(
            "select rolsuper, rolcanlogin, coalesce(shobj_description(oid, 'pg_authid') = $2, false)"
            " from pg_roles where rolname = $1",
            role,
            MARK,
        )
        if not found:
            return None
        superuser, can_login, is_ours = [value == "t" for value in found[0]]
        if superuser:
            raise LoginRefused(
                f"the role {role} is a superuser: `alter role {role} nosuperuser` before it serves anybody"
            )
        if not self._owner.used_password:
            open_address = with_login(owned, role, None)
            if can_login and _answers(open_address) is None:
                return open_address
        password = self._password(role)
        address = with_login(owned, role, password)
        if can_login and _answers(address) is None:
            return address
        if not self._give(role, password, is_ours, setting):
            return None
        reason = _answers(address)
        if reason is not None:
            raise LoginRefused(f"cannot log in as {role}: {reason}; set {setting} to an address that can")
        return address

    def admit(self, address: str, role: str, setting: str) -> None:
        """Give the role the password of an address that names it, if it has none. Raises LoginRefused."""
        password = password_of(address)
        if user_of(address) != role or not password or _answers(address) is None:
            return
        self._give(role, password, False, setting)

    def _password(self, role: str) -> str:
        key = self._owner.password or self._secret()
        return hmac.new(key.encode(), f"login\0{role}".encode(), hashlib.sha256).hexdigest()

    def _give(self, role: str, password: str, is_ours: bool, setting: str) -> bool:
        """Let the role log in by the password; False where the owner may not. Raises LoginRefused."""
        if self.by_superuser and not is_ours:
            ((taken,),) = self._owner.rows("select rolpassword is not null from pg_authid where rolname = $1", role)
            if taken == "t":
                raise LoginRefused(
                    f"the role {role} has a password that the gateway did not give it: set {setting} to its address"
                )
        verifier = quote_literal(self._owner.encrypted(password, role))
        for attempt in range(ATTEMPTS):
            try:
                with self._owner.transaction():
                    self._owner.script(f"alter role {quote_name(role)} login password {verifier}")
                    self._owner.script(f"comment on role {quote_name(role)} is {quote_literal(MARK)}")
                return True
            except DatabaseError as error:
                if error.sqlstate == DENIED:
                    return False
                if error.sqlstate != CHANGED_MEANWHILE or attempt == ATTEMPTS - 1:
                    raise
                time.sleep(0.05)
        return False


def _answers(address: str) -> str | None:
    """None where the login works, else why not."""
    try:
        SyncConnection(address, "gateway login").close()
    except DatabaseUnavailable as error:
        return error.reason
    return None
