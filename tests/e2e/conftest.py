"""The address that paths in the tests are on."""

import pytest

from tests.fixtures.server import LiveGateway


@pytest.fixture(scope="session")
def base_url(site: LiveGateway) -> str:
    return site.url
