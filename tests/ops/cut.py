"""Cuts a release: keeps what a database of this version holds, for the tests of upgrades from it.

    python -m tests.ops.cut 0.6.0

Starts the gateway on an empty database, has somebody sign in, write posts and send leads through it, and writes the
data that is then there to `tests/ops/releases/VERSION.sql`. It goes with a row of the changelog's table of versions.
`--root` names another working copy, of an older version, whose gateway is asked instead of this one's.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import httpx

from gateway.database import command_line
from gateway.database.embedded import EmbeddedPostgres, programs
from tests.fixtures.server import ROOT, environment

RELEASES: Final = Path(__file__).parent / "releases"
EMAIL: Final = "ruth@example.com"
PASSWORD: Final = "a password that stays the same"
SECRETS: Final = {
    "PGRST_JWT_SECRET": "what every release of this test signs with",
    "GATEWAY_SESSION_SECRET": "what every release of this test keeps sessions with",
}
RENEWAL: Final = "-- refresh token: "
POSTS: Final = [
    {
        "title": "Kept",
        "slug": "kept",
        "excerpt": "First",
        "content": "<p>Kept</p>",
        "published": True,
        "published_at": "2026-11-20T09:00:00Z",
    },
    {"title": "Draft", "slug": "draft", "excerpt": "Second", "content": "<p>Draft</p>", "published": False},
]
LEAD: Final = {
    "name": "Lena Okafor",
    "email": "lena@example.com",
    "phone": "(508) 555-0142",
    "company": "Okafor Dental",
    "subject": "Extra pickup",
    "message": "Two boxes are full.",
    "priority": "urgent",
    "honeypot": "",
}
LEAD_KEY: Final = "a-lead-of-an-older-version"
DUMP: Final = ["--data-only", "--inserts", "--rows-per-insert=50", "--on-conflict-do-nothing", "--no-comments"]


def visit(url: str, publishable: str) -> str:
    """What people do with a gateway: sign in, write, send a lead, forget a password; the session's refresh token."""
    with httpx.Client(base_url=url, headers={"apikey": publishable}, timeout=60, trust_env=False) as client:

        def post(path: str, body: object, **headers: str) -> httpx.Response:
            answer = client.post(path, json=body, headers=headers)
            assert answer.is_success, answer.text
            return answer

        body = {"email": EMAIL, "password": PASSWORD}
        session = post("/auth/v1/token?grant_type=password", body).json()
        bearer = {"authorization": f"Bearer {session['access_token']}"}
        for row in POSTS:
            post("/rest/v1/blog_posts", row, **bearer)
        edit = client.patch("/rest/v1/blog_posts?slug=eq.kept", json={"excerpt": "First, edited"}, headers=bearer)
        assert edit.is_success, edit.text
        post("/functions/v1/submit-contact", LEAD, **{"idempotency-key": LEAD_KEY})
        post("/auth/v1/recover", {"email": EMAIL})
        renewed = post("/auth/v1/token?grant_type=refresh_token", {"refresh_token": session["refresh_token"]})
        return str(renewed.json()["refresh_token"])


def cut(version: str, root: Path) -> Path:
    """Write the file of a version; its path."""
    folder = Path(tempfile.mkdtemp(prefix="gw-cut-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        url = postgres.url()
        env = environment(url, folder / "gateway", SECRETS)

        def gateway(*arguments: str, input: str | None = None) -> None:
            subprocess.run([sys.executable, "-m", "gateway", *arguments], cwd=root, env=env, input=input, text=True,
                           check=True)  # fmt: skip

        gateway("db", "migrate")
        gateway("users", "create", EMAIL, "--password-stdin", input=f"{PASSWORD}\n")
        gateway("users", "grant", EMAIL, "admin")
        with subprocess.Popen(
            [sys.executable, "-u", "-m", "gateway", "serve", "--port", "0"],
            cwd=root,
            env=env,
            stdout=subprocess.PIPE,
            text=True,
        ) as serving:
            assert serving.stdout is not None
            line = next(line for line in serving.stdout if line.startswith("gateway ready on "))
            try:
                renewal = visit(line.split()[-1], _publishable(folder / "gateway"))
            finally:
                serving.terminate()
        database, secret = command_line(url)
        dumped = subprocess.run(
            [programs() / "pg_dump", database, *DUMP], env=secret, capture_output=True, text=True, check=True
        ).stdout
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
    # without comments, psql's own commands, and settings that other servers do not know
    left_out = ("--", "\\", "SET ", "SELECT pg_catalog.set_config(")
    statements = [line for line in dumped.splitlines() if line and not line.startswith(left_out)]
    path = RELEASES / f"{version}.sql"
    head = [f"-- Written by `python -m tests.ops.cut {version}`.", f"{RENEWAL}{renewal}"]
    path.write_text("\n".join([*head, *statements, ""]))
    return path


def _publishable(folder: Path) -> str:
    return str(json.loads((folder / "keys.json").read_text())["publishable_key"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version")
    parser.add_argument("--root", type=Path, default=ROOT)
    chosen = parser.parse_args()
    print(cut(chosen.version, chosen.root))
