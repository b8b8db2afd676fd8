"""Lists the fixture plugins, and has hypothesis ask the same in every run.

A run that looks further: `pytest --hypothesis-profile=wide`.
"""

from importlib.metadata import PackageNotFoundError, version

import pytest
from hypothesis import settings

import gateway


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


for name in ("gateway", "unitedmedicalwaste"):  # else programs that tests start find other modules than the tests do
    if installed(name) != gateway.__version__:
        pytest.exit(
            f"this virtual environment has {name} {installed(name) or 'not'} installed, not {gateway.__version__}:"
            " run `.venv/bin/pip install --no-deps --no-build-isolation -e . -e schema`",
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
