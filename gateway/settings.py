"""Settings: one typed row per variable, read once from the environment over a TOML file.

Names follow the originals where they have one (`PGRST_*`, `GOTRUE_*`). `Settings.load` reports every fault together
as `SettingsError`. Nothing else reads the environment. A TOML file (`GATEWAY_CONFIG`, default `.gateway.toml`) holds
the same names at its top level, in either case.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NewType, get_type_hints

from gateway.claims import role_claim as claims
from gateway.http.unix_client import address_of

# A length of time; settings take `24h`, `1h30m`, `90s` or a plain number of seconds.
Seconds = NewType("Seconds", float)


MAX_FILE: Final = 1_000_000  # bytes of a file that holds a setting


class FileFault(ValueError):
    """A file that should hold a setting cannot be read. What is said names the file alone, so it may be shown."""


class SettingsError(Exception):
    """One line per bad variable."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


def setting(
    default: Any,
    help: str,
    *names: str,
    secret: bool = False,
    choices: tuple[str, ...] = (),
    parse: Callable[[Any], Any] | None = None,
    file: bool = False,
) -> Any:
    """A row: its default, what it does, the variables that set it (first is the documented one).

    `parse` takes the place of what reads the row's type; it raises ValueError. With `file`, `@PATH` stands for what
    that file holds, and never for itself.
    """
    metadata = {"help": help, "names": names, "secret": secret, "choices": choices, "parse": parse, "file": file}
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), repr=not secret, metadata=metadata)
    return field(default=default, repr=not secret, metadata=metadata)


def _parse_database(raw: Any) -> str:
    """An address or a list of parameters that libpq understands; empty for none."""
    from gateway.database import is_address  # the one room of psycopg, loaded where there is an address to read

    text = str(raw).strip()
    if not is_address(text):
        raise ValueError(f"{text!r} is no address of a database")
    return text


class ConfigFault(ValueError):
    """A value of the tables API that must not give way to the default. What is said names the original's option."""


_SYSTEM_SCHEMAS: Final = ("pg_catalog", "information_schema")


def _parse_mode(server: str, raw: Any) -> int:
    option = f"{server}-unix-socket-mode"
    try:
        mode = int(str(raw), 8)
    except ValueError:
        raise ConfigFault(f"Invalid {option}: not an octal") from None
    if not 0o600 <= mode <= 0o777:
        raise ConfigFault(f"Invalid {option}: needs to be between 600 and 777")
    return mode


def _parse_schemas(raw: Any) -> tuple[str, ...]:
    schemas = _parse_list(raw)
    refused = next((schema for schema in schemas if schema in _SYSTEM_SCHEMAS), None)
    if refused is not None:
        raise ConfigFault(f"db-schemas does not allow schema: '{refused}'")
    return schemas


def _parse_verbosity(raw: Any) -> str:
    if raw not in ("verbose", "minimal"):
        raise ConfigFault("Invalid client-error-verbosity. Check your configuration.")
    return str(raw)


def _parse_claim_path(raw: Any) -> str:
    try:
        claims.parse(str(raw))
    except ValueError as error:
        raise ConfigFault(str(error)) from None
    return str(raw)


def _beside(help: str) -> Any:
    """A field that no variable sets."""
    metadata = {"help": help, "names": (), "secret": True, "choices": (), "parse": None, "file": False}
    return field(default_factory=dict, repr=False, metadata=metadata)


def _parse_days(raw: Any) -> int:
    """A number of days, 0 for ever; a slip of the sign must not remove everything."""
    days = _parse_int(raw)
    if not 0 <= days <= 36_500:
        raise ValueError(f"{raw!r} is no number of days from 0 to 36500")
    return days


def _parse_copy_key(raw: Any) -> str:
    """A key for copies."""
    from gateway.encryption.files import parse_key

    parse_key(str(raw))
    return str(raw).strip()


