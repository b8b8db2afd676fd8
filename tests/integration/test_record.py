"""A site's requests of one gateway are kept without their secrets and asked again of another.

The visit is made with the official Python client: reading, a failed and a good sign-in, writing, a form, renewal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from postgrest import CountMethod
from supabase import AuthError, PostgrestAPIError, create_client
from supabase.lib.client_options import SyncClientOptions

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.fixtures.schema import seed
from tests.fixtures.server import ROOT as REPOSITORY
from tests.fixtures.server import LiveGateway, environment, start_gateway

# the client's own parts warn about how the client calls them
pytestmark = pytest.mark.filterwarnings("ignore:The '.*' parameter is deprecated:DeprecationWarning")

EDITOR = "editor@umw.example"
PASSWORD = "granite-and-harbour-light-7"
WRONG = "a-guess-that-is-not-right-3"
LEAD_KEY = "6b1f0c1e-5a55-4c0a-9d0e-3a0f6a7b8c9d"


@dataclass(frozen=True)
class Pair:
    """Two gateways on databases of their own, and the recording that the first one kept of the visit."""

    first: LiveGateway
    second: LiveGateway
    recording: Path

    def replay(self, *options: str, file: Path | None = None, key: str = "") -> subprocess.CompletedProcess[str]:
        """`gateway replay` against the second."""
        return self.second.command(
            "replay", str(file or self.recording), "--against", self.second.url, "--key",
            key or self.second.publishable_key, *options,
        )  # fmt: skip


def start(server: Server, template: str, name: str, folder: Path, extra: dict[str, str]) -> LiveGateway:
    with server.admin() as admin:
        admin.script(clone(name, template))
    url = server.database(name)
    with SyncConnection(url) as connection:
        seed(connection, "demo")
    gateway = start_gateway(url, folder, "serve", extra)
    made = gateway.command("users", "create", EDITOR, "--password-stdin", "--role", "admin", input=PASSWORD)
    assert made.returncode == 0, made.stderr
    return gateway


@pytest.fixture(scope="module")
def pair(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("record")
    recording = folder / "visit.jsonl"
    names = [f"record_{os.getpid()}_{number}" for number in (1, 2)]
    first = start(server, template, names[0], folder / "first", {"GATEWAY_RECORD": str(recording)})
    second = start(server, template, names[1], folder / "second", {})
    with httpx.Client(trust_env=False) as session:
        visit(client_of(session, first.url, first.publishable_key))
    yield Pair(first, second, recording)
    for gateway in (first, second):
        gateway.stop()
    with server.admin() as admin:
        for name in names:
            admin.script(f'drop database if exists "{name}" with (force)')


def client_of(session: httpx.Client, url: str, key: str) -> Any:
    return create_client(url, key, SyncClientOptions(httpx_client=session, auto_refresh_token=False))


def visit(client: Any) -> None:
    """What a visitor and an editor do on the site."""
    posts = client.table("blog_posts")
    found = posts.select("id, title, published_at", count=CountMethod.exact).eq("published", True)
    assert found.order("published_at", desc=True).range(0, 9).execute().count > 10
    with pytest.raises(PostgrestAPIError):
        posts.select("*").eq("slug", "no-such-article").single().execute()
    client.functions.invoke(
        "submit-newsletter",
        {
            "body": {"firstName": "Lena", "lastName": "Okafor", "email": "lena@bayclinic.example", "honeypot": ""},
            "headers": {"idempotency-key": LEAD_KEY},
        },
    )
    with pytest.raises(AuthError):
        client.auth.sign_in_with_password({"email": EDITOR, "password": WRONG})
    signed_in = client.auth.sign_in_with_password({"email": EDITOR, "password": PASSWORD})
    posts = client.table("blog_posts")
    role = client.table("user_roles").select("role").eq("user_id", signed_in.user.id)
    assert role.single().execute().data == {"role": "admin"}
    made = posts.insert({"title": "Tides", "slug": "tides", "content": "<p>In and out.</p>"}).execute().data[0]
    change = {"title": "Tides and waste"}
    stored = posts.update(change).eq("id", made["id"]).eq("updated_at", made["updated_at"]).execute().data
    assert stored[0]["title"] == "Tides and waste"
    assert client.auth.refresh_session().session.access_token
    assert client.table("blog_posts").delete().eq("id", made["id"]).execute().data
    client.auth.sign_out()


def lines(recording: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in recording.read_text().splitlines()]


def test_promise_02_a_visit_is_the_same_on_another_gateway(pair: Pair) -> None:
    done = pair.replay("--user", f"{EDITOR}:{PASSWORD}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        done.stdout.splitlines()[-1]
        == f"{pair.second.url}: {len(lines(pair.recording))} the same, 0 different, 0 not asked"
    )


def test_every_request_of_the_visit_is_kept_in_order(pair: Pair) -> None:
    kept = [
        (line["request"]["method"], line["request"]["path"], line["response"]["status"])
        for line in lines(pair.recording)
    ]
    assert kept == [
        ("GET", "/rest/v1/blog_posts", 206),
        ("GET", "/rest/v1/blog_posts", 406),
        ("POST", "/functions/v1/submit-newsletter", 200),
        ("POST", "/auth/v1/token", 400),
        ("POST", "/auth/v1/token", 200),
        ("GET", "/rest/v1/user_roles", 200),
        ("POST", "/rest/v1/blog_posts", 201),
        ("PATCH", "/rest/v1/blog_posts", 200),
        ("POST", "/auth/v1/token", 200),
        ("DELETE", "/rest/v1/blog_posts", 200),
        ("POST", "/auth/v1/logout", 204),
    ]
    assert [line["as"].get("user") for line in lines(pair.recording)][4:] == [None, *[EDITOR] * 6]


def test_the_recording_holds_no_secret_and_is_its_owner_s_alone(pair: Pair) -> None:
    text = pair.recording.read_text()
    keys = pair.first.keys
    for secret in (PASSWORD, WRONG, keys["publishable_key"], keys["secret_key"], keys["jwt_secret"], "eyJ"):
        assert secret not in text
    assert pair.recording.stat().st_mode & 0o777 == 0o600
    sign_in = lines(pair.recording)[4]
    assert json.loads(sign_in["request"]["body"])["password"] == "<redacted password>"
    answer = json.loads(sign_in["response"]["body"])
    assert answer["access_token"].startswith("<redacted access_token ")
    assert answer["refresh_token"].startswith("<redacted refresh_token ")


def test_what_functions_ask_with_the_secret_key_is_not_kept_as_the_site_s(pair: Pair) -> None:
    assert not any("secret" in (line["as"].get("key"), line["as"].get("bearer")) for line in lines(pair.recording))


def test_a_change_of_data_and_of_rights_is_found(pair: Pair) -> None:
    newest = "where published_at = (select max(published_at) from public.blog_posts where published)"
    is_admin = f"select id, 'admin' from auth.users where email = '{EDITOR}'"
    with SyncConnection(pair.second.database_url) as rows:
        rows.script(f"update public.blog_posts set title = title || '!' {newest}; delete from public.user_roles")
        try:
            done = pair.replay("--user", f"{EDITOR}:{PASSWORD}", "--json")
        finally:
            rows.script(f"update public.blog_posts set title = rtrim(title, '!') {newest}")
            rows.script(f"insert into public.user_roles (user_id, role) {is_admin}")
    assert done.returncode == 1, done.stdout + done.stderr
    different = {request["line"]: request["differences"] for request in json.loads(done.stdout)["requests"]}
    assert [difference["place"] for difference in different[1]] == ["body[0].title"]
    assert different[6][0] == {"place": "status", "recorded": "200", "replayed": "406"}
    assert different[7][0] == {"place": "status", "recorded": "201", "replayed": "403"}
    assert different[2] == different[9] == []


def test_an_ignored_member_is_no_difference(pair: Pair, tmp_path: Path) -> None:
    first = lines(pair.recording)[0]
    first["response"]["body"] = first["response"]["body"].replace('"title":"', '"title":"Not ')
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(first) + "\n")
    assert pair.replay(file=file).returncode == 1
    assert pair.replay("--ignore", "title", file=file).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param([], f"the recording has requests of {EDITOR}: give --user {EDITOR}", id="no password"),
        pytest.param(["--against", "http://127.0.0.1:9"], "http://127.0.0.1:9 cannot be reached", id="nobody there"),
        pytest.param(
            ["--against", "https://project.example"],
            "the recording writes, and https://project.example is elsewhere: give --yes-remote or --reads-only",
            id="elsewhere",
        ),
    ],
)
def test_a_replay_that_cannot_be_made_says_why(pair: Pair, options: list[str], message: str) -> None:
    user = ["--user", f"{EDITOR}:{PASSWORD}"] if options else []
    done = pair.replay(*user, *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_broken_line_is_named(pair: Pair, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text(pair.recording.read_text() + "{}\n")
    done = pair.replay(file=file)
    assert (done.returncode, done.stderr) == (2, f"gateway: {file}, line 12 is not a recorded request\n")


def test_a_recorder_before_any_server_keeps_what_passes(pair: Pair, tmp_path: Path) -> None:
    recording = tmp_path / "passed.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "gateway", "record", "--out", str(recording), "--of", pair.first.url],
        cwd=REPOSITORY,
        env=environment(pair.first.database_url, pair.first.data_dir),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split(" on ")[1].split(";")[0]
        with httpx.Client(trust_env=False) as session:
            page = session.get(f"{address}/env.js")
            assert pair.first.publishable_key in page.text
            admin = client_of(session, address, pair.first.secret_key)
            person = {"email": "ines@umw.example", "password": PASSWORD, "email_confirm": True}
            made = admin.auth.admin.create_user(person).user
            client = client_of(session, address, pair.first.publishable_key)
            client.auth.sign_in_with_password({"email": person["email"], "password": PASSWORD})
            assert client.table("user_roles").select("role").execute().data == []
            admin.auth.admin.delete_user(made.id)
    finally:
        process.terminate()
        said = process.communicate(timeout=30)[0]
    assert said == f"4 requests in {recording}\n"
    assert [line["as"].get("user") or line["as"]["bearer"] for line in lines(recording)] == [
        "secret", "publishable", "ines@umw.example", "secret",
    ]  # fmt: skip
    done = pair.replay("--secret-key", pair.second.secret_key, file=recording)
    assert done.returncode == 0, done.stdout + done.stderr
