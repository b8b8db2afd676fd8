"""One envelope for every refusal, whatever went wrong: four keys in one order, the code in a header, readable from
elsewhere, and no body where there may be none."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx
import pytest

from gateway.errors import ErrorRow
from gateway.rest import errors
from tests.contract.case import Case
from tests.contract.test_cases import ROWS
from tests.fixtures.contract import MAIN, Services

REFUSED = [pytest.param(case, id=f"{topic}: {case.title}") for topic, case in ROWS if case.error is not None]
ELSEWHERE = {"Origin": "https://a.example"}

# Raised where the database or the keys are gone, which no case can arrange (test_outage.py, tests/gateway/rest), or
# kept only so that the number is not given to something else.
NOT_BY_A_CASE = {"PGRST000", "PGRST001", "PGRST002", "PGRST003", "PGRST120", "PGRST300", "PGRSTX00", "maintenance"}


def answer(case: Case, services: Services) -> httpx.Response:
    return services(MAIN, case.profile).send(replace(case, send={**case.send, **ELSEWHERE}))


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_has_the_one_shape(case: Case, services: Services) -> None:
    response = answer(case, services)
    content = json.loads(response.text)
    assert list(content) == ["code", "details", "hint", "message"]
    assert isinstance(content["message"], str)
    assert content["hint"] is None or isinstance(content["hint"], str)
    assert content["details"] is None or isinstance(content["details"], str | list)
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["access-control-allow-origin"] in ("*", "https://a.example")
    after_the_query = content["code"] == "PGRST103" and "content-range" in response.headers
    if not after_the_query:
        assert response.headers["proxy-status"] == f"PostgREST; error={content['code']}"
    assert ("www-authenticate" in response.headers) == (response.status_code == 401)


@pytest.mark.parametrize("target", ["/nope", "/ships?id=x", "/ships?id=eq.x", "/rpc/nope", "/ships/1"])
def test_head_is_refused_without_a_body(target: str, services: Services) -> None:
    service = services(MAIN, "open")
    got, head = (service.send(Case("", f"{method} {target}")) for method in ("GET", "HEAD"))
    assert head.status_code == got.status_code >= 400
    assert head.content == b""


def test_every_code_of_the_catalogue_is_raised_by_a_case() -> None:
    codes = {row.code for row in vars(errors).values() if isinstance(row, ErrorRow)}
    raised = {str(case.error["code"]) for _, case in ROWS if case.error is not None}
    assert codes - raised == NOT_BY_A_CASE
