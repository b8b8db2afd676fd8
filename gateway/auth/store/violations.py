"""Which rule of schema `auth` a statement broke, and which step of an answer failed.

A unique rule is known by schema, table and name together, and only where the statement itself broke it: the tables of
the application have unique rules too, and its triggers run inside these statements. Nothing else in auth looks at a
unique violation (a test holds that), so a taken user name can never be told as a taken address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

from gateway.auth.store import users
from gateway.database import DatabaseError

UNIQUE: Final = "23505"


class Taken(Enum):
    """What somebody else has already."""

    USER = "an id"
    EMAIL = "an address"
    PHONE = "a number"
    IDENTITY = "an identity at a provider"
    FACTOR = "a factor's name or number"
    PASSKEY = "a passkey"
    PROVIDER = "a provider's identifier"


_RULES: Final[Mapping[tuple[str | None, str | None], Taken]] = {
    ("users", "users_pkey"): Taken.USER,
    ("users", "users_email_partial_key"): Taken.EMAIL,
    ("users", "users_phone_key"): Taken.PHONE,
    ("identities", "identities_provider_id_provider_unique"): Taken.IDENTITY,
    ("mfa_factors", "mfa_factors_user_friendly_name_unique"): Taken.FACTOR,
    ("mfa_factors", "unique_phone_factor_per_user"): Taken.FACTOR,
    ("webauthn_credentials", "webauthn_credentials_credential_id_key"): Taken.PASSKEY,
    ("custom_oauth_providers", "custom_oauth_providers_identifier_key"): Taken.PROVIDER,
}


def taken(error: DatabaseError) -> Taken | None:
    """What a broken unique rule of ours means; None for every other error."""
    if error.sqlstate != UNIQUE or error.schema != "auth" or error.context:
        return None
    return _RULES.get((error.table, error.constraint))


_STEP: Final = re.compile(r'\s*(insert)\s+into\s+"?auth"?\."?(\w+)|\s*(update)\s+"?auth"?\."?(\w+)'
                          r'|\s*(delete)\s+from\s+"?auth"?\."?(\w+)', re.IGNORECASE)  # fmt: skip


def step_of(error: DatabaseError) -> tuple[str, str] | None:
    """What the statement that failed does (insert, update, delete, sign in) and to which table of schema `auth`.

    >>> error = DatabaseError("P0001", "no")
    >>> error.statement = 'insert into "auth"."users" ("id") values ($1)'
    >>> step_of(error)
    ('insert', 'users')
    """
    if error.statement is None:
        return None
    if error.statement == users.signed_in("", 0).text:
        return ("sign in", "users")
    found = _STEP.match(error.statement)
    if found is None:
        return None
    verb, table = (part for part in found.groups() if part is not None)
    return (verb.lower(), table)
