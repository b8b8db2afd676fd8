"""Lists the fixture plugins, and has hypothesis ask the same in every run.

A run that looks further: `pytest --hypothesis-profile=wide`.
"""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=5000, deadline=None)
settings.load_profile("repeatable")

pytest_plugins = [
    "tests.parity",
    "tests.fixtures.folders",
    "tests.fixtures.db",
    "tests.fixtures.pooler",
    "tests.fixtures.server",
    "tests.fixtures.contract",
    "tests.fixtures.browser",
]
