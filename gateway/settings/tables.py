"""The tables API, in the names of PostgREST."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gateway.claims import role_claim as claims
from gateway.settings.rows import ConfigFault, Seconds, parse_list, setting

_SYSTEM_SCHEMAS: Final = ("pg_catalog", "information_schema")


def _parse_claim_path(raw: Any) -> str:
    try:
        claims.parse(str(raw))
    except ValueError as error:
        raise ConfigFault(str(error)) from None
    return str(raw)


def _parse_schemas(raw: Any) -> tuple[str, ...]:
    schemas = parse_list(raw)
    refused = next((schema for schema in schemas if schema in _SYSTEM_SCHEMAS), None)
    if refused is not None:
        raise ConfigFault(f"db-schemas does not allow schema: '{refused}'")
    return schemas


def _parse_verbosity(raw: Any) -> str:
    if raw not in ("verbose", "minimal"):
        raise ConfigFault("Invalid client-error-verbosity. Check your configuration.")
    return str(raw)


@dataclass(frozen=True)
class TableSettings:
    """Fields of `Settings`."""

    db_schemas: tuple[str, ...] = setting(
        ("public",), "Exposed schemas", "PGRST_DB_SCHEMAS", "PGRST_DB_SCHEMA", parse=_parse_schemas
    )
    db_extra_search_path: tuple[str, ...] = setting(
        ("public", "extensions"), "Added to the search path", "PGRST_DB_EXTRA_SEARCH_PATH"
    )
    db_anon_role: str = setting("anon", "Role of requests without a token; empty refuses them", "PGRST_DB_ANON_ROLE")
    db_max_rows: int | None = setting(
        1000, "Most rows a response holds; empty for no limit", "PGRST_DB_MAX_ROWS", "PGRST_MAX_ROWS"
    )
    db_aggregates_enabled: bool = setting(False, "Allow aggregate functions in select", "PGRST_DB_AGGREGATES_ENABLED")
    db_plan_enabled: bool = setting(False, "Allow the plan media type", "PGRST_DB_PLAN_ENABLED")
    db_tx_end: str = setting(
        "commit",
        "How transactions end",
        "PGRST_DB_TX_END",
        choices=("commit", "commit-allow-override", "rollback", "rollback-allow-override"),
    )
    db_pre_request: str = setting("", "Function to run before each request", "PGRST_DB_PRE_REQUEST")
    db_root_spec: str = setting("", "Function that answers the root path", "PGRST_DB_ROOT_SPEC")
    db_channel: str = setting("pgrst", "Channel of reload notifications", "PGRST_DB_CHANNEL")
    db_channel_enabled: bool = setting(True, "Listen for reload notifications", "PGRST_DB_CHANNEL_ENABLED")
    db_config: bool = setting(True, "Read pgrst.* settings of the login role", "PGRST_DB_CONFIG")
    db_pre_config: str = setting("", "Function that sets pgrst.* settings at load", "PGRST_DB_PRE_CONFIG")
    db_hoisted_tx_settings: tuple[str, ...] = setting(
        ("statement_timeout", "plan_filter.statement_cost_limit", "default_transaction_isolation"),
        "Function settings applied to the whole transaction",
        "PGRST_DB_HOISTED_TX_SETTINGS",
    )
    db_pool: int = setting(10, "Most connections of the tables API", "PGRST_DB_POOL")
    db_pool_writes: int = setting(
        8,
        "Most connections beside those for what writes, and at most twice as many: commits that wait for the disk"
        " together share the wait, and hold up no read. More of them pay where the disk is slow: where it is quick, an"
        " insert takes the processor a fifth more at 16. They are opened when needed; 0 lets reads and writes share",
        "GATEWAY_DB_POOL_WRITES",
    )
    db_pool_acquisition_timeout: float = setting(
        10.0, "Seconds to wait for a connection", "PGRST_DB_POOL_ACQUISITION_TIMEOUT"
    )
    db_pool_max_lifetime: Seconds = setting(
        1800.0, "How long a connection is used; one that is in use is not closed", "PGRST_DB_POOL_MAX_LIFETIME"
    )
    db_pool_max_idletime: Seconds = setting(
        30.0,
        "How long a connection beyond the first two stays open unused",
        "PGRST_DB_POOL_MAX_IDLETIME",
        "PGRST_DB_POOL_TIMEOUT",
    )
    db_pool_automatic_recovery: bool = setting(
        True, "Open another connection for one that is lost; false ends the gateway", "PGRST_DB_POOL_AUTOMATIC_RECOVERY"
    )
    db_pool_share: float = setting(
        0.5,
        "Part of these connections that one address may hold, but for holders of a secret key; 1 for no limit",
        "GATEWAY_DB_POOL_SHARE",
    )
    openapi_mode: str = setting(
        "follow-privileges",
        "What the OpenAPI root shows",
        "PGRST_OPENAPI_MODE",
        choices=("follow-privileges", "ignore-privileges", "disabled"),
    )
    openapi_security_active: bool = setting(False, "Name the bearer scheme in OpenAPI", "PGRST_OPENAPI_SECURITY_ACTIVE")
    openapi_server_proxy_uri: str = setting("", "Public base URL in OpenAPI", "PGRST_OPENAPI_SERVER_PROXY_URI")
    jwt_aud: str = setting("", "Audience that table tokens must name; empty for any", "PGRST_JWT_AUD")
    jwt_role_claim_key: str = setting(
        "$.role",
        "JSON Path (RFC 9535) of the role claim",
        "PGRST_JWT_ROLE_CLAIM_KEY",
        "PGRST_ROLE_CLAIM_KEY",
        parse=_parse_claim_path,
    )
    fast_path: bool = setting(
        True,
        "Answer small requests to tables without ASGI in between, which takes less processor time; off, all requests "
        "go one way, and are answered the same",
        "GATEWAY_FAST_PATH",
    )
    caches: bool = setting(
        True, "Keep verified tokens, parsed requests and plans in memory for the next request", "GATEWAY_CACHES"
    )
    jwt_cache_max_entries: int = setting(10_000, "Verified tokens remembered", "PGRST_JWT_CACHE_MAX_ENTRIES")
    app_settings: dict[str, str] = setting({}, "PGRST_APP_SETTINGS_NAME becomes app.settings.name in SQL")
    server_timing_enabled: bool = setting(False, "Send Server-Timing", "PGRST_SERVER_TIMING_ENABLED")
    client_error_verbosity: str = setting(
        "verbose",
        "What errors of the tables API tell clients: verbose, or minimal for code and message alone",
        "PGRST_CLIENT_ERROR_VERBOSITY",
        parse=_parse_verbosity,
    )
    url_use_legacy_target_names: bool = setting(
        True,
        "Filters, orders and limits may name an embed that has an alias by its relation; such answers carry a Warning",
        "PGRST_URL_USE_LEGACY_TARGET_NAMES",
    )
    cors_allowed_origins: tuple[str, ...] = setting(
        (), "Origins allowed by CORS; empty for all", "PGRST_SERVER_CORS_ALLOWED_ORIGINS"
    )
