"""The official JavaScript client's functions, unmodified, against the samples: every body, every kind of failure."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import parity
from tests.gateway.functions.conftest import ROOT, SAMPLES, start, stop

PACKAGES = ROOT / "supabase-compat"
SCRIPTS = ROOT / "tests" / "functions" / "scripts" / "functions"
SCRIPT = Path(__file__).parent / "js" / "invoke.mjs"


@pytest.fixture(scope="module", params=[SAMPLES, SCRIPTS], ids=["python", "deno"])
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    running = start(request.param, tmp_path_factory.mktemp("js"), "--no-reload")
    try:
        done = subprocess.run(
            ["node", str(SCRIPT), running.url, running.keys.publishable_key, str(PACKAGES)],
            env={**os.environ, **parity.environment()},
            capture_output=True,
            text=True,
        )
    finally:
        stop(running)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("object", "application/json", '{"a":[1,"ü"]}'),
        ("text", "text/plain", "plain"),
        ("number", "application/json", "7"),
        ("nothing", None, ""),
        ("typed", "application/xml", "<a/>"),
    ],
)
def test_a_body_arrives_with_its_type(results: dict[str, Any], name: str, kind: str | None, text: str) -> None:
    seen = results[name]
    assert ((seen["type"] or "").split(";")[0] or None, seen["text"]) == (kind, text)


@pytest.mark.parametrize("name", ["blob", "buffer"])
def test_bytes_arrive_as_bytes(results: dict[str, Any], name: str) -> None:
    assert (results[name]["type"], results[name]["size"]) == ("application/octet-stream", 4)


def test_a_form_arrives_with_its_file(results: dict[str, Any]) -> None:
    seen = results["form"]
    assert seen["type"].startswith("multipart/form-data; boundary=")
    assert "value" in seen["text"] and 'filename="a.txt"' in seen["text"] and "content" in seen["text"]


def test_headers_region_and_method_arrive(results: dict[str, Any]) -> None:
    assert results["header"]["headers"]["x-mine"] == "1"
    assert results["region"]["headers"]["x-region"] == "us-east-1"
    assert results["region"]["query"] == "forceFunctionRegion=us-east-1"
    assert (results["get"]["method"], results["delete"]["method"]) == ("GET", "DELETE")


def test_a_token_that_was_set_arrives(results: dict[str, Any]) -> None:
    assert results["auth"] == "Bearer a.b.c"


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("raises", 500, "WORKER_ERROR"), ("endless", 546, "WORKER_LIMIT"), ("missing", 404, "NOT_FOUND")],
)
def test_a_failed_function_is_an_http_error_with_a_body(
    results: dict[str, Any], name: str, status: int, code: str
) -> None:
    result = results[name]
    assert (result["error"], result["status"], result["body"]["code"]) == ("FunctionsHttpError", status, code)


def test_a_refused_token_is_a_relay_error(results: dict[str, Any]) -> None:
    assert (results["relay"]["error"], results["relay"]["status"]) == ("FunctionsRelayError", 401)


def test_what_never_arrived_is_a_fetch_error(results: dict[str, Any]) -> None:
    assert results["network"] == results["abort"] == results["timeout"] == "FunctionsFetchError"


def test_answers_are_decoded_by_their_type(results: dict[str, Any]) -> None:
    assert results["stream"]["data"] == "response"
    assert results["download"]["data"] == {"blob": 1000, "type": "application/octet-stream"}
    assert (results["empty"]["error"], results["empty"]["status"], results["empty"]["data"]) == (None, 204, "")
