"""The realtime API: how much a socket, a channel and a project may do, and how processes reach each other."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import Seconds, setting


@dataclass(frozen=True)
class RealtimeSettings:
    """Fields of `Settings`."""

    realtime_bus: str = setting(
        "postgres",
        "How gateways reach each other's members: `postgres`, `none` for a gateway that is alone, or the address of a"
        " server, `redis://…`, `rediss://…`, `nats://…` or `tls://…`",
        "GATEWAY_REALTIME_BUS",
        secret=True,
        file=True,
    )
    realtime_private_only: bool = setting(False, "Public channels are refused", "GATEWAY_REALTIME_PRIVATE_ONLY")
    realtime_max_connections: int = setting(
        10_000, "Sockets of one worker at a time; 0 for no limit", "GATEWAY_REALTIME_MAX_CONNECTIONS"
    )
    realtime_max_channels: int = setting(100, "Channels of one socket; 0 for no limit", "GATEWAY_REALTIME_MAX_CHANNELS")
    realtime_max_joins: int = setting(
        500, "Joins a second of one worker, over a minute; 0 for no limit", "GATEWAY_REALTIME_MAX_JOINS"
    )
    realtime_max_messages: int = setting(
        0, "Messages a second of one worker, sent and delivered, over a minute; 0 for no limit (hosted: 100 to 2,500)",
        "GATEWAY_REALTIME_MAX_MESSAGES",
    )  # fmt: skip
    realtime_max_presence: int = setting(
        1000, "Presence messages a second of one worker, over a minute; 0 for no limit", "GATEWAY_REALTIME_MAX_PRESENCE"
    )
    realtime_max_payload_kb: int = setting(
        3000, "Kilobytes of the largest broadcast", "GATEWAY_REALTIME_MAX_PAYLOAD_KB"
    )
    realtime_queue_bytes: int = setting(
        1_000_000,
        "Bytes that may wait for a socket that does not read; then it is told so and closed",
        "GATEWAY_REALTIME_QUEUE_BYTES",
    )
    realtime_idle: Seconds = setting(
        100.0, "Seconds after which a socket from which nothing came is closed", "GATEWAY_REALTIME_IDLE"
    )
    realtime_db_pool: int = setting(4, "Most connections of the realtime API in a worker", "GATEWAY_REALTIME_DB_POOL")
    realtime_changes_keep: Seconds = setting(
        120.0,
        "Time that changes of tables are kept for who missed some: a worker, or a client that returns with `since`",
        "GATEWAY_REALTIME_CHANGES_KEEP",
    )
    realtime_changes_keep_bytes: int = setting(
        16_777_216, "Bytes of them at most, in the worker that reads", "GATEWAY_REALTIME_CHANGES_KEEP_BYTES"
    )
    realtime_changes_idle: Seconds = setting(
        300.0,
        "Time after the last subscriber that the database's log is read on; then its slot is dropped",
        "GATEWAY_REALTIME_CHANGES_IDLE",
    )
