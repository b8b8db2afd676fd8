"""Headers of a download that depend on who asks and on settings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from gateway.settings import Settings
from gateway.storage.call import Call
from gateway.storage.core import Core
from gateway.storage.download import object_headers
from gateway.storage.rows import Object

METADATA = {"eTag": '"a"', "size": 1, "mimetype": "text/plain", "cacheControl": "max-age=5"}


async def nothing() -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(
    ("seconds", "method", "tag", "said"),
    [
        (0, "GET", None, "max-age=5"),
        (0, "GET", '"a"', "max-age=5"),
        (0, "GET", '"b"', "max-age=5, stale-while-revalidate=30"),
        (0, "HEAD", '"b"', "max-age=5, must-revalidate"),
        (60, "GET", None, "max-age=5"),
        (60, "GET", '"a"', "max-age=5, s-maxage=60"),
        (60, "GET", '"b"', "max-age=5, s-maxage=60, stale-while-revalidate=30"),
    ],
)
def test_cache_control_is_what_the_object_and_the_settings_say(
    seconds: int, method: str, tag: str | None, said: str
) -> None:
    core = cast(Core, SimpleNamespace(settings=Settings(storage_s_maxage=seconds)))
    asked = [(b"if-none-match", tag.encode())] if tag is not None else []
    row = Object("id", "name", "bucket", "version", METADATA, None, 0.0, "", None)
    headers = dict(object_headers(core, Call(method, "/", "/", "", asked, nothing), row, None))
    assert headers[b"cache-control"].decode() == said
