"""The process: addresses, workers, logs, limits of requests, what is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gateway.settings.rows import ConfigFault, Seconds, setting


def _parse_mode(server: str, raw: Any) -> int:
    option = f"{server}-unix-socket-mode"
    try:
        mode = int(str(raw), 8)
    except ValueError:
        raise ConfigFault(f"Invalid {option}: not an octal") from None
    if not 0o600 <= mode <= 0o777:
        raise ConfigFault(f"Invalid {option}: needs to be between 600 and 777")
    return mode


@dataclass(frozen=True)
class ServerSettings:
    """Fields of `Settings`."""

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
    public_url: str = setting(
        "",
        "URL by which users reach the gateway; the site's pages, sitemap and feed name it instead of the one they were"
        " built for",
        "GATEWAY_PUBLIC_URL",
        "API_EXTERNAL_URL",
    )
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
    rate_limit_storage: float = setting(100.0, "Storage requests, likewise", "GATEWAY_RATE_LIMIT_STORAGE")
    rate_limit_realtime: float = setting(
        100.0, "Sockets opened and broadcasts by HTTP, likewise", "GATEWAY_RATE_LIMIT_REALTIME"
    )
    rate_limit_key: float = setting(
        5000.0, "Requests a second by API key, whoever uses it; 0 for no limit", "GATEWAY_RATE_LIMIT_KEY"
    )
    rate_limit_routes: dict[str, str] = setting(
        {}, "Path to its own rate by address, such as 30/m (TOML table)", "GATEWAY_RATE_LIMIT_ROUTES"
    )
    access_log: bool = setting(
        False,
        "Write a line of JSON for each request to access.jsonl in the data folder; `gateway dev` does unless it is"
        " false",
        "GATEWAY_ACCESS_LOG",
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
