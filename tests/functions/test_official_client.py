"""The official Python client's functions, unmodified, against the samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from supabase import create_client
from supabase.lib.client_options import SyncClientOptions
from supabase_functions.errors import FunctionsHttpError, FunctionsRelayError

from tests.functions.test_forms import ROOT as FUNCTIONS
from tests.gateway.functions.conftest import SAMPLES, Served, start, stop

# the client's own parts warn about how the client calls them
pytestmark = pytest.mark.filterwarnings("ignore:The '.*' parameter is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = start(SAMPLES, tmp_path_factory.mktemp("official"), "--no-reload")
    yield running
    stop(running)


@pytest.fixture
def functions(samples: Served) -> Iterator[Any]:
    with httpx.Client(trust_env=False) as session:
        options = SyncClientOptions(httpx_client=session)
        yield create_client(samples.url, samples.keys.publishable_key, options).functions


def test_an_object_arrives_as_json(functions: Any) -> None:
    seen = functions.invoke("echo", {"body": {"a": 1}, "responseType": "json"})
    assert seen["headers"]["content-type"] == "application/json"
    assert seen["text"] in ('{"a":1}', '{"a": 1}')


def test_text_arrives_as_text(functions: Any) -> None:
    seen = functions.invoke("echo", {"body": "hello", "responseType": "json"})
    assert seen["headers"]["content-type"] == "text/plain"
    assert seen["text"] == "hello"


def test_headers_of_a_call_arrive(functions: Any) -> None:
    seen = functions.invoke("echo", {"headers": {"x-mine": "1"}, "responseType": "json"})
    assert seen["headers"]["x-mine"] == "1"


def test_a_token_that_was_set_arrives(functions: Any) -> None:
    functions.set_auth("a.b.c")
    assert functions.invoke("echo", {"responseType": "json"})["headers"]["authorization"] == "Bearer a.b.c"


def test_a_failed_function_raises_the_client_s_http_error(functions: Any) -> None:
    with pytest.raises(FunctionsHttpError):
        functions.invoke("raises")


def test_a_refused_token_raises_the_client_s_relay_error(functions: Any) -> None:
    with pytest.raises(FunctionsRelayError):
        functions.invoke("guarded")


def test_every_function_has_what_a_function_needs() -> None:
    for folder in (path.parent for path in FUNCTIONS.glob("*/main.py")):
        for name in ("function.toml", "sample.json", "pyproject.toml"):
            assert (folder / name).is_file(), f"{folder.name}/{name}"
