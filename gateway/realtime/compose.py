"""The realtime API from settings: the bus that they name, and the core with all that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gateway.database import Database
from gateway.identity.keyring import KeyRing
from gateway.realtime.bus import Bus, SeveralBuses
from gateway.realtime.buses.mesh import MeshBus
from gateway.realtime.buses.postgres import PostgresBus
from gateway.realtime.changes.leadership import Keeping
from gateway.realtime.changes.logical import LogicalChanges
from gateway.realtime.core import RealtimeCore
from gateway.realtime.notices import Notices
from gateway.settings import Settings


def realtime_core(
    settings: Settings, keys: KeyRing, db: Database, listen: str, replication: Sequence[str]
) -> RealtimeCore:
    """The core of one worker; `listen` is the address at which Postgres tells of things, `replication` are logins that
    may read its log. Raises ValueError."""
    if not settings.realtime_prefix:
        raise ValueError("GATEWAY_REALTIME_PREFIX may not be empty")
    notices = Notices(listen)
    keeping = Keeping(
        settings.realtime_changes_keep, settings.realtime_changes_keep_bytes, settings.realtime_changes_idle
    )
    changes = partial(LogicalChanges, database=db, urls=replication, keeping=keeping)
    return RealtimeCore(settings, keys, db, notices, make_bus(settings, db, notices), changes)


def make_bus(settings: Settings, db: Database, notices: Notices) -> Bus:
    """The way to other workers and gateways. Raises ValueError."""
    address = settings.realtime_bus
    scheme = address.partition("://")[0]
    if scheme in ("redis", "rediss", "unix", "valkey", "valkeys"):
        from gateway.realtime.buses.redis import RedisBus  # a client that only who uses it loads

        return RedisBus(address.replace("valkey", "redis", 1) if scheme.startswith("valkey") else address)
    if scheme in ("nats", "tls"):
        from gateway.realtime.buses.nats import NatsBus  # likewise

        return NatsBus(address)
    mesh = MeshBus(settings.data_dir)
    if address == "none":
        return mesh
    if address == "postgres":
        return SeveralBuses(mesh, [PostgresBus(db, notices, mesh.gateway)])
    raise ValueError(
        f"GATEWAY_REALTIME_BUS: {scheme!r} is no way between gateways: postgres, none, redis://…, nats://…"
    )
