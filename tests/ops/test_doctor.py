"""`gateway doctor` finds what was broken on purpose, and says what to do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from gateway.database import SyncConnection
from gateway.operations.doctor import Finding, Level, examine
from gateway.settings import Settings
from tests.fixtures.server import LiveGateway
from tests.ops.procs import until
from tests.ops.test_metrics import admin_of

BIG = "insert into public.big (parent) select 1 from generate_series(1, 5000); analyze public.big"


def wrong(settings: Settings, connection: SyncConnection) -> list[Finding]:
    return [finding for finding in examine(settings, connection) if finding.level is not Level.OK]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, backup_dir="")


def test_a_sound_installation_has_no_problem(settings: Settings, connection: SyncConnection) -> None:
    findings = list(examine(settings, connection))
    assert [finding for finding in findings if finding.level is Level.PROBLEM] == []
    assert {"postgres", "disk", "clock", "keys", "roles", "connections", "policies", "mail"} <= {
        finding.subject for finding in findings
    }
    assert all(finding.advice for finding in findings if finding.level is not Level.OK)


@pytest.mark.parametrize(
    ("script", "subject", "text"),
    [
        ("create table public.bare (n int); grant select on public.bare to anon", "policies", "public.bare has no row"),
        (
            "create table public.bare (n int); grant update (n) on public.bare to authenticated",
            "policies",
            "public.bare has no row",
        ),
        (
            "create view public.seen as select * from public.quote_requests; grant select on public.seen to anon",
            "policies",
            "public.seen shows what its owner may see",
        ),
        (
            "create policy members on public.blog_posts for delete to authenticated using (true)",
            "policies",
            "members lets anyone signed in DELETE in public.blog_posts",
        ),
        (
            "create policy anyone on public.blog_posts for insert to anon with check (true)",
            "policies",
            "anyone lets anyone INSERT in public.blog_posts",
        ),
        (
            "create table public.big (n serial primary key, parent int references public.big); alter table public.big"
            f" enable row level security; {BIG}",
            "indexes",
            "public.big.parent refers",
        ),
        (
            "insert into jobs.procrastinate_jobs (queue_name, task_name, args, status, scheduled_at) values"
            " ('mail', 'mail.send', '{}', 'todo', now() - interval '2 hours')",
            "mail",
            "1 mails wait",
        ),
        (
            "insert into jobs.procrastinate_jobs (queue_name, task_name, args, status) values"
            " ('mail', 'mail.send', '{}', 'failed')",
            "mail",
            "1 mails were refused",
        ),
    ],
    ids=[
        "no row security",
        "a column without it",
        "a view past it",
        "members' policy",
        "open policy",
        "unindexed key",
        "late mail",
        "refused mail",
    ],
)
def test_a_fault_of_the_database_is_found(
    settings: Settings, connection: SyncConnection, script: str, subject: str, text: str
) -> None:
    connection.script(script.replace("references public.big)", "references public.big deferrable initially deferred)"))
    found = [finding for finding in wrong(settings, connection) if finding.subject == subject]
    assert len(found) == 1 and found[0].text.startswith(text) and found[0].advice


def _readable_keys(settings: Settings) -> Settings:
    (settings.data_dir / "keys.json").write_text("{}")
    os.chmod(settings.data_dir / "keys.json", 0o644)
    return settings


def _many_workers(settings: Settings) -> Settings:

    return replace(settings, workers=20)


def _open_address(settings: Settings) -> Settings:

    return replace(settings, host="0.0.0.0")


def _stale_copies(settings: Settings) -> Settings:

    return replace(settings, backup_dir=str(settings.data_dir))


@pytest.mark.parametrize(
    ("change", "subject"),
    [
        (_readable_keys, "keys"),
        (_many_workers, "connections"),
        (_open_address, "address"),
        (_stale_copies, "copies"),
    ],
)
def test_a_fault_of_the_settings_is_found(
    settings: Settings, connection: SyncConnection, change: Callable[[Settings], Settings], subject: str
) -> None:
    before = {finding.subject for finding in wrong(settings, connection) if finding.level is Level.PROBLEM}
    after = wrong(change(settings), connection)
    assert subject not in before
    assert subject in {finding.subject for finding in after if subject == "address" or finding.level is Level.PROBLEM}


def test_the_command_names_the_process_and_exits_by_what_it_found(gateway: LiveGateway) -> None:
    idle = gateway.command("doctor", "--json")
    assert idle.returncode == 1 and "No job worker runs" in idle.stdout
    with SyncConnection(gateway.database_url) as connection:
        connection.script("insert into jobs.procrastinate_workers (last_heartbeat) values (now() + interval '1 hour')")
    done = gateway.command("doctor", "--json")
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    assert findings[0]["text"] == f"process {gateway.process.pid} serves {gateway.url}"
    with SyncConnection(gateway.database_url) as connection:
        connection.script(
            "create table public.bare (n int primary key, note text, quiet text);"
            "insert into public.bare select n, '' from generate_series(1, 5000) as n; analyze public.bare;"
            "grant select on public.bare to anon"
        )
    asked = f"{gateway.url}/rest/v1/bare?note=eq.x&order=n&limit=1"
    until(lambda: httpx.get(asked, headers={"apikey": gateway.publishable_key}).status_code == 200, "the new table")
    lookups, key = f"{admin_of(gateway)}/lookups", {"apikey": gateway.note["key"]}
    until(lambda: "bare" in httpx.get(lookups, headers=key).text, "what was asked is told")
    done = gateway.command("doctor", "--json")
    told = [json.loads(line)["text"] for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [text for text in told if "public.bare" in text] == [
        "public.bare has no row level security",
        "requests filter or order by public.bare.note, which is in no index",
    ]
