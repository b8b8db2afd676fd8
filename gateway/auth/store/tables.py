"""The tables of schema `auth` as PyPika knows them, and the two shapes that most of their statements have."""

from __future__ import annotations

from typing import Final, LiteralString, cast

from pypika import Table
from pypika.dialects import PostgreSQLQueryBuilder
from pypika.terms import Term

from gateway.database.sql import Fragment, StatementTemplate, insert_into, parameter, select_from, sql, template

NO_INSTANCE: Final = "00000000-0000-0000-0000-000000000000"

USERS: Final = Table("users", schema="auth")
IDENTITIES: Final = Table("identities", schema="auth")
SESSIONS: Final = Table("sessions", schema="auth")
REFRESH_TOKENS: Final = Table("refresh_tokens", schema="auth")
AMR_CLAIMS: Final = Table("mfa_amr_claims", schema="auth")
FACTORS: Final = Table("mfa_factors", schema="auth")
CHALLENGES: Final = Table("mfa_challenges", schema="auth")
ONE_TIME_TOKENS: Final = Table("one_time_tokens", schema="auth")
FLOW_STATES: Final = Table("flow_state", schema="auth")
AUDIT_LOG: Final = Table("audit_log_entries", schema="auth")
PASSKEYS: Final = Table("webauthn_credentials", schema="auth")
PASSKEY_CHALLENGES: Final = Table("webauthn_challenges", schema="auth")
OAUTH_CLIENTS: Final = Table("oauth_clients", schema="auth")
OAUTH_AUTHORIZATIONS: Final = Table("oauth_authorizations", schema="auth")
OAUTH_CONSENTS: Final = Table("oauth_consents", schema="auth")
CUSTOM_PROVIDERS: Final = Table("custom_oauth_providers", schema="auth")
SSO_PROVIDERS: Final = Table("sso_providers", schema="auth")
API_KEY_USES: Final = Table("api_key_uses", schema="gateway")

TRUE: Final = sql("true")
NULL: Final = sql("null")


def insert_row(table: Table, *columns: LiteralString, **named: LiteralString) -> PostgreSQLQueryBuilder:
    """Insert one row. Columns are parameters of their own names; `named` ones have other names, such as `now`."""
    parameters: dict[str, Fragment] = {column: parameter(column) for column in columns}
    parameters |= {column: parameter(name) for column, name in named.items()}
    return cast(PostgreSQLQueryBuilder, insert_into(table).columns(*parameters).insert(*parameters.values()))


def delete_where(table: Table, condition: Term) -> StatementTemplate:
    """Delete the rows of a condition."""
    return template(select_from(table).delete().where(condition))
