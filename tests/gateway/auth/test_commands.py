"""`gateway users`, `gateway keys` and `gateway audit`: the real command against a real database."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.auth.accounts import AccountError, NewAccount, create, ensure_first_admin
from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, environment
from tests.gateway.auth.service import PASSWORD, VERSION, Auth, Clock, serving


class Shell:
    """Runs commands against one database and key folder."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def __call__(self, *words: str, input: str | None = None, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "gateway", *words],
            cwd=ROOT, env=environment(self.url, self.folder), input=input, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    def json(self, *words: str, **more: Any) -> Any:
        return json.loads(self(*words, "--json", **more))

    def status_of_sign_in(self, email: str, password: str) -> int:
        async def attempt() -> int:
            async with serving(self.url, self.folder, Clock(time.time())) as auth:
                return (await auth.password(email, password)).status

        return asyncio.run(attempt())


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    return Shell(database_url, tmp_path)


def test_account_is_made_shown_granted_banned_and_deleted(shell: Shell) -> None:
    made = shell.json("users", "create", "Ada@Example.com", "--role", "admin")
    assert made["email"] == "ada@example.com"
    assert made["roles"] == ["admin"]
    assert made["app_metadata"]["must_change_password"] is True
    assert shell.status_of_sign_in("ada@example.com", made["password"]) == 200
    assert shell.json("users", "revoke", "ada@example.com", "admin")["roles"] == []
    assert shell.json("users", "grant", made["id"], "admin")["roles"] == ["admin"]
    assert "there is no role" in shell("users", "grant", made["id"], "emperor", status=1)
    assert shell.json("users", "ban", "ada@example.com", "--for", "24h")["banned_until"]
    assert shell.status_of_sign_in("ada@example.com", made["password"]) == 400
    assert "banned_until" not in shell.json("users", "unban", "ada@example.com")
    assert [user["email"] for user in shell.json("users", "list", "ADA")] == ["ada@example.com"]
    shell("users", "delete", "ada@example.com", "--yes")
    assert "there is no user" in shell("users", "show", "ada@example.com", status=1)
    written = [json.loads(line) for line in shell("audit", "--json").splitlines()]
    assert [entry["action"] for entry in reversed(written) if "command line" in entry["actor_username"]] == [
        "user_signedup", "role_granted", "role_revoked", "role_granted", "user_modified", "user_modified",
        "user_deleted",
    ]  # fmt: skip


def test_password_is_set_and_sessions_end(shell: Shell) -> None:
    shell("users", "create", "ada@example.com", "--password-stdin", input=f"{PASSWORD}\n")
    assert shell.status_of_sign_in("ada@example.com", PASSWORD) == 200
    assert len(shell.json("users", "sessions", "ada@example.com")) == 1
    once = shell.json("users", "set-password", "ada@example.com")["password"]
    assert shell.json("users", "sessions", "ada@example.com") == []
    assert shell.status_of_sign_in("ada@example.com", PASSWORD) == 400
    assert shell.status_of_sign_in("ada@example.com", once) == 200
    assert shell.json("users", "sign-out", "ada@example.com")["sessions"] == 1
    assert "72 bytes" in shell("users", "set-password", "ada@example.com", "--password", "x" * 73, status=1)


