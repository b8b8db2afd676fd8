"""What hosted projects have beside is answered in JSON, not by a page of the site."""

from __future__ import annotations

import httpx
import pytest

from tests.realtime.conftest import Realtime


@pytest.mark.parametrize("path", ["/graphql/v1", "/pg/tables", "/analytics/v1/x"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_absent_service_is_one_json_error(realtime: Realtime, method: str, path: str) -> None:
    answer = httpx.request(method, realtime.url + path, headers={"origin": "https://elsewhere"})
    assert answer.status_code == 404
    assert answer.json()["message"] == "no Route matched with those values"
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]


def test_long_polling_is_not_served(realtime: Realtime) -> None:
    answer = httpx.get(f"{realtime.url}/realtime/v1/longpoll", params={"apikey": realtime.gateway.publishable_key})
    assert (answer.status_code, answer.json()) == (404, {"message": "Not Found"})
