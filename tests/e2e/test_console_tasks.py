"""What an owner does in a week, done in the console by role, name and keyboard alone.

The list follows the menus of Supabase Studio and of PocketBase; tables, SQL, schema and storage are in test_console.py.
One gateway, one sign-in: each test makes what it needs and no page asks another host.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pyotp
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.fixtures.db import Server, clone
from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway
from tests.realtime.conftest import Line, Realtime

HELLO = """async def handle(request):
    body = await request.json() if request.method == "POST" else {}
    print("said hello to", body.get("name"))
    return {"hello": body.get("name"), "version": 1}
"""
LIMIT = 30_000  # milliseconds
FUNCTIONS = {
    "main.py": HELLO,
    "sample.json": '{"name": "Ada"}\n',
    "function.toml": 'verify_jwt = false\nschedule = "@daily"\noptional_env = ["WORD"]\n',
}
NAMED_LIKE_PATHS = ("secrets", "functions", "api", "assets", "new")  # words of the console's own addresses
NAMED = """async def handle(request):
    print("called")
    return {"path": request.url.path}
"""


@pytest.fixture(scope="module")
def owned(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway with a function that is called by the clock, and a folder for backups."""
    database = f"tasks_{uuid.uuid4().hex[:8]}"
    with server.admin() as admin:
        admin.script(clone(database, template))
    root: Path = tmp_path_factory.mktemp("tasks")
    for file, text in FUNCTIONS.items():
        path = root / "functions" / "hello" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in NAMED_LIKE_PATHS:
        (root / "functions" / name).mkdir()
        (root / "functions" / name / "main.py").write_text(NAMED)
    (root / "backups").mkdir()
    extra = {"FUNCTIONS_DIR": str(root / "functions"), "GATEWAY_BACKUP_DIR": str(root / "backups")}
    running = start_gateway(server.database(database), root / "data", "dev", extra)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{database}" with (force)')


@pytest.fixture(scope="module")
def strangers() -> list[str]:
    """Addresses of other hosts that a page asked."""
    return []


@pytest.fixture(scope="module")
def page(browser: Browser, owned: LiveGateway, strangers: list[str]) -> Iterator[Page]:
    """Signed in by the address that the command prints."""
    address = re.search(r"#code=\S+", owned.command("console").stdout)
    assert address
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.set_default_timeout(LIMIT)
    home = urlsplit(owned.url).netloc
    for event in ("request", "websocket"):
        opened.on(
            event, lambda sent: strangers.append(sent.url) if urlsplit(sent.url).netloc not in ("", home) else None
        )
    opened.goto(f"{owned.url}/_console/{address[0]}")
    expect(opened.get_by_role("navigation", name="Console")).to_be_visible(timeout=LIMIT)
    yield opened
    context.close()


@pytest.fixture(autouse=True)
def fresh(page: Page, owned: LiveGateway) -> None:
    """No test begins where another broke off."""
    page.goto(f"{owned.url}/_console/")
    expect(page.get_by_role("navigation", name="Console")).to_be_visible(timeout=LIMIT)


@pytest.fixture
def go(page: Page) -> Callable[[str], Locator]:
    """Open a page by its name in the palette, or the rail; its main part."""

    def to(name: str) -> Locator:
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Search commands and tables").fill(name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible(timeout=LIMIT)
        return page.get_by_role("main")

    return to


Go = Callable[[str], Locator]


def says(page: Page, text: str) -> None:
    """A message of what was done."""
    expect(page.get_by_role("region", name="Notifications").get_by_text(text).last).to_be_visible(timeout=LIMIT)
    page.locator(".toast", has_text=text).get_by_role("button", name="Dismiss").last.click()


def person(owned: LiveGateway, *, signed_in: bool = False) -> str:
    """Somebody who has signed up; the address."""
    email = f"{uuid.uuid4().hex[:8]}@umw.example"
    secret = {"apikey": owned.secret_key, "authorization": f"Bearer {owned.secret_key}"}
    body = {"email": email, "password": "Long-enough-9", "email_confirm": True}
    httpx.post(f"{owned.url}/auth/v1/admin/users", headers=secret, json=body).raise_for_status()
    if signed_in:
        key = {"apikey": owned.publishable_key}
        answer = httpx.post(f"{owned.url}/auth/v1/token?grant_type=password", headers=key, json=body)
        answer.raise_for_status()
    return email


