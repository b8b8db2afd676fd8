"""The address that paths in the tests are on, and the client of the site that is served there.

With SITE_CLIENT=official the site is the build on the official client, for every test of this folder.
"""

import os

import pytest

from tests.e2e.official import official_build as official_build
from tests.fixtures.server import LiveGateway
from tests.realtime.conftest import extra_settings as extra_settings
from tests.realtime.conftest import realtime as realtime
from tests.realtime.conftest import running as running


@pytest.fixture(scope="session")
def site_settings(request: pytest.FixtureRequest) -> dict[str, str]:
    if os.environ.get("SITE_CLIENT") != "official":
        return {}
    return {"SITE_DIR": str(request.getfixturevalue("official_build"))}


@pytest.fixture(scope="session")
def base_url(site: LiveGateway) -> str:
    return site.url
