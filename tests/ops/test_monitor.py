"""The monitor beside a gateway that serves: whoever runs it hears of what is wrong."""

from __future__ import annotations

import json
import os
import re
import signal

import httpx

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway
from tests.gateway.operations.monitor.test_checks import Hook, enqueue, heartbeat
from tests.ops.procs import children, until
from tests.ops.test_metrics import admin_of, samples

LOOKS = 60.0  # seconds; the monitor looks four times a minute


def monitor_of(gateway: LiveGateway) -> int:
    """Process of the monitor, 0 until it has looked once."""
    try:
        return int(json.loads((gateway.data_dir / "alarms.json").read_text())["pid"])
    except FileNotFoundError:
        return 0


def test_a_refused_notice_rings_and_status_says_so(gateways: GatewayStarter) -> None:
    with Hook() as hook:
        gateway = gateways(extra={"GATEWAY_ALARM_WEBHOOK": hook.url})
        with SyncConnection(gateway.database_url) as connection:
            heartbeat(connection, "-1 hour")
            assert gateway.command("status").returncode == 0
            id = enqueue(connection, alarm_after=600)
            connection.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'refused')", id)
            connection.script("update jobs.procrastinate_jobs set status = 'failed'")
            until(lambda: bool(hook.told), "the webhook is called", LOOKS)
            assert [row["kind"] for row in hook.told[0]["standing"]] == ["mail"]
            status = gateway.command("status")
            assert status.returncode == 1 and f"mail {id}" in status.stdout
            assert gateway.command("alarms", "list").returncode == 1
            assert httpx.get(f"{admin_of(gateway)}/ready").status_code == 200, "visitors are served all the same"
            assert samples(gateway)[("gateway_alarms", frozenset({("kind", "mail")}))] == 1
            connection.script("update jobs.procrastinate_jobs set status = 'cancelled'")
            until(lambda: len(hook.told) == 2, "the end is told", LOOKS)
            assert [row["kind"] for row in hook.told[1]["over"]] == ["mail"]
            assert gateway.command("status").returncode == 0


def test_a_killed_monitor_comes_back(gateways: GatewayStarter) -> None:
    gateway = gateways()
    until(lambda: monitor_of(gateway) > 0, "it looks", LOOKS)
    first = monitor_of(gateway)
    os.kill(first, signal.SIGKILL)
    until(lambda: monitor_of(gateway) != first, "another monitor", LOOKS)
    assert monitor_of(gateway) in children(gateway.process.pid)


def test_a_test_alarm_says_whether_it_arrives(gateways: GatewayStarter) -> None:
    gateway = gateways()
    assert "nobody is told" in gateway.command("alarms", "test").stderr


def test_each_number_that_a_rule_asks_for_is_served(gateways: GatewayStarter) -> None:
    gateway = gateways()
    httpx.get(f"{gateway.url}/rest/v1/blog_posts?limit=1", headers={"apikey": gateway.publishable_key})
    text = (ROOT / "docs" / "operations" / "alerts.yml").read_text()
    asked = {name for line in text.splitlines() if "expr:" in line for name in re.findall(r"gateway_\w+", line)}
    until(lambda: asked <= {name for name, _ in samples(gateway)}, f"all of {sorted(asked)} are served")
    assert len(asked) > 5