def open_person(page: Page, go: Go, email: str) -> None:
    go("Users")
    page.get_by_role("searchbox", name="Search users").fill(email)
    page.get_by_role("link", name=email).click()
    expect(page.get_by_role("heading", level=1, name=email)).to_be_visible(timeout=LIMIT)


# --- users -----------------------------------------------------------------------------------------------------------


def test_a_person_is_invited_and_the_letter_is_read_with_its_link(page: Page, go: Go) -> None:
    email = f"{uuid.uuid4().hex[:8]}@umw.example"
    go("Users")
    page.get_by_role("button", name="Invite user").click()
    form = page.get_by_role("dialog", name="Invite user")
    form.get_by_label("Email").fill(email)
    form.get_by_role("button", name="Send invitation").click()
    says(page, "Invitation sent")
    go("Mail")
    page.get_by_role("searchbox", name="Search mail").fill(email)
    row = page.get_by_role("row").filter(has_text=email)
    row.get_by_role("button").click(timeout=LIMIT)
    letter = page.get_by_role("dialog", name="Email")
    expect(letter.frame_locator("iframe").get_by_role("link").first).to_be_visible(timeout=LIMIT)
    letter.get_by_role("tab", name=re.compile("^Links")).click()
    link = letter.get_by_role("link", name=re.compile("auth.v1.verify"))
    assert "token=" in str(link.get_attribute("href")) and link.get_attribute("rel") == "noreferrer noopener"
    letter.get_by_role("tab", name="Text").click()
    expect(letter.get_by_label("Text of the email")).to_contain_text("http")
    page.keyboard.press("Escape")


def test_links_are_sent_and_generated(page: Page, go: Go, owned: LiveGateway) -> None:
    open_person(page, go, person(owned))
    page.get_by_role("button", name="Send or generate link").click()
    form = page.get_by_role("dialog", name="Send or generate link")
    form.get_by_role("button", name="Send password recovery").click()
    says(page, "Password recovery sent")
    form.get_by_label("Link type").select_option(label="Magic link")
    form.get_by_role("button", name="Generate link").click()
    expect(form.get_by_label("Link", exact=True)).to_contain_text("/auth/v1/verify?token=")
    page.keyboard.press("Escape")


def test_a_persons_sessions_have_addresses_and_are_ended(page: Page, go: Go, owned: LiveGateway) -> None:
    email = person(owned, signed_in=True)
    open_person(page, go, email)
    sessions = page.get_by_role("table", name="Sessions")
    expect(sessions.get_by_role("cell", name="127.0.0.1", exact=True)).to_be_visible()
    expect(page.get_by_role("table", name="Audit trail").get_by_role("row", name=re.compile("login"))).to_be_visible()
    sessions.get_by_role("button", name=re.compile("^Sign out")).click()
    says(page, "Session ended")
    expect(page.get_by_text("Signed in nowhere.")).to_be_visible()


def test_a_persons_role_is_set_and_the_person_banned_and_deleted(page: Page, go: Go, owned: LiveGateway) -> None:
    email = person(owned)
    open_person(page, go, email)
    page.get_by_role("button", name="Edit user").click()
    form = page.get_by_role("dialog", name="Edit user")
    form.get_by_label("App metadata").fill('{"role": "editor"}')
    form.get_by_role("button", name="Save").click()
    says(page, "User saved")
    expect(page.get_by_role("group", name="App metadata")).to_contain_text("editor")
    page.get_by_role("button", name="Ban user").click()
    page.get_by_role("dialog", name="Ban user").get_by_role("button", name="Ban user").click()
    says(page, "User banned")
    page.get_by_role("button", name="Unban user").click()
    says(page, "User unbanned")
    page.get_by_role("button", name="Delete user").click()
    page.get_by_role("dialog", name="Delete user").get_by_role("button", name="Delete user").click()
    says(page, "User deleted")
    page.get_by_role("searchbox", name="Search users").fill(email)
    expect(page.get_by_text("Nobody is found by that.")).to_be_visible()