@dataclass(frozen=True, slots=True)
class Settings:
    # --- server
    host: str = setting("127.0.0.1", "Address to listen on", "GATEWAY_HOST", "HOST")
    port: int = setting(54321, "Port to listen on", "GATEWAY_PORT", "PORT")
    unix_socket: str = setting("", "Path of a socket to listen on in the place of the port", "PGRST_SERVER_UNIX_SOCKET")
    unix_socket_mode: int = setting(
        0o660, "Its mode, octal, 600 to 777", "PGRST_SERVER_UNIX_SOCKET_MODE", parse=partial(_parse_mode, "server")
    )
    reuse_port: bool = setting(
        False,
        "Share the port with other processes (SO_REUSEPORT); it opens once the schema cache is loaded",
        "PGRST_SERVER_REUSEPORT",
    )
    workers: int = setting(1, "Processes that answer requests", "GATEWAY_WORKERS")
    worker_timeout: Seconds = setting(
        30.0,
        "How long a worker or the job worker may give no sign of life before it is ended and started anew; 0 for ever",
        "GATEWAY_WORKER_TIMEOUT",
    )
    data_dir: Path = setting(Path(".gateway"), "Folder of the embedded database, keys and logs", "GATEWAY_DATA_DIR")
    public_url: str = setting("", "URL by which users reach the gateway", "GATEWAY_PUBLIC_URL", "API_EXTERNAL_URL")
    log_level: str = setting(
        "info", "Least level that is logged", "GATEWAY_LOG_LEVEL", choices=("debug", "info", "warning", "error")
    )
    log_max_bytes: int = setting(
        20_000_000,
        "Bytes of a log in the data folder before it is set aside; one older file of each is kept",
        "GATEWAY_LOG_MAX_BYTES",
    )
    log_max_age: Seconds = setting(
        14 * 86_400.0, "How long a line of a log in the data folder is kept, such as 336h", "GATEWAY_LOG_MAX_AGE"
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Networks whose X-Forwarded-For is believed", "GATEWAY_TRUSTED_PROXIES"
    )
    trace_header: str = setting(
        "x-request-id", "Header that carries the request id", "GATEWAY_TRACE_HEADER", "PGRST_SERVER_TRACE_HEADER"
    )
    max_body_bytes: int = setting(20_000_000, "Largest body of a table or auth request", "GATEWAY_MAX_BODY_BYTES")
    body_memory: int = setting(
        128_000_000,
        "Bytes of bodies that a worker has in memory at once, at least four of the largest; more are answered 503",
        "GATEWAY_BODY_MEMORY",
    )
    max_url_bytes: int = setting(65_536, "Longest request URL", "GATEWAY_MAX_URL_BYTES")

    max_connections: int = setting(
        2000, "Connections of a worker at a time; beyond, the longest idle are closed", "GATEWAY_MAX_CONNECTIONS"
    )
    client_timeout: Seconds = setting(
        20.0, "How long a client may take over a request's head, or move next to nothing", "GATEWAY_CLIENT_TIMEOUT"
    )
    rate_limit_tables: float = setting(
        100.0,
        "Table requests a second by address, ten seconds' worth at once; 0 for no limit",
        "GATEWAY_RATE_LIMIT_TABLES",
    )
    rate_limit_auth: float = setting(20.0, "Auth requests, likewise", "GATEWAY_RATE_LIMIT_AUTH")
    rate_limit_functions: float = setting(20.0, "Calls of functions, likewise", "GATEWAY_RATE_LIMIT_FUNCTIONS")
    rate_limit_key: float = setting(
        5000.0, "Requests a second by API key, whoever uses it; 0 for no limit", "GATEWAY_RATE_LIMIT_KEY"
    )
    rate_limit_routes: dict[str, str] = setting(
        {}, "Path to its own rate by address, such as 30/m (TOML table)", "GATEWAY_RATE_LIMIT_ROUTES"
    )
    access_log: bool = setting(
        False, "Write a line of JSON for each request to access.jsonl in the data folder", "GATEWAY_ACCESS_LOG"
    )
    admin_port: int | None = setting(
        0,
        "Port on loopback for /live, /ready and /metrics; 0 takes a free one, empty none",
        "PGRST_ADMIN_SERVER_PORT",
        "GATEWAY_ADMIN_PORT",
    )
    admin_unix_socket: str = setting(
        "", "Path of a socket for them, in the place of that port", "PGRST_ADMIN_SERVER_UNIX_SOCKET"
    )
    admin_unix_socket_mode: int = setting(
        0o660,
        "Its mode, octal, 600 to 777",
        "PGRST_ADMIN_SERVER_UNIX_SOCKET_MODE",
        parse=partial(_parse_mode, "admin-server"),
    )
    otlp_endpoint: str = setting(
        "",
        "Collector that gets a span a request as OTLP over HTTP, such as http://127.0.0.1:4318; empty for none",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    otlp_headers: dict[str, str] = setting(
        {}, "Headers for it, such as its key: name=value,name=value", "OTEL_EXPORTER_OTLP_HEADERS", secret=True
    )
    otel_service_name: str = setting("gateway", "Name of this service in its spans", "OTEL_SERVICE_NAME")
    least_disk: int = setting(
        100_000_000,
        "Bytes free on the data folder's disk below which /ready says that it is full",
        "GATEWAY_LEAST_DISK",
    )
    record: str = setting("", "File that keeps the site's API requests, for `gateway replay`", "GATEWAY_RECORD")
    record_max_bytes: int = setting(50_000_000, "Longest recording; 0 for no limit", "GATEWAY_RECORD_MAX_BYTES")

    # --- database
    database_url: str = setting(
        "",
        "Postgres to use, or `@PATH` of a file that holds the address; empty starts the embedded one",
        "DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    rest_database_url: str = setting(
        "",
        "Login of the tables API, no superuser's; default: authenticator at DATABASE_URL, which gets a password",
        "PGRST_DB_URI",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    auth_database_url: str = setting(
        "",
        "Login of the auth API, likewise; default: supabase_auth_admin",
        "GOTRUE_DB_DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    direct_database_url: str = setting(
        "",
        "Postgres itself where DATABASE_URL is a pooler: for LISTEN, jobs and commands",
        "DATABASE_DIRECT_URL",
        "DIRECT_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    read_database_url: str = setting(
        "",
        "Replicas that answer GET and HEAD of the tables API; default none",
        "DATABASE_READ_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    read_after_write: Seconds = setting(
        5.0,
        "How long who wrote reads from the primary; a replica further behind answers nobody",
        "GATEWAY_READ_AFTER_WRITE",
    )
    db_prepared_statements: bool | None = setting(
        None,
        "Statements are prepared by name; default: where a connection finds that they may. true says that each has a"
        " session of its own, be it a pooler's",
        "PGRST_DB_PREPARED_STATEMENTS",
    )

    backup_dir: str = setting("", "Folder for copies that the job worker makes; empty for none", "GATEWAY_BACKUP_DIR")
    backup_every: Seconds = setting(86_400.0, "Time between two copies", "GATEWAY_BACKUP_EVERY")
    backup_keep: int = setting(7, "Copies that are kept; 0 keeps all", "GATEWAY_BACKUP_KEEP")
    backup_key: str = setting(
        "",
        "Key that encrypts copies, as `gateway db new-key` makes it, or @FILE; empty leaves them readable",
        "GATEWAY_BACKUP_KEY",
        secret=True,
        parse=_parse_copy_key,
        file=True,
    )
    backup_verify: str = setting(
        "full",
        "What is done with a copy as soon as it is made: `full` restores it into a throw-away Postgres and compares"
        " every table, `parts` compares checksums and lists what the dump holds",
        "GATEWAY_BACKUP_VERIFY",
        choices=("full", "parts"),
    )
    backup_offsite: str = setting(
        "", "Folder elsewhere, such as a mounted share, that gets each copy too", "GATEWAY_BACKUP_OFFSITE"
    )
    backup_send: str = setting("", "Shell command that takes each copy ($COPY, $NAME) elsewhere", "GATEWAY_BACKUP_SEND")
    backup_fetch: str = setting(
        "",
        "Shell command that brings $NAME back to $COPY: what was sent is then compared with what was made",
        "GATEWAY_BACKUP_FETCH",
    )
    safety_copies_keep: int = setting(
        3, "Copies made before a restore or an upgrade that are kept; 0 keeps all", "GATEWAY_SAFETY_COPIES_KEEP"
    )
    safety_copies_days: int = setting(
        30, "Days after which such a copy goes; 0 for never", "GATEWAY_SAFETY_COPIES_DAYS", parse=_parse_days
    )
    alarm_email: str = setting("", "Who is told by mail when something is wrong", "GATEWAY_ALARM_EMAIL")
    alarm_webhook: str = setting(
        "", "URL that is told by POST, such as a chat's incoming webhook", "GATEWAY_ALARM_WEBHOOK", secret=True
    )

    # --- retention
    leads_days: int = setting(
        0, "Days that leads and quarantine are kept; 0 for ever", "GATEWAY_LEADS_DAYS", parse=_parse_days
    )
    audit_days: int = setting(
        365, "Days that the audit logs are kept; 0 for ever", "GATEWAY_AUDIT_DAYS", parse=_parse_days
    )
    mails_days: int = setting(
        30,
        "Days that mails are kept after they were sent or given up; 0 for ever",
        "GATEWAY_MAILS_DAYS",
        parse=_parse_days,
    )

    # --- prefixes
    rest_prefix: str = setting("/rest/v1", "Path of the tables API; may be empty", "REST_PREFIX")
    auth_prefix: str = setting("/auth/v1", "Path of the auth API; may be empty", "AUTH_PREFIX")
    functions_prefix: str = setting("/functions/v1", "Path of functions; may be empty", "FUNCTIONS_PREFIX")
    require_api_key: bool | None = setting(
        None, "Demand an API key; default: where a prefix is not empty", "GATEWAY_REQUIRE_API_KEY"
    )
    require_filter: bool | None = setting(
        None,
        "Refuse UPDATE and DELETE without a filter, as hosted projects do; default: where REST_PREFIX is not empty",
        "GATEWAY_REQUIRE_FILTER",
    )

    # --- keys
    jwt_secret: str = setting(
        "",
        "HS256 secret, or a JWK or JWK set; `@PATH` is a file that holds it, read again at each reload",
        "PGRST_JWT_SECRET",
        "GOTRUE_JWT_SECRET",
        "SUPABASE_JWT_SECRET",
        secret=True,
        file=True,
    )
    jwt_keys: str = setting(
        "",
        "JWKs as a JSON array, beside the secret: the one whose key_ops name `sign` signs user tokens",
        "GOTRUE_JWT_KEYS",
        secret=True,
    )
    jwt_secret_is_base64: bool = setting(False, "The HS256 secret is base64", "PGRST_JWT_SECRET_IS_BASE64")
    publishable_key: str = setting("", "Publishable API key", "SUPABASE_PUBLISHABLE_KEY")
    secret_key: str = setting("", "Secret API key", "SUPABASE_SECRET_KEY", secret=True)

    # --- tables
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
    caches: bool = setting(
        True, "Keep verified tokens, parsed requests and plans in memory for the next request", "GATEWAY_CACHES"
    )
    jwt_cache_max_entries: int = setting(1000, "Verified tokens remembered", "PGRST_JWT_CACHE_MAX_ENTRIES")
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

    # --- auth
    jwt_exp: int = setting(3600, "Seconds an access token lives", "GOTRUE_JWT_EXP")
    jwt_issuer: str = setting("", "Issuer of access tokens; default PUBLIC_URL/auth/v1", "GOTRUE_JWT_ISSUER")
    auth_aud: str = setting("authenticated", "Audience of users", "GOTRUE_JWT_AUD")
    site_url: str = setting("", "Where links in mails lead; default the public URL", "GOTRUE_SITE_URL")
    uri_allow_list: tuple[str, ...] = setting((), "Globs of further redirect addresses", "GOTRUE_URI_ALLOW_LIST")
    disable_signup: bool = setting(True, "Refuse sign-up", "GOTRUE_DISABLE_SIGNUP")
    mailer_autoconfirm: bool = setting(False, "Confirm e-mail addresses without a mail", "GOTRUE_MAILER_AUTOCONFIRM")
    anonymous_users_enabled: bool = setting(False, "Allow anonymous sign-in", "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED")
    password_min_length: int = setting(8, "Shortest password", "GOTRUE_PASSWORD_MIN_LENGTH")
    refresh_token_rotation: bool = setting(
        True, "A refresh token used twice ends its session", "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED"
    )
    refresh_token_reuse_interval: int = setting(
        10,
        "Seconds in which a used refresh token gives its successor again",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
    )
    rate_limit_token_refresh: float = setting(
        150.0, "Token requests in 5 minutes by address", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH"
    )
    rate_limit_verify: float = setting(30.0, "Verify requests in 5 minutes by address", "GOTRUE_RATE_LIMIT_VERIFY")
    rate_limit_otp: float = setting(
        30.0, "Sign-up, recovery and code requests in 5 minutes by address, each", "GOTRUE_RATE_LIMIT_OTP"
    )
    rate_limit_anonymous_users: float = setting(
        30.0, "Anonymous sign-ins in an hour by address", "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS"
    )
    rate_limit_email_sent: float = setting(30.0, "Auth mails in an hour, all told", "GOTRUE_RATE_LIMIT_EMAIL_SENT")
    auth_address_limits: bool = setting(
        True, "Limit auth requests by address (the original: only behind a named header)", "GATEWAY_AUTH_ADDRESS_LIMITS"
    )
    auth_account_limits: bool = setting(
        True,
        "Slow down wrong passwords by account (the original: false); guesses at codes always are",
        "GATEWAY_AUTH_ACCOUNT_LIMITS",
    )
    auth_reveal_bans: bool = setting(
        False, "Say that a user is banned at sign-in (the original: true)", "GATEWAY_AUTH_REVEAL_BANS"
    )
    auth_reveal_accounts: bool = setting(
        False,
        "Say at `/otp` and `/magiclink` that nobody has an address or number (the original: true)",
        "GATEWAY_AUTH_REVEAL_ACCOUNTS",
    )
    auth_plain_tokens: bool = setting(
        False,
        "Store mailed tokens as sent; whoever guesses a code can then make its link (the original: true)",
        "GATEWAY_AUTH_PLAIN_TOKENS",
    )
    auth_refuse_common_passwords: bool = setting(
        True, "Refuse passwords of the common list (the original: false)", "GATEWAY_AUTH_REFUSE_COMMON_PASSWORDS"
    )
    auth_hosted_issuers: tuple[str, ...] = setting(
        (), "Further issuers whose user tokens are taken, such as a hosted project's", "GATEWAY_AUTH_ISSUERS"
    )
    session_secret: tuple[str, ...] = setting(
        (),
        "Server's half of refresh-token keys, parted by commas: the first makes them, the others are recognised;"
        " default: made at first start, or derived from the JWT secret",
        "GATEWAY_SESSION_SECRET",
        secret=True,
    )
    refresh_token_version: int = setting(
        2,
        "Format of refresh tokens: 2 stores none, 1 is the original's table of plain tokens",
        "GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION",
    )
    refresh_token_allow_reuse: bool = setting(
        False, "A used refresh token always gives the current one", "GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE"
    )
    sessions_timebox: Seconds = setting(
        2_592_000.0, "Longest life of a session (the original: 0, no limit)", "GOTRUE_SESSIONS_TIMEBOX"
    )
    sessions_inactivity: Seconds = setting(
        1_209_600.0,
        "A session not refreshed for this long ends (the original: 0, no limit)",
        "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT",
    )
    sessions_low_aal: Seconds = setting(
        0.0, "How long a user with a second factor may go without it; 0 for ever", "GOTRUE_SESSIONS_ALLOW_LOW_AAL"
    )
    sessions_single_per_user: bool = setting(
        False, "A new sign-in ends the user's other sessions", "GOTRUE_SESSIONS_SINGLE_PER_USER"
    )
    jwt_admin_roles: tuple[str, ...] = setting(
        ("service_role", "supabase_admin"), "Token roles that may call admin endpoints", "GOTRUE_JWT_ADMIN_ROLES"
    )
    jwt_default_role: str = setting("authenticated", "Role of new users", "GOTRUE_JWT_DEFAULT_GROUP_NAME")
    email_enabled: bool = setting(True, "Sign-in and sign-up by e-mail address", "GOTRUE_EXTERNAL_EMAIL_ENABLED")
    magic_links_enabled: bool = setting(
        True, "Sign-in by a mailed link or code", "GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"
    )
    phone_enabled: bool = setting(False, "Sign-in and sign-up by phone number", "GOTRUE_EXTERNAL_PHONE_ENABLED")
    sms_autoconfirm: bool = setting(False, "Confirm phone numbers without a message", "GOTRUE_SMS_AUTOCONFIRM")
    sms_hook: str = setting(
        "",
        "Where text messages go: an https address that is sent the code, or pg-functions://postgres/SCHEMA/NAME",
        "GOTRUE_HOOK_SEND_SMS_URI",
    )
    sms_hook_secrets: str = setting(
        "", "Secrets that sign what the address is sent: v1,whsec_BASE64, several parted by a bar",
        "GOTRUE_HOOK_SEND_SMS_SECRETS", secret=True,
    )  # fmt: skip
    sms_test_otp: tuple[str, ...] = setting(
        (), "Numbers with a fixed code and no message, as PHONE:CODE", "GOTRUE_SMS_TEST_OTP", secret=True
    )
    sms_test_otp_valid_until: str = setting(
        "", "Moment after which these are numbers like any other", "GOTRUE_SMS_TEST_OTP_VALID_UNTIL"
    )
    sms_otp_exp: Seconds = setting(
        300.0, "How long codes of text messages are valid (the original: 60)", "GOTRUE_SMS_OTP_EXP"
    )
    sms_otp_length: int = setting(6, "Digits of codes in text messages, 6 to 10", "GOTRUE_SMS_OTP_LENGTH")
    sms_max_frequency: Seconds = setting(
        60.0, "Least time between two text messages of a kind to one number", "GOTRUE_SMS_MAX_FREQUENCY"
    )
    rate_limit_sms_sent: float = setting(30.0, "Text messages in an hour, all told", "GOTRUE_RATE_LIMIT_SMS_SENT")
    mailer_otp_exp: Seconds = setting(3600.0, "How long mailed codes and links are valid", "GOTRUE_MAILER_OTP_EXP")
    mailer_otp_length: int = setting(6, "Digits of mailed codes, 6 to 10", "GOTRUE_MAILER_OTP_LENGTH")
    mailer_secure_email_change: bool = setting(
        True, "Both addresses confirm a change of e-mail", "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"
    )
    mailer_templates: str = setting(
        "", "Folder of templates that replace the built-in ones, by name", "GATEWAY_MAIL_TEMPLATES"
    )
    smtp_max_frequency: Seconds = setting(
        60.0, "Least time between two mails of a kind to one address", "GOTRUE_SMTP_MAX_FREQUENCY"
    )
    password_required_characters: str = setting(
        "",
        "Sets of characters, parted by colons, each of which a password needs",
        "GOTRUE_PASSWORD_REQUIRED_CHARACTERS",
    )
    password_hibp_enabled: bool = setting(
        False, "Refuse passwords known from leaks (asks a service by hash prefix)", "GOTRUE_PASSWORD_HIBP_ENABLED"
    )
    password_hibp_url: str = setting(
        "https://api.pwnedpasswords.com/range/", "Service of the leak check", "GATEWAY_PASSWORD_HIBP_URL"
    )
    password_hibp_fail_closed: bool = setting(
        False, "Refuse passwords while the leak check is unreachable", "GOTRUE_PASSWORD_HIBP_FAIL_CLOSED"
    )
    update_password_reauthentication: bool = setting(
        True,
        "Changing a password needs a sign-in of the last 24 hours, the current password or a mailed code"
        " (the original: false)",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
    )
    update_password_current: bool = setting(
        False,
        "Changing a password always needs the current one",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
    )
    manual_linking_enabled: bool = setting(
        False, "Users may link and unlink identities", "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED"
    )
    captcha_enabled: bool = setting(False, "Demand a CAPTCHA answer", "GOTRUE_SECURITY_CAPTCHA_ENABLED")
    captcha_provider: str = setting(
        "turnstile", "CAPTCHA service", "GOTRUE_SECURITY_CAPTCHA_PROVIDER", choices=("turnstile", "hcaptcha")
    )
    captcha_secret: str = setting("", "Secret at the CAPTCHA service", "GOTRUE_SECURITY_CAPTCHA_SECRET", secret=True)
    captcha_url: str = setting("", "Address that checks answers; default the service's", "GATEWAY_CAPTCHA_URL")
    mfa_totp_enroll: bool = setting(True, "Users may enroll TOTP factors", "GOTRUE_MFA_TOTP_ENROLL_ENABLED")
    mfa_totp_verify: bool = setting(True, "TOTP codes are verified", "GOTRUE_MFA_TOTP_VERIFY_ENABLED")
    mfa_phone_enroll: bool = setting(
        False, "Users may enroll numbers that get a code as second factors", "GOTRUE_MFA_PHONE_ENROLL_ENABLED"
    )
    mfa_phone_verify: bool = setting(
        False, "Codes of such factors are sent and verified", "GOTRUE_MFA_PHONE_VERIFY_ENABLED"
    )
    mfa_phone_otp_length: int = setting(6, "Digits of these codes, 6 to 10", "GOTRUE_MFA_PHONE_OTP_LENGTH")
    mfa_phone_max_frequency: Seconds = setting(
        60.0, "Least time between two of them to one number", "GOTRUE_MFA_PHONE_MAX_FREQUENCY"
    )
    mfa_max_factors: int = setting(10, "Second factors a user may have", "GOTRUE_MFA_MAX_ENROLLED_FACTORS")
    mfa_challenge_expiry: Seconds = setting(
        300.0, "How long a challenge can be answered", "GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION"
    )
    token_hook: str = setting(
        "",
        "Hook that may change token claims: an https address, or pg-functions://postgres/SCHEMA/NAME",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI",
    )
    token_hook_secrets: str = setting(
        "", "Secrets that sign what its address is sent: v1,whsec_BASE64, several parted by a bar",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS", secret=True,
    )  # fmt: skip
    created_hook: str = setting(
        "", "Hook that may refuse a user who is about to be created, likewise", "GOTRUE_HOOK_BEFORE_USER_CREATED_URI"
    )
    created_hook_secrets: str = setting("", "Its secrets", "GOTRUE_HOOK_BEFORE_USER_CREATED_SECRETS", secret=True)
    password_hook: str = setting(
        "",
        "Hook that is told of each password that is tried, and may reject it",
        "GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_URI",
    )
    password_hook_secrets: str = setting(
        "", "Its secrets", "GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_SECRETS", secret=True
    )
    factor_hook: str = setting(
        "",
        "Hook that is told of each code of a second factor that is tried, and may reject it",
        "GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_URI",
    )
    factor_hook_secrets: str = setting("", "Its secrets", "GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_SECRETS", secret=True)
    external_providers: dict[str, str] = setting(
        {}, "GOTRUE_EXTERNAL_NAME_{ENABLED,CLIENT_ID,SECRET,URL,REDIRECT_URI,SCOPES} set up sign-in at a provider"
    )

    # --- mail
    smtp_host: str = setting("", "Mail server; empty delivers to the local trap", "GOTRUE_SMTP_HOST", "SMTP_HOST")
    smtp_port: int = setting(587, "Port of the mail server", "GOTRUE_SMTP_PORT", "SMTP_PORT")
    smtp_user: str = setting("", "User at the mail server", "GOTRUE_SMTP_USER", "SMTP_USER")
    smtp_password: str = setting("", "Password at the mail server", "GOTRUE_SMTP_PASS", "SMTP_PASS", secret=True)
    smtp_sender: str = setting(
        "no-reply@unitedmedicalwaste.example", "Sender of mails", "GOTRUE_SMTP_ADMIN_EMAIL", "MAIL_FROM"
    )
    smtp_sender_name: str = setting("United Medical Waste", "Sender's name", "GOTRUE_SMTP_SENDER_NAME")

    trap_port: int = setting(1025, "Port of a mail trap run by another process", "GATEWAY_TRAP_PORT")

    # --- application
    schema_dir: Path = setting(
        Path("schema"),
        "Folder of the application's `migrations/` and `seed/`; without it the gateway's own schema stands alone",
        "GATEWAY_SCHEMA_DIR",
    )
    functions_dir: Path = setting(Path("functions"), "Folder of function modules", "FUNCTIONS_DIR")
    functions_urls: dict[str, str] = setting({}, "FUNCTIONS_NAME_URL sends a function's calls elsewhere")
    functions_env_file: Path = setting(Path(".env"), "Variables offered to functions", "FUNCTIONS_ENV_FILE")
    functions_reload: bool = setting(False, "Take up changed functions at their next call", "FUNCTIONS_RELOAD")
    functions_admin: bool = setting(
        False,
        "Answer the functions' admin API (deploy, logs, replay) on the public port too, to secret keys: whoever has"
        " one then runs code on this machine",
        "FUNCTIONS_ADMIN",
    )
    functions_max_body_bytes: int = setting(
        1_000_000_000, "Largest body sent to a function", "FUNCTIONS_MAX_BODY_BYTES"
    )
    functions_environ: Mapping[str, str] = _beside("What is no setting is offered to functions")
    files: Mapping[str, str] = _beside("Field to the file that it was read from")
    unserved: tuple[str, ...] = field(
        default=(),
        repr=False,
        metadata={"help": "Variables in the originals' names that set nothing here", "names": (), "secret": True,
                  "choices": (), "parse": None, "file": False},
    )  # fmt: skip
    site_dir: Path = setting(Path("web/dist"), "Folder of the built site", "SITE_DIR")
    site_pages: dict[str, str] = setting({}, "Site path to the function that renders it (TOML table)", "SITE_PAGES")
    gtm_id: str = setting("", "Tag manager container", "GTM_ID")

    @property
    def api_url(self) -> str:
        """Base URL without a trailing slash."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def local_url(self) -> str:
        """Base URL on this machine, past any proxy."""
        if self.unix_socket:
            return address_of(self.unix_socket)
        host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host and host[0] != '[' else host}:{self.port}"

    @property
    def filter_demanded(self) -> bool:
        """Whether a write may not change every row of a table."""
        return bool(self.rest_prefix) if self.require_filter is None else self.require_filter

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
        """Settings from the environment over the TOML file; `overrides` win over both. Raises SettingsError."""
        environ = os.environ if environ is None else environ
        table = _toml(config_file(environ), required="GATEWAY_CONFIG" in environ)
        faults: list[str] = []
        values: dict[str, Any] = {}
        files: dict[str, str] = {}
        hints = get_type_hints(cls)
        for row in fields(cls):
            for name in row.metadata["names"]:
                raw = environ.get(name, table.get(name.lower()))
                if raw is None:
                    continue
                try:
                    if row.metadata["file"] and str(raw).strip().startswith("@"):
                        files[row.name] = str(raw).strip().removeprefix("@")
                        values[row.name] = _from_file(row, hints[row.name], files[row.name])
                    else:
                        values[row.name] = _parse(row, hints[row.name], raw)
                except FileFault as error:
                    faults.append(f"{name}: {error}")
                except ValueError as error:
                    faults.append(f"{name}: {error if not row.metadata['secret'] else 'cannot be read'}")
                break
        values.update(_families(environ))
        values["files"] = files
        values["unserved"] = _unserved((*environ, *(name.upper() for name in table)))
        # A function gets the variables that its function.toml names, and only those that are no secret of ours.
        own = {name for row in fields(cls) if row.metadata["secret"] for name in row.metadata["names"]}
        values["functions_environ"] = {name: value for name, value in environ.items() if name not in own}
        if faults:
            raise SettingsError(faults)
        values.update(overrides)
        made = cls(**values)
        if made.port == made.admin_port != 0 and not made.unix_socket and not made.admin_unix_socket:
            raise SettingsError(["admin-server-port cannot be the same as server-port"])
        return made

    def read_again(self, *names: str) -> Settings:
        """These settings, with the fields of `names` that came from a file as it is now. Raises SettingsError."""
        hints = get_type_hints(type(self))
        changes: dict[str, Any] = {}
        for row in fields(self):
            if row.name in names and row.name in self.files:
                try:
                    changes[row.name] = _from_file(row, hints[row.name], self.files[row.name])
                except ValueError as error:
                    shown = error if isinstance(error, FileFault) else "cannot be read"
                    raise SettingsError([f"{row.metadata['names'][0]}: {shown}"]) from None
        return replace(self, **changes) if changes else self

    def unserved_in_database(self, pairs: Mapping[str, str]) -> tuple[str, ...]:
        """Those of the `pgrst.*` values (names without the prefix) that set nothing here."""
        taken = {name for row in fields(self) if not row.metadata["file"] for name in row.metadata["names"]}
        return tuple(
            sorted(
                name
                for name in pairs
                if not name.startswith("app.settings.") and f"PGRST_{name.replace('-', '_').upper()}" not in taken
            )
        )

    def with_database_settings(self, pairs: Mapping[str, str]) -> Settings:
        """These settings with `pgrst.*` values of the login role (names without the prefix) laid over them.

        Unknown names are ignored, as the original does; a value that cannot be read keeps what stood before. Raises
        SettingsError for one that must not pass: then everything stays as it was.
        """
        rows = {
            name.removeprefix("PGRST_").lower(): row
            for row in fields(self)
            for name in row.metadata["names"]
            if name.startswith("PGRST_")
        }
        hints = get_type_hints(type(self))
        changes: dict[str, Any] = {}
        app = dict(self.app_settings)
        for name, raw in pairs.items():
            if name.startswith("app.settings."):
                app[name.removeprefix("app.settings.")] = raw
                continue
            row = rows.get(name.replace("-", "_"))
            if row is None or row.metadata["file"]:
                continue
            try:
                changes[row.name] = _parse(row, hints[row.name], raw)
            except ConfigFault as error:
                raise SettingsError([str(error)]) from None
            except ValueError:
                continue
        return replace(self, app_settings=app, **changes)


def _families(environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The variables whose name carries a name: PGRST_APP_SETTINGS_X, FUNCTIONS_X_URL, GOTRUE_EXTERNAL_X_Y."""
    app: dict[str, str] = {}
    urls: dict[str, str] = {}
    providers: dict[str, str] = {}
    for name, value in environ.items():
        if name.startswith("PGRST_APP_SETTINGS_"):
            app[name.removeprefix("PGRST_APP_SETTINGS_").lower()] = value
        elif name.startswith("FUNCTIONS_") and name.endswith("_URL"):
            urls[name.removeprefix("FUNCTIONS_").removesuffix("_URL").lower().replace("_", "-")] = value
        elif name.startswith("GOTRUE_EXTERNAL_"):
            providers[name.removeprefix("GOTRUE_EXTERNAL_").lower()] = value
    return {"app_settings": app, "functions_urls": urls, "external_providers": providers}


def _unserved(names: Iterable[str]) -> tuple[str, ...]:
    """Variables in the originals' names that no row has: settings which this gateway lacks, or misspelled ones."""
    known = {name for row in fields(Settings) for name in row.metadata["names"]}
    families = ("PGRST_APP_SETTINGS_", "GOTRUE_EXTERNAL_")
    return tuple(
        sorted(
            {
                name
                for name in names
                if name.startswith(("PGRST_", "GOTRUE_")) and name not in known and not name.startswith(families)
            }
        )
    )


def _from_file(row: Field[Any], kind: Any, path: str) -> Any:
    """What a file holds, less one line break at its end. Raises FileFault, and ValueError as `_parse` does."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_FILE + 1)
        text = content.decode()
    except OSError as error:
        raise FileFault(f"the file {path!r} cannot be read: {error.strerror}") from None
    except ValueError:
        raise FileFault(f"the file {path!r} is no text") from None
    text = text.removesuffix("\n")
    if not text.strip():
        raise FileFault(f"the file {path!r} is empty")
    if len(content) > MAX_FILE:
        raise FileFault(f"the file {path!r} is longer than {MAX_FILE} bytes")
    return text if row.metadata["parse"] is None and kind is str else _parse(row, kind, text)


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The TOML file that settings are read from, whether it exists or not."""
    return Path((os.environ if environ is None else environ).get("GATEWAY_CONFIG", ".gateway.toml"))


def _toml(path: Path, required: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError:
        if required:
            raise SettingsError([f"GATEWAY_CONFIG: {path} does not exist"]) from None
        return {}
    except tomllib.TOMLDecodeError as error:
        raise SettingsError([f"{path}: {error}"]) from None
    return {name.lower(): value for name, value in table.items()}


def _parse(row: Field[Any], kind: Any, raw: Any) -> Any:
    if isinstance(raw, str):
        raw = raw.strip()
        choices: tuple[str, ...] = row.metadata["choices"]
        if choices and raw not in choices:
            raise ValueError(f"{raw!r} is not one of {', '.join(choices)}")
    if kind == int | None or kind == bool | None:
        if raw == "":
            return None
        kind = int if kind == int | None else bool
    parser = row.metadata["parse"] or _PARSERS.get(str(kind), _PARSERS.get(getattr(kind, "__name__", "")))
    if parser is None:
        raise ValueError(f"cannot be set to {raw!r}")
    return parser(raw)


def _parse_bool(raw: Any) -> bool:
    word = str(raw).lower()
    if word in ("true", "1", "yes", "on"):
        return True
    if word in ("false", "0", "no", "off", ""):
        return False
    if word.removeprefix("-").isdecimal():
        return int(word) > 0
    raise ValueError(f"{raw!r} is neither true nor false")


def _parse_int(raw: Any) -> int:
    try:
        return int(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a whole number") from None


def _parse_float(raw: Any) -> float:
    try:
        return float(raw)
    except (TypeError, ValueError):
        raise ValueError(f"{raw!r} is not a number") from None


def parse_duration(text: str) -> float:
    """Seconds of a duration. Raises ValueError.

    >>> parse_duration("1h30m"), parse_duration("90"), parse_duration("250ms")
    (5400.0, 90.0, 0.25)
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        parts = _DURATION.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text.lstrip("+-"):
            raise ValueError(f"{text!r} is not a duration such as 24h or 90s") from None
        total = sum(float(number) * _UNITS[unit] for number, unit in parts)
        return -total if text.startswith("-") else total


_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def _parse_list(raw: Any) -> tuple[str, ...]:
    items = raw if isinstance(raw, list) else str(raw).split(",")
    return tuple(str(item).strip() for item in items if str(item).strip())


def _parse_dict(raw: Any) -> dict[str, str]:
    if isinstance(raw, dict):
        return {str(key): str(value) for key, value in raw.items()}
    pairs = (item.split("=", 1) for item in str(raw).split(",") if item.strip())
    try:
        return {key.strip(): value.strip() for key, value in pairs}
    except ValueError:
        raise ValueError(f"{raw!r} is not a list of name=value") from None


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "str": str,
    "bool": _parse_bool,
    "int": _parse_int,
    "float": _parse_float,
    "Seconds": lambda raw: parse_duration(str(raw)),
    "Path": lambda raw: Path(str(raw)),
    "tuple[str, ...]": _parse_list,
    "dict[str, str]": _parse_dict,
}


def describe() -> list[tuple[str, str, str]]:
    """Rows for the documentation: variable, default (secrets have none), what it does."""
    rows = []
    for row in fields(Settings):
        names = row.metadata["names"]
        default = row.default if row.default is not MISSING else ""
        shown = ",".join(default) if isinstance(default, tuple) else "" if default is None else str(default)
        rows.append((names[0] if names else "", shown, row.metadata["help"]))
    return rows
