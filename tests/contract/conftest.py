"""A gateway of the clients' own, where accounts may be asked for and a provider signs people in."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.gateway.auth.local import local_server
from tests.gateway.auth.provider import Provider

SETTINGS = {
    "GOTRUE_DISABLE_SIGNUP": "false",
    "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
    "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
    "GOTRUE_SMTP_MAX_FREQUENCY": "0s",
    "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
    "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "client-1",
    "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "secret-1",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "10000",
    "GATEWAY_AUTH_ACCOUNT_LIMITS": "false",
    "GATEWAY_AUTH_ADDRESS_LIMITS": "false",
}


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    made = Provider()
    with local_server(made.answer) as server:
        made.url = server.url
        yield made


@pytest.fixture(scope="session")
def open_site(
    server: Server, template: str, provider: Provider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveGateway]:
    """The whole product, open to everybody."""
    name = f"open_site_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    extra = {**SETTINGS, "GOTRUE_EXTERNAL_KEYCLOAK_URL": provider.url}
    running = start_gateway(server.database(name), tmp_path_factory.mktemp("open"), "dev", extra)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