def test_a_magic_link_is_copied_and_works_once(page: Page, go: Go, owned: LiveGateway) -> None:
    email = person(owned)
    open_person(page, go, email)
    page.get_by_role("button", name="Send or generate link").click()
    form = page.get_by_role("dialog", name="Send or generate link")
    form.get_by_role("button", name="Generate link").click()
    expect(form.get_by_text(f"Whoever opens it is signed in as {email}. It works once.")).to_be_visible(timeout=LIMIT)
    form.get_by_role("button", name="Copy link").click()
    link = str(page.evaluate("navigator.clipboard.readText()"))
    assert link == form.get_by_label("Link", exact=True).inner_text()
    first, second = (httpx.get(link).headers["location"] for _ in range(2))
    assert "access_token=" in first and "type=magiclink" in first
    assert "access_token=" not in second and "error_code=otp_expired" in second
    page.keyboard.press("Escape")
    expect(form).to_be_hidden()
    trail = page.get_by_role("table", name="Audit trail")
    page.reload()
    expect(trail.get_by_role("row", name=re.compile("login")).first).to_be_visible(timeout=LIMIT)


def test_a_second_factor_is_removed_and_the_person_signs_in_without_it(page: Page, go: Go, owned: LiveGateway) -> None:
    email = person(owned)
    key, known = {"apikey": owned.publishable_key}, {"email": email, "password": "Long-enough-9"}
    answer = httpx.post(f"{owned.url}/auth/v1/token?grant_type=password", headers=key, json=known)
    bearer = {**key, "authorization": f"Bearer {answer.json()['access_token']}"}
    factors = f"{owned.url}/auth/v1/factors"
    made = httpx.post(factors, headers=bearer, json={"factor_type": "totp", "friendly_name": "My phone"}).json()
    challenge = httpx.post(f"{factors}/{made['id']}/challenge", headers=bearer).json()["id"]
    proof = {"challenge_id": challenge, "code": pyotp.TOTP(made["totp"]["secret"]).now()}
    httpx.post(f"{factors}/{made['id']}/verify", headers=bearer, json=proof).raise_for_status()

    open_person(page, go, email)
    held = page.get_by_role("table", name="MFA factors")
    expect(held.get_by_role("row", name=re.compile("My phone totp verified"))).to_be_visible(timeout=LIMIT)
    held.get_by_role("button", name="Remove factor My phone").click()
    sure = page.get_by_role("dialog", name="Remove factor")
    expect(sure.get_by_text("signs in without it")).to_be_visible()
    sure.get_by_role("button", name="Remove factor").click()
    says(page, "Factor removed")
    expect(page.get_by_text("No second factor.")).to_be_visible(timeout=LIMIT)
    with SyncConnection(owned.database_url) as connection:
        assert connection.rows("select count(*) from auth.mfa_factors where id = $1::uuid", made["id"]) == [("0",)]


# --- functions -------------------------------------------------------------------------------------------------------


def open_function(page: Page, go: Go, tab: str) -> None:
    go("Functions")
    page.get_by_role("link", name="hello").click()
    page.get_by_role("tab", name=tab).click()


