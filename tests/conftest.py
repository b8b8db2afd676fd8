"""Lists the fixture plugins, and has hypothesis ask the same in every run.

A run that looks further: `pytest --hypothesis-profile=wide`.
"""

from importlib.metadata import version

import pytest
from hypothesis import settings

import gateway

if version("gateway") != gateway.__version__:  # else programs that tests start find other modules than the tests do
    pytest.exit(
        f"this virtual environment has version {version('gateway')} installed, not {gateway.__version__}:"
        " run `.venv/bin/pip install --no-deps --no-build-isolation -e .`",
        returncode=3,
    )

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
