"""The official Python client's functions, unmodified, against the samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from supabase import create_client
from supabase.lib.client_options import SyncClientOptions
from supabase_functions import FunctionRegion
from supabase_functions.errors import FunctionsHttpError, FunctionsRelayError

from tests.functions.test_forms import ROOT as FUNCTIONS
from tests.functions.test_official_js import SCRIPTS
from tests.gateway.functions.conftest import SAMPLES, Served, start, stop

# the client's own parts warn about how the client calls them
pytestmark = pytest.mark.filterwarnings("ignore:The '.*' parameter is deprecated:DeprecationWarning")


@pytest.fixture(scope="module", params=[SAMPLES, SCRIPTS], ids=["python", "deno"])
def samples(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = start(request.param, tmp_path_factory.mktemp("official"), "--no-reload")
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


def test_bytes_arrive_as_bytes(functions: Any) -> None:
    seen = functions.invoke("echo", {"body": b"\x01hello", "responseType": "json"})
    assert seen["text"] == "\x01hello"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_arrives(functions: Any, method: str) -> None:
    assert functions.invoke("echo", {"method": method, "responseType": "json"})["method"] == method


def test_a_region_and_a_query_arrive(functions: Any) -> None:
    seen = functions.invoke("echo?a=1", {"region": FunctionRegion.UsEast1, "responseType": "json"})
    assert seen["headers"]["x-region"] == "us-east-1"
    assert "a=1" in seen["query"] and "forceFunctionRegion=us-east-1" in seen["query"]


def test_an_answer_comes_as_bytes_unless_json_is_asked_for(functions: Any) -> None:
    assert isinstance(functions.invoke("echo", {"body": {"a": 1}}), bytes)


def test_a_call_that_takes_too_long_is_given_up(samples: Served) -> None:
    with httpx.Client(trust_env=False, timeout=0.3) as session:
        options = SyncClientOptions(httpx_client=session)
        functions = create_client(samples.url, samples.keys.publishable_key, options).functions
        with pytest.raises(httpx.ReadTimeout):
            functions.invoke("slow")


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