def test_a_function_is_invoked_with_its_sample_and_the_call_replayed(page: Page, go: Go) -> None:
    open_function(page, go, "Invoke")
    expect(page.get_by_label("Request body")).to_have_value('{"name": "Ada"}\n')
    page.get_by_role("button", name="Invoke function").click()
    expect(page.get_by_role("group", name="Response", exact=True)).to_contain_text('"hello": "Ada"', timeout=LIMIT)

    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_role("table", name="Log lines").get_by_text("said hello to Ada").first).to_be_visible()
    page.get_by_role("checkbox", name="Follow").check()

    page.get_by_role("tab", name="Invocations").click()
    page.get_by_role("button", name=re.compile("^Open invocation")).first.click(timeout=LIMIT)
    call = page.get_by_role("dialog", name="Invocation")
    expect(call.get_by_role("group", name="Body of the request")).to_contain_text("Ada")
    expect(call.get_by_role("group", name="Body of the response")).to_contain_text('"hello": "Ada"')
    expect(call.get_by_role("group", name="Lines")).to_contain_text("said hello to Ada")
    call.get_by_role("button", name="Replay").click()
    expect(call.get_by_role("group", name="Response of the replay")).to_contain_text("Ada", timeout=LIMIT)
    call.get_by_role("link").click()
    went = page.get_by_role("list", name="What the request touched")
    for part in ("gateway", "function", "function log"):
        expect(went.get_by_text(part, exact=True).first).to_be_visible(timeout=LIMIT)

    open_function(page, go, "Overview")
    chart = page.get_by_role("figure", name="Calls a minute")
    chart.get_by_role("button", name="Show table").click()
    expect(chart.get_by_role("columnheader", name="Errors")).to_be_visible()


def test_functions_named_like_the_consoles_own_paths_open_and_work(page: Page, go: Go, owned: LiveGateway) -> None:
    for name in NAMED_LIKE_PATHS:
        go("Functions")
        page.get_by_role("table", name="Functions").get_by_role("link", name=name, exact=True).click()
        page.reload()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible(timeout=LIMIT)
        page.get_by_role("tab", name="Invoke").click()
        page.get_by_role("button", name="Invoke function").click()
        expect(page.get_by_role("group", name="Response", exact=True)).to_contain_text('"path"', timeout=LIMIT)
        page.get_by_role("tab", name="Logs").click()
        expect(page.get_by_role("table", name="Log lines").get_by_text("called").first).to_be_visible(timeout=LIMIT)
        page.get_by_role("tab", name="Invocations").click()
        expect(page.get_by_role("button", name=re.compile("^Open invocation")).first).to_be_visible(timeout=LIMIT)


def test_a_secret_is_set_and_unset(page: Page, go: Go) -> None:
    go("Functions")
    page.get_by_role("button", name="Add secret").click()
    form = page.get_by_role("dialog", name="Add secret")
    form.get_by_label("Name").fill("WORD")
    form.get_by_label("Value").fill("hush-hush")
    form.get_by_role("button", name="Save").click()
    says(page, "Secret saved")
    expect(page.get_by_role("table", name="Secrets").get_by_role("cell", name="WORD", exact=True)).to_be_visible()
    assert "hush-hush" not in page.content()
    page.get_by_role("button", name="Delete secret WORD").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete secret").click()
    says(page, "Secret deleted")


def test_a_schedule_is_paused_resumed_and_run(page: Page, go: Go) -> None:
    go("Schedules")
    row = page.get_by_role("row", name=re.compile("hello"))
    row.get_by_role("button", name="Pause hello").click(timeout=LIMIT)
    expect(row.get_by_text("paused")).to_be_visible()
    row.get_by_role("button", name="Resume hello").click()
    expect(row.get_by_role("button", name="Pause hello")).to_be_visible()
    row.get_by_role("button", name="Run now: hello").click()
    says(page, "It runs")


