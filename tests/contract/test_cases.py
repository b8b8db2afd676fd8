"""Every case against every server: the reply is the contract's.

`pytest tests/contract/test_cases.py --base-url http://…` holds a reference server against the same cases; it must
serve the database of schema.sql with the settings of the profile `open`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from tests.contract import cases
from tests.contract.case import Case
from tests.contract.harness import check
from tests.fixtures.contract import MAIN, WAYS, Services, server_names

TOPICS = sorted(module.name for module in pkgutil.iter_modules(cases.__path__))
ROWS: list[tuple[str, Case]] = [
    (topic, case) for topic in TOPICS for case in import_module(f"{cases.__name__}.{topic}").CASES
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" not in metafunc.fixturenames:
        return
    reference = bool(metafunc.config.getoption("base_url"))
    servers = [MAIN] if reference else server_names()
    rows = [(topic, case) for topic, case in ROWS if not reference or case.profile == "open"]
    metafunc.parametrize(
        ("server_name", "way", "case"),
        [
            pytest.param(server, way, case, id=f"{server}-{way}-{topic}: {case.title}")
            for server in servers
            for way in (WAYS if server == MAIN and not reference else ("all on",))
            for topic, case in rows
        ],
    )


def test_promise_01_reply_is_the_contracts(server_name: str, way: str, case: Case, services: Services) -> None:
    service = services(server_name, case.profile, way)
    check(case, service.send(case))


@pytest.mark.parametrize("topic", TOPICS)
def test_titles_of_a_topic_are_unique(topic: str) -> None:
    titles = [case.title for name, case in ROWS if name == topic]
    assert sorted(set(titles)) == sorted(titles)
