"""Lists the fixture plugins, nothing more."""

pytest_plugins = [
    "tests.parity",
    "tests.fixtures.db",
    "tests.fixtures.server",
    "tests.fixtures.contract",
    "tests.fixtures.browser",
]
