"""Whatever is down, a form is answered in its own shape: a sentence that the page can show."""

from __future__ import annotations

import os
import signal
import tomllib
from pathlib import Path

import httpx
import pytest

from functions.shared.leads import UNAVAILABLE
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway
from tests.functions.conftest import wait_for
from tests.functions.test_submit import SAMPLES

FORMS = sorted(SAMPLES)


def send(gateway: LiveGateway, name: str, headers: dict[str, str] | None = None) -> httpx.Response:
    url = f"{gateway.url}/functions/v1/{name}"
    return httpx.post(url, json=SAMPLES[name], headers=headers, timeout=60, trust_env=False)


def is_refused_in_shape(response: httpx.Response) -> bool:
    body = response.json()
    return response.status_code >= 400 and body["ok"] is False and body["error"] == UNAVAILABLE


@pytest.mark.parametrize("name", FORMS)
def test_the_form_and_the_gateway_say_the_same(name: str) -> None:
    table = tomllib.loads((ROOT / "functions" / name / "function.toml").read_text())
    assert table["fallback"] == {"ok": False, "error": UNAVAILABLE}


def test_each_function_with_a_form_says_what_to_answer_in_its_place() -> None:
    assert {path.parent.name for path in (ROOT / "functions").glob("*/*.form.json")} == set(FORMS)


@pytest.mark.parametrize("name", FORMS)
def test_a_host_that_is_down_is_a_sentence(gateways: GatewayStarter, name: str) -> None:
    variable = f"FUNCTIONS_{name.upper().replace('-', '_')}_URL"
    gateway = gateways(extra={variable: "http://127.0.0.1:1"})
    assert is_refused_in_shape(send(gateway, name))


def test_too_many_calls_are_a_sentence(gateways: GatewayStarter) -> None:
    gateway = gateways(extra={"GATEWAY_RATE_LIMIT_FUNCTIONS": "0.2", "GATEWAY_TRUSTED_PROXIES": "127.0.0.1"})
    answers = [send(gateway, "submit-contact", {"x-forwarded-for": "203.0.113.9"}) for _ in range(4)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused and all(is_refused_in_shape(answer) for answer in refused)
    assert int(refused[0].headers["retry-after"]) > 0


def test_a_function_that_cannot_start_is_a_sentence(gateways: GatewayStarter, tmp_path: Path) -> None:
    folder = tmp_path / "functions" / "submit-contact"
    folder.mkdir(parents=True)
    (folder / "function.toml").write_text((ROOT / "functions" / "submit-contact" / "function.toml").read_text())
    (folder / "main.py").write_text("import nothing_of_that_name\n")
    response = send(gateways(extra={"FUNCTIONS_DIR": str(tmp_path / "functions")}), "submit-contact")
    assert response.status_code == 503 and is_refused_in_shape(response)


def test_a_function_that_is_killed_in_mid_call_is_a_sentence(gateways: GatewayStarter, tmp_path: Path) -> None:
    folder = tmp_path / "functions" / "submit-contact"
    folder.mkdir(parents=True)
    (folder / "function.toml").write_text((ROOT / "functions" / "submit-contact" / "function.toml").read_text())
    code = f"import os\nasync def handle(request):\n    os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    (folder / "main.py").write_text(code)
    response = send(gateways(extra={"FUNCTIONS_DIR": str(tmp_path / "functions")}), "submit-contact")
    assert response.status_code >= 500 and is_refused_in_shape(response)


def test_a_stopped_gateway_s_last_calls_are_answered_in_shape(gateways: GatewayStarter) -> None:
    gateway = gateways()
    assert send(gateway, "submit-contact").json() == {"ok": True}
    os.kill(gateway.process.pid, signal.SIGTERM)

    def is_over() -> bool:
        try:
            answer = send(gateway, "submit-contact")
        except httpx.TransportError:
            return True  # nobody listens: that is no answer
        assert answer.json() == {"ok": True} or is_refused_in_shape(answer)
        return False

    wait_for(is_over)
