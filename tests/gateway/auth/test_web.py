"""Requests to other services, and what they cost a process that makes none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from gateway.auth.outbound import http as web
from tests.gateway.auth.local import Asked, local_server


def test_libraries_of_other_services_are_not_loaded_at_start() -> None:
    script = "import gateway.app, sys; print({'httpx', 'authlib', 'joserfc'} & sys.modules.keys())"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "set()"


@pytest.mark.parametrize(("status", "body"), [(200, "no json"), (200, [1]), (500, {"a": 1}), (302, {"a": 1})])
def test_answer_that_is_no_good_object_is_an_error(status: int, body: Any) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        return status, body

    with local_server(answer) as server:
        reply = asyncio.run(web.ask("GET", server.url, timeout=5))
    with pytest.raises(web.WebError):
        reply.table()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://[", "nonsense"])
def test_service_that_cannot_be_asked_is_an_error(url: str) -> None:
    with pytest.raises(web.WebError):
        asyncio.run(web.ask("GET", url, timeout=5))