def test_file_of_users_is_imported_once(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "users.csv"
    hashed = "$2b$04$" + "x" * 53
    file.write_text(
        f"email,password,password_hash,roles\na@b.co,{PASSWORD},,admin\nc@d.co,,{hashed},\nno,,,\ne@f.co,,md5,\n"
    )
    answer = json.loads(_failed(shell, "users", "import", str(file), "--json"))
    assert (answer["made"], answer["known"], [row["row"] for row in answer["problems"]]) == (2, 0, [3, 4])
    assert shell.status_of_sign_in("a@b.co", PASSWORD) == 200
    lines = tmp_path / "users.jsonl"
    lines.write_text('{"email": "a@b.co"}\n{"email": "g@h.co", "user_metadata": {"name": "G"}}\n')
    assert shell.json("users", "import", str(lines), "--dry-run")["made"] == 1
    assert shell.json("users", "import", str(lines)) == {"made": 1, "known": 1, "problems": []}


def _failed(shell: Shell, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gateway", *words],
        cwd=ROOT, env=environment(shell.url, shell.folder), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    return done.stdout


def test_keys_are_listed_made_rotated_and_revoked(shell: Shell) -> None:
    first = shell.json("keys", "list")
    assert [key["id"] for key in first[:2]] == ["publishable", "secret"]
    made = shell.json("keys", "create", "ci")
    assert made["key"].startswith("sb_secret_")
    rotated = shell.json("keys", "rotate", "--grace", "24h")
    listed = {key["id"]: key for key in shell.json("keys", "list")}
    assert listed[first[2]["id"]]["ends"] is not None
    assert listed[rotated["kid"]]["ends"] is None
    assert listed[made["id"]]["name"] == "ci"
    shell("keys", "revoke", made["id"])
    shell("keys", "revoke", first[2]["id"])
    left = {key["id"] for key in shell.json("keys", "list")}
    assert made["id"] not in left and first[2]["id"] not in left
    assert "there is no key" in shell("keys", "revoke", "nothing", status=1)
    actions = [json.loads(line)["action"] for line in shell("audit", "--json").splitlines()]
    assert sorted(actions) == ["key_created", "key_revoked", "key_revoked", "key_rotated"]


def test_promise_35_first_admin_is_made_once_with_a_one_time_password(connection: SyncConnection) -> None:
    password = ensure_first_admin(connection, "admin@example.com")
    assert password is not None and len(password) >= 20
    ((metadata, role),) = connection.rows(
        "select u.raw_app_meta_data, r.role from auth.users u join public.user_roles r on r.user_id = u.id"
    )
    assert json.loads(metadata or "")["must_change_password"] is True
    assert role == "admin"
    assert ensure_first_admin(connection, "admin@example.com") is None
    assert ensure_first_admin(connection, "other@example.com") is None


def test_promise_35_an_existing_account_does_not_become_the_first_admin(connection: SyncConnection) -> None:
    create(connection, NewAccount("admin@example.com", PASSWORD))
    assert ensure_first_admin(connection, "admin@example.com") is None
    assert connection.rows("select count(*) from public.user_roles") == [("0",)]
    with pytest.raises(AccountError, match="already"):
        create(connection, NewAccount("ADMIN@example.com", PASSWORD))


def test_promise_37_no_secret_occurs_in_logs_or_error_bodies(
    database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")

    async def run() -> None:
        async with serving(database_url, tmp_path) as auth:
            await auth.create()
            session = await auth.sign_in()
            answers = [
                await auth.password(password="wrong-but-secret"),
                await auth.refresh(session["refresh_token"] + "x"),
                await auth.call("GET", "/user", token=auth.keys.secret_key),
                await auth.call("GET", "/user", token=auth.keys.service_role_jwt),
                await auth.call("GET", "/admin/users", token=session["access_token"]),
                await auth.admin("POST", "/admin/users", {"email": "no", "password": PASSWORD}),
            ]
            await _break(auth)
            answers.append(await auth.password(headers=VERSION))
            shown = "".join(answer.raw.decode() for answer in answers) + caplog.text
            secrets = (
                auth.keys.secret_key, auth.keys.service_role_jwt, session["access_token"], session["refresh_token"],
                PASSWORD, "wrong-but-secret", auth.keys.session_secrets[0].decode(),
            )  # fmt: skip
            assert answers[-1].status == 500
            assert not [secret for secret in secrets if secret in shown]

    asyncio.run(run())


async def _break(auth: Auth) -> None:
    auth.script("drop table auth.sessions cascade")