def test_a_deployment_is_rolled_back(page: Page, go: Go, owned: LiveGateway, tmp_path: Path) -> None:
    for number in (2, 3):
        for file, text in FUNCTIONS.items():
            path = tmp_path / "hello" / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace('"version": 1', f'"version": {number}'))
        done = subprocess.run(
            [sys.executable, "-m", "functions", "deploy", "hello", "--dir", str(tmp_path)],
            cwd=ROOT,
            env=environment(owned.database_url, owned.data_dir),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    open_function(page, go, "Deployments")
    older = page.get_by_role("row").filter(has_not_text="current").filter(has=page.get_by_role("button"))
    older.get_by_role("button", name=re.compile("^Roll back to")).first.click(timeout=LIMIT)
    page.get_by_role("dialog", name="Roll back").get_by_role("button", name="Roll back").click()
    says(page, "Rolled back")
    assert httpx.post(f"{owned.url}/functions/v1/hello", json={}).json()["version"] == 2


# --- realtime, jobs --------------------------------------------------------------------------------------------------


def test_a_broadcast_is_heard_by_who_listens(page: Page, go: Go, strangers: list[str]) -> None:
    go("Realtime")
    page.get_by_role("textbox", name="Channel").fill("kitchen")
    page.get_by_role("button", name="Start listening").click()
    expect(page.get_by_role("status").get_by_text("listening", exact=True)).to_be_visible(timeout=LIMIT)
    page.get_by_role("textbox", name="Message").fill('{"dish": "<img src=x onerror=alert(1)>"}')
    page.get_by_role("button", name="Send broadcast").click()
    says(page, "Broadcast sent")
    expect(page.get_by_role("table", name="Messages").get_by_text("<img src=x").first).to_be_visible(timeout=LIMIT)
    channels = page.get_by_role("table", name="Channels")
    expect(channels.get_by_role("row", name=re.compile("kitchen"))).to_be_visible(timeout=LIMIT)
    page.get_by_role("button", name="Stop listening").click()
    expect(page.get_by_role("button", name="Start listening")).to_be_visible()
    assert strangers == []


def test_members_come_and_go_and_what_they_say_is_heard(page: Page, go: Go, owned: LiveGateway) -> None:
    topic, presence = "realtime:lobby", {"presence": {"key": "ada", "enabled": True}, "broadcast": {"self": False}}
    go("Realtime")
    page.get_by_role("textbox", name="Channel").fill("lobby")
    page.get_by_role("button", name="Start listening").click()
    expect(page.get_by_role("status").get_by_text("listening", exact=True)).to_be_visible(timeout=LIMIT)
    expect(page.get_by_text("Nobody says to be present.")).to_be_visible()
    members = page.get_by_role("table", name="Members")
    with ExitStack() as stack:
        client: Line = Realtime(owned, stack).line().joined(topic, presence)
        track = {"type": "presence", "event": "track", "payload": {"mood": "cheerful"}}
        client.say(topic, "presence", track, join_ref="1")
        expect(members.get_by_role("row", name=re.compile("ada.*cheerful"))).to_be_visible(timeout=LIMIT)
        client.say(
            topic, "broadcast", {"type": "broadcast", "event": "said", "payload": {"text": "Hello"}}, join_ref="1"
        )
        heard = page.get_by_role("table", name="Messages").get_by_role("row", name=re.compile("broadcast.*Hello"))
        expect(heard).to_be_visible(timeout=LIMIT)
        page.get_by_role("searchbox", name="Search messages").fill("hello")
        expect(page.get_by_role("table", name="Messages").get_by_role("row")).to_have_count(2)  # with its head
        client.say(topic, "presence", {"type": "presence", "event": "untrack"}, join_ref="1")
        expect(page.get_by_text("Nobody says to be present.")).to_be_visible(timeout=LIMIT)
        client.say(topic, "presence", track, join_ref="1")
        expect(members.get_by_role("row", name=re.compile("ada"))).to_be_visible(timeout=LIMIT)
    expect(page.get_by_text("Nobody says to be present.")).to_be_visible(timeout=LIMIT)  # the socket is gone


def test_a_dead_letter_says_why_and_is_resent_and_discarded(page: Page, go: Go, owned: LiveGateway) -> None:
    mail = {"to": ["ada@umw.example"], "subject": "s", "text": "t", "kind": "greeting"}
    with SyncConnection(owned.database_url) as connection:
        ids = []
        for _ in range(2):
            # In a day: nobody takes it up while it is made a dead one.
            queued = "select jobs.enqueue_mail($1::jsonb, 0, now() + interval '1 day')"
            id = connection.rows(queued, json.dumps(mail))[0][0]
            dead = "update jobs.procrastinate_jobs set status = 'failed' where id = $1::bigint returning id"
            connection.rows(dead, id)
            why = "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1::bigint, 'refused', '550 no')"
            connection.rows(f"{why} returning id", id)
            ids.append(id)
    go("Jobs")
    page.get_by_label("State").select_option(value="dead")
    for id, does, said in ((ids[0], "Resend", "It is done again"), (ids[1], "Discard", "Job discarded")):
        row = page.get_by_role("row").filter(has=page.get_by_role("button", name=f"{does} job {id}"))
        expect(row.get_by_text("550 no")).to_be_visible(timeout=LIMIT)
        row.get_by_role("button", name=f"{does} job {id}").click()
        if does == "Discard":
            page.get_by_role("dialog").get_by_role("button", name="Discard job").click()
        says(page, said)


# --- sight -----------------------------------------------------------------------------------------------------------


def test_reports_and_what_the_database_does_now(page: Page, go: Go) -> None:
    main = go("Reports")
    for name in ("Requests a second", "Errors a minute", "Response times", "Connections to Postgres"):
        expect(main.get_by_role("figure", name=name)).to_be_visible(timeout=LIMIT)
    main = go("Activity")
    for name in ("Disk and cache", "Connections", "Locks", "Slow queries", "Replication lag"):
        expect(main.get_by_role("region", name=name)).to_be_visible(timeout=LIMIT)


def test_a_request_is_found_by_its_id_and_drawn_as_a_line(page: Page, go: Go, owned: LiveGateway) -> None:
    with SyncConnection(owned.database_url) as connection:
        connection.script("create table if not exists public.tasks (id int primary key, name text)")
        connection.script("grant all on public.tasks to anon, service_role; notify pgrst, 'reload schema'")
    headers = {"apikey": owned.secret_key, "x-request-id": f"task-{uuid.uuid4().hex[:8]}"}

    deadline = time.monotonic() + LIMIT / 1000  # until the gateway has seen the new table
    while httpx.get(f"{owned.url}/rest/v1/tasks?name=eq.somebody", headers=headers).status_code != 200:
        assert time.monotonic() < deadline
        page.wait_for_timeout(200)
    go("Logs")
    page.get_by_role("textbox", name="Search logs").fill(headers["x-request-id"])
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("checkbox", name="Follow").check()
    page.get_by_role("link", name=headers["x-request-id"]).first.click(timeout=LIMIT)
    went = page.get_by_role("list", name="What the request touched")
    expect(went.get_by_text("gateway", exact=True).first).to_be_visible(timeout=LIMIT)
    expect(went.get_by_text("SQL", exact=True).first).to_be_visible()
    assert "somebody" not in went.inner_text()


def test_the_doctor_the_settings_and_the_audit_log_are_read(page: Page, go: Go, owned: LiveGateway) -> None:
    go("Doctor")
    expect(page.get_by_role("list", name="Findings").get_by_role("listitem").first).to_be_visible(timeout=LIMIT)
    go("Settings")
    page.get_by_role("searchbox", name="Search settings").fill("smtp")
    expect(page.get_by_role("row", name=re.compile("GOTRUE_SMTP_PASS"))).to_contain_text("not set")
    assert owned.secret_key not in page.content()
    go("Audit log")
    page.get_by_role("button", name=re.compile("^Open entry")).first.click(timeout=LIMIT)
    expect(page.get_by_role("dialog", name="Audit log entry").get_by_label("Details")).to_be_visible()
    page.keyboard.press("Escape")


# --- who may not, and what is looked at ------------------------------------------------------------------------------

MARKUP = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
PAGES = (
    "", "tables", "tables/public/blog_posts", "sql", "schema", "schema?tab=diagram", "migrations", "backups", "users",
    "storage", "functions", "functions/hello", "schedules", "realtime", "jobs", "mail", "reports", "activity", "logs",
    "audit", "doctor", "keys", "settings",
)  # fmt: skip


@pytest.fixture(scope="module")
def letter(owned: LiveGateway) -> None:
    """An email whose parts are all markup."""
    mail = {"to": ["a@umw.example"], "subject": MARKUP, "html": f"<p>{MARKUP}</p>", "text": MARKUP, "kind": MARKUP[:50]}
    with SyncConnection(owned.database_url) as connection:
        connection.rows("select jobs.enqueue_mail($1::jsonb, 0)", json.dumps(mail))


def loaded(page: Page, path: str, owned: LiveGateway) -> None:
    page.goto(f"{owned.url}/_console/{path}")
    expect(page.get_by_role("heading", level=1).first).to_be_visible(timeout=LIMIT)
    expect(page.get_by_role("main").get_by_role("status").filter(has_text="…")).to_have_count(0, timeout=LIMIT)


@pytest.mark.usefixtures("letter")
def test_markup_that_others_wrote_is_shown_and_runs_nowhere(
    page: Page, owned: LiveGateway, strangers: list[str]
) -> None:
    """In a row, a name of a person, an email, a file, a log, a request's path and the audit log."""
    secret = {"apikey": owned.secret_key, "authorization": f"Bearer {owned.secret_key}"}
    email = f"{uuid.uuid4().hex[:8]}@umw.example"
    meta = {"email": email, "email_confirm": True, "user_metadata": {"name": MARKUP}}
    made = httpx.post(f"{owned.url}/auth/v1/admin/users", headers=secret, json=meta)
    httpx.post(f"{owned.url}/functions/v1/hello", json={"name": MARKUP})
    httpx.get(f"{owned.url}/rest/v1/{MARKUP}", headers=secret)
    with SyncConnection(owned.database_url) as connection:
        connection.script("create table if not exists public.markup (id int primary key, name text)")
        connection.rows("insert into public.markup values (1, $1) on conflict do nothing returning id", MARKUP)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    shown = 0
    for path in (
        "tables/public/markup",
        f"users/{made.json()['id']}",
        "functions/hello",
        "jobs",
        "mail",
        "logs",
        "audit",
    ):
        loaded(page, path, owned)
        if path == "mail":
            page.get_by_role("button", name=MARKUP).first.click(timeout=LIMIT)
            expect(page.locator("iframe")).to_have_attribute("sandbox", "")
        if path == "functions/hello":
            page.get_by_role("tab", name="Logs").click()
            expect(page.get_by_text("said hello to").first).to_be_visible(timeout=LIMIT)
        shown += page.locator("#root").inner_text().count("onerror=")
        assert page.title() != "run" and page.locator("#root img, #root script").count() == 0, path
    assert shown >= 4 and faults == [] and strangers == []


def test_read_only_mode_is_said_and_offers_no_change(browser: Browser, owned: LiveGateway) -> None:
    with SyncConnection(owned.database_url) as connection:
        connection.script("create table if not exists public.shown (id int primary key, name text)")
        connection.script("insert into public.shown values (1, 'as it was') on conflict do nothing")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{owned.url}/_console/")
    page.get_by_label("Secret key or code").fill(owned.secret_key)
    page.get_by_label("Read only").check()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Console")).to_be_visible(timeout=LIMIT)
    for path, change in (
        ("users", "Create user"), ("users", "Invite user"), ("functions", "Add secret"), ("storage", "New bucket"),
        ("schedules", "Run now: hello"), ("realtime", "Send broadcast"), ("tables/public/shown", "Insert row"),
    ):  # fmt: skip
        loaded(page, path, owned)
        expect(page.get_by_role("note").filter(has_text="Read only.")).to_be_visible()
        expect(page.get_by_role("button", name=change)).to_be_disabled(timeout=LIMIT)
    loaded(page, "realtime", owned)  # listening changes nothing
    page.get_by_role("button", name="Start listening").click()
    expect(page.get_by_role("status").get_by_text("listening", exact=True)).to_be_visible(timeout=LIMIT)
    refused = page.evaluate(
        """async () => {
          const { token } = await (await fetch('/_console/api/session')).json()
          const body = '{}'
          const headers = { 'x-console-token': token, 'content-type': 'application/json' }
          const answer = await fetch('/_console/api/jobs/1/retry', { method: 'POST', headers, body })
          return [answer.status, (await answer.json()).code]
        }"""
    )
    assert refused == [403, "read_only"]
    context.close()


def test_a_page_of_another_origin_reaches_nothing(page: Page, browser: Browser, owned: LiveGateway) -> None:
    """By fetch, a form, a frame, a window or a socket, with the owner's cookie in the same browser."""
    port = urlsplit(owned.url).port
    attack = """async (base) => {
      const got = {}
      const tried = async (name, work) => { try { got[name] = await work() } catch { got[name] = 'refused' } }
      const body = JSON.stringify({ sql: 'select 1' })
      await tried('read', async () => (await fetch(base + '/api/session', { credentials: 'include' })).status)
      await tried('change', async () => (await fetch(base + '/api/sql', { method: 'POST', credentials: 'include', body,
        headers: { 'content-type': 'application/json' } })).status)
      await tried('blind', async () => (await fetch(base + '/api/session', { method: 'DELETE', mode: 'no-cors',
        credentials: 'include' })).type)
      await tried('socket', () => new Promise((done, failed) => {
        const socket = new WebSocket(base.replace('http', 'ws') + '/api/realtime/socket')
        socket.onopen = () => done('open'); socket.onerror = failed
      }))
      await tried('frame', () => new Promise((done) => {
        const frame = document.createElement('iframe')
        frame.src = base + '/'
        frame.onload = () => { try { done(frame.contentDocument.title) } catch { done('refused') } }
        document.body.append(frame)
      }))
      return got
    }"""
    # One browser: another port of the owner's name, which gets the cookie along, and another name.
    for origin in (f"http://localhost:{port}", "http://evil.localhost:1"):
        other = page.context.new_page()
        other.route(
            f"{origin}/page", lambda route: route.fulfill(body="<!doctype html><body></body>", content_type="text/html")
        )
        other.goto(f"{origin}/page")
        got = other.evaluate(attack, f"{owned.url}/_console")
        assert set(got.values()) <= {"refused", ""} and len(got) == 5, (origin, got)
        other.close()
    page.reload()
    expect(page.get_by_role("navigation", name="Console")).to_be_visible(timeout=LIMIT)  # nobody was signed out


def test_without_a_code_or_a_key_nothing_is_shown_and_a_code_works_once(browser: Browser, owned: LiveGateway) -> None:
    address = re.search(r"#code=\S+", owned.command("console").stdout)
    assert address
    for expected in ("Table editor", "Secret key or code"):
        context = browser.new_context()
        page = context.new_page()
        # A cookie that somebody has set before is not the one that the sign-in gives.
        context.add_cookies([{"name": "console_00000000", "value": "fixed", "url": owned.url}])
        page.goto(f"{owned.url}/_console/")
        expect(page.get_by_label("Secret key or code")).to_be_visible(timeout=LIMIT)
        page.goto(f"{owned.url}/_console/{address[0]}")  # differs in its fragment alone
        shown = page.get_by_role("link", name=expected).or_(page.get_by_label(expected))
        expect(shown).to_be_visible(timeout=LIMIT)
        cookies = [cookie for cookie in context.cookies() if cookie["name"].startswith("console_")]
        assert all(
            cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in cookies if cookie["value"] != "fixed"
        )
        # The page opens itself anew for a code; what is asked of it then is asked again.
        page.wait_for_function("() => !(document.cookie + JSON.stringify(localStorage)).includes('code')")
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_axe_wide_and_narrow(page: Page, owned: LiveGateway, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found = {}
    for path in PAGES:
        for width in (1280, 768):
            page.set_viewport_size({"width": width, "height": 900})
            if width == 1280:
                loaded(page, path, owned)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            found[path, width] = violations(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert {place: broken for place, broken in found.items() if broken} == {}


DIALOGS = (
    ("users", "Create user"), ("users", "Invite user"), ("functions", "Add secret"), ("storage", "New bucket"),
    ("", "Keyboard shortcuts"), ("audit", "Open entry"), ("mail", MARKUP),
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.usefixtures("letter")
def test_dialogs_pass_axe(page: Page, owned: LiveGateway, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found = {}
    for path, opens in DIALOGS:
        loaded(page, path, owned)
        page.get_by_role("button", name=opens).first.click(timeout=LIMIT)
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(page.get_by_role("dialog").get_by_role("status").filter(has_text="…")).to_have_count(0, timeout=LIMIT)
        found[path, opens] = violations(page)
    assert {place: broken for place, broken in found.items() if broken} == {}
