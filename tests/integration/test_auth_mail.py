"""A link by mail, from the request to the session: gateway, queue, worker, mail trap."""

from __future__ import annotations

import re
import time

import httpx

from gateway.mail.trap_page import caught
from tests.fixtures.server import GatewayStarter

EMAIL, PASSWORD = "ada@example.com", "tin-lantern-42-river"
LIMIT = 60.0  # seconds; generous, nothing is measured here


def test_mailed_link_signs_in_and_the_queue_never_held_it(gateways: GatewayStarter) -> None:
    gateway = gateways("dev")
    made = gateway.command("users", "create", EMAIL, "--password-stdin", input=PASSWORD)
    assert made.returncode == 0, made.stderr
    headers = {"apikey": gateway.publishable_key}
    asked = httpx.post(f"{gateway.url}/auth/v1/recover", json={"email": EMAIL}, headers=headers)
    assert asked.status_code == 200, asked.text
    deadline = time.monotonic() + LIMIT
    while not (mails := list(caught(gateway.data_dir / "mail"))):
        assert time.monotonic() < deadline, "no mail came: " + "".join(gateway.output)
        time.sleep(0.1)
    (link,) = re.findall(r"http://\S+/verify\?\S+", mails[0].part("plain"))
    back = httpx.get(link)
    assert back.status_code == 303 and "access_token=" in back.headers["location"]
