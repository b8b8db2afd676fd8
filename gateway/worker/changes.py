"""What changes while a worker runs: settings that are read again, keys that are rotated, a schema that is loaded."""

from __future__ import annotations

import logging

from gateway.catalog.model import SchemaCache
from gateway.settings import Settings
from gateway.worker.parts import Parts

log = logging.getLogger("gateway")


def take_settings(gateway: Parts, settings: Settings) -> None:
    """Settings were read again: the tables API takes them, verified tokens are forgotten."""
    if settings.jwt_secret != gateway.settings.jwt_secret:
        try:
            gateway.keys.renew(settings)
        except ValueError as error:
            log.error("Failed reloading config: %s", error)
        gateway.functions.renew()
    gateway.settings = gateway.rest.settings = gateway.realtime.settings = settings
    gateway.limits.max_url_bytes = settings.max_url_bytes
    gateway.authenticator.configure(settings, gateway.keys)


def take_keys(gateway: Parts) -> None:
    """Keys were rotated or revoked: verified tokens are forgotten, functions get the new keys."""
    gateway.authenticator.configure(gateway.settings, gateway.keys)
    gateway.functions.renew()
    gateway.realtime.recheck()


def take_schema(gateway: Parts, cache: SchemaCache) -> None:
    """The schema cache was loaded."""
    gateway.schema_loads += 1
    gateway.databases.renew(gateway.cache.version, cache.runs_given_sql)
